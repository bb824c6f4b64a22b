from itertools import pairwise
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar
from scipy.special import betaln

from skholder.divergences import (
    DensityPower,
    ExponentialSaturated,
    RationalSaturated,
    check_divergence,
)
from skholder.posterior import AlphaConditional, AlphaPrior, profile_terms

# phi as plain Python, written apart from the package: the reference must not share its code.
PHI = {
    "dpd": lambda z, g: g - (1 + g) * z,
    "expsat": lambda z, g: g - (1 + g) * (1 + (1 - np.exp(-0.5 * (z - 1))) / 0.5),
    "ratsat": lambda z, g: g - (1 + g) * (1 + (z - 1) / (1 + 0.25 * (z - 1))),
}
DIVERGENCE = {
    "dpd": DensityPower(),
    "expsat": ExponentialSaturated(),
    "ratsat": RationalSaturated(),
}
PRIORS = [AlphaPrior(1, 1, 0.5), AlphaPrior(1, 1, 0.0), AlphaPrior(2, 5, 0.5)]
RATIOS = [0.01, 0.1, 0.3, 0.55, 0.8, 0.97, 1.0, 1.3]
SIZES = [10, 100, 3000, 1_000_000]


def weight_of(n, gamma, log_c):
    """beta n at the calibrated temperature for normal noise, whatever the scale of C."""
    return n * (1 + 2 * gamma) ** 1.5 / (gamma * (1 + gamma) ** 3) * exp(-log_c)


