"""CSV files: their cells are typed by pandas, their records found by Python's ``csv`` module.

The lines are kept, so that messages can name the line of a cell and a copy without some rows
repeats the others byte for byte.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from functools import cached_property
from itertools import compress
from typing import ClassVar

import numpy as np

from .columns import MISSING, Column, InputError, Table, check_names, import_pandas
from .csv_text import csv_text
from .formulas import as_text_cell

__all__ = ["CsvFile"]

_SEPARATORS = ",;\t|"
_BYTE_ORDER_MARK = "\ufeff".encode()


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
    unreadable : dict of str to str
        Empty: any cell of a CSV file is a number or text.
    spells_numbers : bool
        True: numbers are written as text, with one decimal mark or another.
    """

    spells_numbers = True
    unreadable: ClassVar[dict] = {}
    suffixes = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")

    def __init__(self, data, path):
        self._shown = repr(str(path))
        _check_text(data, self._shown)
        self._mark = _BYTE_ORDER_MARK if data.startswith(_BYTE_ORDER_MARK) else b""
        # Unlike those of text, lines of bytes end at nothing but \n, \r and \r\n.
        self._lines = data.removeprefix(self._mark).splitlines(keepends=True)
        self._has_quotes = b'"' in data
        first = next((line for line in self._lines if line.strip()), b"").decode()
        unquoted = re.sub('"[^"]*"', "", first)
        self._separator = next((mark for mark in _SEPARATORS if mark in unquoted), ",")
        *_, header = next(self._records(), (None,))
        if header is None:
            raise InputError(f"{self._shown} is empty")
        found = [name.strip() for name in header]
        if Column.of_cells("", found).text is None and any("." in name for name in found):
            raise InputError(
                f"{self._shown} starts with numbers ({', '.join(found[:3])}); its first line must "
                "name the columns"
            )
        self.names = [name or f"column {j}" for j, name in enumerate(found, 1)]
        self.unnamed = set(self.names) - set(found)
        check_names(self.names, self._shown)

    def _records(self):
        """(first line, last line, cells) of each record, the header too; no blank lines."""
        if not self._has_quotes:
            # Every line is a record, or blank, and as long as it likes.
            for number, line in enumerate(self._lines, 1):
                if text := line.rstrip(b"\r\n").decode():
                    yield number, number, text.split(self._separator)
            return
        lines = map(bytes.decode, self._lines)
        reader = csv.reader(lines, delimiter=self._separator, strict=True)
        before = 0
        try:
            for cells in reader:
                if cells:
                    yield before + 1, reader.line_num, cells
                before = reader.line_num
        except csv.Error as error:
            reason = "a quote is never closed" if "end of data" in str(error) else error
            raise InputError(f"{self._shown}, line {before + 1}: {reason}") from None

    @cached_property
    def _all_spans(self):
        """First and last line of each record, the header too, shape (n + 1, 2)."""
        if self._has_quotes:
            found = [(first, last, len(cells)) for first, last, cells in self._records()]
            first, last, width = np.array(found).T
        else:
            # Every line is a record, or blank.
            mark = self._separator.encode()
            cells = [line.count(mark) + 1 if line.strip(b"\r\n") else 0 for line in self._lines]
            first = last = 1 + np.flatnonzero(cells)
            width = np.array(cells)[first - 1]
        if len(first) == 1:
            raise InputError(f"{self._shown} has a header line but no rows")
        ragged = np.flatnonzero(width != len(self.names))
        if len(ragged):
            others = len(ragged) - 1
            further = f", and {others:,} more lines have another number too" if others else ""
            raise InputError(
                f"{self._shown}, line {first[ragged[0]]}: the header has {len(self.names)} "
                f"columns, this line {width[ragged[0]]}{further}{self._comma_advice()}"
            )
        return np.column_stack([first, last])

    def _comma_advice(self):
        """What to do about numbers such as 0,5 in a file whose cells end at commas."""
        if self._separator != ",":
            return ""
        return "; cells with commas in them must stand in quotes, or be separated by semicolons"

    def read(self, names):
        """Check every row, and read the columns of these names.

        Parameters
        ----------
        names : list of str

        Returns
        -------
        Table
        """
        spans, data = self._all_spans, self._data
        typed = self._parse(data, names, keep_default_na=False, na_values=list(MISSING))
        numeric = [name for name in names if typed[name].dtype.kind in "iuf"]
        columns = {name: Column.of_numbers(name, typed[name].to_numpy(float)) for name in numeric}
        others = [name for name in names if name not in columns]
        if others:
            # What pandas takes for text, flags or giant integers, as the file spells it.
            written = self._parse(data, others, dtype=object, na_filter=False)
            columns.update({name: Column.of_cells(name, written[name]) for name in others})
        in_order = {name: columns[name] for name in names}
        return Table(in_order, len(spans) - 1, spans[1:, 0])

    def spelled(self, name):
        """The cells of a column as the file spells them, without spaces around: list of str."""
        cells = self._parse(self._data, [name], dtype=object, na_filter=False)
        return [cell.strip() for cell in cells[name]]

    @property
    def _data(self):
        """The file without its blank lines."""
        return b"".join(compress(self._lines, _covered(self._all_spans, len(self._lines))))

    def _parse(self, data, names, **options):
        """A frame of the columns of these names; ``options`` say how pandas types their cells."""
        pd = import_pandas()
        if tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1):
            # Later ones find the nearest double in any case.
            options["float_precision"] = "round_trip"
        return pd.read_csv(
            io.BytesIO(data),
            sep=self._separator,
            header=0,
            names=self.names,
            usecols=names,
            # Blank lines are gone, and a line of spaces is none.
            skip_blank_lines=False,
            # A column has one type, however late its first text comes.
            low_memory=False,
            **options,
        )

    def copy(self, keep, path, escape=False):
        """Write the file again without the lines of some rows; gzipped if ``path`` ends in .gz.

        Parameters
        ----------
        keep : ndarray of bool, shape (n,)
        path : Path
        escape : bool
            Put an apostrophe before cells that a spreadsheet would run as formulas; all other rows
            stay byte for byte as they were.
        """
        dropped = _covered(self._all_spans[1:][~keep], len(self._lines))
        lines = self._escaped_lines() if escape else self._lines
        data = self._mark + b"".join(compress(lines, [not drop for drop in dropped]))
        # No time stamp: the same rows give the same bytes.
        path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)

    def _escaped_lines(self):
        """The lines, with those of a record that has formulas in its first one."""
        lines = list(self._lines)
        for first, last, cells in self._records():
            safe = [as_text_cell(cell, self._separator) for cell in cells]
            if safe != cells:
                end = re.search(rb"[\r\n]*\Z", lines[last - 1])[0].decode()
                text = csv_text([safe], self._separator, end)
                lines[first - 1 : last] = [text.encode(), *[b""] * (last - first)]
        return lines


def _covered(spans, n_lines):
    """Whether each line belongs to a record of these spans (m, 2): list of n_lines bools."""
    edges = np.zeros(n_lines + 1, dtype=int)
    edges[spans[:, 0] - 1] += 1
    edges[spans[:, 1]] -= 1
    return (np.cumsum(edges[:-1]) > 0).tolist()


def _check_text(data, shown):
    """Refuse bytes that are not UTF-8 text."""
    if data.startswith(b"PK\x03\x04"):
        raise InputError(f"{shown} is a spreadsheet or an archive; save it as CSV")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{shown} is UTF-16 text; save it as UTF-8")
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise InputError(f"{shown} has a zero byte in line {line}: it is no text, or not UTF-8")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{shown} is not UTF-8 text (byte 0x{data[error.start]:02x} in line {line}); save it "
            "as UTF-8"
        ) from None
