"""Which values the columns of a table can take, so that an expected value is one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["ColumnValues", "typical_rows"]

# A column with at most so many values, each in so many rows on average, is told by its values.
_FEW_VALUES, _ROWS_PER_VALUE = 5, 5


@dataclass(frozen=True)
class ColumnValues:
    """What the rows that a model keeps have in each of k columns.

    Attributes
    ----------
    low, high : ndarray of shape (k,)
        Their range.
    whole : ndarray of bool, shape (k,)
        Whether all values are whole numbers.
    levels : dict of int to (ndarray, ndarray)
        For columns with few values: these, and the share of all rows that has each.
    """

    low: np.ndarray
    high: np.ndarray
    whole: np.ndarray
    levels: dict[int, tuple[np.ndarray, np.ndarray]]

    @classmethod
    def of(cls, X, kept, weight=None):
        """From rows X (n, k), of which ``kept`` (n,) are not outliers, with weights (n,) or None.

        A column with few values has its levels from all rows: a rare level is a level too.
        """
        inner = X[kept]
        levels = {}
        for j, column in enumerate(X.T):
            # Most columns have more values than that in their first rows.
            if len(np.unique(column[: 20 * _FEW_VALUES])) > _FEW_VALUES:
                continue
            level, member = np.unique(column, return_inverse=True)
            if len(level) <= min(_FEW_VALUES, len(X) // _ROWS_PER_VALUE):
                size = np.bincount(member.ravel(), weights=weight, minlength=len(level))
                levels[j] = level, size / size.sum()
        whole = np.all(inner == np.rint(inner), axis=0)
        return cls(inner.min(axis=0), inner.max(axis=0), whole, levels)

    def possible(self, value, column):
        """The values nearest to ``value`` that the columns can take; both of shape (m, T)."""
        near = np.clip(value, self.low[column], self.high[column])
        near = np.where(self.whole[column], np.rint(near), near)
        for j, (level, _) in self.levels.items():
            spots = column == j
            if np.any(spots):
                apart = np.abs(value[spots][:, None] - level)
                near[spots] = level[np.argmin(apart, axis=1)]
        return near

    def share(self, value, column):
        """The share of rows that has ``value`` in a column of few values, else NaN; (m, T)."""
        share = np.full(np.shape(value), np.nan)
        for j, (level, size) in self.levels.items():
            spots = column == j
            share[spots] = size[np.minimum(np.searchsorted(level, value[spots]), len(level) - 1)]
        return share


def typical_rows(log_density, epsilon):
    """Which rows are left, as bool (n,), without the share ``epsilon`` that is least likely."""
    cut = np.quantile(log_density, min(max(float(epsilon), 0.0), 0.5))
    return log_density >= cut
