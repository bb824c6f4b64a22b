"""CSV files, read by Python's own ``csv`` module.

The lines are kept, so that messages can name the line of a cell and a copy without some rows
repeats the others byte for byte.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from itertools import islice, takewhile

import numpy as np

from .columns import Column, InputError, Table, check_names, number, to_numbers

__all__ = ["CsvFile"]

_SEPARATORS = ",;\t|"
# Records turned into numbers at a time; only their numbers outlive the turn.
_CHUNK = 2_000


class CsvFile:
    """A CSV file with a header line, in UTF-8.

    The separator is the first of comma, semicolon, tab and bar that the header line has.

    Parameters
    ----------
    data : bytes
    path : str or Path
        For messages.

    Attributes
    ----------
    names : list of str
        The header without spaces around the names; ``column 3`` where the third has none.
    unnamed : set of str
    """

    suffixes = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")

    def __init__(self, data, path):
        self._shown = repr(str(path))
        text = _decode(data, self._shown)
        self._mark = "\ufeff" if text.startswith("\ufeff") else ""
        # newline="" leaves every line ending as it is.
        self._lines = list(io.StringIO(text.removeprefix(self._mark), newline=""))
        first = next((line for line in self._lines if line.strip()), "")
        unquoted = re.sub('"[^"]*"', "", first)
        self._separator = next((mark for mark in _SEPARATORS if mark in unquoted), ",")
        _, self._n_header, header = next(self._records(), (0, 0, None))
        if header is None:
            raise InputError(f"{self._shown} is empty")
        found = [name.strip() for name in header]
        if all(number(name) is not None for name in found) and any("." in name for name in found):
            raise InputError(
                f"{self._shown} starts with numbers ({', '.join(found[:3])}); its first line must "
                "name the columns"
            )
        self.names = [name or f"column {j}" for j, name in enumerate(found, 1)]
        self.unnamed = set(self.names) - set(found)
        check_names(self.names, self._shown)

    def _records(self):
        """(first line, last line, cells) of each record, the header too; no blank lines."""
        reader = csv.reader(self._lines, delimiter=self._separator, strict=True)
        before = 0
        try:
            for cells in reader:
                if cells:
                    yield before + 1, reader.line_num, cells
                before = reader.line_num
        except csv.Error as error:
            reason = "a quote is never closed" if "end of data" in str(error) else error
            raise InputError(f"{self._shown}, line {before + 1}: {reason}") from None

    def _chunks(self):
        """Lists of the records below the header, each as wide as the header."""
        records, width = self._records(), len(self.names)
        next(records)
        while chunk := list(islice(records, _CHUNK)):
            for first, _, cells in chunk:
                if len(cells) != width:
                    raise InputError(
                        f"{self._shown}, line {first}: the header has {width} columns, this line "
                        f"{len(cells)}"
                    )
            yield chunk

    def read(self, names):
        """Parse every row, and the columns of these names.

        Parameters
        ----------
        names : list of str

        Returns
        -------
        Table
        """
        place = {name: self.names.index(name) for name in names}
        values = self._all_numbers()
        if values is not None:
            columns = {name: Column.of(name, values[:, j].copy()) for name, j in place.items()}
            line = self._n_header + 1 + np.arange(len(values))
            self._spans = np.column_stack([line, line])
            return Table(columns, len(values), line)
        numbers, text, known, spans = {name: [] for name in names}, {}, {}, []
        for chunk in self._chunks():
            first, last, records = zip(*chunk, strict=True)
            for name, j in place.items():
                cells = [record[j] for record in records]
                values, has_text = to_numbers(cells)
                numbers[name].append(values)
                if has_text and name not in text:
                    # The cells above were taken for numbers, and let go.
                    text[name] = self._cells_above(first[0], j)
                if name in text:
                    # Equal cells share a string.
                    text[name].extend([known.setdefault(cell, cell) for cell in cells])
            spans.append(np.column_stack([first, last]))
        if not spans:
            raise InputError(f"{self._shown} has a header line but no rows")
        self._spans = np.concatenate(spans)
        columns = {
            name: Column.of(name, np.concatenate(numbers[name]), text.get(name)) for name in names
        }
        return Table(columns, len(self._spans), self._spans[:, 0])

    def _all_numbers(self):
        """The cells (n, width) of a file of nothing but numbers, by a quick parser; or None."""
        lines = self._lines[self._n_header :]
        if not lines or any('"' in line or not line.strip() for line in lines):
            return None
        try:
            values = np.loadtxt(lines, delimiter=self._separator, comments=None, ndmin=2)
        except ValueError:
            return None
        return values if values.shape == (len(lines), len(self.names)) else None

    def _cells_above(self, line, j):
        """The cells of column j in the rows above a line, as a list."""
        records = islice(self._records(), 1, None)
        return [cells[j] for _, _, cells in takewhile(lambda record: record[0] < line, records)]

    def copy(self, keep, path):
        """Write the file again without the lines of some rows; gzipped if ``path`` ends in .gz.

        Parameters
        ----------
        keep : ndarray of bool, shape (n,)
        path : Path
        """
        wanted = np.ones(len(self._lines), dtype=bool)
        for first, last in self._spans[~keep]:
            wanted[first - 1 : last] = False
        text = "".join([line for line, want in zip(self._lines, wanted, strict=True) if want])
        data = (self._mark + text).encode()
        # No time stamp: the same rows give the same bytes.
        path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def _decode(data, shown):
    if data.startswith(b"PK\x03\x04"):
        raise InputError(f"{shown} is a spreadsheet or an archive; save it as CSV")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{shown} is UTF-16 text; save it as UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{shown} is not UTF-8 text (byte 0x{data[error.start]:02x} in line {line}); save it "
            "as UTF-8"
        ) from None
