"""Rank-normalised split R-hat and effective sample sizes across independent ensembles.

Draws have shape (ensembles, walkers, steps). The ensembles are the chains. Within one, the
autocovariance is averaged over its walkers and no product reaches from one walker to the next.
The definitions are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021).
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

__all__ = ["ess_bulk", "ess_mean", "ess_tail", "r_hat"]


def r_hat(draws):
    """Rank-normalised split R-hat: the larger of the bulk's and the tail's (folded) value."""
    flat = _split(draws)
    if not np.all(np.isfinite(flat)) or np.ptp(flat) == 0:
        return np.nan
    folded = np.abs(flat - np.median(flat))
    return max(_plain_r_hat(_normal_scores(flat)), _plain_r_hat(_normal_scores(folded)))


def ess_mean(draws):
    """Effective number of draws for the mean, shape (E, W, N) -> float."""
    n_chains, n_walkers, n_steps = draws.shape
    if np.ptp(draws) == 0:
        return float(draws.size)
    size = n_walkers * n_steps
    centred = draws - draws.mean(axis=(1, 2), keepdims=True)
    lags = np.array(
        [
            np.mean(centred[:, :, : n_steps - lag] * centred[:, :, lag:], axis=(1, 2))
            for lag in range(n_steps)
        ]
    )
    within = np.mean(lags[0]) * size / (size - 1)
    between = np.var(draws.mean(axis=(1, 2)), ddof=1) if n_chains > 1 else 0.0
    total = within * (size - 1) / size + between
    correlation = 1 - (within - lags.mean(axis=1)) / total
    correlation[0] = 1.0
    return draws.size / _integrated_time(correlation, n_chains * size)


def ess_bulk(draws):
    """Effective number of draws for the centre of the distribution."""
    return ess_mean(_normal_scores(draws))


def ess_tail(draws):
    """The smaller of the effective numbers of draws for the 5% and 95% quantiles."""
    low, high = np.quantile(draws, [0.05, 0.95])
    return min(ess_mean((draws <= q).astype(float)) for q in (low, high))


def _integrated_time(correlation, n_draws):
    """Geyer's initial monotone sequence: tau = -1 + 2 * sum of pairs while they stay positive."""
    n_pairs = len(correlation) // 2
    pairs = correlation[0 : 2 * n_pairs : 2] + correlation[1 : 2 * n_pairs : 2]
    positive = np.cumprod(pairs > 0).astype(bool)
    pairs = np.minimum.accumulate(pairs[positive]) if positive.any() else np.ones(1)
    # Antithetic chains may beat independent draws, but no estimate is trusted beyond log10(n).
    return max(-1 + 2 * pairs.sum(), 1 / np.log10(n_draws))


def _plain_r_hat(chains):
    size = chains.shape[1]
    within = np.mean(np.var(chains, axis=1, ddof=1))
    between = np.var(chains.mean(axis=1), ddof=1)
    return float(np.sqrt(((size - 1) / size * within + between) / within))


def _split(draws):
    """Each ensemble in two halves of its steps (of its walkers, if it made one step), flattened."""
    axis = 2 if draws.shape[2] > 1 else 1
    half = draws.shape[axis] // 2
    first, last = (np.take(draws, range(half), axis), np.take(draws, range(-half, 0), axis))
    halves = np.concatenate([first, last])
    return halves.reshape(len(halves), -1)


def _normal_scores(values):
    rank = rankdata(values, method="average").reshape(values.shape)
    return ndtri((rank - 0.375) / (values.size + 0.25))
