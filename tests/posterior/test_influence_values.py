"""Influence values against what a small weight on a row does to the minimiser."""

import numpy as np
import pytest

from skholder.models import (
    EllipticalModel,
    GammaFamily,
    IndependentColumns,
    LaplaceFamily,
    LinearModel,
    NormalNoise,
    NormalRadial,
    StudentTNoise,
    StudentTRadial,
    UserModel,
)
from skholder.posterior import free_minimiser, influence_values
from skholder.rows import RowBlocks

GAMMA = 0.4
PRIORS = {"location_prior_scale": 2.5, "log_scale_prior_scale": 1.0, "min_scale": 1e-3}


class Normal:
    """A user's own normal of one column."""

    parameter_names = ("mean", "log_sd")

    def log_density(self, theta, X):
        z = (X - theta[:, 0]) * np.exp(-theta[:, 1])
        return -0.5 * z * z - theta[:, 1] - 0.5 * np.log(2 * np.pi)

    def starts(self, X):
        return np.array([[np.median(X), 0.0]])


def linear(noise):
    options = {"coef_prior_scale": 2.5, "log_scale_prior_scale": 1.0, "min_scale": 1e-3}
    return LinearModel(noise, 2, **options)


def case(name, n=40, seed=0):
    """A model and rows with some outliers on the computing scale."""
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=n), rng.normal(size=n)
    noise[:5] += 5.0
    regression = np.column_stack([np.ones(n), x, 0.3 + x + noise])
    plane = np.column_stack([x, 0.5 * x + noise])
    positive = np.exp(0.4 * np.column_stack([x, noise]))
    return {
        "linear normal": lambda: (linear(NormalNoise()), regression),
        "linear t": lambda: (linear(StudentTNoise(4.0)), regression),
        "full normal": lambda: (EllipticalModel(2, NormalRadial(), full=True, **PRIORS), plane),
        "diag t": lambda: (EllipticalModel(2, StudentTRadial(4.0), full=False, **PRIORS), plane),
        "gamma columns": lambda: (IndependentColumns(2, GammaFamily(), **PRIORS), positive),
        "custom": lambda: (UserModel(Normal(), noise[:, None]), noise[:, None]),
    }[name]()


CASES = ["linear normal", "linear t", "full normal", "diag t", "gamma columns", "custom"]


def start_of(model, rows):
    return model.starts(rows, None, np.random.RandomState(0))[0]


def fitted(model, rows, weight, hold, start):
    """The minimiser (d,) of weighted rows, and rho over all of them."""
    theta = free_minimiser(model, RowBlocks(rows, weight * hold), GAMMA, start)
    log_p = model.log_density(theta[None], rows)[:, 0]
    log_c = model.log_power(theta[None], GAMMA)[0]
    return theta, np.average(np.exp(GAMMA * log_p), weights=weight) * np.exp(-log_c)


@pytest.mark.parametrize("held", [False, True], ids=["plain", "design weights"])
@pytest.mark.parametrize("name", CASES)
def test_is_the_effect_of_a_little_more_weight(name, held):
    model, rows = case(name)
    rng = np.random.default_rng(1)
    weight = rng.integers(1, 4, len(rows)).astype(float)
    hold = rng.uniform(0.2, 1.0, len(rows)) if held else np.ones(len(rows))
    theta, rho = fitted(model, rows, weight, hold, start_of(model, rows))
    found = influence_values(
        model,
        RowBlocks(rows, weight),
        theta,
        GAMMA,
        design_weight=hold if held else None,
        keep_rows=True,
    )
    assert found.rho == pytest.approx(rho, rel=1e-6)
    step = 0.02
    for i in (0, 7, 23):
        (up, rho_up), (down, rho_down) = (
            fitted(model, rows, weight + s * step * (np.arange(len(rows)) == i), hold, theta)
            for s in (1, -1)
        )
        # A weight of w on row i moves theta by w a_i / n, and rho by w b_i / n.
        unit = weight.sum() / (2 * step)
        np.testing.assert_allclose(found.a[i], unit * (up - down), rtol=0.01, atol=0.01)
        assert found.b[i] == pytest.approx(unit * (rho_up - rho_down), rel=0.01, abs=0.01)


