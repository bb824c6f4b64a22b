"""Standardisation of columns, safe for constant columns, gross outliers and numbers of any size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..rows import NORMAL_IQR, weighted_quantiles
from .limits import check_columns, check_plain_columns, within_reach

__all__ = ["RegressionUnits", "Scaling"]

# A standard deviation this many times the quartiles' scale comes from a few gross outliers.
_GROSS = 10.0


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
        if not values.shape[1]:
            return cls.identity(0)
        # Powers of two bring every column near 1 without rounding, so squares cannot overflow.
        largest = np.max(np.abs(values), axis=0)
        unit = np.exp2(np.frexp(largest)[1].astype(float) - 1)
        work = values / unit
        mean = np.average(work, axis=0, weights=weight)
        sd = np.sqrt(np.average((work - mean) ** 2, axis=0, weights=weight))
        rounding = 1e-13 * np.abs(mean)
        constant = sd <= rounding
        if not centre:
            mean = np.zeros_like(mean)
            sd = np.sqrt(np.average(work**2, axis=0, weights=weight))
            constant, rounding = sd == 0, np.zeros_like(sd)
        low, middle, high = weighted_quantiles(work, weight, [0.25, 0.5, 0.75])
        spread = (high - low) / NORMAL_IQR
        if not centre:
            middle = np.zeros_like(middle)
            spread = np.where(spread > 0, np.hypot(spread, (low + high) / 2), 0.0)
        gross = (spread > 0) & (sd > _GROSS * spread)
        # The mean of equal values is not quite their value.
        mean, sd = np.where(gross | constant, middle, mean), np.where(gross, spread, sd)
        scale = np.where(constant, np.maximum(rounding * unit, 1.0), sd * unit)
        return cls(mean * unit, scale, constant)

    @classmethod
    def identity(cls, n_columns):
        return cls(np.zeros(n_columns), np.ones(n_columns), np.zeros(n_columns, dtype=bool))

    def apply(self, values, out=None):
        """Values (n, k) on the computing scale, in ``out`` or a fresh array.

        See :mod:`.limits` for far ones.
        """
        with np.errstate(over="ignore"):
            out = np.subtract(values, self.centre, out=out)
            return within_reach(np.divide(out, self.scale, out=out))


@dataclass(frozen=True)
class RegressionUnits:
    """The map between the user's X and y and the rows of a linear model.

    Attributes
    ----------
    x, y : Scaling
    has_intercept : bool
        Whether rows start with a column of ones.
    """

    x: Scaling
    y: Scaling
    has_intercept: bool

    @classmethod
    def of(cls, X, y, weight, fit_intercept, standardize, columns=None, target="y"):
        """From X (n, p) and y (n,), with weights (n,) or None.

        Numbers beyond what :mod:`.limits` allows are refused: by ``columns``, their names or None,
        and by the name of the ``target``.
        """
        columns = range(X.shape[1]) if columns is None else columns
        named = [f"Column {name!r}" for name in columns], [f"The response {target!r}"]
        if not standardize:
            check_plain_columns(X, weight, named[0])
            check_plain_columns(y[:, None], weight, named[1])
            return cls(Scaling.identity(X.shape[1]), Scaling.identity(1), fit_intercept)
        x, response = (Scaling.of(part, weight, fit_intercept) for part in (X, y[:, None]))
        for scaling, names in zip((x, response), named, strict=True):
            check_columns(scaling.centre, scaling.scale, scaling.constant, names)
        return cls(x, response, fit_intercept)

    def rows(self, X, y):
        """(1,) X and y on the computing scale side by side, shape (m, p + 2) or (m, p + 1)."""
        start = int(self.has_intercept)
        rows = np.empty((len(X), start + X.shape[1] + 1))
        rows[:, :start] = 1.0
        self.x.apply(X, out=rows[:, start:-1])
        self.y.apply(y[:, None], out=rows[:, -1:])
        return rows

    def design(self, X):
        """The rows without their response, shape (m, p + 1) or (m, p)."""
        return self.rows(X, np.broadcast_to(self.y.centre, len(X)))[:, :-1]

    def names(self, columns):
        """The columns that coefficients belong to: all of them."""
        return list(columns)

    def response(self, values):
        """Responses on the computing scale in the user's units."""
        return self.y.centre[0] + self.y.scale[0] * values

    @property
    def log_volume(self):
        """log of the response's scale: densities are reported in the user's units."""
        return float(np.log(self.y.scale[0]))
