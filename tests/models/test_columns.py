"""The one-dimensional families, one column and as products of columns."""

import tracemalloc
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from skholder.models import (
    ColumnFamily,
    ExponentialFamily,
    GammaFamily,
    IndependentColumns,
    LaplaceFamily,
    LogNormalFamily,
    PoissonFamily,
)


@dataclass(frozen=True)
class Case:
    """A family beside SciPy's."""

    family: ColumnFamily
    truth: object
    ranges: tuple

    def draw(self, unit):
        """Parameters (P,) from numbers in [0, 1]."""
        low, high = np.transpose(self.ranges)
        return low + np.asarray(unit[: len(low)]) * (high - low)


CASES = {
    "laplace": Case(
        LaplaceFamily(), lambda p: stats.laplace(p[0], np.exp(p[1])), ((-2, 2), (-2, 2))
    ),
    "exponential": Case(ExponentialFamily(), lambda p: stats.expon(scale=np.exp(p[0])), ((-3, 3),)),
    "gamma": Case(
        GammaFamily(),
        lambda p: stats.gamma(np.exp(p[0]), scale=np.exp(p[1])),
        ((-0.5, 4), (-2, 2)),
    ),
    "lognormal": Case(
        LogNormalFamily(),
        lambda p: stats.lognorm(np.exp(p[1]), scale=np.exp(p[0])),
        ((-2, 2), (-1.5, 0.7)),
    ),
    "poisson": Case(PoissonFamily(), lambda p: stats.poisson(np.exp(p[0])), ((-4, 8),)),
}
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
continuous = pytest.mark.parametrize(
    "case", [CASES[name] for name in CASES if name != "poisson"], ids=list(CASES)[:-1]
)
units = st.tuples(st.floats(0, 1), st.floats(0, 1))
gammas = st.floats(0.05, 1.5)


def integrable(case, params, gamma):
    """A gamma density with shape below 1 has powers without an integral."""
    if not isinstance(case.family, GammaFamily):
        return True
    return (np.exp(params[0]) - 1) * (1 + gamma) + 1 > 0.1


def log_pdf(case, params, x):
    law = case.truth(params)
    return law.logpmf(x) if isinstance(case.family, PoissonFamily) else law.logpdf(x)


def brute_log_power(case, params, gamma):
    if isinstance(case.family, PoissonFamily):
        rate = np.exp(params[0])
        counts = np.arange(np.ceil(rate + 40 * np.sqrt(rate) + 200))
        return np.log(np.sum(np.exp((1 + gamma) * log_pdf(case, params, counts))))
    # x = origin +- exp(u): a smooth integrand on the whole line, whatever happens at the origin.
    origin = params[0] if isinstance(case.family, LaplaceFamily) else 0.0
    sides = (-1, 1) if isinstance(case.family, LaplaceFamily) else (1,)
    u, step = np.linspace(-300, 25, 20_001, retstep=True)
    total = 0.0
    for side in sides:
        terms = (1 + gamma) * log_pdf(case, params, origin + side * np.exp(u)) + u
        total += step * np.sum(np.exp(terms))
    return np.log(total)


def values(case, size=40, seed=0):
    """Values a family allows, on both sides of what it expects."""
    rng = np.random.default_rng(seed)
    if isinstance(case.family, LaplaceFamily):
        return rng.normal(scale=3, size=size)
    if isinstance(case.family, PoissonFamily):
        return rng.poisson(5, size=size).astype(float)
    return rng.gamma(1.5, 2, size=size) + 1e-3


def product(case, k=2):
    return IndependentColumns(
        k, case.family, location_prior_scale=2.5, log_scale_prior_scale=1.0, min_scale=1e-3
    )


@each_case
@given(unit=units)
def test_log_density_is_scipys(case, unit):
    params, x = case.draw(unit), values(case)
    found = case.family.log_density(np.array([params, params]), x)
    expected = log_pdf(case, params, x)
    np.testing.assert_allclose(found, np.column_stack([expected, expected]), rtol=1e-9, atol=1e-9)


