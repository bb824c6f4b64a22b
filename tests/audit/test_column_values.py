import numpy as np
import pytest

from skholder import HolderBayesDensity
from skholder.audit.column_values import ColumnValues, typical_rows


def table():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [rng.normal(size=60), rng.poisson(30, size=60), np.arange(60) % 2, np.arange(60) % 30 == 0]
    ).astype(float)
    X[0, 0], X[1, 1] = 50.0, 0.5
    return X, np.arange(60) > 1


def test_ranges_are_those_of_the_kept_rows():
    X, kept = table()
    found = ColumnValues.of(X, kept)
    assert found.high[0] == X[2:, 0].max()
    assert found.whole.tolist() == [False, True, True, True]
    assert sorted(found.levels) == [2, 3]
    np.testing.assert_allclose(found.levels[3][1], [58 / 60, 2 / 60])


def test_possible_values():
    X, kept = table()
    found = ColumnValues.of(X, kept)
    column = np.array([[0, 1], [2, 3], [1, 2]])
    value = np.array([[99.0, 25.4], [20.0, -3.0], [1e9, 0.4]])
    possible = found.possible(value, column)
    np.testing.assert_array_equal(
        possible, [[found.high[0], 25.0], [1.0, 0.0], [found.high[1], 0.0]]
    )
    np.testing.assert_allclose(found.share(possible, column)[1], [0.5, 58 / 60])
    assert np.isnan(found.share(possible, column)[0]).all()


def test_weights_are_repeats():
    X, kept = table()
    weight = np.arange(60) % 3 + 1
    one = ColumnValues.of(X, kept, weight).levels[2][1]
    two = ColumnValues.of(np.repeat(X, weight, axis=0), np.repeat(kept, weight)).levels[2][1]
    np.testing.assert_allclose(one, two)


def test_typical_rows():
    log_density = np.arange(10.0)
    assert typical_rows(log_density, 0.2).sum() == 8
    assert typical_rows(log_density, 0.0).all()


@pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_binary_column_is_told_by_its_values():
    rng = np.random.default_rng(0)
    smoker = (rng.random(200) < 0.5).astype(float)
    dose = 3 * smoker + 0.1 * rng.normal(size=200)
    dose[7] = 60.0
    found = HolderBayesDensity(inference="laplace", n_draws=200, random_state=0)
    row = found.fit(np.column_stack([smoker, dose])).audit().explain(7)
    part = next(part for part in row.contributions if part.column == "x0")
    assert part.expected in (0.0, 1.0)
    assert "nats" not in str(row)
    assert all(-1 < one.expected < 4 for one in row.contributions)
