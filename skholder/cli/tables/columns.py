"""Columns of numbers or text, and the table they form."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

__all__ = ["MISSING", "Column", "InputError", "Table", "check_names", "import_pandas"]

# Cells that stand for a missing value.
MISSING = frozenset(
    [
        *("", "NA", "N/A", "n/a", "#N/A", "<NA>", "null", "NULL", "None", "none"),
        *("NaN", "nan", "NAN", "Nan", "-nan", "-NaN"),
    ]
)


class InputError(ValueError):
    """What the user gave cannot be used.

    Parameters
    ----------
    *problems : str
        What is wrong, and what to do about it: each in a single line.
    hints : sequence of str
        What else looks wrong in the same table, so that all can be mended at once.

    Attributes
    ----------
    problems, hints : tuple of str
    """

    def __init__(self, *problems, hints=()):
        super().__init__("\n".join(problems))
        self.problems, self.hints = problems, tuple(hints)


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
    numbers : ndarray of shape (n,)
        nan where a cell is missing or text.
    missing : ndarray of bool, shape (n,)
    text : list of str, or None
        All cells, if some of them are neither numbers nor missing.
    notes : tuple of str
        How cells that are not plain numbers were read as numbers.
    """

    name: str
    numbers: np.ndarray
    missing: np.ndarray
    text: list | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of_numbers(cls, name, numbers):
        """A column whose missing cells are the nan among its numbers (n,)."""
        return cls(name, numbers, np.isnan(numbers))

    @classmethod
    def of_cells(cls, name, cells):
        """A column of cells as they are written: text if one is neither a number nor missing.

        Parameters
        ----------
        name : str
        cells : sequence of str
            Spaces around them do not count.

        Returns
        -------
        Column
        """
        pd = import_pandas()
        # Text repeats itself: what a cell is need be found out once.
        codes, levels = pd.factorize(np.asarray(cells, dtype=object))
        levels = np.array([cell.strip() for cell in levels], dtype=object)
        numbers = pd.to_numeric(levels, errors="coerce").astype(float)
        known = ~np.isnan(numbers)
        # Older versions of pandas know what a number is, but miss its last digit here.
        numbers[known] = levels[known].astype(float)
        missing = np.array([cell in MISSING for cell in levels], dtype=bool)
        is_text = not np.all(known | missing)
        return cls(
            name, numbers[codes], missing[codes], levels[codes].tolist() if is_text else None
        )

    @property
    def stray(self):
        """Positions of the cells that are neither numbers nor missing."""
        return np.flatnonzero(np.isnan(self.numbers) & ~self.missing)

    def with_missing(self, codes):
        """The same column with cells that are, or equal as numbers, one of these texts missing.

        A note counts them.

        Parameters
        ----------
        codes : sequence of str

        Returns
        -------
        Column
        """
        named = Column.of_cells("", list(codes)).numbers
        hit = np.isin(self.numbers, named[~np.isnan(named)])
        if self.text is not None:
            hit |= np.isin(np.asarray(self.text, dtype=object), list(codes))
        hit &= ~self.missing
        if not np.any(hit):
            return self
        missing = self.missing | hit
        numbers = np.where(missing, np.nan, self.numbers)
        is_text = bool(np.any(np.isnan(numbers) & ~missing))
        text = self.text if is_text else None
        count = int(np.sum(hit))
        cells = "1 cell is" if count == 1 else f"{count:,} cells are"
        note = f"column {self.name!r}: {cells} taken as missing, as asked"
        return replace(self, numbers=numbers, missing=missing, text=text, notes=(note,))


@dataclass(frozen=True)
class Table:
    """Columns of a file.

    Attributes
    ----------
    columns : dict of str to Column
    n_rows : int
    lines : ndarray of int, shape (n,), or None
        Line of the file, from 1, on which each row starts; None where a file has no lines.
    labels : list or None
        Row labels stored in the file.
    ids : list of str, or None
        What the user calls the rows: cells of a column, as they are spelled.
    """

    columns: dict
    n_rows: int
    lines: np.ndarray | None = None
    labels: list | None = None
    ids: list | None = None

    def place(self, row):
        """Where the user finds a row: ``line 7``, or ``row 5`` counted from 0."""
        return f"row {row}" if self.lines is None else f"line {self.lines[row]}"

    def missing_in(self, row):
        """Names of the columns in which a row has no value."""
        return [name for name, column in self.columns.items() if column.missing[row]]

    def places(self, rows, shown=3):
        """Where the user finds some rows, as a text; further ones are counted.

        Parameters
        ----------
        rows : sequence of int
        shown : int

        Returns
        -------
        str
        """
        named = [self.place(row) for row in rows[:shown]]
        rest = len(rows) - len(named)
        return ", ".join(named) + (f" and {rest:,} more" if rest else "")

    def names_of(self, rows):
        """What rows are called in a report.

        ``P07 (row 5, line 7)`` where they have identifiers; else ``5 (line 7)``, their labels, or
        their positions.

        Parameters
        ----------
        rows : ndarray of int, shape (m,)

        Returns
        -------
        list
        """
        if self.ids is not None:
            return [f"{self.ids[row]} ({self._spot(row)})" for row in rows.tolist()]
        if self.labels is not None:
            return [self.labels[row] for row in rows]
        if self.lines is None:
            return rows.tolist()
        pairs = zip(rows.tolist(), self.lines[rows].tolist(), strict=True)
        return [f"{row} (line {line})" for row, line in pairs]

    def _spot(self, row):
        return f"row {row}" if self.lines is None else f"row {row}, line {self.lines[row]}"


def import_pandas():
    """The package pandas: what it costs to load is paid by those commands that read a table."""
    try:
        import pandas
    except ImportError:
        raise InputError('reading a table needs pandas: pip install "skholder[cli]"') from None
    return pandas


def check_names(names, shown):
    """Refuse names that occur twice."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"{shown} has more than one column named {', '.join(map(repr, twice))}")
