"""First-order bias of n (1 - rho) in a normal regression with few rows.

A residual of a fit with d coefficients is e_i = eps_i - h_i a(eps_i) + noise of the other rows:
each row pulls the fit towards itself. Put into the influence function of rho and summed over rows,
with sum h_i = d, every coefficient adds kappa rows to n (1 - rho)::

    kappa = 3/2 gamma^3 (1 + gamma)^2 (1 + 2 gamma)^(-5/2)

The scale adds a number of its own, an expectation over the standard normal.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

__all__ = ["normal_regression_bias"]


def normal_regression_bias(n_coef, gamma):
    """Rows by which n (1 - rho) is too large on average, for clean normal rows."""
    per_coef = 1.5 * gamma**3 * (1 + gamma) ** 2 * (1 + 2 * gamma) ** -2.5
    return n_coef * per_coef + _scale_bias(float(gamma))


@lru_cache(maxsize=64)
def _scale_bias(gamma):
    """The part that estimating sigma adds, the coefficients known."""
    node, mass = np.polynomial.hermite_e.hermegauss(160)
    mass = mass / mass.sum()
    square, share = node**2, 1 / (1 + gamma)
    kernel = np.exp(-0.5 * gamma * square)
    # The estimating function of log sigma, with its derivatives in the residual and in log sigma.
    excess = square - share
    value = kernel * excess
    first = kernel * node * (2 - gamma * excess)
    second = kernel * ((2 - gamma * excess) * (1 - gamma * square) - 2 * gamma * square)
    slope, bend = -node * first, node * first + square * second
    pull = -mass @ slope
    log_sigma = (mass @ (value * slope)) / pull**2
    log_sigma += 0.5 * (mass @ bend) * (mass @ value**2) / pull**3
    # log rho = gamma F + gamma log sigma / (1 + gamma) + constant.
    omega = kernel * np.sqrt(1 + gamma)
    spread = mass @ (omega * excess) ** 2
    risk = spread * (1 + gamma) ** 2 / 4 - (mass @ (omega - 1) ** 2) / (2 * gamma)
    log_rho = gamma * risk + gamma / (1 + gamma) * log_sigma
    influence = omega * (1 - gamma / 2 + gamma * (1 + gamma) / 2 * square) - 1
    return float(-(log_rho + 0.5 * (mass @ influence**2)))
