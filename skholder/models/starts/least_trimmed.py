"""Robust starting values for regression: least squares, and least trimmed squares.

Concentration steps from random elemental subsets (the heart of FAST-LTS): fit the half of the rows
with the smallest residuals, again and again.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from ...rows import quantile_rows

__all__ = ["trimmed_starts"]

_N_SUBSETS, _N_KEPT, _N_SHORT, _N_LONG = 40, 4, 2, 12
# Rows on which subsets are told apart, or this many times the coefficients.
_SHORT_ROWS, _SHORT_TIMES = 500, 10
# Root mean square of the central half of a standard normal, to make trimmed scales consistent.
_HALF_NORMAL = np.sqrt(1 - 4 * norm.ppf(0.75) * norm.pdf(norm.ppf(0.75)))


def trimmed_starts(rows, weight, min_scale, random):
    """Starting values (coef, log sigma) for rows (design, y), shape (M, d)."""
    design, y = rows[:, :-1], rows[:, -1]
    weight = np.ones(len(y)) if weight is None else weight
    plain = _least_squares(design, y, weight[None])
    total = np.sqrt(np.average(_squares(design, y, plain), axis=1, weights=weight))
    best, spread = _least_trimmed(design, y, weight, random)
    centre, scale = np.vstack([plain, best]), np.append(total, spread / _HALF_NORMAL)
    starts = [np.c_[centre, np.log(np.maximum(shrink * scale, min_scale))] for shrink in (1, 0.5)]
    return np.vstack(starts)


def _least_trimmed(design, y, weight, random):
    """The distinct best fits (M, q) of many random subsets, and their trimmed rms (M,)."""
    q = design.shape[1]
    picked = quantile_rows(weight, random.uniform(size=(_N_SUBSETS if q else 1, q + 1)))
    coefs = _solved(
        np.swapaxes(design[picked], 1, 2) @ design[picked],
        np.einsum("mij,mi->mj", design[picked], y[picked]),
    )
    n_few = max(_SHORT_ROWS, _SHORT_TIMES * q)
    few = quantile_rows(weight, (np.arange(n_few) + 0.5) / n_few)
    coefs, spread = _concentrate(design[few], y[few], np.ones(n_few), coefs, _N_SHORT)
    best = coefs[np.argsort(spread, kind="stable")[:_N_KEPT]]
    best, spread = _concentrate(design, y, weight, best, _N_LONG)
    # Subsets that led to the same half of the rows are one start.
    _, first = np.unique(np.round(spread, 9), return_index=True)
    return best[first], spread[first]


def _concentrate(design, y, weight, coefs, n_steps):
    """``n_steps`` concentration steps for each of M fits; returns (M, q) and trimmed rms (M,)."""
    for _ in range(n_steps):
        coefs = _least_squares(design, y, _closest_half(_squares(design, y, coefs), weight))
    square = _squares(design, y, coefs)
    inside = _closest_half(square, weight)
    return coefs, np.sqrt(np.einsum("mn,mn->m", inside, square) / inside.sum(axis=1))


def _squares(design, y, coefs):
    """Squared residuals (M, n) of M fits."""
    residual = y - coefs @ design.T
    return np.multiply(residual, residual, out=residual)


def _closest_half(square, weight):
    """Weights (M, n) of the rows that make up the half of the weight with the smallest squares.

    Rows that are tied at the limit share what is left of it.
    """
    half = 0.5 * weight.sum()
    if np.all(weight == weight[0]):
        # No need to sort rows of equal weight.
        spot = min(int(half / weight[0]), len(weight) - 1)
        limit = np.partition(square, spot, axis=1)[:, spot, None]
    else:
        order = np.argsort(square, axis=1, kind="stable")
        reached = np.cumsum(weight[order], axis=1)
        spot = np.argmax(reached > half, axis=1)[:, None]
        limit = np.take_along_axis(square, np.take_along_axis(order, spot, axis=1), axis=1)
    below, tied = np.where(square < limit, weight, 0.0), np.where(square == limit, weight, 0.0)
    left = half - below.sum(axis=1, keepdims=True)
    return below + tied * (left / tied.sum(axis=1, keepdims=True))


def _least_squares(design, y, weight):
    """Least-squares fits (M, q) to rows with M weights (M, n)."""
    gram = [(design * one[:, None]).T @ design for one in weight]
    return _solved(np.array(gram), (weight * y) @ design)


def _solved(gram, right):
    """Solutions (M, q) with a whisper of a ridge, so that every subset has one."""
    q = gram.shape[1]
    spots = np.arange(q)
    size = np.trace(gram, axis1=1, axis2=2)[:, None] / max(q, 1)
    gram[:, spots, spots] += 1e-9 * size + 1e-300
    return np.linalg.solve(gram, right[:, :, None])[:, :, 0]
