"""Ordinary estimates that trust every row, to compare robust ones with.

Least squares for a regression, means and standard deviations for a density.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["LeastSquares", "PlainMoments"]

# Eigenvalues of the columns' correlations below this are directions without data.
_SINGULAR = 1e-12
# Columns whose largest entry is below this have none.
_NOUGHT = 1e-200


@dataclass(frozen=True)
class LeastSquares:
    """Weighted least squares of y on a design, the shortest solution where there are many.

    Attributes
    ----------
    coef : ndarray of shape (p,)
    scale : float
        Standard deviation of the residuals; nan without degrees of freedom.
    rank : int
        Directions of the design that the rows determine.
    root : ndarray of shape (p, rank)
        ``root @ root.T`` is the pseudo-inverse of X' W X.
    total_weight : float
    """

    coef: np.ndarray
    scale: float
    rank: int
    root: np.ndarray
    total_weight: float

    @classmethod
    def of(cls, rows):
        """From :class:`RowBlocks` of rows (design, y), in two passes."""
        p = rows.rows.shape[1] - 1
        # The largest entry as the unit, so that no square overflows.
        unit = np.maximum(rows.rows.max(axis=0), -rows.rows.min(axis=0))
        # What is left of a constant column by rounding is nought.
        unit = np.where(unit > _NOUGHT, unit, 1.0)
        gram = sum(_gram(block / unit, weight) for block, weight in rows)
        length = np.sqrt(np.diag(gram)[:p])
        length = np.where(length > 0, length, 1.0)
        value, vector = np.linalg.eigh(gram[:p, :p] / np.outer(length, length))
        kept = value > _SINGULAR
        root = vector[:, kept] / np.sqrt(value[kept]) / length[:, None]
        coef = root @ (root.T @ gram[:p, p])
        contrast = np.append(-coef, 1.0) / unit
        squares = sum(_sum_of_squares(block @ contrast, weight) for block, weight in rows)
        freedom = rows.total_weight - root.shape[1]
        scale = unit[-1] * np.sqrt(squares / freedom) if freedom > 0 else np.nan
        return cls(
            coef * (unit[-1] / unit[:p]),
            float(scale),
            root.shape[1],
            root / unit[:p, None],
            rows.total_weight,
        )

    def leverage(self, design):
        """x' (X' W X)^+ x of each row of a design (m, p): how far it can pull the fit, in [0, 1].

        A row of weight w counts as w rows, each with this leverage.
        """
        return np.minimum(np.sum((design @ self.root) ** 2, axis=1), 1.0)

    @property
    def mean_leverage(self):
        return self.rank / self.total_weight


def _gram(block, weight):
    return block.T @ (block if weight is None else block * weight[:, None])


def _sum_of_squares(residual, weight):
    return np.sum(residual**2 if weight is None else weight * residual**2)


@dataclass(frozen=True)
class PlainMoments:
    """Mean and standard deviation of each column, every row trusted.

    Attributes
    ----------
    mean, sd : ndarray of shape (k,)
    """

    mean: np.ndarray
    sd: np.ndarray

    @classmethod
    def of(cls, X, weight=None):
        """Of X (n, k), one column at a time."""
        pairs = np.array([_mean_and_sd(column, weight) for column in X.T]).reshape(-1, 2)
        return cls(pairs[:, 0], pairs[:, 1])


def _mean_and_sd(column, weight):
    unit = max(column.max(), -column.min()) or 1.0
    work = column / unit
    mean = np.average(work, weights=weight)
    work -= mean
    return unit * mean, unit * np.sqrt(np.average(work * work, weights=weight))
