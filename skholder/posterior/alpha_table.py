"""The integral over alpha as a Chebyshev series, for the many evaluations of a sampling run.

With everything else fixed, G(log S, log C) is a smooth function of two numbers. Over the range
that a pilot has seen it is a series in u = log S - log C and v = log C, made from the quadrature at
a few hundred nodes and checked against it at others; outside of it, the quadrature is asked, but
for points so bad that a bound of their integral is enough to refuse them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

__all__ = ["AlphaTable"]

# Numbers of nodes tried, along u and v, and the error (in nats) allowed at the check points.
_SIZES = ((17, 9), (33, 17))
_ERROR, _N_CHECKS = 1e-8, 64
# The range is that of the points given, and this part of it more on either side.
_MARGIN = 0.3
# Points this many nats below the best one do not count; no draw ever comes from so far below.
_DEPTH, _HOPELESS = 40.0, 200.0


@dataclass(frozen=True)
class AlphaTable:
    """log_integral(log_s, log_c) of an AlphaConditional, tabulated.

    Attributes
    ----------
    conditional : AlphaConditional
    centre, reach : ndarray of shape (2,)
        The box of (u, v).
    series : ndarray of shape (a, b)
        Chebyshev coefficients on it.
    lowest : float
        Where the integral is known to be less than this, its upper bound is as good.
    """

    conditional: object
    centre: np.ndarray
    reach: np.ndarray
    series: np.ndarray
    lowest: float

    @classmethod
    def over(cls, conditional, log_s, log_c, log_prob):
        """A table over the range of points (T,) with a log posterior near the best; or None.

        None where the range is degenerate, or no series is as good as the quadrature.
        """
        near = log_prob >= np.max(log_prob) - _DEPTH
        places = np.stack([log_s - log_c, log_c])[:, near]
        low, high = places.min(axis=1), places.max(axis=1)
        reach = (0.5 + _MARGIN) * (high - low)
        centre = (low + high) / 2
        if not np.all((reach > 1e-12 * np.maximum(np.abs(centre), 1e-3)) & (reach < 20)):
            return None
        checks = centre[:, None] + reach[:, None] * _spread_points()
        wanted = conditional.log_integral(checks.sum(axis=0), checks[1])
        best = np.argmax(log_prob)
        top = conditional.log_integral(log_s[best : best + 1], log_c[best : best + 1])
        for sizes in _SIZES:
            series = _series(conditional, centre, reach, sizes)
            table = cls(conditional, centre, reach, series, float(top[0]) - _HOPELESS)
            found = table.log_integral(checks.sum(axis=0), checks[1])
            if np.max(np.abs(found - wanted)) < _ERROR:
                return table
        return None

    def log_integral(self, log_s, log_c):
        """As that of the conditional, shape (T,)."""
        u, v = ((place - c) / r for place, c, r in zip(
            (log_s - log_c, log_c), self.centre, self.reach, strict=True
        ))  # fmt: skip
        inside = (np.abs(u) <= 1) & (np.abs(v) <= 1)
        if np.all(inside):
            return _evaluated(self.series, u, v)
        value = np.empty(len(log_s))
        value[inside] = _evaluated(self.series, u[inside], v[inside])
        log_s, log_c = log_s[~inside], log_c[~inside]
        outer = self.conditional.ceiling(log_s, log_c)
        hopeful = outer > self.lowest
        if np.any(hopeful):
            outer[hopeful] = self.conditional.log_integral(log_s[hopeful], log_c[hopeful])
        value[~inside] = outer
        return value


def _series(conditional, centre, reach, sizes):
    """Coefficients of the polynomial through the values at Chebyshev nodes."""
    nodes = [chebyshev.chebpts1(size) for size in sizes]
    u, v = np.meshgrid(*nodes, indexing="ij")
    u, v = centre[0] + reach[0] * u.ravel(), centre[1] + reach[1] * v.ravel()
    values = conditional.log_integral(u + v, v).reshape(sizes)
    # At the nodes of degree n the polynomials are orthogonal: the transform is a product.
    left, right = (_transform(points) for points in nodes)
    return left @ values @ right.T


def _transform(points):
    vander = chebyshev.chebvander(points, len(points) - 1)
    scale = np.full(len(points), 2.0 / len(points))
    scale[0] /= 2
    return scale[:, None] * vander.T


def _evaluated(series, u, v):
    # T_k(cos x) = cos(k x): one call for all degrees.
    left = np.cos(np.multiply.outer(np.arccos(u), np.arange(series.shape[0])))
    right = np.cos(np.multiply.outer(np.arccos(v), np.arange(series.shape[1])))
    return np.einsum("ti,ti->t", left @ series, right)


def _spread_points():
    """Points (2, N) that fill the square [-1, 1]^2 evenly."""
    number = np.arange(_N_CHECKS) + 0.5
    return 2 * np.stack([number / _N_CHECKS, (number * 0.6180339887498949) % 1.0]) - 1
