import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.special import gammaln

from skholder.models import EllipticalModel, NormalRadial, StudentTRadial, WorkingModel
from skholder.models.base import NormalPrior
from skholder.models.scatter_prior import ScatterPrior

RADIALS = {
    "normal": NormalRadial(),
    "t4": StudentTRadial(),
    "t1.5": StudentTRadial(1.5),
}
each_radial = pytest.mark.parametrize("radial", RADIALS.values(), ids=RADIALS)
each_shape = pytest.mark.parametrize("full", [True, False], ids=["full", "diag"])
gammas = st.floats(0.05, 2.0)


def make(k, radial=RADIALS["normal"], full=True, **priors):
    settings = {"location_prior_scale": 2.5, "log_scale_prior_scale": 1.0, "min_scale": 1e-3}
    return EllipticalModel(k, radial, full=full, **{**settings, **priors})


def random_theta(model, seed, size=1):
    rng = np.random.default_rng(seed)
    theta = rng.uniform(-1.5, 1.5, size=(size, model.n_params))
    return theta if size > 1 else theta[0]


def scatter_of(k, theta, full):
    """The scatter written out entry by entry, apart from the model's own algebra."""
    factor = np.diag(np.exp(-theta[k : 2 * k]))
    if full:
        rest = iter(theta[2 * k :])
        for i in range(k):
            for j in range(i):
                factor[i, j] = next(rest)
    return np.linalg.inv(factor @ factor.T)


def truth(k, theta, radial, full):
    """The same density by SciPy."""
    scatter = scatter_of(k, theta, full)
    if isinstance(radial, NormalRadial):
        return stats.multivariate_normal(theta[:k], scatter)
    return stats.multivariate_t(theta[:k], scatter, df=radial.df)


def grid(k, mean, scatter, reach=15.0, step=0.1):
    """Nodes (N, k) and weights (N,) of the trapezoid rule with sinh spacing around a scatter."""
    t = np.arange(-reach, reach + step / 2, step)
    node, weight = np.sinh(t), step * np.cosh(t)
    nodes = np.stack(np.meshgrid(*[node] * k, indexing="ij"), axis=-1).reshape(-1, k)
    weights = np.prod(np.meshgrid(*[weight] * k, indexing="ij"), axis=0).ravel()
    root = np.linalg.cholesky(scatter)
    return mean + nodes @ root.T, weights * np.prod(np.diag(root))


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(1).normal(scale=1.5, size=(25, 3))


@each_shape
@each_radial
@given(k=st.integers(1, 4), seed=st.integers(0, 10**6))
def test_log_density_is_scipys(radial, full, k, seed):
    model = make(k, radial, full)
    thetas = random_theta(model, seed, size=3)
    rows = np.random.default_rng(seed + 1).normal(scale=2.0, size=(7, k))
    expected = [truth(k, theta, radial, full).logpdf(rows) for theta in thetas]
    np.testing.assert_allclose(model.log_density(thetas, rows), np.transpose(expected), rtol=1e-8)


@each_shape
@each_radial
@pytest.mark.parametrize("power", [0.1, 1.0, 2.0])
def test_kernel_is_a_power_below_the_peak(radial, full, power, rows):
    model = make(3, radial, full)
    thetas = random_theta(model, 5, size=6)
    kernel = model.log_kernel(thetas, rows, power)
    assert kernel.shape == (25, 6)
    assert np.all(kernel <= 0)
    below = model.log_density(thetas, rows) - model.log_peak(thetas)
    np.testing.assert_allclose(kernel, power * below, rtol=1e-9, atol=1e-9)
    # The peak is the density at the location itself.
    at_location = [model.log_density(t[None], t[None, :3])[0, 0] for t in thetas]
    np.testing.assert_allclose(at_location, model.log_peak(thetas), rtol=1e-9, atol=1e-9)


