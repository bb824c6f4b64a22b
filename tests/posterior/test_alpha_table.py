"""The tabulated integral over alpha is the quadrature, within its range and outside."""

import numpy as np
import pytest

from skholder.divergences import check_divergence
from skholder.posterior import AlphaConditional, AlphaPrior
from skholder.posterior.alpha_table import AlphaTable


def conditional(name="dpd", gamma=0.5, beta_n=600.0):
    prior = AlphaPrior(1.0, 1.0, 0.5)
    return AlphaConditional(check_divergence(name, gamma, None), gamma, beta_n, prior)


def points(rho, size=200, spread=0.02, seed=0):
    rng = np.random.default_rng(seed)
    log_c = -0.3 + spread * rng.normal(size=size)
    return np.log(rho) + spread * rng.normal(size=size) + log_c, log_c


@pytest.mark.parametrize("name", ["dpd", "expsat", "ratsat"])
@pytest.mark.parametrize("rho", [0.8, 0.99, 1.02])
def test_it_is_the_quadrature(name, rho):
    alpha = conditional(name)
    log_s, log_c = points(rho)
    table = AlphaTable.over(alpha, log_s, log_c, np.zeros(len(log_s)))
    assert table is not None
    # New points: most inside of the range, some outside.
    log_s, log_c = points(rho, size=500, spread=0.03, seed=1)
    log_s[:5] -= 0.2
    np.testing.assert_allclose(
        table.log_integral(log_s, log_c), alpha.log_integral(log_s, log_c), rtol=0, atol=1e-7
    )


@pytest.mark.parametrize("name", ["dpd", "expsat", "ratsat"])
def test_points_without_hope_get_a_bound(name):
    alpha = conditional(name)
    log_s, log_c = points(0.9)
    table = AlphaTable.over(alpha, log_s, log_c, np.zeros(len(log_s)))
    far = log_s - np.linspace(1.0, 3.0, len(log_s))
    exact, bound = alpha.log_integral(far, log_c), table.log_integral(far, log_c)
    assert np.all(bound < np.min(alpha.log_integral(log_s, log_c)) - 100)
    # The integral of a density of alpha times no more than the maximum is no more than that.
    assert np.all((exact <= bound) & (bound < exact + 10))


def test_heights_too_large_to_tell_apart():
    log_s, log_c = points(0.9)
    assert AlphaTable.over(conditional(), log_s, log_c, np.full(len(log_s), 1e30)) is not None


def test_points_of_no_weight_do_not_widen_it():
    log_s, log_c = points(0.9)
    log_prob = np.zeros(len(log_s))
    log_s[0], log_prob[0] = -50.0, -1e3
    table = AlphaTable.over(conditional(), log_s, log_c, log_prob)
    assert table.reach[0] < 0.2


def test_no_table_where_it_would_not_do():
    _, log_c = points(0.9)
    same = np.full(5, -0.1)
    assert AlphaTable.over(conditional(), same, same, np.zeros(5)) is None
    # So sharp a conditional over so wide a range has no short series.
    wide = np.linspace(-15, 0, 50)
    assert AlphaTable.over(conditional(beta_n=1e6), wide, log_c[:50], np.zeros(50)) is None
