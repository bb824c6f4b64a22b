"""Influence of each row on the risk minimiser and on the inlier share, and their sandwich.

With omega_i = p_i^gamma / S (mean 1), s_i the score of row i, c = grad log C / (1 + gamma) and
F = log S / gamma - log C / (1 + gamma), whose maximiser is the risk minimiser with alpha free::

    psi_i = omega_i (s_i - c)      J = -Hessian of F      a_i = J^-1 psi_i     influence on theta
    rho = S / C                    b_i = rho (omega_i - 1 - c' a_i)            influence on rho

A row of weight w enters all sums w times: Var(theta) = sum w a a' / n^2, and so on.

Design weights d_i hold rows of high leverage back from the fit of theta, but not from the share:
then psi_i is multiplied by d_i n / sum w d, and b_i = rho (omega_i - 1 + g' a_i) with g the
gradient of log rho over all rows, which is -c where d = 1.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from ..models import WorkingModel
from ..rows import RowBlocks, joined

__all__ = ["InfluenceFunction", "InfluenceValues", "influence_squares", "influence_values"]

# Less curvature than this counts as so much, so that its inverse squared is a float.
_LEAST_CURVATURE = 1e-140


@dataclass(frozen=True)
class InfluenceValues:
    """A risk minimiser with what each row did to it.

    Attributes
    ----------
    theta : ndarray of shape (d,)
    gamma : float
    value : float
        F at theta.
    rho : float
        S / C, the inlier share, not clipped at 1.
    b : ndarray of shape (n,) or None
        Influence of each row on rho; None where the rows are beyond memory.
    a : ndarray of shape (n, d) or None
        Influence of each row on theta, where it was asked for.
    rho_variance : float
        Sandwich variance of rho.
    covariance : ndarray of shape (d, d)
        Sandwich covariance of theta.
    cross : ndarray of shape (d,)
        Sandwich covariance of rho and theta.
    log_det_curvature : float
        Log determinant of J; -inf where theta is no proper maximum.
    """

    theta: np.ndarray
    gamma: float
    value: float
    rho: float
    b: np.ndarray | None
    a: np.ndarray | None
    rho_variance: float
    covariance: np.ndarray
    cross: np.ndarray
    log_det_curvature: float


@dataclass(frozen=True)
class InfluenceFunction:
    """The influence of any row on a risk minimiser and on rho.

    Attributes
    ----------
    model : WorkingModel
    theta : ndarray of shape (d,)
    gamma, value, rho, log_det_curvature : float
        As in :class:`InfluenceValues`.
    log_mean : float
        L at theta over all rows.
    centre, slope : ndarray of shape (d,)
        c, and the gradient of log rho.
    bread : ndarray of shape (d, d)
        J^-1.
    hold : float
        What design weights are multiplied by, n / sum w d on the scale of omega.
    """

    model: WorkingModel
    theta: np.ndarray
    gamma: float
    value: float
    rho: float
    log_det_curvature: float
    log_mean: float
    centre: np.ndarray
    slope: np.ndarray
    bread: np.ndarray
    hold: float

    @classmethod
    def at(cls, model, rows, theta, gamma, held=None):
        """At a minimiser over the rows, or over ``held``, the rows with their design weights."""
        everywhere = rows.log_mean_terms(model, theta, gamma)
        fitted, hold = everywhere, 1.0
        if held is not None:
            fitted = held.log_mean_terms(model, theta, gamma)
            hold = rows.total_weight / held.total_weight
            hold *= np.exp(gamma * (everywhere.value - fitted.value))
        log_c = float(model.log_power(theta[None], gamma)[0])
        log_c_gradient, log_c_hessian = model.log_power_derivatives(theta, gamma)
        centre = log_c_gradient / (1 + gamma)
        slope = -centre if held is None else gamma * everywhere.gradient - log_c_gradient
        bread, log_det = _inverse(log_c_hessian / (1 + gamma) - fitted.hessian)
        return cls(
            model=model,
            theta=theta,
            gamma=float(gamma),
            value=float(fitted.value - log_c / (1 + gamma)),
            rho=float(np.exp(gamma * everywhere.value - log_c)),
            log_det_curvature=log_det,
            log_mean=everywhere.value,
            centre=centre,
            slope=slope,
            bread=bread,
            hold=hold,
        )

    def __call__(self, block, design_weight=None):
        """psi (m, d), of which ``psi @ bread`` is the influence on theta, and b (m,) on rho."""
        density = self.model.log_density(self.theta[None], block)[:, 0]
        omega = np.exp(self.gamma * (density - self.log_mean))
        held = omega if design_weight is None else design_weight * self.hold * omega
        psi = self.model.scores(self.theta, block) - self.centre
        psi *= held[:, None]
        # A row so far out that it has no weight has no influence on theta, whatever its score.
        psi[omega == 0] = 0.0
        return psi, self.rho * (omega - 1 + psi @ (self.bread @ self.slope))

    def on_rho(self, rows, design_weight=None):
        """Influence b (n,) on rho of all rows, block by block."""
        parts, start = [], 0
        for block, _ in rows.blocks(len(self.theta)):
            part = slice(start, start + len(block))
            parts.append(self(block, None if design_weight is None else design_weight[part])[1])
            start += len(block)
        return np.concatenate(parts)

    def values(self, squares, total_weight, b=None, a=None):
        """The :class:`InfluenceValues` with the sums of :func:`influence_squares`."""
        meat, crossed, rho_square = squares
        # By its root, or rounding makes a variance negative; and in units of the diagonal, as J is.
        unit = np.sqrt(np.diag(meat)) / total_weight
        unit = np.where(unit > 0, unit, 1.0)
        value, vector = np.linalg.eigh(meat / total_weight**2 / np.outer(unit, unit))
        root = self.bread @ (unit[:, None] * vector * np.sqrt(np.maximum(value, 0.0)))
        return InfluenceValues(
            theta=self.theta,
            gamma=self.gamma,
            value=self.value,
            rho=self.rho,
            b=b,
            a=a,
            rho_variance=float(rho_square) / total_weight**2,
            covariance=root @ root.T,
            cross=self.bread @ crossed / total_weight**2,
            log_det_curvature=self.log_det_curvature,
        )


def influence_squares(psi, b, weight):
    """Sums over rows of w psi psi', w b psi and w b^2: the meat of the sandwich."""
    weighted = psi if weight is None else psi * weight[:, None]
    return psi.T @ weighted, b @ weighted, float(b @ (b if weight is None else weight * b))


