"""CSV files, read by Python's own ``csv`` module.

The lines are kept, so that messages can name the line of a cell and a copy without some rows
repeats the others byte for byte.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from itertools import islice

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
        numbers, with_text, spans = {name: [] for name in names}, {}, []
        for chunk in self._chunks():
            spans.extend([(first, last) for first, last, _ in chunk])
            for name, j in place.items():
                values, has_text = to_numbers([cells[j] for _, _, cells in chunk])
                numbers[name].append(values)
                if has_text:
                    with_text[name] = j
        if not spans:
            raise InputError(f"{self._shown} has a header line but no rows")
        self._spans = np.array(spans)
        text = self._text(with_text)
        columns = {
            name: Column.of(name, np.concatenate(numbers[name]), text.get(name)) for name in names
        }
        return Table(columns, len(spans), self._spans[:, 0])

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

    def _text(self, place):
        """The cells of the columns at some places; equal ones share a string."""
        text, known = {name: [] for name in place}, {}
        for chunk in self._chunks() if place else ():
            for name, j in place.items():
                stripped = [cells[j].strip() for _, _, cells in chunk]
                text[name].extend([known.setdefault(cell, cell) for cell in stripped])
        return text

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
