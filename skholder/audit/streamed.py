"""The audit of a table beyond memory: counts and thresholds from a few passes, FoD by blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from ..posterior import InfluenceFunction, InfluenceValues, free_minimiser, influence_squares
from ..rows import RowBlocks, joined
from .calibrated_counts import (
    CountPosterior,
    calibrated_counts,
    floor_counts,
    holder_counts,
    is_calibrated,
    leans_on_floor,
)
from .detection import detect
from .row_tally import RowTally, doubled_power
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
    draws, values = result.draws, None
    found = holder_counts(result, rows.total_weight)
    if draws.gamma > 0:
        at_floor = leans_on_floor(result, method)
        wanted = is_calibrated(result, method)
        values, tally, beyond = _tallied(result, rows, wanted or at_floor, doubled=wanted)
        if at_floor:
            found = floor_counts(result, values, tally, prior, random)
        elif wanted:
            found = calibrated_counts(
                draws.model, values, tally, beyond, draws.theta, prior, random
            )
    if found.counts is None:
        return StreamedAudit(found, np.full(len(draws.theta), -np.inf), values)
    return StreamedAudit(found, _thresholds(draws, rows, found.counts), values)


def _tallied(result, rows, wanted, doubled):
    """Influence values, the tally and the fit at twice the power, if they are wanted."""
    model, gamma = result.draws.model, result.draws.gamma
    theta = free_minimiser(model, rows, gamma, result.modes[0].theta)
    influence = InfluenceFunction.at(model, rows, theta, gamma)

    def square(held):
        return influence_squares(*influence(held.rows), held.weight)

    values = influence.values(joined(rows.each(square), np.add), rows.total_weight)
    if not wanted:
        return values, None, None
    draws, total_weight = result.draws.theta, rows.total_weight
    beyond = doubled_power(model, rows, values) if doubled else None

    def tally(held):
        weight = np.ones(len(held)) if held.weight is None else held.weight
        tails = tail_probabilities(model, draws, held.rows)
        b = influence(held.rows)[1]
        more = None if beyond is None else beyond(held.rows)[1]
        return RowTally.of(b, weight, tails, total_weight, more)

    return values, reduce(add, rows.each(tally)), beyond


def _thresholds(draws, rows, counts):
    kept, weight, sure = bracketed_rows(draws.model, rows, draws.theta, counts.min(), counts.max())
    left = counts - (int(sure) if weight is None else sure)
    if len(kept) == 0:
        return np.full(len(counts), -np.inf)
    found = detect(draws.model, RowBlocks(kept, weight), draws.theta, left)
    return np.where(counts > 0, found.threshold, -np.inf)
