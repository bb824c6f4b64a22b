"""Which of several risk minimisers the posterior would sit at."""

from __future__ import annotations

import numpy as np

from ..divergences import PseudoSpherical
from .collapsed import ProfileRisk
from .influence_values import influence_values
from .temperature import calibrated

__all__ = ["dominant_mode"]


def dominant_mode(model, rows, gamma, points, lower):
    """The influence values of the mode with the largest Laplace evidence; None without modes.

    Spurious narrow modes of few rows have a low risk, but little volume.

    Parameters
    ----------
    model : WorkingModel
    rows : RowBlocks
    gamma : float
    points : sequence of ndarray of shape (d,)
        Minimisers of the risk with alpha free.
    lower : float
        Smallest inlier share allowed, where some minimiser has it.

    Returns
    -------
    InfluenceValues or None
    """
    found = [influence_values(model, rows, point, gamma) for point in points]
    found = [one for one in found if np.isfinite(one.log_det_curvature)]
    allowed = [one for one in found if one.rho >= lower] or found
    if not allowed:
        return None
    if len(allowed) == 1:
        return allowed[0]
    height = np.array([_log_risk(model, one) for one in allowed])
    risk = ProfileRisk(model, rows, PseudoSpherical(), gamma, 0.0, 1.0)
    beta = calibrated(risk, allowed[int(np.argmax(height))].theta)
    log_nh = np.log(rows.total_weight * beta) + height
    curvature = np.array([one.log_det_curvature for one in allowed])
    volume = -0.5 * (model.n_params * (log_nh + np.log(gamma * (1 + gamma))) + curvature)
    return allowed[int(np.argmax(np.exp(np.minimum(log_nh, 600.0)) + volume))]


def _log_risk(model, one):
    """log(-H) at the best alpha in (0, 1]: gamma (1 + gamma) F where S < C."""
    gamma = one.gamma
    if one.rho <= 1:
        return gamma * (1 + gamma) * one.value
    log_c = float(model.log_power(one.theta[None], gamma)[0])
    return log_c + np.log((1 + gamma) * one.rho - gamma)
