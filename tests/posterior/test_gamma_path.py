"""The path of gamma: what it chooses, and when it must not."""

import numpy as np
import pytest

from skholder import HolderBayesRegressor
from skholder.datasets import load_spoiled_diabetes
from skholder.model_selection import select_gamma
from skholder.models import EllipticalModel, LinearModel, NormalNoise, NormalRadial
from skholder.posterior import (
    GammaPath,
    efficient_gamma,
    free_minimiser,
    gamma_path,
    influence_values,
)
from skholder.rows import RowBlocks

LOWER = 0.5


def path_of(X, y, weight=None, seed=0):
    """The path of a regression, on the scale that an estimator would compute on."""
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    scale = np.subtract(*np.quantile(y, [0.75, 0.25]))
    rows = np.column_stack([np.ones(len(y)), X, (y - np.median(y)) / scale])
    model = LinearModel(
        NormalNoise(),
        X.shape[1] + 1,
        coef_prior_scale=2.5,
        log_scale_prior_scale=1.0,
        min_scale=1e-3,
    )
    return gamma_path(model, RowBlocks(rows, weight), LOWER, np.random.RandomState(seed))


def plane(X, weight=None, full=True):
    model = EllipticalModel(
        X.shape[1],
        NormalRadial(),
        full=full,
        location_prior_scale=2.5,
        log_scale_prior_scale=1.0,
        min_scale=1e-3,
    )
    return gamma_path(model, RowBlocks(X, weight), LOWER, np.random.RandomState(0))


def test_efficiency_of_the_normal_location():
    for k in (1, 2, 10):
        g = efficient_gamma(k, 0.7)
        assert ((1 + 2 * g) / (1 + g) ** 2) ** (k / 2 + 1) == pytest.approx(0.7)


def test_clean_rows_are_given_a_small_power_and_spoiled_ones_a_larger(contaminated):
    clean = [path_of(*contaminated(300, epsilon=0.0, seed=s)[:2]) for s in range(3)]
    # Outliers at four standard deviations are the hard ones: near, and many.
    spoiled = [path_of(*contaminated(300, epsilon=0.3, shift=4.0, seed=s)[:2]) for s in range(3)]
    assert max(path.best for path in clean) < min(path.best for path in spoiled)
    assert all(path.best < efficient_gamma(1, 0.9) for path in clean)
    assert all(path.epsilon[path.chosen] < 0.05 for path in clean)


def test_four_in_ten_at_six_deviations_do_not_break_it_down(contaminated):
    path = path_of(*contaminated(1000, epsilon=0.4, shift=6.0)[:2])
    assert path.epsilon[path.chosen] == pytest.approx(0.4, abs=0.05)
    # The wide fit over both groups is there, at small powers, and is not believed.
    assert path.epsilon[0] < 0.1
    assert path.criterion[0] == np.inf
    assert path.chosen > 0


@pytest.mark.parametrize("full", [True, False])
def test_densities(full):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    X[:120] += 5.0
    path = plane(X, full=full)
    assert path.epsilon[path.chosen] == pytest.approx(0.3, abs=0.04)
    assert path.theta.shape[1] == (9 if full else 6)
    assert plane(X[120:], full=full).best <= path.best


@pytest.mark.parametrize("n", [4, 8, 20])
def test_few_rows_have_a_small_pilot_and_a_finite_answer(contaminated, n):
    path = path_of(*contaminated(n, epsilon=0.0, seed=3)[:2])
    assert 0 < path.best <= path.gamma[-1]
    assert path.gamma[path.pilot] <= efficient_gamma(1, 0.84) * 1.001
    assert np.isfinite(path.criterion[path.chosen]) or len(path.gamma) == 1
    many = path_of(*contaminated(500, epsilon=0.0, seed=3)[:2])
    assert many.gamma[many.pilot] > path.gamma[path.pilot]


def test_weights_are_repeats(contaminated):
    X, y, *_ = contaminated(150, epsilon=0.2)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    again = np.repeat(np.arange(len(y)), weight)
    rows = np.column_stack([np.ones(len(y)), X, y / 3])
    model = LinearModel(
        NormalNoise(), 3, coef_prior_scale=2.5, log_scale_prior_scale=1.0, min_scale=1e-3
    )
    one = gamma_path(model, RowBlocks(rows, weight.astype(float)), LOWER, np.random.RandomState(0))
    other = gamma_path(
        model, RowBlocks(rows[again], np.ones(len(again))), LOWER, np.random.RandomState(0)
    )
    assert one.best == other.best
    assert one.pilot == other.pilot
    np.testing.assert_allclose(one.epsilon, other.epsilon, atol=1e-4)
    np.testing.assert_allclose(one.criterion, other.criterion, rtol=1e-3)


