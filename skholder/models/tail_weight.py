"""Student's t with as heavy tails as the rows show that a normal fit keeps."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtrit

from .noise import NormalNoise, RadialNoise, StudentTNoise

__all__ = ["kept_kurtosis", "noise_of_kurtosis"]

# Tails beyond Student's with 2 degrees of freedom leave no row that is surely an outlier.
_LEAST_DF = 2.0
# With more degrees of freedom than this, Student's t is as good as normal.
_MOST_DF = 100.0
# Cells of equal probability that stand for the law of the residuals.
_CELLS = 4000


def kept_kurtosis(df: float, power: float) -> float:
    """Excess kurtosis that a robust normal fit sees in rows of Student's t.

    A normal fit of power g gives a residual r the weight ``exp(-g r^2 / (2 s^2))``, s the scale at
    which the weighted mean of ``v^2 = (1 + g) r^2 / s^2`` is 1. The weighted mean of
    ``(v^4 - 6 v^2 + 3) (1 + g)^2`` is the excess kurtosis of normal-like rows, whatever the
    outliers are; heavier tails get too little weight to show in full.

    Parameters
    ----------
    df : float
        Degrees of freedom of the rows' law.
    power : float
        The power g > 0.
    """
    half = (np.arange(_CELLS) + 0.5) / _CELLS
    square = stdtrit(df, 0.5 * (1 + half)) ** 2

    def weighted(log_scale):
        ratio = square * np.exp(-2 * log_scale)
        mass = np.exp(-0.5 * power * ratio)
        return (1 + power) * ratio, mass / mass.sum()

    def excess(log_scale):
        v2, mass = weighted(log_scale)
        return mass @ v2 - 1

    v2, mass = weighted(brentq(excess, -4.0, 4.0))
    return float((mass @ v2**2 - 3) * (1 + power) ** 2)


def noise_of_kurtosis(kurtosis: float, power: float) -> RadialNoise:
    """The law whose rows a normal fit of that power would see with that excess kurtosis.

    Parameters
    ----------
    kurtosis : float
        As by :func:`kept_kurtosis`; 0 or less is normal.
    power : float

    Returns
    -------
    NormalNoise or StudentTNoise
    """
    if kurtosis <= kept_kurtosis(_MOST_DF, power):
        return NormalNoise()
    if kurtosis >= kept_kurtosis(_LEAST_DF, power):
        return StudentTNoise(_LEAST_DF)
    inverse = brentq(
        lambda t: kept_kurtosis(1 / t, power) - kurtosis, 1 / _MOST_DF, 1 / _LEAST_DF, xtol=1e-4
    )
    return StudentTNoise(1 / inverse)
