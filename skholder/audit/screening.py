"""FoD without looking at every row in every draw.

Where rows are ranked by a distance that is linear in known features, ``f(row) . c(theta)``, the
draws move the distance of a row by at most ``D |R' f|`` around its mean (Cauchy-Schwarz, with R R'
the covariance of the coefficients over draws and D the largest Mahalanobis distance of a draw).
Rows whose whole range lies above (below) every threshold are flagged always (never); only the
others need the draws one by one. The result is exactly that of ranking everything.
"""

from __future__ import annotations

import numpy as np

from ..rows import HELD_NUMBERS

__all__ = ["screened_flags"]

_CHUNK = 128


def screened_flags(model, rows, theta, counts, flag):
    """How often each row is among the K_s most outlying, and the distance at which draw s cuts.

    Parameters
    ----------
    model : WorkingModel with ``distance_features``
    rows : RowBlocks, unweighted
    theta : ndarray of shape (S, d)
    counts : ndarray of shape (S,)
    flag : callable
        (values (B, m), sorted counts (B,)) -> flags per row (m,) and cuts (B,), smallest first.

    Returns
    -------
    flagged : ndarray of shape (n,)
    cut : ndarray of shape (S,)
        The K_s-th largest distance; inf where K_s = 0.
    """
    coef = model.distance_coef(theta)
    order = np.argsort(counts, kind="stable")
    middle, root, distance = _spread(coef)
    centre, reach = _ranges(model, rows, middle, root)
    flagged, cut = np.zeros(len(rows)), np.full(len(theta), np.inf)
    low, high = _bounds(centre, reach * distance.max(), model.distance_is_folded)
    surely, open_rows = _split(low, high, counts[order[0]], counts[order[-1]])
    flagged[surely] += len(theta)
    features = model.distance_features(rows.rows[open_rows])
    centre, reach, n_sure = centre[open_rows], reach[open_rows], len(surely)
    start = 0
    while start < len(order):
        stop = start + _CHUNK
        chunk = order[start:stop]
        low, high = _bounds(centre, reach * distance[chunk].max(), model.distance_is_folded)
        k = counts[chunk] - n_sure
        always, unsure = _split(low, high, k[0], k[-1])
        # Many draws of many unsure rows are taken in smaller chunks.
        size = max(1, HELD_NUMBERS // max(len(unsure), 1))
        if size < len(chunk):
            chunk, k, stop = chunk[:size], k[:size], start + size
        flagged[open_rows[always]] += len(chunk)
        distances = coef[chunk] @ features[unsure].T
        if model.distance_is_folded:
            np.abs(distances, out=distances)
        flags, level = flag(np.negative(distances, out=distances), k - len(always))
        flagged[open_rows[unsure]] += flags
        cut[chunk] = -level
        start = stop
    return flagged, cut


def _spread(coef):
    """Mean (F,), root (F, r) of the covariance, and Mahalanobis distance (S,) of the draws."""
    middle = coef.mean(axis=0)
    deviation = coef - middle
    value, vector = np.linalg.eigh(deviation.T @ deviation / len(coef))
    kept = value > 1e-14 * max(value[-1], 1e-300)
    root = vector[:, kept] * np.sqrt(value[kept])
    z = deviation @ (vector[:, kept] / np.sqrt(value[kept]))
    # What the dropped directions and rounding could add, generously.
    return middle, root, np.sqrt(np.sum(z * z, axis=1)) * (1 + 1e-6) + 1e-6


def _ranges(model, rows, middle, root):
    """Mean distance (n,) and reach |R' f| (n,) of every row, block by block."""
    centre, reach = np.empty(len(rows)), np.empty(len(rows))
    start = 0
    for block, _ in rows:
        features = model.distance_features(block)
        part = slice(start, start + len(block))
        centre[part] = features @ middle
        size = 1e-9 * np.sqrt(np.sum(features**2, axis=1) * (middle @ middle))
        reach[part] = np.sqrt(np.sum((features @ root) ** 2, axis=1)) + size
        start += len(block)
    return centre, reach


def _bounds(centre, reach, folded):
    if not folded:
        return centre - reach, centre + reach
    size = np.abs(centre)
    return np.maximum(size - reach, 0.0), size + reach


def _split(low, high, fewest, most):
    """Rows surely flagged, and rows left open, when between ``fewest`` and ``most`` are."""
    n = len(low)
    if most <= 0:
        return np.empty(0, dtype=int), np.arange(n)
    floor = -np.inf if most >= n else np.partition(low, n - most)[n - most]
    ceiling = np.inf if fewest <= 0 else np.partition(high, n - fewest)[n - fewest]
    surely = low > ceiling
    return np.flatnonzero(surely), np.flatnonzero(~surely & (high >= floor))
