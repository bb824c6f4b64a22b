"""The series of sums over rows is those sums, to its order."""

import pickle

import numpy as np
import pytest

from skholder.models import EllipticalModel, LinearModel, NormalNoise, NormalRadial
from skholder.rows import Metric, RowBlocks, RowSeries, SingleRows, series_sizes

PRIORS = {"log_scale_prior_scale": 1.0, "min_scale": 1e-3}
GAMMA = 0.4


def linear():
    rng = np.random.default_rng(0)
    model = LinearModel(NormalNoise(), 3, coef_prior_scale=2.5, **PRIORS)
    X = np.column_stack([np.ones(2000), rng.normal(size=(2000, 2))])
    y = X @ [0.1, -0.2, 0.3] + rng.normal(size=2000)
    y[:200] += 6.0
    return model, np.column_stack([X, y]), np.array([0.1, -0.2, 0.3, 0.0])


def elliptical(full):
    rng = np.random.default_rng(1)
    model = EllipticalModel(3, NormalRadial(), full=full, location_prior_scale=2.5, **PRIORS)
    return model, rng.normal(size=(2000, 3)), np.linspace(-0.1, 0.1, model.n_params)


CASES = {
    "linear": linear,
    "full": lambda: elliptical(True),
    "diagonal": lambda: elliptical(False),
}
each_case = pytest.mark.parametrize("case", CASES)


def around(origin, size, step, seed=2):
    return origin + step * np.random.default_rng(seed).normal(size=(size, len(origin)))


def plain_sum(model, rows, theta):
    terms = np.exp(model.log_kernel(theta, rows.rows, GAMMA))
    return terms.sum(axis=0) if rows.weight is None else rows.weight @ terms


def series_of(case, degree, rows=None, bulk=0.01):
    model, table, origin = CASES[case]()
    rows = RowBlocks(table) if rows is None else rows
    metric = Metric.of(model, rows, GAMMA, origin)
    return model, rows, origin, RowSeries(model, rows, GAMMA, metric, degree, bulk)


@each_case
@pytest.mark.parametrize("degree", [3, 4, 5, 7])
def test_the_error_is_of_the_next_order(case, degree):
    model, rows, origin, series = series_of(case, degree)
    step = 0.08 if degree < 7 else 0.15
    errors = []
    for scale in (step, step / 2):
        theta = around(origin, 20, scale)
        error = series.power_total(theta) / plain_sum(model, rows, theta) - 1
        errors.append(np.sqrt(np.mean(error**2)))
    assert errors[0] < 0.02
    # Half the way out, 2^(degree + 1) times less is left; coefficients are not linear in theta.
    assert errors[0] / errors[1] > 0.5 * 2 ** (degree + 1)


@each_case
def test_it_is_the_sum_where_it_is_used(case):
    model, rows, origin, series = series_of(case, 5)
    theta = around(origin, 20, 0.01)
    np.testing.assert_allclose(series.power_total(theta), plain_sum(model, rows, theta), rtol=1e-8)


@each_case
def test_weights_are_repeats(case):
    _, table, origin = CASES[case]()
    weight = 1.0 + np.arange(len(table)) % 3
    repeated = RowBlocks(np.repeat(table, weight.astype(int), axis=0))
    *_, once = series_of(case, 3, RowBlocks(table, weight))
    *_, again = series_of(case, 3, repeated)
    theta = around(origin, 10, 0.02)
    np.testing.assert_allclose(once.power_total(theta), again.power_total(theta), rtol=1e-6)


def test_far_rows_are_summed_one_by_one():
    model, table, origin = linear()
    # On the fit, so that they count, and far out: a small turn of the plane loses them.
    table[:3, 1:3] = [[200.0, 0.0], [0.0, 300.0], [-250.0, 100.0]]
    table[:3, 3] = table[:3, :3] @ origin[:3]
    rows = RowBlocks(table)
    _, _, _, series = series_of("linear", 3, rows, bulk=0.05)
    assert 3 <= series.n_far < 20
    theta = around(origin, 20, 0.01)
    exact = plain_sum(model, rows, theta)
    np.testing.assert_allclose(series.power_total(theta), exact, rtol=1e-5)
    # Without them the sum would be off by more than that.
    near = plain_sum(model, RowBlocks(table[3:]), theta)
    assert np.max(np.abs(near / exact - 1)) > 1e-4


def test_rows_far_from_the_fit_are_no_far_rows():
    _, table, _ = linear()
    table[:50, 3] += 1e3
    *_, series = series_of("linear", 3, RowBlocks(table))
    assert series.n_far == 0


@each_case
def test_beyond_its_radius_other_sums_are_used(case):
    model, rows, origin, series = series_of(case, 3)
    single = SingleRows(model, rows, GAMMA, origin)
    bounded = series.within(0.02, single)
    theta = np.concatenate([around(origin, 5, 0.002), around(origin, 5, 0.5)])
    total = bounded.power_total(theta)
    np.testing.assert_array_equal(total[:5], series.power_total(theta[:5]))
    np.testing.assert_array_equal(total[5:], single.power_total(theta[5:]))
    assert series.power_total(theta[5:]) != pytest.approx(total[5:], rel=1e-3)


def test_no_metric_where_a_direction_is_open():
    model, table, origin = linear()
    table[:, 2] = table[:, 1]
    assert Metric.of(model, RowBlocks(table), GAMMA, origin) is None


def test_lengths_are_root_mean_squares():
    model, table, origin = linear()
    rows = RowBlocks(table)
    metric = Metric.of(model, rows, GAMMA, origin)
    step, length = metric.steps(model, around(origin, 4, 0.1), GAMMA)
    features = model.distance_features(model.moved(table, origin))
    weight = np.exp(model.log_kernel(origin[None], table, GAMMA)[:, 0])
    square = np.average((features @ step.T) ** 2, axis=0, weights=weight)
    np.testing.assert_allclose(length, np.sqrt(square), rtol=1e-8)
    # No step of that length moves a row further than the row's own length allows.
    moved = np.abs(features @ step.T) / length
    assert np.all(moved <= metric.row_lengths(features)[:, None] * (1 + 1e-9))


def test_sizes():
    # 1 + 4 and 1 + 4 + 10 monomials of four variables.
    assert series_sizes(4, 3) == (5, 15)
    assert series_sizes(4, 4) == (15, 15)


def test_it_travels():
    _, _, origin, series = series_of("full", 3)
    theta = around(origin, 5, 0.01)
    again = pickle.loads(pickle.dumps(series))
    np.testing.assert_array_equal(again.power_total(theta), series.power_total(theta))
