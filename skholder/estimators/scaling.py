"""Standardisation of columns, safe for constant columns and for numbers of any size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Scaling"]


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
        """Mean 0 and population standard deviation 1; root mean square 1 without centring."""
        # Powers of two bring every column near 1 without rounding, so squares cannot overflow.
        largest = np.max(np.abs(values), axis=0)
        unit = np.exp2(np.frexp(largest)[1].astype(float) - 1)
        work = values / unit
        mean = np.average(work, axis=0, weights=weight)
        sd = np.sqrt(np.average((work - mean) ** 2, axis=0, weights=weight))
        constant = sd <= 1e-13 * np.abs(mean)
        if not centre:
            sd = np.sqrt(np.average(work**2, axis=0, weights=weight))
            constant = sd == 0
            mean = np.zeros_like(mean)
        return cls(mean * unit, np.where(constant, 1.0, sd * unit), constant)

    @classmethod
    def identity(cls, n_columns):
        return cls(np.zeros(n_columns), np.ones(n_columns), np.zeros(n_columns, dtype=bool))

    def apply(self, values):
        return (values - self.centre) / self.scale
