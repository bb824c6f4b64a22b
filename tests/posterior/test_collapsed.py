import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from skholder.divergences import check_divergence
from skholder.models import LinearModel, NormalNoise, StudentTNoise
from skholder.posterior import AlphaPrior, HolderPosterior, ProfileRisk
from skholder.rows import RowBlocks

NOISES = {"normal": NormalNoise(), "student": StudentTNoise()}
DENSITY = {"normal": stats.norm(), "student": stats.t(4)}
FAMILIES = ["dpd", "expsat", "ratsat", "gamma", "kl"]
S_OF_Z = {
    "dpd": lambda z: z,
    "expsat": lambda z: 1 + (1 - np.exp(-0.5 * (z - 1))) / 0.5,
    "ratsat": lambda z: 1 + (z - 1) / (1 + 0.25 * (z - 1)),
}
each_family = pytest.mark.parametrize("family", FAMILIES)
each_noise = pytest.mark.parametrize("noise", NOISES)
GAMMA, BETA = 0.5, 1.7
THETAS = np.array(
    # Near the fit, off it, too wide, and close to the smallest scale.
    [[0.1, 0.9, -0.4], [0.8, -0.3, 0.2], [0.0, 0.0, 1.2], [0.2, 1.0, -2.5]]
)


@pytest.fixture(scope="module")
def rows(contaminated):
    X, y, *_ = contaminated(50, 1, 0.2, shift=5.0)
    weight = np.where(np.arange(50) % 5 == 0, 2.0, 1.0)
    return RowBlocks(np.column_stack([np.ones(50), X, y - 0.5]), weight)


def linear(noise, **kwargs):
    settings = {"coef_prior_scale": 2.0, "log_scale_prior_scale": 0.8, "min_scale": 0.05}
    return LinearModel(NOISES[noise], 2, **{**settings, **kwargs})


def posterior(noise, family, rows, gamma=GAMMA, beta=BETA, prior=None):
    return HolderPosterior(
        linear(noise),
        rows,
        check_divergence(family, gamma),
        gamma,
        beta,
        prior or AlphaPrior(1, 1, 0.5),
    )


def brute_log_density(noise, rows, theta):
    location = rows.rows[:, :-1] @ theta[:-1]
    density = DENSITY[noise]
    return density.dist.logpdf(
        rows.rows[:, -1], *density.args, loc=location, scale=np.exp(theta[-1])
    )


def brute_log_prior(theta):
    low = np.log(0.05) / 0.8
    return stats.norm.logpdf(theta[:-1], 0, 2).sum() + stats.truncnorm.logpdf(
        theta[-1], low, np.inf, scale=0.8
    )


def brute_powers(noise, rows, theta, gamma):
    """S by its sum and C by quadrature."""
    s = np.average(np.exp(gamma * brute_log_density(noise, rows, theta)), weights=rows.weight)
    density, sigma = DENSITY[noise], np.exp(theta[-1])
    half = quad(lambda r: density.pdf(r) ** (1 + gamma), 0, np.inf, epsabs=1e-13)[0]
    return s, 2 * half / sigma**gamma


def joint_log_density(family, gamma, weight, s, c, alpha):
    """-beta n H + log prior of a uniform alpha on [1/2, 1]."""
    phi = gamma - (1 + gamma) * S_OF_Z[family](s / (alpha * c))
    return -weight * phi * alpha ** (1 + gamma) * c + np.log(2)


@each_noise
@each_family
def test_log_posterior_is_the_integral_of_the_joint(family, noise, rows):
    target = posterior(noise, family, rows)
    found = target.log_prob(THETAS)
    for theta, value in zip(THETAS, found[:, 0], strict=True):
        s, c = brute_powers(noise, rows, theta, GAMMA)
        weight = BETA * rows.total_weight
        if family == "kl":
            expected = BETA * rows.weight @ brute_log_density(noise, rows, theta)
        elif family == "gamma":
            expected = weight * s ** (1 + GAMMA) / c**GAMMA
        else:
            peak = np.clip(s / c, 0.5, 1)
            top = joint_log_density(family, GAMMA, weight, s, c, peak)
            mass = quad(
                lambda a, s=s, c=c, w=weight, t=top: np.exp(
                    joint_log_density(family, GAMMA, w, s, c, a) - t
                ),
                0.5,
                1,
                points=[peak],
                epsabs=1e-13,
            )[0]
            expected = top + np.log(mass)
        np.testing.assert_allclose(value, expected + brute_log_prior(theta), rtol=1e-8)


@each_noise
def test_power_mean_is_kept_with_the_log_posterior(noise, rows):
    kept = posterior(noise, "dpd", rows).log_prob(THETAS)[:, 1]
    expected = [np.log(brute_powers(noise, rows, t, GAMMA)[0]) / GAMMA for t in THETAS]
    np.testing.assert_allclose(kept, expected, rtol=1e-10)


@each_noise
@each_family
def test_curve_is_value_gradient_and_hessian(gradient, family, noise, rows):
    target = posterior(noise, family, rows)
    for theta in THETAS:
        curve = target.curve(theta)
        np.testing.assert_allclose(curve.value, target.log_prob(theta[None])[0, 0], rtol=1e-12)
        slope = gradient(lambda t: target.log_prob(t[None])[0, 0], theta)
        size = np.abs(slope).max()
        np.testing.assert_allclose(curve.gradient, slope, rtol=1e-5, atol=1e-6 * size)
        bend = gradient(lambda t: target.curve(t).gradient, theta)
        np.testing.assert_allclose(curve.hessian, bend, rtol=1e-5, atol=1e-6 * np.abs(bend).max())


