"""Methods that answer row by row take Dask collections too, and stay lazy."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from ..rows import is_dask

__all__ = ["row_wise"]

_Method = TypeVar("_Method", bound=Callable[..., Any])


def row_wise(dtype: Any = np.float64) -> Callable[[_Method], _Method]:
    """Let a method ``(self, X[, y], ...)`` with one number for each row take Dask collections.

    The answer is a Dask array or series with the chunks of X, worked out when it is asked for.
    """

    def decorate(method):
        @wraps(method)
        def wrapper(self, X, *args, **kwargs):
            if not is_dask(X):
                return method(self, X, *args, **kwargs)
            y = args[0] if args and is_dask(args[0]) else kwargs.pop("y", None)
            rest = args[1:] if args and is_dask(args[0]) else args

            def answer(X, y=None):
                given = (X, *rest) if y is None else (X, y, *rest)
                return method(self, *given, **kwargs)

            return _lazy(answer, X, y, np.dtype(dtype))

        return cast(_Method, wrapper)

    return decorate


def _lazy(answer, X, y, dtype):
    if hasattr(X, "numblocks"):
        import dask.array as da

        X = X.rechunk({1: -1})
        kinds = {"dtype": dtype, "drop_axis": 1, "meta": np.empty(0, dtype)}
        if y is None:
            return da.map_blocks(answer, X, **kinds)
        if y.chunks != X.chunks[:1] and not np.isnan(X.shape[0]):
            y = y.rechunk(X.chunks[:1])
        return da.map_blocks(lambda X, y: answer(X, y[:, 0]), X, y[:, None], **kinds)
    import pandas as pd

    def part(X, *others):
        return pd.Series(answer(X, *others), index=X.index)

    others = () if y is None else (y,)
    return X.map_partitions(part, *others, meta=(None, dtype))
