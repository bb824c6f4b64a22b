"""The audit: which rows do not follow the model, and how many.

For draw s, ``K_s = round(n epsilon_s)`` rows are flagged, those of smallest log density
``l_i^s``. The Frequency of Detection of a row is the share of draws that flag it::

    FoD_i = (1 / S) sum_s I(row i is among the K_s smallest l^s)

so that the FoD scores sum to the mean of K exactly. Ties go to the earlier row. A row of weight w
counts as w rows, and may be flagged in part.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .explanation import Explanation, row_position
from .screening import screened_flags

__all__ = [
    "Audit",
    "Detection",
    "choose_count",
    "detect",
    "outlier_counts",
    "score_threshold",
    "worst_first",
]

# Log densities held at a time, in numbers: 4 million are 32 MB.
_HELD = 4_000_000


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

    fod: np.ndarray
    log_density: np.ndarray
    threshold: np.ndarray


def outlier_counts(epsilon, total):
    """K_s = round(n epsilon_s), clipped to 0..n, as integers of shape (S,)."""
    return np.clip(np.rint(total * np.asarray(epsilon)), 0, np.floor(total)).astype(np.int64)


def detect(model, rows, theta, counts):
    """FoD, mean log density and thresholds of the rows, for draws theta (S, d).

    Parameters
    ----------
    model : WorkingModel
    rows : RowBlocks
    theta : ndarray of shape (S, d)
    counts : ndarray of shape (S,) or None
        Rows to flag in each draw; None for a posterior without epsilon.

    Returns
    -------
    Detection
    """
    peak = model.peak(theta)
    screen = counts is not None and rows.weight is None and model.has_linear_score
    if screen:
        flagged, cut = screened_flags(model, rows, theta, counts, _flag)
        threshold = np.where(counts > 0, model.kernel_of_score(theta, cut), -np.inf)
        total = _total_kernel(model, rows, theta)
    else:
        flagged, threshold, total = _detect_all(model, rows, theta, counts)
    n_draws = len(theta)
    return Detection(flagged / n_draws, total / n_draws + peak.mean(), threshold + peak)


def _total_kernel(model, rows, theta):
    """Sum over draws of every row's kernel, by the model's short cut if it has one."""
    mean = model.mean_kernel(theta) or (lambda block: _mean_kernel(model, theta, block))
    return np.concatenate([mean(block) for block, _ in rows]) * len(theta)


def _mean_kernel(model, theta, block):
    """Mean over draws of kernel(theta, block, 1), in pieces, shape (m,)."""
    pieces = np.array_split(theta, max(1, len(block) * len(theta) // _HELD))
    return sum(model.kernel(piece, block, 1.0).sum(axis=1) for piece in pieces) / len(theta)


def _detect_all(model, rows, theta, counts):
    """Flags and kernels of every row in every draw, in chunks of draws."""
    n, n_draws = len(rows), len(theta)
    flagged, total = np.zeros(n), np.zeros(n)
    threshold = np.full(n_draws, -np.inf)
    # Draws in order of their count: then a chunk's counts span few ranks.
    order = np.arange(n_draws) if counts is None else np.argsort(counts, kind="stable")
    size = int(np.clip(_HELD // n, 1, 128))
    for chunk in np.split(order, range(size, n_draws, size)):
        values = np.empty((len(chunk), n))
        start = 0
        for block, _ in rows:
            stop = start + len(block)
            values[:, start:stop] = model.kernel(theta[chunk], block, 1.0).T
            start = stop
        total += values.sum(axis=0)
        if counts is None:
            continue
        if rows.weight is None:
            flags, threshold[chunk] = _flag(values, counts[chunk])
        else:
            flags, threshold[chunk] = _flag_weighted(values, counts[chunk], rows.weight)
        flagged += flags
    return flagged, threshold, total


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
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(ordered > 0, np.clip(room / ordered, 0, 1), room > 0)
    flags = np.empty_like(values)
    np.put_along_axis(flags, order, part, axis=1)
    # Sums of weights round: a row flagged by less than that is not flagged.
    cut = np.max(np.where(flags > 1e-9, values, -np.inf), axis=1)
    return flags.sum(axis=0), cut


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


def worst_first(fod, log_density, rank="fod"):
    """Row order, most suspicious first: by FoD and then log density, or by log density alone."""
    if rank == "fod":
        return np.lexsort((log_density, -fod))
    if rank == "log_density":
        return np.argsort(log_density, kind="stable")
    raise ValueError(f"rank must be 'fod' or 'log_density', got {rank!r}.")


@dataclass(frozen=True)
class Audit:
    """A set of flagged rows with the posterior that says how many.

    Attributes
    ----------
    mask : ndarray of bool, shape (n,)
    indices : ndarray of int
        Positions of the flagged rows, worst first.
    count : int
        How many rows the rule flags.
    count_interval : ndarray of shape (2,)
        Central interval of the posterior of K.
    fod, log_density : ndarray of shape (n,)
    order : ndarray of int, shape (n,)
        All rows, worst first.
    index : pandas.Index or None
        Row labels of the data frame that was fitted.
    evidence : RegressionEvidence, DensityEvidence or None
        What explains each row.
    """

    mask: np.ndarray
    indices: np.ndarray
    count: int
    count_interval: np.ndarray
    fod: np.ndarray
    log_density: np.ndarray
    order: np.ndarray = field(repr=False)
    index: object = field(default=None, repr=False)
    evidence: object = field(default=None, repr=False)

    @classmethod
    def from_posterior(
        cls,
        counts,
        fod,
        log_density,
        *,
        rule="mean",
        level=0.95,
        rank="fod",
        weight=None,
        index=None,
        evidence=None,
        count=None,
    ):
        """Apply a count rule (or a given ``count``) and a ranking to the scores of a fit."""
        if not 0 < level < 1:
            raise ValueError(f"level must lie in (0, 1), got {level!r}.")
        count = choose_count(counts, rule, level) if count is None else int(count)
        order = worst_first(fod, log_density, rank)
        reached = np.arange(1, len(fod) + 1) if weight is None else np.cumsum(weight[order])
        step = 1 if weight is None else weight[order]
        # A row of weight w is in the set if more than half of it fits the count.
        inside = (reached - step / 2 < count) & (np.asarray(step) > 0)
        mask = np.zeros(len(fod), dtype=bool)
        mask[order[inside]] = True
        tail = (1 - level) / 2
        interval = np.rint(np.quantile(counts, [tail, 1 - tail])).astype(int)
        return cls(mask, order[inside], count, interval, fod, log_density, order, index, evidence)

    def to_frame(self):
        """A pandas DataFrame of all rows, worst first, with the index of the fitted frame.

        Its columns are ``flagged``, ``fod``, ``log_density``, ``row`` (the position) and, for the
        audit of a fit, ``reason``: why, in a few words.
        """
        import pandas as pd

        columns = {
            "flagged": self.mask,
            "fod": self.fod,
            "log_density": self.log_density,
            "row": np.arange(len(self.mask)),
        }
        if self.evidence is not None:
            columns["reason"] = self.evidence.reasons(columns["row"])
        return pd.DataFrame(columns, index=self.index).iloc[self.order]

    def explain(self, row=None, *, position=None):
        """Why a row is flagged, or why it is not.

        Parameters
        ----------
        row : object
            The row's label in the index of the data frame that was fitted; without a frame, its
            position.
        position : int
            The position, whatever the index; given in place of ``row``.

        Returns
        -------
        Explanation
            Print it for a sentence; ``to_dict()`` has the numbers.

        Raises
        ------
        KeyError
            If the index has no such label, or has it more than once.
        IndexError
            If there is no such position.
        """
        spot = row_position(self.index, len(self.mask), row, position)
        known = self.evidence
        return Explanation(
            row=spot,
            label=spot if self.index is None else self.index[spot],
            flagged=bool(self.mask[spot]),
            fod=float(self.fod[spot]),
            log_density=float(self.log_density[spot]),
            reason="" if known is None else known.reasons(np.array([spot]))[0],
            residual=None if known is None else known.residual(spot),
            contributions=() if known is None else known.contributions(spot),
        )
