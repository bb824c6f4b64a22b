"""Contributions against a search for the most likely value of each column."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from skholder.models import (
    EllipticalModel,
    ExponentialFamily,
    GammaFamily,
    IndependentColumns,
    LaplaceFamily,
    LogNormalFamily,
    NormalRadial,
    PoissonFamily,
    StudentTRadial,
)

PRIORS = {"location_prior_scale": 2.5, "log_scale_prior_scale": 1.0, "min_scale": 1e-3}
FORWARD = np.array([[1.2, 0.4, 0.1], [0.0, 0.6, -0.5], [0.0, 0.0, 2.0]])
CENTRE = np.array([3.0, -1.0, 10.0])


def elliptical(radial, full, n_draws, seed=0):
    rng = np.random.default_rng(seed)
    model = EllipticalModel(3, radial, full=full, **PRIORS)
    return model, 0.4 * rng.normal(size=(n_draws, model.n_params))


def rows_of(X, forward=FORWARD):
    return (X - CENTRE) @ forward


def searched(log_density, x, column):
    """Rise of a log density along one column, and the value that reaches it."""

    def moved(value):
        other = x.copy()
        other[column] = value
        return -log_density(other)

    best = minimize_scalar(moved, bracket=(x[column] - 1, x[column] + 1), tol=1e-12)
    return -best.fun - log_density(x), best.x


def data(n=6, seed=1):
    return CENTRE + np.random.default_rng(seed).normal(0, 3, size=(n, 3))


@pytest.mark.parametrize(
    ("radial", "full", "n_draws"),
    [
        (NormalRadial(), True, 7),
        (NormalRadial(), False, 7),
        # Exact for one draw only: a mean over draws of logarithms is no logarithm.
        (StudentTRadial(3.0), True, 1),
        (StudentTRadial(3.0), False, 1),
    ],
)
def test_elliptical_against_a_search(radial, full, n_draws):
    model, theta = elliptical(radial, full, n_draws)
    X = data()
    nats, excess = model.contributions(theta, FORWARD).of(rows_of(X))

    def log_density(x):
        return model.log_density(theta, rows_of(x[None])).mean()

    for i, x in enumerate(X):
        for j in range(3):
            rise, value = searched(log_density, x, j)
            assert nats[i, j] == pytest.approx(rise, rel=1e-6, abs=1e-9)
            assert x[j] - excess[i, j] == pytest.approx(value, rel=1e-5, abs=1e-6)


def test_a_column_that_the_map_drops_has_no_say():
    model, theta = elliptical(NormalRadial(), True, 5)
    forward = np.vstack([FORWARD, np.zeros(3)])
    nats, excess = model.contributions(theta, forward).of(rows_of(data()))
    assert nats.shape == excess.shape == (6, 4)
    assert np.all(nats[:, 3] == 0)
    assert np.all(excess[:, 3] == 0)
    np.testing.assert_allclose(
        nats[:, :3], model.contributions(theta, FORWARD).of(rows_of(data()))[0]
    )


@pytest.mark.parametrize("radial", [NormalRadial(), StudentTRadial(4.0)])
def test_gross_values_give_finite_numbers(radial):
    model, theta = elliptical(radial, True, 3)
    X = data()
    X[0, 0] = 1e200
    nats, excess = model.contributions(theta, FORWARD).of(rows_of(X))
    assert np.all(np.isfinite(nats))
    assert np.all(np.isfinite(excess))
    assert nats[0].argmax() == 0
    assert nats[0, 0] > nats[1:].max()


def test_small_terms_survive_beside_huge_ones():
    # Q of the row is about 1e24: a difference of two of them would lose the second column.
    model = EllipticalModel(2, NormalRadial(), full=False, **PRIORS)
    nats, _ = model.contributions(np.zeros((1, 4)), np.eye(2)).of(np.array([[1e12, 3.0]]))
    assert nats[0, 1] == pytest.approx(4.5)


FAMILIES = {
    "laplace": (LaplaceFamily(), [0.5, -0.2], (-3, 3)),
    "exponential": (ExponentialFamily(), [0.3], (0, 6)),
    "gamma": (GammaFamily(), [1.2, -0.8], (0.01, 5)),
    "lognormal": (LogNormalFamily(), [0.2, -0.7], (0.01, 5)),
    "poisson": (PoissonFamily(), [1.3], (0, 30)),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_families_against_a_grid(name):
    family, params, (low, high) = FAMILIES[name]
    params = np.array([params])
    grid = np.arange(31.0) if name == "poisson" else np.linspace(low, high, 20_001)
    heights = family.log_density(params, grid)[:, 0]
    mode = family.mode(params)
    assert mode.shape == (1,)
    assert mode[0] == pytest.approx(grid[heights.argmax()], abs=1e-3)
    at_mode = family.log_density(params, mode)[0, 0]
    assert at_mode >= heights.max() - 1e-12


@pytest.mark.parametrize("name", FAMILIES)
def test_moments_against_samples(name):
    family, params, _ = FAMILIES[name]
    params = np.array(params)
    draws = family.sample(np.tile(params, (200_000, 1)), np.random.RandomState(0))
    mean, sd = family.moments(np.tile(params, (2, 3, 1)))
    assert mean.shape == sd.shape == (2, 3)
    assert mean[1, 2] == pytest.approx(draws.mean(), rel=0.02)
    assert sd[1, 2] == pytest.approx(draws.std(), rel=0.02)


@pytest.mark.parametrize("name", FAMILIES)
def test_independent_columns(name):
    family, params, (low, high) = FAMILIES[name]
    model = IndependentColumns(2, family, **PRIORS)
    mean = np.repeat(params, 2) + np.tile([0.0, 0.2], len(params))
    theta = mean + np.array([[-0.1], [0.1]])
    # The second of three columns of x is constant and left out.
    forward = np.array([[2.0, 0.0], [0.0, 0.0], [0.0, 0.5]])
    rows = np.array([[low + 1.0, high - 1.0], [high, low + 2.0]])
    nats, excess = model.contributions(theta, forward).of(rows)
    for j, column in enumerate((0, 2)):
        own = mean[j::2][None]
        mode = family.mode(own)[0]
        rise = family.log_density(own, np.array([mode])) - family.log_density(own, rows[:, j])
        np.testing.assert_allclose(nats[:, column], rise[:, 0], rtol=1e-10)
        np.testing.assert_allclose(excess[:, column], (rows[:, j] - mode) / forward[column, j])
    assert np.all(nats[:, 1] == 0)
    assert np.all(nats >= 0)


def test_a_gamma_without_a_top_is_compared_with_its_median():
    family, params = GammaFamily(), np.log([[0.5, 2.0], [1.0, 2.0]])
    draws = np.random.default_rng(0).gamma([0.5, 1.0], 2.0, size=(200_000, 2))
    np.testing.assert_allclose(family.mode(params), np.median(draws, axis=0), rtol=0.02)
    model = IndependentColumns(1, family, **PRIORS)
    nats, _ = model.contributions(params[:1], np.eye(1)).of(np.array([[1e-3], [9.0]]))
    assert nats[0, 0] == 0
    assert nats[1, 0] > 1


def test_a_family_that_knows_no_mode_explains_nothing():
    class Modest(LaplaceFamily):
        mode = None

        def __init__(self):
            self.mode = lambda params: None

    assert IndependentColumns(2, Modest(), **PRIORS).contributions(np.zeros((3, 4)), None) is None
