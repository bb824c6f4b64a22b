import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad

from skholder.models import (
    LinearModel,
    NormalNoise,
    NormalPrior,
    ScipyNoise,
    StudentTNoise,
    WorkingModel,
)

NOISES = {
    "normal": (NormalNoise(), stats.norm()),
    "student": (StudentTNoise(), stats.t(4)),
    "logistic": (ScipyNoise(stats.logistic()), stats.logistic()),
}
each_noise = pytest.mark.parametrize("name", NOISES)


def make(name, n_coef=3, **kwargs):
    settings = {"coef_prior_scale": 2.5, "log_scale_prior_scale": 1.0, "min_scale": 1e-3}
    return LinearModel(NOISES[name][0], n_coef, **{**settings, **kwargs})


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    design = np.column_stack([np.ones(25), rng.normal(size=(25, 2))])
    return np.column_stack([design, 2 * rng.normal(size=25)])


@pytest.fixture(scope="module")
def thetas():
    rng = np.random.default_rng(2)
    return np.column_stack([rng.normal(size=(6, 3)), rng.uniform(-1.5, 1, size=6)])


@each_noise
def test_log_density_is_scipys(name, rows, thetas):
    model, truth = make(name), NOISES[name][1]
    location, sigma = rows[:, :-1] @ thetas[:, :-1].T, np.exp(thetas[:, -1])
    expected = truth.dist.logpdf(rows[:, -1:], *truth.args, loc=location, scale=sigma)
    np.testing.assert_allclose(model.log_density(thetas, rows), expected, rtol=1e-9)
    np.testing.assert_allclose(
        model.log_kernel(thetas, rows, 1.0) + model.log_peak(thetas), expected, rtol=1e-9
    )


@each_noise
@pytest.mark.parametrize("power", [0.1, 0.5, 2.0])
def test_kernel_is_a_power_below_the_peak(name, power, rows, thetas):
    model = make(name)
    kernel = model.log_kernel(thetas, rows, power)
    assert kernel.shape == (25, 6)
    assert np.all(kernel <= 0)
    expected = power * (model.log_density(thetas, rows) - model.log_peak(thetas))
    np.testing.assert_allclose(kernel, expected, rtol=1e-10, atol=1e-12)


@each_noise
@pytest.mark.parametrize("gamma", [0.2, 1.0])
def test_model_power_is_quadrature(name, gamma, thetas):
    model, truth = make(name), NOISES[name][1]
    for theta in thetas[:2]:
        sigma = np.exp(theta[-1])

        def integrand(y, sigma=sigma):
            return truth.dist.pdf(y, *truth.args, scale=sigma) ** (1 + gamma)

        mass = 2 * quad(integrand, 0, np.inf, epsabs=1e-13)[0]
        np.testing.assert_allclose(model.log_power(theta[None], gamma)[0], np.log(mass), rtol=1e-8)


@each_noise
def test_derivatives_of_the_model_power(name, gradient, thetas):
    model, theta = make(name), thetas[0]
    slope, bend = model.log_power_derivatives(theta, 0.7)
    expected = gradient(lambda t: model.log_power(t[None], 0.7)[0], theta)
    np.testing.assert_allclose(slope, expected, atol=1e-9)
    np.testing.assert_allclose(bend, 0.0)


