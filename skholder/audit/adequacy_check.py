"""One number about the rows that a model keeps, with its error and a limit.

A check complains where its number is beyond a limit *and* beyond its error: small tables are
excused by the error, large ones by the limit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

__all__ = ["LIMITS", "AdequacyCheck", "exceeds", "moment", "named", "worst"]

# Two-sided error of a check on a model that holds, shared by the comparisons in it.
_FALSE_ALARM = 0.002
#: Sizes beyond which a check complains, by what it looks at.
LIMITS = {
    "skewness": 0.5,
    "heavy": 0.6,
    "flat": 1.0,
    "joint": 0.5,
    "bend": 0.25,
    "spread": 0.15,
    "group": 1 / 3,
    "uniform": 0.1,
    "spike": 0.2,
}
_MOST_NAMES = 4


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


def moment(mass, values, unit):
    """Weighted means of values (n, m) over a unit, with their errors, both (m,)."""
    total = mass.sum()
    return mass @ values / total / unit, np.sqrt((mass**2) @ values**2) / total / unit


def exceeds(size, error, limit):
    """Which sizes (m,) are beyond the limit and surely not nought."""
    z = -ndtri(0.5 * _FALSE_ALARM / max(np.size(size), 1))
    return (np.abs(size) > limit) & (np.abs(size) > z * error)


def named(names, sizes, off):
    """``: AveOccup, Population and 3 more``, the largest first; nothing for a single column."""
    if len(names) == 1:
        return ""
    hit = [names[j] for j in np.argsort(-np.abs(sizes), kind="stable") if off[j]]
    more = f" and {len(hit) - _MOST_NAMES} more" if len(hit) > _MOST_NAMES else ""
    return f": {', '.join(hit[:_MOST_NAMES])}{more}"


def worst(size, error):
    return int(np.argmax(np.abs(size) - 3 * error))
