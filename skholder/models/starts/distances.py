"""Robust distances of covariates, which a tight cluster of a third of the rows does not fool.

Rows are ranked by the largest robust z-score over many directions (Stahel and Donoho): those
through pairs of rows, the axes, and the directions of extreme kurtosis, in which a cluster stands
out most. The half of the rows that is outlying least gives a first centre and scatter, which then
take in all rows within the 97.5% ellipse until they stay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import chdtr, chdtri

from ...rows import quantile_rows

__all__ = ["RobustDistances", "robust_distances"]

# Centre and scatter are found on at most this many rows.
_MOST_ROWS = 500
_N_DIRECTIONS, _N_REWEIGHTED = 500, 10
_LEVEL = 0.975
# A column with fewer values is discrete and has no robust distance.
_FEW_VALUES = 5
# Spreads of columns of about unit size that are as good as none.
_LEAST = 1e-100
# The median absolute deviation of a standard normal is this part of its standard deviation.
_NORMAL_MAD = 0.6745

# Of the farthest row of a normal design: how seldom it lies beyond a limit, and what the limit is
# multiplied by where centre and scatter are estimates.
_SELDOM, _ESTIMATED = 0.05, 1.15

# Rows whose distances are worked out at a time.
_BLOCK = 16_384


@dataclass(frozen=True)
class RobustDistances:
    """How far out each row lies.

    Attributes
    ----------
    excess : ndarray of shape (n,)
        Squared robust distances over their 97.5% quantile for a normal design: the larger of the
        joint distance's and of the columns' own. Zero where no column is continuous.
    by_chance : float
        The excess that the farthest row of a normal design of that many rows has once in 20 times.
    """

    excess: np.ndarray
    by_chance: float = 0.0


def robust_distances(X, weight, random):
    """Distances of the rows of X (n, k).

    Parameters
    ----------
    X : ndarray of shape (n, k)
    weight : ndarray of shape (n,)
    random : numpy.random.RandomState

    Returns
    -------
    RobustDistances
    """
    size = int(min(_MOST_ROWS, np.ceil(weight.sum())))
    few = X[quantile_rows(weight, (np.arange(size) + 0.5) / size)]
    columns = _continuous(few)
    if len(columns) == 0 or size <= 2 * len(columns):
        return RobustDistances(np.zeros(len(X)))
    k = len(columns)
    centre, scatter = _projected(few[:, columns], random)
    joint_unit, own_unit = chdtri(k, 1 - _LEVEL), chdtri(1, (1 - _LEVEL) / k)
    excess = np.empty(len(X))
    for start in range(0, len(X), _BLOCK):
        block = X[start : start + _BLOCK, columns]
        joint = _mahalanobis(block, centre, scatter) / joint_unit
        with np.errstate(over="ignore"):
            own = np.max((block - centre) ** 2 / np.diag(scatter), axis=1) / own_unit
        excess[start : start + _BLOCK] = np.maximum(joint, own)
    seldom = _SELDOM / max(weight.sum(), 1.0)
    by_chance = max(chdtri(k, seldom) / joint_unit, chdtri(1, seldom / k) / own_unit)
    # Centre and scatter of few rows add to it.
    return RobustDistances(excess, _ESTIMATED * by_chance)


def _continuous(X):
    """Columns with more than five values and a spread that is not owned by ties."""
    # Against the middle, not the largest value: one gross entry must not hide the others.
    middle, scale = _spread(X)
    several = [len(np.unique(column)) > _FEW_VALUES for column in X.T]
    # Squares of what is smaller still would be nought.
    return np.flatnonzero(several & (scale > np.maximum(1e-12 * np.abs(middle), _LEAST)))


def _spread(X):
    """Medians and scaled median absolute deviations of columns."""
    return _spread_of_lines(X.T.copy())


def _mahalanobis(X, centre, scatter):
    whitened = solve_triangular(np.linalg.cholesky(scatter), np.eye(len(scatter)), lower=True)
    with np.errstate(over="ignore", invalid="ignore"):
        z = (X - centre) @ whitened.T
        squared = np.einsum("ij,ij->i", z, z)
    # Where squares of both signs overflow, their sum is as far out as can be.
    squared[np.isnan(squared)] = np.inf
    return squared


def _safe(scatter):
    """The scatter with no correlation so strong that it would be singular."""
    size = np.sqrt(np.maximum(np.diag(scatter), 1e-300))
    correlation = scatter / np.outer(size, size)
    lowest = np.linalg.eigvalsh(correlation)[0]
    if lowest < 1e-6:
        correlation = correlation + (1e-6 - lowest) * np.eye(len(correlation))
    return correlation * np.outer(size, size)


def _covariance(X):
    return np.cov(X, rowvar=False).reshape(X.shape[1], X.shape[1])


def _projected(X, random):
    """Centre (k,) and scatter (k, k) by projections."""
    middle, scale = _spread(X)
    # For a direction, far enough out is far enough: no square may overflow.
    Z = np.clip((X - middle) / scale, -1e6, 1e6)
    n, k = Z.shape
    first, second = random.randint(n, size=(2, _N_DIRECTIONS))
    norm = np.linalg.norm(Z, axis=1)
    inner = Z[norm <= np.quantile(norm, 0.9)]
    directions = [np.eye(k), (Z[first] - Z[second]).T]
    directions += [_kurtosis_directions(part) for part in (Z, inner) if len(part) > k + 1]
    outlying = _outlyingness(Z, np.hstack(directions))
    half = np.argsort(outlying, kind="stable")[: (n + k + 1) // 2]
    centre, scatter = _reweighted(Z, Z[half].mean(axis=0), _safe(_covariance(Z[half])))
    return middle + scale * centre, scatter * np.outer(scale, scale)


def _outlyingness(Z, directions):
    """Largest robust z-score of each row over directions (k, m), shape (n,)."""
    projections = directions.T @ Z.T
    # Sorted where they stand: medians of hundreds of lines are what distances cost.
    middle, scale = _spread_of_lines(projections.copy())
    good = scale > 1e-9 * np.maximum(np.abs(projections).max(axis=1), 1e-300)
    size = np.abs(projections[good] - middle[good, None]) / scale[good, None]
    return np.max(size, axis=0, initial=0.0)


def _spread_of_lines(lines):
    """Medians and scaled median absolute deviations of lines (m, n), which are used up."""
    middle = _medians(lines)
    np.abs(np.subtract(lines, middle[:, None], out=lines), out=lines)
    return middle, _medians(lines) / _NORMAL_MAD


def _medians(lines):
    """Medians of lines (m, n) of finite numbers, which are partly sorted."""
    half = lines.shape[1] // 2
    spots = [half] if lines.shape[1] % 2 else [half - 1, half]
    lines.partition(spots, axis=1)
    return lines[:, spots].mean(axis=1)


def _kurtosis_directions(Z):
    """Eigenvectors (k, k) of Cov^-1 Cov_4: directions of extreme kurtosis, whatever the units."""
    centred = Z - Z.mean(axis=0)
    covariance = _safe(centred.T @ centred / len(Z))
    squared = _mahalanobis(Z, Z.mean(axis=0), covariance)
    fourth = (centred * squared[:, None]).T @ centred / len(Z)
    root = np.linalg.cholesky(covariance)
    inner = np.linalg.solve(root, np.linalg.solve(root, fourth).T)
    return np.linalg.solve(root.T, np.linalg.eigh((inner + inner.T) / 2)[1])


def _reweighted(Z, centre, scatter):
    """The moments of the rows within the 97.5% ellipse, again and again until they stay."""
    n, k = Z.shape
    cutoff = chdtri(k, 1 - _LEVEL)
    # Covariance of a truncated normal over that of the whole.
    shrink = chdtr(k + 2, cutoff) / _LEVEL
    least = max(2 * k, n // 2)
    scatter = scatter * np.median(_mahalanobis(Z, centre, scatter)) / chdtri(k, 0.5)
    inside = None
    for _ in range(_N_REWEIGHTED):
        squared = _mahalanobis(Z, centre, _safe(scatter))
        now = squared <= max(cutoff, np.sort(squared)[min(least, n) - 1])
        if inside is not None and np.array_equal(now, inside):
            break
        inside = now
        centre, scatter = Z[inside].mean(axis=0), _covariance(Z[inside]) / shrink
    return centre, _safe(scatter)
