import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

import skholder.rows.memory
from skholder.models import LinearModel, NormalNoise, StudentTNoise
from skholder.summaries.predictive import (
    expected_log_predictive,
    log_predictive,
    mean_log_density,
    mixture_quantile,
)


def linear(noise=None):
    return LinearModel(
        noise or NormalNoise(), 1, coef_prior_scale=1, log_scale_prior_scale=1, min_scale=1e-3
    )


@pytest.fixture(scope="module")
def draws():
    rng = np.random.default_rng(0)
    return np.column_stack([rng.normal(size=300), rng.normal(-0.5, 0.3, size=300)])


ROWS = np.array([[1.0, 0.3], [2.0, -4.0], [-1.0, 60.0]])


def test_log_predictive_is_a_mixture(draws):
    density = stats.norm.pdf(ROWS[:, 1:], ROWS[:, :1] * draws[:, 0], np.exp(draws[:, 1]))
    with np.errstate(divide="ignore"):
        expected = np.log(density.mean(axis=1))
    found = log_predictive(linear(), draws, ROWS)
    np.testing.assert_allclose(found[:2], expected[:2], rtol=1e-10)
    # Where every density underflows the logarithm stays finite.
    assert -1e5 < found[2] < -700


def test_mean_log_density_and_share(draws):
    log_p = stats.norm.logpdf(ROWS[:, 1:], ROWS[:, :1] * draws[:, 0], np.exp(draws[:, 1]))
    threshold = np.linspace(-8, -1, 300)
    value, share = mean_log_density(linear(), draws, ROWS, threshold)
    np.testing.assert_allclose(value, log_p.mean(axis=1), rtol=1e-10)
    np.testing.assert_allclose(share, (log_p <= threshold).mean(axis=1))
    assert np.all(mean_log_density(linear(), draws, ROWS)[1] == 0)


def test_blocks_of_rows(draws, monkeypatch):
    whole = log_predictive(linear(), draws, ROWS), mean_log_density(linear(), draws, ROWS)[0]
    monkeypatch.setattr(skholder.rows.memory, "HELD_NUMBERS", 300)
    parts = log_predictive(linear(), draws, ROWS), mean_log_density(linear(), draws, ROWS)[0]
    np.testing.assert_allclose(parts[0], whole[0])
    np.testing.assert_allclose(parts[1], whole[1])


class TestMixtureQuantile:
    @pytest.mark.parametrize("level", [1e-4, 0.025, 0.5, 0.9, 0.9999])
    def test_one_draw_is_exact(self, level):
        location, scale = np.array([[3.0], [-100.0]]), np.array([2.0])
        # A poor guess must not matter.
        found = mixture_quantile(NormalNoise().cdf, location, scale, level, np.array([3.0, 70.0]))
        expected = stats.norm.ppf(level, location[:, 0], 2.0)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)

    @pytest.mark.parametrize("level", [0.025, 0.3, 0.975])
    @pytest.mark.parametrize(
        ("noise", "truth"),
        [(NormalNoise(), stats.norm), (StudentTNoise(), stats.t(4))],
        ids=["normal", "student"],
    )
    def test_level_of_the_mixture(self, noise, truth, level):
        rng = np.random.default_rng(1)
        location, scale = 5 * rng.normal(size=(4, 500)), np.exp(rng.normal(size=500))
        found = mixture_quantile(noise.cdf, location, scale, level, location.mean(axis=1))
        reached = truth.cdf((found[:, None] - location) / scale).mean(axis=1)
        np.testing.assert_allclose(reached, level, atol=1e-8)

    def test_large_sample(self):
        rng = np.random.default_rng(2)
        location, scale = rng.normal(size=(1, 50)), np.exp(0.5 * rng.normal(size=50))
        drawn = rng.integers(50, size=200_000)
        sample = location[0, drawn] + scale[drawn] * rng.normal(size=200_000)
        for level in (0.05, 0.5, 0.95):
            found = mixture_quantile(NormalNoise().cdf, location, scale, level, np.zeros(1))
            np.testing.assert_allclose(found[0], np.quantile(sample, level), atol=0.03)

    def test_separate_bumps(self):
        # Between two far bumps the distribution function is flat.
        location, scale = np.array([[-1000.0, 1000.0]]), np.ones(2)
        found = mixture_quantile(NormalNoise().cdf, location, scale, 0.75, np.zeros(1))
        np.testing.assert_allclose(found, 1000.0, atol=1e-5)


class TestExpectedLogPredictive:
    def test_one_normal_draw(self):
        centre, spread = np.array([0.0, 5.0]), np.array([1.0, 0.2])

        def log_density(y):
            return stats.norm.logpdf(y, centre, spread)

        # E log p of a normal is minus its entropy.
        expected = -0.5 * np.log(2 * np.pi * np.e * spread**2)
        found = expected_log_predictive(log_density, centre, spread)
        np.testing.assert_allclose(found, expected, atol=1e-6)

    def test_heavy_tails(self):
        def log_density(y):
            return stats.t.logpdf(y, 4)

        found = expected_log_predictive(log_density, np.zeros(1), np.array([np.sqrt(2)]))
        np.testing.assert_allclose(found, -stats.t(4).entropy(), atol=5e-3)

    def test_mixture(self):
        def density(y):
            return 0.5 * stats.norm.pdf(y, -1, 0.5) + 0.5 * stats.norm.pdf(y, 1, 0.5)

        expected = quad(lambda y: density(y) * np.log(density(y)), -8, 8, limit=200)[0]
        spread = np.array([np.sqrt(1.25)])
        found = expected_log_predictive(lambda y: np.log(density(y)), np.zeros(1), spread)
        np.testing.assert_allclose(found, expected, atol=1e-4)

    def test_far_out_the_spread_of_the_draws_is_the_predictive(self):
        # Two draws a billion apart with noise of width 1: no node of the rule meets either.
        def log_density(y):
            return np.logaddexp(*stats.norm.logpdf(y, [[-7e8], [7e8]], 1.0)) - np.log(2)

        found = expected_log_predictive(log_density, np.zeros(1), np.array([7e8]))
        np.testing.assert_allclose(found, stats.norm.logpdf(0, 0, 7e8) - 0.5)
