import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from skholder.divergences import (
    DensityPower,
    Divergence,
    ExponentialSaturated,
    KullbackLeibler,
    PseudoSpherical,
    RationalSaturated,
    check_divergence,
    risk,
    risk_terms,
)

WITH_ALPHA = [
    DensityPower(),
    ExponentialSaturated(),
    ExponentialSaturated(2.0),
    RationalSaturated(),
    RationalSaturated(0.9),
]
SMOOTH = [*WITH_ALPHA, PseudoSpherical()]
NAMES = ["dpd", "expsat", "ratsat", "gamma", "kl"]
GAMMAS = [0.1, 0.5, 1.0, 2.5]
Z = np.geomspace(1e-2, 8.0, 41)


def saturation(divergence, z):
    """s(z) of phi = gamma - (1 + gamma) s(z), as the paper writes it."""
    if isinstance(divergence, DensityPower):
        return z
    k = divergence.kappa
    if isinstance(divergence, ExponentialSaturated):
        return 1 + (1 - np.exp(-k * (z - 1))) / k
    return 1 + (z - 1) / (1 + k * (z - 1))


@pytest.mark.parametrize("gamma", GAMMAS)
@pytest.mark.parametrize("divergence", SMOOTH, ids=repr)
class TestFamilies:
    def test_phi_of_one_is_minus_one(self, divergence, gamma):
        np.testing.assert_allclose(divergence.phi(np.ones(2), gamma), -1.0, rtol=1e-15)

    def test_phi_decreases(self, divergence, gamma):
        assert np.all(divergence.dphi(Z, gamma) < 0)
        assert np.all(np.diff(divergence.phi(Z, gamma)) < 0)

    def test_first_derivative(self, divergence, gamma):
        h = 1e-5 * Z
        expected = (divergence.phi(Z + h, gamma) - divergence.phi(Z - h, gamma)) / (2 * h)
        np.testing.assert_allclose(divergence.dphi(Z, gamma), expected, rtol=1e-7, atol=1e-9)

    def test_second_derivative(self, divergence, gamma):
        h = 1e-5 * Z
        expected = (divergence.dphi(Z + h, gamma) - divergence.dphi(Z - h, gamma)) / (2 * h)
        np.testing.assert_allclose(divergence.d2phi(Z, gamma), expected, rtol=1e-6, atol=1e-12)

    def test_lies_above_the_pseudo_spherical(self, divergence, gamma):
        assert np.all(divergence.phi(Z, gamma) >= -(Z ** (1 + gamma)) * (1 + 1e-12))


@pytest.mark.parametrize("divergence", WITH_ALPHA, ids=repr)
def test_phi_is_the_stated_formula(divergence):
    expected = 0.5 - 1.5 * saturation(divergence, Z)
    np.testing.assert_allclose(divergence.phi(Z, 0.5), expected, rtol=1e-13)


@pytest.mark.parametrize("family", [ExponentialSaturated, RationalSaturated])
def test_small_kappa_is_the_density_power(family):
    dpd = DensityPower().phi(Z, 0.5)
    gaps = [np.max(np.abs(family(kappa).phi(Z, 0.5) - dpd)) for kappa in (1e-2, 1e-4, 1e-6)]
    # The gap is of the order of kappa, neither zero nor slower.
    np.testing.assert_allclose(gaps[1] / gaps[0], 1e-2, rtol=0.1)
    assert 1e-6 < gaps[2] < 1e-4


def test_numerical_derivatives_of_the_base_class():
    class Plain(Divergence):
        def phi(self, z, gamma):
            return ExponentialSaturated().phi(z, gamma)

    plain, exact = Plain(), ExponentialSaturated()
    np.testing.assert_allclose(plain.dphi(Z, 0.5), exact.dphi(Z, 0.5), rtol=1e-5)
    np.testing.assert_allclose(plain.d2phi(Z, 0.5), exact.d2phi(Z, 0.5), rtol=1e-3)


def test_kullback_leibler_has_no_phi():
    with pytest.raises(TypeError, match="not a function of a density-power ratio"):
        KullbackLeibler().phi(1.0, 0.5)


