from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from skholder.divergences import DensityPower
from skholder.models import LinearModel, NormalNoise
from skholder.posterior import AlphaPrior, HolderPosterior
from skholder.posterior.modes import (
    Mode,
    by_draws,
    by_evidence,
    distinct,
    evidence_share,
    find_modes,
    laplace,
    maximise,
    mode_share,
    ripples,
)
from skholder.rows import RowBlocks

NO_BOUND = np.full(3, -np.inf)
MATRIX = np.array([[3.0, 1.0, 0.5], [1.0, 2.0, -0.3], [0.5, -0.3, 1.0]])
TOP = np.array([1.0, -2.0, 4.0])


def quadratic(theta):
    gap = theta - TOP
    return SimpleNamespace(value=-0.5 * gap @ MATRIX @ gap, gradient=-MATRIX @ gap, hessian=-MATRIX)


def log_cosh(theta):
    """Concave, flat far out, where a plain Newton step overshoots."""
    gap = theta - TOP
    return SimpleNamespace(
        value=-np.sum(np.logaddexp(gap, -gap)),
        gradient=-np.tanh(gap),
        hessian=-np.diag(1 - np.tanh(gap) ** 2),
    )


def two_wells(theta):
    """Maxima at -1 and 1 on each axis, convex between them."""
    return SimpleNamespace(
        value=-np.sum((theta**2 - 1) ** 2),
        gradient=-4 * theta * (theta**2 - 1),
        hessian=-np.diag(12 * theta**2 - 4),
    )


class TestMaximise:
    @pytest.mark.parametrize("curve", [quadratic, log_cosh])
    @pytest.mark.parametrize("start", [[0.0, 0.0, 0.0], [30.0, -40.0, 12.0]])
    def test_concave_function(self, curve, start):
        theta, state = maximise(curve, np.array(start), NO_BOUND)
        np.testing.assert_allclose(theta, TOP, atol=1e-5)
        np.testing.assert_allclose(state.value, curve(TOP).value, atol=1e-10)

    @pytest.mark.parametrize(("tolerance", "n_seen"), [(1e-7, 2), (1e6, 1)])
    def test_a_step_that_promises_little_is_taken_unseen(self, tolerance, n_seen):
        visited = []

        def curve(theta):
            visited.append(theta)
            return quadratic(theta)

        theta, _ = maximise(curve, TOP - 0.5, NO_BOUND, tolerance=tolerance)
        # Newton's step to the top of a quadratic is exact, seen or not.
        np.testing.assert_allclose(theta, TOP, atol=1e-9)
        assert len(visited) == n_seen

    def test_curvature_that_is_no_number_is_an_error(self):
        def nonsense(theta):
            return SimpleNamespace(value=0.0, gradient=np.ones(3), hessian=np.full((3, 3), np.nan))

        with pytest.raises(np.linalg.LinAlgError, match="not finite"):
            maximise(nonsense, np.zeros(3), NO_BOUND)

    def test_climbs_where_the_function_is_convex(self):
        theta, _ = maximise(two_wells, np.array([0.1, -0.05, 2.0]), NO_BOUND)
        np.testing.assert_allclose(theta, [1, -1, 1], atol=1e-5)

    def test_lower_bounds_hold(self):
        lower = np.array([-np.inf, -1.0, 5.0])
        visited = []

        def curve(theta):
            visited.append(theta)
            return quadratic(theta)

        theta, state = maximise(curve, np.array([0.0, 0.0, 0.0]), lower)
        assert np.all(np.array(visited) >= lower)
        # With the last two on their bounds the first solves its own equation.
        first = TOP[0] - (MATRIX[0, 1] * (-1 + 2) + MATRIX[0, 2] * (5 - 4)) / MATRIX[0, 0]
        np.testing.assert_allclose(theta, [first, -1, 5], atol=1e-6)
        assert state.gradient[1] < 0
        assert state.gradient[2] < 0

    def test_bound_that_does_not_matter(self):
        theta, _ = maximise(quadratic, np.full(3, -5.0), np.full(3, -6.0))
        np.testing.assert_allclose(theta, TOP, atol=1e-6)

    def test_infinite_values_are_stepped_back_from(self):
        def half_line(theta):
            # log(theta) - theta has its maximum at 1 and no value below 0.
            value = np.log(theta[0]) - theta[0] if theta[0] > 0 else -np.inf
            return SimpleNamespace(
                value=value, gradient=1 / theta - 1, hessian=-np.diag(1 / theta**2)
            )

        theta, _ = maximise(half_line, np.array([2.9]), np.array([-np.inf]))
        np.testing.assert_allclose(theta, 1, atol=1e-5)


