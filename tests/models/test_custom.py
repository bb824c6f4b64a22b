"""Densities of the user's own: a mixture in one column, a normal in two."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.special import expit

from skholder import HolderBayesDensity
from skholder.models import EllipticalModel, NormalRadial, UserModel


class Mixture:
    """share N(low, sd^2) + (1 - share) N(low + gap, sd^2), gap and sd by their logarithms."""

    parameter_names = ("logit_share", "low", "log_gap", "log_sd")
    prior_scale = (1.5, 2.5, 1.0, 1.0)
    lower = (-np.inf, -np.inf, -np.inf, np.log(0.05))

    def parts(self, theta):
        share, sd = expit(theta[:, 0]), np.exp(theta[:, 3])
        return share, theta[:, 1], theta[:, 1] + np.exp(theta[:, 2]), sd

    def log_density(self, theta, X):
        share, low, high, sd = self.parts(theta)
        return np.logaddexp(
            np.log(share) + stats.norm.logpdf(X, low, sd),
            np.log1p(-share) + stats.norm.logpdf(X, high, sd),
        )

    def starts(self, X):
        low, high = np.quantile(X, [0.25, 0.7])
        return [[0.0, low, np.log(high - low), np.log((high - low) / 4)]]

    def sample(self, theta, random):
        share, low, high, sd = self.parts(theta)
        pick = random.uniform(size=len(theta)) < share
        value = np.where(pick, low, high) + sd * random.standard_normal(len(theta))
        return value[:, None]


class Pair:
    """Two independent normal columns, whose C is known."""

    parameter_names = ("a", "b", "log_sd_a", "log_sd_b")

    def log_density(self, theta, X):
        z = (X[:, None, :] - theta[None, :, :2]) * np.exp(-theta[:, 2:])
        return -0.5 * np.sum(z * z, axis=2) - theta[:, 2:].sum(axis=1) - np.log(2 * np.pi)

    def starts(self, X):
        middle = np.median(X, axis=0)
        spread = np.median(np.abs(X - middle), axis=0) / 0.6745
        return np.append(middle, np.log(spread))

    def sample(self, theta, random):
        return theta[:, :2] + np.exp(theta[:, 2:]) * random.standard_normal((len(theta), 2))


def one_column(seed=0):
    return UserModel(Mixture(), np.random.default_rng(seed).normal(size=(50, 1)))


def two_columns(seed=0):
    return UserModel(Pair(), np.random.default_rng(0).normal(size=(50, 2)), seed=seed)


def closed():
    return EllipticalModel(
        2,
        NormalRadial(),
        full=False,
        location_prior_scale=2.5,
        log_scale_prior_scale=2.5,
        min_scale=1e-3,
    )


mixtures = st.tuples(st.floats(-2, 2), st.floats(-1, 1), st.floats(-1, 1), st.floats(-2, 0.3))
pairs = st.tuples(*[st.floats(-1.5, 1.5)] * 4)
gammas = st.floats(0.05, 1.5)


class TestQuadrature:
    @settings(max_examples=8)
    @given(theta=mixtures, gamma=gammas)
    def test_power_of_a_mixture(self, theta, gamma):
        theta = np.array([theta])
        _, (low,), (high,), (sd,) = Mixture().parts(theta)

        def integrand(x):
            return np.exp((1 + gamma) * Mixture().log_density(theta, np.array([[x]]))[0, 0])

        edges = [low - 40 * sd, low, (low + high) / 2, high, high + 40 * sd]
        total = sum(quad(integrand, *ends, epsabs=1e-13, limit=200)[0] for ends in pairwise(edges))
        np.testing.assert_allclose(one_column().log_power(theta, gamma), [np.log(total)], atol=1e-8)

    @given(theta=mixtures)
    def test_square_of_a_mixture_is_known(self, theta):
        # The integral of a product of two normal densities is a normal density.
        theta = np.array([theta])
        (share,), (low,), (high,), (sd,) = Mixture().parts(theta)
        within, across = stats.norm.pdf([0, high - low], 0, np.sqrt(2) * sd)
        exact = (share**2 + (1 - share) ** 2) * within + 2 * share * (1 - share) * across
        np.testing.assert_allclose(one_column().log_power(theta, 1.0), [np.log(exact)], atol=1e-8)

    @given(scale=st.sampled_from([1e-3, 1.0, 1e3]), gamma=gammas)
    def test_follows_the_scale_of_the_data(self, scale, gamma):
        class Normal:
            parameter_names = ("location", "log_scale")

            def log_density(self, theta, X):
                return stats.norm.logpdf(X, theta[:, 0], np.exp(theta[:, 1]))

            def starts(self, X):
                return [[0.0, 0.0]]

        X = scale * np.random.default_rng(0).normal(size=(80, 1))
        model = UserModel(Normal(), X)
        theta = np.array([[0.3 * scale, np.log(scale) - 0.5]])
        exact = -0.5 * gamma * np.log(2 * np.pi) - gamma * theta[0, 1] - 0.5 * np.log1p(gamma)
        np.testing.assert_allclose(model.log_power(theta, gamma), [exact], atol=1e-8)

    def test_half_line(self):
        # No density below zero: minus infinity there must not turn into nan.
        class HalfLine:
            parameter_names = ("log_scale",)

            def log_density(self, theta, X):
                scaled = X * np.exp(-theta[:, 0])
                return np.where(X >= 0, -scaled - theta[:, 0], -np.inf)

            def starts(self, X):
                return [[0.0]]

        X = np.random.default_rng(0).exponential(size=(80, 1))
        found = UserModel(HalfLine(), X).log_power(np.array([[0.2]]), 0.5)
        # A jump at zero costs the trapezoid rule half a step of accuracy.
        np.testing.assert_allclose(found, [-0.1 - np.log(1.5)], atol=0.02)


class TestMonteCarlo:
    @given(theta=pairs, gamma=gammas)
    def test_power_is_the_closed_form_within_its_error(self, theta, gamma):
        theta = np.array([theta])
        exact = closed().log_power(theta, gamma)
        # p(Y)^gamma / E has relative variance C(2 gamma) / C(gamma)^2 - 1, and 4000 draws.
        second = closed().log_power(theta, 2 * gamma)
        error = np.sqrt(np.expm1(second - 2 * exact) / 4000)
        assert np.abs(two_columns().log_power(theta, gamma) - exact) < 4 * error

    def test_error_is_that_of_its_draws(self):
        # Over seeds, so that a constant offset cannot hide in one seed's error.
        theta, gamma = np.array([[0.4, -0.3, 0.2, -0.5]]), 0.8
        exact = closed().log_power(theta, gamma)[0]
        found = np.array([two_columns(seed).log_power(theta, gamma)[0] for seed in range(40)])
        error = found.std(ddof=1) / np.sqrt(40)
        assert abs(found.mean() - exact) < 4 * error
        assert 0 < error < 0.004

    @given(theta=pairs)
    def test_common_random_numbers_make_it_smooth(self, theta):
        # With the same draws for every theta, log C differs from the truth by a constant only.
        model, theta = two_columns(), np.array(theta)
        slope, bend = model.log_power_derivatives(theta, 0.6)
        np.testing.assert_allclose(slope, [0, 0, -0.6, -0.6], atol=1e-7)
        np.testing.assert_allclose(bend, 0, atol=1e-4)
        nearby = model.log_power(np.array([theta, theta + 1e-9]), 0.6)
        assert abs(nearby[1] - nearby[0]) < 1e-8


@pytest.mark.parametrize(
    ("model", "theta"),
    [(one_column(), [0.4, -0.5, 0.3, -0.6]), (two_columns(), [0.4, -0.3, 0.2, -0.5])],
    ids=["mixture", "pair"],
)
def test_score_sums_are_derivatives(model, theta, gradient):
    theta = np.array(theta)
    rows = np.random.default_rng(3).normal(size=(20, model.k))
    weight = np.linspace(0.1, 2, len(rows))
    scores = gradient(lambda t: model.log_density(t[None], rows)[:, 0], theta)
    first, second, outer = model.score_sums(theta, rows, weight)
    np.testing.assert_allclose(first, weight @ scores, rtol=1e-6, atol=1e-6)
    expected = np.einsum("i,ij,ik->jk", weight, scores, scores)
    np.testing.assert_allclose(outer, expected, rtol=1e-6, atol=1e-6)
    bend = gradient(lambda t: model.score_sums(t, rows, weight)[0], theta, 1e-3)
    np.testing.assert_allclose(second, bend, rtol=1e-4, atol=1e-4)


def test_power_derivatives_of_the_mixture(gradient):
    model, theta = one_column(), np.array([0.4, -0.5, 0.3, -0.6])
    slope, bend = model.log_power_derivatives(theta, 0.5)
    expected = gradient(lambda t: model.log_power(t[None], 0.5)[0], theta)
    np.testing.assert_allclose(slope, expected, atol=1e-6)
    expected = gradient(lambda t: model.log_power_derivatives(t, 0.5)[0], theta, 1e-3)
    np.testing.assert_allclose(bend, expected, atol=1e-4)


def lacking(original, *names):
    """A copy of an object's class without some of its attributes."""
    kept = {k: v for k, v in vars(type(original)).items() if k not in names}
    return type("Lacking", (), kept)()


