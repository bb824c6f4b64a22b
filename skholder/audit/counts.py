"""How many rows: the posterior of their number K, and rules that pick one."""

from __future__ import annotations

import numpy as np

__all__ = ["choose_count", "outlier_counts", "score_threshold"]

# Scores this close, relative to their size, differ by rounding only.
_ROUNDING = 1e-9


def outlier_counts(epsilon, total):
    """K_s = round(n epsilon_s), clipped to 0..n, as integers of shape (S,)."""
    return np.clip(np.rint(total * np.asarray(epsilon)), 0, np.floor(total)).astype(np.int64)


def choose_count(counts, rule="mean", level=0.95):
    """The number of rows to flag, from the posterior of K.

    Parameters
    ----------
    counts : ndarray of shape (S,)
    rule : {"mean", "median", "lower", "upper"}
        ``"lower"`` and ``"upper"`` are the ends of the central interval of ``level``.

    Returns
    -------
    int
    """
    if rule == "mean":
        return int(np.rint(np.mean(counts)))
    tail = (1 - level) / 2
    quantile = {"median": 0.5, "lower": tail, "upper": 1 - tail}
    if rule not in quantile:
        raise ValueError(f"rule must be 'mean', 'median', 'lower' or 'upper', got {rule!r}.")
    return int(np.rint(np.quantile(counts, quantile[rule])))


def score_threshold(scores, weight, count):
    """The score below which ``count`` rows lie: midway between them and the next one up.

    Equal scores stay together, and are below if more than half of them fit the count. The
    threshold is never a row's own score, so that rounding cannot decide on which side it falls.

    Parameters
    ----------
    scores, weight : ndarray of shape (n,)
    count : float
        In units of weight.

    Returns
    -------
    float
    """
    used = weight > 0
    order = np.argsort(scores[used], kind="stable")
    ordered = scores[used][order]
    rounding = _ROUNDING * (1 + np.abs(ordered))
    first = np.flatnonzero(np.append(True, np.diff(ordered) > rounding[1:]))
    together = np.add.reduceat(weight[used][order], first)
    reached = np.cumsum(together)
    n_below = np.sum(reached - together / 2 < count - _ROUNDING * reached[-1])
    if n_below == 0:
        return float(ordered[0] - rounding[0])
    if n_below == len(first):
        return float(ordered[-1] + rounding[-1])
    above = first[n_below]
    return float(ordered[above - 1 : above + 1].mean())
