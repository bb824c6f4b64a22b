"""Minimisers of the risk, which need no temperature: where modes are looked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..divergences import PseudoSpherical
from .collapsed import ProfileRisk
from .modes import at_floor, distinct, maximise, spike_guard
from .search import search_random

__all__ = ["Minimisers", "free_minimiser", "minimise_from", "risk_minimisers"]

# Rows used to tell good starting values from bad ones; every minimiser is refined on all rows.
_SEARCH_ROWS = 2000
_MAX_REFINED = 3
# Risks of steep powers vanish in floats: no factor brings them near 1.
_LARGEST_MULTIPLIER = 1e280
# A climb this close to its top, in nats, is in its basin; two points this many standard deviations
# apart are then in the same one.
_BASIN, _SAME_BASIN = 0.05, 0.5


@dataclass(frozen=True)
class Minimisers:
    """Local minimisers of the risk.

    Attributes
    ----------
    model : WorkingModel
        The model given, or one with a higher floor where the data offer spikes only.
    theta : ndarray of shape (M, d)
        Best first.
    """

    model: object
    theta: np.ndarray


def risk_minimisers(model, rows, divergence, gamma, lower, random, starts=None):
    """Distinct local minimisers of min over alpha in [lower, 1] of H(theta, alpha).

    Parameters
    ----------
    model : WorkingModel
    rows : RowBlocks
    divergence : Divergence
    gamma, lower : float
    random : numpy.random.RandomState
    starts : ndarray of shape (M, d) or None
        Where to start; None asks the model.

    Returns
    -------
    Minimisers
    """

    def risk_on(rows, model=model, multiplier=1.0):
        return ProfileRisk(model, rows, divergence, gamma, lower, multiplier)

    few = rows.subsample(_SEARCH_ROWS)
    if starts is None:
        random = search_random(random, len(rows), model.n_params)
        starts = model.starts(few.rows, few.weight, random)
    # On a part of the rows it is enough to tell the basins apart.
    points = minimise_from(starts, lambda m: risk_on(few, multiplier=m), _accuracy(few is rows))
    if len(points) == 0:
        # Spikes only, so the risk has no minimiser: hold the scales up and trust the starts.
        model = model.with_floor(starts[0])
        starts = np.maximum(starts, model.prior.lower)
        risk = risk_on(few, model)
        order = np.argsort([-risk.height(start) for start in starts], kind="stable")
        return Minimisers(model, starts[order])
    if few is rows:
        return Minimisers(model, points)
    if few.total_weight != rows.total_weight:
        points = points[:_MAX_REFINED]
    refined = minimise_from(points, lambda m: risk_on(rows, multiplier=m))
    return Minimisers(model, refined if len(refined) else points)


def free_minimiser(model, rows, gamma, start, tolerance=1e-4):
    """The minimiser (d,) of the risk with alpha free, not clipped at 1, reached from ``start``.

    It maximises F = log S / gamma - log C / (1 + gamma); where only a spike is reached, ``start``
    is returned.
    """

    def risk_times(multiplier):
        return ProfileRisk(model, rows, PseudoSpherical(), gamma, 0.0, multiplier)

    found = minimise_from(start[None], risk_times, tolerance)
    return found[0] if len(found) else start


def _accuracy(final):
    """Where a climb stops, in nats."""
    return 1e-7 if final else 1e-4


def minimise_from(points, risk_times, tolerance=1e-7):
    """Distinct minimisers reached from points, best first, without those that are spikes.

    Parameters
    ----------
    points : ndarray of shape (M, d)
    risk_times : callable
        multiplier -> ProfileRisk.
    """
    unit = risk_times(1.0)
    multiplier, first = unit.rows.total_weight, None
    if unit.gamma > 0:
        if len(points) == 1:
            # A climb begins with this anyway.
            first = unit.curve(np.maximum(points[0], _guard(unit.model, points[0])))
        heights = np.abs([first.value] if first else [unit.height(point) for point in points])
        height = unit.gamma * np.max(heights[np.isfinite(heights)], initial=0.0)
        multiplier /= max(height, multiplier / _LARGEST_MULTIPLIER)
    risk = risk_times(multiplier)
    if len(points) > 1:
        # Most starts end in the same few basins: only one of each need be climbed to its top.
        points, values, widths = _climbed(risk, points, max(tolerance, _BASIN))
        points = points[distinct(points, values, widths, tolerance=_SAME_BASIN)]
    found, values, _ = _climbed(risk, points, tolerance, first and first.scaled(multiplier))
    return found[distinct(found, values, np.ones_like(found), tolerance=1e-3)]


def _guard(model, point):
    return spike_guard(point, model.prior.lower, model.spiky)


def _climbed(risk, points, tolerance, first=None):
    """Tops (M, d) reached from points that are no spikes, their values (M,) and widths (M, d).

    ``first`` may be the curve at a single point.
    """
    model = risk.model
    found, values, widths = [], [], []
    for point in points:
        guard = _guard(model, point)
        theta, state = maximise(risk.curve, point, guard, tolerance=tolerance, state=first)
        if np.isfinite(state.value) and not np.any(at_floor(theta, guard) & model.spiky):
            found.append(theta)
            values.append(state.value)
            widths.append(1 / np.sqrt(np.maximum(-np.diag(state.hessian), 1e-10)))
    shape = (-1, model.n_params)
    return np.reshape(found, shape), np.array(values), np.reshape(widths, shape)