class Reference:
    """The conditional of alpha by scipy.integrate.quad, in panels around its mode."""

    def __init__(self, family, gamma, weight, prior, u, v):
        # At n = 1e6 log f is of size 1e7: doubles would leave noise of 1e-9 in the integrand.
        self.number = np.longdouble if weight * exp(v) > 1e3 else float
        u, v, gamma, weight = (self.number(x) for x in (u, v, gamma, weight))
        self.phi, self.gamma, self.prior = PHI[family], gamma, prior
        self.exp, self.log = (exp, log) if self.number is float else (np.exp, np.log)
        self.size, self.ratio = weight * self.exp(v), self.exp(u - v)
        sf = stats.beta.sf(prior.lower, prior.a, prior.b)
        self.log_norm = betaln(prior.a, prior.b) + log(sf)
        self.top = self.number(0)
        grid = np.linspace(max(prior.lower, 1e-6), 1 - 1e-9, 401)
        best = int(np.argmax([self.log_f(a) for a in grid]))
        inside = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
        self.top = self.log_f(grid[best])
        self.mode = minimize_scalar(
            lambda a: -self.log_f(a), bounds=inside, method="bounded", options={"xatol": 1e-12}
        ).x
        self.top += self.log_f(self.mode)

    def log_f(self, alpha):
        """log of f at alpha over f at the mode."""
        a, b, g, alpha = self.prior.a, self.prior.b, self.gamma, self.number(alpha)
        value = -self.size * alpha ** (1 + g) * self.phi(self.ratio / alpha, g)
        return value + (a - 1) * self.log(alpha) + (b - 1) * self.log(1 - alpha) - self.top

    def edges(self):
        """Panels that end where f has dropped by exp(-50), or at the support."""

        def short(a):
            return float(self.log_f(a)) + 50

        left, right = max(self.prior.lower, 1e-16), 1 - 1e-16
        if short(left) < 0:
            left = brentq(short, left, self.mode)
        if short(right) < 0:
            right = brentq(short, self.mode, right)
        below = np.linspace(left, self.mode, 13)
        if left < 1e-3 * self.mode:
            below = np.append(np.geomspace(left, self.mode / 13, 40), below[1:])
        return np.append(below, np.linspace(self.mode, right, 13)[1:])

    def mass(self, start, stop):
        return quad(lambda a: exp(self.log_f(a)), start, stop, epsabs=1e-20, epsrel=1e-11)[0]

    def log_integral(self):
        mass = sum(self.mass(*panel) for panel in pairwise(self.edges()))
        return float(self.top + log(mass) - self.log_norm)

    def cdf(self, alpha):
        """Distribution function on an array of alphas."""
        edges = self.edges()
        known = np.append(0.0, np.cumsum([self.mass(*panel) for panel in pairwise(edges)]))
        values = np.empty(len(alpha))
        for i, a in enumerate(np.clip(alpha, edges[0], edges[-1])):
            j = max(np.searchsorted(edges, a) - 1, 0)
            values[i] = (known[j] + (self.mass(edges[j], a) if a > edges[j] else 0)) / known[-1]
        return values


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
@pytest.mark.parametrize("gamma", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("family", PHI)
def test_log_integral_agrees_with_quad(family, gamma, prior):
    for n in SIZES:
        # C should enter through beta n C and S / C only, so its size varies here.
        log_c = -1.5 if n < 1000 else 0.8
        weight = weight_of(n, gamma, log_c)
        u, v = np.log(RATIOS) + log_c, np.full(len(RATIOS), log_c)
        found = AlphaConditional(DIVERGENCE[family], gamma, weight, prior).log_integral(u, v)
        expected = [
            Reference(family, gamma, weight, prior, *pair).log_integral()
            for pair in zip(u, v, strict=True)
        ]
        # The relative error of an integral is the absolute error of its logarithm.
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("ratio", [0.05, 0.6, 0.999, 1.2])
@pytest.mark.parametrize("n", [20, 100_000])
def test_log_integral_with_an_unbounded_prior(ratio, n):
    # With Beta(1/2, 1/2), alpha = sin(t)^2 makes the prior uniform in t on (0, pi/2).
    def log_f(t):
        alpha = np.sin(t) ** 2
        return -n * alpha**1.5 * PHI["dpd"](ratio / alpha, 0.5)

    mode = np.arcsin(np.sqrt(min(ratio, 1.0)))
    edges = np.unique(np.clip(mode + np.linspace(-12, 12, 49) / np.sqrt(n), 1e-9, np.pi / 2))
    edges = np.unique(np.r_[1e-9, edges, np.pi / 2])
    top = log_f(mode)
    mass = sum(quad(lambda t: np.exp(log_f(t) - top), *e, epsabs=1e-14)[0] for e in pairwise(edges))
    conditional = AlphaConditional(DensityPower(), 0.5, float(n), AlphaPrior(0.5, 0.5, 0.0))
    found = conditional.log_integral([np.log(ratio)], [0.0])
    np.testing.assert_allclose(found, top + np.log(mass / (np.pi / 2)), rtol=0, atol=1e-8)


def test_log_integral_does_not_depend_on_its_batch():
    conditional = AlphaConditional(DensityPower(), 0.5, 30.0, AlphaPrior(1, 1, 0.0))
    u = np.log(RATIOS)
    alone = [conditional.log_integral([x], [0.0])[0] for x in u]
    np.testing.assert_allclose(conditional.log_integral(u, np.zeros(len(u))), alone, atol=1e-9)


@pytest.mark.parametrize("family", PHI)
@pytest.mark.parametrize("prior", [*PRIORS, AlphaPrior(2, 0.5, 0.2)], ids=repr)
@pytest.mark.parametrize("n", [30, 2000])
def test_terms_are_derivatives(gradient, family, prior, n):
    conditional = AlphaConditional(DIVERGENCE[family], 0.5, weight_of(n, 0.5, -0.4), prior)
    for ratio in (0.2, 0.7, 0.98, 1.15):
        point = np.array([np.log(ratio) - 0.4, -0.4])

        def value(x):
            return conditional.log_integral(x[:1], x[1:])[0]

        def slopes(x):
            terms = conditional.terms(x[:1], x[1:])
            return np.array([terms.d1[0], terms.d2[0]])

        terms = conditional.terms(point[:1], point[1:])
        np.testing.assert_allclose(terms.value[0], value(point), rtol=1e-13)
        np.testing.assert_allclose(slopes(point), gradient(value, point), rtol=1e-5, atol=1e-5 * n)
        bends = np.array([[terms.d11[0], terms.d12[0]], [terms.d12[0], terms.d22[0]]])
        expected = gradient(slopes, point)
        np.testing.assert_allclose(bends, expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


class Grid:
    """Stands in for a random generator: its uniforms are known."""

    def __init__(self, values):
        self.values = values

    def uniform(self, size):
        assert size == len(self.values)
        return self.values


LEVELS = np.array([1e-4, 0.02, 0.2, 0.5, 0.8, 0.98, 0.9999])


@pytest.mark.parametrize("family", PHI)
@pytest.mark.parametrize("prior", PRIORS, ids=repr)
@pytest.mark.parametrize("n", [15, 4000])
def test_draws_invert_the_distribution_function(family, prior, n):
    conditional = AlphaConditional(DIVERGENCE[family], 0.5, weight_of(n, 0.5, 0.3), prior)
    for ratio in (0.3, 0.8, 1.0, 1.3):
        u, v = np.full(len(LEVELS), np.log(ratio) + 0.3), np.full(len(LEVELS), 0.3)
        alpha = conditional.draw(u, v, Grid(LEVELS))
        reference = Reference(family, 0.5, conditional.beta_n, prior, u[0], v[0])
        np.testing.assert_allclose(reference.cdf(alpha), LEVELS, rtol=0, atol=1e-6)


@pytest.mark.parametrize("family", PHI)
@pytest.mark.parametrize(("ratio", "n"), [(0.7, 200), (1.02, 200), (0.2, 20)])
def test_draws_follow_the_conditional(family, ratio, n):
    prior = AlphaPrior(1, 1, 0.5)
    conditional = AlphaConditional(DIVERGENCE[family], 0.5, weight_of(n, 0.5, 0.0), prior)
    u = np.full(1000, np.log(ratio))
    alpha = conditional.draw(u, np.zeros(1000), np.random.RandomState(3))
    reference = Reference(family, 0.5, conditional.beta_n, prior, u[0], 0.0)
    assert stats.kstest(alpha, reference.cdf).pvalue > 0.01


def test_draws_stay_inside_the_support():
    conditional = AlphaConditional(DensityPower(), 0.5, 1e9, AlphaPrior(1, 1, 0.5))
    u = np.log(np.repeat([1e-8, 0.5, 0.9, 1.0, 3.0], 50))
    alpha = conditional.draw(u, np.zeros(250), np.random.RandomState(0))
    assert np.all((alpha >= 0.5) & (alpha <= 1))
    # At this weight the conditional is a spike at the clipped ratio.
    np.testing.assert_allclose(alpha, np.clip(np.exp(u), 0.5, 1), atol=1e-3)


def test_a_prior_on_next_to_no_room_has_an_integral():
    conditional = AlphaConditional(DensityPower(), 0.5, 30.0, AlphaPrior(9, 1, 1 - 1e-9))
    log_s, log_c = np.log([0.5, 2.0]), np.zeros(2)
    found = conditional.log_integral(log_s, log_c)
    at_one = AlphaConditional(DensityPower(), 0.5, 30.0, AlphaPrior(1, 1, 1 - 1e-9))
    np.testing.assert_allclose(found, at_one.log_integral(log_s, log_c), rtol=1e-6)


def test_user_divergence_has_the_same_integral():
    class Mine:
        def phi(self, z, gamma):
            return gamma - (1 + gamma) * z

    u, v = np.log(RATIOS), np.zeros(len(RATIOS))
    both = [
        AlphaConditional(d, 0.5, 300.0, PRIORS[0]).log_integral(u, v)
        for d in (check_divergence(Mine(), 0.5), DensityPower())
    ]
    np.testing.assert_allclose(*both, rtol=1e-12)


@given(
    family=st.sampled_from(sorted(PHI)),
    gamma=st.floats(0.1, 1.5),
    ratio=st.floats(0.05, 1.6),
    lower=st.sampled_from([0.0, 0.5, 0.9]),
    log_c=st.floats(-2, 2),
)
def test_profile_is_the_least_risk(gradient, family, gamma, ratio, lower, log_c):
    def least(x):
        u, v = x

        def risk(a):
            return a ** (1 + gamma) * exp(v) * PHI[family](exp(u - v) / a, gamma)

        low = max(lower, 1e-12)
        found = minimize_scalar(risk, bounds=(low, 1), method="bounded", options={"xatol": 1e-10})
        return min(found.fun, risk(low), risk(1.0))

    point = np.array([log(ratio) + log_c, log_c])
    divergence = DIVERGENCE[family]
    terms = profile_terms(divergence, gamma, *point, lower)
    size = exp(log_c)
    np.testing.assert_allclose(terms.value[0], least(point), rtol=1e-9, atol=1e-10 * size)
    if min(abs(ratio - 1), abs(ratio - lower)) < 1e-2:
        return  # the second derivative jumps where the minimiser meets its bound
    slopes = [terms.d1[0], terms.d2[0]]
    np.testing.assert_allclose(slopes, gradient(least, point, 1e-4), rtol=1e-5, atol=1e-5 * size)

    def slope(x):
        at = profile_terms(divergence, gamma, *x, lower)
        return np.array([at.d1[0], at.d2[0]])

    bends = [[terms.d11[0], terms.d12[0]], [terms.d12[0], terms.d22[0]]]
    np.testing.assert_allclose(bends, gradient(slope, point), rtol=1e-6, atol=1e-6 * size)


class TestPrior:
    @pytest.mark.parametrize("prior", [*PRIORS, AlphaPrior(3, 2.5, 0.3)], ids=repr)
    def test_density_integrates_to_one(self, prior):
        mass, _ = quad(
            lambda a: np.exp(prior.log_density(np.array(a), np.array(1 - a))), prior.lower, 1
        )
        np.testing.assert_allclose(mass, 1, rtol=1e-10)

    def test_density_is_a_truncated_beta(self):
        alpha = np.linspace(0.3, 0.99, 7)
        expected = stats.beta.logpdf(alpha, 3, 2.5) - np.log(stats.beta.sf(0.3, 3, 2.5))
        np.testing.assert_allclose(
            AlphaPrior(3, 2.5, 0.3).log_density(alpha, 1 - alpha), expected, rtol=1e-12
        )

    def test_prior_without_mass_on_its_support(self):
        with pytest.raises(ValueError, match=r"\(1, 5000\) has no mass above 1 - max_contam.* 0.9"):
            AlphaPrior(1, 5000, 0.9).log_norm  # noqa: B018
