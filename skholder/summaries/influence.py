"""Influence of a point on the risk and on the posterior.

A point mass at z moves the risk of (theta, alpha) at the rate::

    IF(z) = alpha^gamma phi'(S / (alpha C)) (p_theta(z)^gamma - S)

and the posterior mean of any function g of the parameters at the rate -n beta Cov(g, IF(z)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..rows import row_spans

__all__ = ["Influence", "influence", "risk_influence"]

# Logs of powers of a density beyond this count as this: steep draws of a large gamma.
_STEEP = 200.0


@dataclass(frozen=True, repr=False)
class Influence:
    """Influence of each row, were it added to the training rows.

    Attributes
    ----------
    risk : ndarray of shape (m,)
        Posterior mean of IF(z).
    parameters : dict of str to ndarray of shape (m, ...)
        Rate of change of the posterior mean of each parameter, in the user's units, per unit of
        contaminating mass; divide by n for the effect of one more row.
    """

    risk: NDArray[np.float64]
    parameters: dict[str, NDArray[np.float64]]

    def __repr__(self):
        return f"Influence({len(self.risk):,} rows on risk, {', '.join(self.parameters)})"


def risk_influence(divergence, gamma, log_density, log_mean, log_c, alpha):
    """IF(z) for rows (m, S) of log densities and draws (S,), shape (m, S)."""
    if gamma == 0:
        return -(log_density - log_mean)
    excess = _bounded_exp(gamma * log_density) - _bounded_exp(gamma * log_mean)
    log_ratio = gamma * log_mean - log_c
    if alpha is None:
        return -(1 + gamma) * _bounded_exp(gamma * log_ratio) * excess
    z = _bounded_exp(log_ratio) / alpha
    return alpha**gamma * divergence.dphi(z, gamma) * excess


def _bounded_exp(power):
    """exp, no larger than products of a few of them have room for."""
    return np.exp(np.minimum(power, _STEEP))


def influence(draws, rows, parameters):
    """Influence of rows on the risk and on posterior means.

    Parameters
    ----------
    draws : Draws
    rows : ndarray of shape (m, q)
        On the computing scale.
    parameters : dict of str to ndarray of shape (S, ...)
        Draws in the user's units.

    Returns
    -------
    Influence
    """
    model, theta = draws.model, draws.theta
    log_c = model.log_power(theta, draws.gamma)
    flat = {name: values.reshape(len(values), -1) for name, values in parameters.items()}
    centred = {name: values - values.mean(axis=0) for name, values in flat.items()}
    moved = {name: np.empty((len(rows), values.shape[1])) for name, values in flat.items()}
    risk = np.empty(len(rows))
    for part in row_spans(len(rows), len(theta)):
        values = risk_influence(
            draws.divergence,
            draws.gamma,
            model.log_density(theta, rows[part]),
            draws.log_mean,
            log_c,
            draws.alpha,
        )
        risk[part] = values.mean(axis=1)
        for name, deviation in centred.items():
            moved[name][part] = -draws.beta_n * (values @ deviation) / len(theta)
    shaped = {k: v.reshape(len(rows), *parameters[k].shape[1:]) for k, v in moved.items()}
    return Influence(risk, shaped)