@each_noise
@each_family
def test_profile_risk_curve(gradient, family, noise, rows):
    risk = ProfileRisk(
        linear(noise), rows, check_divergence(family, GAMMA), GAMMA, lower=0.5, multiplier=3.0
    )
    for theta in THETAS:
        s, c = brute_powers(noise, rows, theta, GAMMA)
        alpha = np.clip(s / c, 0.5, 1)
        if family == "kl":
            expected = np.average(brute_log_density(noise, rows, theta), weights=rows.weight)
        elif family == "gamma":
            expected = s ** (1 + GAMMA) / c**GAMMA
        else:
            # -H at the best alpha, which is S / C clipped to its support.
            expected = joint_log_density(family, GAMMA, 1.0, s, c, alpha) - np.log(2)
        curve = risk.curve(theta)
        np.testing.assert_allclose(curve.value, 3 * expected, rtol=1e-8)
        np.testing.assert_allclose(risk.height(theta), 3 * expected, rtol=1e-8)
        slope = gradient(risk.height, theta)
        np.testing.assert_allclose(curve.gradient, slope, rtol=1e-6, atol=1e-7)
        bend = gradient(lambda t: risk.curve(t).gradient, theta)
        np.testing.assert_allclose(curve.hessian, bend, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("family", "lower"), [("dpd", 0.5), ("ratsat", 0.5), ("gamma", 0.0)])
def test_profile_alpha_is_the_clipped_ratio(family, lower, rows):
    risk = ProfileRisk(linear("normal"), rows, check_divergence(family, 0.5), 0.5, 0.5, 1.0)
    for theta in THETAS:
        s, c = brute_powers("normal", rows, theta, 0.5)
        np.testing.assert_allclose(risk.alpha(theta), np.clip(s / c, lower, 1), rtol=1e-9)


def test_outside_the_prior_is_minus_infinity(rows):
    below = np.array([[0.0, 0.0, np.log(0.049)], [0.0, 0.0, np.log(0.051)]])
    log_prob = posterior("normal", "dpd", rows).log_prob(below)[:, 0]
    assert log_prob[0] == -np.inf
    assert np.isfinite(log_prob[1])


def test_far_away_is_finite(rows):
    far = np.array([[1e6, -1e6, 0.0], [0.0, 0.0, 300.0]])
    assert np.all(np.isfinite(posterior("normal", "dpd", rows).log_prob(far)[:, 0]))


@pytest.mark.parametrize("family", ["dpd", "expsat", "ratsat", "gamma"])
def test_vacuum_is_a_model_that_explains_nothing(family, rows):
    target = posterior("normal", family, rows)
    theta = THETAS[:1]
    found = target.vacuum(theta)[0]
    if family == "gamma":
        assert found == 0
        return
    _, c = brute_powers("normal", rows, theta[0], GAMMA)
    weight = BETA * rows.total_weight
    mass = quad(lambda a: np.exp(joint_log_density(family, GAMMA, weight, 0.0, c, a)), 0.5, 1)[0]
    np.testing.assert_allclose(found, np.log(mass), rtol=1e-8)


@pytest.mark.parametrize("family", ["dpd", "expsat", "gamma"])
def test_small_gamma_is_the_likelihood(family, rows):
    # beta = 1 / gamma: differences of the log posterior tend to differences of n times the mean
    # log likelihood, at the rate of gamma; alpha = 1 as Standard Bayes has no outliers.
    nearly_one = AlphaPrior(1, 1, 1 - 1e-9)
    thetas = THETAS[:3]
    standard = posterior("normal", "kl", rows, beta=1.0).log_prob(thetas)[:, 0]
    gaps = []
    for gamma in (1e-3, 1e-4):
        target = posterior("normal", family, rows, gamma, 1 / gamma, nearly_one)
        found = target.log_prob(thetas)[:, 0]
        gaps.append(np.diff(found) - np.diff(standard))
    np.testing.assert_allclose(gaps[1], 0, atol=0.02 * np.abs(np.diff(standard)).max())
    assert np.all(np.abs(gaps[1]) < 0.2 * np.abs(gaps[0]))


def test_draw_alpha_uses_the_conditional_of_each_theta(rows):
    target = posterior("normal", "dpd", rows, beta=500.0)
    mean = target.log_mean(THETAS)
    alpha = target.draw_alpha(THETAS, mean, np.random.RandomState(0))
    ratio = [np.divide(*brute_powers("normal", rows, t, GAMMA)) for t in THETAS]
    np.testing.assert_allclose(alpha, np.clip(ratio, 0.5, 1), atol=0.03)


@pytest.fixture(scope="module")
def many(contaminated):
    X, y, *_ = contaminated(400, 1, 0.2, shift=5.0)
    return RowBlocks(np.column_stack([np.ones(400), X, y - 0.5]))


class TestNear:
    @each_family
    def test_the_same_posterior_to_single_precision(self, family, many):
        plain = posterior("normal", family, many)
        near = plain.near(THETAS[0])
        np.testing.assert_allclose(near.log_prob(THETAS), plain.log_prob(THETAS), rtol=1e-5)

    def test_the_one_given_is_left_alone(self, many):
        plain = posterior("normal", "dpd", many)
        before = dict(vars(plain))
        near = plain.near(THETAS[0])
        assert near is not plain
        assert vars(plain) == before
        assert near.single is not None

    @pytest.mark.parametrize("family", ["dpd", "kl"])
    def test_double_precision_for_few_rows_and_for_standard_bayes(self, family, rows, many):
        table = rows if family == "dpd" else many
        plain = posterior("normal", family, table)
        near = plain.near(THETAS[0])
        assert near.single is None
        np.testing.assert_array_equal(near.log_prob(THETAS), plain.log_prob(THETAS))
