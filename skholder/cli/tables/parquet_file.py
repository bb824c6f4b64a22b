"""Parquet files, read by pyarrow."""

from __future__ import annotations

import numpy as np

from .columns import Column, InputError, Table, check_names

__all__ = ["ParquetFile"]


class ParquetFile:
    """A Parquet file.

    Parameters
    ----------
    data : bytes
    path : str or Path
        For messages.

    Attributes
    ----------
    names : list of str
        Without the index that pandas may have stored.
    unnamed : set of str
        Empty: Parquet columns have names.
    """

    suffixes = (".parquet", ".pq")
    unnamed: frozenset[str] = frozenset()

    def __init__(self, data, path):
        self._shown = repr(str(path))
        try:
            import pyarrow.parquet
        except ImportError:
            raise InputError(
                f'{self._shown} is Parquet, which needs pyarrow: pip install "skholder[cli]"'
            ) from None
        try:
            source = pyarrow.BufferReader(data)
            self._table = pyarrow.parquet.ParquetFile(source).read()
        except (pyarrow.ArrowException, OSError) as error:
            reason = " ".join(str(error).split())
            raise InputError(f"{self._shown} is not a readable Parquet file: {reason}") from None
        stored = (self._table.schema.pandas_metadata or {}).get("index_columns", [])
        self._index = [name for name in stored if isinstance(name, str)]
        self.names = [name for name in self._table.column_names if name not in self._index]
        check_names(self.names, self._shown)
        if not self._table.num_rows:
            raise InputError(f"{self._shown} has no rows")

    def read(self, names):
        """Convert the columns of these names.

        Parameters
        ----------
        names : list of str

        Returns
        -------
        Table
        """
        columns = {name: _column(name, self._table.column(name)) for name in names}
        labels = None
        if self._index:
            parts = [self._table.column(name).to_pylist() for name in self._index]
            labels = parts[0] if len(parts) == 1 else list(zip(*parts, strict=True))
        return Table(columns, self._table.num_rows, labels=labels)

    def copy(self, keep, path):
        """Write a Parquet file of some rows, its columns and types unchanged.

        Parameters
        ----------
        keep : ndarray of bool, shape (n,)
        path : Path
        """
        import pyarrow.parquet

        pyarrow.parquet.write_table(self._table.filter(pyarrow.array(keep)), path)


def _column(name, values):
    """A chunked array as a column."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_dictionary(kind):
        values, kind = values.cast(kind.value_type), kind.value_type
    if pa.types.is_null(kind):
        return Column.of_numbers(name, np.full(len(values), np.nan))
    if pa.types.is_boolean(kind):
        values, kind = values.cast(pa.int8()), pa.int8()
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        # Not "safe": integers above 2**53 round to the nearest double.
        return Column.of_numbers(name, values.cast(pa.float64(), safe=False).to_numpy())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return Column.of_cells(name, [cell or "" for cell in values.to_pylist()])
    raise InputError(
        f"column {name!r} holds {kind}, neither numbers nor text; turn it into numbers, or leave "
        "it out with --exclude"
    )
