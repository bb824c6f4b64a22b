"""The audit of a table beyond memory: counts and thresholds from a few passes, FoD by blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..posterior import InfluenceFunction, InfluenceValues, free_minimiser, influence_squares
from ..rows import RowBlocks, joined
from .calibrated_counts import CountPosterior, RowTally, count_tallied
from .detection import detect
from .screening import bracketed_rows
from .tails import tail_probabilities

__all__ = ["StreamedAudit", "audit_streamed"]


@dataclass(frozen=True)
class StreamedAudit:
    """What the passes after sampling find.

    Attributes
    ----------
    found : CountPosterior
    threshold : ndarray of shape (S,)
        The log density at or below which each draw flags a row; -inf where it flags none.
    values : InfluenceValues or None
        At the risk minimiser; None for a posterior without gamma.
    """

    found: CountPosterior
    threshold: np.ndarray
    values: InfluenceValues | None


def audit_streamed(result, rows, prior, method, random):
    """Count the rows outside the model, and find each draw's threshold exactly.

    Parameters
    ----------
    result : Inference
    rows : StreamedRows
    prior : AlphaPrior
    method : {"calibrated", "holder"}
    random : numpy.random.RandomState

    Returns
    -------
    StreamedAudit
    """
    draws = result.draws
    values, tally = _tallied(result, rows) if draws.gamma > 0 else (None, None)
    found = count_tallied(result, rows.total_weight, values, tally, prior, method, random)
    if found.counts is None:
        return StreamedAudit(found, np.full(len(draws.theta), -np.inf), values)
    return StreamedAudit(found, _thresholds(draws, rows, found.counts), values)


def _tallied(result, rows):
    model, gamma = result.draws.model, result.draws.gamma
    theta = free_minimiser(model, rows, gamma, result.modes[0].theta)
    influence = InfluenceFunction.at(model, rows, theta, gamma)
    draws, total_weight = result.draws.theta, rows.total_weight

    def part(held):
        a, b = influence(held.rows)
        tails = tail_probabilities(model, draws, held.rows)
        weight = np.ones(len(held)) if held.weight is None else held.weight
        tally = RowTally.of(b, weight, tails, total_weight)
        return *influence_squares(a, b, held.weight), tally

    *squares, tally = joined(rows.each(part), lambda one, other: one + other)
    return influence.values(squares, rows.total_weight), tally


def _thresholds(draws, rows, counts):
    kept, weight, sure = bracketed_rows(draws.model, rows, draws.theta, counts.min(), counts.max())
    left = counts - (int(sure) if weight is None else sure)
    if len(kept) == 0:
        return np.full(len(counts), -np.inf)
    found = detect(draws.model, RowBlocks(kept, weight), draws.theta, left)
    return np.where(counts > 0, found.threshold, -np.inf)
