"""Densities of tables with many columns: they never refuse, and mean what they say."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from skholder import HolderBayesDensity, OutlierAuditor

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning"),
]


def quick(**settings):
    return HolderBayesDensity(**{"n_draws": 400, "random_state": 0, **settings})


def factors(n=240, k=24, n_bad=24, seed=0):
    """Three factors and noise, with gross noise in the first rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) @ rng.normal(size=(3, k)) + rng.normal(size=(n, k))
    X[:n_bad] += rng.choice([-4.0, 4.0], size=(n_bad, k))
    return X


@pytest.fixture(scope="module")
def X():
    return factors()


@pytest.fixture(scope="module")
def fit(X):
    return quick().fit(X)


def test_finds_the_bad_rows(X, fit):
    assert "24 columns along fixed principal axes" in fit.record_.in_words()
    assert abs(fit.epsilon_ - 0.1) < 0.04
    assert set(fit.audit("fdr").indices[:24]) == set(range(24))
    assert fit.adequacy_.verdict == "right"


def test_location_and_covariance_in_the_users_units(X, fit):
    good = X[24:]
    np.testing.assert_allclose(fit.location_, good.mean(axis=0), atol=0.6)
    sd = np.sqrt(np.diag(fit.covariance_))
    np.testing.assert_allclose(sd, good.std(axis=0), rtol=0.2)
    inner = np.corrcoef(good, rowvar=False)
    found = fit.covariance_ / np.outer(sd, sd)
    assert np.max(np.abs(found - inner)) < 0.25
    mean = fit.posterior_["covariance"].mean(axis=0)
    np.testing.assert_allclose(fit.covariance_, mean, rtol=1e-10, atol=1e-12)


def test_changes_of_units_do_nothing(X, fit):
    scale, shift = np.geomspace(1e-3, 1e4, 24), np.linspace(-50, 80, 24)
    other = quick().fit(X * scale + shift)
    np.testing.assert_allclose(other.fod_scores_, fit.fod_scores_, atol=0.02)
    np.testing.assert_allclose(other.location_, fit.location_ * scale + shift, rtol=1e-5, atol=1e-5)
    change = other.log_density_ - fit.log_density_
    np.testing.assert_allclose(change, -np.log(scale).sum(), atol=1e-4)


def test_weights_are_repeats(X):
    weight = np.arange(len(X)) % 3 + 1
    copies = np.repeat(np.arange(len(X)), weight)
    weighted = quick().fit(X, sample_weight=weight)
    repeated = quick().fit(X[copies])
    np.testing.assert_array_equal(weighted.fod_scores_[copies], repeated.fod_scores_)
    np.testing.assert_array_equal(weighted.log_density_[copies], repeated.log_density_)


def test_new_rows_of_the_same_kind_are_not_flagged():
    X = factors(400, 60, 0)
    found = quick(n_draws=200).fit(X[:200])
    assert np.mean(found.predict(X[200:]) == -1) < 0.1
    assert np.mean(200 * found.tail_probability(X[200:]) < 0.05) < 0.05


def test_reasons_name_columns(X):
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(24)])
    frame.loc[30, "c7"] = 90.0
    row = quick().fit(frame).audit().explain(30)
    assert row.flagged
    assert row.contributions[0].column == "c7"
    assert row.reason.startswith("c7 is 90, ")
    assert abs(row.contributions[0].expected) < 10


rng = np.random.default_rng(0)
base = rng.normal(size=(60, 26))
ODD = {
    "few rows": rng.normal(size=(12, 40)),
    "two rows": rng.normal(size=(2, 25)),
    "constant columns": np.hstack([base, np.ones((60, 4))]),
    "copied columns": np.hstack([base, base]),
    "copied rows": np.vstack([base[:20]] * 4),
    "levels": np.eye(30)[rng.integers(30, size=90)],
    "rare": (rng.random((90, 30)) < 0.03).astype(float),
    "counts": rng.poisson(0.5, size=(90, 25)).astype(float),
    "tiny": 1e-150 * base,
    "huge": 1e150 * base,
    "heavy tails": rng.standard_cauchy(size=(90, 25)),
    "one direction": base[:, :1] * np.ones(25),
}


@pytest.mark.parametrize("X", ODD.values(), ids=ODD)
def test_odd_tables(X):
    auditor = OutlierAuditor(quick(n_draws=200)).fit(X)
    score = auditor.decision_function(X)
    assert np.all(np.isfinite(score))
    np.testing.assert_array_equal(auditor.predict(X) == -1, score < 0)
    assert np.all(np.isfinite(auditor.estimator_.covariance_))
    assert str(auditor.audit_.explain(position=0))


@pytest.mark.parametrize(
    ("k", "inference", "seed"),
    [(30, "mcmc", 0), (100, "mcmc", 0), (500, "laplace", 4)],
)
def test_stands_where_an_isolation_forest_would(k, inference, seed):
    X = factors(80, k, 6, seed)
    auditor = OutlierAuditor(quick(n_draws=200, inference=inference)).fit(X)
    score = auditor.score_samples(X)
    assert set(np.argsort(score)[:6]) == set(range(6))
    np.testing.assert_array_equal(auditor.predict(X) == -1, auditor.decision_function(X) < 0)
    assert auditor.transform(X).shape[0] == 80


def test_a_wrong_model_is_not_called_sound():
    X, _ = load_breast_cancer(return_X_y=True)
    assert quick().fit(X).adequacy_.verdict == "wrong"


@pytest.mark.parametrize(
    ("n", "k", "kind"),
    [(60, 6, "full"), (200, 8, "spectral"), (300, 8, "full"), (2000, 20, "full")],
)
def test_auto(n, k, kind):
    from skholder.estimators.width import covariance_for

    X = np.random.default_rng(0).normal(size=(n, k))
    assert covariance_for("auto", X, None) == kind
    assert covariance_for("auto", X[: n // 2], np.full(n // 2, 2.0)) == kind
    assert covariance_for("auto", np.hstack([X, np.ones((n, 5))]), None) == kind
    assert covariance_for("diag", X, None) == "diag"


def test_auto_is_spectral_beyond_twenty_columns():
    from skholder.estimators.width import covariance_for

    X = np.random.default_rng(0).normal(size=(9000, 21))
    assert covariance_for("auto", X, None) == "spectral"


def test_student_t_too(X):
    found = quick(model="student_t").fit(X)
    assert "fixed principal axes" in found.record_.in_words()
    assert set(np.argsort(found.log_density_)[:20]) <= set(range(24))
