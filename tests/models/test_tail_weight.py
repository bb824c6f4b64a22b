"""The tails of Student's t, as a robust normal fit sees them."""

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from skholder.models import NormalNoise, StudentTNoise, kept_kurtosis, noise_of_kurtosis


def by_quadrature(df, power):
    """The same moment from the definition: integrals of the density of Student's t."""

    def weighted_mean(function, scale):
        def mass(r):
            return stats.t.pdf(r, df) * np.exp(-0.5 * power * (r / scale) ** 2)

        above = integrate.quad(lambda r: function((1 + power) * (r / scale) ** 2) * mass(r), 0, 60)
        return above[0] / integrate.quad(mass, 0, 60)[0]

    scale = optimize.brentq(lambda s: weighted_mean(lambda v2: v2, s) - 1, 0.1, 5)
    return weighted_mean(lambda v2: v2**2 - 6 * v2 + 3, scale) * (1 + power) ** 2


@pytest.mark.parametrize("df", [2, 5, 30])
@pytest.mark.parametrize("power", [0.6, 2.0])
def test_kurtosis_is_that_of_its_definition(df, power):
    assert kept_kurtosis(df, power) == pytest.approx(by_quadrature(df, power), rel=0.01)


def test_small_powers_tend_to_the_plain_kurtosis():
    assert kept_kurtosis(40, 0.001) == pytest.approx(6 / 36, rel=0.1)


@pytest.mark.parametrize("df", [2.5, 4.0, 9.0, 40.0])
@pytest.mark.parametrize("power", [0.6, 1.5])
def test_noise_of_its_own_kurtosis(df, power):
    found = noise_of_kurtosis(kept_kurtosis(df, power), power)
    assert found.df == pytest.approx(df, rel=0.05)


def test_ends_of_the_range():
    assert noise_of_kurtosis(-0.3, 1.0) == NormalNoise()
    assert noise_of_kurtosis(0.0, 1.0) == NormalNoise()
    assert noise_of_kurtosis(50.0, 1.0) == StudentTNoise(2.0)