def influence_values(model, rows, theta, gamma, *, design_weight=None, keep_rows=False):
    """The :class:`InfluenceValues` at a minimiser of the risk.

    Parameters
    ----------
    model : WorkingModel
    rows : RowBlocks
    theta : ndarray of shape (d,)
    gamma : float
    design_weight : ndarray of shape (n,) or None
        Factors in (0, 1] that theta was fitted with, on top of the rows' weights.
    keep_rows : bool
        Whether to keep the influence of each row on theta, (n, d) numbers.

    Returns
    -------
    InfluenceValues
    """
    held = None
    if design_weight is not None:
        held = RowBlocks(rows.rows, _product(rows.weight, design_weight))
    influence = InfluenceFunction.at(model, rows, theta, gamma, held)
    b, a = np.empty(len(rows)), np.empty((len(rows), len(theta))) if keep_rows else None
    parts, start = [], 0
    # Where theta is no proper maximum nothing bounds its influence, nor is it asked for.
    proper = np.isfinite(influence.log_det_curvature)
    with nullcontext() if proper else np.errstate(over="ignore", invalid="ignore"):
        for block, weight in rows.blocks(len(theta)):
            part = slice(start, start + len(block))
            psi, b[part] = influence(block, None if held is None else design_weight[part])
            if keep_rows:
                a[part] = psi @ influence.bread
            parts.append(influence_squares(psi, b[part], weight))
            start += len(block)
        return influence.values(joined(parts, np.add), rows.total_weight, b, a)


def _inverse(matrix):
    """Inverse and log determinant of a matrix that should be positive definite.

    In units of its diagonal: a column with one huge number must not decide what is small for the
    others. Where it is not positive definite, directions of no curvature are given a small one in
    the units that it came in, and the determinant is then 0.
    """
    unit = np.sqrt(np.maximum(np.diag(matrix), _LEAST_CURVATURE))
    value, vector = np.linalg.eigh((matrix + matrix.T) / (2 * np.outer(unit, unit)))
    if value[0] > 0:
        log_det = float(np.sum(np.log(value)) + 2 * np.sum(np.log(unit)))
    else:
        value, vector = np.linalg.eigh((matrix + matrix.T) / 2)
        log_det, unit = -np.inf, np.ones(len(value))
    value = np.maximum(value, max(1e-10 * value[-1], 1e-300))
    root = vector / unit[:, None]
    return (root / value) @ root.T, log_det


def _product(weight, design_weight):
    return design_weight if weight is None else weight * design_weight
