import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skholder.models import EllipticalModel, NormalRadial, SpectralModel, StudentTRadial
from skholder.models.starts.shrunken import n_own_axes, principal_axes

PRIORS = {"location_prior_scale": 2.5, "log_scale_prior_scale": 1.0, "min_scale": 1e-3}
each_radial = pytest.mark.parametrize(
    "radial", [NormalRadial(), StudentTRadial()], ids=["normal", "t4"]
)
each_share = pytest.mark.parametrize("n_own", [0, 2, 5])


def make(k=5, radial=None, n_own=2):
    return SpectralModel(k, radial or NormalRadial(), n_own=n_own, **PRIORS)


def some(model, seed=0, size=4):
    rng = np.random.default_rng(seed)
    theta = rng.uniform(-1, 1, size=(size, model.n_params))
    return theta, rng.normal(size=(30, model.k))


def by_hand(model, theta):
    """The same density as a diagonal one with every scale written out."""
    shared = theta[:, model.k :]
    n_own = shared.shape[1] - 1 if shared.shape[1] < model.k else model.k
    last = np.repeat(shared[:, -1:], model.k - n_own, axis=1)
    diagonal = EllipticalModel(model.k, model.radial, full=False, **PRIORS)
    return diagonal, np.hstack([theta[:, : model.k], shared[:, :n_own], last])


@each_radial
@each_share
def test_is_a_diagonal_density_with_shared_scales(radial, n_own):
    model = make(radial=radial, n_own=n_own)
    theta, rows = some(model)
    diagonal, spread = by_hand(model, theta)
    assert model.n_params == 5 + min(n_own + 1, 5)
    np.testing.assert_allclose(
        model.log_density(theta, rows), diagonal.log_density(spread, rows), rtol=1e-12
    )
    np.testing.assert_allclose(
        model.log_density(theta[:1], rows), diagonal.log_density(spread[:1], rows), rtol=1e-12
    )
    np.testing.assert_allclose(model.log_power(theta, 0.3), diagonal.log_power(spread, 0.3))
    np.testing.assert_allclose(model.tail(theta, rows), diagonal.tail(spread, rows))


@each_radial
@each_share
def test_derivatives(radial, n_own):
    model = make(radial=radial, n_own=n_own)
    theta, rows = some(model, size=1)
    weight = np.linspace(0.5, 2, len(rows))
    gradient, hessian, outer = model.score_sums(theta[0], rows, weight)
    scores = model.scores(theta[0], rows)
    np.testing.assert_allclose(gradient, weight @ scores)
    np.testing.assert_allclose(outer, (scores * weight[:, None]).T @ scores)
    step = 1e-5 * np.eye(model.n_params)
    ends = [weight @ model.log_density(theta + side * step, rows) for side in (1, -1)]
    np.testing.assert_allclose(gradient, (ends[0] - ends[1]) / 2e-5, rtol=1e-6, atol=1e-6)
    slopes = [
        np.array([model.score_sums(theta[0] + side * one, rows, weight)[0] for one in step])
        for side in (1, -1)
    ]
    np.testing.assert_allclose(hessian, (slopes[0] - slopes[1]) / 2e-5, rtol=1e-5, atol=1e-5)
    power = [model.log_power(theta + side * step, 0.4) for side in (1, -1)]
    found = model.log_power_derivatives(theta[0], 0.4)[0]
    np.testing.assert_allclose(found, (power[0] - power[1]) / 2e-5, atol=1e-8)


@each_radial
def test_integrals_by_quadrature(radial):
    model = make(2, radial, n_own=0)
    theta = np.array([[0.3, -0.2, 0.1]])
    t = np.arange(-9, 9.01, 0.05)
    node, weight = np.sinh(t), 0.05 * np.cosh(t)
    rows = np.stack(np.meshgrid(node, node), axis=-1).reshape(-1, 2)
    weights = np.outer(weight, weight).ravel()
    log_density = model.log_density(theta, rows)[:, 0]
    assert weights @ np.exp(log_density) == pytest.approx(1, rel=1e-5)
    power = np.exp(model.log_power(theta, 0.5)[0])
    assert weights @ np.exp(1.5 * log_density) == pytest.approx(power, rel=1e-6)