class TestModelPower:
    @each_shape
    @each_radial
    @pytest.mark.parametrize("k", [1, 2])
    @given(gamma=gammas, seed=st.integers(0, 10**6))
    def test_is_quadrature(self, radial, full, k, gamma, seed):
        model = make(k, radial, full)
        theta = random_theta(model, seed)
        nodes, weights = grid(k, theta[:k], scatter_of(k, theta, full), step=0.15)
        power = np.exp((1 + gamma) * truth(k, theta, radial, full).logpdf(nodes))
        found = model.log_power(theta[None], gamma)
        np.testing.assert_allclose(found, [np.log(power @ weights)], atol=1e-8, rtol=0)

    @each_radial
    @given(gamma=gammas, k=st.integers(3, 20))
    def test_is_a_radial_integral_in_any_dimension(self, radial, gamma, k):
        standard = make(k, radial)
        theta = np.zeros(standard.n_params)
        unit = truth(k, theta, radial, True)
        surface = np.log(2) + 0.5 * k * np.log(np.pi) - gammaln(k / 2)
        along = np.zeros(k)
        along[0] = 1.0
        power = (1 + gamma) * unit.logpdf(np.zeros(k))

        def integrand(t):
            r = np.exp(t)
            return np.exp((1 + gamma) * unit.logpdf(r * along) + k * t - power)

        # The bump of r^k p^(1 + gamma) in log r lies well inside.
        total = sum(quad(integrand, a, b, epsabs=0, limit=200)[0] for a, b in ((-20, 1), (1, 25)))
        expected = surface + power + np.log(total)
        np.testing.assert_allclose(standard.log_power(theta[None], gamma), [expected], atol=1e-8)

    @each_shape
    @each_radial
    def test_derivatives(self, radial, full, gradient):
        model = make(3, radial, full)
        theta = random_theta(model, 3)
        slope, bend = model.log_power_derivatives(theta, 0.7)
        expected = gradient(lambda t: model.log_power(t[None], 0.7)[0], theta)
        np.testing.assert_allclose(slope, expected, atol=1e-9)
        # log C is linear in theta.
        np.testing.assert_array_equal(bend, 0)

    @each_shape
    @each_radial
    @given(k=st.integers(1, 5), seed=st.integers(0, 10**6))
    def test_leaves_zero_at_the_rate_of_the_entropy(self, radial, full, k, seed):
        model = make(k, radial, full)
        theta = random_theta(model, seed)
        np.testing.assert_allclose(model.log_power(theta[None], 0.0), 0, atol=1e-12)
        rate = model.log_power(theta[None], 1e-6)[0] / 1e-6
        entropy = truth(k, theta, radial, full).entropy()
        np.testing.assert_allclose(-rate, entropy, atol=1e-4)


@each_shape
@each_radial
@given(k=st.integers(1, 3), seed=st.integers(0, 10**6))
def test_score_sums_are_derivatives(radial, full, gradient, k, seed):
    model = make(k, radial, full)
    theta = random_theta(model, seed)
    rows = np.random.default_rng(seed).normal(scale=1.5, size=(12, k))
    weight = np.linspace(0.1, 2, len(rows))
    scores = gradient(lambda t: model.log_density(t[None], rows)[:, 0], theta)
    first, second, outer = model.score_sums(theta, rows, weight)
    size = np.abs(scores).max()
    np.testing.assert_allclose(first, weight @ scores, rtol=1e-6, atol=1e-6 * size)
    expected = np.einsum("i,ij,ik->jk", weight, scores, scores)
    np.testing.assert_allclose(outer, expected, rtol=1e-6, atol=1e-6 * size**2)
    bend = gradient(lambda t: model.score_sums(t, rows, weight)[0], theta)
    np.testing.assert_allclose(second, bend, rtol=1e-6, atol=1e-6 * np.abs(bend).max())
    np.testing.assert_allclose(second, second.T, rtol=1e-12, atol=1e-12 * np.abs(bend).max())


@each_shape
@each_radial
@given(k=st.integers(1, 4), seed=st.integers(0, 10**6), weighted=st.booleans())
def test_curvature_sums_in_one_go(radial, full, k, seed, weighted):
    model = make(k, radial, full)
    theta = random_theta(model, seed)
    rows = np.random.default_rng(seed).normal(scale=1.5, size=(12, k))
    weight = np.linspace(0.1, 2, len(rows)) if weighted else None
    found = model.curvature_sums(theta, rows, weight, 0.7, 0.4)
    expected = WorkingModel.curvature_sums(model, theta, rows, weight, 0.7, 0.4)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9 * np.abs(other).max())


