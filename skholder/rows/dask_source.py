"""Dask collections as row sources; needs dask.

Every pass is one task for each partition, and only what a pass returns, sums mostly, travels. The
scheduler is whichever Dask would use: a ``distributed.Client`` if there is one, threads otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .sources import RowBlock, RowSource

__all__ = ["DaskSource", "is_dask"]


def is_dask(value: Any) -> bool:
    """Whether a value is a Dask array, data frame or series, without importing Dask."""
    return type(value).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(
        value, "__dask_graph__"
    )


class DaskSource(RowSource):
    """Dask arrays or data frames, one partition (row chunk) at a time.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)
        An array whose columns are cut into chunks is rechunked, with a warning.
    y, sample_weight : dask.array.Array, dask.dataframe.Series or None, default=None
        With as many partitions as X; known chunks that differ are rechunked to those of X.
    """

    def __init__(self, X: Any, y: Any = None, sample_weight: Any = None) -> None:
        names = getattr(X, "columns", None)
        self.columns = None if names is None else tuple(str(name) for name in names)
        self.target = getattr(y, "name", None) if hasattr(y, "to_delayed") else None
        if names is None:
            # A Dask array has a name too, which is a key of its graph.
            self.target = None
        X = _one_column_chunk(X)
        self._parts = [
            None if values is None else _partitions(values, X, what)
            for what, values in (("X", X), ("y", y), ("sample_weight", sample_weight))
        ]

    def _blocks(self):
        from dask import delayed

        make = delayed(_block, pure=False)
        count = len(self._parts[0])
        places = [[None] * count if part is None else part for part in self._parts]
        return [
            make(*place, f"partition {number}")
            for number, place in enumerate(zip(*places, strict=True))
        ]

    def __iter__(self) -> Iterator[RowBlock]:
        for block in self._blocks():
            yield block.compute()

    def map(self, function):
        from dask import compute, delayed

        run = delayed(function, pure=False)
        return list(compute(*[run(block) for block in self._blocks()]))


def _block(X, y, weight, name):
    return RowBlock.of(X, y, weight, name)


def _one_column_chunk(X):
    """X with all columns of a row in one chunk."""
    if getattr(X, "numblocks", (1, 1))[1:] in ((), (1,)):
        return X
    from ..exceptions import HolderBayesWarning, warn_caller

    warn_caller(
        f"The columns of X are cut into {X.numblocks[1]} chunks: they are put together, which "
        "moves data between workers. Use X.rechunk({1: -1}) beforehand.",
        HolderBayesWarning,
    )
    return X.rechunk({1: -1})


def _partitions(values, X, what):
    """The partitions of a collection as delayed objects, cut as X is."""
    from math import isnan

    if hasattr(values, "numblocks"):
        known = not any(isnan(size) for size in values.chunks[0])
        wanted = getattr(X, "chunks", ((float("nan"),),))[0]
        if known and not any(isnan(size) for size in wanted) and values.chunks[0] != wanted:
            if sum(values.chunks[0]) != sum(wanted):
                raise ValueError(
                    f"X has {sum(wanted)} rows and {what} has {sum(values.chunks[0])}."
                )
            values = values.rechunk({0: wanted})
        parts = list(values.to_delayed().ravel())
    elif is_dask(values):
        parts = list(values.to_delayed())
    else:
        raise ValueError(f"X is a Dask collection; {what} must be one too, got {type(values)}.")
    n_parts = X.numblocks[0] if hasattr(X, "numblocks") else X.npartitions
    if len(parts) != n_parts:
        raise ValueError(
            f"X has {n_parts} partitions and {what} has {len(parts)}: cut them alike, for instance "
            "from one data frame, or compute the chunk sizes first."
        )
    return parts
