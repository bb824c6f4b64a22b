"""K-hat, the estimated number of rows outside the model, and its error, from sums over rows.

Outliers that overlap the good rows pull K-hat down. Where a fit at twice the power counts more or
fewer rows than chance allows, by D, K-hat moves there by lambda D, lambda = max(0, 1 - 4 Var D /
D^2), and half of that step is added to its error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..posterior import InfluenceFunction, free_minimiser
from ..rows import RowBlocks
from .tails import CERTAIN

__all__ = ["BAND", "NEAR", "RowTally", "count_estimate", "doubled_power"]

# Rows with n t between CERTAIN and this are counted against their Poisson law.
BAND = 3.0
# Rows with n t between CERTAIN and this may be stragglers of gross outliers.
NEAR = 1.0
# Smallest standard deviation of K-hat that is believed.
_LEAST_SD = 0.05
# A count at twice the power is believed from so many standard deviations on, and only if it is of
# the same fit: no parameter has moved by more than so many standard deviations.
_SURELY, _SAME_FIT = 2.0, 20.0


@dataclass(frozen=True)
class RowTally:
    """What a count needs to know of the rows, as sums that blocks of rows can share.

    Attributes
    ----------
    total, certain, near, band : float
        Weight of all rows, of those that cannot be inliers (n t < 0.05), of those next to them
        (n t < 1) and of those that are counted against their Poisson law (n t < 3).
    first, second : float
        Weighted sums of b + z and of its square, z = 1 for rows that cannot be inliers.
    shift, cross, square : float
        Weighted sums of d, (b + z) d and d^2, d what twice the power adds to b.
    least : float
        The smallest n t.
    """

    total: float
    certain: float
    near: float
    band: float
    first: float
    second: float
    shift: float
    cross: float
    square: float
    least: float

    @classmethod
    def of(cls, b, weight, tails, table_weight, beyond=None):
        """Of rows with influence b, weight and tail probability (m,), in a table of that weight.

        ``beyond`` is their influence at twice the power.
        """
        added = np.zeros_like(b) if beyond is None else beyond - b
        expected = table_weight * tails
        is_certain = expected < CERTAIN
        noise = b + is_certain
        return cls(
            total=float(weight.sum()),
            certain=float(weight @ is_certain),
            near=float(weight @ (~is_certain & (expected < NEAR))),
            band=float(weight @ (~is_certain & (expected < BAND))),
            first=float(weight @ noise),
            second=float(weight @ noise**2),
            shift=float(weight @ added),
            cross=float(weight @ (noise * added)),
            square=float(weight @ added**2),
            least=float(np.min(expected[weight > 0], initial=np.inf)),
        )

    def __add__(self, other):
        sums = {
            name: getattr(self, name) + getattr(other, name)
            for name in vars(self)
            if name != "least"
        }
        return RowTally(**sums, least=min(self.least, other.least))

    def sd(self, step):
        """Standard deviation of K-hat, moved by this part of the way to that of twice the power."""
        mean = self.certain / self.total
        first = self.first + step * self.shift
        second = self.second + 2 * step * self.cross + step**2 * self.square
        variance = second - 2 * mean * first + mean**2 * self.total
        return max(np.sqrt(max(variance, 0.0)), _LEAST_SD)


def doubled_power(model, rows, values, design_weight=None):
    """The influence function at the minimiser for twice the power; None where there is none."""
    fitted = rows
    if design_weight is not None:
        fitted = RowBlocks(rows.rows, design_weight * (1.0 if rows.weight is None else rows.weight))
    gamma = 2 * values.gamma
    theta = free_minimiser(model, fitted, gamma, values.theta)
    found = InfluenceFunction.at(
        model, rows, theta, gamma, None if design_weight is None else fitted
    )
    # A far step has left the fit for another one.
    sd = np.sqrt(np.diag(values.covariance))
    near = np.all(np.abs(theta - values.theta) < _SAME_FIT * np.maximum(sd, 0.02))
    return found if near and np.isfinite(found.log_det_curvature) else None


def count_estimate(model, values, tally, beyond):
    """K-hat and its standard deviation."""

    def estimate(fit):
        return tally.total * (1 - fit.rho) - model.count_bias(fit.gamma)

    if beyond is None:
        return estimate(values), tally.sd(0.0)
    distance = estimate(beyond) - estimate(values)
    step = max(0.0, 1 - _SURELY**2 * tally.square / max(distance**2, 1e-300))
    return estimate(values) + step * distance, np.hypot(tally.sd(step), step * distance / 2)
