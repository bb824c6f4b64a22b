"""Passes over the data: sums over rows, in cache-sized blocks, in threads.

The posterior sees the data only through the power mean of the density::

    L(theta) = (1 / gamma) log( sum_i w_i p_theta(row_i)^gamma / sum_i w_i ),  so  log S = gamma L

and through its limit at gamma = 0, the mean log density. Blocks are summed in a fixed order, so a
result does not depend on how many threads did the work.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from .._sklearn import effective_n_threads
from .quantiles import quantile_rows
from .single import STRETCH, SingleRows

__all__ = ["LogMeanTerms", "RowBlocks", "joined"]

# A block is about this many bytes, rows times thetas (a common level-2 cache): smaller ones spend
# their time between NumPy's calls, where threads wait for each other.
_BLOCK_BYTES, _BLOCK_ROWS, _BLOCK_THETAS = 393_216, 512, 128
# Results of so many blocks may wait, for each thread, to be joined: they may be large.
_MOST_WAITING = 64
# Below this many row-theta pairs a thread costs more than it saves, as measured on two virtual
# cores. Of derivatives a pair is a row and two coordinates.
_THREAD_FROM, _THREAD_DERIVATIVES_FROM = 4_000_000, 2_000_000


@dataclass(frozen=True)
class LogMeanTerms:
    """The log power mean L of the density over the rows, with its derivatives, at one theta.

    Attributes
    ----------
    value : float
        L(theta) = (1 / gamma) log of the mean of p_theta(row)^gamma.
    gradient : ndarray of shape (d,)
    hessian : ndarray of shape (d, d)
    """

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
    keep_threads : bool
        For rows that are walked many times over: starting threads anew costs as much as a pass.
    """

    def __init__(self, rows, weight=None, keep_threads=False):
        self.rows = np.ascontiguousarray(rows)
        self.weight = weight
        self._keep_threads, self._pool = keep_threads, None
        self.total_weight = float(len(rows) if weight is None else np.sum(weight))

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return self.blocks(_BLOCK_THETAS)

    def blocks(self, n_thetas):
        """Row blocks, with their weights, of a size that suits that many thetas at once."""
        fitting = _BLOCK_BYTES // (n_thetas * self.rows.itemsize)
        size = int(np.clip(fitting // STRETCH * STRETCH, _BLOCK_ROWS, 8 * _BLOCK_ROWS))
        for start in range(0, len(self.rows), size):
            part = slice(start, start + size)
            yield self.rows[part], None if self.weight is None else self.weight[part]

    def log_mean(self, model, theta, gamma, single=None):
        """L(theta) for a batch (T, d) -> (T,); ``single`` may be the SingleRows of these rows."""
        chunks = range(0, len(theta), _BLOCK_THETAS)
        parts = [self._log_mean(model, theta[c : c + _BLOCK_THETAS], gamma, single) for c in chunks]
        return np.concatenate(parts) if parts else np.empty(0)

    def _log_mean(self, model, theta, gamma, single):
        if gamma == 0:
            (total,) = self.sums(
                lambda rows, w: (_total(model.log_kernel(theta, rows, 1.0), w),), len(theta)
            )
            return total / self.total_weight + model.log_peak(theta)
        if single is None:
            (total,) = self.sums(
                lambda rows, w: (_exp_total(model.log_kernel(theta, rows, gamma), w),), len(theta)
            )
        else:
            total = single.power_total(theta)
        with np.errstate(divide="ignore"):
            value = np.log(total / self.total_weight)
        # Far from the data, or where the density has no bound, the plain sum leaves the floats.
        tiny, huge = (1e-250, 1e250) if single is None else (1e-30, 1e30)
        lost = ~((total > tiny) & (total < huge))
        if np.any(lost):
            value[lost] = self._log_sum_exp(model, theta[lost], gamma)
        return value / gamma + model.log_peak(theta)

    def _log_sum_exp(self, model, theta, gamma):
        def highest(rows, w):
            log_kernel = model.log_kernel(theta, rows, gamma)
            used = log_kernel if w is None else log_kernel[w > 0]
            return (used.max(axis=0, initial=-np.inf),)

        (top,) = self.fold(highest, len(theta), np.maximum)
        top = np.where(np.isfinite(top), top, 0.0)
        (total,) = self.sums(
            lambda rows, w: (_exp_total(model.log_kernel(theta, rows, gamma) - top, w),),
            len(theta),
        )
        with np.errstate(divide="ignore"):
            return top + np.log(total / self.total_weight)

    def log_mean_terms(self, model, theta, gamma):
        """L with its gradient and Hessian at one theta (d,).

        With weights omega_i proportional to w_i p_i^gamma, grad L = sum omega_i grad log p_i and
        hess L = sum omega_i (hess log p_i + gamma grad grad') - gamma grad L grad L'.
        """
        log_peak = model.log_peak(theta[None])[0]
        total, *sums = self._curvature_sums(model, theta, gamma, 0.0)
        level = log_peak
        if not 1e-250 < total < 1e250:
            # The plain sum leaves the floats: measure against the power mean itself.
            level = self.log_mean(model, theta[None], gamma)[0]
            if not np.isfinite(level):
                d = len(theta)
                return LogMeanTerms(float(level), np.zeros(d), np.zeros((d, d)))
            shift = gamma * (log_peak - level)
            total, *sums = self._curvature_sums(model, theta, gamma, shift)
        if gamma == 0:
            value = self.log_mean(model, theta[None], gamma)[0]
        else:
            value = level + np.log(total / self.total_weight) / gamma
        gradient, curved = (part / total for part in sums)
        curved -= gamma * np.outer(gradient, gradient)
        return LogMeanTerms(float(value), gradient, curved)

    def score_sums(self, model, theta, power, level):
        """Means over rows of p^power * exp(-power * level) times grad, Hessian and grad grad'."""
        shift = power * (model.log_peak(theta[None])[0] - level)

        def block(rows, w):
            omega = np.exp(model.log_kernel(theta[None], rows, power)[:, 0] + shift)
            return model.score_sums(theta, rows, omega if w is None else omega * w)

        sums = self.sums(block, len(theta), _THREAD_DERIVATIVES_FROM)
        return tuple(part / self.total_weight for part in sums)

    def _curvature_sums(self, model, theta, power, shift):
        """The sums of :meth:`WorkingModel.curvature_sums` over all rows."""
        return self.sums(
            lambda rows, w: model.curvature_sums(theta, rows, w, power, shift),
            # What follows a block's sums takes as long as some hundred rows.
            len(theta) // 2 + 1,
            _THREAD_DERIVATIVES_FROM,
        )

    def sums(self, block, n_thetas, thread_from=None):
        """Sums over blocks of block(rows, weight), a tuple of numbers or arrays."""
        return self.fold(block, n_thetas, np.add, thread_from)

    def fold(self, block, n_thetas, join, thread_from=None):
        """Join the tuples block(rows, weight) of all blocks, place by place and in order.

        Parameters
        ----------
        block : callable
        n_thetas : int
            How many thetas a row meets, which sets the size of the blocks.
        join : callable
            (a, b) -> their sum, or their maximum.
        thread_from : int or None
            Row-theta pairs for which a thread is worth its while; None for those of plain sums.

        Returns
        -------
        list
        """
        return joined(self._map(block, n_thetas, thread_from), join)

    def _map(self, block, n_thetas, thread_from):
        """Yield block(rows, weight) of every block, in order; in threads where there is work."""
        blocks = list(self.blocks(n_thetas))
        work = len(self.rows) * n_thetas
        n_threads = min(_free_threads(), work // (thread_from or _THREAD_FROM) + 1, len(blocks))
        if n_threads == 1:
            yield from (block(rows, w) for rows, w in blocks)
            return
        # A few large tasks for each thread: blocks are small, and handing each out costs more.
        size = min(-(-len(blocks) // n_threads), _MOST_WAITING)
        spans = [blocks[i : i + size] for i in range(0, len(blocks), size)]
        with self._threads(n_threads - 1) as pool:
            for first in range(0, len(spans), n_threads):
                mine, *theirs = spans[first : first + n_threads]
                others = [pool.submit(_run, block, span) for span in theirs]
                yield from _run(block, mine)
                for other in others:
                    yield from other.result()

    def _threads(self, size):
        """Threads for one pass, or for as long as these rows live."""
        if not self._keep_threads:
            return ThreadPoolExecutor(size)
        if self._pool is None:
            # A later pass may have work for more of them.
            self._pool = ThreadPoolExecutor(max(size, _free_threads() - 1))
        return nullcontext(self._pool)

    def near(self, model, gamma, origin):
        """The rows in single precision, for many thetas near ``origin`` (d,)."""
        return SingleRows(model, self, gamma, origin)

    def subsample(self, size):
        """``size`` rows spread evenly over the weight, in canonical order, as another RowBlocks."""
        if len(self.rows) <= size:
            return self
        weight = np.ones(len(self.rows)) if self.weight is None else self.weight
        picked = quantile_rows(weight, (np.arange(size) + 0.5) / size)
        return RowBlocks(self.rows[picked])


def joined(parts, join):
    """Tuples of numbers or arrays joined place by place, in order, each as soon as it comes."""
    total: list = []
    for part in parts:
        total = [join(*pair) for pair in zip(total, part, strict=True)] if total else list(part)
    return total


def _free_threads():
    """Threads this pass may use: one if its caller is itself one of several threads."""
    if threading.current_thread() is not threading.main_thread():
        return 1
    return effective_n_threads()


def _run(block, span):
    return [block(rows, w) for rows, w in span]


def _total(values, weight):
    return values.sum(axis=0) if weight is None else weight @ values


def _exp_total(log_kernel, weight):
    with np.errstate(over="ignore"):
        np.exp(log_kernel, out=log_kernel)
        return _total(log_kernel, weight)
