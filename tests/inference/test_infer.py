"""infer(): from a model and its rows to draws, against integrals and without side effects."""

from copy import deepcopy

import numpy as np
import pytest

from skholder import HolderBayesRegressor
from skholder.divergences import ExponentialSaturated, check_divergence
from skholder.exceptions import HolderBayesWarning
from skholder.inference import Diagnostics, Draws, Inference, Settings, infer
from skholder.models import EllipticalModel, LinearModel, NormalNoise, NormalRadial
from skholder.posterior import AlphaPrior, HolderPosterior, Mode
from skholder.rows import RowBlocks

GAMMA = 0.5


def settings(divergence="dpd", **kwargs):
    options = {"temperature": None, "n_draws": 4000, "inference": "mcmc", **kwargs}
    prior = AlphaPrior(1.0, 1.0, 0.5)
    gamma = options.pop("gamma", 0.0 if divergence == "kl" else GAMMA)
    return Settings(check_divergence(divergence, gamma), gamma, alpha_prior=prior, **options)


def location_scale():
    """y = mu + sigma * noise: two parameters, so that a grid can integrate their posterior."""
    return LinearModel(
        NormalNoise(), 1, coef_prior_scale=2.5, log_scale_prior_scale=1.0, min_scale=1e-3
    )


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = rng.normal(0.3, 0.8, size=120)
    y[:12] += 6.0
    return RowBlocks(np.column_stack([np.ones(120), y]))


def run(model, rows, chosen, seed=0):
    return infer(model, rows, chosen, np.random.RandomState(seed))


