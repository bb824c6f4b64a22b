"""Parquet files, read by pyarrow."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np

from .columns import Column, InputError, Table, check_names
from .dates import MICROSECONDS_A_DAY, dates_note

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
    unreadable : dict of str to str
        The type of each column that is neither numbers nor text nor dates.
    spells_numbers : bool
        False: columns of numbers hold their values.
    """

    spells_numbers = False

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
            # Files need not have checksums; those that have are held to them.
            file = pyarrow.parquet.ParquetFile(source, page_checksum_verification=True)
            self._table = file.read()
        except (pyarrow.ArrowException, OSError) as error:
            reason = " ".join(str(error).split())
            raise InputError(f"{self._shown} is not a readable Parquet file: {reason}") from None
        self._index = _index_columns(self._table.schema, self._shown)
        self.names = [name for name in self._table.column_names if name not in self._index]
        check_names(self.names, self._shown)
        kinds = {name: self._table.schema.field(name).type for name in self.names}
        self.unreadable = {name: str(kind) for name, kind in kinds.items() if not _known(kind)}
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
        columns = {name: self._column(name) for name in names}
        labels = None
        if self._index:
            parts = [self._cells(name) for name in self._index]
            labels = parts[0] if len(parts) == 1 else list(zip(*parts, strict=True))
        return Table(columns, self._table.num_rows, labels=labels)

    def spelled(self, name):
        """The cells of a column as text, empty where there is none: list of str."""
        return ["" if cell is None else str(cell) for cell in self._cells(name)]

    @contextmanager
    def _reading(self, name):
        """Refuse a column whose cells are not what its type says."""
        try:
            yield self._table.column(name)
        except (ValueError, OverflowError) as error:
            reason = " ".join(str(error).split())
            raise InputError(
                f"{self._shown}: column {name!r} has cells that cannot be read: {reason}"
            ) from None

    def _column(self, name):
        with self._reading(name) as values:
            return _column(name, values)

    def _cells(self, name):
        """The cells of a column as Python objects, None where there is none: list."""
        with self._reading(name) as values:
            return values.to_pylist()

    def copy(self, keep, path):
        """Write a Parquet file of some rows, its columns and types unchanged, with checksums.

        Parameters
        ----------
        keep : ndarray of bool, shape (n,)
        path : Path
        """
        import pyarrow.parquet

        kept = self._table.filter(pyarrow.array(keep))
        pyarrow.parquet.write_table(kept, path, write_page_checksum=True)


def _index_columns(schema, shown):
    """Names of the columns in which pandas has stored the labels of the rows: list of str."""
    try:
        stored = (schema.pandas_metadata or {}).get("index_columns", [])
        names = [name for name in stored if isinstance(name, str)]
    except (ValueError, TypeError, AttributeError, RecursionError):
        # What pandas says of a file is JSON; anything may stand there instead.
        raise InputError(
            f"{shown} has metadata of pandas that cannot be read; write the file again"
        ) from None
    missing = [name for name in names if name not in schema.names]
    if missing:
        which = ", ".join(map(repr, missing))
        raise InputError(
            f"{shown} has no column {which}, which its metadata of pandas name as the index; write "
            "the file again"
        )
    return names


def _known(kind):
    """Whether a column of this type can be read."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    is_kind = (
        *(pa.types.is_null, pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating),
        *(pa.types.is_decimal, pa.types.is_string, pa.types.is_large_string),
        *(pa.types.is_date, pa.types.is_timestamp),
    )
    return any(test(kind) for test in is_kind)


def _column(name, values):
    """A chunked array of a known type as a column."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_dictionary(kind):
        values, kind = values.cast(kind.value_type), kind.value_type
    if pa.types.is_null(kind):
        return Column.of_numbers(name, np.full(len(values), np.nan))
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return Column.of_cells(name, [cell or "" for cell in values.to_pylist()])
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        days = _days(values)
        return Column(name, days, np.isnan(days), notes=(dates_note(name),))
    if pa.types.is_boolean(kind):
        values = values.cast(pa.int8())
    # Not "safe": integers above 2**53 round to the nearest double.
    return Column.of_numbers(name, values.cast(pa.float64(), safe=False).to_numpy())


def _days(values):
    """Days since the start of 1970 of dates or times, nan where there is none, shape (n,)."""
    import pyarrow as pa

    # Nanoseconds are cut off; to make seconds finer may be more than 64 bits hold, and is checked.
    too_fine = pa.types.is_timestamp(values.type) and values.type.unit == "ns"
    times = values.cast(pa.timestamp("us"), safe=not too_fine)
    counts = times.cast(pa.int64()).cast(pa.float64(), safe=False)
    return counts.to_numpy() / MICROSECONDS_A_DAY
