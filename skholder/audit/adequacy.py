"""Does the model describe the rows it keeps? A few numbers, each with its error and a limit.

All numbers are moments under the weights k_i = w_i p_i^g of one theta. If the model holds for the
rows it keeps, the standardised residual v = u sqrt(1 + g) is standard normal under these weights,
whatever the outliers are, so that its Hermite moments vanish. The third and the fourth one, divided
by (1 + g)^(-3/2) and (1 + g)^-2, are the skewness and the excess kurtosis of the inliers.

A check complains where its number is beyond a limit *and* beyond its error: small tables are
excused by the error, large ones by the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import chdtri, ndtr, ndtri

from ..posterior import efficient_gamma
from ..rows import NORMAL_IQR
from .tails import CERTAIN
from .wording import percent

__all__ = ["Adequacy", "AdequacyCheck", "has_tails", "judge_adequacy", "kept_power"]

# Two-sided error of a check on a model that holds, shared by the comparisons in it.
_FALSE_ALARM = 0.002
_LIMITS = {
    "skewness": 0.5,
    "heavy": 0.6,
    "flat": 1.0,
    "joint": 0.5,
    "bend": 0.25,
    "spread": 0.15,
    "group": 1 / 3,
    "uniform": 0.1,
}
# Where all rows together decide, each side of them need only agree, at a one-sided 5%.
_ONE_SIDED = 1.645
# The two stretches, in standard deviations, whose excess of rows tells a tail, which thins out,
# from a group of outliers, which does not.
_NEAR, _BEYOND = (2.0, 2.5), (3.0, 3.5)
# Covariates count at most this many robust standard deviations from their middle.
_CAP = 3.0
# The share of outliers that is as good as the limit max_contamination.
_AT_LIMIT = 0.94
# A second group is one if it is at most this much as spread out as the first, in variance.
_COMPACT, _LEAST_GROUP = 3.0, 0.05
_MOST_NAMES = 4
# Rows with a larger tail probability than this are compared with the uniform distribution.
_KEPT_TAIL = 0.2


@dataclass(frozen=True)
class AdequacyCheck:
    """One number about the rows that the model keeps.

    Attributes
    ----------
    name : str
    where : str
        The column it is about.
    size, error, limit : float
    status : {"ok", "note", "wrong"}
    words : str
        What it means where it is not well.
    """

    name: str
    where: str
    size: float
    error: float
    limit: float
    status: str
    words: str


@dataclass(frozen=True, repr=False)
class Adequacy:
    """Whether the model describes the rows it keeps.

    Attributes
    ----------
    model : str
        What the model is called.
    checks : tuple of AdequacyCheck
    """

    model: str
    checks: tuple[AdequacyCheck, ...]

    @property
    def verdict(self) -> str:
        """``"right"``, ``"doubtful"`` or ``"wrong"``."""
        found = {check.status for check in self.checks}
        return "wrong" if "wrong" in found else "doubtful" if "note" in found else "right"

    @property
    def reasons(self) -> tuple[str, ...]:
        """What speaks against the model, worst first, as a tuple of texts."""
        return tuple(
            check.words
            for status in ("wrong", "note")
            for check in self.checks
            if check.status == status
        )

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.verdict == "right":
            return "Nothing speaks against the model for the rows it keeps."
        why = "; ".join(self.reasons)
        if self.verdict == "wrong":
            return (
                f"A {self.model} does not describe these rows ({why}): "
                "the flags below are mostly its shape."
            )
        return f"A {self.model} describes these rows only roughly ({why})."

    def __repr__(self) -> str:
        return f"Adequacy({self.verdict}: {self.sentence})"


def judge_adequacy(model, rows, values, shape, names, words, limit):
    """The :class:`Adequacy` of a fit.

    Parameters
    ----------
    model : WorkingModel
    rows : RowBlocks
    values : InfluenceValues
        At the risk minimiser.
    shape : Shape or None
        None for a model that is not normal, of which only the tail probabilities are compared.
    names : sequence of str
        Of the columns of X.
    words : str
        The model in words.
    limit : float
        max_contamination.

    Returns
    -------
    Adequacy
    """
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    if shape is None:
        checks = [_uniform(model, rows, values, weight)]
    else:
        checks = _normal_checks(model, shape, values.gamma, weight, names)
    checks.append(_limit(values, limit))
    return Adequacy(words, tuple(checks))


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
    kept = _Kept.of(shape, gamma, k, weight)
    return kept is not None and any(check.status == "note" for check in kept.tails(names))


@dataclass(frozen=True)
class _Kept:
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


def _normal_checks(model, shape, gamma, weight, names):
    k = model.n_modelled
    kept = _Kept.of(shape, gamma, k, weight)
    if kept is None:
        return []
    if shape.design is not None:
        patterns = _pattern_checks(kept.mass, kept.v, kept.tau, shape.design, names)
        return kept.tails(names) + patterns
    return kept.tails(names) + _second_group(shape, kept.far, weight, k)


def _moment(mass, values, unit):
    """Weighted means of values (n, m) over a unit, with their errors, both (m,)."""
    total = mass.sum()
    return mass @ values / total / unit, np.sqrt((mass**2) @ values**2) / total / unit


def _exceeds(size, error, limit):
    """Which sizes (m,) are beyond the limit and surely not nought."""
    z = -ndtri(0.5 * _FALSE_ALARM / max(np.size(size), 1))
    return (np.abs(size) > limit) & (np.abs(size) > z * error)


def _named(names, sizes, off):
    """``: AveOccup, Population and 3 more``, the largest first; nothing for a single column."""
    if len(names) == 1:
        return ""
    hit = [names[j] for j in np.argsort(-np.abs(sizes), kind="stable") if off[j]]
    more = f" and {len(hit) - _MOST_NAMES} more" if len(hit) > _MOST_NAMES else ""
    return f": {', '.join(hit[:_MOST_NAMES])}{more}"


def _worst(size, error):
    return int(np.argmax(np.abs(size) - 3 * error))


def _thins_out(weight, columns):
    """Whether the rows too many above a normal's (n, m) become fewer further out, (m,)."""

    def excess(low, high):
        inside = weight @ ((columns > low) & (columns <= high))
        return inside - weight.sum() * (ndtr(high) - ndtr(low))

    return excess(*_NEAR) > excess(*_BEYOND)