def test_evidence_of_a_normal_is_exact():
    covariance = np.linalg.inv(MATRIX)
    log_prob = stats.multivariate_normal(TOP, covariance).logpdf(TOP)
    np.testing.assert_allclose(
        Mode(TOP, log_prob + 2.5, covariance, np.zeros(3, bool)).log_evidence, 2.5
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_direction_that_is_all_rounding_leaves_a_covariance_that_can_be_drawn_from(seed):
    # Two equal columns at a large temperature: only a wide prior tells their coefficients apart.
    design = np.random.default_rng(seed).normal(size=(22, 3))[:, [0, 0, 1, 2]]
    curvature = 1e9 * design.T @ design + 1e-12 * np.eye(4)
    state = SimpleNamespace(value=0.0, gradient=np.zeros(4), hessian=-curvature)
    mode = laplace(None, np.zeros(4), state, np.full(4, -np.inf))
    root = np.linalg.cholesky(mode.covariance)
    sd = np.sqrt(np.diag(np.linalg.inv(curvature[1:, 1:])))
    np.testing.assert_allclose(np.linalg.norm(root[2:], axis=1), sd[1:], rtol=1e-2)


def test_distinct_keeps_the_best_of_neighbours():
    points = np.array([[0.0, 0.0], [5.0, 0.0], [0.05, 0.0], [5.0, 1.0]])
    values = np.array([1.0, 3.0, 2.0, 0.0])
    assert distinct(points, values, np.ones((4, 2)), tolerance=0.1) == [1, 2, 3]
    assert distinct(points, values, np.ones((4, 2)), tolerance=2.0) == [1, 2]


def posterior_of(X, y):
    rows = RowBlocks(np.column_stack([np.ones(len(X)), X, y]))
    model = LinearModel(
        NormalNoise(),
        X.shape[1] + 1,
        coef_prior_scale=2.5,
        log_scale_prior_scale=1.0,
        min_scale=1e-3,
    )
    return HolderPosterior(model, rows, DensityPower(), 0.5, 2.0, AlphaPrior(1, 1, 0.5))


def standardised(X, y):
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "kind",
    [{"epsilon": 0.3, "shift": 10.0}, {"epsilon": 0.15, "leverage": 6.0}],
    ids=["vertical", "leverage"],
)
def test_clean_mode_is_the_best(contaminated, kind, seed):
    X, y, outlier, _ = contaminated(300, 5, seed=seed, **kind)
    X, y = standardised(X, y)
    posterior = posterior_of(X, y)
    starts = posterior.model.starts(posterior.rows.rows, None, np.random.RandomState(seed))
    modes = find_modes(posterior, starts)
    clean = np.column_stack([np.ones((~outlier).sum()), X[~outlier]])
    coef, square, *_ = np.linalg.lstsq(clean, y[~outlier], rcond=None)
    sigma = np.sqrt(square[0] / len(clean))
    error = np.sqrt(np.diag(np.linalg.inv(clean.T @ clean))) * sigma
    # A robust fit loses some efficiency, so four standard errors of least squares.
    assert np.all(np.abs(modes[0].theta[:-1] - coef) < 4 * error)
    np.testing.assert_allclose(np.exp(modes[0].theta[-1]), sigma, rtol=0.25)
    assert all(a.log_prob >= b.log_prob for a, b in pairwise(modes))


def test_mode_is_a_maximum_with_its_laplace_covariance(contaminated, gradient):
    X, y, *_ = contaminated(100, 2)
    posterior = posterior_of(*standardised(X, y))
    starts = posterior.model.starts(posterior.rows.rows, None, np.random.RandomState(0))
    mode = find_modes(posterior, starts)[0]
    slope = gradient(lambda t: posterior.log_prob(t[None])[0, 0], mode.theta)
    assert np.all(np.abs(slope) * np.sqrt(np.diag(mode.covariance)) < 1e-4)
    bend = gradient(lambda t: posterior.curve(t).gradient, mode.theta)
    np.testing.assert_allclose(mode.covariance @ -bend, np.eye(4), atol=1e-5)
    assert not mode.at_floor


