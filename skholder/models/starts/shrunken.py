"""Principal axes of a robust, shrunken scatter, for tables with many columns.

Entries are drawn in to three robust standard deviations, so that no cell has much of a say, and
the covariance S of what results is shrunk towards a multiple of the identity by the share that
Ledoit and Wolf (2004) estimate::

    (1 - l) S + l tr(S) / k I,   l = min(1, b / |S - tr(S) / k I|^2),
    b = sum_i w_i |x_i x_i' - S|^2 / n^2

Where axes have to share their variances (see below) whole rows are drawn in too, to three standard
deviations of the distances at which rows lie from the axes of their inner half.

Axes are parameters too: k (k - 1) / 2 angles fitted to n rows make squared distances of these rows
too small, and those of new ones too large, by about that number over n. Where this is more than a
quarter of the standard deviation sqrt(2 k) of a squared distance, only the leading axes have a
variance of their own and the others share one: then no angle between them matters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...rows import NORMAL_IQR, weighted_quantiles

__all__ = ["PrincipalAxes", "principal_axes"]

# Robust standard deviations beyond which an entry, or a row, counts no more.
_REACH = 3.0
# Angles of the axes may change squared distances by this many of their standard deviations before
# some axes have to share a variance.
_OVERFIT = 0.25
# Axes with less variance than this, relative to the columns' own, count as degenerate.
_SINGULAR = 1e-10


@dataclass(frozen=True)
class PrincipalAxes:
    """Axes along which rows z have coordinates (z - centre) / scale @ vector / root.

    Attributes
    ----------
    centre, scale : ndarray of shape (p,)
        Robust, column by column.
    vector : ndarray of shape (p, k)
        Orthonormal columns, axes of largest variance first; k < p where columns are collinear.
    root : ndarray of shape (k,)
        Standard deviations along the axes.
    n_own : int
        Leading axes with a variance of their own.
    """

    centre: np.ndarray
    scale: np.ndarray
    vector: np.ndarray
    root: np.ndarray
    n_own: int


def principal_axes(rows, weight):
    """The :class:`PrincipalAxes` of rows (n, p), none of whose columns is constant.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        Columns of about unit spread.
    weight : ndarray of shape (n,) or None
        A weight of 2 equals the row written twice.
    """
    p = rows.shape[1]
    low, middle, high = weighted_quantiles(rows, weight, [0.25, 0.5, 0.75])
    # Where half of the rows share a value, quartiles say nothing: the columns' own units must do.
    tied = high <= low
    centre = np.where(tied, 0.0, middle)
    scale = np.where(tied, 1.0, (high - low) / NORMAL_IQR)
    inner = np.clip((rows - centre) / scale, -_REACH, _REACH)
    weight = np.ones(len(rows)) if weight is None else weight
    total = weight.sum()
    inner *= _drawn_in(inner, weight)[:, None]
    mean = weight @ inner / total
    inner -= mean
    covariance = (inner * weight[:, None]).T @ inner / total
    value, vector = np.linalg.eigh(covariance)
    value, vector = value[::-1], vector[:, ::-1]
    shrink = _shrinkage(inner, weight, value)
    # Fewer rows than columns span fewer directions, which does not make the others collinear.
    kept = value > (_SINGULAR if total > p else -np.inf)
    value, vector = np.maximum(value[kept], 0.0), vector[:, kept]
    n_own = n_own_axes(value, total)
    value = (1 - shrink) * value + shrink * value.sum() / len(value)
    if n_own < len(value):
        value[n_own:] = np.mean(value[n_own:])
    # An axis points to where its largest entry is positive.
    spot = np.argmax(np.abs(vector), axis=0)
    vector = vector * np.sign(vector[spot, np.arange(vector.shape[1])])
    return PrincipalAxes(centre + scale * mean, scale, vector, np.sqrt(value), n_own)


def _drawn_in(inner, weight):
    """By how much to shorten each row (n,), so that none has an axis to itself.

    With few rows for their columns, a row that departs in all of its entries is an axis of large
    variance by itself, along which it looks at home. The half of the rows with the smallest entries
    says how far rows lie from their axes.
    """
    size = np.sum(inner**2, axis=1)
    half = weight * (size <= weighted_quantiles(size[:, None], weight, [0.5])[0, 0])
    mean = half @ inner / half.sum()
    value, vector = np.linalg.eigh((inner - mean).T @ ((inner - mean) * half[:, None]) / half.sum())
    n_own = n_own_axes(np.maximum(value[::-1], 0.0), half.sum())
    if n_own == len(value):
        return np.ones(len(inner))
    outside = (inner - mean) @ vector[:, : len(value) - n_own]
    # The cube root of a sum of squares is nearly normal.
    root = np.cbrt(np.sum(outside**2, axis=1))
    middle = weighted_quantiles(root[:, None], weight, [0.5])[0, 0]
    spread = weighted_quantiles(np.abs(root - middle)[:, None], weight, [0.5])[0, 0]
    reach = middle + _REACH * spread / (NORMAL_IQR / 2)
    # Where half of the rows lie on their axes, nobody knows how far the others may lie.
    far = (root > reach) & (middle > 0)
    return np.where(far, reach / np.where(far, root, 1.0), 1.0) ** 1.5


def n_own_axes(value, total):
    """How many leading axes should have a variance of their own.

    All of them where their angles do little harm. Otherwise two errors of squared distances are
    weighed, both in standard deviations: r axes of their own bring r (r - 1) / 2 + r (k - r)
    angles, and m = k - r unequal variances taken as one make the spread of squared distances
    larger, by h = m sum v^2 / (sum v)^2 in their part of the variance. Equal variances are seen as
    unequal ones in n rows, by h = 1 + m / n.

    Parameters
    ----------
    value : ndarray of shape (k,)
        Variances in the rows, largest first.
    total : float
        Weight n of the rows.

    Returns
    -------
    int
    """
    k = len(value)
    r = np.arange(k + 1)
    overfit = (r * (r - 1) / 2 + r * (k - r)) / (total * np.sqrt(2 * k))
    if overfit[-1] <= _OVERFIT:
        return k
    m = k - r
    rest = np.append(np.cumsum(value[::-1])[::-1], 0.0)
    squares = np.append(np.cumsum(value[::-1] ** 2)[::-1], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        uneven = np.where(rest > 0, m * squares / rest**2, 1.0) - m / total
    spread = np.sqrt((r + m * np.maximum(uneven, 1.0)) / k)
    best = int(np.argmin(overfit + spread))
    # A last axis that shares with nobody has its own.
    return k if best == k - 1 else best


def _shrinkage(inner, weight, value):
    """The share l of the identity, from centred rows (n, p) and the eigenvalues (p,) of S."""
    total, p = weight.sum(), inner.shape[1]
    apart = np.sum((value - value.mean()) ** 2)
    noise = (weight @ np.sum(inner**2, axis=1) ** 2 / total - np.sum(value**2)) / total
    return float(np.clip(noise / apart, 0.0, 1.0)) if apart > 1e-12 * p else 1.0
