"""Sums over rows as a polynomial in theta: after one pass, sampling reads no rows.

A row counts through one number that is linear in its features f. Seen from the middle of the
posterior, with h = exp(log kernel), u the number there and eta the change of the coefficients,

    sum_i w_i h(u_i + f_i . eta) = sum_k sum_i w_i h^(k)(u_i) / k! (f_i . eta)^k

and draws stay so close to the middle, in proportion to 1 / sqrt(n), that a few degrees are as good
as the sum itself. The coefficients are moments of the features. With V_j the monomials of degree j,
(f . eta)^(j + k) is the product of two sums over V_j(f) V_j(eta) and V_k(f) V_k(eta), so that both
the moments and the polynomial are matrix products.

Rows whose features are so large that the series is slow to converge are summed one by one, and so
are all rows for thetas further from the middle than the series is used.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from math import comb, factorial
from operator import add

import numpy as np

__all__ = ["Metric", "RowSeries", "series_sizes"]

# What sets the size of the blocks that are turned into moments: these suit the cache.
_BLOCKS_FOR = 512
# Rows for which |f . eta| may be this large are summed one by one, but for those that hardly count:
# whose next term is below this even then, and that do not get to where rows count.
_FAR, _NEXT, _PART = 1.0, 1e-4, 0.5
# Rows that the metric is learnt from.
_METRIC_ROWS = 4000


def series_sizes(n_features, degree):
    """Monomials on the two sides of a series: of degrees 0 to j, and 0 to j or j + 1."""
    return tuple(comb(n_features + top, top) for top in _tops(degree))


def _tops(degree):
    return degree // 2, degree - degree // 2


@dataclass(frozen=True)
class _Layer:
    """Monomials of one degree: each is one of the degree below times a variable.

    Attributes
    ----------
    parent, variable : ndarray of int, shape (m,)
    count : ndarray of shape (m,)
        The multinomial coefficient of each.
    """

    parent: np.ndarray
    variable: np.ndarray
    count: np.ndarray


@lru_cache(maxsize=64)
def _layers(n_features, degree):
    """The layers of degree 0 to ``degree``; variables of a monomial never descend."""
    layers = [_Layer(np.zeros(1, dtype=int), np.zeros(1, dtype=int), np.ones(1))]
    powers = np.zeros((1, n_features), dtype=int)
    last = np.zeros(1, dtype=int)
    for k in range(1, degree + 1):
        pairs = [(i, v) for i, least in enumerate(last) for v in range(least, n_features)]
        parent, last = (np.array(side) for side in zip(*pairs, strict=True))
        powers = powers[parent]
        powers[np.arange(len(last)), last] += 1
        ways = [factorial(k) / np.prod([factorial(p) for p in line]) for line in powers]
        layers.append(_Layer(parent, last, np.array(ways)))
    return tuple(layers)


def _monomials(points, degree):
    """Monomials of every degree up to ``degree`` of points (m, q), a line for each monomial.

    Gathering whole lines of numbers is several times as fast as gathering columns of them.
    """
    columns = np.ascontiguousarray(points.T)
    layers = _layers(len(columns), degree)
    values = [np.ones((1, columns.shape[1]), dtype=columns.dtype)]
    for layer in layers[1:]:
        values.append(values[-1][layer.parent] * columns[layer.variable])
    return values


@dataclass(frozen=True)
class Metric:
    """Lengths of steps of the coefficients, and of rows, as seen from an origin.

    A step's length |root' eta| is the root mean square of f . eta over the rows, each as far as it
    counts; the length of a row is the largest f . eta of a step of length one.

    Attributes
    ----------
    origin, shift : ndarray of shape (d,)
    coef : ndarray of shape (q,)
        The coefficients at the origin.
    root, inverse : ndarray of shape (q, q)
    """

    origin: np.ndarray
    shift: np.ndarray
    coef: np.ndarray
    root: np.ndarray
    inverse: np.ndarray

    @classmethod
    def of(cls, model, rows, gamma, origin):
        """From some of the rows; None if the features leave a direction open."""
        shift = model.shift(origin)
        coef, finish = model.log_kernel_product((origin - shift)[None], gamma)
        few = rows.subsample(_METRIC_ROWS)
        with np.errstate(over="ignore", invalid="ignore"):
            features = model.distance_features(model.moved(few.rows, origin))
            weight = np.exp(finish(features @ coef.T)[:, 0])
        # What does not count may be too large to be squared.
        idle = ~(weight > 0)
        features[idle], weight[idle] = 0.0, 0.0
        if few.weight is not None:
            weight = weight * few.weight
        second = (features * weight[:, None]).T @ features / weight.sum()
        try:
            root = np.linalg.cholesky(second)
            inverse = np.linalg.inv(root)
        except np.linalg.LinAlgError:
            return None
        # Lengths of rows would be rounding errors.
        if not np.linalg.norm(root) * np.linalg.norm(inverse) < 1e6:
            return None
        return cls(origin, shift, coef[0], root, inverse)

    def steps(self, model, theta, gamma):
        """Changes of the coefficients (T, q) for thetas (T, d), and their lengths (T,)."""
        step = model.log_kernel_product(theta - self.shift, gamma)[0] - self.coef
        return step, np.linalg.norm(step @ self.root, axis=1)

    def row_lengths(self, features):
        """Lengths (m,) of rows with features (m, q)."""
        return np.linalg.norm(features @ self.inverse.T, axis=1)


class RowSeries:
    """The rows of a posterior as a series, for sums over thetas near an origin.

    Parameters
    ----------
    model : WorkingModel
    rows : RowBlocks
    gamma : float
    metric : Metric
    degree : int
    bulk : float
        Length of steps by which far rows are told.
    """

    def __init__(self, model, rows, gamma, metric, degree, bulk):
        self._model, self._gamma, self._metric, self._degree = model, gamma, metric, degree
        self._radius, self._beyond = np.inf, None
        moments, far = rows.fold(_moments_of(model, gamma, metric, degree, bulk), _BLOCKS_FOR, add)
        left, right = (_counts(len(metric.coef), top) for top in _tops(degree))
        # Products of so few numbers gain nothing from more digits of what single precision made.
        self._moments = left[:, None] * moments * right
        self._far, self.n_far = None, 0
        if far:
            self._far = tuple(np.concatenate(part) for part in zip(*far, strict=True))
            self.n_far = len(self._far[0])

    def within(self, radius, beyond):
        """The same series for steps up to this length, and other :class:`SingleRows` beyond."""
        other = copy(self)
        other._radius, other._beyond = radius, beyond
        return other

    def power_total(self, theta):
        """sum_i w_i exp(log_kernel(theta, row_i, gamma)) for a batch (T, d) -> (T,)."""
        step, length = self._metric.steps(self._model, theta, self._gamma)
        near = length <= self._radius
        total = np.empty(len(theta))
        if np.any(near):
            total[near] = self._polynomial(step[near]) + self._far_total(step[near])
        if not np.all(near):
            total[~near] = self._beyond.power_total(theta[~near])
        return total

    def _far_total(self, step):
        """The far rows' part: h itself, whose argument changes by f . eta."""
        if self._far is None:
            return 0.0
        features, product, weight = self._far
        with np.errstate(over="ignore", invalid="ignore"):
            product = product[:, None] + features @ step.astype(np.float32).T
            value = self._model.kernel_series(product.ravel(), self._gamma, 0)[0]
            return weight @ value.reshape(product.shape)

    def _polynomial(self, step):
        left, right = _tops(self._degree)
        values = _monomials(step, right)
        outer = self._moments.T @ np.concatenate(values[: left + 1])
        return np.einsum("it,it->t", outer, np.concatenate(values))