class TestSampler:
    @each_shape
    @each_radial
    def test_quadratic_form_and_projection(self, radial, full):
        model = make(3, radial, full)
        theta = random_theta(model, 11)
        draws = model.sample(np.tile(theta, (4000, 1)), np.random.RandomState(0))
        scatter = scatter_of(3, theta, full)
        d = draws - theta[:3]
        distance = np.einsum("ij,ij->i", d @ np.linalg.inv(scatter), d) / 3
        direction = np.array([0.3, -1.2, 0.8])
        projection = d @ direction / np.sqrt(direction @ scatter @ direction)
        heavy = isinstance(radial, StudentTRadial)
        law = stats.f(3, radial.df) if heavy else stats.chi2(3, scale=1 / 3)
        marginal = stats.t(radial.df) if heavy else stats.norm()
        assert stats.kstest(distance, law.cdf).pvalue > 0.01
        assert stats.kstest(projection, marginal.cdf).pvalue > 0.01

    @pytest.mark.parametrize("radial", [NormalRadial(), StudentTRadial(30.0)], ids=["normal", "t"])
    def test_moments(self, radial):
        model = make(2, radial)
        theta = random_theta(model, 2)
        draws = model.sample(np.tile(theta, (40_000, 1)), np.random.RandomState(1))
        covariance = radial.covariance_factor(2) * scatter_of(2, theta, True)
        sd = np.sqrt(np.diag(covariance))
        np.testing.assert_allclose(draws.mean(axis=0), theta[:2], atol=0.02 * sd.max())
        error = (np.cov(draws, rowvar=False) - covariance) / np.outer(sd, sd)
        np.testing.assert_allclose(error, 0, atol=0.03)

    def test_each_row_follows_its_own_theta(self):
        model = make(2)
        thetas = np.zeros((2000, 5))
        thetas[1::2, :2] = 100.0
        draws = model.sample(thetas, np.random.RandomState(0))
        np.testing.assert_allclose(draws[::2].mean(axis=0), 0, atol=0.15)
        np.testing.assert_allclose(draws[1::2].mean(axis=0), 100, atol=0.15)


@pytest.mark.parametrize(("df", "factor"), [(4.0, 2.0), (3.0, 3.0), (2.0, np.nan), (1.0, np.nan)])
def test_covariance_of_a_student_t(df, factor):
    np.testing.assert_equal(StudentTRadial(df).covariance_factor(3), factor)


@each_shape
@given(k=st.integers(1, 6), seed=st.integers(0, 10**6))
def test_theta_of_inverts_location_and_scatter(full, k, seed):
    model = make(k, full=full)
    theta = random_theta(model, seed)
    scatter = model.scatter(theta[None])[0]
    np.testing.assert_allclose(scatter, scatter_of(k, theta, full), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.theta_of(theta[:k], scatter), theta, rtol=1e-5, atol=1e-6)


@given(seed=st.integers(0, 10**6))
def test_theta_of_a_nearly_singular_scatter(seed):
    # Far outliers along a line leave such a start: its inverse has no Cholesky factor in floats.
    model = make(3)
    turn = stats.ortho_group.rvs(3, random_state=seed)
    scatter = turn @ np.diag([1e11, 1.0, 0.5]) @ turn.T
    found = model.scatter(model.theta_of(np.zeros(3), scatter)[None])[0]
    np.testing.assert_allclose(found, scatter, atol=1e6)


def test_parameter_names():
    assert make(2).parameter_names == (
        "location[0]",
        "location[1]",
        "log_scale[0]",
        "log_scale[1]",
        "precision_factor[1,0]",
    )
    assert make(2, full=False).n_params == 4
    assert make(20).n_params == 230


