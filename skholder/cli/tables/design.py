"""From the columns of a table to the numbers an audit works on."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from .columns import InputError

__all__ = ["Design", "build_design", "choose_columns"]

# A text column with more levels than this is no category: one column for each would swamp a fit.
_MAX_LEVELS = 30
# Offending cells that a message shows.
_SHOWN = 3
_IDENTIFIER = re.compile(r"(^|[\W_])(?i:id|index)$|[a-z]I[dD]$")


@dataclass(frozen=True)
class Design:
    """Complete rows of numbers.

    Attributes
    ----------
    X : ndarray of shape (m, p)
    names : list of str
        ``column=level`` for a level of a text column.
    y : ndarray of shape (m,), or None
    rows : ndarray of int, shape (m,)
        Positions in the file of the rows that are complete.
    baselines : dict of str to str
        The level of each text column that has no column of its own: all others are against it.
    notes : list of str
        What the user should know about the columns.
    left_out_note : str
        How many rows are not here, and for which columns; empty if all are.
    """

    X: np.ndarray
    names: list
    y: np.ndarray | None
    rows: np.ndarray
    baselines: dict
    notes: list
    left_out_note: str = ""


def choose_columns(file, target=None, columns=None, exclude=()):
    """The columns to audit: those asked for, or all named ones but the target.

    Parameters
    ----------
    file : CsvFile or ParquetFile
    target : str or None
    columns : list of str or None
    exclude : list of str

    Returns
    -------
    chosen, left_out : list of str
        ``left_out`` has the columns without a name (a table's old index, as a rule).
    """
    for name in [*([] if target is None else [target]), *(columns or ()), *exclude]:
        if name not in file.names:
            raise InputError(_unknown(name, file.names))
    if columns and target in columns:
        raise InputError(f"the target {target!r} is also in --columns")
    clash = [name for name in exclude if name == target or name in (columns or ())]
    if clash:
        raise InputError(f"column {clash[0]!r} is wanted and in --exclude")
    out = {target, *exclude}
    asked = file.names if columns is None else dict.fromkeys(columns)
    left_out = [name for name in asked if name in file.unnamed - out and columns is None]
    chosen = [name for name in asked if name not in out and name not in left_out]
    if not chosen:
        raise InputError("no columns are left to audit")
    return chosen, left_out


def build_design(table, chosen, target=None, drop_missing=False):
    """Encode the chosen columns, and check every value.

    A text column becomes one column of zeros and ones for each level but the most frequent one.

    Parameters
    ----------
    table : Table
    chosen : list of str
    target : str or None
    drop_missing : bool
        Leave out rows with missing values; otherwise they are an error.

    Returns
    -------
    Design
    """
    used = [table.columns[name] for name in [*chosen, *([] if target is None else [target])]]
    for column in used:
        _check_cells(column, table, must_be_number=column.name == target)
    rows, left_out_note = _complete_rows(used, table.n_rows, drop_missing)
    parts, names, baselines, notes = [], [], {}, []
    for name in chosen:
        column = table.columns[name]
        if column.text is None:
            parts.append(column.numbers[rows])
            names.append(name)
            notes.extend(_identifier_note(column))
            continue
        encoded, (first, *others), remarks = _encode(column, rows, table)
        parts.extend(encoded)
        names.extend(f"{name}={level}" for level in others)
        notes.extend(remarks)
        if others:
            baselines[name] = first
    if not parts:
        raise InputError("no columns are left to audit: every one of them is constant text")
    if len(set(names)) < len(names):
        raise InputError("a column is named like a level of a text column; rename it")
    y = None
    if target is not None:
        y = table.columns[target].numbers[rows]
        if np.all(y == y[0]):
            raise InputError(f"the target {target!r} is constant: there is nothing to explain")
    elif baselines:
        which = ", ".join(map(repr, baselines))
        notes.append(
            f"text columns ({which}) are far from normal, and many rows share their values: "
            "a density may flag a whole level; leave them out with --exclude, or name a --target"
        )
    return Design(np.column_stack(parts), names, y, rows, baselines, notes, left_out_note)


def _unknown(name, names):
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    folded = [other for other in names if other.casefold() == name.casefold()]
    if folded or close:
        return f"there is no column {name!r}; did you mean {(folded or close)[0]!r}?"
    shown = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
    return f"there is no column {name!r}; the columns are {shown}"


def _check_cells(column, table, must_be_number):
    """Refuse infinite values, text among numbers, and text where numbers must be."""
    infinite = np.flatnonzero(np.isinf(column.numbers))
    if len(infinite):
        places = ", ".join(table.place(row) for row in infinite[:_SHOWN])
        count = "an infinite value" if len(infinite) == 1 else f"{len(infinite)} infinite values"
        raise InputError(f"column {column.name!r} has {count} ({places})")
    if column.text is None:
        return
    stray = np.flatnonzero(np.isnan(column.numbers) & ~column.missing)
    n_numbers = len(column.numbers) - len(stray) - np.sum(column.missing)
    if must_be_number or n_numbers >= len(stray):
        count = "a text" if len(stray) == 1 else f"{len(stray):,} texts"
        found = f"{count}: {_examples(column, stray, table)}"
        if must_be_number:
            raise InputError(f"the target {column.name!r} must be numbers but has {found}")
        raise InputError(
            f"column {column.name!r} is numbers but for {found}; mend them, or leave the column "
            f"out with {_exclude(column)}"
        )


def _examples(column, rows, table):
    """Some cells with their places; further ones are counted."""
    shown = [f"{_short(column.text[row])} ({table.place(row)})" for row in rows[:_SHOWN]]
    rest = len(rows) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def _exclude(column):
    """The option that leaves a column out, as a shell takes it."""
    name = f'"{column.name}"' if "," in column.name else column.name
    return f"--exclude {shlex.quote(name)}"


def _short(cell):
    return repr(cell if len(cell) <= 30 else cell[:29] + "…")


def _complete_rows(columns, n_rows, drop_missing):
    """Positions of the rows without missing values, and a note about the others."""
    counts = {column.name: int(np.sum(column.missing)) for column in columns}
    counts = {name: count for name, count in counts.items() if count}
    missing = np.any([column.missing for column in columns], axis=0)
    rows, n_left_out = np.flatnonzero(~missing), int(np.sum(missing))
    shown = ", ".join(f"{name!r} {count:,}" for name, count in list(counts.items())[:8])
    where = f"{shown} and {len(counts) - 8} more columns" if len(counts) > 8 else shown
    if counts and not drop_missing:
        raise InputError(
            f"missing values in {n_left_out:,} of {n_rows:,} rows ({where}); drop those rows with "
            "--drop-missing, leave the columns out with --exclude, or fill them in"
        )
    if len(rows) < 2:
        what = "complete row" if counts else "row"
        raise InputError(f"the table has {len(rows)} {what}{'s' * (len(rows) != 1)}; 2 are needed")
    if not counts:
        return rows, ""
    verb = "was" if n_left_out == 1 else "were"
    note = f"{n_left_out:,} of {n_rows:,} rows {verb} left out because of missing values ({where})"
    return rows, note


def _encode(column, rows, table):
    """Zeros and ones of all levels of a text column but the first, the levels, and remarks."""
    text = [column.text[row] for row in rows]
    count = Counter(text)
    if len(count) > min(_MAX_LEVELS, len(rows) / 2):
        raise InputError(
            f"column {column.name!r} is text with {len(count)} different values, too many to be "
            f"categories (at most {_MAX_LEVELS}, and two rows each on average): "
            f"{_examples(column, rows, table)}; leave it out with {_exclude(column)}"
        )
    levels = sorted(count, key=lambda level: (-count[level], level))
    if len(levels) == 1:
        return [], levels, [f"column {column.name!r} is always {_short(text[0])} and was left out"]
    place = {level: j for j, level in enumerate(levels)}
    code = np.array([place[cell] for cell in text])
    parts = [(code == j).astype(float) for j in range(1, len(levels))]
    single = [level for level in levels[1:] if count[level] == 1]
    remarks = [
        f"column {column.name!r}: only {table.place(rows[text.index(level)])} has the value "
        f"{_short(level)}; a category of one row fits itself"
        for level in single[:_SHOWN]
    ]
    return parts, levels, remarks


def _identifier_note(column):
    """Warn of a column that only names or counts the rows."""
    values = column.numbers[~column.missing]
    if len(values) < 3 or np.any(values != np.rint(values)):
        return []
    counts = np.all(np.diff(values) == 1)
    named = _IDENTIFIER.search(column.name) and len(np.unique(values)) == len(values)
    if not counts and not named:
        return []
    return [
        f"column {column.name!r} only {'counts' if counts else 'names'} the rows; if it is no "
        f"measurement, leave it out with {_exclude(column)}"
    ]
