"""Starting values of regressions: least squares of all rows, and of the half that agrees most."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skholder.models.starts import trimmed_starts
from skholder.models.starts.least_trimmed import _closest_half, _least_squares, _squares


def table(n=200, p=3, n_bad=40, seed=0):
    """Rows (1, x, y) with y = 1 + 2 x1 - x2 + ..., the first of them at x = 6 with y 10 below."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:n_bad] = 6 + 0.3 * rng.normal(size=(n_bad, p))
    coef = np.resize([2.0, -1.0, 0.5], p)
    y = 1 + X @ coef + 0.5 * rng.normal(size=n)
    y[:n_bad] -= 10
    return np.column_stack([np.ones(n), X, y]), np.append(1.0, coef)


@pytest.mark.parametrize("seed", range(4))
def test_one_start_ignores_a_cluster_of_bad_leverage(seed):
    rows, coef = table(seed=seed)
    starts = trimmed_starts(rows, None, 1e-2, np.random.RandomState(seed))
    error = np.max(np.abs(starts[:, :-1] - coef), axis=1)
    assert error.min() < 0.3 < error[0]
    scale = np.exp(starts[np.argmin(error), -1])
    assert 0.2 < scale < 0.9
    np.testing.assert_allclose(
        starts[0, :-1], np.linalg.lstsq(rows[:, :-1], rows[:, -1], rcond=None)[0], rtol=1e-6
    )


def test_weights_are_repeats():
    rows, _ = table(90, 2, 20)
    weight = np.arange(len(rows)) % 3 + 1.0
    copies = rows[np.repeat(np.arange(len(rows)), weight.astype(int))]
    weighted = trimmed_starts(rows, weight, 1e-2, np.random.RandomState(1))
    repeated = trimmed_starts(copies, None, 1e-2, np.random.RandomState(1))
    np.testing.assert_allclose(weighted, repeated, rtol=1e-8, atol=1e-10)


@given(
    values=st.lists(st.integers(0, 4), min_size=1, max_size=12),
    weight=st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.5]), min_size=12, max_size=12),
    is_equal=st.booleans(),
)
def test_the_closest_half(values, weight, is_equal):
    square = np.array([values, values[::-1]], dtype=float)
    weight = np.ones(len(values)) if is_equal else np.array(weight[: len(values)]) + 0.25
    inside = _closest_half(square, weight)
    np.testing.assert_allclose(inside.sum(axis=1), 0.5 * weight.sum())
    assert np.all((inside >= 0) & (inside <= weight + 1e-12))
    for kept, size in zip(inside, square, strict=True):
        limit = size[kept > 0].max()
        np.testing.assert_allclose(kept[size < limit], weight[size < limit])
        tied = size == limit
        np.testing.assert_allclose(kept[tied] / weight[tied], kept[tied][0] / weight[tied][0])


def test_fits_of_several_weights_at_once():
    rows, _ = table(50, 2, 0)
    weight = np.random.default_rng(2).uniform(size=(3, 50))
    found = _least_squares(rows[:, :-1], rows[:, -1], weight)
    for coef, one in zip(found, weight, strict=True):
        root = np.sqrt(one)
        expected = np.linalg.lstsq(rows[:, :-1] * root[:, None], rows[:, -1] * root, rcond=None)[0]
        np.testing.assert_allclose(coef, expected, rtol=1e-6)
    residual = rows[:, -1] - rows[:, :-1] @ found[1]
    np.testing.assert_allclose(_squares(rows[:, :-1], rows[:, -1], found)[1], residual**2)


def test_no_columns():
    rows = np.linspace(-1, 2, 9)[:, None]
    starts = trimmed_starts(rows, None, 1e-2, np.random.RandomState(0))
    assert starts.shape[1] == 1
    assert np.all(np.isfinite(starts))
