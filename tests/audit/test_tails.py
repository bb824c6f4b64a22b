"""Tail probabilities against closed forms, quadrature and the uniform law of clean rows."""

import numpy as np
import pytest
from scipy import stats

from skholder.audit import choose_count, expected_by_chance, tail_probabilities
from skholder.audit import tails as module
from skholder.models import (
    EllipticalModel,
    ExponentialFamily,
    GammaFamily,
    IndependentColumns,
    LaplaceFamily,
    LinearModel,
    NormalNoise,
    NormalRadial,
    PoissonFamily,
    StudentTNoise,
    StudentTRadial,
)

PRIORS = {"location_prior_scale": 2.5, "log_scale_prior_scale": 1.0, "min_scale": 1e-3}


def linear(noise):
    options = {"coef_prior_scale": 2.5, "log_scale_prior_scale": 1.0, "min_scale": 1e-3}
    return LinearModel(noise, 1, **options)


def draws(d, size=30, spread=0.2, seed=0):
    return spread * np.random.default_rng(seed).normal(size=(size, d))


@pytest.mark.parametrize(
    ("noise", "law"), [(NormalNoise(), stats.norm()), (StudentTNoise(4.0), stats.t(4.0))]
)
def test_regression_is_two_sided(noise, law):
    theta, y = draws(2), np.linspace(-6, 6, 9)
    rows = np.column_stack([np.ones(9), y])
    r = (y[:, None] - theta[:, 0]) * np.exp(-theta[:, 1])
    expected = 2 * law.sf(np.abs(r)).mean(axis=1)
    np.testing.assert_allclose(tail_probabilities(linear(noise), theta, rows), expected, rtol=1e-6)


@pytest.mark.parametrize("full", [True, False])
def test_elliptical_is_the_tail_of_the_distance(full):
    model = EllipticalModel(3, NormalRadial(), full=full, **PRIORS)
    theta = draws(model.n_params)
    X = 2 * np.random.default_rng(1).normal(size=(20, 3))
    squared = -2 * (model.log_density(theta, X) - model.log_peak(theta))
    expected = stats.chi2(3).sf(squared).mean(axis=1)
    np.testing.assert_allclose(tail_probabilities(model, theta, X), expected, rtol=1e-4)
    heavy = EllipticalModel(3, StudentTRadial(5.0), full=full, **PRIORS)
    # log p = -(nu + k) / 2 log(1 + q / nu) below its peak, and q / k is F(k, nu).
    drop = heavy.log_density(theta, X) - heavy.log_peak(theta)
    q = 5.0 * np.expm1(-drop * 2 / 8)
    expected = stats.f(3, 5.0).sf(q / 3).mean(axis=1)
    np.testing.assert_allclose(tail_probabilities(heavy, theta, X), expected, rtol=1e-4)


@pytest.mark.parametrize(
    ("family", "theta", "law"),
    [
        (LaplaceFamily(), [0.3, 0.1], stats.laplace(0.3, np.exp(0.1))),
        (ExponentialFamily(), [0.2], stats.expon(scale=np.exp(0.2))),
        (GammaFamily(), [0.8, 0.1], stats.gamma(np.exp(0.8), scale=np.exp(0.1))),
    ],
)
def test_columns_against_quadrature(family, theta, law):
    model = IndependentColumns(1, family, **PRIORS)
    x = law.ppf([0.02, 0.3, 0.7, 0.98, 0.9999])
    # Where the density is at most that of each row, from its quantiles.
    everywhere = law.ppf((np.arange(400_000) + 0.5) / 400_000)
    expected = [np.mean(law.pdf(everywhere) <= law.pdf(value)) for value in x]
    found = tail_probabilities(model, np.array([theta]), x[:, None])
    np.testing.assert_allclose(found, expected, atol=0.01)
    # Rare rows in relation, as few draws of the model as reach there.
    assert found[-1] == pytest.approx(expected[-1], rel=0.6)


def test_counts_include_the_row_itself():
    model, rate = IndependentColumns(1, PoissonFamily(), **PRIORS), 4.0
    x = np.array([0.0, 4.0, 9.0])
    counts = np.arange(60)
    p = stats.poisson(rate).pmf(counts)
    expected = [p[p <= stats.poisson(rate).pmf(v) * (1 + 1e-12)].sum() for v in x]
    found = tail_probabilities(model, np.log([[rate]]), x[:, None])
    np.testing.assert_allclose(found, expected, atol=0.01)


