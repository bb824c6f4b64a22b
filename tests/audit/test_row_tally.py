"""K-hat and its error: sums that blocks share, and the step towards twice the power."""

from types import SimpleNamespace

import numpy as np
import pytest

from skholder import HolderBayesRegressor
from skholder.audit.row_tally import RowTally, count_estimate

MODEL = SimpleNamespace(count_bias=lambda gamma: 2 * gamma)


def fit(rho, gamma):
    return SimpleNamespace(rho=rho, gamma=gamma)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    b, beyond = rng.normal(size=(2, 300))
    tails = rng.uniform(size=300)
    tails[:7] = 1e-9
    return b, rng.integers(0, 3, 300).astype(float), tails, beyond


def test_blocks_add_up(rows):
    b, weight, tails, beyond = rows
    total = weight.sum()
    whole = RowTally.of(b, weight, tails, total, beyond)
    parts = [
        RowTally.of(b[part], weight[part], tails[part], total, beyond[part])
        for part in (slice(0, 100), slice(100, 300))
    ]
    for name, value in vars(parts[0] + parts[1]).items():
        assert value == pytest.approx(getattr(whole, name))


@pytest.mark.parametrize("step", [0.0, 0.3, 1.0])
def test_the_standard_deviation_is_that_of_the_mixed_influence(rows, step):
    b, weight, tails, beyond = rows
    total = weight.sum()
    certain = total * tails < 0.05
    mixed = (1 - step) * b + step * beyond + certain - weight @ certain / total
    found = RowTally.of(b, weight, tails, total, beyond).sd(step)
    assert found == pytest.approx(np.sqrt(weight @ mixed**2))


def test_a_difference_within_chance_moves_nothing(rows):
    b, weight, tails, beyond = rows
    tally = RowTally.of(b, weight, tails, weight.sum(), beyond)
    # The sd of the difference is about 24 rows.
    other = fit(0.9 - 30 / weight.sum(), 1.0)
    k_hat, sd = count_estimate(MODEL, fit(0.9, 0.5), tally, other)
    assert k_hat == pytest.approx(0.1 * weight.sum() - 1.0)
    assert sd == tally.sd(0.0)
    assert count_estimate(MODEL, fit(0.9, 0.5), tally, None) == (k_hat, sd)


def test_a_sure_difference_is_followed_and_half_of_it_doubted(rows):
    b, weight, tails, beyond = rows
    total = weight.sum()
    tally = RowTally.of(b, weight, tails, total, beyond)
    k_hat, sd = count_estimate(MODEL, fit(0.9, 0.5), tally, fit(0.2, 1.0))
    distance = 0.7 * total - 1.0
    step = 1 - 2.0**2 * tally.square / distance**2
    assert 0.5 < step < 1
    assert k_hat == pytest.approx(0.1 * total - 1.0 + step * distance)
    assert sd == pytest.approx(np.hypot(tally.sd(step), step * distance / 2))


def test_overlapping_outliers_of_a_large_table_are_counted():
    rng = np.random.default_rng(0)
    n, bad = 20_000, 2000
    X = rng.normal(size=(n, 3))
    y = X.sum(axis=1) + rng.normal(size=n)
    y[:bad] += 5
    model = HolderBayesRegressor(
        gamma=0.4, leverage="ignore", inference="laplace", n_draws=1000, random_state=0
    ).fit(X, y)
    low, high = np.quantile(model.outlier_count_posterior_, [0.025, 0.975])
    # Without the step K-hat is 400 too small, with an error of 30.
    assert low <= bad <= high
