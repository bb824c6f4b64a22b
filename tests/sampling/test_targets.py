import numpy as np
import pytest
from targets import TARGETS

each_target = pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)


@each_target
def test_density_has_its_mass_and_moments(target):
    # A product grid in sinh coordinates: dense in the middle, far out in the tails.
    t = np.linspace(-1, 1, 801) * np.arcsinh(target.reach)
    x, width = np.sinh(t), np.cosh(t) * (t[1] - t[0])
    grid = np.column_stack([a.ravel() for a in np.meshgrid(x, x, indexing="ij")])
    mass = np.exp(target.log_prob(grid)) * np.outer(width, width).ravel()
    np.testing.assert_allclose(mass.sum(), 1, atol=2e-4)
    np.testing.assert_allclose(mass @ grid, target.mean, atol=2e-3)
    centred = grid - target.mean
    np.testing.assert_allclose((centred * mass[:, None]).T @ centred, target.covariance, atol=5e-3)


@each_target
def test_draws_follow_the_density(target):
    draws = target.sample(40_000, np.random.default_rng(0))
    error = np.sqrt(np.diag(target.covariance) / 40_000)
    assert np.all(np.abs(draws.mean(axis=0) - target.mean) < 4 * error)
    np.testing.assert_allclose(np.cov(draws.T), target.covariance, atol=0.08, rtol=0.05)
    # E log p of the draws is minus the entropy: the grid knows it too.
    t = np.linspace(-1, 1, 801) * np.arcsinh(target.reach)
    x, width = np.sinh(t), np.cosh(t) * (t[1] - t[0])
    grid = np.column_stack([a.ravel() for a in np.meshgrid(x, x, indexing="ij")])
    log_p = target.log_prob(grid)
    entropy = np.sum(np.exp(log_p) * log_p * np.outer(width, width).ravel())
    np.testing.assert_allclose(target.log_prob(draws).mean(), entropy, atol=0.03)
