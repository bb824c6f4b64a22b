"""Groups: the law of a group's count, the pooled share, and the frame."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import betaln, logsumexp

from skholder import HolderBayesRegressor
from skholder.audit import group_shares, share_groups


def _sure(counts, sizes):
    """Groups and FoD of rows that are outside the model for sure, or not at all."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    fod = np.concatenate([np.arange(n) < k for k, n in zip(counts, sizes, strict=True)])
    return groups, fod.astype(float)


def _in_order(found, values):
    """Values by group in ascending order of the label."""
    return np.asarray(values)[np.argsort(found.labels)]


@pytest.fixture(scope="module")
def spoiled_site():
    """A regression whose site "c" has half of its 40 rows spoiled."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(160, 2)), index=[f"r{i}" for i in range(160)])
    site = pd.Series(np.tile(list("abcd"), 40), index=X.index, name="site")
    y = X @ [1.0, -1.0] + rng.normal(size=160)
    y[(site == "c") & (np.arange(160) < 80)] += 9
    X.columns = ["u", "v"]
    model = HolderBayesRegressor(n_draws=400, inference="laplace", random_state=0).fit(X, y)
    return model, X, site


class TestCounts:
    def test_kth_largest_fod_is_the_probability_of_k_rows(self):
        fod = np.array([1.0, 0.7, 0.2, 0.0])
        found = group_shares(np.zeros(4), fod, fod > 0.5, level=0.5)
        # P(K >= 1, 2, 3, 4) = 1, 0.7, 0.2, 0: the quartiles are 1 and 2.
        np.testing.assert_array_equal(found.outliers_interval, [[1, 2]])
        assert found.outliers == pytest.approx(1.9)

    def test_means_sum_to_the_mean_count(self, spoiled_site):
        model, _, site = spoiled_site
        found = share_groups(model.audit(), site)
        assert found.outliers.sum() == pytest.approx(model.outlier_count_posterior_.mean())
        assert found.flagged.sum() == model.audit().mask.sum()

    def test_never_narrower_than_the_flags_of_each_draw(self):
        # Overlapping outliers, and sites that differ in a column of the model: rows change order.
        rng = np.random.default_rng(0)
        n = 120
        site = np.repeat([0, 1, 2], [8, 52, 60])
        X = np.column_stack([rng.normal(size=n), site == 0])
        y = X[:, 0] + rng.normal(size=n)
        y[::9] += 3.5
        model = HolderBayesRegressor(gamma=0.5, count="holder", n_draws=800, random_state=0)
        model.fit(X, y)
        coef, scale = model.posterior_["coef"], model.posterior_["scale"]
        size = np.abs(y - model.posterior_["intercept"][:, None] - coef @ X.T) / scale[:, None]
        rank = np.argsort(np.argsort(-size, axis=1), axis=1)
        flags = rank < model.outlier_count_posterior_[:, None]
        np.testing.assert_allclose(flags.mean(axis=0), model.fod_scores_, atol=1e-12)
        found = share_groups(model.audit(), site)
        for spot, label in enumerate(found.labels):
            per_draw = flags[:, site == label].sum(axis=1)
            assert found.outliers[spot] == pytest.approx(per_draw.mean())
            low, high = np.quantile(per_draw, [0.025, 0.975])
            assert found.outliers_interval[spot, 0] <= low + 1
            assert found.outliers_interval[spot, 1] >= high - 1
            assert np.ptp(found.outliers_interval[spot]) <= 1.6 * (high - low) + 2


class TestShares:
    def test_pooled_share_is_that_of_quadrature(self):
        counts, sizes = [6, 0, 1], [10, 12, 30]
        found = group_shares(*(pair := _sure(counts, sizes)), pair[1] > 0)
        # The hierarchy by brute force: correlation and mean on a fine grid.
        correlation = (np.arange(200) + 0.5) / 200
        mean = (np.arange(400) + 0.5) / 400
        kappa = (1 / correlation - 1)[:, None]
        a, b = mean * kappa, (1 - mean) * kappa
        log_like = np.zeros(a.shape)
        for k, n in zip(counts, sizes, strict=True):
            log_like += betaln(a + k, b + n - k) - betaln(a, b)
        weight = np.exp(log_like - logsumexp(log_like))
        expected = [
            np.sum(weight * (a + k) / (a + b + n)) for k, n in zip(counts, sizes, strict=True)
        ]
        np.testing.assert_allclose(_in_order(found, found.share), expected, rtol=0.05)

    def test_intervals_cover(self):
        rng = np.random.default_rng(1)
        covered = []
        for _ in range(25):
            mean, kappa = rng.uniform(), 1 / rng.uniform() - 1
            sizes = rng.integers(2, 60, 8)
            share = rng.beta(mean * kappa, (1 - mean) * kappa, 8)
            groups, fod = _sure(rng.binomial(sizes, share), sizes)
            found = group_shares(groups, fod, fod > 0, level=0.9)
            low, high = _in_order(found, found.share_interval).T
            covered.extend((low <= share + 1e-9) & (share <= high + 1e-9))
        # 200 intervals of 90%, known to 0.02.
        assert 0.83 < np.mean(covered) < 0.97

    def test_small_groups_have_wide_intervals_and_lean_on_the_others(self):
        groups, fod = _sure([30, 1, 33, 36], [300, 2, 330, 360])
        found = group_shares(groups, fod, fod > 0)
        width = np.ptp(_in_order(found, found.share_interval), axis=1)
        assert width[1] > 3 * width[[0, 2, 3]].max()
        assert 0.05 < _in_order(found, found.share)[1] < 0.3  # its own share is one half

    def test_the_bad_group_comes_first(self, spoiled_site):
        model, _, site = spoiled_site
        frame = model.audit().by(site)
        assert frame.index[0] == "c"
        assert frame.index.name == "site"
        worst = frame.iloc[0]
        assert worst["share_low"] < 0.5 < worst["share_high"]
        assert worst["above_others"] > 0.99
        assert (frame["above_others"].iloc[1:] < 0.5).all()
        assert (frame["rows"] == 40).all()

    def test_a_clean_table_has_clean_groups(self):
        fod = np.array([0.05, 0, 0, 0, 0, 0])
        found = group_shares([0, 0, 0, 1, 1, 1], fod, fod > 1, clean_probability=0.95)
        assert found.share.max() < 0.03
        unsure = group_shares([0, 0, 0, 1, 1, 1], fod, fod > 1)
        assert unsure.share.max() > 0.05

    def test_weights_are_shares_of_weight(self):
        groups, fod = _sure([2, 0], [4, 4])
        weight = np.array([5.0, 5.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
        found = group_shares(groups, fod, fod > 0, weight)
        assert _in_order(found, found.outliers).tolist() == [10, 0]
        assert _in_order(found, found.weight).tolist() == [12, 4]
        assert found.share[0] > 0.6
        assert found.to_frame()["weight"].tolist() == [12, 4]
        twice = np.repeat(np.arange(8), weight.astype(int))
        repeated = group_shares(groups[twice], fod[twice], fod[twice] > 0)
        np.testing.assert_allclose(repeated.share, found.share)

    def test_rows_of_weight_zero_are_no_rows(self):
        weight = np.array([1.0, 1.0, 0.0, 1.0])
        found = group_shares(["a", "a", "a", "b"], np.zeros(4), np.zeros(4, bool), weight)
        assert dict(zip(found.labels, found.rows.tolist(), strict=True)) == {"a": 2, "b": 1}

    def test_one_group_has_no_others(self):
        found = group_shares(["a"] * 4, np.array([1.0, 0, 0, 0]), np.arange(4) < 1)
        assert np.isnan(found.above_others).all()

    def test_the_same_groups_give_the_same_frame(self, spoiled_site):
        model, _, site = spoiled_site
        pd.testing.assert_frame_equal(model.audit().by(site), model.audit().by(site))


class TestLabels:
    def test_missing_labels_are_a_group(self):
        labels = np.array(["a", None, np.nan, pd.NA, "a"], dtype=object)
        found = group_shares(labels, np.zeros(5), np.zeros(5, bool))
        assert dict(zip(found.labels, found.rows.tolist(), strict=True)) == {"a": 2, "(missing)": 3}

    @pytest.mark.parametrize("groups", ["site", 3, ["a"], [["a"], ["b"]]])
    def test_an_entry_for_each_row(self, groups):
        with pytest.raises(ValueError, match="an entry for each"):
            group_shares(groups, np.zeros(2), np.zeros(2, bool))

    @pytest.mark.parametrize("label", [{}, {1}, [1]])
    def test_labels_that_cannot_be_told_apart(self, label):
        groups = np.empty(2, dtype=object)
        groups[:] = [label, "a"]
        with pytest.raises(ValueError, match="groups must be labels such as texts"):
            group_shares(groups, np.zeros(2), np.zeros(2, bool))

    def test_tuples_are_labels(self):
        pairs = [("a", 1), ("b", 1), ("a", 1)]
        found = group_shares(pairs, np.zeros(3), np.zeros(3, bool))
        assert dict(zip(found.labels, found.rows.tolist(), strict=True)) == {
            ("a", 1): 2,
            ("b", 1): 1,
        }

    @pytest.mark.parametrize("name", ["rows", "flagged", "outliers", "share", "above_others"])
    def test_groups_called_like_a_column(self, name):
        groups = pd.Series(["p", "q", "q"], name=name)
        found = group_shares(groups, np.zeros(3), np.zeros(3, bool))
        assert found.name == name
        frame = found.to_frame("polars")
        assert frame.columns == ["group", *found.columns()]
        assert frame["group"].to_list() == list(found.labels)
        # Two things of one name cannot be sorted by it, nor reset.
        assert set(found.to_frame().reset_index()["group"]) == {"p", "q"}

    def test_another_index_is_refused(self, spoiled_site):
        model, _, site = spoiled_site
        audit = model.audit()
        with pytest.raises(ValueError, match="groups has another index"):
            audit.by(site.iloc[::-1])
        np.testing.assert_array_equal(audit.by(site.to_numpy()).rows, audit.by(site).rows)
        assert audit.by(site.to_numpy()).index.name == "group"

    @pytest.mark.parametrize("level", [1.0, "a", None])
    def test_level(self, level):
        with pytest.raises(ValueError, match="level must lie"):
            group_shares([0], np.zeros(1), np.zeros(1, bool), level=level)

    def test_polars(self, contaminated):
        X, y, outlier, _ = contaminated(80)
        model = HolderBayesRegressor(n_draws=400, inference="laplace", random_state=0)
        model.fit(pl.DataFrame(X, schema=["u", "v"]), y)
        site = np.where(outlier, "bad", "good").tolist()
        frame = model.audit().by(pl.Series("site", site))
        assert isinstance(frame, pl.DataFrame)
        assert frame.columns[:3] == ["site", "rows", "flagged"]
        assert frame["site"].to_list() == ["bad", "good"]

    def test_prints_in_a_line(self, spoiled_site):
        model, _, site = spoiled_site
        assert (
            repr(share_groups(model.audit(), site)) == "GroupShares(4 groups of 160 rows by 'site')"
        )
