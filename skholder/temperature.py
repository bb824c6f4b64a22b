"""Rules for the temperature beta of the posterior exp(-beta n H)."""

from __future__ import annotations

import numpy as np

from .divergences import KullbackLeibler

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
    return closed if closed is not None else trace_rule(risk, theta, alpha)


def trace_rule(risk, theta, alpha, coordinates=slice(None)):
    """beta = d / trace(J^-1 K) from the data.

    J is the mean Hessian and K the mean outer product of the gradients of the per-row loss
    gamma alpha^(1+gamma) C - (1+gamma) alpha^gamma p^gamma, alpha held. Both are written through
    E[p^gamma s s'], E[p^(2 gamma) s s'] and E[p^gamma s], s the score, which rows far from the
    model hardly enter.

    Parameters
    ----------
    coordinates : slice or array of int
        The coordinates of theta to match; all of them by default.
    """
    gamma = risk.gamma
    level = float(risk.power_mean(theta[None])[0])
    mean, _, single = risk.rows.score_sums(risk.model, theta, gamma, level)
    _, _, double = risk.rows.score_sums(risk.model, theta, 2 * gamma, level)
    # The sums are in units of exp(gamma * level), and estimate alpha times the model's moments.
    curvature = (single / alpha)[coordinates][:, coordinates]
    spread = (double - np.outer(mean, mean))[coordinates][:, coordinates] / alpha
    ridge = 1e-12 * np.trace(curvature) / len(curvature) * np.eye(len(curvature))
    ratio = np.trace(np.linalg.solve(curvature + ridge, spread))
    return len(curvature) / (gamma * (1 + gamma) * ratio) / (alpha * np.exp(level)) ** gamma


def covariance_rule(variables, weight, exponent):
    """|det Omega|^exponent, Omega the sample covariance of the columns of ``variables`` (n, k).

    Raises
    ------
    ValueError
        If the covariance is singular, so that the temperature would be zero.
    """
    covariance = np.atleast_2d(np.cov(variables, rowvar=False, aweights=weight, ddof=0))
    sign, log_det = np.linalg.slogdet(covariance)
    condition = np.linalg.cond(covariance) if np.all(np.isfinite(covariance)) else np.inf
    if sign <= 0 or not np.isfinite(log_det) or condition > 1e14:
        raise ValueError(
            "The covariance that this temperature rule needs is singular (constant or collinear "
            "columns); use temperature='calibrated' or a number."
        )
    return float(np.exp(exponent * log_det))
