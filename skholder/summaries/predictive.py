"""Posterior predictive of a model: a mixture over draws, evaluated in blocks of rows."""

from __future__ import annotations

import numpy as np

from ..rows import row_spans

__all__ = [
    "expected_log_predictive",
    "log_predictive",
    "lowest_predictive",
    "mean_log_density",
    "mixture_interval",
    "mixture_quantile",
]

# How often a predictive goes over its numbers, which should stay in a cache.
_PASSES = 8
# Log densities below this have no share in any integral.
_LOWEST = -1e4
# A quadrature that misses more of the mass than this has not seen the density.
_MISSED = 0.5


def log_predictive(model, theta, rows):
    """log mean_s p(row | theta_s), shape (m,)."""
    value, log_peak = np.empty(len(rows)), model.log_peak(theta)
    log_kernel = model.log_kernel_at(theta, 1.0)
    for part in row_spans(len(rows), _PASSES * len(theta)):
        log_density = log_kernel(rows[part])
        log_density += log_peak
        top = log_density.max(axis=1, keepdims=True)
        log_density -= top
        value[part] = np.log(np.exp(log_density, out=log_density).sum(axis=1)) + top[:, 0]
    return value - np.log(len(theta))


def lowest_predictive(model, theta, rows, mean_log_density, n_lowest):
    """The ``n_lowest`` rows of smallest log predictive density.

    By Jensen's inequality a row's log predictive density is at least its mean log density, so once
    enough rows of low mean are scored, no other row can come in below them.

    Returns
    -------
    positions : ndarray of int, shape (n_lowest,)
        Lowest first.
    scores : ndarray of shape (n_lowest,)
    """
    order = np.argsort(mean_log_density, kind="stable")
    n_lowest = min(n_lowest, len(rows))
    scores = np.empty(0)
    while True:
        # A few more than wanted will do: a predictive is seldom far above the mean.
        size = max(n_lowest + n_lowest // 20 + 20, 2 * len(scores))
        more = order[len(scores) : size]
        scores = np.append(scores, log_predictive(model, theta, rows[more]))
        lowest = np.argsort(scores, kind="stable")[:n_lowest]
        if size >= len(rows) or scores[lowest[-1]] <= mean_log_density[order[size]]:
            return order[lowest], scores[lowest]


def mean_log_density(model, theta, rows, threshold=None):
    """Posterior-mean log density (m,), and the share of draws at or below a threshold (S,)."""
    value, share = np.empty(len(rows)), np.zeros(len(rows))
    if threshold is not None:
        # A training row at the threshold is flagged, whatever rounding did to it this time.
        threshold = threshold + 1e-9 * (1 + np.abs(np.nan_to_num(threshold, neginf=0.0)))
    log_peak, log_kernel = model.log_peak(theta), model.log_kernel_at(theta, 1.0)
    for part in row_spans(len(rows), _PASSES * len(theta)):
        log_density = log_kernel(rows[part]) + log_peak
        value[part] = log_density.mean(axis=1)
        if threshold is not None:
            share[part] = np.mean(log_density <= threshold, axis=1)
    return value, share


def mixture_interval(cdf, design, theta, level):
    """Central interval of ``design @ coef + scale * noise``, theta = (coef, log scale), (m, 2)."""
    scale, ends = np.exp(theta[:, -1]), np.empty((len(design), 2))
    for part in row_spans(len(design), len(theta)):
        location = design[part] @ theta[:, :-1].T
        for end, p in enumerate(((1 - level) / 2, (1 + level) / 2)):
            ends[part, end] = mixture_quantile(cdf, location, scale, p, location.mean(axis=1))
    return ends


def mixture_quantile(cdf, location, scale, level, guess):
    """Quantile of the mixture over draws of ``location + scale * noise``, row by row.

    Parameters
    ----------
    cdf : callable
        Distribution function of the standardised noise.
    location : ndarray of shape (m, S)
    scale : ndarray of shape (S,)
    level : float
    guess : ndarray of shape (m,)

    Returns
    -------
    ndarray of shape (m,)
    """
    width = np.mean(scale)
    low, high = guess - width, guess + width

    def probability(y):
        return np.mean(cdf((y[:, None] - location) / scale), axis=1)

    for _ in range(60):
        outside = probability(low) > level
        if not np.any(outside):
            break
        low = np.where(outside, low - 2 * (high - low), low)
    for _ in range(60):
        outside = probability(high) < level
        if not np.any(outside):
            break
        high = np.where(outside, high + 2 * (high - low), high)
    p_low, p_high = probability(low), probability(high)
    for turn in range(60):
        # Regula falsi, with a bisection every third turn to keep the bracket shrinking.
        y = low + (level - p_low) / np.maximum(p_high - p_low, 1e-300) * (high - low)
        if turn % 3 == 2:
            y = (low + high) / 2
        p = probability(y)
        below = p < level
        low, p_low = np.where(below, y, low), np.where(below, p, p_low)
        high, p_high = np.where(below, high, y), np.where(below, p_high, p)
        if np.all(np.minimum(np.abs(p - level), (high - low) / width) < 1e-9):
            break
    return y


def expected_log_predictive(log_density, centre, spread, n_nodes=41, reach=9.0):
    """E[log p(y)] under the predictive p itself, by the trapezoid rule in y.

    Parameters
    ----------
    log_density : callable
        y (m,) -> log predictive density of each row at its y, shape (m,).
    centre, spread : ndarray of shape (m,)
        Where the predictive of each row lies.
    """
    nodes = np.linspace(-1, 1, n_nodes)
    # Cubing packs nodes into the centre and still reaches far into heavy tails.
    offset = reach * (0.4 * nodes + 0.6 * nodes**3)
    weight = reach * (0.4 + 1.8 * nodes**2) * (nodes[1] - nodes[0])
    total, mass = np.zeros(len(centre)), np.zeros(len(centre))
    for t, w in zip(offset, weight, strict=True):
        value = np.maximum(log_density(centre + t * spread), _LOWEST)
        share = w * spread * np.exp(value)
        total += share * value
        mass += share
    # Far out, draws are further apart than the noise is wide, and nodes fall between them: there
    # the spread of the coefficients is the predictive's, and that is normal.
    lost = ~(np.abs(mass - 1) < _MISSED)
    normal = -0.5 * (np.log(2 * np.pi) + 1) - np.log(spread)
    return np.where(lost, normal, total / np.where(lost, 1.0, mass))