@pytest.mark.parametrize("name", CASES)
def test_sums_of_influence_vanish_and_their_squares_are_the_sandwich(name):
    model, rows = case(name)
    weight = np.random.default_rng(2).integers(1, 4, len(rows)).astype(float)
    theta, _ = fitted(model, rows, weight, 1.0, start_of(model, rows))
    one = influence_values(model, RowBlocks(rows, weight), theta, GAMMA, keep_rows=True)
    n = weight.sum()
    np.testing.assert_allclose(weight @ one.a / n, 0, atol=1e-5)
    assert weight @ one.b / n == pytest.approx(0, abs=1e-5)
    np.testing.assert_allclose(one.covariance, (weight[:, None] * one.a).T @ one.a / n**2)
    np.testing.assert_allclose(one.cross, weight * one.b @ one.a / n**2, atol=1e-15)
    assert one.rho_variance == pytest.approx(weight @ one.b**2 / n**2)


@pytest.mark.parametrize("held", [False, True])
def test_weights_are_repeats(held):
    model, rows = case("linear normal")
    weight = np.random.default_rng(3).integers(1, 4, len(rows))
    hold = np.where(np.arange(len(rows)) % 3 == 0, 0.3, 1.0) if held else None
    again = np.repeat(np.arange(len(rows)), weight)
    theta = start_of(model, rows)
    one = influence_values(
        model, RowBlocks(rows, weight.astype(float)), theta, GAMMA, design_weight=hold
    )
    other = influence_values(
        model,
        RowBlocks(rows[again]),
        theta,
        GAMMA,
        design_weight=None if hold is None else hold[again],
    )
    for name in ("value", "rho", "rho_variance", "covariance", "cross", "log_det_curvature"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(one.b[again], other.b, rtol=1e-6, atol=1e-9)


def test_rho_and_its_influence_do_not_depend_on_units():
    model, rows = case("linear normal")
    moved = rows.copy()
    # y -> 3 y + 2 x - 1, x -> x / 5.
    moved[:, 2] = 3 * rows[:, 2] + 2 * rows[:, 1] - 1
    moved[:, 1] = rows[:, 1] / 5
    one, other = (
        influence_values(
            model, RowBlocks(r), free_minimiser(model, RowBlocks(r), GAMMA, start), GAMMA
        )
        for r, start in ((rows, start_of(model, rows)), (moved, start_of(model, moved)))
    )
    assert other.rho == pytest.approx(one.rho, rel=1e-5)
    np.testing.assert_allclose(other.b, one.b, atol=1e-4)
    assert other.theta[-1] == pytest.approx(one.theta[-1] + np.log(3), abs=1e-5)


@pytest.mark.parametrize("factor", [1e-60, 1e60])
def test_a_column_of_huge_numbers_leaves_the_others_alone(factor):
    model, rows = case("linear normal")
    start = start_of(model, rows)
    theta = free_minimiser(model, RowBlocks(rows), GAMMA, start)
    moved, scale = rows.copy(), np.array([1.0, 1 / factor, 1.0])
    moved[:, 1] *= factor
    one = influence_values(model, RowBlocks(rows), theta, GAMMA)
    other = influence_values(model, RowBlocks(moved), theta * scale, GAMMA)
    np.testing.assert_allclose(other.b, one.b, rtol=1e-9)
    np.testing.assert_allclose(
        other.covariance / np.outer(scale, scale), one.covariance, rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(other.cross / scale, one.cross, rtol=1e-9, atol=1e-12)
    log_det = other.log_det_curvature + 2 * np.log(scale).sum()
    assert log_det == pytest.approx(one.log_det_curvature, rel=1e-9)


def test_a_row_out_of_reach_has_no_influence_on_theta():
    model, rows = case("linear normal")
    start = start_of(model, rows)
    rows[0, 2] = 1e8
    theta, rho = fitted(model, rows, np.ones(len(rows)), 1.0, start)
    found = influence_values(model, RowBlocks(rows), theta, GAMMA, keep_rows=True)
    np.testing.assert_array_equal(found.a[0], 0.0)
    assert found.b[0] == pytest.approx(-rho)


def test_no_proper_maximum_has_no_determinant():
    model = IndependentColumns(1, LaplaceFamily(), **PRIORS)
    rows = RowBlocks(np.random.default_rng(0).laplace(size=(30, 1)))
    # Between two far values the risk bends the other way.
    found = influence_values(model, rows, np.array([6.0, -2.0]), GAMMA)
    assert found.log_det_curvature == -np.inf
    assert np.all(np.isfinite(found.covariance))