def test_samples_have_the_moments():
    model = make()
    theta = np.tile(some(model, size=1)[0], (40_000, 1))
    rows = model.sample(theta, np.random.RandomState(0))
    np.testing.assert_allclose(rows.mean(axis=0), theta[0, :5], atol=0.05)
    sd = np.exp(model.spread(theta[:1])[0, 5:])
    np.testing.assert_allclose(rows.std(axis=0), sd, rtol=0.03)


def test_path_coordinates_have_their_jacobian():
    model = make()
    theta, pilot = some(model, size=2)[0]
    values, jacobian = model.path_coordinates(theta, pilot, None)
    step = 1e-6 * np.eye(model.n_params)
    ends = [model.path_coordinates(theta + one, pilot, None)[0] for one in step]
    np.testing.assert_allclose(jacobian.T, (np.array(ends) - values) / 1e-6, atol=1e-6)


def test_names():
    assert make().parameter_names[-3:] == (
        "log_scale[axis 1]",
        "log_scale[axis 2]",
        "log_scale[axes 3 to 5]",
    )
    assert make(n_own=5).parameter_names[-1] == "log_scale[axis 5]"


def correlated(n=300, k=8, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) @ rng.normal(size=(2, k)) + 0.5 * rng.normal(size=(n, k))


class TestAxes:
    @settings(max_examples=15, deadline=None)
    @given(seed=st.integers(0, 1000))
    def test_weights_are_repeats(self, seed):
        rows = correlated(60, 5, seed)
        weight = np.random.default_rng(seed).integers(1, 4, size=60)
        ones = principal_axes(np.repeat(rows, weight, axis=0), np.ones(weight.sum()))
        found = principal_axes(rows, weight.astype(float))
        np.testing.assert_allclose(found.root, ones.root, rtol=1e-8)
        np.testing.assert_allclose(found.centre, ones.centre, atol=1e-10)
        np.testing.assert_allclose(np.abs(found.vector), np.abs(ones.vector), atol=1e-6)

    def test_shrinkage_is_that_of_ledoit_and_wolf(self):
        from sklearn.covariance import ledoit_wolf

        rows = np.clip(correlated(), -2.9, 2.9)
        found = principal_axes(rows, None)
        inner = np.clip((rows - np.median(rows, axis=0)) / found.scale, -3, 3)
        expected = ledoit_wolf(inner)[0]
        # With this many rows every axis has a variance of its own.
        assert found.n_own == 8
        shape = (found.vector * found.root**2) @ found.vector.T
        np.testing.assert_allclose(shape, expected, rtol=1e-8, atol=1e-10)

    def test_a_gross_cell_has_little_say(self):
        rows = correlated()
        spoiled = rows.copy()
        spoiled[0] = 1e60
        one, two = principal_axes(rows, None), principal_axes(spoiled, None)
        np.testing.assert_allclose(one.root, two.root, rtol=0.1)

    def test_collinear_columns_and_few_rows(self):
        rows = correlated()
        double = np.hstack([rows, rows[:, :3]])
        assert principal_axes(double, None).vector.shape == (11, 8)
        # Nothing is known to be collinear where rows are fewer than columns.
        few = principal_axes(correlated(6, 8), None)
        assert few.vector.shape == (8, 8)
        assert np.all(few.root > 0)

    def test_own_axes(self):
        flat = np.ones(100)
        assert n_own_axes(flat, 10_000) == 100
        assert n_own_axes(flat, 300) == 0
        rng = np.random.default_rng(0)
        rows = rng.normal(size=(150, 5)) @ rng.normal(size=(5, 250)) + rng.normal(size=(150, 250))
        value = np.linalg.eigvalsh(np.cov(rows, rowvar=False))[::-1]
        assert n_own_axes(np.maximum(value, 0), 150) == 5