def test_only_three_families_have_alpha():
    have = {name: check_divergence(name, 0.5).has_alpha for name in NAMES}
    assert have == {"dpd": True, "expsat": True, "ratsat": True, "gamma": False, "kl": False}


class TestNames:
    def test_default_kappas(self):
        assert check_divergence("expsat", 0.5).kappa == 0.5
        assert check_divergence("ratsat", 0.5).kappa == 0.25
        assert check_divergence("expsat", 0.5, kappa=2).kappa == 2.0

    def test_unknown_name(self):
        with pytest.raises(ValueError, match=r"one of \['dpd', .*\] or an object.*got 'hellinger'"):
            check_divergence("hellinger", 0.5)

    @pytest.mark.parametrize("kappa", [0.0, -1.0, 101.0, np.inf, np.nan])
    def test_expsat_kappa_out_of_range(self, kappa):
        with pytest.raises(ValueError, match=r"kappa must lie in \(0, 100\] for 'expsat'"):
            check_divergence("expsat", 0.5, kappa=kappa)

    @pytest.mark.parametrize("kappa", [0.0, -0.1, 1.0, 3.0, np.nan])
    def test_ratsat_kappa_out_of_range(self, kappa):
        with pytest.raises(ValueError, match=r"kappa must lie in \(0, 1\) for 'ratsat'"):
            check_divergence("ratsat", 0.5, kappa=kappa)

    @pytest.mark.parametrize("name", ["dpd", "gamma", "kl"])
    def test_family_without_kappa(self, name):
        with pytest.raises(ValueError, match=f"divergence='{name}' takes no kappa"):
            check_divergence(name, 0.5, kappa=0.5)

    def test_object_with_kappa(self):
        with pytest.raises(ValueError, match="leave kappa=None for an object"):
            check_divergence(DensityPower(), 0.5, kappa=0.5)

    def test_family_object_is_taken_as_it_is(self):
        mine = RationalSaturated(0.7)
        assert check_divergence(mine, 0.5) is mine


class User:
    """A user's object around a function of (z, gamma)."""

    def __init__(self, function):
        self.phi = function


def wiggly(z, gamma):
    """A proper phi whose risk has a second local minimum in alpha."""
    return gamma - (1 + gamma) * z + 0.03 * np.exp(-0.5 * ((z - 0.8) / 0.03) ** 2)


class TestUserObjects:
    def test_object_without_phi(self):
        with pytest.raises(ValueError, match=r"needs a method 'phi\(z, gamma\)'"):
            check_divergence(object(), 0.5)

    @pytest.mark.parametrize("gamma", [0.1, 0.5, 1.0])
    def test_good_object_passes(self, gamma):
        mine = check_divergence(User(lambda z, g: DensityPower().phi(z, g)), gamma)
        assert mine.has_alpha
        np.testing.assert_allclose(mine.phi(Z, gamma), DensityPower().phi(Z, gamma))
        np.testing.assert_allclose(mine.dphi(Z, gamma), -(1 + gamma), rtol=1e-6)

    def test_own_derivatives_are_used(self):
        mine = User(DensityPower().phi)
        mine.dphi = lambda z, g: np.full_like(z, -(1 + g)) + 1e-10
        mine.d2phi = lambda z, g: np.full_like(z, 7.0)
        checked = check_divergence(mine, 0.5)
        assert np.all(checked.dphi(Z, 0.5) == -1.5 + 1e-10)
        assert np.all(checked.d2phi(Z, 0.5) == 7.0)

    @pytest.mark.parametrize(
        ("phi", "condition"),
        [
            (lambda z, g: np.where(z > 10, np.nan, g - (1 + g) * z), "finite and elementwise"),
            (lambda z, g: -1.0, "finite and elementwise"),
            (lambda z, g: g - (1 + g) * z + 0.1, r"phi\(1\) = -1' \(it is -0.9\)"),
            (lambda z, g: z - 2, r"phi does not increase' \(phi' <= 0\)"),
            (lambda z, g: -(z ** (1 + g)), r"slope of phi is bounded' \(-L <= phi'\)"),
            (lambda z, g: -z, r"phi\(z\) >= -z\^\(1 \+ gamma\)"),
            (wiggly, "only minimum in alpha at S / C"),
        ],
        ids=["nan", "scalar", "at one", "increasing", "steep", "improper", "two minima"],
    )
    def test_broken_condition_is_named(self, phi, condition):
        with pytest.raises(ValueError, match=condition) as caught:
            check_divergence(User(phi), 0.5)
        assert "at gamma=0.5" in str(caught.value)
        # The class has a name; an address would say nothing.
        assert str(caught.value).startswith("The divergence User breaks")
        assert "0x" not in str(caught.value)

    def test_subclass_is_checked_too(self):
        class Shifted(Divergence):
            def phi(self, z, gamma):
                return -z - gamma

        with pytest.raises(ValueError, match=r"phi\(1\) = -1"):
            check_divergence(Shifted(), 0.5)


