"""Parquet files as a row source, one row group at a time; needs pyarrow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .sources import RowBlock, RowSource

__all__ = ["ParquetSource"]

# Rows of a row group that are read at a time, at most.
_BATCH_ROWS = 131_072


class ParquetSource(RowSource):
    """A Parquet file, or all ``*.parquet`` files of a directory in the order of their names.

    Parameters
    ----------
    path : str or Path
    target : str or None, default=None
        Column of the response; None for a density.
    weight : str or None, default=None
        Column of row weights.
    columns : sequence of str or None, default=None
        Columns of X; None takes all numeric ones but the response, the weights and the row labels
        of pandas. Every file must have them.
    """

    columns: tuple[str, ...]

    def __init__(
        self,
        path: str | Path,
        target: str | None = None,
        weight: str | None = None,
        columns: Sequence[str] | None = None,
    ) -> None:
        self.path, self.target, self.weight = Path(path), target, weight
        self.files = _files(self.path)
        self.columns = self._check_schemas(columns)

    @property
    def n_rows(self) -> int:
        """Rows by the files' own word."""
        return sum(_opened(file).metadata.num_rows for file in self.files)

    def __iter__(self) -> Iterator[RowBlock]:
        wanted = [*self.columns, *(name for name in (self.target, self.weight) if name)]
        for file in self.files:
            for number, batch in enumerate(_batches(file, wanted)):
                name = f"{file.name}, batch {number}"
                X = np.column_stack([_column(batch, column, name) for column in self.columns])
                y, weight = (
                    _column(batch, column, name) if column else None
                    for column in (self.target, self.weight)
                )
                block = RowBlock.of(X, y, weight, name)
                yield replace(block, columns=self.columns, target=self.target)

    def _check_schemas(self, columns):
        """The columns of X, after a look at every file's schema: nothing is read yet."""
        first = _numeric_columns(self.files[0])
        special = [name for name in (self.target, self.weight) if name]
        if columns is None:
            others = [*special, *_row_labels(self.files[0])]
            columns = [name for name in first if name not in others]
        if not columns:
            raise ValueError(f"{self.files[0].name} has no numeric columns for X.")
        for file in self.files:
            there = _numeric_columns(file)
            missing = [name for name in (*columns, *special) if name not in there]
            if missing:
                raise ValueError(
                    f"{file.name} has no numeric column {missing[0]!r}, which other files or the "
                    f"settings name; its numeric columns are {', '.join(there)}."
                )
        return tuple(columns)


def _files(path):
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise FileNotFoundError(f"There is no file or folder {str(path)!r}.")
    files = sorted(path.glob("*.parquet"))
    if not files:
        raise FileNotFoundError(f"{str(path)!r} is a folder without Parquet files (*.parquet).")
    return files


def _opened(file) -> Any:
    from pyarrow.parquet import ParquetFile

    with _named(file):
        return ParquetFile(file, page_checksum_verification=True)


def _batches(file, columns):
    """Some rows at a time; a damaged page is met here only."""
    with _named(file):
        yield from _opened(file).iter_batches(batch_size=_BATCH_ROWS, columns=columns)


@contextmanager
def _named(file):
    """Errors of the reader name the file."""
    from pyarrow import ArrowException

    try:
        yield
    except (ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{file.name} cannot be read as Parquet: {reason}") from error


def _numeric_columns(file):
    from pyarrow import types

    schema = _opened(file).schema_arrow
    twice = [name for name, count in Counter(schema.names).items() if count > 1]
    if twice:
        raise ValueError(
            f"{file.name} has more than one column named {', '.join(map(repr, twice))}."
        )
    fits = (types.is_integer, types.is_floating, types.is_boolean)
    return [field.name for field in schema if any(is_(field.type) for is_ in fits)]


def _column(batch, name, where):
    column = batch.column(name)
    if column.null_count:
        raise ValueError(
            f"Column {name!r} of {where} has {column.null_count} missing cells: fill them, or "
            "leave those rows out."
        )
    return column.to_numpy(zero_copy_only=False)


def _row_labels(file):
    """Columns in which pandas has stored the labels of the rows; none where nobody can tell."""
    try:
        return list((_opened(file).schema_arrow.pandas_metadata or {}).get("index_columns", ()))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return []
