"""Which rows: the Frequency of Detection.

For draw s, the K_s rows of smallest log density ``l_i^s`` are flagged. The Frequency of Detection
of a row is the share of draws that flag it::

    FoD_i = (1 / S) sum_s I(row i is among the K_s smallest l^s)

so that the FoD scores sum to the mean of K exactly. Ties go to the earlier row; with the canonical
set of rows at hand, that is the order of the set, and copies of a row share its flags, so that the
order of a table says nothing. A row of weight w counts as w rows, and may be flagged in part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rows import HELD_NUMBERS, RowBlocks
from .screening import screened_flags

__all__ = ["Detection", "detect"]


@dataclass(frozen=True)
class Detection:
    """What a pass over rows and draws finds.

    Attributes
    ----------
    fod, log_density : ndarray of shape (n,)
        Frequency of detection, and log density averaged over draws.
    threshold : ndarray of shape (S,)
        The K_s-th smallest log density of each draw; -inf where K_s = 0.
    """

    fod: NDArray[np.float64]
    log_density: NDArray[np.float64]
    threshold: NDArray[np.float64]


def detect(
    model: Any,
    rows: RowBlocks,
    theta: NDArray[np.float64],
    counts: NDArray[np.int_] | None,
    distinct: RowBlocks | None = None,
    member: NDArray[np.int_] | None = None,
) -> Detection:
    """FoD, mean log density and thresholds of the rows, for draws theta (S, d).

    Parameters
    ----------
    model : WorkingModel
    rows : RowBlocks
    theta : ndarray of shape (S, d)
    counts : ndarray of shape (S,) or None
        Rows to flag in each draw; None for a posterior without epsilon.
    distinct : RowBlocks or None
        The rows without their copies. Given, the mean log density of a row depends on nothing but
        the set of rows: copies of a row, and a weight in their place, agree to the last bit.
    member : ndarray of int, shape (n,)
        The distinct row that each row is; -1 for a row that is none of them.

    Returns
    -------
    Detection
    """
    log_peak = model.log_peak(theta)
    if distinct is None:
        flagged, threshold = _flag_rows(model, rows, theta, counts)
        mean = _mean_log_kernel(model, rows, theta)
    else:
        flagged, threshold = _flag_by_member(model, rows, theta, counts, distinct, member)
        mean = _mean_by_member(model, rows, theta, distinct, member)
    return Detection(flagged / len(theta), mean + log_peak.mean(), threshold + log_peak)


def _flag_rows(model, rows, theta, counts):
    """How often each row is flagged (n,), and the thresholds (S,) less the log peak."""
    if counts is not None and rows.weight is None and model.has_linear_distance:
        flagged, cut = screened_flags(model, rows, theta, counts, _flag)
        return flagged, np.where(counts > 0, model.log_kernel_of_distance(theta, cut), -np.inf)
    return _flag_all(model, rows, theta, counts)


def _flag_by_member(model, rows, theta, counts, distinct, member):
    """As :func:`_flag_rows`, in the order of the distinct rows, copies sharing their flags."""
    flagged = np.empty(len(rows))
    if len(distinct) == len(rows):
        ordered, threshold = _flag_rows(model, distinct, theta, counts)
        return ordered[member], threshold
    order = np.argsort(member, kind="stable")
    weight = None if rows.weight is None else rows.weight[order]
    flagged[order], threshold = _flag_rows(
        model, RowBlocks(rows.rows[order], weight), theta, counts
    )
    present = np.flatnonzero(member >= 0)
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    total = np.bincount(member[present], weight[present])
    shared = np.bincount(member[present], weight[present] * flagged[present]) / total
    copied = present[np.bincount(member[present])[member[present]] > 1]
    flagged[copied] = shared[member[copied]]
    return flagged, threshold


def _mean_by_member(model, rows, theta, distinct, member):
    """Mean over draws of every row's log kernel, computed once for all copies of a row."""
    mean = np.empty(len(rows))
    present = member >= 0
    mean[present] = _mean_log_kernel(model, distinct, theta)[member[present]]
    if not np.all(present):
        mean[~present] = _mean_log_kernel(model, RowBlocks(rows.rows[~present]), theta)
    return mean


def _mean_log_kernel(model, rows, theta):
    """Mean over draws of every row's log kernel, by the model's short cut if it has one."""
    mean = model.mean_log_kernel(theta) or (lambda block: _mean_in_pieces(model, theta, block))
    return np.concatenate([mean(block) for block, _ in rows])


def _mean_in_pieces(model, theta, block):
    """Mean over draws of log_kernel(theta, block, 1), in pieces, shape (m,)."""
    pieces = np.array_split(theta, max(1, len(block) * len(theta) // HELD_NUMBERS))
    return sum(model.log_kernel(piece, block, 1.0).sum(axis=1) for piece in pieces) / len(theta)


def _flag_all(model, rows, theta, counts):
    """How often each row is flagged, looking at every row in every draw, and the thresholds."""
    n, n_draws = len(rows), len(theta)
    flagged, threshold = np.zeros(n), np.full(n_draws, -np.inf)
    if counts is None:
        return flagged, threshold
    # Draws in order of their count: then a chunk's counts span few ranks.
    order = np.argsort(counts, kind="stable")
    size = int(np.clip(HELD_NUMBERS // n, 1, 128))
    for chunk in np.split(order, range(size, n_draws, size)):
        values = np.empty((len(chunk), n))
        start = 0
        for block, _ in rows:
            stop = start + len(block)
            values[:, start:stop] = model.log_kernel(theta[chunk], block, 1.0).T
            start = stop
        if rows.weight is None:
            flags, threshold[chunk] = _flag(values, counts[chunk])
        else:
            flags, threshold[chunk] = _flag_weighted(values, counts[chunk], rows.weight)
        flagged += flags
    return flagged, threshold


def _flag(values, counts):
    """How often each row of values (B, n) is flagged, and the thresholds; counts sorted."""
    level = np.full(len(counts), -np.inf)
    some = counts > 0
    if not np.any(some):
        return np.zeros(values.shape[1]), level
    values, counts = values[some], counts[some]
    low, high = counts[0] - 1, counts[-1] - 1
    between = np.partition(values, sorted({low, high}), axis=1)[:, low : high + 1]
    between.sort(axis=1)
    cut = np.take_along_axis(between, (counts - 1 - low)[:, None], axis=1)
    flags = values <= cut
    tied = np.flatnonzero(flags.sum(axis=1) > counts)
    if len(tied):
        below, equal = values[tied] < cut[tied], values[tied] == cut[tied]
        room = counts[tied] - below.sum(axis=1)
        flags[tied] = below | (equal & (np.cumsum(equal, axis=1) <= room[:, None]))
    level[some] = cut[:, 0]
    return flags.sum(axis=0), level


def _flag_weighted(values, counts, weight):
    """As :func:`_flag`, a row of weight w standing for w rows that are flagged one by one."""
    order = np.argsort(values, axis=1, kind="stable")
    ordered = weight[order]
    before = np.cumsum(ordered, axis=1) - ordered
    room = counts[:, None] - before
    with np.errstate(invalid="ignore"):
        part = np.where(ordered > 0, np.clip(room, 0, ordered) / ordered, room > 0)
    flags = np.empty_like(values)
    np.put_along_axis(flags, order, part, axis=1)
    # Sums of weights round: a row flagged by less than that is not flagged.
    cut = np.max(np.where(flags > 1e-9, values, -np.inf), axis=1)
    return flags.sum(axis=0), cut