class TestCalibration:
    @given(
        k=st.integers(1, 20),
        gamma=st.floats(0.01, 2),
        alpha=st.floats(0.5, 1),
        seed=st.integers(0, 10**6),
    )
    def test_is_the_stated_constant(self, k, gamma, alpha, seed):
        model = make(k)
        theta = random_theta(model, seed)
        constant = (2 * np.pi) ** (k * gamma / 2) * (1 + 2 * gamma) ** (k / 2 + 1)
        constant /= gamma * (1 + gamma) ** (k / 2 + 2)
        _, log_det = np.linalg.slogdet(scatter_of(k, theta, True))
        expected = constant * np.exp(gamma * log_det / 2) / alpha**gamma
        np.testing.assert_allclose(model.calibration(theta, gamma, alpha), expected, rtol=1e-6)

    @pytest.mark.parametrize("k", [1, 2])
    @pytest.mark.parametrize("gamma", [0.2, 1.0])
    def test_matches_curvature_and_variance_of_the_location(self, k, gamma):
        # Curvature over variance of the loss's gradient in the first location, by quadrature.
        model, alpha = make(k), 0.8
        theta = random_theta(model, 4)
        scatter = scatter_of(k, theta, True)
        nodes, weights = grid(k, theta[:k], scatter, reach=6.0, step=0.05)
        p = truth(k, theta, RADIALS["normal"], True).pdf(nodes)
        score = ((nodes - theta[:k]) @ np.linalg.inv(scatter))[:, 0]
        mass = weights * p
        curvature = gamma * (1 + gamma) * alpha ** (1 + gamma) * (mass * p**gamma) @ score**2
        slope = gamma * (1 + gamma) * alpha**gamma * p**gamma * score
        variance = alpha * mass @ slope**2
        np.testing.assert_allclose(
            model.calibration(theta, gamma, alpha), curvature / variance, rtol=1e-6
        )

    @pytest.mark.parametrize("k", [1, 5, 20])
    def test_standard_bayes_is_the_limit(self, k):
        # beta n H has the ordinary log-likelihood as its limit only if beta gamma tends to 1.
        model = make(k)
        theta = random_theta(model, 8)
        values = [g * model.calibration(theta, g, 0.9) for g in (1e-3, 1e-5, 1e-7)]
        np.testing.assert_allclose(values[-1], 1, atol=1e-5)
        assert abs(values[0] - 1) > abs(values[1] - 1) > abs(values[2] - 1)

    def test_student_t_has_no_closed_form(self):
        assert make(2, RADIALS["t4"]).calibration(np.zeros(5), 0.5, 0.9) is None


def half_logarithm(k, theta):
    """Lower triangle of half the matrix logarithm of the scatter."""
    value, vector = np.linalg.eigh(scatter_of(k, theta, True))
    return ((vector * (0.5 * np.log(value))) @ vector.T)[np.tril_indices(k)]


def without_measure(prior, theta, k):
    """Log density with respect to the invariant measure of positive definite matrices."""
    return prior.log_prob(theta[None])[0] - np.arange(k) @ theta[k : 2 * k]