class TestObject:
    @pytest.mark.parametrize("name", ["log_density", "starts", "parameter_names"])
    def test_missing_piece_is_named(self, name):
        with pytest.raises(ValueError, match=f"needs '{name}'"):
            UserModel(lacking(Mixture(), name), np.zeros((5, 1)))

    @pytest.mark.parametrize("name", ["starts", "parameter_names"])
    def test_missing_piece_is_named_by_fit(self, name):
        X = np.random.default_rng(0).normal(size=(30, 1))
        with pytest.raises(ValueError, match=f"needs '{name}'"):
            HolderBayesDensity(model=lacking(Mixture(), name)).fit(X)

    def test_fit_wants_a_density(self):
        X = np.random.default_rng(0).normal(size=(30, 1))
        with pytest.raises(ValueError, match="'model' parameter"):
            HolderBayesDensity(model=lacking(Mixture(), "log_density")).fit(X)

    def test_several_columns_need_draws(self):
        with pytest.raises(ValueError, match="several columns needs 'sample'"):
            UserModel(lacking(Pair(), "sample"), np.zeros((5, 2)))

    def test_one_column_can_do_without_until_asked(self):
        model = UserModel(lacking(Mixture(), "sample"), np.zeros((5, 1)))
        with pytest.raises(ValueError, match="has no 'sample'"):
            model.sample(np.zeros((3, 4)), np.random.RandomState(0))

    def test_prior(self):
        prior = one_column().prior
        np.testing.assert_array_equal(prior.mean, 0)
        np.testing.assert_array_equal(prior.scale, Mixture.prior_scale)
        np.testing.assert_array_equal(prior.lower, Mixture.lower)
        default = two_columns().prior
        np.testing.assert_array_equal(default.scale, 2.5)
        np.testing.assert_array_equal(default.lower, -np.inf)

    def test_starts_are_lifted_above_the_floor(self):
        model = one_column()
        starts = model.starts(np.array([[0.0], [1e-5], [2e-5]]), None, np.random.RandomState(0))
        assert starts.shape == (1, 4)
        assert np.all(starts > model.prior.lower)


