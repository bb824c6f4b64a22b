"""The bias of n (1 - rho) for few clean rows, against simulated tables."""

import numpy as np
import pytest

from skholder.models import LinearModel, NormalNoise, StudentTNoise
from skholder.models.count_bias import normal_regression_bias
from skholder.posterior import free_minimiser, influence_values
from skholder.rows import RowBlocks


def linear(n_coef, noise=None):
    return LinearModel(
        noise or NormalNoise(),
        n_coef,
        coef_prior_scale=2.5,
        log_scale_prior_scale=1.0,
        min_scale=1e-3,
    )


def simulated(n_coef, gamma, n=80, repeats=250, seed=0):
    """Mean of n (1 - rho) over clean tables, less its noise at the true theta, and its error.

    At the true theta n (1 - rho) has mean 0, and is most of the noise: it is taken off.
    """
    rng, model, found = np.random.default_rng(seed), linear(n_coef), []
    truth = np.zeros(n_coef + 1)
    for _ in range(repeats):
        rows = rng.normal(size=(n, n_coef + 1))
        rows[:, 0] = 1.0
        blocks = RowBlocks(rows)
        theta = free_minimiser(model, blocks, gamma, truth)
        r, log_sigma = rows[:, -1] - rows[:, :-1] @ theta[:-1], theta[-1]
        power = np.exp(-0.5 * gamma * (r * np.exp(-log_sigma)) ** 2)
        rho = np.sqrt(1 + gamma) * power.mean()
        known = np.exp(-0.5 * gamma * rows[:, -1] ** 2)
        # The influence of rho, known to have mean 0 at the truth.
        control = (
            np.sqrt(1 + gamma)
            * known
            * (1 - gamma / 2 + gamma * (1 + gamma) / 2 * rows[:, -1] ** 2)
        )
        found.append(n * (1 - rho) + np.sum(control - 1))
    return np.mean(found), np.std(found) / np.sqrt(repeats)


@pytest.mark.parametrize(("n_coef", "gamma"), [(1, 0.5), (5, 0.5), (3, 1.0)])
def test_against_simulated_tables(n_coef, gamma):
    mean, error = simulated(n_coef, gamma)
    expected = normal_regression_bias(n_coef, gamma)
    # First order only: a fifth for what is left at this number of rows.
    assert mean == pytest.approx(expected, abs=4 * error + 0.2 * abs(expected))


@pytest.mark.parametrize("gamma", [0.4, 1.0])
def test_scale_alone(gamma):
    n, repeats = 300, 12_000
    square = np.random.default_rng(2).normal(size=(repeats, n)) ** 2
    variance = np.ones((repeats, 1))
    for _ in range(25):
        kernel = np.exp(-0.5 * gamma * square / variance)
        variance = (1 + gamma) * np.mean(kernel * square, axis=1, keepdims=True)
        variance /= kernel.mean(axis=1, keepdims=True)
    rho = np.sqrt(1 + gamma) * kernel.mean(axis=1)
    known = np.sqrt(1 + gamma) * np.exp(-0.5 * gamma * square)
    control = known * (1 - gamma / 2 + gamma * (1 + gamma) / 2 * square) - 1
    found = n * (1 - rho) + control.sum(axis=1)
    error = found.std() / np.sqrt(repeats)
    # No coefficient: what the formula leaves is the scale's part.
    assert found.mean() == pytest.approx(normal_regression_bias(0, gamma), abs=4 * error + 0.01)


def test_every_coefficient_adds_the_same():
    for gamma in (0.2, 0.7):
        step = np.diff([normal_regression_bias(d, gamma) for d in (1, 2, 5)])
        kappa = 1.5 * gamma**3 * (1 + gamma) ** 2 * (1 + 2 * gamma) ** -2.5
        np.testing.assert_allclose(step, [kappa, 3 * kappa])


def test_vanishes_with_gamma():
    assert normal_regression_bias(10, 1e-3) == pytest.approx(0.0, abs=1e-3)


def test_only_the_normal_regression_has_one():
    assert linear(3).count_bias(0.5) == normal_regression_bias(3, 0.5)
    assert linear(3, StudentTNoise(4.0)).count_bias(0.5) == 0.0


def test_influence_values_see_the_same_rho():
    rows = np.random.default_rng(1).normal(size=(60, 3))
    model, gamma = linear(2), 0.5
    theta = free_minimiser(model, RowBlocks(rows), gamma, np.zeros(3))
    r = (rows[:, -1] - rows[:, :-1] @ theta[:-1]) * np.exp(-theta[-1])
    rho = influence_values(model, RowBlocks(rows), theta, gamma).rho
    assert rho == pytest.approx(
        np.sqrt(1 + gamma) * np.mean(np.exp(-0.5 * gamma * r * r)), rel=1e-5
    )
