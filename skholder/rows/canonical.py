"""The weighted set of rows that a table stands for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["RowSet", "canonical"]


@dataclass(frozen=True)
class RowSet:
    """The distinct rows of a table, in canonical order.

    Attributes
    ----------
    chosen : ndarray of int, shape (m,)
        A row of the table for each row of the set.
    weight : ndarray of shape (m,) or None
        Its weight; None if all are 1.
    member : ndarray of int, shape (n,)
        The row of the set that each row of the table is; -1 for a row without weight.
    """

    chosen: np.ndarray
    weight: np.ndarray | None
    member: np.ndarray

    def spread(self, values, missing):
        """Values (m,) of the set's rows for each row of the table, shape (n,).

        ``missing(rows)`` makes those of the rows (positions in the table) that have no weight.
        """
        out = values[self.member]
        lost = np.flatnonzero(self.member < 0)
        if len(lost):
            out[lost] = missing(lost)
        return out


def canonical(X, y=None, weight=None):
    """The weighted set of rows, whatever their order and however repeats were written.

    Rows are sorted by (y, X), equal rows are merged and rows without weight dropped. Every sum
    over the result is then the same to the last bit for permuted or repeated rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    y, weight : ndarray of shape (n,) or None

    Returns
    -------
    RowSet
    """
    columns = [*X.T[::-1]] if y is None else [*X.T[::-1], y]
    order = np.argsort(columns[-1], kind="stable")
    if np.any(_same_as_next(columns[-1][order])):
        # The weight as the last key makes the order of a sum over copies the same for all inputs.
        order = np.lexsort(columns if weight is None else [weight, *columns])
    if weight is not None:
        order = order[weight[order] > 0]
    tied = np.ones(len(order) - 1, dtype=bool)
    for column in columns[::-1]:
        tied &= _same_as_next(column[order])
        if not np.any(tied):
            break
    is_first = np.append(True, ~tied)
    first = np.flatnonzero(is_first)
    member = np.full(len(X), -1)
    member[order] = np.cumsum(is_first) - 1
    if weight is None:
        weight = np.ones(len(X))
    merged = np.add.reduceat(weight[order], first)
    return RowSet(order[first], None if np.all(merged == 1) else merged, member)


def _same_as_next(values):
    """Which of the values (n,) equal the one after them, shape (n - 1,); nothing can overflow."""
    return values[1:] == values[:-1]
