"""A posterior by series is the posterior, and there is none where that could not be."""

import numpy as np
import pytest

from skholder import HolderBayesRegressor
from skholder.divergences import check_divergence
from skholder.models import EllipticalModel, LinearModel, NormalNoise, NormalRadial, StudentTNoise
from skholder.posterior import AlphaPrior, HolderPosterior
from skholder.posterior.expansion import row_series
from skholder.posterior.modes import find_modes
from skholder.rows import RowBlocks, RowSeries
from skholder.sampling import MixtureProposal, StudentComponent, fit_proposal

PRIORS = {"log_scale_prior_scale": 1.0, "min_scale": 1e-3}


def table(n, p=3):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(n), rng.normal(size=(n, p))])
    y = X.sum(axis=1) + rng.normal(size=n)
    y[: n // 5] += 6.0
    return np.column_stack([X, y])


def regression(n=20000, noise=None, gamma=0.5):
    model = LinearModel(noise or NormalNoise(), 4, coef_prior_scale=2.5, **PRIORS)
    return posterior_of(model, RowBlocks(table(n)), gamma, np.append(np.ones(4), 0.0))


def density(n=8000):
    model = EllipticalModel(3, NormalRadial(), full=True, location_prior_scale=2.5, **PRIORS)
    return posterior_of(model, RowBlocks(table(n)[:, 1:4]), 0.3, np.zeros(model.n_params))


def posterior_of(model, rows, gamma, start):
    divergence = check_divergence("dpd", gamma)
    posterior = HolderPosterior(model, rows, divergence, gamma, 1.5, AlphaPrior(1, 1, 0.5))
    mode = find_modes(posterior, [start])[0]
    posterior = posterior.near(mode.theta)
    bump = StudentComponent.from_covariance(mode.theta, mode.covariance, 25.0)
    proposal = MixtureProposal((bump, model.defence), np.array([0.95, 0.05]))
    return posterior, fit_proposal(posterior.log_prob, proposal, 400, np.random.RandomState(0))


@pytest.mark.parametrize("build", [regression, density])
def test_it_is_the_posterior(build):
    posterior, fitted = build()
    other = posterior.expanded(fitted, 4000)
    assert isinstance(other.single, RowSeries)
    exact, found = (p.log_prob(fitted.theta)[:, 0] for p in (posterior, other))
    shares = np.sort(fitted.share)[::-1]
    bulk = fitted.share >= shares[len(shares) // 2]
    assert np.max(np.abs(found - exact)[bulk]) < 5e-3
    # Outside too, as far as draws ever get.
    usable = exact > np.max(exact) - 30
    assert np.max(np.abs(found - exact)[usable]) < 0.05


def test_the_posterior_itself_is_left_alone():
    posterior, fitted = regression()
    before = posterior.log_prob(fitted.theta)
    posterior.expanded(fitted, 4000)
    np.testing.assert_array_equal(posterior.log_prob(fitted.theta), before)


@pytest.mark.parametrize(
    "case",
    {
        "few rows": {"n": 300},
        "a kernel without a series": {"noise": StudentTNoise()},
        "ordinary Bayes": {"gamma": 0.0},
    }.items(),
    ids=lambda case: case[0],
)
def test_no_series(case):
    posterior, fitted = regression(**case[1])
    assert row_series(posterior, fitted, 4000) is None


def test_no_series_for_few_evaluations():
    posterior, fitted = regression()
    assert row_series(posterior, fitted, 10) is None


def test_no_series_before_single_precision():
    posterior, fitted = regression()
    posterior.single = None
    assert row_series(posterior, fitted, 4000) is None


def test_draws_are_those_of_the_sums(monkeypatch):
    rows = table(6000)
    X, y = rows[:, 1:-1], rows[:, -1]
    fast = HolderBayesRegressor(gamma=0.5, random_state=0).fit(X, y)
    used = []

    def none(*args):
        used.append(args)

    monkeypatch.setattr("skholder.posterior.collapsed.row_series", none)
    slow = HolderBayesRegressor(gamma=0.5, random_state=0).fit(X, y)
    assert used
    ours, its = (m.posterior_["coef"] for m in (fast, slow))
    # Proposals and their random numbers are the same: next to no decision differs.
    assert np.mean(np.all(np.isclose(ours, its, atol=1e-6), axis=1)) > 0.97
    np.testing.assert_allclose(ours.mean(axis=0), its.mean(axis=0), atol=1e-4)
