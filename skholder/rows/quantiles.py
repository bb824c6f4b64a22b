"""Quantiles of weighted rows, and the constant that turns quartiles into standard deviations."""

from __future__ import annotations

import numpy as np

__all__ = ["NORMAL_IQR", "quantile_rows", "weighted_quantiles"]

#: Interquartile range of a standard normal: quartiles apart by this say a standard deviation of 1.
NORMAL_IQR = 1.349


def quantile_rows(weight, levels):
    """Positions at given levels in (0, 1) of the cumulative weight (n,)."""
    reached = np.cumsum(weight)
    spots = np.searchsorted(reached, np.asarray(levels) * reached[-1], side="right")
    return np.minimum(spots, len(weight) - 1)


def weighted_quantiles(values, weight, levels):
    """Quantiles of each column of values (n, k), shape (len(levels), k).

    Without weights (None) NumPy's interpolated ones; with weights (n,) a value of the column each,
    so that a row of weight 2 counts exactly as two rows.
    """
    if weight is None:
        return np.quantile(values, levels, axis=0)
    quantiles = np.empty((len(levels), values.shape[1]))
    for j, column in enumerate(values.T):
        order = np.argsort(column, kind="stable")
        quantiles[:, j] = column[order[quantile_rows(weight[order], levels)]]
    return quantiles