@pytest.fixture(scope="module")
def mixed():
    """Two bumps at 0 and 6 with a tenth of outliers at 30."""
    rng = np.random.default_rng(5)
    x = np.where(rng.uniform(size=400) < 0.6, 0.0, 6.0) + rng.normal(size=400)
    x[:40] = rng.normal(30, 1, size=40)
    return x[:, None]


# 400 draws are too few for the sampler's own standards.
@pytest.mark.filterwarnings("ignore::skholder.exceptions.ConvergenceWarning")
class TestFit:
    def test_mixture_with_outliers(self, mixed):
        model = HolderBayesDensity(
            0.5, model=Mixture(), standardize=False, n_draws=400, random_state=0
        ).fit(mixed)
        assert abs(model.epsilon_ - 0.1) < 0.04
        assert abs(model.low_) < 0.4
        assert abs(np.exp(model.log_gap_) - 6) < 0.6
        assert abs(expit(model.logit_share_) - 0.6) < 0.1
        flagged = model.predict(mixed) == -1
        assert flagged[:40].mean() > 0.9
        assert flagged[40:].mean() < 0.03

    def test_density_in_the_users_units(self, mixed):
        model = HolderBayesDensity(0.5, model=Mixture(), n_draws=400, random_state=0)
        model.fit(100 * mixed)
        x, step = np.linspace(-3000, 4000, 7001, retstep=True)
        mass = step * np.exp(model.score_samples(x[:, None])).sum()
        np.testing.assert_allclose(mass, 1, atol=1e-3)
        draws = model.sample(4000, random_state=0)
        assert draws.shape == (4000, 1)
        assert abs(np.mean(draws > 300) - 0.4) < 0.1

    def test_two_columns_by_monte_carlo(self):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(300, 2)) * [1.0, 3.0] + [5.0, -2.0]
        X[:30] += [0.0, 40.0]
        common = {"gamma": 0.4, "n_draws": 200, "random_state": 0}
        mine = HolderBayesDensity(model=Pair(), **common).fit(X)
        closed_form = HolderBayesDensity(covariance_type="diag", **common).fit(X)
        assert abs(mine.epsilon_ - closed_form.epsilon_) < 0.02
        scores = np.corrcoef(mine.log_density_, closed_form.log_density_)[0, 1]
        assert scores > 0.999
