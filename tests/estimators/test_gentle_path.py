"""A smaller power for rows with tails, unless it loses the outliers."""

import numpy as np
import pytest
from scipy import stats

from skholder import HolderBayesDensity, HolderBayesRegressor
from skholder.estimators.residual_posterior import ResidualPosterior, ResidualTable
from skholder.posterior import efficient_gamma

GENTLE = efficient_gamma(1, 0.87)
RANKS = (np.arange(2000) + 0.5) / 2000


def fitted(residuals):
    n = len(residuals)
    labels = {"target": "y", "predictor": "plane", "index": None, "library": "pandas"}
    table = ResidualTable(residuals, np.zeros(n), np.ones(n), **labels)
    settings = {"leverage": "ignore", "inference": "laplace", "n_draws": 100, "random_state": 0}
    return ResidualPosterior(**settings).fit_residuals(table)


def spoiled(law, share, shift):
    """Quantiles of a law in random order, some moved."""
    rows = np.random.default_rng(0).permutation(law.ppf(RANKS))
    rows[: int(share * len(rows))] += shift
    return rows


def test_tails_are_taken_for_tails():
    fit = fitted(stats.t(3).ppf(RANKS))
    path = fit.gamma_path_
    assert fit.gamma_ == path.best == pytest.approx(GENTLE)
    # The criterion alone would count twice as many rows.
    assert path.epsilon[np.argmin(path.criterion)] > 2 * path.epsilon[path.chosen]


@pytest.mark.parametrize(("share", "shift"), [(0.1, 8), (0.4, 6)])
def test_normal_rows_keep_the_power_of_the_path(share, shift):
    fit = fitted(spoiled(stats.norm(), share, shift))
    assert fit.gamma_path_.chosen == np.argmin(fit.gamma_path_.criterion)
    assert fit.epsilon_ == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize("shift", [4, 6])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_outliers_are_not_lost(shift):
    fit = fitted(spoiled(stats.t(4), 0.3, shift))
    assert fit.gamma_ > GENTLE
    assert fit.epsilon_ == pytest.approx(0.3, abs=0.05)


QUICK = {"inference": "laplace", "n_draws": 100, "random_state": 0}


def test_a_regression_with_tails():
    rng = np.random.default_rng(0)
    X, noise = rng.normal(size=(2000, 3)), rng.permutation(stats.t(3).ppf(RANKS))
    fit = HolderBayesRegressor(**QUICK).fit(X, X.sum(axis=1) + noise)
    path = fit.gamma_path_
    assert path.chosen < np.argmin(path.criterion)
    assert "tails heavier than normal" in fit.adequacy_.sentence


@pytest.mark.parametrize("heavy", [True, False])
def test_a_density_with_tails(heavy):
    rng = np.random.default_rng(0)
    X = rng.standard_t(4, size=(2000, 3)) if heavy else rng.normal(size=(2000, 3))
    X[:200] += 8
    fit = HolderBayesDensity(**QUICK).fit(X)
    path = fit.gamma_path_
    assert (path.chosen < np.argmin(path.criterion)) == heavy
    # A power that takes the tails for tails still counts the group.
    assert fit.epsilon_ > 0.09