class TestModelPower:
    @each_case
    @given(unit=units, gamma=gammas)
    def test_is_quadrature_or_a_sum(self, case, unit, gamma):
        params = case.draw(unit)
        assume(integrable(case, params, gamma))
        found = case.family.log_power(params[None], gamma)
        expected = brute_log_power(case, params, gamma)
        np.testing.assert_allclose(found, [expected], rtol=0, atol=1e-8)

    @each_case
    @given(unit=units, gamma=gammas)
    def test_derivatives(self, case, gradient, unit, gamma):
        params = case.draw(unit)
        assume(integrable(case, params, gamma))
        slope, bend = case.family.log_power_derivatives(params, gamma)
        expected = gradient(lambda p: case.family.log_power(p[None], gamma)[0], params)
        np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-5)
        expected = gradient(lambda p: case.family.log_power_derivatives(p, gamma)[0], params)
        np.testing.assert_allclose(bend, expected, rtol=1e-5, atol=1e-5)

    @each_case
    @given(unit=units)
    def test_leaves_zero_at_the_rate_of_the_entropy(self, case, unit):
        params = case.draw(unit)
        np.testing.assert_allclose(case.family.log_power(params[None], 0.0), 0, atol=1e-11)
        rate = case.family.log_power(params[None], 1e-6)[0] / 1e-6
        if isinstance(case.family, PoissonFamily):
            counts = np.arange(np.exp(params[0]) * 3 + 200)
            entropy = -np.sum(case.truth(params).pmf(counts) * log_pdf(case, params, counts))
        else:
            entropy = case.truth(params).entropy()
        np.testing.assert_allclose(-rate, entropy, atol=1e-4)

    @each_case
    def test_batch_is_one_by_one(self, case):
        rng = np.random.default_rng(0)
        batch = np.array([case.draw(unit) for unit in rng.uniform(0.2, 1, size=(150, 2))])
        alone = [case.family.log_power(params[None], 0.4)[0] for params in batch]
        np.testing.assert_allclose(case.family.log_power(batch, 0.4), alone, rtol=1e-10)

    def test_no_integral_where_the_gamma_density_is_too_steep(self):
        # p^(1 + gamma) behaves as x^((shape - 1)(1 + gamma)) at zero.
        params = np.log([[0.32, 1.0], [0.34, 1.0]])
        power = GammaFamily().log_power(params, 0.5)
        assert power[0] == np.inf
        assert np.isfinite(power[1])

    def test_huge_poisson_rates_cost_little(self):
        # The sampler's defensive draws reach rates of e^17 and beyond.
        params = np.linspace(15, 17, 64)[:, None]
        tracemalloc.start()
        power = PoissonFamily().log_power(params, 0.3)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 2e7
        normal = -0.15 * (np.log(2 * np.pi) + params[:, 0]) - 0.5 * np.log(1.3)
        np.testing.assert_allclose(power, normal, atol=1e-6)

    def test_extreme_poisson_rates_are_normal(self):
        # Counts this large have a normal distribution; logarithms of factorials have no digits.
        params = np.array([[20.0], [40.0], [60.0]])
        normal = -0.15 * (np.log(2 * np.pi) + params[:, 0]) - 0.5 * np.log(1.3)
        np.testing.assert_allclose(PoissonFamily().log_power(params, 0.3), normal, atol=1e-3)


@each_case
@given(unit=units)
def test_score_sums_are_derivatives(case, gradient, unit):
    model, params = product(case), case.draw(unit)
    theta = np.repeat(params, 2) + np.tile([0.0, 0.1], len(params))
    rows = np.column_stack([values(case, seed=1), values(case, seed=2)])
    weight = np.linspace(0.1, 2, len(rows))
    scores = gradient(lambda t: model.log_density(t[None], rows)[:, 0], theta)
    first, second, outer = model.score_sums(theta, rows, weight)
    if isinstance(case.family, LaplaceFamily):
        # Differences across a kink mean nothing.
        assume(np.min(np.abs(rows - theta[:2])) > 1e-4)
    size = np.abs(scores).max()
    np.testing.assert_allclose(first, weight @ scores, rtol=1e-6, atol=1e-6 * size)
    expected = np.einsum("i,ij,ik->jk", weight, scores, scores)
    np.testing.assert_allclose(outer, expected, rtol=1e-6, atol=1e-6 * size**2)
    bend = gradient(lambda t: model.score_sums(t, rows, weight)[0], theta)
    if isinstance(case.family, LaplaceFamily):
        # The curvature in the location is a smoothed kink, tested below.
        second[[0, 1], [0, 1]] = bend[[0, 1], [0, 1]] = 0.0
    np.testing.assert_allclose(second, bend, rtol=1e-6, atol=1e-6 * np.abs(bend).max())


