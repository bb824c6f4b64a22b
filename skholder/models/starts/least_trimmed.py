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
    plain = _weighted_least_squares(design, y, weight)
    total = np.sqrt(np.average((y - design @ plain) ** 2, weights=weight))
    best, spread = _least_trimmed(design, y, weight, random)
    centre, scale = np.vstack([plain[None], best]), np.append(total, spread / _HALF_NORMAL)
    starts = [np.c_[centre, np.log(np.maximum(shrink * scale, min_scale))] for shrink in (1, 0.5)]
    return np.vstack(starts)


def _least_trimmed(design, y, weight, random):
    """The distinct best fits (M, q) of many random subsets, and their trimmed rms (M,)."""
    q = design.shape[1]
    coefs = []
    for _ in range(_N_SUBSETS if q else 1):
        picked = quantile_rows(weight, random.uniform(size=q + 1))
        coefs.append(_weighted_least_squares(design[picked], y[picked], np.ones(len(picked))))
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
    coefs, spread = np.array(coefs), np.full(len(coefs), np.inf)
    for m, coef in enumerate(coefs):
        for _ in range(n_steps):
            square = (y - design @ coef) ** 2
            inside = _closest_half(square, weight)
            coef = _weighted_least_squares(design, y, inside)
        square = (y - design @ coef) ** 2
        inside = _closest_half(square, weight)
        coefs[m], spread[m] = coef, np.sqrt(inside @ square / inside.sum())
    return coefs, spread


def _closest_half(square, weight):
    """Weights of the rows that make up the half of the total weight with the smallest squares."""
    order = np.argsort(square, kind="stable")
    before = np.cumsum(weight[order]) - weight[order]
    kept = np.empty_like(weight)
    kept[order] = np.clip(0.5 * weight.sum() - before, 0, weight[order])
    return kept


def _weighted_least_squares(design, y, weight):
    """Least squares with a whisper of a ridge, so that every subset has a solution."""
    weighted = design * weight[:, None]
    gram = weighted.T @ design
    size = np.trace(gram) / max(len(gram), 1) if len(gram) else 1.0
    gram[np.diag_indices_from(gram)] += 1e-9 * size + 1e-300
    return np.linalg.solve(gram, weighted.T @ y)