def _shape_checks(mass, v, tau, names, thins):
    """Skewness and kurtosis of standardised columns v (n, m), whose sides thin out or not."""
    who = names[0] if len(names) == 1 else "columns"
    skew, error = _moment(mass, v**3 - 3 * v, tau**3)
    off = _exceeds(skew, error, _LIMITS["skewness"])
    at = _worst(skew, error)
    text = f"{who} are skewed" if len(names) == 1 else f"skewed{_named(names, skew, off)}"
    checks = [
        AdequacyCheck(
            "skewness",
            names[at],
            float(skew[at]),
            float(error[at]),
            _LIMITS["skewness"],
            "wrong" if np.any(off) else "ok",
            text,
        )
    ]
    fourth = v**4 - 6 * v**2 + 3
    size, error = _moment(mass, fourth, tau**4)
    limit = _LIMITS["heavy"]
    sides = [_moment(mass, 2 * fourth * side, tau**4) for side in (v < 0, v > 0)]
    long = np.array([(side > limit) & (side > _ONE_SIDED * its) for side, its in sides])
    # Heavy tails are heavy on both sides, or thin out; a group of outliers does neither.
    both = np.all(long, axis=0)
    heavy = _exceeds(size, error, limit) & (size > 0) & (both | np.any(long & thins, axis=0))
    flat = _exceeds(size, error, _LIMITS["flat"]) & (size < 0)
    at = _worst(size, error)
    what = "flatter than normal, as two groups or a bounded range are"
    if not np.any(flat):
        tails = "tails" if np.all(both[heavy]) else "a tail on one side"
        what = f"{tails} heavier than normal, to which many flags belong"
    hit = flat if np.any(flat) else heavy
    text = f"{who}: {what}" if len(names) == 1 else f"{what}{_named(names, size, hit)}"
    status = "wrong" if np.any(flat) else "note" if np.any(heavy) else "ok"
    limit = _LIMITS["heavy" if size[at] > 0 else "flat"]
    checks.append(
        AdequacyCheck("tails", names[at], float(size[at]), float(error[at]), limit, status, text)
    )
    return checks


def _joint(mass, squared, tau, k):
    """The distance's own kurtosis, by the second Laguerre polynomial of half its square."""
    x, half = 0.5 * squared, 0.5 * k
    poly = half * (half + 1) / 2 - (half + 1) * x + x**2 / 2
    size, error = _moment(mass, 3 * poly[:, None], k * (k + 2) / 8 * tau**4)
    off = bool(_exceeds(size, error, _LIMITS["joint"])[0])
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
        _LIMITS["joint"],
        status,
        words,
    )