def _moments_of(model, gamma, metric, degree, bulk):
    """block(rows, weight) -> its moments, and a list of its far rows: features, u and weights.

    A function by itself, since it may travel to other machines.
    """

    def block(rows, weight):
        # Rows so far out that squares overflow do not count; those that count have no such squares.
        with np.errstate(over="ignore", invalid="ignore"):
            features = model.distance_features(model.moved(rows, metric.origin))
            product = features @ metric.coef
            terms = model.kernel_series(product, gamma, degree)
            reach = bulk * metric.row_lengths(features)
            counts = np.abs(terms[-1]) * reach ** (degree + 1) > _NEXT
            far = (reach > _FAR) & (counts | (reach > _PART * np.abs(product)))
            aside = features[far].astype(np.float32)
        idle = far | ~(terms[0] > 0)
        terms[:, idle], features[idle] = 0.0, 0.0
        if weight is not None:
            terms *= weight
        moments = np.zeros(series_sizes(len(metric.coef), degree))
        _add_moments(moments, features, terms)
        if not np.any(far):
            return moments, []
        weight = np.ones(len(rows)) if weight is None else weight
        return moments, [(aside, product[far], weight[far])]

    return block


def _add_moments(moments, features, terms):
    """Add sum_i term_(j+k),i V_j(f_i) V_k(f_i)' to the blocks with k = j or j + 1."""
    left, right = _tops(len(terms) - 1)
    double = _monomials(features, 1)
    # What the higher degrees add is so little that single precision will do.
    single = _monomials(features.astype(np.float32), right)
    single_terms = terms.astype(np.float32)
    ends = np.cumsum([0] + [len(value) for value in single])
    for j in range(left + 1):
        for k in range(j, min(j + 1, right) + 1):
            values, factor = (double, terms) if j + k <= 2 else (single, single_terms)
            block = moments[ends[j] : ends[j + 1], ends[k] : ends[k + 1]]
            block += (values[j] * factor[j + k]) @ values[k].T


def _counts(n_features, top):
    return np.concatenate([layer.count for layer in _layers(n_features, top)])
