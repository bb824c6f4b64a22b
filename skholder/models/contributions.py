"""How much each column contributes to the low density of a row.

The contribution of a column is by how many nats the log density of the row would rise if that
column alone moved to its most likely value given the others.

Models work on rows ``z = (x - centre) @ forward``; contributions are about the columns of x.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["ColumnContributions", "QuadraticContributions"]

_LARGEST = np.finfo(float).max


@dataclass(frozen=True)
class QuadraticContributions:
    """For log p = g(Q), Q(z) = z' P z - 2 b' z + c the posterior-mean quadratic form.

    With h = (z' P - b') F' half the slope of Q in x, and a_j = (F P F')_jj, moving column j by
    -h_j / a_j lowers Q to its least value along that column, by h_j^2 / a_j. For the normal this
    is exact: E[log p] is -E[Q] / 2 up to a constant.

    Attributes
    ----------
    radial : Radial
    precision : ndarray of shape (r, r)
        P = E[L L'], the mean over draws.
    linear : ndarray of shape (r,)
        b = E[L L' mu].
    constant : float
        c = E[mu' L L' mu].
    forward : ndarray of shape (k, r)
        F of the map from the user's columns.
    """

    radial: object
    precision: np.ndarray
    linear: np.ndarray
    constant: float
    forward: np.ndarray

    @classmethod
    def full(cls, radial, mu, factor, forward):
        """From draws of mu (S, r) and L (S, r, r)."""
        n_draws, r = mu.shape
        side = np.swapaxes(factor, 0, 1).reshape(r, -1)
        u = np.einsum("sij,si->sj", factor, mu)
        linear = np.einsum("sij,sj->i", factor, u) / n_draws
        return cls(radial, side @ side.T / n_draws, linear, np.sum(u * u) / n_draws, forward)

    @classmethod
    def diagonal(cls, radial, mu, precision, forward):
        """From draws of mu (S, r) and of the diagonal of P (S, r)."""
        pull = precision * mu
        matrix = np.diag(precision.mean(axis=0))
        return cls(radial, matrix, pull.mean(axis=0), np.sum(pull * mu) / len(mu), forward)

    def of(self, rows):
        """Nats, and how far the column lies above its most likely value; each (m, k)."""
        inner = rows @ self.precision
        slope = (inner - self.linear) @ self.forward.T
        with np.errstate(over="ignore", invalid="ignore"):
            curvature = np.sum((self.forward @ self.precision) * self.forward, axis=1)
            # A constant column has no curvature, and no say; nor has one whose square is no float.
            usable = (curvature > 0) & (curvature < np.inf)
            excess = slope / np.where(usable, curvature, np.inf)
            q = np.sum((inner - 2 * self.linear) * rows, axis=1) + self.constant
            nats = self.radial.rise(np.maximum(q, 0)[:, None], slope * excess, rows.shape[1])
        return np.nan_to_num(nats, nan=_LARGEST), excess


@dataclass(frozen=True)
class ColumnContributions:
    """For independent columns: log p_j at the mode less log p_j at the value.

    Attributes
    ----------
    family : ColumnFamily
    params : ndarray of shape (r, P)
        Posterior means on the computing scale.
    mode : ndarray of shape (r,)
    forward : ndarray of shape (k, r)
        One entry in each column: a column of x and one over its scale.
    """

    family: object
    params: np.ndarray
    mode: np.ndarray
    forward: np.ndarray

    def of(self, rows):
        """Nats, and how far the column lies above its most likely value; each (m, k)."""
        nats, excess = np.zeros((2, len(rows), len(self.forward)))
        for j, spot in enumerate(np.argmax(self.forward != 0, axis=0)):
            params, value = self.params[j : j + 1], rows[:, j]
            top = self.family.log_density(params, self.mode[j : j + 1])[0, 0]
            nats[:, spot] = np.maximum(top - self.family.log_density(params, value)[:, 0], 0)
            excess[:, spot] = (value - self.mode[j]) / self.forward[spot, j]
        return nats, excess
