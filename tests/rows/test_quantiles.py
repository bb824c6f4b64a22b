import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skholder.rows import NORMAL_IQR, weighted_quantiles


def test_iqr_of_a_normal():
    np.testing.assert_allclose(NORMAL_IQR, 2 * stats.norm.ppf(0.75), rtol=1e-4)


@pytest.mark.parametrize("levels", [[0.5], [0.1, 0.25, 0.9]])
def test_without_weights_they_are_numpys(levels):
    values = np.random.default_rng(0).normal(size=(31, 3))
    np.testing.assert_array_equal(
        weighted_quantiles(values, None, levels), np.quantile(values, levels, axis=0)
    )


@given(
    cells=st.lists(st.integers(-5, 5), min_size=2, max_size=8),
    repeats=st.lists(st.integers(0, 4), min_size=8, max_size=8),
    level=st.floats(0.01, 0.99),
)
def test_weights_are_repeats(cells, repeats, level):
    repeats = np.array(repeats[: len(cells)])
    repeats[0] += 1
    values = np.column_stack([cells, cells[::-1]]).astype(float)
    written = np.repeat(values, repeats, axis=0)
    np.testing.assert_array_equal(
        weighted_quantiles(values, repeats.astype(float), [level]),
        weighted_quantiles(written, np.ones(len(written)), [level]),
    )


def test_a_value_of_the_column_at_which_the_weight_reaches_the_level():
    values = np.array([[3.0], [1.0], [2.0]])
    weight = np.array([1.0, 5.0, 2.0])
    found = weighted_quantiles(values, weight, [0.5, 0.7, 0.9])[:, 0]
    np.testing.assert_array_equal(found, [1.0, 2.0, 3.0])