@given(location=st.floats(-1, 1), log_scale=st.floats(-2, 1))
def test_laplace_kink_carries_the_right_curvature(location, log_scale):
    # d2/dm2 of -|x - m| / s is -2 delta(x - m) / s.
    x, step = np.linspace(-100, 100, 100_001, retstep=True)
    _, bend = LaplaceFamily().derivatives(np.array([location, log_scale]), x)
    np.testing.assert_allclose(-bend[:, 0, 0].sum() * step, 2 / np.exp(log_scale), rtol=1e-4)
    near = np.abs(x - location) < np.exp(log_scale)
    assert bend[near, 0, 0].sum() < 0.99 * bend[:, 0, 0].sum()


class TestProduct:
    @each_case
    def test_density_is_a_product(self, case):
        model = product(case, 3)
        rng = np.random.default_rng(0)
        params = np.array([[case.draw(u) for u in rng.uniform(size=(3, 2))] for _ in range(4)])
        # theta holds all columns' first parameters, then all second ones.
        theta = np.swapaxes(params, 1, 2).reshape(4, -1)
        np.testing.assert_array_equal(model.split(theta), params)
        rows = np.column_stack([values(case, seed=s) for s in range(3)])
        expected = sum(
            np.column_stack([log_pdf(case, params[t, j], rows[:, j]) for t in range(4)])
            for j in range(3)
        )
        np.testing.assert_allclose(model.log_density(theta, rows), expected, rtol=1e-9)
        np.testing.assert_allclose(model.log_kernel(theta, rows, 0.3), 0.3 * expected, rtol=1e-9)

    @each_case
    def test_power_and_its_derivatives(self, case, gradient):
        model = product(case, 3)
        params = [case.draw(u) for u in ((0.4, 0.3), (0.6, 0.7), (0.9, 0.5))]
        theta = np.transpose(params).ravel()
        expected = sum(brute_log_power(case, p, 0.3) for p in params)
        np.testing.assert_allclose(model.log_power(theta[None], 0.3), [expected], atol=1e-8)
        slope, bend = model.log_power_derivatives(theta, 0.3)
        difference = gradient(lambda t: model.log_power(t[None], 0.3)[0], theta)
        np.testing.assert_allclose(slope, difference, rtol=1e-5, atol=1e-5)
        difference = gradient(lambda t: model.log_power_derivatives(t, 0.3)[0], theta)
        np.testing.assert_allclose(bend, difference, rtol=1e-5, atol=1e-5)

    @each_case
    def test_draws(self, case):
        model = product(case)
        params = [case.draw((0.4, 0.6)), case.draw((0.7, 0.4))]
        theta = np.tile(np.transpose(params).ravel(), (20_000, 1))
        draws = model.sample(theta, np.random.RandomState(0))
        assert draws.shape == (20_000, 2)
        for column, one in zip(draws.T, params, strict=True):
            law = case.truth(one)
            np.testing.assert_allclose(column.mean(), law.mean(), atol=0.03 * law.std())
            if isinstance(case.family, PoissonFamily):
                np.testing.assert_allclose(column.var(), law.var(), rtol=0.05)
            else:
                assert stats.kstest(column, law.cdf).pvalue > 0.01
        assert abs(stats.spearmanr(draws).statistic) < 0.03

    @each_case
    def test_names(self, case):
        names = product(case).parameter_names
        assert names == tuple(f"{name}[{j}]" for name in case.family.names for j in (0, 1))

    @each_case
    def test_prior_has_a_scale_and_a_bound_for_each_parameter(self, case):
        prior = product(case, 3).prior
        n_params = 3 * len(case.family.names)
        assert prior.scale.shape == prior.lower.shape == (n_params,)
        assert np.all(prior.scale > 0)
        draws = prior.sample(50, np.random.RandomState(0))
        assert np.all(draws >= prior.lower)