def moments_by_grid(result, rows, chosen):
    """Posterior means and standard deviations of theta on a fine grid around the best mode."""
    posterior = HolderPosterior(
        result.draws.model,
        rows,
        chosen.divergence,
        chosen.gamma,
        result.temperature,
        chosen.alpha_prior,
    )
    mode = result.modes[0]
    width = 8 * np.sqrt(np.diag(mode.covariance))
    axes = [np.linspace(m - w, m + w, 121) for m, w in zip(mode.theta, width, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    log_prob = posterior.log_prob(grid)[:, 0]
    weight = np.exp(log_prob - log_prob.max())
    weight /= weight.sum()
    mean = weight @ grid
    return mean, np.sqrt(weight @ (grid - mean) ** 2)


@pytest.fixture(scope="module")
def result(rows):
    return run(location_scale(), rows, settings())


@pytest.mark.parametrize("divergence", ["dpd", "gamma", "kl"])
def test_draws_have_the_moments_of_the_posterior(rows, divergence):
    chosen = settings(divergence)
    result = run(location_scale(), rows, chosen)
    mean, sd = moments_by_grid(result, rows, chosen)
    theta = result.draws.theta
    # 4,000 nearly independent draws: five standard errors.
    np.testing.assert_allclose(theta.mean(axis=0), mean, atol=5 * sd.max() / np.sqrt(3000))
    np.testing.assert_allclose(theta.std(axis=0), sd, rtol=0.08)


def test_laplace_is_the_normal_at_the_mode(rows):
    result = run(location_scale(), rows, settings(inference="laplace", n_draws=20_000))
    mode, theta = result.modes[0], result.draws.theta
    sd = np.sqrt(np.diag(mode.covariance))
    np.testing.assert_allclose(theta.mean(axis=0), mode.theta, atol=5 * sd.max() / np.sqrt(20_000))
    np.testing.assert_allclose(np.cov(theta.T), mode.covariance, atol=0.05 * sd.max() ** 2)
    assert result.diagnostics.r_hat == {}
    assert result.draws.alpha.shape == (20_000,)


def test_records(rows, result):
    assert isinstance(result, Inference)
    assert isinstance(result.draws, Draws)
    assert isinstance(result.diagnostics, Diagnostics)
    assert all(isinstance(mode, Mode) for mode in result.modes)
    draws = result.draws
    assert draws.theta.shape == (4000, 2)
    assert draws.log_mean.shape == draws.alpha.shape == (4000,)
    assert np.all((draws.alpha >= 0.5) & (draws.alpha <= 1))
    np.testing.assert_allclose(draws.beta_n, result.temperature * 120)
    # In single precision while sampling, hence the tolerance.
    expected = rows.log_mean(draws.model, draws.theta[:50], GAMMA)
    np.testing.assert_allclose(draws.log_mean[:50], expected, atol=1e-5)
    assert set(result.diagnostics.r_hat) == {"coef[0]", "log_scale", "epsilon"}
    assert set(result.diagnostics.seconds) == {"modes", "sampling"}


@pytest.mark.parametrize("divergence", ["gamma", "kl"])
def test_without_alpha(rows, divergence):
    result = run(location_scale(), rows, settings(divergence, n_draws=400))
    assert result.draws.alpha is None
    assert result.diagnostics.ceiling_share == 0
    assert "epsilon" not in result.diagnostics.r_hat


def test_a_given_temperature_is_used(rows):
    result = run(location_scale(), rows, settings(temperature=0.7, n_draws=400))
    assert result.temperature == 0.7
    np.testing.assert_allclose(result.draws.beta_n, 84.0)


def test_laplace_draws_are_of_one_mode_but_say_what_others_hold():
    # Two fits of 58% and 42% of the mass: the one that was drawn from was called the only one.
    rng = np.random.default_rng(2)
    X = rng.normal(size=(100, 2))
    y = X @ [1.0, 2.0] + rng.normal(size=100)
    y[:40] += 8
    model = HolderBayesRegressor(inference="laplace", n_draws=400, random_state=0)
    with pytest.warns(HolderBayesWarning, match="lies around several modes"):
        model.fit(X, y)
    assert model.diagnostics_.mode_share < 0.9
    assert model.audit().count_interval[1] > 15


@pytest.mark.parametrize("kappa", [0.5, 5.0, 100.0])
def test_steep_divergences_are_not_vacuous(rows, kappa):
    expsat = ExponentialSaturated(kappa)
    result = run(location_scale(), rows, settings(expsat, n_draws=400))
    assert result.diagnostics.vacuous_share < 0.05


@pytest.mark.parametrize("inference", ["mcmc", "laplace"])
def test_nothing_given_is_changed(rows, inference):
    model, weighted = location_scale(), RowBlocks(rows.rows.copy(), np.full(120, 2.0))
    before = deepcopy((vars(model), weighted.rows, weighted.weight))
    result = run(model, weighted, settings(inference=inference, n_draws=400))
    assert vars(model).keys() == before[0].keys()
    np.testing.assert_array_equal(model.prior.lower, before[0]["prior"].lower)
    np.testing.assert_array_equal(weighted.rows, before[1])
    np.testing.assert_array_equal(weighted.weight, before[2])
    assert result.draws.model is model


def test_the_seed_decides(rows, result):
    again = run(location_scale(), rows, settings())
    np.testing.assert_array_equal(again.draws.theta, result.draws.theta)
    np.testing.assert_array_equal(again.draws.alpha, result.draws.alpha)
    assert not np.any(run(location_scale(), rows, settings(), 1).draws.theta == result.draws.theta)


@pytest.mark.parametrize("inference", ["mcmc", "laplace"])
def test_spikes_only_raise_the_floor_of_another_model(inference):
    # Nine rows in ten are tied: the density grows without bound as the scale shrinks.
    rng = np.random.default_rng(1)
    y = np.where(np.arange(100) < 90, 0.0, rng.normal(size=100))
    rows, model = RowBlocks(np.column_stack([np.ones(100), y])), location_scale()
    floor = model.prior.lower[-1]
    result = run(model, rows, settings(inference=inference, n_draws=400))
    raised = result.draws.model
    assert raised is not model
    assert raised.prior.lower[-1] > floor
    assert model.prior.lower[-1] == floor
    assert result.draws.theta[:, -1].min() >= raised.prior.lower[-1]
    # The shares are measured against the floor that held the draws up.
    assert result.diagnostics.floor_share["log_scale"] > 0.05


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_spike_that_holds_the_posterior_holds_the_draws(seed):
    # Most rows are tied: climbs keep away from the spike there, draws fall into it and stop
    # wherever their steps end, unless it is one of the modes that are proposed.
    y = np.repeat([-1.0, 0.0, 1.0], [4, 24, 2])
    rows = RowBlocks(np.column_stack([np.ones(30), (y - y.mean()) / y.std()]))
    result = run(location_scale(), rows, settings(gamma=0.2, n_draws=200), seed)
    assert result.modes[0].at_floor
    assert not result.modes[-1].at_floor
    assert result.diagnostics.floor_share["log_scale"] > 0.9
    # S / C of a share of 0.8 that is fitted exactly; of exact residuals C expects fewer.
    assert result.draws.alpha.mean() == pytest.approx(0.8 * np.sqrt(1.2), abs=0.02)


def test_a_spike_makes_no_news_of_rows_that_say_nothing():
    # With gamma 0.5 fifty rows of 100 columns are worth a quarter of a nat: what a spike gains on
    # top of that is no information.
    X = np.random.default_rng(0).normal(size=(50, 100))
    model = EllipticalModel(
        100,
        NormalRadial(),
        full=False,
        location_prior_scale=2.5,
        log_scale_prior_scale=1.0,
        min_scale=1e-3,
    )
    result = run(model, RowBlocks(X), settings(n_draws=200))
    assert result.diagnostics.vacuous_share == 1.0


@pytest.mark.parametrize("seed", range(4))
def test_a_second_mode_of_many_nats_is_not_called_vacuous(seed):
    # Half of the rows are bad: one mode fits both halves, and gains less than half of the nats.
    # Called vacuous, the power was passed over or not by the seed, and so was epsilon.
    y = np.random.default_rng(seed).normal(size=30)
    y[:15] += 20
    rows = RowBlocks(np.column_stack([np.ones(30), (y - np.median(y)) / y.std()]))
    result = run(location_scale(), rows, settings(gamma=0.59, n_draws=400))
    assert result.diagnostics.vacuous_share < 0.05
    assert result.mode_share < 0.95
