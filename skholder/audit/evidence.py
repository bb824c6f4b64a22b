"""What a fit keeps of its rows, so that an audit can say why a row is flagged.

A fit does not keep its data. At its end it computes a few numbers for each row:

- regression: observed and predicted response, the predictive standard deviation, and the leverage;
- density: the columns that cost the row most, each with its contribution in nats; see
  :mod:`skholder.audit.explanation`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from .column_values import ColumnValues
from .explanation import Contribution, Residual, column_reason, in_deviations, residual_reason

__all__ = ["DensityEvidence", "RegressionEvidence", "density_evidence", "regression_evidence"]

# Columns kept for each row of a density.
_N_COLUMNS = 3
_LEVEL = 0.95
# Rows worked on at a time.
_BLOCK = 16_384


@dataclass(frozen=True, repr=False)
class RegressionEvidence:
    """What explains each row of a regression; arrays have shape (n,).

    Attributes
    ----------
    target : str
    observed, fitted, sd, leverage : ndarray of shape (n,)
    quantiles : (float, float)
        Ends of the predictive interval, in predictive standard deviations.
    mean_leverage : float
    """

    target: str
    observed: np.ndarray
    fitted: np.ndarray
    sd: np.ndarray
    leverage: np.ndarray
    quantiles: tuple[float, float]
    mean_leverage: float

    @property
    def standardised(self):
        """Residuals in predictive standard deviations, shape (n,)."""
        return in_deviations(self.observed - self.fitted, self.sd)

    def __repr__(self):
        return f"RegressionEvidence({len(self):,} rows of {self.target!r})"

    def __len__(self):
        return len(self.observed)

    def reasons(self, positions):
        """A short text for each row, as a list."""
        distance = self.standardised[positions].tolist()
        ratio = (self.leverage[positions] / self.mean_leverage).tolist()
        return [residual_reason(self.target, z, h) for z, h in zip(distance, ratio, strict=True)]

    def residual(self, row):
        """The :class:`Residual` of a row."""
        fitted, sd = float(self.fitted[row]), float(self.sd[row])
        low, high = (fitted + sd * q for q in self.quantiles)
        return Residual(
            self.target,
            float(self.observed[row]),
            fitted,
            sd,
            (low, high),
            float(self.leverage[row]),
            self.mean_leverage,
        )

    def contributions(self, row):
        """None: a regression is explained by its residual."""
        return ()

    def renamed(self, names):
        """The same: no text names a covariate."""
        return self


@dataclass(frozen=True, repr=False)
class DensityEvidence:
    """What explains each row of a density: its worst T columns, worst first.

    Attributes
    ----------
    names : tuple of str
        Of all columns.
    column : ndarray of int, shape (n, T)
        T is 0 for a model that does not split into columns.
    nats, observed, expected : ndarray of shape (n, T)
    share : ndarray of shape (n, T)
        Of all rows that have the observed value, for columns with few values; else NaN.
    """

    names: tuple[str, ...]
    column: np.ndarray
    nats: np.ndarray
    observed: np.ndarray
    expected: np.ndarray
    share: np.ndarray

    def __repr__(self):
        return f"DensityEvidence({len(self):,} rows)"

    def __len__(self):
        return len(self.column)

    def reasons(self, positions):
        """A short text for each row, as a list."""
        if self.column.shape[1] == 0:
            return ["the model does not split into columns"] * len(positions)
        return [column_reason(self.contributions(row)) for row in positions]

    def residual(self, row):
        """None: a density is explained by its columns."""
        return None

    def contributions(self, row):
        """A tuple of :class:`Contribution`, worst first."""
        numbers = (self.observed[row], self.expected[row], self.nats[row], self.share[row])
        parts = zip(self.column[row].tolist(), *(one.tolist() for one in numbers), strict=True)
        return tuple(
            Contribution(self.names[j], x, at, nats, None if np.isnan(share) else share)
            for j, x, at, nats, share in parts
        )

    def renamed(self, names):
        """With other names of the columns."""
        return replace(self, names=tuple(names))


def regression_evidence(target, y, rows, draws, scaling, least_squares):
    """The evidence of a regression, in blocks of rows.

    Parameters
    ----------
    target : str
    y : ndarray of shape (n,)
        In the user's units.
    rows : ndarray of shape (n, p + 1)
        Design and response on the computing scale.
    draws : Draws
        Of a linear model.
    scaling : Scaling
        Of the response.
    least_squares : LeastSquares
        Of the rows, on the computing scale.
    """
    model, noise = draws.model, draws.model.noise
    # Noise without a variance is measured by its scale.
    variance = noise.variance if np.isfinite(noise.variance) else 1.0
    fitted, sd, leverage = np.empty((3, len(rows)))
    for start in range(0, len(rows), _BLOCK):
        part = slice(start, start + _BLOCK)
        design = rows[part, :-1]
        fitted[part], sd[part] = model.predictive_moments(draws.theta, design, variance)
        leverage[part] = least_squares.leverage(design)
    fitted *= scaling.scale[0]
    fitted += scaling.centre[0]
    sd *= scaling.scale[0]
    tail = (1 - _LEVEL) / 2
    ends = tuple(float(_quantile(noise.cdf, p) / np.sqrt(variance)) for p in (tail, 1 - tail))
    return RegressionEvidence(
        target, np.array(y), fitted, sd, leverage, ends, least_squares.mean_leverage
    )


def density_evidence(names, X, rows, contributions, column_values=None):
    """The evidence of a density, in blocks of rows.

    Parameters
    ----------
    names : sequence of str
    X : ndarray of shape (n, k)
        In the user's units.
    rows : ndarray of shape (n, r)
        On the computing scale.
    contributions : object with ``of(rows)``, or None
        See :mod:`skholder.models.contributions`.
    column_values : ColumnValues or None
        What the columns can take; None takes the range of all rows.
    """
    n, k = X.shape
    if column_values is None:
        column_values = ColumnValues.of(X, np.ones(n, dtype=bool))
    size = 0 if contributions is None else min(k, _N_COLUMNS)
    column = np.empty((n, size), dtype=np.int32)
    nats, observed, expected, share = np.empty((4, n, size))
    for start in range(0, n if size else 0, _BLOCK):
        part = slice(start, start + _BLOCK)
        values, excess = contributions.of(rows[part])
        worst = _largest(values, size)
        column[part] = worst
        nats[part] = np.take_along_axis(values, worst, axis=1)
        observed[part] = np.take_along_axis(X[part], worst, axis=1)
        likely = observed[part] - np.take_along_axis(excess, worst, axis=1)
        expected[part] = column_values.possible(likely, worst)
        share[part] = column_values.share(observed[part], worst)
    return DensityEvidence(tuple(names), column, nats, observed, expected, share)


def _largest(values, size):
    """Columns of the ``size`` largest values of each row, largest first, shape (m, size)."""
    if values.shape[1] > size:
        top = np.argpartition(-values, size - 1, axis=1)[:, :size]
    else:
        top = np.broadcast_to(np.arange(size), values.shape)
    order = np.argsort(-np.take_along_axis(values, top, axis=1), axis=1, kind="stable")
    return np.take_along_axis(top, order, axis=1)


def _quantile(cdf, level):
    """Quantile of standardised noise."""
    reach = 1.0
    while not cdf(np.array(-reach)) < level < cdf(np.array(reach)):
        reach *= 2
    return brentq(lambda r: float(cdf(np.array(r))) - level, -reach, reach, xtol=1e-10)