def test_spike_at_the_floor_is_left_out(contaminated):
    # A third of the responses are one number: the density has no bound at sigma -> 0.
    X, y, *_ = contaminated(90, 1, 0.0)
    y[:30] = 0.0
    X, y = standardised(X, y)
    posterior = posterior_of(X, y)
    floor = np.log(1e-3)
    spike = np.array([y[0], 0.0, floor + 0.01])
    wide = np.array([0.0, 0.5, 0.0])
    modes = find_modes(posterior, [spike, wide])
    assert len(modes) == 1
    assert modes[0].theta[-1] > floor + 1
    alone = find_modes(posterior, [spike])
    assert alone[0].at_floor
    assert np.all(np.linalg.eigvalsh(alone[0].covariance) > 0)


class TestRipples:
    """Two narrow modes, six of their own standard deviations apart; all draws are at the second."""

    modes = tuple(
        Mode(np.array([place]), value, np.array([[1.0]]), np.array([False]))
        for place, value in ((0.0, 0.0), (6.0, -0.3))
    )
    draws = np.full((50, 1), 6.0)

    def test_a_valley_between_two_modes_parts_them(self):
        def log_prob(theta):
            return np.logaddexp(-0.5 * theta[:, 0] ** 2, -0.3 - 0.5 * (theta[:, 0] - 6) ** 2)

        assert mode_share(self.modes, self.draws) == 0.0
        assert mode_share(self.modes, self.draws, log_prob) == 0.0

    def test_without_a_valley_they_are_one_answer(self):
        # A plateau with ripples, as kinks of the log density make it.
        def log_prob(theta):
            return -0.05 * theta[:, 0] - 0.2 * np.abs(np.sin(theta[:, 0] * np.pi / 6))

        assert mode_share(self.modes, self.draws, log_prob) == 1.0


class TestWhichModeIsFirst:
    """A high and narrow mode at 0 with a wide one at 6: of two nats less, but with twice its mass.

    In three coordinates sds of 0.1 and 0.1 * (2 e^2)^(1/3) make it so.
    """

    width = 0.1 * (2 * np.exp(2.0)) ** (1 / 3)
    narrow, wide = (
        Mode(np.full(3, place), height, sd**2 * np.eye(3), np.zeros(3, bool))
        for place, height, sd in ((0.0, 0.0, 0.1), (6.0, -2.0, width))
    )

    def log_prob(self, theta):
        gap = [np.sum((theta - one.theta) ** 2, axis=1) / 2 for one in (self.narrow, self.wide)]
        return np.logaddexp(-gap[0] / 0.1**2, -2 - gap[1] / self.width**2)

    def draws(self, n_narrow, n_wide):
        return np.repeat([self.narrow.theta, self.wide.theta], [n_narrow, n_wide], axis=0)

    @pytest.mark.parametrize("n_narrow", [0, 1, 20, 49])
    def test_the_one_that_most_draws_lie_around(self, n_narrow):
        modes, share = by_draws(
            [self.narrow, self.wide], self.draws(n_narrow, 100 - n_narrow), self.log_prob
        )
        assert modes == [self.wide, self.narrow]
        assert share == pytest.approx(1 - n_narrow / 100)

    def test_the_highest_where_it_holds_the_draws(self):
        modes, share = by_draws([self.narrow, self.wide], self.draws(70, 30), self.log_prob)
        assert modes == [self.narrow, self.wide]
        assert share == pytest.approx(0.7)

    def test_the_one_of_the_largest_mass(self):
        modes = by_evidence([self.narrow, self.wide])
        assert modes == [self.wide, self.narrow]
        assert evidence_share(modes, self.log_prob) == pytest.approx(2 / 3)
        assert evidence_share([self.narrow, self.wide], self.log_prob) == pytest.approx(1 / 3)

    def test_ripples_count_as_the_mode_they_lie_on(self):
        beside = replace(self.wide, theta=self.wide.theta + 0.1)
        modes = [self.wide, self.narrow, beside]
        np.testing.assert_array_equal(ripples(modes, self.log_prob), [True, False, True])
        assert evidence_share(modes, self.log_prob) == pytest.approx(4 / 5)

    def test_spikes_have_no_mass_to_compare(self):
        spike = replace(self.narrow, bound=np.array([False, False, True]))
        assert by_evidence([spike, self.wide]) == [spike, self.wide]
        assert evidence_share([spike, self.wide], self.log_prob) == 1.0
