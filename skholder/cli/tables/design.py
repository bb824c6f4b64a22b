"""From a table that is understood to the numbers a model works on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from .columns import InputError
from .naming import SHOWN, counted, short

__all__ = ["MAX_LEVELS", "Design", "build_design", "input_design"]

# Text with more levels than this is no category: one column of zeros and ones for each would swamp
# a linear fit, and trees keep them in a byte.
MAX_LEVELS = {"linear": 30, "trees": 255}


@dataclass(frozen=True)
class Design:
    """Rows of numbers.

    Attributes
    ----------
    X : ndarray of shape (m, p)
        Complete for a linear model; for trees nan where a cell is missing.
    names : list of str
        ``column=level`` for a level of a text column in a linear model.
    y : ndarray of shape (m,), or None
    rows : ndarray of int, shape (m,)
        Positions in the file of the rows that are used.
    baselines : dict of str to str
        The level of each text column that has no column of its own: all others are against it.
    notes : list of str
        What the user should know about the columns.
    left_out_note : str
        How many rows are not here, and for which columns; empty if all are.
    categories : dict of str to list of str
        For trees: the levels of each text column, whose codes are in X.
    """

    X: np.ndarray
    names: list
    y: np.ndarray | None
    rows: np.ndarray
    baselines: dict
    notes: list
    left_out_note: str = ""
    categories: dict = field(default_factory=dict)


def build_design(understood, drop_missing=False, model="linear"):
    """Encode the inputs for a model, and check that it can take every value.

    For a linear model a text column becomes one column of zeros and ones for each level but the
    most frequent one, and every value must be there. Trees take levels as codes, and missing
    inputs as they are.

    Parameters
    ----------
    understood : Understood
    drop_missing : bool
        Leave out rows with missing values that the model cannot take; otherwise they are an error.
    model : {"linear", "trees"}

    Returns
    -------
    Design

    Raises
    ------
    InputError
        With all problems of the table.
    """
    table, target = understood.table, understood.target
    needed = [target] if model == "trees" else [*understood.inputs, target]
    needed = [table.columns[name] for name in needed if name in table.columns]
    rows, left_out_note, problem = _complete_rows(needed, table.n_rows, drop_missing, model, target)
    problems = [problem] if problem else []
    y = None
    if target in table.columns and table.columns[target].text is None:
        y = table.columns[target].numbers[rows]
        if len(y) > 1 and np.all(y == y[0]):
            problems.append(
                f"the target {target!r} is constant: there is nothing to explain; choose another"
            )
    understood.check(*problems)
    encode = _codes if model == "trees" else _zeros_and_ones
    parts, names, baselines, notes, categories = encode(understood, rows)
    if not parts:
        raise InputError("no columns are left to audit: every one of them is constant text")
    if len(set(names)) < len(names):
        raise InputError("a column is named like a level of a text column; rename it")
    if target is None and baselines:
        which = ", ".join(map(repr, baselines))
        notes.append(
            f"text columns ({which}) are far from normal, and many rows share their values: "
            "a density may flag a whole level; leave them out with --exclude, or name a --target"
        )
    X = np.column_stack(parts)
    if target is None and np.all(X[:1] == X):
        raise InputError("every column of the table is constant: there is nothing to audit")
    return Design(X, names, y, rows, baselines, notes, left_out_note, categories)


def input_design(understood):
    """The numeric inputs of the rows that have all of them, for an audit of the inputs themselves.

    Parameters
    ----------
    understood : Understood

    Returns
    -------
    Design
        Its notes say which columns and rows are not looked at.

    Raises
    ------
    InputError
        If there are no such columns or rows.
    """
    table = understood.table
    numeric = [name for name in understood.inputs if table.columns[name].text is None]
    filled = [n for n in numeric if np.mean(table.columns[n].missing) <= 0.5]
    if not filled:
        raise InputError("--inputs: no input is a column of numbers; leave --inputs away")
    columns = [table.columns[name] for name in filled]
    rows, left_out_note, _ = _complete_rows(columns, table.n_rows, True, "linear", None)
    if len(rows) < 2:
        raise InputError(
            "--inputs: fewer than 2 rows have all inputs; leave columns with gaps out with "
            "--exclude"
        )
    others = [name for name in understood.inputs if name not in filled]
    notes = [f"not among the audited inputs: {', '.join(map(repr, others))}"] if others else []
    X = np.column_stack([column.numbers[rows] for column in columns])
    return Design(X, filled, None, rows, {}, notes, left_out_note)


def _complete_rows(columns, n_rows, drop_missing, model, target):
    """Positions of the rows without missing values, a note about the others, and a problem."""
    counts = {column.name: int(np.sum(column.missing)) for column in columns}
    counts = {name: count for name, count in counts.items() if count}
    missing = np.zeros(n_rows, dtype=bool)
    for column in columns:
        missing |= column.missing
    rows, n_left_out = np.flatnonzero(~missing), int(np.sum(missing))
    shown = ", ".join(f"{name!r} {count:,}" for name, count in list(counts.items())[:8])
    where = f"{shown} and {len(counts) - 8} more columns" if len(counts) > 8 else shown
    if counts and not drop_missing:
        remedies = ["drop those rows with --drop-missing"]
        if model == "linear":
            if target is not None and set(counts) != {target}:
                remedies.append("take them as they are with --model trees")
            if set(counts) != {target}:
                remedies.append("leave the columns out with --exclude")
        return (
            rows,
            "",
            f"missing values in {n_left_out:,} of {n_rows:,} rows ({where}); "
            f"{', '.join(remedies)}, or fill them in",
        )
    if len(rows) < 2:
        what = "complete row" if counts else "row"
        return rows, "", f"the table has {counted(len(rows), what)}; 2 are needed"
    if not counts:
        return rows, "", None
    verb = "was" if n_left_out == 1 else "were"
    note = f"{n_left_out:,} of {n_rows:,} rows {verb} left out because of missing values ({where})"
    return rows, note, None


def _zeros_and_ones(understood, rows):
    """Columns of a linear model, their names, the baselines, notes, and no categories."""
    table, parts, names, baselines, notes = understood.table, [], [], {}, []
    for name in understood.inputs:
        column = table.columns[name]
        if column.text is None:
            parts.append(column.numbers[rows])
            names.append(name)
            continue
        encoded, (first, *others), remarks = _encode(column, rows, table)
        parts.extend(encoded)
        names.extend(f"{name}={level}" for level in others)
        notes.extend(remarks)
        if others:
            baselines[name] = first
    return parts, names, baselines, notes, {}


def _encode(column, rows, table):
    """Zeros and ones of all levels of a text column but the first, the levels, and remarks."""
    text = [column.text[row] for row in rows]
    count = Counter(text)
    levels = sorted(count, key=lambda level: (-count[level], level))
    if len(levels) == 1:
        return [], levels, [f"column {column.name!r} is always {short(text[0])}: it was left out"]
    place = {level: j for j, level in enumerate(levels)}
    code = np.array([place[cell] for cell in text])
    parts = [(code == j).astype(float) for j in range(1, len(levels))]
    single = [level for level in levels[1:] if count[level] == 1]
    remarks = [
        f"column {column.name!r}: only {table.place(rows[text.index(level)])} has the value "
        f"{short(level)}; a category of one row fits itself"
        for level in single[:SHOWN]
    ]
    return parts, levels, remarks


def _codes(understood, rows):
    """Columns of trees, their names, no baselines, no notes, and the levels of text columns."""
    table, parts, categories = understood.table, [], {}
    for name in understood.inputs:
        column = table.columns[name]
        if column.text is None:
            parts.append(column.numbers[rows])
            continue
        levels = sorted({column.text[row] for row in np.flatnonzero(~column.missing)})
        place = {level: float(j) for j, level in enumerate(levels)}
        codes = [np.nan if column.missing[row] else place[column.text[row]] for row in rows]
        parts.append(np.array(codes))
        categories[name] = levels
    return parts, list(understood.inputs), {}, [], categories
