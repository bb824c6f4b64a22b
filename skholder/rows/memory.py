"""How many numbers an array over rows and draws may hold at a time.

Computations that would need one number for each row and each draw go through the rows in spans, so
that memory stays small however many rows there are. All rooms above share this one limit.
"""

from __future__ import annotations

__all__ = ["HELD_NUMBERS", "row_spans"]

#: Numbers held at a time where an array has both rows and draws: 2 million are 16 MB.
HELD_NUMBERS = 2_000_000


def row_spans(n_rows, numbers_per_row):
    """Slices of rows, in order, each holding at most ``HELD_NUMBERS`` numbers (one row at least).

    Parameters
    ----------
    n_rows : int
    numbers_per_row : int
        For instance the number of draws that a row meets.

    Returns
    -------
    list of slice
    """
    size = max(1, HELD_NUMBERS // max(1, numbers_per_row))
    return [slice(start, start + size) for start in range(0, n_rows, size)]