def _second_group(shape, far, weight, k):
    """Rows that cannot be inliers, as close together as inliers are."""
    share = float(weight[far].sum() / weight.sum())
    if np.sum(far) <= 5 or share <= _LEAST_GROUP:
        return []
    group = shape.whitened[far]
    own = np.sum((group - np.median(group, axis=0)) ** 2, axis=1)
    spread = float(np.median(own) / chdtri(k, 0.5))
    status = "wrong" if spread < _COMPACT and share > _LIMITS["group"] else "ok"
    error = float(np.sqrt(share * (1 - share) / weight.sum()))
    words = f"{percent(share)} of the rows form a second group of their own"
    return [AdequacyCheck("second group", "rows", share, error, _LIMITS["group"], status, words)]


def _pattern_checks(mass, v, tau, design, names):
    """Curvature and changing spread against the prediction's own covariates."""
    telling = np.array([len(np.unique(column[:1000])) > 2 for column in design.T])
    shown = design[:, telling]
    if shown.shape[1] == 0:
        return []
    offset = design.shape[1] - len(names)
    labels = [names[j - offset] for j in np.flatnonzero(telling)]
    standard = _standardised(shown)
    weighted = design * mass[:, None]
    square = standard**2
    # Squares off the span of the design, in the metric of the weights.
    square = (
        square - design @ np.linalg.lstsq(weighted.T @ design, weighted.T @ square, rcond=1e-10)[0]
    )
    bend = _pattern(mass, v * square, square, tau)
    centred = standard - mass @ standard / mass.sum()
    spread = _pattern(mass, (v * v - 1) * centred, standard, 2 * tau**2)
    checks = []
    for name, (size, error) in (("bend", bend), ("spread", spread)):
        off, at = _exceeds(size, error, _LIMITS[name]), _worst(size, error)
        words = f"the relation to {labels[at]} is curved"
        if name == "spread":
            how = "grows" if size[at] > 0 else "shrinks"
            words = f"the spread of the residuals {how} with {labels[at]}"
        checks.append(
            AdequacyCheck(
                name,
                labels[at],
                float(size[at]),
                float(error[at]),
                _LIMITS[name],
                "wrong" if np.any(off) else "ok",
                words,
            )
        )
    return checks


def _pattern(mass, values, base, unit):
    """Moments of values in units of the weighted standard deviation of their base, (m,) each."""
    centred = base - mass @ base / mass.sum()
    sd = np.sqrt(mass @ centred**2 / mass.sum())
    return _moment(mass, values / np.where(sd > 1e-3, sd, np.inf), unit)


def _standardised(X):
    low, middle, high = np.quantile(X, [0.25, 0.5, 0.75], axis=0)
    scale = (high - low) / NORMAL_IQR
    scale = np.where(scale > 0, scale, X.std(axis=0) + 1e-300)
    return np.clip((X - middle) / scale, -_CAP, _CAP)


def _uniform(model, rows, values, weight):
    """Tail probabilities of the rows it keeps, which are uniform if the model holds.

    Outliers have small ones: above a fifth hardly any is left, so that is where the distribution
    is compared.
    """
    theta = values.theta[None]
    tails = np.concatenate([model.tail(theta, block)[:, 0] for block, _ in rows])
    kept = tails > _KEPT_TAIL
    total = weight[kept].sum()
    order = np.argsort(tails[kept], kind="stable")
    ordered = tails[kept][order]
    reached = np.cumsum(weight[kept][order]) / max(total, 1e-300)
    # Counts share their tail probabilities: there P(t <= t_j) = t_j holds at the values alone.
    last = np.append(np.diff(ordered) > 1e-12, True)[: len(ordered)]
    start = np.max(tails[~kept], initial=0.0)
    expected = (ordered - start) / (1 - start)
    size = np.max(np.abs(reached - expected)[last], initial=0.0)
    # The 99.8% quantile of Kolmogorov's distribution is about 3.1 of these.
    error = 0.61 / np.sqrt(max(total, 1.0))
    return AdequacyCheck(
        "uniform tails",
        "rows",
        float(size),
        float(error),
        _LIMITS["uniform"],
        "wrong" if _exceeds(size, error, _LIMITS["uniform"]) else "ok",
        "the rows it keeps are spread otherwise than it says",
    )


def _limit(values, limit):
    """The share of outliers against the largest that is allowed."""
    share = 1 - values.rho
    status = "wrong" if share >= _AT_LIMIT * limit else "ok"
    words = f"{percent(min(share, 1.0))} of the rows would have to be outliers"
    error = float(np.sqrt(values.rho_variance))
    return AdequacyCheck("limit", "rows", float(share), error, float(limit), status, words)
