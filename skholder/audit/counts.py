"""How many rows to flag: draws of their number K, and the rules that pick one number."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .tails import CERTAIN

__all__ = [
    "RULES",
    "TAIL_RULES",
    "check_level",
    "choose_count",
    "outlier_counts",
    "score_threshold",
]

#: Rules that flag by tail probability, whatever the posterior of K.
TAIL_RULES = ("fdr", "certain")
#: All rules.
RULES = ("mean", "median", "lower", "upper", *TAIL_RULES)

# Scores this close, relative to their size, differ by rounding only.
_ROUNDING = 1e-9


def outlier_counts(epsilon: ArrayLike, total: float) -> NDArray[np.int64]:
    """K_s = round(n epsilon_s), clipped to 0..n, as integers of shape (S,)."""
    return np.clip(np.rint(total * np.asarray(epsilon)), 0, np.floor(total)).astype(np.int64)


def check_level(level: Any) -> None:
    """Refuse what is no probability inside an interval; it may have been set after a fit."""
    if not (isinstance(level, Real) and 0 < float(level) < 1):
        raise ValueError(f"level must lie in (0, 1), got {level!r}.")


def choose_count(
    counts: NDArray[np.int_],
    rule: str = "mean",
    level: float = 0.95,
    tails: NDArray[np.float64] | None = None,
    weight: NDArray[np.float64] | None = None,
) -> int:
    """The number of rows to flag.

    Parameters
    ----------
    counts : ndarray of shape (S,)
        Draws of K.
    rule : {"mean", "median", "lower", "upper", "fdr", "certain"}
        ``"lower"`` and ``"upper"`` are the ends of the central interval of ``level``. ``"fdr"``
        flags by Benjamini and Hochberg, so that on average a share ``1 - level`` of the flags is
        false; ``"certain"`` flags the rows that cannot be inliers, n t < 0.05.
    level : float
    tails : ndarray of shape (n,) or None
        Tail probabilities, which the last two rules need.
    weight : ndarray of shape (n,) or None
        Row weights.

    Returns
    -------
    int
    """
    check_level(level)
    if not isinstance(rule, str) or rule not in RULES:
        raise ValueError(f"rule must be one of {', '.join(map(repr, RULES))}, got {rule!r}.")
    if rule == "mean":
        return int(np.rint(np.mean(counts)))
    if rule in TAIL_RULES:
        return _tail_count(rule, level, tails, weight)
    tail = (1 - level) / 2
    quantile = {"median": 0.5, "lower": tail, "upper": 1 - tail}
    return int(np.rint(np.quantile(counts, quantile[rule])))


def _tail_count(rule, level, tails, weight):
    weight = np.ones(len(tails)) if weight is None else weight
    total = weight.sum()
    if rule == "certain":
        return int(np.rint(weight @ (total * tails < CERTAIN)))
    order = np.argsort(tails, kind="stable")
    reached = np.cumsum(weight[order])
    below = np.flatnonzero(total * tails[order] <= (1 - level) * reached)
    return int(np.rint(reached[below[-1]])) if len(below) else 0


def score_threshold(
    scores: NDArray[np.float64], weight: NDArray[np.float64], count: float
) -> float:
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
