"""The rows that a normal model keeps: are their tails those of a normal, and are they one group?

All numbers are moments under the weights k_i = w_i p_i^g of one theta. If the model holds for the
rows it keeps, the standardised residual v = u sqrt(1 + g) is standard normal under these weights,
whatever the outliers are, so that its Hermite moments vanish. The third and the fourth one, divided
by (1 + g)^(-3/2) and (1 + g)^-2, are the skewness and the excess kurtosis of the inliers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtri, ndtr

from ..posterior import efficient_gamma
from .adequacy_check import LIMITS, AdequacyCheck, exceeds, moment, named, worst
from .tails import CERTAIN
from .wording import percent

__all__ = ["KeptRows", "has_tails", "kept_power", "second_group"]

# Where all rows together decide, each side of them need only agree, at a one-sided 5%.
_ONE_SIDED = 1.645
# The two stretches, in standard deviations, whose excess of rows tells a tail, which thins out,
# from a group of outliers, which does not.
_NEAR, _BEYOND = (2.0, 2.5), (3.0, 3.5)
# A second group is one if it is at most this much as spread out as the first, in variance.
_COMPACT, _LEAST_GROUP = 3.0, 0.05


def kept_power(gamma, k):
    """The power g of the weights p^g: the fit's own where that keeps outliers of k columns out."""
    return max(gamma, efficient_gamma(k))


def has_tails(shape, gamma, k, weight, names):
    """Whether rows that a normal fit of power gamma keeps have heavier tails than normal.

    Parameters
    ----------
    shape : Shape
        Of the rows at the fit.
    gamma : float
    k : int
        Columns that the model is a law of.
    weight : ndarray of shape (n,)
    names : sequence of str
        Of the columns of X.
    """
    kept = KeptRows.of(shape, gamma, k, weight)
    return kept is not None and any(check.status == "note" for check in kept.tails(names))


@dataclass(frozen=True)
class KeptRows:
    """Rows seen by the weights p^g.

    Attributes
    ----------
    shape : Shape
    k : int
    far : ndarray of bool, shape (n,)
        Rows that cannot be inliers, which have no weight.
    mass : ndarray of shape (n,)
    tau : float
        Standard deviation of an inlier's residual under these weights.
    v : ndarray of shape (n, m)
        Residuals in units of that.
    thins : list of ndarray of bool, shape (m,)
        Whether the lower and the upper side thin out.
    """

    shape: Any
    k: int
    far: np.ndarray
    mass: np.ndarray
    tau: float
    v: np.ndarray
    thins: list

    @classmethod
    def of(cls, shape, gamma, k, weight):
        """None where every row is far out: none is kept, and there is nothing to say of them."""
        power = kept_power(gamma, k)
        far = shape.squared > chdtri(k, min(CERTAIN / weight.sum(), 0.5))
        mass = np.where(far, 0.0, weight * np.exp(-0.5 * power * np.where(far, 0.0, shape.squared)))
        if not np.any(mass):
            return None
        tau = (1 + power) ** -0.5
        v = np.where(far[:, None], 0.0, shape.columns) / tau
        thins = [_thins_out(weight, side * shape.columns) for side in (-1, 1)]
        return cls(shape, k, far, mass, tau, v, thins)

    def tails(self, names):
        """The checks of skewness and tails."""
        if self.shape.design is not None:
            return _shape_checks(self.mass, self.v, self.tau, ("the residuals",), self.thins)
        squared = np.where(self.far, 0.0, self.shape.squared) / self.tau**2
        checks = _shape_checks(self.mass, self.v, self.tau, names, self.thins)
        return [*checks, _joint(self.mass, squared, self.tau, self.k)]


def _thins_out(weight, columns):
    """Whether the rows too many above a normal's (n, m) become fewer further out, (m,)."""

    def excess(low, high):
        inside = weight @ ((columns > low) & (columns <= high))
        return inside - weight.sum() * (ndtr(high) - ndtr(low))

    return excess(*_NEAR) > excess(*_BEYOND)


def _shape_checks(mass, v, tau, names, thins):
    """Skewness and kurtosis of standardised columns v (n, m), whose sides thin out or not."""
    who = names[0] if len(names) == 1 else "columns"
    # Products: a power of three takes NumPy many times as long as two of them.
    square = v * v
    skew, error = moment(mass, (square - 3) * v, tau**3)
    off = exceeds(skew, error, LIMITS["skewness"])
    at = worst(skew, error)
    text = f"{who} are skewed" if len(names) == 1 else f"skewed{named(names, skew, off)}"
    checks = [
        AdequacyCheck(
            "skewness",
            names[at],
            float(skew[at]),
            float(error[at]),
            LIMITS["skewness"],
            "wrong" if np.any(off) else "ok",
            text,
        )
    ]
    fourth = (square - 6) * square + 3
    size, error = moment(mass, fourth, tau**4)
    limit = LIMITS["heavy"]
    sides = [moment(mass, 2 * fourth * side, tau**4) for side in (v < 0, v > 0)]
    long = np.array([(side > limit) & (side > _ONE_SIDED * its) for side, its in sides])
    # Heavy tails are heavy on both sides, or thin out; a group of outliers does neither.
    both = np.all(long, axis=0)
    heavy = exceeds(size, error, limit) & (size > 0) & (both | np.any(long & thins, axis=0))
    flat = exceeds(size, error, LIMITS["flat"]) & (size < 0)
    at = worst(size, error)
    what = "flatter than normal, as two groups or a bounded range are"
    if not np.any(flat):
        tails = "tails" if np.all(both[heavy]) else "a tail on one side"
        what = f"{tails} heavier than normal, to which many flags belong"
    hit = flat if np.any(flat) else heavy
    text = f"{who}: {what}" if len(names) == 1 else f"{what}{named(names, size, hit)}"
    status = "wrong" if np.any(flat) else "note" if np.any(heavy) else "ok"
    limit = LIMITS["heavy" if size[at] > 0 else "flat"]
    checks.append(
        AdequacyCheck("tails", names[at], float(size[at]), float(error[at]), limit, status, text)
    )
    return checks


def _joint(mass, squared, tau, k):
    """The distance's own kurtosis, by the second Laguerre polynomial of half its square."""
    x, half = 0.5 * squared, 0.5 * k
    poly = half * (half + 1) / 2 - (half + 1) * x + x**2 / 2
    size, error = moment(mass, 3 * poly[:, None], k * (k + 2) / 8 * tau**4)
    off = bool(exceeds(size, error, LIMITS["joint"])[0])
    several = size[0] < 0
    words = "the columns together have tails heavier than normal, to which many flags belong"
    if several:
        words = "the columns together form several groups"
    status = ("wrong" if several else "note") if off else "ok"
    return AdequacyCheck(
        "joint tails",
        "all columns",
        float(size[0]),
        float(error[0]),
        LIMITS["joint"],
        status,
        words,
    )


def second_group(shape, far, weight, k):
    """Rows that cannot be inliers, as close together as inliers are."""
    share = float(weight[far].sum() / weight.sum())
    if np.sum(far) <= 5 or share <= _LEAST_GROUP:
        return []
    group = shape.whitened[far]
    own = np.sum((group - np.median(group, axis=0)) ** 2, axis=1)
    spread = float(np.median(own) / chdtri(k, 0.5))
    status = "wrong" if spread < _COMPACT and share > LIMITS["group"] else "ok"
    error = float(np.sqrt(share * (1 - share) / weight.sum()))
    words = f"{percent(share)} of the rows form a second group of their own"
    return [AdequacyCheck("second group", "rows", share, error, LIMITS["group"], status, words)]
