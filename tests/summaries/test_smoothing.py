"""Smoothed densities of draws."""

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.stats import norm

from skholder.summaries.smoothing import smooth_density, smooth_density_2d


def test_normal_draws():
    draws = norm.ppf((np.arange(4000) + 0.5) / 4000, loc=3.0, scale=2.0)
    grid, density = smooth_density(draws)
    np.testing.assert_allclose(density, norm.pdf(grid, 3.0, 2.0), atol=0.03 * density.max())


@pytest.mark.parametrize("factor", [1e-12, 1.0, 1e12])
def test_units_do_not_matter(factor):
    draws = np.random.default_rng(0).normal(size=500)
    grid, density = smooth_density(draws)
    other_grid, other = smooth_density(factor * draws)
    np.testing.assert_allclose(other_grid, factor * grid, atol=1e-9 * factor)
    np.testing.assert_allclose(other * factor, density, rtol=0.05, atol=0.01 * density.max())


def test_a_few_wild_draws_do_not_squeeze_the_rest():
    draws = np.append(np.random.default_rng(0).normal(size=5000), [1e6, -1e6])
    grid, density = smooth_density(draws)
    assert np.ptp(grid) < 20
    assert trapezoid(density, grid) == pytest.approx(1.0, abs=0.02)


def test_constant_draws_and_tiny_samples():
    for draws in (np.zeros(10), np.full(10, -7e5), np.array([3.0]), np.array([1.0, 2.0])):
        grid, density = smooth_density(draws)
        assert np.all(np.diff(grid) > 0)
        assert np.all(np.isfinite(density))
        assert density.max() > 0


def test_joint_density_of_normal_draws():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 20_000))
    x_grid, y_grid, density, heights = smooth_density_2d(x, 5 * y, (0.95, 0.5))
    assert density.shape == (len(y_grid), len(x_grid))
    assert trapezoid(trapezoid(density, x_grid, axis=1), y_grid) == pytest.approx(1, abs=0.02)
    assert x_grid[np.argmax(density.sum(axis=0))] == pytest.approx(0, abs=0.3)
    assert y_grid[-1] == pytest.approx(5 * x_grid[-1], rel=0.2)
    # At mass m the height of a standard bivariate normal is (1 - m) times its peak.
    np.testing.assert_allclose(heights / density.max(), [0.05, 0.5], rtol=0.25)
