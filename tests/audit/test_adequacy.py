"""Adequacy: models that do not describe their rows are called wrong, and others are not."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer

from skholder import HolderBayesDensity, HolderBayesRegressor
from skholder.audit import Adequacy, AdequacyCheck, judge_adequacy
from skholder.datasets import load_spoiled_diabetes
from skholder.models import check_density
from skholder.rows import RowBlocks

PRIORS = {"location_prior_scale": 2.5, "log_scale_prior_scale": 1.0, "min_scale": 1e-3}
QUICK = {"inference": "laplace", "n_draws": 100, "random_state": 0}


def adequacy(estimator, *args):
    with warnings.catch_warnings():
        # That epsilon is at its limit is one of the things looked for.
        warnings.simplefilter("ignore")
        return estimator.fit(*args).adequacy_


def density(X, **kwargs):
    return adequacy(HolderBayesDensity(**QUICK, **kwargs), X)


def regression(X, y, **kwargs):
    return adequacy(HolderBayesRegressor(**QUICK, **kwargs), X, y)


def check(found, name):
    return next(one for one in found.checks if one.name == name)


class TestHeavyTails:
    """Quantiles of a law stand for its rows: no chance is in these tables."""

    def tails(self, quantiles):
        random = np.random.default_rng(0)
        X, y = random.normal(size=(len(quantiles), 1)), random.permutation(quantiles)
        return check(regression(X, y, gamma=0.6, leverage="ignore"), "tails")

    def test_both_sides_together_decide(self):
        ranks = (np.arange(900) + 0.5) / 900
        assert self.tails(stats.t.ppf(ranks, 4)).status == "note"
        assert self.tails(stats.norm.ppf(ranks)).status == "ok"

    def test_outliers_on_one_side_are_no_tails(self):
        rows = stats.norm.ppf((np.arange(900) + 0.5) / 900)
        rows[::10] += 3
        assert self.tails(rows).size > 0
        assert self.tails(rows).status == "ok"

    def test_a_tail_on_one_side_thins_out(self):
        ranks = (np.arange(3000) + 0.5) / 3000
        found = self.tails(np.where(ranks < 0.5, stats.t.ppf(ranks, 4), stats.norm.ppf(ranks)))
        assert found.status == "note"
        assert "a tail on one side heavier than normal" in found.words


class TestCalledWrong:
    def test_skewed_columns(self):
        X = np.exp(np.random.default_rng(0).normal(size=(500, 3)))
        found = density(X)
        assert found.verdict == "wrong"
        assert check(found, "skewness").status == "wrong"
        assert "skewed: x" in found.sentence
        assert "the flags below are mostly its shape" in found.sentence

    def test_breast_cancer(self):
        # A part of its columns, for speed.
        found = density(load_breast_cancer(as_frame=True).data.iloc[:, 5:10])
        assert found.verdict == "wrong"
        assert "skewed" in found.sentence

    @pytest.mark.parametrize("share", [0.4, 0.5])
    def test_two_far_clusters(self, share):
        X = np.random.default_rng(1).normal(size=(400, 2))
        X[: int(400 * share)] += 12.0
        assert density(X).verdict == "wrong"

    def test_two_near_clusters(self):
        X = np.random.default_rng(2).normal(size=(600, 1))
        X[::2] += 4.0
        found = density(X)
        assert found.verdict == "wrong"

    def test_parabola(self):
        x = np.random.default_rng(3).uniform(-2, 2, size=400)
        y = x**2 + 0.3 * np.random.default_rng(4).normal(size=400)
        found = regression(x[:, None], y)
        assert found.verdict == "wrong"
        assert check(found, "bend").status == "wrong"
        assert "the relation to x0 is curved" in found.sentence

    def test_changing_spread(self):
        rng = np.random.default_rng(5)
        X = rng.normal(size=(800, 2))
        y = X[:, 0] + np.exp(0.6 * X[:, 1]) * rng.normal(size=800)
        found = regression(X, y)
        assert found.verdict == "wrong"
        assert check(found, "spread").where == "x1"
        assert "the spread of the residuals grows with x1" in found.sentence

    def test_skewed_residuals(self):
        rng = np.random.default_rng(6)
        X = rng.normal(size=(500, 1))
        found = regression(X, X[:, 0] + rng.exponential(size=500))
        assert found.verdict == "wrong"
        assert "the residuals are skewed" in found.sentence

    def test_share_at_its_limit(self):
        rng = np.random.default_rng(7)
        X = rng.normal(size=(300, 1))
        y = rng.normal(size=300)
        y[:90] += 12.0
        found = regression(X, y, max_contamination=0.2)
        assert check(found, "limit").status == "wrong"
        assert "of the rows would have to be outliers" in found.sentence


class TestCalledRight:
    @pytest.mark.parametrize("n", [60, 500])
    @pytest.mark.parametrize("seed", range(4))
    def test_clean_normal_rows(self, n, seed):
        rng = np.random.default_rng(100 + seed)
        X = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3))
        assert density(X).verdict == "right"
        found = regression(X, X.sum(axis=1) + rng.normal(size=n))
        assert found.verdict == "right"
        assert found.sentence == "Nothing speaks against the model for the rows it keeps."
        assert found.reasons == ()

    @pytest.mark.parametrize("shift", [6.0, 12.0])
    def test_a_fifth_of_the_rows_shifted(self, contaminated, shift):
        X, y, outlier, _ = contaminated(500, epsilon=0.2, shift=shift)
        assert regression(X, y).verdict == "right"
        Z = np.random.default_rng(8).normal(size=(500, 2))
        Z[outlier] += shift
        assert density(Z).verdict == "right"

    def test_diabetes(self):
        demo = load_spoiled_diabetes()
        assert regression(demo.data, demo.target).verdict != "wrong"

    def test_small_tables_are_excused(self):
        X = np.exp(0.4 * np.random.default_rng(9).normal(size=(15, 1)))
        assert check(density(X), "skewness").status == "ok"


def test_heavy_tails_are_a_note():
    X = np.random.default_rng(10).standard_t(4, size=(8000, 2))
    found = density(X)
    assert found.verdict == "doubtful"
    assert "tails heavier than normal" in found.sentence
    assert "only roughly" in found.sentence


class TestSpikes:
    """A density whose scale is at the floor keeps tied rows, and nothing speaks against them."""

    @staticmethod
    def tied(share, n=400):
        X = np.random.default_rng(17).normal(5.0, size=(n, 2))
        X[: round(share * n)] = 0.0
        return X

    @pytest.mark.parametrize("share", [0.6, 0.7])
    def test_many_rows_beside_it(self, share):
        found = density(self.tied(share), gamma=0.5)
        assert found.verdict == "wrong"
        assert check(found, "spike").size == pytest.approx(1 - share)
        assert "a spike on tied rows" in found.sentence

    def test_few_rows_beside_it(self):
        found = density(self.tied(0.95), gamma=0.5)
        assert check(found, "spike").status == "ok"
        assert found.verdict == "right"

    def test_weights_are_repeats(self):
        X = self.tied(0.5)
        weight = np.where(np.arange(len(X)) < 200, 2.0, 1.0)
        found = adequacy(HolderBayesDensity(0.5, **QUICK), X, None, weight)
        assert check(found, "spike").size == pytest.approx(1 / 3)


class TestOtherModels:
    """Of a model that is not normal only the tail probabilities are compared."""

    def test_the_right_model(self):
        X = np.random.default_rng(11).laplace(size=(800, 1))
        found = density(X, model="laplace", gamma=0.4)
        assert [one.name for one in found.checks] == ["uniform tails", "limit"]
        assert found.verdict == "right"

    @pytest.mark.parametrize(("log_scale", "status"), [(0.0, "ok"), (0.7, "wrong")])
    def test_kept_rows_spread_otherwise(self, log_scale, status):
        X = np.random.default_rng(12).laplace(size=(800, 1))
        model = check_density("laplace").build(X, "diag", ["a"], **PRIORS)
        values = SimpleNamespace(
            theta=np.array([0.0, log_scale]), gamma=0.4, rho=0.99, rho_variance=1e-4
        )
        found = judge_adequacy(model, RowBlocks(X), values, None, ["a"], "Laplace", 0.5)
        assert check(found, "uniform tails").status == status


def test_weights_are_repeats():
    rng = np.random.default_rng(13)
    X = np.exp(0.5 * rng.normal(size=(150, 2)))
    weight = rng.integers(1, 4, len(X))
    one = adequacy(HolderBayesDensity(0.4, **QUICK), X, None, weight.astype(float))
    other = density(np.repeat(X, weight, axis=0), gamma=0.4)
    assert [c.name for c in one.checks] == [c.name for c in other.checks]
    for left, right in zip(one.checks, other.checks, strict=True):
        assert left.status == right.status
        assert left.size == pytest.approx(right.size, rel=1e-6)


def test_standard_bayes_has_none():
    X = np.random.default_rng(14).normal(size=(60, 1))
    assert regression(X, X[:, 0] + 1.0 + X[::-1, 0], divergence="kl") is None


class TestRecord:
    def check(self, status, words):
        return AdequacyCheck("skewness", "a", 1.0, 0.1, 0.5, status, words)

    def test_worst_first(self):
        found = Adequacy("normal density", (self.check("note", "b"), self.check("wrong", "c")))
        assert found.verdict == "wrong"
        assert found.reasons == ("c", "b")
        assert found.sentence.startswith("A normal density does not describe these rows (c; b)")
        assert repr(found).startswith("Adequacy(wrong: A normal density")

    def test_notes_alone_are_doubts(self):
        found = Adequacy("normal density", (self.check("note", "b"), self.check("ok", "c")))
        assert found.verdict == "doubtful"
        assert found.sentence == "A normal density describes these rows only roughly (b)."
