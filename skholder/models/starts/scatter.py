"""Robust starting values for a location and a scatter."""

from __future__ import annotations

import threading
import warnings

import numpy as np
from sklearn.covariance import MinCovDet

from ...rows import NORMAL_IQR, quantile_rows

__all__ = ["minimum_covariance_determinant", "scatter_starts"]

# The minimum covariance determinant is searched on this many rows, and up to this many columns.
_MCD_ROWS, _MCD_COLUMNS = 500, 40
# Rows further out than this many interquartile ranges, as half the rows show them, are drawn in to
# there.
_FAR = 1e4
# Warning filters belong to the process: threads that changed them at once would not restore them.
_FILTERS = threading.Lock()


def scatter_starts(rows, weight, random, floor):
    """Pairs of location (k,) and positive definite scatter (k, k).

    The moments of all rows; medians and quartiles; the minimum covariance determinant, as it is
    and shrunken; and concentration steps with a diagonal scatter, which wide data can afford.
    """
    weight = np.ones(len(rows)) if weight is None else weight
    picked = quantile_rows(weight, (np.arange(len(rows)) + 0.5) / len(rows))
    low, middle, high = np.quantile(rows[picked], [0.25, 0.5, 0.75], axis=0)
    # For a start, far enough out is far enough: no square may overflow. Quartiles are the second
    # choice, where half of the rows are tied: a quarter of the rows out there moves them.
    half = np.median(np.abs(rows[picked] - middle), axis=0)
    width = np.where(half > 0, 2 * half, high - low)
    reach = np.where(width > 0, _FAR * width, np.inf)
    rows = np.clip(rows, middle - reach, middle + reach)
    unweighted = rows[picked]
    low, high = np.quantile(unweighted, [0.25, 0.75], axis=0)
    mean = np.average(rows, axis=0, weights=weight)
    pairs = [(mean, np.cov(rows.T, aweights=weight, ddof=0))]
    pairs.append((middle, np.diag(((high - low) / NORMAL_IQR) ** 2)))
    pairs.append(_diagonal_concentration(unweighted, middle, (high - low) / NORMAL_IQR))
    if rows.shape[1] <= _MCD_COLUMNS:
        best = minimum_covariance_determinant(unweighted, random)
        if best is not None:
            pairs += [best, (best[0], 0.5 * best[1])]
    return [(location, _safe(scatter, floor)) for location, scatter in pairs]


def minimum_covariance_determinant(rows, random):
    """scikit-learn's MCD of at most 500 rows: (location, scatter), or None where it fails."""
    if len(rows) > _MCD_ROWS:
        rows = rows[np.linspace(0, len(rows) - 1, _MCD_ROWS).astype(int)]
    seed = random.randint(2**31 - 1)
    try:
        with _FILTERS, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = MinCovDet(random_state=seed).fit(rows)
    except ValueError:
        return None
    if not np.all(np.isfinite(found.covariance_)) or _is_tied(rows - found.location_, found):
        return None
    return found.location_, found.covariance_


def _is_tied(deviation, found):
    """Whether the narrowest direction is narrow because most rows share a value in it.

    The tightest half of tied data is a plane of ties: no scatter, but the mouth of a spike.
    """
    projection = deviation @ np.linalg.eigh(found.covariance_)[1][:, 0]
    return np.median(np.abs(projection)) < 1e-8 * np.std(projection)


def _diagonal_concentration(rows, location, scale, n_steps=15):
    """Concentrate on the half of the rows closest in the diagonal metric, again and again."""
    half = max(2, (len(rows) + 1) // 2)
    scale = np.where(scale > 0, scale, 1.0)
    for _ in range(n_steps):
        distance = np.sum(((rows - location) / scale) ** 2, axis=1)
        near = rows[np.argsort(distance, kind="stable")[:half]]
        location, scale = near.mean(axis=0), np.maximum(near.std(axis=0), 1e-12)
    # The closest half of a normal sample understates its spread, the less the more columns.
    distance = np.sum(((rows - location) / scale) ** 2, axis=1)
    stretch = np.median(distance) / max(rows.shape[1] - 0.67, 0.33)
    return location, np.diag(stretch * scale**2)


def _safe(scatter, floor):
    """A positive definite scatter with no eigenvalue below the floor."""
    value, vector = np.linalg.eigh(np.atleast_2d(scatter))
    return (vector * np.maximum(value, max(floor, 1e-10 * value[-1]))) @ vector.T
