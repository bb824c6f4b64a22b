"""Sums over rows in single precision, for sampling: several times as fast as in double.

Thetas are seen from a point ``origin`` in the middle of the posterior. With f the features of a row
and c the coefficients of a theta, both measured from there::

    log_kernel(theta, row) = finish(f . c(theta))
                           = finish(f . c(origin) + f . (c(theta) - c(origin)))

The first product is made in double, once. The second is small, so that rounding it moves the log
posterior, but for a constant, by about 1e-6 sqrt(n) for n rows (measured by
``examples/benchmarks/bench_precision.py``), nothing beside Monte Carlo error. Derivatives are
always taken in double.
"""

from __future__ import annotations

import numpy as np

__all__ = ["STRETCH", "SingleRows"]

#: blocks of rows are a whole number of stretches of this many rows
STRETCH = 128
# Features are computed once, unless they would take more room than this many numbers (120 MB).
_HELD = 30_000_000
# Rows summed in single precision.
_ONES = np.ones(STRETCH, dtype=np.float32)
# Beyond this a square times a scale might leave single precision's range.
_LARGEST = 1e15


class SingleRows:
    """The rows of a posterior, ready for sums of ``exp(log_kernel)`` over thetas near ``origin``.

    Parameters
    ----------
    model : WorkingModel
    rows : RowBlocks
    gamma : float
    origin : ndarray of shape (d,)
    """

    def __init__(self, model, rows, gamma, origin):
        self._model, self._rows, self._gamma = model, rows, float(gamma)
        self._held = self._hold(origin) if model.has_linear_distance else None

    def _hold(self, origin):
        """Features (or rows, where those are too many) and the product at the origin, last."""
        model, rows = self._model, self._rows
        self._shift = model.shift(origin)
        self._at_origin = model.log_kernel_product((origin - self._shift)[None], self._gamma)[0]
        self._ready = len(rows) * self._at_origin.shape[1] <= _HELD
        width = self._at_origin.shape[1] if self._ready else rows.rows.shape[1]
        held, start = np.empty((len(rows), width + 1), dtype=np.float32), 0
        for block, _ in rows:
            moved = model.moved(block, origin)
            features = model.distance_features(moved)
            part = np.column_stack(
                [features if self._ready else moved, features @ self._at_origin[0]]
            )
            if not np.max(np.abs(part)) < _LARGEST:
                return None
            held[start : start + len(block)] = part
            start += len(block)
        weight = None if rows.weight is None else rows.weight.astype(np.float32)
        return type(rows)(held, weight, keep_threads=True)

    def power_total(self, theta):
        """sum_i w_i exp(log_kernel(theta, row_i, gamma)) for a batch (T, d) -> (T,)."""
        model = self._model
        if self._held is None:
            return self._rows.sums(
                lambda rows, w: (_exp_total(model.log_kernel(theta, rows, self._gamma).T, w),),
                len(theta),
            )[0]
        coef, finish = model.log_kernel_product(theta - self._shift, self._gamma)
        steps = np.empty((len(theta), coef.shape[1] + 1), dtype=np.float32)
        steps[:, :-1], steps[:, -1] = coef - self._at_origin, 1.0

        def block(rows, w):
            if not self._ready:
                rows = np.column_stack([model.distance_features(rows[:, :-1]), rows[:, -1]])
            return (_exp_total(finish(steps @ rows.T), w),)

        return self._held.sums(block, len(theta))[0]


def _exp_total(log_kernel, weight):
    """Sums over columns of exp(log_kernel) (T, m)."""
    with np.errstate(over="ignore"):
        values = log_kernel.astype(np.float32, order="C", copy=False)
        np.exp(values, out=values)
        if weight is not None:
            values *= weight.astype(np.float32, copy=False)
        # Rounding a block's sum to single precision would be the largest error of all; a short
        # stretch's is not, and a product is the fastest sum.
        if values.shape[1] % STRETCH == 0:
            values = (values.reshape(-1, STRETCH) @ _ONES).reshape(len(values), -1)
        return values.sum(axis=1, dtype=np.float64)