class TestScatterPrior:
    @given(k=st.integers(2, 5), seed=st.integers(0, 10**6))
    def test_gradient(self, gradient, k, seed):
        model = make(k, location_prior_scale=1.7, log_scale_prior_scale=0.6)
        theta = random_theta(model, seed)
        slope, _ = model.prior.derivatives(theta)
        expected = gradient(lambda t: model.prior.log_prob(t[None])[0], theta)
        np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-6 * np.abs(slope).max())

    @pytest.mark.parametrize("k", [2, 3, 5])
    def test_hessian_is_exact_at_the_unit_scatter(self, gradient, k):
        model = make(k, location_prior_scale=1.7, log_scale_prior_scale=0.6)
        theta = np.zeros(model.n_params)
        theta[:k] = 0.4
        expected = gradient(lambda t: model.prior.derivatives(t)[0], theta)
        np.testing.assert_allclose(model.prior.derivatives(theta)[1], expected, atol=1e-6)

    @given(k=st.integers(2, 6), seed=st.integers(0, 10**6))
    def test_rotations_leave_it_as_it_is(self, k, seed):
        model = make(k)
        theta = random_theta(model, seed)
        rotation = stats.ortho_group.rvs(k, random_state=seed)
        scatter = rotation @ model.scatter(theta[None])[0] @ rotation.T
        turned = model.theta_of(rotation @ theta[:k], scatter)
        # A turn that did nothing would prove nothing.
        assert np.max(np.abs(turned - theta)) > 1e-3
        np.testing.assert_allclose(
            without_measure(model.prior, turned, k),
            without_measure(model.prior, theta, k),
            rtol=1e-6,
        )

    @pytest.mark.parametrize("k", [2, 3, 4])
    @given(seed=st.integers(0, 10**6))
    def test_is_normal_in_location_and_matrix_logarithm(self, gradient, k, seed):
        # Half the logarithm of the scatter has normal entries; the Jacobian is a numerical one.
        model = make(k, location_prior_scale=1.7, log_scale_prior_scale=0.6)
        theta = random_theta(model, seed)

        def entries(rest):
            return half_logarithm(k, np.append(theta[:k], rest))

        sd = np.where(np.equal(*np.tril_indices(k)), 0.6, 0.6 / np.sqrt(2))
        expected = stats.norm.logpdf(theta[:k], 0, 1.7).sum()
        expected += stats.norm.logpdf(entries(theta[k:]), 0, sd).sum()
        expected += np.linalg.slogdet(gradient(entries, theta[k:]))[1]
        np.testing.assert_allclose(model.prior.log_prob(theta[None]), [expected], atol=1e-5)

    @pytest.mark.parametrize("k", [2, 4])
    def test_draws(self, k):
        model = make(k, location_prior_scale=1.7, log_scale_prior_scale=0.6)
        draws = model.prior.sample(1500, np.random.RandomState(0))
        assert draws.shape == (1500, model.n_params)
        assert stats.kstest(draws[:, :k].ravel() / 1.7, stats.norm.cdf).pvalue > 0.01
        sd = np.where(np.equal(*np.tril_indices(k)), 0.6, 0.6 / np.sqrt(2))
        standard = np.array([half_logarithm(k, theta) for theta in draws]) / sd
        assert stats.kstest(standard.ravel(), stats.norm.cdf).pvalue > 0.01
        np.testing.assert_allclose(np.corrcoef(standard, rowvar=False), np.eye(len(sd)), atol=0.1)

    def test_extreme_draws_are_finite(self):
        # The sampler proposes from the prior, however wide it is.
        model = make(5, log_scale_prior_scale=10.0)
        draws = model.prior.sample(500, np.random.RandomState(0))
        assert np.all(np.isfinite(draws))
        assert not np.any(np.isnan(model.prior.log_prob(draws)))

    def test_another_floor(self):
        model = make(2)
        prior = model.prior.with_lower(np.array([-np.inf, -np.inf, -0.5, -0.5, -np.inf]))
        thetas = np.array([[0.1, 0.2, -0.4, 0.3, 0.5], [0.1, 0.2, -0.6, 0.3, 0.5]])
        value = prior.log_prob(thetas)
        assert value[0] == model.prior.log_prob(thetas)[0]
        assert value[1] == -np.inf

    def test_nothing_below_the_floor(self):
        model = make(2, min_scale=0.01)
        thetas = np.zeros((3, 5))
        thetas[1, 2], thetas[2, 3] = np.log(0.0099), np.log(0.0101)
        assert list(np.isfinite(model.prior.log_prob(thetas))) == [True, False, True]

    def test_only_correlated_columns_need_it(self):
        assert isinstance(make(2).prior, ScatterPrior)
        assert isinstance(make(1).prior, NormalPrior)
        assert isinstance(make(2, full=False).prior, NormalPrior)


@each_shape
def test_starts_find_the_clean_rows(full):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
    rows[:50] = rng.normal(9, 1, size=(50, 2))
    model = make(2, full=full)
    starts = model.starts(rows, None, np.random.RandomState(0))
    assert starts.shape[1] == model.n_params
    clean = model.theta_of(rows[50:].mean(axis=0), np.cov(rows[50:], rowvar=False))
    everything = model.theta_of(rows.mean(axis=0), np.cov(rows, rowvar=False, ddof=0))
    assert np.min(np.max(np.abs(starts - clean), axis=1)) < 0.5
    assert np.min(np.max(np.abs(starts - everything), axis=1)) < 1e-6


def test_the_prior_has_no_density_where_eigenvalues_are_too_far_apart_for_floats():
    # Their logarithms would be those of rounding errors, and the density would seem to grow.
    model = make(3)
    theta = np.zeros((4, model.n_params))
    theta[1:, 5] = [10.0, 20.0, 60.0]
    usual, wide, wider, lost = model.prior.log_prob(theta)
    assert usual > wide > wider > -np.inf
    assert lost == -np.inf
    # One log-scale t of three: its own normal, two factors of sinh and the Jacobian of L.
    expected = usual - 0.5 * 20.0**2 - 2 * (np.log(np.sinh(20.0)) - np.log(20.0)) + 2 * 20.0
    np.testing.assert_allclose(wider, expected)
