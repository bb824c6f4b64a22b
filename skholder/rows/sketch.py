"""A first look at a row source: is every block sound, how many rows are there, and a sample."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from .columns import Columns
from .sources import RowSource, check_same_rows

__all__ = ["Sketch"]

# Numbers in a sample, and rows at least and at most.
_SAMPLE_NUMBERS, _FEWEST, _MOST = 2_000_000, 2000, 100_000


@dataclass(frozen=True, repr=False)
class Sketch:
    """What two passes over a source find.

    Attributes
    ----------
    n_rows : int
    total_weight : float
    X : ndarray of shape (m, p)
        Rows taken at random; all of them where they are few.
    y, weight : ndarray of shape (m,) or None
    columns : tuple of str or None
        Names of the columns of X.
    """

    n_rows: int
    total_weight: float
    X: NDArray[np.float64]
    y: NDArray[np.float64] | None
    weight: NDArray[np.float64] | None
    columns: tuple[str, ...] | None

    @classmethod
    def of(cls, source: RowSource, with_response: bool) -> Sketch:
        """Check every block, count the rows and sample them.

        The sample hangs on what the blocks hold, not on their order.

        Parameters
        ----------
        source : RowSource
        with_response : bool
            Whether every block needs a y.
        """
        shapes = source.map(lambda block: _checked(block, with_response))
        _check_shapes(shapes, source.columns)
        n_rows = sum(shape.n_rows for shape in shapes)
        if n_rows < 2:
            raise ValueError(f"The row source has {n_rows} rows; 2 are needed.")
        size = np.clip(_SAMPLE_NUMBERS // max(1, shapes[0].columns.size), _FEWEST, _MOST)
        rate = min(1.0, float(size) / n_rows)
        parts = source.map(lambda block: _sampled(block, rate, with_response))
        check_same_rows(n_rows, sum(count for count, *_ in parts))
        X, y, weight = (
            None if any(part is None for part in place) else np.concatenate(place)
            for place in list(zip(*parts, strict=True))[1:]
        )
        names = shapes[0].columns.names if source.columns is None else source.columns
        return cls(n_rows, float(sum(shape.weight for shape in shapes)), X, y, weight, names)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Shape:
    name: str
    n_rows: int
    columns: Columns
    weight: float
    is_weighted: bool


def _checked(block, with_response):
    """The shape of a sound block; an error that names the block and the cell otherwise."""
    block.check(with_response)
    weight = float(len(block) if block.weight is None else block.weight.sum())
    columns = Columns(block.X.shape[1], block.columns)
    return _Shape(block.name, len(block), columns, weight, block.weight is not None)


def _check_shapes(shapes, names):
    if not shapes:
        raise ValueError("The row source has no blocks.")
    first = shapes[0]
    if names is not None:
        first.columns.check_as(Columns.named(names), first.name, "the source's list of columns")
    for shape in shapes:
        shape.columns.check_as(first.columns, shape.name, first.name)
        if shape.is_weighted != first.is_weighted:
            raise ValueError(f"Only one of {first.name} and {shape.name} has weights.")
    if not sum(shape.weight for shape in shapes) > 0:
        raise ValueError("The weights sum to zero: no row carries any weight.")


def _sampled(block, rate, with_response):
    """How many rows a block has, and some of them, each with this probability."""
    y = block.y if with_response else None
    if rate == 1:
        return len(block), block.X, y, block.weight
    # The block's own bytes as the seed: any order of the blocks gives the same rows.
    random = np.random.RandomState(crc32(np.ascontiguousarray(block.X[:64])))
    taken = np.flatnonzero(random.uniform(size=len(block)) < rate)
    return (
        len(block),
        block.X[taken],
        None if y is None else y[taken],
        None if block.weight is None else block.weight[taken],
    )
