"""The sampler beside long plain emcee runs on the joint posterior, written out independently."""

import emcee
import numpy as np
import pytest

from skholder import HolderBayesDensity

GAMMA, N_DRAWS = 0.5, 12_000


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(42)
    X = rng.normal(size=(120, 2)) @ np.array([[1.0, 0.5], [0.0, 0.9]])
    X[:12] = rng.normal(7, 1, size=(12, 2))
    return X


def whitened(X, full):
    """Rows on the computing scale."""
    centred = X - X.mean(axis=0)
    if not full:
        return centred / X.std(axis=0)
    return np.linalg.solve(np.linalg.cholesky(np.cov(X, rowvar=False, ddof=0)), centred.T).T


def log_joint(point, rows, beta, full):
    """Log posterior density of (theta, logit of alpha), alpha uniform on [0.5, 1]; (T,)."""
    theta, logit = point[:, :-1], point[:, -1]
    mu, tau = theta[:, :2], theta[:, 2:4]
    below = theta[:, 4] if full else np.zeros(len(theta))
    one, two = np.exp(-tau).T
    # |L'd|^2 for the lower triangular factor L = [[one, 0], [below, two]] of the precision.
    d = rows[:, None, :] - mu
    quadratic = (one * d[..., 0] + below * d[..., 1]) ** 2 + (two * d[..., 1]) ** 2
    height = one * two / (2 * np.pi)
    mean_power = height**GAMMA * np.exp(-0.5 * GAMMA * quadratic).mean(axis=0)
    model_power = height**GAMMA / (1 + GAMMA)
    share = 1 / (1 + np.exp(-logit))
    alpha = 0.5 + 0.5 * share
    risk = GAMMA * alpha ** (1 + GAMMA) * model_power - (1 + GAMMA) * alpha**GAMMA * mean_power
    value = -beta * len(rows) * risk + np.log(share) + np.log1p(-share)
    value -= 0.5 * np.sum(mu**2, axis=1) / 2.5**2
    if full:
        precision = np.empty((len(theta), 2, 2))
        precision[:, 0, 0], precision[:, 1, 1] = one**2, below**2 + two**2
        precision[:, 0, 1] = precision[:, 1, 0] = one * below
        logs = np.log(np.linalg.eigvalsh(precision))
        gap = (logs[:, 1] - logs[:, 0]) / 2
        # Half the logarithm of the scatter is normal with respect to the measure of symmetric
        # matrices: gap / sinh(gap) times the invariant one, which is 1 / L_22 in (tau, below).
        value += np.log(gap / np.sinh(gap)) - np.sum(logs**2, axis=1) / 8 + tau[:, 1]
    else:
        value -= 0.5 * np.sum(tau**2, axis=1)
    return np.where(np.all(tau >= np.log(1e-3), axis=1), value, -np.inf)


def long_run(rows, beta, full, n_walkers=240, n_steps=2000, seed=1):
    """Stretch moves only, from around the origin; (n_walkers, n_steps, d + 1)."""
    n_dim = 6 if full else 5
    start = 0.2 * np.random.RandomState(seed).standard_normal((n_walkers, n_dim))
    start[:, -1] += 1.0
    sampler = emcee.EnsembleSampler(
        n_walkers, n_dim, lambda x: log_joint(x, rows, beta, full), vectorize=True
    )
    sampler.random_state = np.random.RandomState(seed).get_state()
    state = sampler.run_mcmc(start, n_steps // 4)
    sampler.reset()
    sampler.run_mcmc(state, n_steps)
    return sampler.get_chain().swapaxes(0, 1), sampler.get_autocorr_time(quiet=True)


@pytest.mark.parametrize("full", [True, False], ids=["full", "diag"])
def test_moments_are_those_of_a_long_run(data, full):
    model = HolderBayesDensity(
        GAMMA,
        count="holder",
        covariance_type="full" if full else "diag",
        n_draws=N_DRAWS,
        random_state=0,
    ).fit(data)
    rows = whitened(data, full)
    np.testing.assert_allclose(model.record_.units.apply(data), rows, atol=1e-10)
    draws = np.column_stack([model.record_.theta, model.epsilon_posterior_])
    chain, lag = long_run(rows, model.temperature_, full)
    reference = chain.reshape(-1, chain.shape[-1])
    reference[:, -1] = 0.5 / (1 + np.exp(reference[:, -1]))
    n_reference = len(reference) / lag
    n_ours = np.array(list(model.diagnostics_.ess_bulk.values()))
    # Otherwise the comparison would be too coarse to mean anything.
    assert n_reference.min() > 4000
    assert n_ours.min() > 4000
    sd = reference.std(axis=0)
    error = sd * np.sqrt(1 / n_reference + 1 / n_ours)
    np.testing.assert_array_less(np.abs(draws.mean(axis=0) - reference.mean(axis=0)), 4 * error)
    np.testing.assert_allclose(draws.std(axis=0), sd, rtol=0.05)
