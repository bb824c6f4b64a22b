"""From a file to a table that is understood: what each column is, and everything worth a note."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .choosing import choose_columns
from .columns import InputError, Table
from .interpreting import interpret
from .naming import SHOWN, excluding, short
from .signs import duplicates_note, identifies, repeated_ids_note, sentinel_notes

__all__ = ["Understood", "understand"]


@dataclass(frozen=True)
class Understood:
    """A table whose columns have a meaning.

    Attributes
    ----------
    table : Table
        The inputs and the target, as numbers or text.
    inputs : list of str
        Columns that a model can use; text has at most as many levels as were allowed.
    target : str or None
    notes : tuple of str
        How cells were read, and what was left out or looks wrong.
    problems : tuple of str
        What keeps the table from being used, each with a remedy.
    hints : tuple of str
        Those notes that call for an option as well: codes for missing values.
    """

    table: Table
    inputs: list
    target: str | None
    notes: tuple[str, ...]
    problems: tuple[str, ...]
    hints: tuple[str, ...] = ()

    def check(self, *further):
        """Raise an :class:`InputError` with all problems, these further ones too, if any."""
        problems = (*self.problems, *further)
        if problems:
            raise InputError(*problems, hints=self.hints)


def understand(file, wishes, max_levels):
    """Read a file, and find out what its columns are.

    Parameters
    ----------
    file : CsvFile or ParquetFile
    wishes : Wishes
    max_levels : int
        Text with more levels than this, or with less than two rows for each on average, is no
        category.

    Returns
    -------
    Understood
    """
    chosen, unnamed = choose_columns(file, wishes)
    wanted = [*chosen, *([] if wishes.target is None else [wishes.target])]
    notes = [
        f"{name!r} has no name and was left out; ask for it with --columns" for name in unnamed
    ]
    problems = [
        f"column {name!r} holds {file.unreadable[name]}, neither numbers nor text; turn it into "
        f"numbers, or leave it out with {excluding(name)}"
        for name in wanted
        if name in file.unreadable
    ]
    whole = file.read([name for name in file.names if name not in file.unreadable])
    found = _interpreted(file, whole, wanted, wishes)
    columns = {name: one.column for name, one in found.items()}
    notes += [note for column in columns.values() for note in column.notes]
    problems += [one.problem for one in found.values() if one.problem]
    ids = None if wishes.id is None else file.spelled(wishes.id)
    table = Table(columns, whole.n_rows, whole.lines, whole.labels, ids)
    named = [name for name in chosen if name in columns and not found[name].problem]
    inputs, remarks, faults = _usable(table, named, wishes, max_levels)
    notes += remarks
    problems += faults
    audited = [name for name in columns if name in inputs or name == wishes.target]
    hints = [
        hint
        for name in audited
        if columns[name].text is None
        for hint in sentinel_notes(columns[name], table)
    ]
    notes += hints
    counters = [name for name in named if identifies(columns[name])]
    without = [*unnamed, *([] if wishes.id is None else [wishes.id]), *counters]
    notes.append(duplicates_note(whole, [name for name in without if name in whole.columns]))
    if ids is not None:
        notes.append(repeated_ids_note(wishes.id, ids, table))
    if not inputs and not problems:
        problems.append(f"no columns are left to audit: {'; '.join(remarks)}")
    return Understood(
        replace(table, columns={name: columns[name] for name in wanted if name in columns}),
        inputs,
        wishes.target,
        tuple(note for note in notes if note),
        tuple(problems),
        tuple(hints),
    )


def _interpreted(file, whole, wanted, wishes):
    """The interpretation of each wanted column, by name."""
    found = {}
    for name in wanted:
        if name in whole.columns:
            column = whole.columns[name].with_missing(wishes.missing)
            found[name] = interpret(column, whole, wishes.decimal, name == wishes.target)
    commas = wishes.decimal == "," or any(one.decimal_commas for one in found.values())
    if not commas or not file.spells_numbers:
        return found
    for name, one in found.items():
        if whole.columns[name].text is None and _may_be_thousands(one.column.numbers):
            # Numbers with points, in a table with decimal commas: what does the file say?
            column = replace(one.column, text=file.spelled(name))
            found[name] = interpret(
                column, whole, wishes.decimal, name == wishes.target, point_is_plain=False
            )
    return found


def _may_be_thousands(numbers):
    """Whether all numbers could be written with a group of three digits after their point."""
    known = np.abs(numbers[np.isfinite(numbers)])
    thousands = known * 1000
    grouped = np.isclose(thousands, np.rint(thousands), rtol=1e-12, atol=0)
    return bool(np.all((known == 0) | ((known >= 1) & (known < 1000) & grouped)))


def _usable(table, chosen, wishes, max_levels):
    """Names of the columns that a model can use, with notes and problems of the others.

    What was asked for by name and cannot be used is a problem; what was not is left out.
    """
    inputs, notes, problems = [], [], []
    asked = wishes.columns or ()
    numeric = [name for name in chosen if table.columns[name].text is None]
    # A table of nothing but a time and a target is a table all the same.
    kept = asked if len(numeric) > 1 or wishes.target is None else numeric
    for name in chosen:
        column = table.columns[name]
        why = _why_not(column, wishes.target, max_levels, name in asked)
        if why is None:
            inputs.append(name)
        elif name in kept and identifies(column):
            inputs.append(name)
            notes.append(
                f"column {name!r} only counts or names the rows; it is an input all the same"
            )
        elif name not in asked:
            notes.append(why)
        else:
            problems.append(why)
    return inputs, notes, problems


def _why_not(column, target, max_levels, asked):
    """Why a column is no input, as a text; None if it is one."""
    name = column.name
    if np.all(column.missing):
        remedy = f"leave it out with {excluding(name)}" if asked else "it was left out"
        return f"column {name!r} is empty: {remedy}"
    if column.text is None:
        if not identifies(column):
            return None
        return (
            f"column {name!r} only counts or names the rows and was left out; "
            f"{excluding(name, '--id')} shows it beside each row, --columns takes it as a "
            "measurement"
        )
    rows = np.flatnonzero(~column.missing)
    levels = list(dict.fromkeys(column.text[row] for row in rows))
    if len(levels) > min(max_levels, len(rows) / 2):
        remedy = f"leave it out with {excluding(name)}" if asked else "it was left out"
        return (
            f"column {name!r} is text with {len(levels):,} different values, too many to be "
            f"categories (at most {max_levels}, and two rows each on average): "
            f"{_some(levels)}; {remedy}"
        )
    if len(levels) == 1:
        remedy = f"leave it out with {excluding(name)}" if asked else "it was left out"
        return f"column {name!r} is always {short(levels[0])}: {remedy}"
    if target is None and not asked:
        return (
            f"column {name!r} is text, which is far from normal: without a --target it was left "
            "out; --columns asks for it"
        )
    return None


def _some(levels):
    """Some levels; further ones are counted."""
    rest = len(levels) - SHOWN
    return ", ".join(map(short, levels[:SHOWN])) + (f" and {rest:,} more" if rest > 0 else "")
