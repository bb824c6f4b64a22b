"""Fits on row sources and Dask collections give what fits in memory give."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from skholder import HolderBayesDensity, HolderBayesRegressor, ModelAuditor
from skholder.rows import ArraySource, BlockSource

# Few draws will do to compare two ways to the same ones.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def spoiled(n=3000, p=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X.sum(axis=1) + rng.normal(size=n)
    y[: n // 10] += 7
    X[-n // 20 :, 0] += 6
    return X, y


def cut(X, y=None, weight=None, size=431):
    def blocks():
        for start in range(0, len(X), size):
            part = slice(start, start + size)
            yield X[part], None if y is None else y[part], None if weight is None else weight[part]

    return BlockSource(blocks)


REGRESSOR = HolderBayesRegressor(n_draws=400, leverage="ignore", random_state=0)
DENSITY = HolderBayesDensity(n_draws=400, random_state=0)
CASES = {
    "regression": (REGRESSOR, True, False),
    "weighted": (REGRESSOR, True, True),
    "laplace": (clone(REGRESSOR).set_params(inference="laplace"), True, False),
    "holder": (clone(REGRESSOR).set_params(count="holder", gamma=0.5), True, False),
    "density": (DENSITY, False, False),
    "diag": (clone(DENSITY).set_params(covariance_type="diag"), False, False),
}


@pytest.fixture(scope="module", params=CASES)
def both(request):
    """The same model in memory and on a source, with the data."""
    model, with_y, weighted = CASES[request.param]
    X, y = spoiled()
    y = y if with_y else None
    weight = np.random.default_rng(1).integers(0, 3, len(X)).astype(float) if weighted else None
    memory = clone(model).fit(X, y, sample_weight=weight)
    return memory, clone(model).fit(cut(X, y, weight)), X, y, weight


def test_draws_and_counts_agree(both):
    memory, streamed, *_ = both
    assert streamed.gamma_ == memory.gamma_
    for name in memory.posterior_:
        np.testing.assert_allclose(
            streamed.posterior_[name], memory.posterior_[name], rtol=1e-6, atol=1e-9
        )
    np.testing.assert_array_equal(
        streamed.outlier_count_posterior_, memory.outlier_count_posterior_
    )
    assert streamed.clean_probability_ == pytest.approx(memory.clean_probability_, nan_ok=True)
    assert streamed.adequacy_.verdict == memory.adequacy_.verdict
    assert 0 < streamed.diagnostics_.n_passes <= 80
    assert memory.diagnostics_.n_passes == 0


def test_rows_are_audited_by_blocks(both):
    memory, streamed, X, y, weight = both
    blocks = list(streamed.audit_blocks(cut(X, y, size=500)))
    assert [len(block.fod) for block in blocks] == [500] * 6
    if weight is None:
        fod = np.concatenate([block.fod for block in blocks])
        np.testing.assert_allclose(fod, memory.fod_scores_, atol=1e-12)
        tails = np.concatenate([block.tail_probability for block in blocks])
        np.testing.assert_allclose(tails, memory.tail_probability_, rtol=0.2, atol=1e-6)
        density = np.concatenate([block.log_density for block in blocks])
        np.testing.assert_allclose(density, memory.log_density_, rtol=1e-9, atol=1e-9)
        expected = np.concatenate([block.expected_by_chance for block in blocks])
        np.testing.assert_allclose(expected, len(X) * tails)
    assert "rows flagged" in repr(blocks[0])


def test_nothing_with_a_row_axis_is_kept(both):
    _, streamed, *_ = both
    for name in ("fod_scores_", "log_density_", "tail_probability_"):
        with pytest.raises(AttributeError, match="audit_blocks"):
            getattr(streamed, name)
    with pytest.raises(AttributeError, match="audit_blocks"):
        streamed.audit()
    assert "3,000 rows" in repr(streamed.record_)


def test_a_later_fit_in_memory_forgets_the_source(both):
    _, streamed, X, y, _ = both
    again = clone(streamed).set_params(inference="laplace").fit(cut(X, y)).fit(X, y)
    assert len(again.fod_scores_) == len(X)
    assert again.diagnostics_.n_passes == 0


def test_a_density_on_a_source_predicts():
    X, _ = spoiled()
    memory, streamed = clone(DENSITY).fit(X), clone(DENSITY).fit(cut(X))
    assert np.mean(memory.predict(X) == streamed.predict(X)) > 0.995


def test_what_a_source_cannot_do():
    X, y = spoiled(400)
    with pytest.raises(ValueError, match="brings its own response"):
        clone(REGRESSOR).fit(ArraySource(X, y), y)
    with pytest.raises(ValueError, match="has no response y"):
        clone(REGRESSOR).fit(ArraySource(X))
    with pytest.raises(ValueError, match="cannot be fitted on a row source"):
        HolderBayesDensity(model="laplace").fit(ArraySource(X))
    far = X.copy()
    far[:40] = 9.0
    y[:40] = -30.0
    with pytest.raises(ValueError, match=r"bad leverage.*leverage='ignore'"):
        clone(REGRESSOR).set_params(leverage="guard").fit(ArraySource(far, y))


def test_a_source_that_changes_is_caught():
    X, y = spoiled(600)
    calls = []

    def blocks():
        calls.append(1)
        yield X[: 600 if len(calls) < 4 else 500], y[: 600 if len(calls) < 4 else 500]

    model = clone(REGRESSOR)
    with pytest.raises(ValueError, match="same blocks every time"):
        model.fit(BlockSource(blocks))
    assert not hasattr(model, "record_")


class TestDask:
    da = pytest.importorskip("dask.array")
    dd = pytest.importorskip("dask.dataframe")

    def test_arrays(self):
        X, y = spoiled()
        lazy_X, lazy_y = self.da.from_array(X, chunks=(800, 3)), self.da.from_array(y, chunks=700)
        memory, model = clone(REGRESSOR).fit(X, y), clone(REGRESSOR).fit(lazy_X, lazy_y)
        np.testing.assert_allclose(model.coef_, memory.coef_, rtol=1e-9)
        np.testing.assert_array_equal(
            model.outlier_count_posterior_, memory.outlier_count_posterior_
        )
        fod = model.fod(lazy_X, lazy_y)
        assert fod.chunks == ((800, 800, 800, 600),)
        np.testing.assert_allclose(fod.compute(), memory.fod_scores_, atol=1e-12)
        for name in ("predict", "score_samples"):
            answer = getattr(model, name)(lazy_X)
            assert answer.chunks[0] == lazy_X.chunks[0]
            np.testing.assert_allclose(answer.compute(), getattr(memory, name)(X), rtol=1e-6)
        tails = model.tail_probability(lazy_X, y=lazy_y)
        np.testing.assert_allclose(tails.compute(), memory.tail_probability_, rtol=0.2, atol=1e-6)

    def test_frames(self):
        pd = pytest.importorskip("pandas")
        X, _ = spoiled()
        frame = pd.DataFrame(X, columns=["a", "b", "c"])
        lazy = self.dd.from_pandas(frame, npartitions=3)
        memory, model = clone(DENSITY).fit(frame), clone(DENSITY).fit(lazy)
        assert list(model.feature_names_in_) == ["a", "b", "c"]
        np.testing.assert_allclose(model.location_, memory.location_, rtol=1e-9)
        assert np.mean(model.predict(lazy).compute() == memory.predict(frame)) > 0.995
        fod = model.fod(lazy).compute()
        np.testing.assert_allclose(fod, memory.fod_scores_, atol=1e-12)
        assert fod.index.equals(frame.index)

    def test_cut_columns_are_put_together_with_a_warning(self):
        X, y = spoiled(600)
        lazy = self.da.from_array(X, chunks=(300, 1))
        with pytest.warns(UserWarning, match="cut into 3 chunks"):
            model = clone(REGRESSOR).fit(lazy, self.da.from_array(y, chunks=300))
        assert model.n_features_in_ == 3

    def test_errors_name_the_partition(self):
        X, y = spoiled(600)
        lazy = self.da.from_array(X, chunks=(200, 3))
        with pytest.raises(ValueError, match="y must be one too"):
            clone(REGRESSOR).fit(lazy, y)
        with pytest.raises(ValueError, match="X has 600 rows and y has 500"):
            clone(REGRESSOR).fit(lazy, self.da.from_array(y[:500], chunks=100))
        y[450] = np.nan
        with pytest.raises(ValueError, match="partition 2: y holds nan in its row 50"):
            clone(REGRESSOR).fit(lazy, self.da.from_array(y, chunks=200))

    def test_unknown_and_empty_partitions(self):
        X, y = spoiled(900)
        both = self.da.from_array(np.column_stack([X, y]), chunks=(300, 4))
        # A filter leaves chunks of unknown size, one of them empty.
        keep = self.da.from_array(np.arange(900) < 600, chunks=300)
        some = both[keep]
        model = clone(REGRESSOR).fit(some[:, :3], some[:, 3])
        memory = clone(REGRESSOR).fit(X[:600], y[:600])
        np.testing.assert_allclose(model.coef_, memory.coef_, rtol=1e-9)


def test_a_model_auditor_says_that_it_needs_memory():
    X, y = spoiled(200)
    with pytest.raises(ValueError, match="ModelAuditor needs its rows in memory"):
        ModelAuditor(LinearRegression()).fit(ArraySource(X, y), y)
    da = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match="ModelAuditor needs its rows in memory, got a Array"):
        ModelAuditor(LinearRegression()).fit(da.from_array(X, chunks=(100, 3)), y)