@given(
    divergence=st.sampled_from(SMOOTH),
    gamma=st.floats(0.05, 2),
    log_s=st.floats(-4, 2),
    log_c=st.floats(-3, 3),
    log_alpha=st.floats(-1.5, 0),
)
def test_risk_terms_are_derivatives(gradient, divergence, gamma, log_s, log_c, log_alpha):
    def value(x):
        return risk_terms(divergence, gamma, *np.float64(x), np.float64(log_alpha)).value

    def slopes(x):
        terms = risk_terms(divergence, gamma, *np.float64(x), np.float64(log_alpha))
        return np.array([terms.d1, terms.d2])

    point = [log_s, log_c]
    terms = risk_terms(divergence, gamma, *np.float64(point), np.float64(log_alpha))
    size = max(np.max(np.abs(slopes(point))), abs(terms.value))
    np.testing.assert_allclose(slopes(point), gradient(value, point), atol=1e-8 * size)
    bends = [[terms.d11, terms.d12], [terms.d12, terms.d22]]
    np.testing.assert_allclose(bends, gradient(slopes, point), rtol=1e-7, atol=1e-7 * size)


@given(
    divergence=st.sampled_from(WITH_ALPHA),
    gamma=st.floats(0.05, 2),
    s=st.floats(0.01, 3),
    c=st.floats(0.1, 5),
    alpha=st.floats(0.1, 1),
)
def test_risk_is_its_definition(divergence, gamma, s, c, alpha):
    phi = gamma - (1 + gamma) * saturation(divergence, s / (alpha * c))
    expected = phi * alpha ** (1 + gamma) * c
    found = risk(divergence, gamma, np.log(s), np.log(c), alpha)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    terms = risk_terms(divergence, gamma, np.log(s), np.log(c), np.log(alpha))
    np.testing.assert_allclose(terms.value, expected, rtol=1e-10, atol=1e-12)


@given(gamma=st.floats(0.05, 2), s=st.floats(0.01, 3), c=st.floats(0.1, 5), a=st.floats(0.1, 1))
def test_pseudo_spherical_risk_is_free_of_alpha(gamma, s, c, a):
    found = risk(PseudoSpherical(), gamma, np.log(s), np.log(c), a)
    np.testing.assert_allclose(found, -(s ** (1 + gamma)) / c**gamma, rtol=1e-12)


@pytest.mark.parametrize("divergence", WITH_ALPHA, ids=repr)
@pytest.mark.parametrize("gamma", [0.2, 1.0])
def test_risk_is_least_at_the_ratio(divergence, gamma):
    log_s, log_c = np.log(0.24), np.log(0.4)
    best = minimize_scalar(
        lambda a: risk(divergence, gamma, log_s, log_c, a),
        bounds=(1e-3, 1),
        method="bounded",
        options={"xatol": 1e-9},
    )
    np.testing.assert_allclose(best.x, 0.6, rtol=1e-6)
    np.testing.assert_allclose(best.fun, -(0.24 ** (1 + gamma)) / 0.4**gamma, rtol=1e-9)


@pytest.mark.parametrize("divergence", WITH_ALPHA, ids=repr)
def test_risk_of_a_vanishing_alpha_vanishes(divergence):
    # A density as steep as floats bear beside the smallest alpha that they hold.
    found = risk(divergence, 0.5, np.array([300.0]), np.array([0.0]), np.array([1e-300]))
    np.testing.assert_allclose(found, 0.0, atol=1e-10)
