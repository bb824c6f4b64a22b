from types import SimpleNamespace

import numpy as np

from skholder.sampling import nearest_normal


def normal_curve(mean, precision):
    def curve(theta):
        step = theta - mean
        return SimpleNamespace(
            value=-0.5 * step @ precision @ step, gradient=-precision @ step, hessian=-precision
        )

    return curve


def log_gamma_curve(shape):
    """Of x_j = log of a gamma variable of that shape: log p = sum shape x_j - exp(x_j)."""

    def curve(x):
        return SimpleNamespace(
            value=np.sum(shape * x - np.exp(x)),
            gradient=shape - np.exp(x),
            hessian=-np.diag(np.exp(x)),
        )

    return curve


def test_a_normal_is_its_own_nearest():
    mean = np.array([1.0, -2.0, 0.5])
    covariance = np.array([[1.0, 0.4, 0.0], [0.4, 2.0, 0.3], [0.0, 0.3, 0.5]])
    start = np.linalg.cholesky(np.diag([1.5, 1.0, 0.7]))
    fit = nearest_normal(
        normal_curve(mean, np.linalg.inv(covariance)), mean + 0.5, start, np.random.RandomState(0)
    )
    np.testing.assert_allclose(fit.mean, mean, atol=1e-8)
    np.testing.assert_allclose(fit.factor, np.linalg.cholesky(covariance), atol=1e-8)


def test_nearest_normal_of_a_skewed_density():
    # E_q grad = 0 and P = E_q[-Hessian] give P = shape and mean = log shape - 1 / (2 shape).
    shape = 4.0
    start = np.full(5, np.log(shape))
    fit = nearest_normal(
        log_gamma_curve(shape), start, 0.5 * np.eye(5), np.random.RandomState(0), n_pairs=400
    )
    np.testing.assert_allclose(fit.mean, np.log(shape) - 0.5 / shape, atol=0.02)
    covariance = fit.factor @ fit.factor.T
    np.testing.assert_allclose(covariance, np.eye(5) / shape, atol=0.02)
    assert fit.n_evaluations == 5 * 800


def test_factor_is_that_of_cholesky():
    fit = nearest_normal(
        log_gamma_curve(2.0), np.zeros(4), np.eye(4), np.random.RandomState(1), n_pairs=3
    )
    np.testing.assert_array_equal(fit.factor, np.tril(fit.factor))
    assert np.all(np.diag(fit.factor) > 0)


def test_steps_are_bounded_where_the_density_is_not_concave():
    def saddle(theta):
        return SimpleNamespace(value=0.0, gradient=np.full(2, 1e6), hessian=np.diag([1e4, -1e4]))

    fit = nearest_normal(saddle, np.zeros(2), np.eye(2), np.random.RandomState(0))
    assert np.all(np.isfinite(fit.mean))
    # A variance trebles or falls to a third in each of five steps, at most.
    spread = np.linalg.svd(fit.factor, compute_uv=False) ** 2
    assert np.all((spread <= 3.0**5 + 1e-6) & (spread >= 3.0**-5 - 1e-6))


def test_nothing_is_fitted_outside_the_support():
    def nowhere(theta):
        return SimpleNamespace(value=-np.inf, gradient=np.zeros(2), hessian=-np.eye(2))

    fit = nearest_normal(nowhere, np.ones(2), np.eye(2), np.random.RandomState(0))
    np.testing.assert_array_equal(fit.mean, np.ones(2))
    np.testing.assert_array_equal(fit.factor, np.eye(2))
