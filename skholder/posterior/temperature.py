"""Rules for the temperature beta of the posterior exp(-beta n H)."""

from __future__ import annotations

import numpy as np

from ..divergences import KullbackLeibler
from ..rows import RowBlocks

__all__ = ["calibrated", "covariance_rule", "trace_rule"]


def calibrated(risk, theta):
    """The temperature at which credible regions match sampling variability at the model.

    Parameters
    ----------
    risk : ProfileRisk
    theta : ndarray of shape (d,)
        The minimiser of the risk.

    Returns
    -------
    float
    """
    if isinstance(risk.divergence, KullbackLeibler):
        return 1.0
    alpha = risk.alpha(theta)
    closed = risk.model.calibration(theta, risk.gamma, alpha)
    if closed is not None:
        return closed
    beta = trace_rule(risk, theta, alpha)
    if np.isfinite(beta):
        return beta
    # Rows without any variability say nothing of a score's: ask the model itself.
    draws = risk.model.sample(np.tile(theta, (4000, 1)), np.random.RandomState(0))
    beta = trace_rule(risk, theta, alpha, rows=RowBlocks(draws), share=1.0)
    return beta if np.isfinite(beta) else 1.0


def trace_rule(risk, theta, alpha, coordinates=slice(None), rows=None, share=None):
    """beta = d / trace(J^-1 K) from the data.

    J is the mean Hessian and K the mean outer product of the gradients of the per-row loss
    gamma alpha^(1+gamma) C - (1+gamma) alpha^gamma p^gamma, alpha held. Both are written through
    E[p^gamma s s'], E[p^(2 gamma) s s'] and E[p^gamma s], s the score, which rows far from the
    model hardly enter.

    Parameters
    ----------
    coordinates : slice or array of int
        The coordinates of theta to match; all of them by default.
    rows : RowBlocks or None
        Rows to average over, by default the data, of which a share ``alpha`` follows the model.
    share : float or None
        The share of ``rows`` that follows the model; None is ``alpha``.

    Returns
    -------
    float
        Infinity where the rows show no variability at all, or a density beyond the floats.
    """
    gamma, model = risk.gamma, risk.model
    rows, share = (risk.rows, alpha) if rows is None else (rows, share)
    # Sums in units of exp(gamma * level) keep the powers of the density near 1.
    level = float(rows.log_mean(model, theta[None], gamma)[0])
    mean, _, outer = rows.score_sums(model, theta, gamma, level)
    _, _, squared_outer = rows.score_sums(model, theta, 2 * gamma, level)
    curvature = (outer / share)[coordinates][:, coordinates]
    spread = squared_outer / share - alpha * np.outer(mean, mean) / share**2
    spread = spread[coordinates][:, coordinates]
    ridge = 1e-12 * np.trace(curvature) / len(curvature) * np.eye(len(curvature))
    ratio = gamma * (1 + gamma) * np.trace(np.linalg.solve(curvature + ridge, spread))
    with np.errstate(over="ignore"):
        unit = (alpha * np.exp(level)) ** gamma
    if not (ratio > 0 and 0 < unit < np.inf):
        return np.inf
    return float(len(curvature) / ratio / unit)


def covariance_rule(variables, weight, exponent):
    """|det Omega|^exponent, Omega the sample covariance of the columns of ``variables`` (n, k).

    Raises
    ------
    ValueError
        If the covariance is singular, so that the temperature would be zero.
    """
    covariance = np.atleast_2d(np.cov(variables.T, aweights=weight, ddof=0))
    sign, log_det = np.linalg.slogdet(covariance)
    condition = np.linalg.cond(covariance) if np.all(np.isfinite(covariance)) else np.inf
    if sign <= 0 or not np.isfinite(log_det) or condition > 1e14:
        raise ValueError(
            "The covariance that this temperature rule needs is singular (constant or collinear "
            "columns); use temperature='calibrated' or a number."
        )
    return float(np.exp(exponent * log_det))