@each_noise
def test_score_sums_are_derivatives(name, gradient, rows, thetas):
    model, theta = make(name), thetas[1]
    weight = np.linspace(0.1, 2, len(rows))

    def log_density(t):
        return model.log_density(t[None], rows)[:, 0]

    def total_score(t):
        return model.score_sums(t, rows, weight)[0]

    scores = gradient(log_density, theta)
    first, second, outer = model.score_sums(theta, rows, weight)
    # SciPy distributions get their own derivatives from differences.
    tolerance = 1e-4 if name == "logistic" else 1e-7
    np.testing.assert_allclose(first, weight @ scores, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(
        outer, np.einsum("i,ij,ik->jk", weight, scores, scores), rtol=tolerance, atol=tolerance
    )
    np.testing.assert_allclose(
        second, gradient(total_score, theta), rtol=10 * tolerance, atol=100 * tolerance
    )
    np.testing.assert_allclose(second, second.T, rtol=1e-13)


@each_noise
@pytest.mark.parametrize("weighted", [False, True])
def test_curvature_sums_in_one_go(name, rows, thetas, weighted):
    model, theta = make(name), thetas[1]
    weight = np.linspace(0.1, 2, len(rows)) if weighted else None
    found = model.curvature_sums(theta, rows, weight, 0.7, 0.4)
    expected = WorkingModel.curvature_sums(model, theta, rows, weight, 0.7, 0.4)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_parameter_names():
    assert make("normal", 2).parameter_names == ("coef[0]", "coef[1]", "log_scale")
    named = make("normal", 2, names=["intercept", "coef[age]"])
    assert named.parameter_names == ("intercept", "coef[age]", "log_scale")
    assert named.n_params == 3


@given(gamma=st.floats(0.05, 2), alpha=st.floats(0.5, 1), log_scale=st.floats(-2, 2))
def test_calibration_of_the_normal_is_the_stated_constant(gamma, alpha, log_scale):
    theta = np.array([0.0, 0.0, 0.0, log_scale])
    constant = (2 * np.pi) ** (gamma / 2) * (1 + 2 * gamma) ** 1.5
    constant /= gamma * (1 + gamma) ** 2.5
    expected = constant * np.exp(gamma * log_scale) / alpha**gamma
    np.testing.assert_allclose(make("normal").calibration(theta, gamma, alpha), expected)


@pytest.mark.parametrize("gamma", [0.3, 0.8])
def test_general_calibration_matches_the_model_moments(gamma):
    # Monte Carlo of d / trace(J^-1 K) with the per-row loss written out.
    model, alpha, sigma = make("student", 2), 0.9, 1.7
    rng = np.random.default_rng(0)
    n = 400_000
    rows = np.column_stack([rng.choice([-1.0, 1.0], size=(n, 2)), sigma * rng.standard_t(4, n)])
    r = rows[:, -1] / sigma
    p = stats.t.pdf(r, 4) / sigma
    slope = -5 * r / (4 + r * r)
    score = np.column_stack([-rows[:, :2] * slope[:, None] / sigma, -slope * r - 1])
    # The loss of an inlier is constant - (1 + gamma) alpha^gamma p^gamma, and alpha of all rows
    # are inliers; the others do not meet the model and add nothing.
    loss_slope = -gamma * (1 + gamma) * alpha**gamma * p[:, None] ** gamma * score
    mean = alpha * loss_slope.mean(axis=0)
    spread = alpha * loss_slope.T @ loss_slope / n - np.outer(mean, mean)
    # At the model J = gamma (1 + gamma) alpha^(1+gamma) E[p^gamma s s'].
    curvature = (p[:, None] ** gamma * score).T @ score / n
    curvature *= gamma * (1 + gamma) * alpha ** (1 + gamma)
    expected = 3 / np.trace(np.linalg.solve(curvature, spread))
    theta = np.array([0.0, 0.0, np.log(sigma)])
    np.testing.assert_allclose(model.calibration(theta, gamma, alpha), expected, rtol=0.01)


def test_starts_include_least_squares_and_a_robust_fit(contaminated):
    X, y, outlier, _ = contaminated(200, 3, 0.35, shift=30.0)
    rows = np.column_stack([np.ones(200), X, y])
    starts = make("normal", 4).starts(rows, None, np.random.RandomState(0))
    assert starts.shape[1] == 5
    ols = np.linalg.lstsq(rows[:, :-1], y, rcond=None)[0]
    clean = np.linalg.lstsq(rows[~outlier, :-1], y[~outlier], rcond=None)[0]
    assert np.min(np.abs(starts[:, :-1] - ols).max(axis=1)) < 1e-6
    assert np.min(np.abs(starts[:, :-1] - clean).max(axis=1)) < 0.4
    near = np.argmin(np.abs(starts[:, :-1] - clean).max(axis=1))
    assert 0.3 < np.exp(starts[near, -1]) < 2


def test_starts_treat_weights_as_repeats(contaminated):
    X, y, *_ = contaminated(40, 2, 0.2)
    rows = np.column_stack([np.ones(40), X, y])
    repeats = np.where(np.arange(40) % 3 == 0, 3, 1)
    model = make("normal", 3)
    weighted = model.starts(rows, repeats.astype(float), np.random.RandomState(0))
    written = model.starts(np.repeat(rows, repeats, axis=0), None, np.random.RandomState(0))
    np.testing.assert_allclose(weighted, written, rtol=1e-6, atol=1e-8)


class TestNormalPrior:
    prior = NormalPrior(
        mean=np.array([0.0, 1.0]), scale=np.array([2.0, 0.5]), lower=np.array([-np.inf, 0.8])
    )

    def test_log_density_is_truncated(self):
        theta = np.array([[0.3, 0.9], [-4.0, 2.0], [0.0, 0.7]])
        truncated = stats.truncnorm(-0.4, np.inf, loc=1.0, scale=0.5)
        expected = stats.norm.logpdf(theta[:, 0], 0, 2) + truncated.logpdf(theta[:, 1])
        np.testing.assert_allclose(self.prior.log_prob(theta), expected)
        assert self.prior.log_prob(theta)[2] == -np.inf

    def test_derivatives(self, gradient):
        theta = np.array([0.3, 1.4])
        slope, bend = self.prior.derivatives(theta)
        np.testing.assert_allclose(
            slope, gradient(lambda t: self.prior.log_prob(t[None])[0], theta), rtol=1e-8
        )
        np.testing.assert_allclose(bend, [[-0.25, 0], [0, -4]])

    def test_draws(self):
        draws = self.prior.sample(4000, np.random.RandomState(0))
        assert stats.kstest(draws[:, 0], stats.norm(0, 2).cdf).pvalue > 0.01
        truncated = stats.truncnorm(-0.4, np.inf, loc=1.0, scale=0.5)
        assert stats.kstest(draws[:, 1], truncated.cdf).pvalue > 0.01

    def test_draws_beyond_a_far_bound(self):
        # Twenty standard deviations out the rest is nearly exponential.
        prior = NormalPrior(np.zeros(1), np.ones(1), np.array([20.0]))
        draws = prior.sample(4000, np.random.RandomState(0))[:, 0]
        assert draws.min() >= 20
        assert stats.kstest(draws, stats.truncnorm(20, np.inf).cdf).pvalue > 0.01
