import numpy as np
import pytest

from skholder.rows import HELD_NUMBERS, row_spans


@pytest.mark.parametrize("n_rows", [0, 1, 999, 5000])
@pytest.mark.parametrize("per_row", [0, 1, 4000, HELD_NUMBERS, 10 * HELD_NUMBERS])
def test_every_row_once_in_order_and_within_the_limit(n_rows, per_row):
    rows = np.arange(n_rows)
    parts = [rows[span] for span in row_spans(n_rows, per_row)]
    np.testing.assert_array_equal(np.concatenate([[], *parts]), rows)
    for part in parts:
        assert len(part) == 1 or len(part) * per_row <= HELD_NUMBERS


def test_spans_are_as_long_as_the_limit_allows():
    assert len(row_spans(1000, HELD_NUMBERS // 10)) == 100
