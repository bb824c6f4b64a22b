"""Passes over the data: sums over rows, in cache-sized blocks, in threads.

The posterior sees the data only through the power mean of the density::

    L(theta) = (1 / gamma) log( sum_i w_i p_theta(row_i)^gamma / sum_i w_i ),  so  log S = gamma L

and through its limit at gamma = 0, the mean log density. Blocks are summed in a fixed order, so a
result does not depend on how many threads did the work.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ._sklearn import effective_n_threads

__all__ = ["PowerMeanTerms", "RowBlocks", "canonical", "quantile_rows"]

# A block is about this many numbers, rows times thetas (400 kB, a common level-2 cache): smaller
# ones spend their time between NumPy's calls, where threads wait for each other.
_BLOCK_SIZE, _BLOCK_ROWS, _BLOCK_THETAS = 49_152, 512, 96
# Below this many row-theta pairs a thread costs more than it saves.
_THREAD_FROM = 100_000


@dataclass(frozen=True)
class PowerMeanTerms:
    """L, its gradient (d,) and Hessian (d, d) at one theta."""

    value: float
    gradient: np.ndarray
    hessian: np.ndarray


class RowBlocks:
    """Rows of a working model with their weights, walked block by block.

    Parameters
    ----------
    rows : ndarray of shape (n, q)
    weight : ndarray of shape (n,) or None
        Row weights; None weighs every row one. A weight of 2 equals the row written twice.
    """

    def __init__(self, rows, weight=None):
        self.rows = np.ascontiguousarray(rows)
        self.weight = weight
        self.total_weight = float(len(rows) if weight is None else np.sum(weight))

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return self.blocks(_BLOCK_THETAS)

    def blocks(self, n_thetas):
        """Row blocks, with their weights, of a size that suits that many thetas at once."""
        size = int(np.clip(_BLOCK_SIZE // n_thetas, _BLOCK_ROWS, 8 * _BLOCK_ROWS))
        for start in range(0, len(self.rows), size):
            part = slice(start, start + size)
            yield self.rows[part], None if self.weight is None else self.weight[part]

    def power_mean(self, model, theta, gamma, single=False):
        """L(theta) for a batch (T, d) -> (T,).

        ``single`` takes the exponentials in single precision, several times as fast. With n rows
        it moves the log posterior by about 4e-7 sqrt(n) (measured, n to 2e5): nothing beside
        Monte Carlo error, but not for derivatives.
        """
        chunks = range(0, len(theta), _BLOCK_THETAS)
        parts = [
            self._power_mean(model, theta[c : c + _BLOCK_THETAS], gamma, single) for c in chunks
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def _power_mean(self, model, theta, gamma, single):
        if gamma == 0:
            total = self._sum(lambda rows, w: _total(model.kernel(theta, rows, 1.0), w), theta)
            return total / self.total_weight + model.peak(theta)
        add = _exp_total_single if single else _exp_total
        total = self._sum(lambda rows, w: add(model.kernel(theta, rows, gamma), w), theta)
        with np.errstate(divide="ignore"):
            value = np.log(total / self.total_weight)
        # Far from the data, or where the density has no bound, the plain sum leaves the floats.
        tiny, huge = (1e-30, 1e30) if single else (1e-250, 1e250)
        lost = ~((total > tiny) & (total < huge))
        if np.any(lost):
            value[lost] = self._log_sum_exp(model, theta[lost], gamma)
        return value / gamma + model.peak(theta)

    def _log_sum_exp(self, model, theta, gamma):
        top = np.full(len(theta), -np.inf)
        for rows, w in self:
            kernel = model.kernel(theta, rows, gamma)
            used = kernel if w is None else kernel[w > 0]
            top = np.maximum(top, used.max(axis=0, initial=-np.inf))
        top = np.where(np.isfinite(top), top, 0.0)
        total = self._sum(
            lambda rows, w: _exp_total(model.kernel(theta, rows, gamma) - top, w), theta
        )
        with np.errstate(divide="ignore"):
            return top + np.log(total / self.total_weight)

    def power_mean_terms(self, model, theta, gamma):
        """L with its gradient and Hessian at one theta (d,).

        With weights omega_i proportional to w_i p_i^gamma, grad L = sum omega_i grad log p_i and
        hess L = sum omega_i (hess log p_i + gamma grad grad') - gamma grad L grad L'.
        """
        value = self.power_mean(model, theta[None], gamma)[0]
        gradient, hessian, outer = self.score_sums(model, theta, gamma, value)
        curved = hessian + gamma * (outer - np.outer(gradient, gradient))
        return PowerMeanTerms(float(value), gradient, curved)

    def score_sums(self, model, theta, power, level):
        """Means over rows of p^power * exp(-power * level) times grad, Hessian and grad grad'."""
        shift = power * (model.peak(theta[None])[0] - level)

        def block(rows, w):
            weight = np.exp(model.kernel(theta[None], rows, power)[:, 0] + shift)
            return model.score_sums(theta, rows, weight if w is None else weight * w)

        parts = self._map(block, 2 * len(theta))
        return tuple(sum(part[j] for part in parts) / self.total_weight for j in range(3))

    def _sum(self, block, theta):
        parts = self._map(block, len(theta))
        total = np.zeros(len(theta))
        for part in parts:
            total += part
        return total

    def _map(self, block, n_thetas):
        """block(rows, weight) of every block, in order; in threads where there is work enough."""
        blocks = list(self.blocks(n_thetas))
        work = len(self.rows) * n_thetas
        n_threads = min(effective_n_threads(), work // _THREAD_FROM + 1, len(blocks))
        if n_threads == 1:
            return [block(rows, w) for rows, w in blocks]
        # One task for each thread: its blocks are few and small, and handing them out costs more.
        ends = np.linspace(0, len(blocks), n_threads + 1).astype(int)
        spans = [blocks[i:j] for i, j in pairwise(ends)]
        with ThreadPoolExecutor(n_threads - 1) as pool:
            others = [pool.submit(_run, block, span) for span in spans[1:]]
            parts = _run(block, spans[0])
            for other in others:
                parts += other.result()
        return parts

    def subsample(self, size):
        """``size`` rows spread evenly over the weight, in canonical order, as another RowBlocks."""
        if len(self.rows) <= size:
            return self
        weight = np.ones(len(self.rows)) if self.weight is None else self.weight
        picked = quantile_rows(weight, (np.arange(size) + 0.5) / size)
        return RowBlocks(self.rows[picked])


def canonical(X, y=None, weight=None):
    """The weighted set of rows, whatever their order and however repeats were written.

    Rows are sorted by (y, X), equal rows are merged and rows without weight dropped. Every sum
    over the result is then the same to the last bit for permuted or repeated rows.

    Returns
    -------
    chosen : ndarray of int
        A row of the input for each row of the set.
    weight : ndarray or None
        Its weight; None if all are 1.
    """
    columns = [*X.T[::-1]] if y is None else [*X.T[::-1], y]
    order = np.argsort(columns[-1], kind="stable")
    if np.any(np.diff(columns[-1][order]) == 0):
        # The weight as the last key makes the order of a sum over copies the same for all inputs.
        order = np.lexsort(columns if weight is None else [weight, *columns])
    if weight is not None:
        order = order[weight[order] > 0]
    tied = np.ones(len(order) - 1, dtype=bool)
    for column in columns[::-1]:
        tied &= np.diff(column[order]) == 0
        if not np.any(tied):
            break
    first = np.flatnonzero(np.append(True, ~tied))
    if weight is None:
        weight = np.ones(len(X))
    merged = np.add.reduceat(weight[order], first)
    return order[first], None if np.all(merged == 1) else merged


def quantile_rows(weight, levels):
    """Positions at given levels in (0, 1) of the cumulative weight (n,)."""
    reached = np.cumsum(weight)
    spots = np.searchsorted(reached, np.asarray(levels) * reached[-1], side="right")
    return np.minimum(spots, len(weight) - 1)


def _run(block, span):
    return [block(rows, w) for rows, w in span]


def _total(values, weight):
    return values.sum(axis=0) if weight is None else weight @ values


def _exp_total(kernel, weight):
    with np.errstate(over="ignore"):
        np.exp(kernel, out=kernel)
        return _total(kernel, weight)


def _exp_total_single(kernel, weight):
    with np.errstate(over="ignore"):
        values = kernel.astype(np.float32)
        np.exp(values, out=values)
        if weight is not None:
            values *= weight.astype(np.float32)[:, None]
        # Summing in single precision too would cost a hundred times the accuracy.
        return values.sum(axis=0, dtype=np.float64)
