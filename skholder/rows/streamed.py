"""Passes over a row source in place of passes over rows in memory."""

from __future__ import annotations

import numpy as np

from .blocks import RowBlocks, joined
from .single import SingleRows
from .sources import check_same_rows

__all__ = ["StreamedRows"]

# Thetas that a block in single precision meets at a time; more leave the cache.
_THETAS = 128


class StreamedRows(RowBlocks):
    """Rows of a working model that are read anew in every pass.

    Parameters
    ----------
    source : RowSource
    to_rows : callable
        A :class:`RowBlock` -> its rows (m, q) on the computing scale.
    sample : RowBlocks
        Some of the rows, in memory.
    n_rows : int
    total_weight : float
    """

    def __init__(self, source, to_rows, sample, n_rows, total_weight):
        self.source, self._to_rows, self._sample = source, to_rows, sample
        self._n_rows, self.total_weight = n_rows, float(total_weight)
        self.n_passes = 0

    def __len__(self):
        return self._n_rows

    def each(self, function):
        """``function(rows)`` of the :class:`RowBlocks` of every block, in order: one pass."""
        to_rows = self._to_rows

        def run(block):
            return len(block), function(_counted(to_rows(block), block.weight))

        self.n_passes += 1
        found = self.source.map(run)
        check_same_rows(self._n_rows, sum(size for size, _ in found))
        return [result for _, result in found]

    def fold(self, block, n_thetas, join, thread_from=None):
        def part(held):
            return joined([block(rows, w) for rows, w in held.blocks(n_thetas)], join)

        return joined([part for part in self.each(part) if part], join)

    def log_mean(self, model, theta, gamma, single=None):
        # All thetas in one pass, however many.
        return self._log_mean(model, theta, gamma, single) if len(theta) else np.empty(0)

    def near(self, model, gamma, origin):
        return _StreamedSingle(model, self, gamma, origin)

    def subsample(self, size):
        return self._sample.subsample(size)


def _counted(rows, weight):
    """RowBlocks of the rows that weigh anything: others are no part of the data, however far."""
    if weight is None or np.all(weight > 0):
        return RowBlocks(rows, weight)
    return RowBlocks(rows[weight > 0], weight[weight > 0])


class _StreamedSingle:
    """As :class:`SingleRows`, each block made ready when it comes by."""

    def __init__(self, model, rows, gamma, origin):
        self._rows = rows
        self._ready = lambda held: SingleRows(model, held, gamma, origin)

    def power_total(self, theta):
        # What a pass runs may travel to other machines: it takes no more along than it needs.
        ready = self._ready

        def part(held):
            if not len(held):
                return np.zeros(len(theta))
            single = ready(held)
            chunks = range(0, len(theta), _THETAS)
            return np.concatenate([single.power_total(theta[c : c + _THETAS]) for c in chunks])

        return sum(self._rows.each(part))
