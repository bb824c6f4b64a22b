"""Columns of numbers or text, from cells of text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

__all__ = ["Column", "InputError", "Table", "check_names", "number", "to_numbers"]

# Cells that stand for a missing value.
_MISSING = frozenset(
    ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "-nan", "null", "NULL", "None", "none"]
)


class InputError(ValueError):
    """What the user gave cannot be used; the text is a single line."""


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
    """

    name: str
    numbers: np.ndarray
    missing: np.ndarray
    text: list | None = None

    @classmethod
    def of(cls, name, numbers, text=None):
        """With the missing cells found, and the spaces around cells gone."""
        if text is None:
            return cls(name, numbers, np.isnan(numbers))
        text = [cell.strip() for cell in text]
        return cls(name, numbers, np.array([cell in _MISSING for cell in text]), text)


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
    """

    columns: dict
    n_rows: int
    lines: np.ndarray | None = None
    labels: list | None = None

    def place(self, row):
        """Where the user finds a row: ``line 7``, or ``row 5`` counted from 0."""
        return f"row {row}" if self.lines is None else f"line {self.lines[row]}"

    def missing_in(self, row):
        """Names of the columns in which a row has no value."""
        return [name for name, column in self.columns.items() if column.missing[row]]

    def names_of(self, rows):
        """What rows are called in a report: ``5 (line 7)``, their labels, or their positions.

        Parameters
        ----------
        rows : ndarray of int, shape (m,)

        Returns
        -------
        list
        """
        if self.labels is not None:
            return [self.labels[row] for row in rows]
        if self.lines is None:
            return rows.tolist()
        pairs = zip(rows.tolist(), self.lines[rows].tolist(), strict=True)
        return [f"{row} (line {line})" for row, line in pairs]


def number(cell):
    """A cell as a float: nan if it is missing, None if it is text."""
    stripped = cell.strip()
    if stripped in _MISSING:
        return np.nan
    try:
        # Python reads 1_000 as a number; nobody else does.
        return None if "_" in stripped else float(stripped)
    except ValueError:
        return None


def to_numbers(cells):
    """Cells as floats, nan where missing or text, and whether some are text.

    Parameters
    ----------
    cells : list of str

    Returns
    -------
    numbers : ndarray of shape (n,)
    has_text : bool
    """
    try:
        if "_" not in "".join(cells):
            return np.array([np.nan if c in _MISSING else float(c) for c in cells]), False
    except ValueError:
        pass
    # Text repeats itself more often than numbers do.
    known = {cell: number(cell) for cell in set(cells)}
    return np.array([known[cell] for cell in cells], dtype=float), None in known.values()


def check_names(names, shown):
    """Refuse names that occur twice."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"{shown} has more than one column named {', '.join(map(repr, twice))}")
