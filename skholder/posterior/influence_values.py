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

from dataclasses import dataclass

import numpy as np

from ..rows import RowBlocks

__all__ = ["InfluenceValues", "influence_values"]


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
    b : ndarray of shape (n,)
        Influence of each row on rho.
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
    b: np.ndarray
    a: np.ndarray | None
    rho_variance: float
    covariance: np.ndarray
    cross: np.ndarray
    log_det_curvature: float


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
    n, d = rows.total_weight, len(theta)
    everywhere = rows.log_mean_terms(model, theta, gamma)
    fitted, hold = everywhere, np.ones(len(rows))
    if design_weight is not None:
        held = RowBlocks(rows.rows, _product(rows.weight, design_weight))
        fitted, hold = held.log_mean_terms(model, theta, gamma), design_weight
        hold = hold * (n / held.total_weight) * np.exp(gamma * (everywhere.value - fitted.value))
    log_c = float(model.log_power(theta[None], gamma)[0])
    log_c_gradient, log_c_hessian = model.log_power_derivatives(theta, gamma)
    c = log_c_gradient / (1 + gamma)
    slope = gamma * everywhere.gradient - log_c_gradient if design_weight is not None else -c
    bread, log_det = _inverse(log_c_hessian / (1 + gamma) - fitted.hessian)
    rho = float(np.exp(gamma * everywhere.value - log_c))
    b, a = np.empty(len(rows)), np.empty((len(rows), d)) if keep_rows else None
    covariance, cross, rho_variance, start = np.zeros((d, d)), np.zeros(d), 0.0, 0
    for block, weight in rows:
        part = slice(start, start + len(block))
        omega = np.exp(gamma * (model.log_density(theta[None], block)[:, 0] - everywhere.value))
        psi = (hold[part] * omega)[:, None] * (model.scores(theta, block) - c)
        # A row so far out that it has no weight has no influence on theta, whatever its score.
        psi[omega == 0] = 0.0
        pulls = psi @ bread
        b[part] = rho * (omega - 1 + pulls @ slope)
        if keep_rows:
            a[part] = pulls
        weighted = pulls if weight is None else pulls * weight[:, None]
        covariance += pulls.T @ weighted
        cross += b[part] @ weighted
        rho_variance += float(b[part] @ (b[part] if weight is None else weight * b[part]))
        start += len(block)
    return InfluenceValues(
        theta=theta,
        gamma=float(gamma),
        value=float(fitted.value - log_c / (1 + gamma)),
        rho=rho,
        b=b,
        a=a,
        rho_variance=rho_variance / n**2,
        covariance=covariance / n**2,
        cross=cross / n**2,
        log_det_curvature=log_det,
    )


def _inverse(matrix):
    """Inverse and log determinant of a matrix that should be positive definite.

    Directions in which it is not are given a small curvature, and the determinant is then 0.
    """
    value, vector = np.linalg.eigh((matrix + matrix.T) / 2)
    log_det = float(np.sum(np.log(value))) if value[0] > 0 else -np.inf
    value = np.maximum(value, 1e-10 * max(value[-1], 1e-300))
    return (vector / value) @ vector.T, log_det


def _product(weight, design_weight):
    return design_weight if weight is None else weight * design_weight