def test_sampled_tails_fall_off_beyond_the_draws():
    model = IndependentColumns(2, LaplaceFamily(), **PRIORS)
    X = np.array([[10.0, 10.0], [20.0, 20.0], [40.0, 40.0]])
    found = tail_probabilities(model, np.zeros((1, 4)), X)
    # |x1| + |x2| is Gamma(2).
    expected = stats.gamma(2).sf([20.0, 40.0, 80.0])
    assert np.all(np.diff(found) < 0)
    assert np.all(found > 0)
    assert np.log(found[0]) == pytest.approx(np.log(expected[0]), rel=0.15)


def test_clean_rows_are_uniform():
    y = np.random.default_rng(2).normal(size=4000)
    rows = np.column_stack([np.ones(4000), y])
    found = tail_probabilities(linear(NormalNoise()), np.zeros((1, 2)), rows)
    assert stats.kstest(found, "uniform").pvalue > 0.01
    assert expected_by_chance(found, 4000.0) == pytest.approx(4000 * found)


def test_unlikely_rows_meet_more_draws(monkeypatch):
    # A mean of tails far out is owned by a few draws with a large scale.
    theta = draws(2, size=3000, spread=0.15)
    rows = np.array([[1.0, 6.0], [1.0, 0.5]])
    r = (rows[:, 1:] - theta[:, 0]) * np.exp(-theta[:, 1])
    expected = 2 * stats.norm.sf(np.abs(r)).mean(axis=1)
    found = tail_probabilities(linear(NormalNoise()), theta, rows)
    assert found[0] == pytest.approx(expected[0], rel=0.5)
    assert found[1] == pytest.approx(expected[1], rel=0.05)
    # Room for the fewest draws that all rows meet, and for ten times as many of the one.
    monkeypatch.setattr(module, "_MOST", 10 * module._FEW_DRAWS)
    many = np.vstack([rows, np.tile(rows[1], (20, 1))])
    found = tail_probabilities(linear(NormalNoise()), theta, many)
    for row, n_draws in ((0, 10 * module._FEW_DRAWS), (1, module._FEW_DRAWS)):
        thinned = theta[:: -(-3000 // n_draws)]
        r = (rows[row, 1] - thinned[:, 0]) * np.exp(-thinned[:, 1])
        assert found[row] == pytest.approx(2 * stats.norm.sf(np.abs(r)).mean())


def test_thinned_draws_reach_from_the_first_to_the_last():
    # Draws come ensemble by ensemble: the first ones would be those of few ensembles.
    theta = np.zeros((50, 2))
    theta[32:, 0] = 50.0
    rows = np.array([[1.0, 0.0]])
    assert tail_probabilities(linear(NormalNoise()), theta, rows)[0] == pytest.approx(
        0.64, abs=0.01
    )


def test_fdr_is_the_rule_of_benjamini_and_hochberg():
    # The third is above its line, 3 q / n, and the fourth below its own: all four are flagged.
    tails = np.array([0.9, 0.001, 0.018, 0.002, 0.0195, 0.5, 0.6, 0.7, 0.8, 0.95])
    assert choose_count(np.zeros(1, dtype=int), "fdr", 0.95, tails) == 4
    assert choose_count(np.zeros(1, dtype=int), "fdr", 0.999, tails) == 0
    # A weight of 2 is the row written twice.
    twice = np.append(tails, tails)
    both = choose_count(np.zeros(1, dtype=int), "fdr", 0.95, twice)
    assert choose_count(np.zeros(1, dtype=int), "fdr", 0.95, tails, np.full(10, 2.0)) == both == 8


def test_certain_rows_are_those_of_which_a_clean_table_has_one_in_twenty():
    tails = np.array([0.0004, 0.5, 0.0006, 1e-9])
    weight = np.array([1.0, 95.0, 1.0, 3.0])
    assert choose_count(np.zeros(1, dtype=int), "certain", tails=tails, weight=weight) == 4
    assert choose_count(np.zeros(1, dtype=int), "certain", tails=tails) == 3
