"""Standardisation of columns, safe for constant columns, gross outliers and numbers of any size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Scaling"]

# A standard deviation this many times the quartiles' scale comes from a few gross outliers.
_GROSS = 10.0
# Interquartile range of a standard normal.
_NORMAL_IQR = 1.3489795


@dataclass(frozen=True)
class Scaling:
    """value -> (value - centre) / scale, column by column.

    Attributes
    ----------
    centre, scale : ndarray of shape (k,)
    constant : ndarray of bool, shape (k,)
        Columns without any spread; their scale is 1.
    """

    centre: np.ndarray
    scale: np.ndarray
    constant: np.ndarray

    @classmethod
    def of(cls, values, weight=None, centre=True):
        """Mean 0 and population standard deviation 1; root mean square 1 without centring.

        A column whose standard deviation is more than ten times what its quartiles say (a typo of
        1e9 will do that) is centred at its median and scaled by its quartiles instead: otherwise
        its honest values would be squeezed below ``min_scale`` and out of the priors' reach.
        """
        # Powers of two bring every column near 1 without rounding, so squares cannot overflow.
        largest = np.max(np.abs(values), axis=0)
        unit = np.exp2(np.frexp(largest)[1].astype(float) - 1)
        work = values / unit
        mean = np.average(work, axis=0, weights=weight)
        sd = np.sqrt(np.average((work - mean) ** 2, axis=0, weights=weight))
        constant = sd <= 1e-13 * np.abs(mean)
        if not centre:
            mean = np.zeros_like(mean)
            sd = np.sqrt(np.average(work**2, axis=0, weights=weight))
            constant = sd == 0
        low, middle, high = _quartiles(work, weight)
        spread = (high - low) / _NORMAL_IQR
        if not centre:
            middle = np.zeros_like(middle)
            spread = np.where(spread > 0, np.hypot(spread, (low + high) / 2), 0.0)
        gross = (spread > 0) & (sd > _GROSS * spread)
        mean, sd = np.where(gross, middle, mean), np.where(gross, spread, sd)
        return cls(mean * unit, np.where(constant, 1.0, sd * unit), constant)

    @classmethod
    def identity(cls, n_columns):
        return cls(np.zeros(n_columns), np.ones(n_columns), np.zeros(n_columns, dtype=bool))

    def apply(self, values):
        return (values - self.centre) / self.scale


def _quartiles(values, weight):
    """Quartiles of each column, shape (3, k); weighted ones by the inverse distribution."""
    levels = np.array([0.25, 0.5, 0.75])
    if weight is None:
        return np.quantile(values, levels, axis=0)
    quartiles = np.empty((3, values.shape[1]))
    for j, column in enumerate(values.T):
        order = np.argsort(column, kind="stable")
        reached = np.cumsum(weight[order])
        spots = np.searchsorted(reached, levels * reached[-1])
        quartiles[:, j] = column[order[np.minimum(spots, len(order) - 1)]]
    return quartiles