def test_tied_rows_fall_back_to_the_efficiency_rule():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(80) < 76, 0.0, rng.normal(size=80))
    model = LinearModel(
        NormalNoise(), 1, coef_prior_scale=2.5, log_scale_prior_scale=1.0, min_scale=1e-3
    )
    rows = RowBlocks(np.column_stack([np.ones(80), y]))
    path = gamma_path(model, rows, LOWER, np.random.RandomState(0))
    assert path.best == efficient_gamma(1)
    assert len(path.gamma) == 1
    assert np.all(np.isnan(path.criterion))
    assert path.starts is None


def test_many_rows_are_searched_in_part(contaminated):
    path = path_of(*contaminated(5000, epsilon=0.2)[:2])
    assert path.n_rows <= 2000
    assert path.epsilon[path.chosen] == pytest.approx(0.2, abs=0.03)


def test_one_power_further_where_rows_are_hidden():
    # Ten coefficients weigh more than one share: their errors alone would have a smaller power,
    # at which a fifth of the spoiled rows goes uncounted.
    data = load_spoiled_diabetes()
    path = select_gamma(HolderBayesRegressor(random_state=0), data.data, data.target)
    assert path.epsilon[path.chosen] > 0.12
    assert path.chosen == np.argmin(path.criterion) + 1
    # Rows written twice say the same as weights of two.
    n = 200
    weights = np.full(n, 2.0)
    written = select_gamma(
        HolderBayesRegressor(random_state=0),
        np.repeat(data.data[:n], 2, axis=0),
        np.repeat(data.target[:n], 2),
    )
    weighted = select_gamma(
        HolderBayesRegressor(random_state=0), data.data[:n], data.target[:n], sample_weight=weights
    )
    np.testing.assert_allclose(weighted.criterion, written.criterion, rtol=1e-6)
    assert weighted.chosen == written.chosen


def test_estimates_are_settled_on_more_rows_than_the_search(contaminated):
    X, y, *_ = contaminated(4000, epsilon=0.1)
    path = path_of(X, y)
    assert path.n_rows < 4000
    scale = np.subtract(*np.quantile(y, [0.75, 0.25]))
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    rows = RowBlocks(np.column_stack([np.ones(4000), Z, (y - np.median(y)) / scale]))
    model = LinearModel(
        NormalNoise(), 3, coef_prior_scale=2.5, log_scale_prior_scale=1.0, min_scale=1e-3
    )
    gaps = []
    for gamma, theta in zip(path.gamma, path.theta, strict=True):
        best = free_minimiser(model, rows, gamma, theta)
        sd = np.sqrt(np.diag(influence_values(model, rows, best, gamma).covariance))
        gaps.append(np.abs(theta - best) / sd)
    # A minimiser over a quarter of the rows is more than one standard error away.
    assert np.mean(gaps) < 0.4


class TestRecord:
    path = GammaPath(
        gamma=np.array([0.2, 0.5, 1.0]),
        criterion=np.array([np.inf, 0.1, 0.2]),
        epsilon=np.array([0.0, 0.2, 0.21]),
        theta=np.zeros((3, 2)),
        modes=tuple(np.full((g + 1, 2), float(g)) for g in range(3)),
        chosen=1,
        pilot=2,
        n_rows=100,
    )

    def test_best(self):
        assert self.path.best == 0.5
        assert repr(self.path) == "GammaPath(chosen 0.50 of 3 powers, 0.20 to 1.00)"

    def test_descending_goes_down_from_the_power_chosen(self):
        steps = self.path.descending()
        assert [gamma for gamma, _ in steps] == [0.5, 0.2]
        assert [path.best for _, path in steps] == [0.5, 0.2]
        assert all(path.pilot == 2 for _, path in steps)

    def test_a_fit_starts_at_the_minimisers_of_its_power(self):
        np.testing.assert_array_equal(self.path.starts, np.ones((2, 2)))
        assert self.path.descending()[1][1].starts.shape == (1, 2)

    def test_frame(self):
        frame = self.path.to_frame()
        assert list(frame.columns) == ["gamma", "criterion", "epsilon", "chosen"]
        assert frame["chosen"].tolist() == [False, True, False]
