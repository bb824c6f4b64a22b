"""How a normal model sees its rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Shape"]


@dataclass(frozen=True)
class Shape:
    """Rows as a normal model sees them, at one theta.

    Attributes
    ----------
    columns : ndarray of shape (n, m)
        Standardised residuals: standard normal each, for rows that follow the model.
    squared : ndarray of shape (n,)
        Squared distance: chi-squared with ``n_modelled`` degrees of freedom.
    whitened : ndarray of shape (n, r) or None
        Uncorrelated coordinates of a density's rows.
    design : ndarray of shape (n, q) or None
        Covariates of a regression, a column of ones included where there is an intercept.
    """

    columns: np.ndarray
    squared: np.ndarray
    whitened: np.ndarray | None = None
    design: np.ndarray | None = None
