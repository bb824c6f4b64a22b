"""Row sources: tables that are read anew in every pass, a block at a time.

The posterior needs only sums over rows, so a fit may walk over a table that no memory holds. A
source hands out its blocks in a fixed order, as often as it is asked; :meth:`RowSource.map` is one
pass. Results are the same for every way of cutting the rows into blocks, up to rounding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._sklearn import effective_n_threads
from .columns import listed_names

__all__ = ["ArraySource", "BlockSource", "RowBlock", "RowSource", "check_same_rows"]

# NumPy's kinds of numbers that are none for a model.
_OTHER_KINDS = {"c": "complex numbers", "M": "dates", "m": "durations"}

# Numbers of an array that a block takes, and its rows at least: 10 MB.
_BLOCK_NUMBERS, _LEAST_ROWS = 1_300_000, 1000


@dataclass(frozen=True, repr=False)
class RowBlock:
    """Some rows of a table.

    Attributes
    ----------
    X : ndarray of shape (m, p)
    y, weight : ndarray of shape (m,) or None
        Responses of a regression, and row weights; None weighs every row one.
    name : str
        What to call the block in an error.
    columns : tuple of str or None, default=None
        Names of the columns of X, where they have some.
    target : str or None, default=None
        Name of the response, where it has one.
    """

    X: NDArray[np.float64]
    y: NDArray[np.float64] | None
    weight: NDArray[np.float64] | None
    name: str
    columns: tuple[str, ...] | None = None
    target: str | None = None

    def __len__(self) -> int:
        return len(self.X)

    def __repr__(self) -> str:
        return f"RowBlock({self.name}: {len(self.X):,} rows)"

    @classmethod
    def of(cls, X: Any, y: Any, weight: Any, name: str) -> RowBlock:
        """From anything that NumPy takes for numbers; an error says what is wrong, and where."""
        names = _frame_names(X)
        X = _numbers(X, f"X of {name}")
        if X.ndim != 2:
            raise ValueError(f"{name}: X must have two dimensions, got shape {X.shape}.")
        columns = [
            None if values is None else np.ravel(_numbers(values, f"{what} of {name}"))
            for what, values in (("y", y), ("the weights", weight))
        ]
        for what, values in zip(("responses", "weights"), columns, strict=True):
            if values is not None and len(values) != len(X):
                raise ValueError(f"{name}: {len(X)} rows of X but {len(values)} {what}.")
        if columns[1] is not None and np.any(columns[1] < 0):
            raise ValueError(f"{name}: a row's weight is negative.")
        return cls(X, columns[0], columns[1], name, names)

    def check(self, with_response: bool) -> None:
        """Refuse a block with a cell that is no finite number, or without the y that is needed.

        Parameters
        ----------
        with_response : bool
            Whether the block needs a y.

        Raises
        ------
        ValueError
            Names the block and the cell.
        """
        y = "y" if self.target is None else f"column {self.target!r}"
        for what, values in (("X", self.X), (y, self.y), ("weight", self.weight)):
            if values is None:
                continue
            bad = ~np.isfinite(values)
            if np.any(bad):
                row, *column = np.argwhere(bad)[0]
                place = self._called(column[0]) if column else what
                raise ValueError(
                    f"{self.name}: {place} holds {values[(row, *column)]} in its row {row}. Leave "
                    "such rows out, or fill them."
                )
        if with_response and self.y is None:
            raise ValueError(f"{self.name} has no response y, which a regression needs.")

    def _called(self, column):
        return (
            f"column {column} of X" if self.columns is None else f"column {self.columns[column]!r}"
        )


class RowSource(ABC):
    """A table that can be walked over as often as needed.

    Subclasses say how to iterate; :class:`ArraySource`, :class:`ParquetSource` and
    :class:`BlockSource` cover arrays, Parquet files and everything else.

    Attributes
    ----------
    columns : tuple of str or None
        Names of the columns of X; None where they have none.
    target : str or None
        Name of the response.
    """

    columns: tuple[str, ...] | None = None
    target: str | None = None

    @abstractmethod
    def __iter__(self) -> Iterator[RowBlock]:
        """The blocks, from the first row on, every time anew."""

    def map(self, function: Callable[[RowBlock], Any]) -> list[Any]:
        """``function(block)`` of every block, in order: one pass, in threads.

        Only as many blocks as there are threads are in memory at a time.
        """
        n_threads = effective_n_threads()
        found: list[Any] = []
        blocks = iter(self)
        with ThreadPoolExecutor(n_threads) as pool:
            while some := list(islice(blocks, n_threads)):
                found += pool.map(function, some)
        return found


class ArraySource(RowSource):
    """Arrays, memory-mapped ones among them: ``ArraySource(numpy.load(path, mmap_mode="r"))``.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Sliced, never copied as a whole.
    y, sample_weight : array of shape (n_samples,) or None, default=None
    columns : sequence of str or None, default=None
        Names of the columns of X; None takes those of a data frame, which must be the same
        otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.rows import ArraySource
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(3000, 2))
    >>> y = X @ [1.0, -2.0] + rng.normal(size=3000)
    >>> y[:300] += 8
    >>> model = HolderBayesRegressor(n_draws=1000, random_state=0).fit(ArraySource(X, y))
    >>> bool(abs(model.epsilon_ - 0.1) < 0.02)
    True
    """

    def __init__(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        columns: Iterable[str] | None = None,
    ) -> None:
        self.X, self.y, self.sample_weight = X, y, sample_weight
        self.columns = None if columns is None else tuple(columns)
        if len(np.shape(X)) != 2:
            raise ValueError(
                f"X must have two dimensions, got shape {np.shape(X)}. X.reshape(-1, 1) makes one "
                "column of a vector."
            )
        for what, values in (("y", y), ("sample_weight", sample_weight)):
            if values is not None and len(values) != len(X):  # type: ignore[arg-type]
                raise ValueError(
                    f"X has {len(X)} rows and {what} has {len(values)}."  # type: ignore[arg-type]
                )

    def __iter__(self) -> Iterator[RowBlock]:
        size = max(_LEAST_ROWS, _BLOCK_NUMBERS // max(1, np.shape(self.X)[1]))
        for start in range(0, len(self.X), size):
            part = slice(start, start + size)
            y, weight = (
                None if values is None else values[part]  # type: ignore[index]
                for values in (self.y, self.sample_weight)
            )
            yield RowBlock.of(self.X[part], y, weight, f"rows {start} on")


class BlockSource(RowSource):
    """Blocks from anywhere: a function that starts a fresh walk over them when called.

    This is how Spark, Ray or a data base feed a fit: the function asks for the next Arrow batch and
    yields its columns as arrays. A list of blocks will do too.

    Parameters
    ----------
    blocks : callable or sequence
        ``blocks()``, or the sequence itself, gives ``X``, ``(X, y)`` or ``(X, y, weight)`` for each
        block, in the same order at every call.
    columns : sequence of str or None, default=None
        Names of the columns of X; None takes those of blocks that are data frames, which must be
        the same otherwise.
    """

    def __init__(
        self, blocks: Callable[[], Iterable[Any]] | Iterable[Any], columns: Any = None
    ) -> None:
        if isinstance(blocks, Iterator):
            raise ValueError(
                "A fit walks over the rows many times, but this iterator can be walked over once "
                "only. Give a function that makes a new one: BlockSource(lambda: read_blocks())."
            )
        self.blocks = blocks
        self.columns = None if columns is None else tuple(columns)

    def __iter__(self) -> Iterator[RowBlock]:
        blocks = self.blocks() if callable(self.blocks) else self.blocks
        for number, block in enumerate(blocks):
            parts = block if isinstance(block, tuple) else (block,)
            if not 1 <= len(parts) <= 3:
                raise ValueError(
                    f"block {number} has {len(parts)} parts: give X, (X, y) or (X, y, weight)."
                )
            X, y, weight = (*parts, None, None)[:3]
            yield RowBlock.of(X, y, weight, f"block {number}")


def check_same_rows(first: int, later: int) -> None:
    """Refuse a source that gave other rows in a later pass than in the first one.

    Parameters
    ----------
    first, later : int
        How many rows they had.

    Raises
    ------
    ValueError
    """
    if later != first:
        raise ValueError(
            f"The row source gave {first} rows at first and {later} in a later pass: it must give "
            "the same blocks every time."
        )


def _frame_names(X):
    """Names of the columns of a data frame or an Arrow batch, if all are texts; else None."""
    names = listed_names(X)
    return tuple(names) if names and all(isinstance(name, str) for name in names) else None


def _numbers(values, what):
    try:
        values = np.asarray(values)
        kind = _OTHER_KINDS.get(values.dtype.kind)
        numbers = None if kind else values.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be numbers: {error}") from error
    if kind:
        raise ValueError(f"{what} holds {kind}. Turn them into real numbers first.")
    return numbers
