"""FoD without looking at every row in every draw.

Where rows are ranked by a distance that is linear in known features, ``f(row) . c(theta)``, the
draws move the distance of a row by at most ``D |R' f|`` around its mean (Cauchy-Schwarz, with R R'
the covariance of the coefficients over draws and D the largest Mahalanobis distance of a draw).
Rows whose whole range lies above (below) every threshold are flagged always (never); only the
others need the draws one by one. The result is exactly that of ranking everything.
"""

from __future__ import annotations

import numpy as np

from ..rows import HELD_NUMBERS, RowBlocks, row_spans

__all__ = ["bracketed_rows", "flagged_share", "screened_flags"]

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
    bounds = _bounds(centre, reach * distance.max(), model.distance_is_folded)
    surely, open_rows = _split(*bounds, counts[order[0]], counts[order[-1]])
    # Large tables have no room for what is no longer needed.
    del bounds
    flagged, cut = np.zeros(len(rows)), np.full(len(theta), np.inf)
    flagged[surely] += len(theta)
    features = model.distance_features(rows.rows[open_rows])
    centre, reach, n_sure = centre[open_rows], reach[open_rows], len(surely)
    start = 0
    while start < len(order):
        stop = start + _CHUNK
        chunk = order[start:stop]
        bounds = _bounds(centre, reach * distance[chunk].max(), model.distance_is_folded)
        k = counts[chunk] - n_sure
        always, unsure = _split(*bounds, k[0], k[-1])
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


def bracketed_rows(model, rows, theta, fewest, most):
    """The rows of a table beyond memory whose rank hangs on the draw, in a pass or two.

    Parameters
    ----------
    model : WorkingModel with ``distance_features``
    rows : StreamedRows
    theta : ndarray of shape (S, d)
    fewest, most : int
        Smallest and largest number of rows flagged in a draw.

    Returns
    -------
    open_rows : ndarray of shape (m, q)
    weight : ndarray of shape (m,) or None
    sure : float
        Weight of the rows that every draw flags.
    """
    middle, root, distance = _spread(model.distance_coef(theta))

    def ends(held):
        centre, reach = _ranges(model, held, middle, root)
        low, high = _bounds(centre, reach * distance.max(), model.distance_is_folded)
        return low, high, np.ones(len(held)) if held.weight is None else held.weight

    few = rows.subsample(len(rows))
    guess, rate = ends(few), few.total_weight / rows.total_weight
    for slack in (6.0, 24.0, np.inf):
        floor, ceiling = _guessed(*guess, rate * fewest, rate * most, slack)

        def part(held, floor=floor, ceiling=ceiling):
            low, high, weight = ends(held)
            sure, reached = low > ceiling, high >= floor
            unsure = reached & ~sure
            kept = held.rows[unsure], None if held.weight is None else held.weight[unsure]
            return weight @ sure, weight @ (low >= floor), weight @ (high >= ceiling), kept

        found = rows.each(part)
        sure, above, beyond = (float(sum(one[j] for one in found)) for j in range(3))
        # Rows below the floor are never among the most, those beyond the ceiling always.
        if (floor == -np.inf or above >= most) and (ceiling == np.inf or beyond < fewest):
            break
    weights = [one[3][1] for one in found]
    open_rows = np.concatenate([one[3][0] for one in found])
    return open_rows, None if weights[0] is None else np.concatenate(weights), sure


def _guessed(low, high, weight, fewest, most, slack):
    """Distances that the cuts of all draws lie between, by a sample's word and some slack."""

    def at_rank(values, rank):
        order = np.argsort(-values, kind="stable")
        spot = np.searchsorted(np.cumsum(weight[order]), rank)
        return -np.inf if spot >= len(order) else values[order[spot]]

    floor = at_rank(low, most + slack * np.sqrt(most + 1) + 10)
    rank = fewest - slack * np.sqrt(fewest + 1) - 10
    return floor, at_rank(high, rank) if rank > 0 else np.inf


def flagged_share(model, theta, threshold, rows):
    """FoD of new rows (m, q): the share of draws whose log density is at or below the threshold.

    Where a model ranks rows by a linear distance, only those near the thresholds meet the draws
    one by one.

    Parameters
    ----------
    threshold : ndarray of shape (S,)
        Log densities; -inf where a draw flags nothing.

    Returns
    -------
    ndarray of shape (m,)
    """
    if not model.has_linear_distance:
        # A training row at the threshold is flagged, whatever rounding did to it this time.
        cut = threshold + 1e-9 * (1 + np.abs(np.nan_to_num(threshold, neginf=0.0)))
        share = np.empty(len(rows))
        for part in row_spans(len(rows), len(theta)):
            share[part] = np.mean(model.log_density(theta, rows[part]) <= cut, axis=1)
        return share
    coef, cut = model.distance_coef(theta), _cuts(model, theta, threshold)
    middle, root, distance = _spread(coef)
    centre, reach = _ranges(model, RowBlocks(rows), middle, root)
    low, high = _bounds(centre, reach * distance.max(), model.distance_is_folded)
    share = np.where(low > cut.max(), 1.0, 0.0)
    unsure = np.flatnonzero((low <= cut.max()) & (high >= cut.min()))
    for part in row_spans(len(unsure), len(theta)):
        spots = unsure[part]
        distances = model.distance_features(rows[spots]) @ coef.T
        if model.distance_is_folded:
            np.abs(distances, out=distances)
        share[spots] = np.mean(distances >= cut, axis=1)
    return share


def _cuts(model, theta, threshold):
    """Distances (S,) at which the log density reaches the thresholds, by bisection."""
    # Where no row is flagged the cut is infinite: there is nothing to look for, however far.
    wanted = np.where(np.isneginf(threshold), 0.0, threshold - model.log_peak(theta))
    low, high = np.zeros(len(theta)), np.ones(len(theta))
    while np.any(far := (model.log_kernel_of_distance(theta, high) > wanted) & (high < 1e150)):
        high[far] *= 4
    for _ in range(60):
        middle = (low + high) / 2
        above = model.log_kernel_of_distance(theta, middle) > wanted
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    # A training row at its threshold is flagged, whatever rounding did to it.
    return np.where(np.isneginf(threshold), np.inf, low * (1 - 1e-9))


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
    high = np.abs(centre)
    low = high - reach
    high += reach
    return np.maximum(low, 0.0, out=low), high


def _split(low, high, fewest, most):
    """Rows surely flagged, and rows left open, when between ``fewest`` and ``most`` are."""
    n = len(low)
    if most <= 0:
        return np.empty(0, dtype=int), np.arange(n)
    floor = -np.inf if most >= n else np.partition(low, n - most)[n - most]
    ceiling = np.inf if fewest <= 0 else np.partition(high, n - fewest)[n - fewest]
    surely = low > ceiling
    return np.flatnonzero(surely), np.flatnonzero(~surely & (high >= floor))