@each_case
def test_units_carry_the_density_over(case):
    # The parameters reported are those of SciPy's density of the unscaled values.
    family = case.family
    centre, scale = np.zeros(2), np.ones(2)
    if family.scaling == "standard":
        centre = np.array([3.0, -40.0])
    if family.scaling != "none":
        scale = np.array([0.01, 250.0])
    params = np.array([[case.draw((0.4, 0.3)), case.draw((0.6, 0.7))]])
    named = {name: draws[0] for name, draws in family.to_units(params, centre, scale).items()}
    laws = {
        "laplace": lambda j: stats.laplace(named["location"][j], named["scale"][j]),
        "exponential": lambda j: stats.expon(scale=named["scale"][j]),
        "gamma": lambda j: stats.gamma(named["shape"][j], scale=named["scale"][j]),
        "lognormal": lambda j: stats.lognorm(
            named["sd_of_log"][j], scale=np.exp(named["mean_of_log"][j])
        ),
        "poisson": lambda j: stats.poisson(named["rate"][j]),
    }
    law = laws[next(name for name in CASES if CASES[name] is case)]
    for j in (0, 1):
        z = values(case, seed=j)
        x = centre[j] + scale[j] * z
        log_p = law(j).logpmf(x) if family.scaling == "none" else law(j).logpdf(x)
        expected = family.log_density(params[:, j], z)[:, 0] - np.log(scale[j])
        np.testing.assert_allclose(log_p, expected, rtol=1e-8, atol=1e-8)


class TestSupport:
    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            ("exponential", -1e-9, "model='exponential' needs non-negative values.* column 1"),
            ("gamma", 0.0, "model='gamma' needs positive values.* column 1"),
            ("gamma", -2.0, "model='gamma' needs positive values.* column 1"),
            ("lognormal", 0.0, "model='lognormal' needs positive values.* column 1"),
            ("poisson", -1.0, "model='poisson' needs counts: whole numbers"),
            ("poisson", 0.5, "model='poisson' needs counts: whole numbers"),
        ],
    )
    def test_outside(self, name, value, message):
        X = np.ones((5, 3))
        CASES[name].family.check_support(X)
        X[2, 1] = value
        with pytest.raises(ValueError, match=message):
            CASES[name].family.check_support(X)

    @pytest.mark.parametrize("name", ["exponential", "poisson"])
    def test_zero_is_inside(self, name):
        CASES[name].family.check_support(np.array([[0.0], [0.0], [1.0]]))

    def test_laplace_takes_anything(self):
        CASES["laplace"].family.check_support(np.array([[-1e300], [0.0], [1e300]]))


class TestStarts:
    @each_case
    def test_some_start_survives_a_fifth_of_outliers(self, case):
        params = case.draw((0.5, 0.5))
        rng = np.random.RandomState(0)
        x = case.family.sample(np.tile(params, (400, 1)), rng)
        x[:80] = np.rint(50 * np.max(x))
        starts = case.family.starts(x)
        assert starts.shape[1] == len(params)
        law = case.truth(params)
        middle = np.array([case.truth(start).median() for start in starts])
        # Near enough for Newton: the median is off by no more than a standard deviation.
        assert np.min(np.abs(middle - law.median())) < law.std()

    @each_case
    def test_are_finite_for_ties(self, case):
        assert np.all(np.isfinite(case.family.starts(np.full(10, 2.0))))

    @each_case
    def test_rows_without_weight_are_not_seen(self, case):
        model = product(case)
        rows = np.column_stack([values(case, 300, seed=1), values(case, 300, seed=2)])
        rows[::3] = 1000.0
        weight = np.where(np.arange(300) % 3 == 0, 0.0, 1.0)
        found = model.starts(rows, weight, np.random.RandomState(0))
        expected = model.starts(rows[weight > 0], None, np.random.RandomState(0))
        np.testing.assert_allclose(found, expected, atol=0.2)

    @each_case
    def test_stay_above_the_floor(self, case):
        model = product(case)
        rows = np.full((20, 2), 1.0)
        starts = model.starts(rows, None, np.random.RandomState(0))
        assert np.all(starts > model.prior.lower)


def test_counts_that_are_all_zero_have_no_rate():
    with pytest.raises(ValueError, match="every count is 0"):
        PoissonFamily().check_support(np.zeros((30, 2)))
