"""Signs of dirt that no model is needed for: identifiers, codes for missing values, duplicates."""

from __future__ import annotations

import re

import numpy as np

from .columns import import_pandas
from .dates import dates_note
from .naming import counted

__all__ = ["duplicates_note", "identifies", "repeated_ids_note", "sentinel_notes"]

_IDENTIFIER = re.compile(r"(^|[\W_])(?i:id|index|nr|no)\.?$|[a-z]I[dD]$")
# Rows from which on a permutation of whole numbers without a gap is no accident.
_MIN_ROWS = 20
# Share of different values from which on a column can name rows; some are there twice.
_NEARLY_ALL = 0.9
# Numbers that people write where there is none; repdigits of either sign come with them.
_CODES = (0.0, -1.0)
_REPDIGIT = re.compile(r"-?(9{2,}|8{2,}|7{2,})")
# How often a code must occur: in this many rows, and in this share of them.
_MIN_COUNT, _MIN_SHARE = 3, 0.005
_SHOWN = 5
# Whole numbers up to here are exact as doubles; infinities and NaN are none.
_MOST_EXACT = 2.0**53


def identifies(column):
    """Whether a column only counts or names the rows.

    Whole numbers that go up by 1, or are each there once without a gap between them, or nearly
    each there once in a column with a name such as ``patient_id``.

    Parameters
    ----------
    column : Column

    Returns
    -------
    bool
    """
    # A date a day is a time all the same.
    if column.text is not None or dates_note(column.name) in column.notes:
        return False
    values = column.numbers[~column.missing]
    if len(values) < 3 or np.any(values != np.rint(values)):
        return False
    if not np.all(np.abs(values) <= _MOST_EXACT):
        return False
    if np.all(np.diff(values) == 1):
        return True
    different = np.unique(values)
    if len(different) < _NEARLY_ALL * len(values):
        return False
    without_gap = different[-1] - different[0] == len(different) - 1
    return bool(_IDENTIFIER.search(column.name)) or (len(values) >= _MIN_ROWS and without_gap)


def sentinel_notes(column, table):
    """Point out numbers that look like codes for a missing value, such as -999.

    They occur several times, and are farther from the middle nine tenths of the other values than
    these are wide.

    Parameters
    ----------
    column : Column
    table : Table

    Returns
    -------
    list of str
    """
    values = column.numbers
    known = values[~np.isnan(values)]
    levels, counts = np.unique(known, return_counts=True)
    often = counts >= max(_MIN_COUNT, _MIN_SHARE * len(known))
    codes = [value for value in levels[often].tolist() if _is_code(value)]
    others = known[~np.isin(known, codes)]
    if not codes or len(np.unique(others)) < 3:
        return []
    # In halves, whose differences are floats.
    low, high = np.quantile(others / 2, [0.05, 0.95])
    notes = []
    for code in codes:
        if max(low - code / 2, code / 2 - high) <= high - low:
            continue
        rows = np.flatnonzero(values == code)
        notes.append(
            f"column {column.name!r} is {code:g} in {counted(len(rows), 'row')} "
            f"({table.places(rows)}), far from its other values; if that stands for a missing "
            f"value, say so with --missing={code:g}"
        )
    return notes


def _is_code(value):
    return value in _CODES or bool(_REPDIGIT.fullmatch(f"{value:g}"))


def duplicates_note(table, without=()):
    """Count rows that repeat an earlier one in every column, and name them.

    Parameters
    ----------
    table : Table
        All columns that could be read.
    without : collection of str
        Columns that do not count: identifiers.

    Returns
    -------
    str
        Empty if there is none.
    """
    pd = import_pandas()
    compared = {
        name: column.numbers if column.text is None else column.text
        for name, column in table.columns.items()
        if name not in without
    }
    if not compared:
        return ""
    frame = pd.DataFrame(compared)
    repeats = np.flatnonzero(frame.duplicated().to_numpy())
    if not len(repeats):
        return ""
    first = frame.groupby(list(compared), dropna=False, sort=False).ngroup().to_numpy()
    origin = {}
    for row, group in enumerate(first.tolist()):
        origin.setdefault(group, row)
    pairs = [f"{table.place(row)} as {table.place(origin[first[row]])}" for row in repeats[:_SHOWN]]
    rest = len(repeats) - len(pairs)
    more = f" and {rest:,} more" if rest else ""
    but = f", but for {', '.join(map(repr, without))}" if without else ""
    verb = "repeats" if len(repeats) == 1 else "repeat"
    return (
        f"{counted(len(repeats), 'row')} {verb} an earlier one exactly{but} "
        f"({', '.join(pairs)}{more}); copies count as rows of their own"
    )


def repeated_ids_note(name, ids, table):
    """Tell of identifiers that several rows have; empty if there is none.

    Parameters
    ----------
    name : str
    ids : list of str
    table : Table

    Returns
    -------
    str
    """
    seen, repeats = set(), []
    for row, cell in enumerate(ids):
        if cell in seen:
            repeats.append(row)
        seen.add(cell)
    if not repeats:
        return ""
    verb = "has" if len(repeats) == 1 else "have"
    return (
        f"{counted(len(repeats), 'row')} {verb} an identifier {name!r} of an earlier row "
        f"({table.places(repeats)})"
    )
