"""The weighted set of rows that a table stands for."""

from __future__ import annotations

import numpy as np

__all__ = ["canonical"]


def canonical(X, y=None, weight=None):
    """The weighted set of rows, whatever their order and however repeats were written.

    Rows are sorted by (y, X), equal rows are merged and rows without weight dropped. Every sum
    over the result is then the same to the last bit for permuted or repeated rows.

    Returns
    -------
    chosen : ndarray of int
        A row of the input for each row of the set.
    weight : ndarray or None
        Its weight; None if all are 1.
    """
    columns = [*X.T[::-1]] if y is None else [*X.T[::-1], y]
    order = np.argsort(columns[-1], kind="stable")
    if np.any(np.diff(columns[-1][order]) == 0):
        # The weight as the last key makes the order of a sum over copies the same for all inputs.
        order = np.lexsort(columns if weight is None else [weight, *columns])
    if weight is not None:
        order = order[weight[order] > 0]
    tied = np.ones(len(order) - 1, dtype=bool)
    for column in columns[::-1]:
        tied &= np.diff(column[order]) == 0
        if not np.any(tied):
            break
    first = np.flatnonzero(np.append(True, ~tied))
    if weight is None:
        weight = np.ones(len(X))
    merged = np.add.reduceat(weight[order], first)
    return order[first], None if np.all(merged == 1) else merged
