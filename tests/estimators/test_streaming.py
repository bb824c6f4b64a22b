"""Fits on row sources and Dask collections give what fits in memory give."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from skholder import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    ModelAuditor,
    OutlierAuditor,
    OutlierRejector,
)
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


def test_a_source_without_columns():
    with pytest.raises(ValueError, match="0 feature"):
        clone(DENSITY).fit(ArraySource(np.ones((5, 0))))


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


@pytest.fixture(scope="module")
def fitted():
    """A regression and a density, each on a source without names."""
    X, y = spoiled(400, p=2)
    quick = {"n_draws": 80, "inference": "laplace"}
    regression = clone(REGRESSOR).set_params(**quick).fit(ArraySource(X, y))
    return regression, clone(DENSITY).set_params(**quick).fit(ArraySource(X))


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (([[np.nan, 0.0]], [0.0]), "block 1: column 0 of X holds nan in its row 0"),
        (([[0.0, np.inf]], [0.0]), "block 1: column 1 of X holds inf in its row 0"),
        (([[0.0, 0.0]], [np.nan]), "block 1: y holds nan in its row 0"),
        (([[0.0, 0.0, 0.0]], [0.0]), "block 1 has 3 columns, the fit has 2"),
        (([[0.0]], [0.0]), "block 1 has 1 columns, the fit has 2"),
        (([[0.0, 0.0]],), "block 1 has no response y"),
    ],
)
def test_audited_blocks_are_checked(fitted, block, message):
    regression, density = fitted
    source = BlockSource([(np.zeros((3, 2)), np.zeros(3)), block])
    with pytest.raises(ValueError, match=message):
        list(regression.audit_blocks(source))
    if len(block) == 2:
        with pytest.raises(ValueError, match=message):
            list(density.audit_blocks(source))
    else:
        assert len(list(density.audit_blocks(source))) == 2


def test_audited_columns_are_those_of_the_fit():
    X, y = spoiled(400, p=2)
    model = clone(REGRESSOR).set_params(n_draws=80, inference="laplace")
    model.fit(ArraySource(X, y, columns=["a", "b"]))
    for names, message in {
        "ba": "Column 0 of the row source is 'b', that of the fit is 'a'",
        "ac": "Column 1 of the row source is 'c', that of the fit is 'b'",
        "abc": "the row source has 3 columns, the fit has 2",
    }.items():
        with pytest.raises(ValueError, match=message):
            model.audit_blocks(BlockSource([(X, y)], columns=names))
    for columns in ("ab", None):
        (block,) = model.audit_blocks(BlockSource([(X, y)], columns=columns))
        assert len(block.fod) == 400
    frame = pytest.importorskip("pandas").DataFrame(X[:, ::-1], columns=["b", "a"])
    with pytest.raises(ValueError, match="Column 0 of block 0 is 'b'"):
        list(model.audit_blocks(BlockSource([(frame, y)])))
    (block,) = model.audit_blocks(BlockSource([(frame[["a", "b"]], y)]))
    assert len(block.fod) == 400


def test_names_come_from_frames():
    X, y = spoiled(400, p=2)
    frame = pytest.importorskip("pandas").DataFrame(X, columns=["a", "b"])
    model = clone(REGRESSOR).set_params(n_draws=80, inference="laplace")
    assert list(model.fit(ArraySource(frame, y)).feature_names_in_) == ["a", "b"]


def test_only_a_source_is_audited_by_blocks(fitted):
    for rows in (np.zeros((3, 2)), [(np.zeros((3, 2)), np.zeros(3))]):
        with pytest.raises(TypeError, match=r"goes through a row source, got a .*ArraySource"):
            fitted[0].audit_blocks(rows)


def test_rows_that_were_not_fitted_have_a_tail_probability():
    X, _ = spoiled(400, p=2)
    rng = np.random.default_rng(0)
    model = clone(REGRESSOR).set_params(n_draws=80, inference="laplace")
    clean = X.sum(axis=1) + rng.normal(size=400)
    (block,) = model.fit(ArraySource(X, clean)).audit_blocks(
        BlockSource([(np.zeros((1, 2)), np.array([1e3]))])
    )
    # However far a row lies, draws that count no bad row in the fitted table do not flag it.
    assert block.fod[0] == np.mean(model.outlier_count_posterior_ > 0)
    assert block.tail_probability[0] < 1e-12


class TestNeedsMemory:
    """What cannot walk over a row source says so at once, and what to use instead."""

    source = ArraySource(*spoiled(100))
    y = np.zeros(100)

    @pytest.mark.parametrize(
        "call",
        [
            lambda source, y: OutlierAuditor().fit(source),
            lambda source, y: OutlierAuditor(HolderBayesRegressor()).fit(source),
            lambda source, y: OutlierAuditor().fit_predict(source),
            lambda source, y: OutlierAuditor().trace_gamma(source),
            lambda source, y: AuditedEstimator(LinearRegression()).fit(source, y),
            lambda source, y: AuditedEstimator(LinearRegression()).fit(source, None),
            lambda source, y: OutlierRejector().fit(source),
            lambda source, y: OutlierRejector().fit_resample(source, y),
            lambda source, y: ModelAuditor(LinearRegression()).fit(source, y),
        ],
    )
    def test_wrappers(self, call):
        with pytest.raises(ValueError, match=r"needs its rows in memory.*audit_blocks\(source\)"):
            call(self.source, self.y)

    @pytest.mark.parametrize("model", [HolderBayesRegressor(), HolderBayesDensity()])
    def test_trace_gamma(self, model):
        with pytest.raises(ValueError, match=r"trace_gamma needs its rows in memory.*gamma_path_"):
            model.trace_gamma(self.source)

    @pytest.mark.parametrize("name", ["predict", "fod", "score_samples", "tail_probability"])
    def test_methods(self, fitted, name):
        regression, density = fitted
        needs_y = name in ("fod", "tail_probability")
        with pytest.raises(ValueError, match="Only fit and audit_blocks take a row source"):
            getattr(regression, name)(self.source, *[self.y] * needs_y)
        with pytest.raises(ValueError, match="Only fit and audit_blocks take a row source"):
            getattr(density, name)(self.source)

    def test_fit_predict_does_not_fit_first(self):
        model = clone(DENSITY)
        with pytest.raises(ValueError, match="Only fit and audit_blocks take a row source"):
            model.fit_predict(self.source)
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
