import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.special import betaln

from skholder.models import NormalNoise, ScipyNoise, StudentTNoise, check_noise

PAIRS = [
    (NormalNoise(), stats.norm()),
    (StudentTNoise(), stats.t(4)),
    (StudentTNoise(1.5), stats.t(1.5)),
    (ScipyNoise(stats.logistic()), stats.logistic()),
    # A mode away from zero, and no symmetry.
    (ScipyNoise(stats.gumbel_r(1, 2)), stats.gumbel_r(1, 2)),
]
IDS = ["normal", "t4", "t1.5", "logistic", "gumbel"]
R = np.concatenate([-np.geomspace(30, 0.05, 12), np.geomspace(0.04, 30, 12)])
each_noise = pytest.mark.parametrize(("noise", "truth"), PAIRS, ids=IDS)


def quadrature_log_power(noise, gamma):
    def integrand(t):
        # r = sinh(t) tames tails as heavy as a Cauchy's.
        r = np.array([np.sinh(t)])
        return np.exp((1 + gamma) * (noise.rho(r)[0] - noise.log_norm)) * np.cosh(t)

    parts = [quad(integrand, a, b, epsabs=1e-13, limit=200)[0] for a, b in ((-90, 0), (0, 90))]
    return np.log(sum(parts))


@each_noise
class TestAgainstScipy:
    def test_log_density(self, noise, truth):
        np.testing.assert_allclose(noise.rho(R) - noise.log_norm, truth.logpdf(R), rtol=1e-12)

    def test_kernel_has_its_top_at_zero(self, noise, truth):
        fine = np.linspace(-6, 6, 4001)
        assert np.all(noise.rho(R) <= 0)
        np.testing.assert_allclose(noise.rho(fine).max(), 0, atol=1e-5)

    def test_distribution_function(self, noise, truth):
        np.testing.assert_allclose(noise.cdf(R), truth.cdf(R), rtol=1e-12)

    def test_tail_is_the_probability_of_less_likely_values(self, noise, truth):
        # By simulation; for symmetric laws it is both tails.
        draws = truth.rvs(size=40_000, random_state=1)
        at = truth.ppf([0.001, 0.05, 0.3, 0.5, 0.8, 0.99])
        expected = [np.mean(truth.logpdf(draws) <= truth.logpdf(x)) for x in at]
        np.testing.assert_allclose(noise.tail(at), expected, atol=0.012)
        if noise.is_symmetric:
            np.testing.assert_allclose(noise.tail(R), 2 * truth.sf(np.abs(R)), rtol=1e-10)

    def test_variance(self, noise, truth):
        np.testing.assert_allclose(noise.variance, truth.var(), rtol=1e-12)

    def test_draws(self, noise, truth):
        draws = noise.sample((1500, 2), np.random.RandomState(5))
        assert draws.shape == (1500, 2)
        assert stats.kstest(draws.ravel(), truth.cdf).pvalue > 0.01

    def test_derivatives(self, noise, truth):
        slope, bend = noise.derivatives(R)
        # Steps as large as the fourth derivative allows keep rounding out of the differences.
        h = 1e-5 * np.maximum(np.abs(R), 0.3)
        np.testing.assert_allclose(
            slope, (truth.logpdf(R + h) - truth.logpdf(R - h)) / (2 * h), rtol=1e-6, atol=1e-7
        )
        h = 1e-3 * np.maximum(np.abs(R), 0.3)
        second = truth.logpdf(R + h) - 2 * truth.logpdf(R) + truth.logpdf(R - h)
        np.testing.assert_allclose(bend, second / h**2, rtol=1e-4, atol=1e-5)


@given(gamma=st.floats(0.01, 3))
def test_normal_power_is_quadrature(gamma):
    noise = NormalNoise()
    np.testing.assert_allclose(
        noise.log_power(gamma), quadrature_log_power(noise, gamma), rtol=1e-9, atol=1e-10
    )


@given(gamma=st.floats(0.01, 3), df=st.floats(0.6, 60))
def test_student_power_is_quadrature(gamma, df):
    noise = StudentTNoise(df)
    np.testing.assert_allclose(
        noise.log_power(gamma), quadrature_log_power(noise, gamma), rtol=1e-8, atol=1e-9
    )


@given(gamma=st.floats(0.01, 3))
def test_logistic_power_is_a_beta_function(gamma):
    # With u = cdf(r) the density is u (1 - u), so the integral of its power is B(1 + g, 1 + g).
    noise = ScipyNoise(stats.logistic())
    np.testing.assert_allclose(
        noise.log_power(gamma), betaln(1 + gamma, 1 + gamma), rtol=1e-9, atol=1e-10
    )


@pytest.mark.parametrize("noise", [n for n, _ in PAIRS], ids=IDS)
def test_power_zero_is_a_density(noise):
    np.testing.assert_allclose(noise.log_power(0.0), 0, atol=1e-9)


@pytest.mark.parametrize("power", [0.3, 1.0, 2.0])
def test_power_moments_of_the_normal(power):
    # p^(1 + power) is C times a normal density of variance 1 / (1 + power).
    total, var = np.exp(NormalNoise().log_power(power)), 1 / (1 + power)
    expected = total * np.array([var, var - 1, 1 - 2 * var + 3 * var**2])
    np.testing.assert_allclose(NormalNoise().power_moments(power), expected, rtol=1e-8)
    scipy_moments = ScipyNoise(stats.norm()).power_moments(power)
    np.testing.assert_allclose(scipy_moments, expected, rtol=1e-6)


@pytest.mark.parametrize("df", [0.0, -1.0, np.inf, np.nan])
def test_degrees_of_freedom_out_of_range(df):
    with pytest.raises(ValueError, match="df must be positive and finite"):
        StudentTNoise(df)


def test_unbounded_density_is_refused():
    with pytest.raises(ValueError, match="needs a bounded density"):
        ScipyNoise(stats.dgamma(0.5))


@pytest.mark.parametrize(
    "law",
    [
        stats.norm(100, 1),
        stats.norm(0, 1e-5),
        stats.norm(0, 1e10),
        stats.norm(0, 50),
        stats.logistic(0, 30),
        stats.norm(-6, 1),
    ],
)
def test_location_and_scale_of_their_own_are_refused(law):
    with pytest.raises(ValueError, match=r"must be standardised.*median near 0"):
        ScipyNoise(law)


@pytest.mark.parametrize(
    "law", [stats.gumbel_r(1, 2), stats.t(0.3), stats.gennorm(0.5), stats.norm(0, 10)]
)
def test_odd_shapes_are_no_locations_and_scales(law):
    assert np.isfinite(ScipyNoise(law).log_norm)


@pytest.mark.parametrize("law", [stats.gennorm(0.5), stats.laplace(), stats.t(2)])
def test_tails_are_probabilities(law):
    r = np.append(np.linspace(-3, 3, 601), [-1e300, 1e300])
    tails = ScipyNoise(law).tail(r)
    assert tails.min() >= 0
    assert tails.max() <= 1


class TestCheckNoise:
    def test_names(self):
        assert check_noise("normal") == NormalNoise()
        assert check_noise("student_t") == StudentTNoise(4.0)

    def test_objects(self):
        mine = StudentTNoise(7.0)
        assert check_noise(mine) is mine
        assert isinstance(check_noise(stats.logistic()), ScipyNoise)

    @pytest.mark.parametrize("noise", ["laplace", stats.poisson(2), 3.0, None])
    def test_anything_else(self, noise):
        with pytest.raises(ValueError, match="noise must be 'normal', 'student_t', a skholder"):
            check_noise(noise)
