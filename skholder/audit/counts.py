"""How many rows: the posterior of their number K, and rules that pick one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["choose_count", "outlier_counts", "score_threshold"]


def outlier_counts(epsilon: ArrayLike, total: float) -> NDArray[np.int64]:
    """K_s = round(n epsilon_s), clipped to 0..n, as integers of shape (S,)."""
    return np.clip(np.rint(total * np.asarray(epsilon)), 0, np.floor(total)).astype(np.int64)


def choose_count(counts: NDArray[np.int_], rule: str = "mean", level: float = 0.95) -> int:
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


def score_threshold(
    scores: NDArray[np.float64], weight: NDArray[np.float64], count: float
) -> float:
    """The score below which ``count`` rows lie: midway between them and the next one up.

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
    ordered, reached = scores[used][order], np.cumsum(weight[used][order])
    if not count > 0:
        return float(ordered[0])
    slack = 1e-9 * reached[-1]
    last_below = np.searchsorted(reached, count - slack)
    first_above = np.searchsorted(reached, count + slack)
    ends = np.minimum([last_below, first_above], len(ordered) - 1)
    return float(ordered[ends].mean())
