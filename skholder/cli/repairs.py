"""What would make a flagged row fit: a digit less, another unit, two cells in each other's place.

A suggestion and no more: with some fifty changes to choose from, a row that is wrong in another way
may fit after one of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
from scipy.stats import chi2, norm

__all__ = ["column_repairs", "repairs_in_words", "target_repairs"]

# A row that fits is in the middle part of the model of this probability.
_ORDINARY = 0.99
_SHOWN = 3
# A change of a response by less than so many standard deviations may land in the middle by chance.
_TELLING = 10.0
_POUND, _INCH = 0.45359237, 2.54
# What may have happened to a value, undone.
_CHANGES = (
    ("divided by 10", lambda x: x / 10),
    ("times 10", lambda x: x * 10),
    ("divided by 100", lambda x: x / 100),
    ("times 100", lambda x: x * 100),
    ("divided by 1000", lambda x: x / 1000),
    ("times 1000", lambda x: x * 1000),
    ("with the other sign", lambda x: -x),
    ("divided by 2.2046 (pounds for kilograms?)", lambda x: x * _POUND),
    ("times 2.2046 (kilograms for pounds?)", lambda x: x / _POUND),
    ("divided by 2.54 (centimetres for inches?)", lambda x: x / _INCH),
    ("times 2.54 (inches for centimetres?)", lambda x: x * _INCH),
    ("turned to Celsius (Fahrenheit?)", lambda x: (x - 32) / 1.8),
    ("turned to Fahrenheit (Celsius?)", lambda x: 1.8 * x + 32),
)


def column_repairs(X, names, suspects, location, covariance):
    """The change of one column, or of two in each other's place, that makes each row ordinary.

    Parameters
    ----------
    X : ndarray of shape (m, k)
        Rows that do not follow a normal density.
    names : sequence of str
    suspects : ndarray of int, shape (m, t)
        The columns that cost each row most; others are not changed.
    location : ndarray of shape (k,)
    covariance : ndarray of shape (k, k)

    Returns
    -------
    list of str
        Of length m; empty where no change does.
    """
    # Columns may be copies of each other.
    precision = np.linalg.pinv(covariance, hermitian=True)
    limit = chi2.ppf(_ORDINARY, X.shape[1])
    fitting = []
    for row, columns in zip(X, suspects.tolist(), strict=True):
        words, changed = _candidates(row, columns, names)
        gap = changed - location
        distance = np.sum(gap @ precision * gap, axis=1)
        fitting.append({words[j]: distance[j] for j in np.flatnonzero(distance <= limit)})
    return _fewest(fitting)


def _candidates(row, columns, names):
    """Changes in words, and the row after each of them, shape (number of changes, k)."""
    words, changed = [], []
    for j in columns:
        for what, change in _CHANGES:
            other = row.copy()
            other[j] = change(row[j])
            words.append(f"{names[j]} {what}")
            changed.append(other)
    for i, j in combinations(sorted(columns), 2):
        other = row.copy()
        other[[i, j]] = row[[j, i]]
        words.append(f"{names[i]} and {names[j]} in each other's place")
        changed.append(other)
    return words, np.array(changed)


def target_repairs(target, observed, fitted, sd):
    """The change of the response that makes each row ordinary.

    Parameters
    ----------
    target : str
    observed, fitted, sd : ndarray of shape (m,)
        The response, its prediction and the standard deviation of the predictive.

    Returns
    -------
    list of str
        Of length m; empty where no change does.
    """
    limit = norm.ppf(0.5 + _ORDINARY / 2)
    changed = np.array([change(observed) for _, change in _CHANGES])
    distances = np.abs(changed - fitted) / sd
    fits = (distances <= limit) & (np.abs(changed - observed) >= _TELLING * sd)
    fitting = [
        {f"{target} {_CHANGES[j][0]}": distance[j] for j in np.flatnonzero(fit)}
        for distance, fit in zip(distances.T, fits.T, strict=True)
    ]
    return _fewest(fitting)


def _fewest(fitting):
    """One change for each row out of those that make it fit, so that few changes do for all.

    Errors come in kinds: of two changes that would do, the one that mends more rows is likelier;
    of two that mend as many, the one that brings them nearer to the middle.

    Parameters
    ----------
    fitting : list of dict of str to float
        For each row the changes after which it fits, with its distance from the middle.

    Returns
    -------
    list of str
        Empty where no change does.
    """
    chosen = [""] * len(fitting)
    left = {row for row, words in enumerate(fitting) if words}
    while left:
        count, distance = Counter(), Counter()
        for row in left:
            count.update(dict.fromkeys(fitting[row], 1))
            distance.update(fitting[row])
        most = min(count, key=lambda word: (-count[word], distance[word], word))
        for row in [row for row in left if most in fitting[row]]:
            chosen[row] = most
            left.remove(row)
    return chosen


def repairs_in_words(repairs, labels):
    """How many rows each change would make fit, the most frequent change first.

    Parameters
    ----------
    repairs : list of str
        Empty for a row that no change makes fit.
    labels : list
        What the rows are called.

    Returns
    -------
    list of str
    """
    rows = defaultdict(list)
    for repair, label in zip(repairs, labels, strict=True):
        if repair:
            rows[repair].append(str(label))
    told = []
    for repair in sorted(rows, key=lambda one: (-len(rows[one]), one)):
        named, rest = rows[repair][:_SHOWN], len(rows[repair]) - _SHOWN
        more = f" and {rest:,} more" if rest > 0 else ""
        count = "1 row" if len(rows[repair]) == 1 else f"{len(rows[repair]):,} rows"
        told.append(f"{repair}: {count} ({', '.join(named)}{more})")
    return told
