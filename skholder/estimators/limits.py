"""How large and how small the numbers of a table may be: the one home of these limits.

Double precision holds numbers between 1e-308 and 1e308, and a fit squares them. Hence

- a column (or the response) whose centre or spread is beyond ``LARGEST``, or whose spread is below
  ``SMALLEST``, is refused: its covariance could not be reported in the user's units;
- a single value further out than ``FURTHEST`` times its column's scale counts as if it were there;
- the weights of all rows sum to ``MOST_WEIGHT`` at most: beyond it, doubles cannot count rows, and
  to ``SMALLEST`` at least;
- ``divergence="kl"``, which trusts every row, takes values up to ``FURTHEST_TRUSTED`` times their
  column's scale: no fit of all rows holds more digits;
- with ``standardize=False`` the computing scale is the user's own. A column whose ordinary values
  are beyond ``LARGEST_PLAIN``, or that lies further from zero than ``FURTHEST_PLAIN`` of its own
  spread, leaves no digits for anything else and is refused, as is one that varies by less than
  ``SMALLEST``, or one of equal values but for some beyond ``LARGEST_ODD``.
"""

from __future__ import annotations

from numbers import Integral

import numpy as np

from ..rows import NORMAL_IQR, weighted_quantiles

__all__ = [
    "FURTHEST",
    "LARGEST",
    "LARGEST_PLAIN",
    "MOST_WEIGHT",
    "SMALLEST",
    "check_columns",
    "check_n_samples",
    "check_plain_columns",
    "check_total_weight",
    "check_trusted",
    "within_reach",
]

#: Sizes of a column's centre and spread.
LARGEST, SMALLEST = 1e152, 1e-152
#: Fourth powers of this, summed over columns, stay finite.
FURTHEST = 1e70
#: The reach of rows that are all trusted: doubles have no more digits.
FURTHEST_TRUSTED = 1e15
#: Whole numbers are exact in double precision up to this one.
MOST_WEIGHT = 2.0**53
#: Sizes of columns, and distances from zero in units of the spread, with ``standardize=False``.
LARGEST_PLAIN, FURTHEST_PLAIN = 1e7, 1e7
#: Sizes of the other values of a column most of whose values are equal, which has no scale.
LARGEST_ODD = 1e12


def within_reach(values):
    """Values on the computing scale, in place, none further out than ``FURTHEST``."""
    return np.clip(values, -FURTHEST, FURTHEST, out=values)


def check_columns(centre, scale, constant, names):
    """Refuse columns whose numbers are beyond what double precision can square.

    Parameters
    ----------
    centre, scale : ndarray of shape (k,)
    constant : ndarray of bool, shape (k,)
        Columns without spread, whose scale means nothing.
    names : sequence, length k
        What to call the columns.

    Raises
    ------
    ValueError
    """
    size = np.maximum(np.abs(centre), np.where(constant, 0.0, scale))
    for j in np.flatnonzero(~(size <= LARGEST)):
        raise ValueError(
            f"{names[j]} has values of size {size[j]:.1e}, beyond {LARGEST:.0e}: their squares "
            "have no room in double precision. Divide it by a constant, or mend its values."
        )
    _check_spread(scale, constant, names)


def check_plain_columns(values, weight, names):
    """Refuse columns (n, k) that ``standardize=False`` cannot compute with as they are.

    Raises
    ------
    ValueError
    """
    low, middle, high = weighted_quantiles(values, weight, [0.25, 0.5, 0.75])
    size = np.maximum(np.abs(low), np.abs(high))
    spread = (high - low) / NORMAL_IQR
    _check_spread(spread, spread == 0, names)
    far = (spread > 0) & (np.abs(middle) > FURTHEST_PLAIN * spread)
    for j in np.flatnonzero(~(size <= LARGEST_PLAIN) | far):
        raise ValueError(
            f"{names[j]} has ordinary values of size {size[j]:.1e} that differ by {spread[j]:.1e}, "
            "with which standardize=False cannot compute: too few digits are left. Centre and "
            "rescale it, or use standardize=True."
        )
    largest = np.maximum(np.max(values, axis=0), -np.min(values, axis=0))
    for j in np.flatnonzero((spread == 0) & (largest > LARGEST_ODD)):
        raise ValueError(
            f"{names[j]} has equal values in most rows, and one of size {largest[j]:.1e}, with "
            "which standardize=False cannot compute. Mend it, or use standardize=True."
        )


def check_trusted(rows):
    """Refuse rows (n, k) on the computing scale that no fit of all of them can hold.

    Raises
    ------
    ValueError
    """
    furthest = np.max(np.abs(rows), initial=0.0)
    if furthest > FURTHEST_TRUSTED:
        raise ValueError(
            f"divergence='kl' trusts every row, but a value lies {furthest:.1e} times its column's "
            f"scale out, more than {FURTHEST_TRUSTED:.0e}. Mend it, or use another divergence."
        )


def check_total_weight(weight):
    """Refuse weights (n,) that sum to more rows than doubles can count, or to next to nothing.

    Raises
    ------
    ValueError
    """
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not total <= MOST_WEIGHT:
        raise ValueError(
            f"sample_weight sums to {total:.1e}: a weight of 2 equals the row written twice, and "
            f"more than {MOST_WEIGHT:.1e} rows cannot be counted in double precision. Divide the "
            "weights by a constant."
        )
    if 0 < total < SMALLEST:
        raise ValueError(
            f"sample_weight sums to {total:.1e}, less than {SMALLEST:.0e}, where double precision "
            "loses its digits. Multiply the weights by a constant."
        )


def check_n_samples(n_samples):
    """Refuse what is no number of draws.

    Raises
    ------
    ValueError
    """
    if not (isinstance(n_samples, Integral) and n_samples >= 0):
        raise ValueError(f"n_samples must be a whole number, 0 or more, got {n_samples!r}.")


def _check_spread(spread, constant, names):
    for j in np.flatnonzero(~constant & (spread < SMALLEST)):
        raise ValueError(
            f"{names[j]} varies by {spread[j]:.1e} only, less than {SMALLEST:.0e}: the square of "
            "that has no room in double precision. Multiply it by a constant, or leave it out."
        )
