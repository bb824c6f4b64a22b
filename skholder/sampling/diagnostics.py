"""Rank-normalised split R-hat and effective sample sizes across independent ensembles.

Draws have shape (ensembles, walkers, steps), or (ensembles, walkers, steps, d) for d parameters at
once. The ensembles are the chains. Within one, the autocovariance is averaged over its walkers and
no product reaches from one walker to the next. The definitions are those of Vehtari, Gelman,
Simpson, Carpenter and Bürkner (2021).
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

__all__ = ["convergence", "ess_bulk", "ess_mean", "ess_tail", "r_hat"]

_DRAWS = (0, 1, 2)


def convergence(draws):
    """:func:`r_hat`, :func:`ess_bulk` and :func:`ess_tail` by name, with draws ranked only once."""
    scores = _normal_scores(_split(draws), 3)
    return {"r_hat": _r_hat(draws, scores), "ess_bulk": _ess(scores), "ess_tail": ess_tail(draws)}


def r_hat(draws):
    """Rank-normalised split R-hat: the larger of the bulk's and the tail's (folded) value.

    Parameters
    ----------
    draws : ndarray of shape (E, W, N, ...)
        Ensembles, walkers, steps, and any further axes, each entry of which is one parameter.

    Returns
    -------
    float or ndarray of shape (...)
        About 1 where the ensembles agree. NaN where it has no meaning: for a parameter whose draws
        are all equal (nothing varies, so nothing can be compared), one with a draw that is not
        finite, and where a half holds fewer than two draws. NaN compares as false with every
        limit: whoever judges a fit must ask for it by name.
    """
    return _r_hat(draws)


def _r_hat(draws, scores=None):
    """R-hat, perhaps with the normal scores of the draws :func:`_split` at hand."""
    finite = np.all(np.isfinite(draws), axis=_DRAWS)
    draws = np.where(finite, draws, 0.0)
    moving = np.ptp(draws, axis=_DRAWS) > 0
    halves = _halves(draws, axis=2 if draws.shape[2] > 1 else 1)
    flat = halves.reshape(len(halves), -1, *draws.shape[3:])
    if flat.shape[1] < 2:
        return np.full(moving.shape, np.nan)[()]
    folded = np.abs(flat - np.median(flat, axis=(0, 1)))
    if scores is None or len(scores) != len(flat):
        scores = _normal_scores(flat, 2)
    with np.errstate(invalid="ignore"):
        bulk, tail = (
            _plain_r_hat(x) for x in (scores.reshape(flat.shape), _normal_scores(folded, 2))
        )
    return np.where(moving, np.maximum(bulk, tail), np.nan)[()]


def ess_mean(draws):
    """Effective number of draws for the mean.

    Parameters
    ----------
    draws : ndarray of shape (E, W, N, ...)
        Ensembles, walkers, steps, and any further axes, each entry of which is one parameter.

    Returns
    -------
    float or ndarray of shape (...)
        The number of independent draws that would estimate the mean as well. Draws that are all
        equal count in full.
    """
    return _ess(_split(draws))


def ess_bulk(draws):
    """Effective number of draws for the centre: :func:`ess_mean` of the draws' normal scores."""
    return _ess(_normal_scores(_split(draws), 3))


def ess_tail(draws):
    """The smaller of the effective numbers of draws for the 5% and 95% quantiles.

    That of a quantile is :func:`ess_mean` of "the draw is at most the quantile of all draws".
    """
    ends = np.quantile(draws, [0.05, 0.95], axis=_DRAWS)
    halves = _split(draws)
    return np.minimum(*(_ess((halves <= end).astype(float)) for end in ends))


def _ess(draws):
    """Effective size for the mean of chains (C, W, N, ...) as they are."""
    n_chains, n_walkers, n_steps = draws.shape[:3]
    size = n_walkers * n_steps
    centre = draws.mean(axis=(1, 2), keepdims=True)
    centred = draws - centre
    lags = np.array(
        [
            np.mean(centred[:, :, : n_steps - lag] * centred[:, :, lag:], axis=_DRAWS)
            for lag in range(n_steps)
        ]
    )
    within = lags[0] * size / (size - 1)
    between = np.var(centre[:, 0, 0], axis=0, ddof=1) if n_chains > 1 else 0.0
    total = within * (size - 1) / size + between
    # Draws that never move are all alike: as good as independent.
    moving = np.ptp(draws, axis=_DRAWS) > 0
    correlation = 1 - (within - lags) / np.where(moving, total, 1.0)
    correlation[0] = 1.0
    n_draws = n_chains * size
    return np.where(moving, n_draws / _integrated_time(correlation, n_draws), n_draws)[()]


def _integrated_time(correlation, n_draws):
    """Geyer's initial monotone sequence: tau = -1 + 2 * sum of pairs while they stay positive.

    ``correlation`` has shape (lags, ...).
    """
    n_pairs = len(correlation) // 2
    pairs = correlation[0 : 2 * n_pairs : 2] + correlation[1 : 2 * n_pairs : 2]
    if n_pairs == 0:
        pairs = correlation[:1]
    positive = np.cumprod(pairs > 0, axis=0)
    falling = np.minimum.accumulate(pairs, axis=0) * positive
    total = np.where(positive[0], falling.sum(axis=0), 1.0)
    # Antithetic chains may beat independent draws, but no estimate is trusted beyond log10(n).
    return np.maximum(-1 + 2 * total, 1 / np.log10(n_draws))


def _plain_r_hat(chains):
    """R-hat of chains (C, N, ...)."""
    size = chains.shape[1]
    within = np.mean(np.var(chains, axis=1, ddof=1), axis=0)
    between = np.var(chains.mean(axis=1), axis=0, ddof=1)
    return np.sqrt(((size - 1) / size * within + between) / within)


def _split(draws):
    """Ensembles (E, W, N, ...) in two halves of their steps, (2E, W, N // 2, ...), if N >= 4."""
    return _halves(draws, axis=2) if draws.shape[2] >= 4 else draws


def _halves(draws, axis):
    """The first and the last half along an axis, one after the other along axis 0."""
    half = draws.shape[axis] // 2
    first, last = (np.take(draws, range(half), axis), np.take(draws, range(-half, 0), axis))
    return np.concatenate([first, last])


def _normal_scores(values, n_axes):
    """Normal scores of draws, ranked over the first ``n_axes`` axes; ties share their mean rank."""
    flat = np.ascontiguousarray(values.reshape(np.prod(values.shape[:n_axes]), -1).T)
    n = flat.shape[1]
    # Ranks are multiples of a half: few enough for their scores to be looked up.
    table = ndtri((0.5 * np.arange(2 * n + 1) - 0.375) / (n + 0.25))
    scores = np.empty(flat.shape)
    for draws, line in zip(flat, scores, strict=True):
        order = np.argsort(draws)
        ordered = draws[order]
        # Where values that are equal begin, and how many they are.
        first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        count = np.diff(first, append=n)
        line[order] = np.repeat(table[2 * first + count + 1], count)
    scores[np.isnan(flat).any(axis=1)] = np.nan
    return scores.T.reshape(values.shape)
