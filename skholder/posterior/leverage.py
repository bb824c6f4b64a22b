"""Design weights: rows far out in the covariates held back, where they would tilt the fit.

The risk lets a cluster of bad leverage points tilt the plane, which is cheaper for it than calling
them outliers. With d_i the robust distance of row i's covariates, design weights

    v_i = min(1, (q / d_i^2)^2)        q the 97.5% quantile of d^2 for a normal design

keep far rows from doing that. They cost efficiency where far rows are good, so they are used only
where they are needed: two fits at a small power, with and without them, must disagree about a far
row, which one finds ordinary (t > 0.01) and the other impossible (n t < 0.05). Far rows that the
guarded fit finds likely get their full weight back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from ..divergences import PseudoSpherical
from ..models.starts import robust_distances
from ..rows import RowBlocks, quantile_rows
from .collapsed import ProfileRisk
from .dominance import dominant_mode
from .influence_values import influence_values
from .minimisers import minimise_from
from .search import search_random

__all__ = ["design_weights"]

# The decision is made at this power, on at most this many rows.
_GAMMA, _FEW_ROWS = 0.3, 2000
_IMPOSSIBLE, _ORDINARY, _LIKELY = 0.05, 0.01, 0.05
_NORMAL_MAD = 0.6745
# Rows less far out than this, and fewer than this share, are not looked at more closely.
_FAR, _MANY = 2.5, 0.06


def design_weights(model, rows, *, always, random):
    """Factors (n,) in (0, 1] for the rows of a linear model, or None where none are needed.

    Parameters
    ----------
    model : LinearModel
    rows : RowBlocks
        Design and response on the computing scale.
    always : bool
        Hold all far rows back, whether or not they do harm.
    random : numpy.random.RandomState
    """
    random = search_random(random, len(rows), model.n_params)
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    found = robust_distances(rows.rows[:, :-1], weight, random)
    factor = np.maximum(found.excess, 1.0) ** -2.0
    # No row may vanish: sums of weights stay positive.
    factor = np.maximum(factor, 1e-12)
    far = factor < 1
    if not np.any(far):
        return None
    if always:
        return factor
    # A few rows a little way out cannot tilt a plane, nor those that any large design has.
    if found.excess.max() < max(_FAR, found.by_chance) and weight @ far < _MANY * weight.sum():
        return None
    trusting = _judgement(model, rows, weight, None, (), random)
    guarded = _judgement(model, rows, weight, factor, (trusting.theta,), random)
    hidden = far & (weight.sum() * guarded.tails < _IMPOSSIBLE) & (trusting.tails > _ORDINARY)
    if not np.any(hidden):
        return None
    return np.where(guarded.tails < _LIKELY, factor, 1.0)


@dataclass(frozen=True)
class _Judgement:
    """A quick fit (d,) and the tail probability (n,) of every row as if it were new."""

    theta: np.ndarray
    tails: np.ndarray


def _judgement(model, rows, weight, factor, extra, random):
    """Fit at the small power and judge all rows by it.

    The residual of a new row is compared with a t distribution, whose degrees of freedom are the
    rows that carry the fit less the coefficients, and with a scale no smaller than the median
    residual says: a few rows fitted exactly are no proof.
    """
    held = rows if factor is None else RowBlocks(rows.rows, weight * factor)
    few = held.subsample(_FEW_ROWS)

    def risk_times(multiplier):
        return ProfileRisk(model, few, PseudoSpherical(), _GAMMA, 0.0, multiplier)

    starts = np.vstack([model.starts(few.rows, few.weight, random), *extra])
    points = minimise_from(starts, risk_times, tolerance=1e-6)
    values = dominant_mode(model, few, _GAMMA, points, 0.5)
    if values is None:
        values = influence_values(model, few, starts[0], _GAMMA)
    theta = values.theta
    design, residual = rows.rows[:, :-1], rows.rows[:, -1] - rows.rows[:, :-1] @ theta[:-1]
    sigma = np.exp(theta[-1])
    mass = np.ones(len(rows)) if held.weight is None else held.weight
    carried = mass * np.exp(-0.5 * _GAMMA * np.minimum((residual / sigma) ** 2, 1e4))
    n_carrying = carried.sum() ** 2 / (carried @ carried)
    freedom = max(n_carrying - model.n_coef, 1.0)
    inflation = max(n_carrying / freedom, 1.0)
    size = np.abs(residual)
    order = np.argsort(size, kind="stable")
    middle = size[order][quantile_rows(mass[order], [0.5])[0]] / _NORMAL_MAD
    spread = values.covariance[:-1, :-1] * (few.total_weight / held.total_weight)
    variance = max(sigma, middle) ** 2 + np.sum((design @ spread) * design, axis=1)
    tails = 2 * stdtr(freedom, -size / np.sqrt(inflation * np.maximum(variance, 1e-300)))
    return _Judgement(theta, tails)
