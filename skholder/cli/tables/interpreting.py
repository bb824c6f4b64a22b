"""From the cells of a column to what they mean: numbers, dates or text."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from .columns import Column
from .dates import dates_note, read_dates
from .naming import counted, examples, excluding, short
from .spellings import read_spellings

__all__ = ["Interpretation", "interpret"]

# Different texts among numbers up to which the option that calls them missing is spelled out.
_FEW = 3
# Different cells that tell whether it is worth reading them all.
_SAMPLE = 1_000


@dataclass(frozen=True)
class Interpretation:
    """A column as it is understood.

    Attributes
    ----------
    column : Column
        Its ``notes`` say how cells were read.
    problem : str or None
        Why it cannot be used, and what to do.
    decimal_commas : bool
        Whether cells have decimal commas.
    """

    column: Column
    problem: str | None = None
    decimal_commas: bool = False


def interpret(column, table, decimal=None, is_target=False, point_is_plain=True):
    """Read the cells of a column as numbers or dates if at least half of them are such.

    Parameters
    ----------
    column : Column
    table : Table
        Where the column comes from; for messages.
    decimal : {".", ","} or None
        The decimal mark where the cells leave it open.
    is_target : bool
        Text is a problem.
    point_is_plain : bool
        Whether ``1.234`` has a decimal point where nothing speaks against it.

    Returns
    -------
    Interpretation
    """
    if column.text is None:
        return Interpretation(column, _infinite(column, table))
    count = Counter(np.asarray(column.text, dtype=object)[~column.missing])
    found = _as_numbers(column, count, table, decimal, is_target, point_is_plain)
    if found is None:
        found = _as_dates(column, count, table, is_target)
    if found is None:
        found = Interpretation(column, _text_target(column, table) if is_target else None)
    return found


def _as_numbers(column, count, table, decimal, is_target, point_is_plain):
    """The interpretation as numbers, or None if most cells are none."""
    cells, plain = list(count), dict(zip(column.text, column.numbers.tolist(), strict=True))

    def read(some):
        spelled = read_spellings(some, decimal, point_is_plain)
        # An undecided cell is one of two numbers; infinities are numbers that no spelling gives.
        known = plain | dict.fromkeys(spelled.undecided, 0.0)
        pairs = zip(some, spelled.values.tolist(), strict=True)
        return spelled, [known[cell] if np.isnan(value) else value for cell, value in pairs]

    if _hardly_any(read(_some(cells))[1]):
        return None
    spelled, numbers = read(cells)
    if _share(numbers, cells, count) < 0.5:
        return None
    if spelled.undecided:
        return Interpretation(column, _undecided_number(column, spelled, count, table))
    notes = _spelling_notes(column.name, cells, spelled, count)
    found = _valued(column, cells, numbers, notes)
    commas = bool(np.any(spelled.commas))
    return Interpretation(found, _fault(found, table, "numbers", is_target), commas)


def _as_dates(column, count, table, is_target):
    """The interpretation as dates, or None if most cells are none."""
    cells = list(count)
    if _hardly_any(read_dates(_some(cells)).days):
        return None
    dates = read_dates(cells)
    if _share(dates.days, cells, count) < 0.5:
        return None
    if dates.undecided:
        return Interpretation(column, _undecided_date(column, dates, table))
    found = _valued(column, cells, dates.days, (dates_note(column.name),))
    return Interpretation(found, _fault(found, table, "dates", is_target))


def _some(cells):
    """All cells, or some thousand of them from all over the column."""
    return cells[:: max(1, len(cells) // _SAMPLE)]


def _hardly_any(values):
    """Whether a large sample has so few values that most of the column cannot have one."""
    return len(values) >= _SAMPLE and np.mean(~np.isnan(values)) < 0.1


def _share(values, cells, count):
    """Which share of the cells that are not missing has a value."""
    total = sum(count.values())
    valued = sum(count[c] for c, v in zip(cells, values, strict=True) if not np.isnan(v))
    return valued / total if total else 1.0


def _valued(column, cells, values, notes):
    """The column with these values of its different cells; text if some cells have none."""
    value = dict(zip(cells, values, strict=True))
    numbers = np.array([value.get(cell, np.nan) for cell in column.text], dtype=float)
    numbers[column.missing] = np.nan
    found = replace(column, numbers=numbers)
    return found if len(found.stray) else replace(found, text=None, notes=column.notes + notes)


def _fault(column, table, kind, is_target):
    """Why a column of numbers or dates cannot be used, or None."""
    if column.text is None:
        return _infinite(column, table)
    return _text_target(column, table) if is_target else _strays(column, table, kind)


def _spelling_notes(name, cells, spelled, count):
    """What was done to cells that are not plain numbers."""
    notes = []
    done = (
        (spelled.commas, "decimal commas are read as decimal points"),
        (spelled.groups, "separators of thousands are taken out"),
        (spelled.percents, "percent signs are taken off"),
    )
    for where, what in done:
        if not np.any(where):
            continue
        changed = sum(count[cells[j]] for j in np.flatnonzero(where))
        first = int(np.flatnonzero(where)[0])
        note = (
            f"column {name!r}: {what} in {counted(changed, 'cell')} "
            f"({short(cells[first])} is {spelled.values[first]:.15g})"
        )
        if where is spelled.percents and changed < sum(count.values()):
            bare = cells[int(np.flatnonzero(~where)[0])]
            n_bare = sum(count.values()) - changed
            verb = "is" if n_bare == 1 else "are"
            note += (
                f"; {counted(n_bare, 'cell')} without one, such as {short(bare)}, {verb} taken as "
                "percent too"
            )
        notes.append(note)
    return tuple(notes)


def _undecided_number(column, spelled, count, table):
    cell = spelled.undecided[0]
    n_cells = sum(count[cell] for cell in spelled.undecided)
    digits = cell.replace(".", "").replace(",", "")
    row = column.text.index(cell)
    return (
        f"column {column.name!r} has {counted(n_cells, 'cell')} such as {short(cell)} "
        f"({table.place(row)}), which is {digits} or {cell.replace(',', '.')}; say which with "
        "--decimal . or --decimal ,"
    )


def _undecided_date(column, dates, table):
    cell = dates.undecided[0]
    return (
        f"column {column.name!r} has dates such as {short(cell)} "
        f"({table.place(column.text.index(cell))}) with the day or the month first; write them as "
        f"2023-12-31, or leave the column out with {excluding(column.name)}"
    )


def _strays(column, table, kind):
    remedies = [*_mending(column), f"or leave the column out with {excluding(column.name)}"]
    return (
        f"column {column.name!r} is {kind} but for {_texts(column.stray)}: "
        f"{examples(column, column.stray, table)}; {', '.join(remedies)}"
    )


def _text_target(column, table):
    # A column of text alone is the wrong one; one of numbers but for a few cells may be mended.
    remedy = "choose another --target"
    if len(column.stray) < np.sum(~column.missing):
        remedy = ", ".join([*_mending(column), f"or {remedy}"])
    return (
        f"the target {column.name!r} must be numbers but has {_texts(column.stray)}: "
        f"{examples(column, column.stray, table)}; {remedy}"
    )


def _texts(stray):
    return "a text" if len(stray) == 1 else f"{len(stray):,} texts"


def _mending(column):
    """What to do about cells that are text among numbers, the column being kept: list of str."""
    different = list(dict.fromkeys(column.text[row] for row in column.stray))
    them = "them" if len(column.stray) > 1 else "it"
    remedies = [f"mend {them}"]
    if len(different) <= _FEW and not any("," in cell for cell in different):
        remedies.append(f"call {them} missing with --missing={shlex.quote(','.join(different))}")
    return remedies


def _infinite(column, table):
    infinite = np.flatnonzero(np.isinf(column.numbers))
    if not len(infinite):
        return None
    count = "an infinite value" if len(infinite) == 1 else f"{len(infinite):,} infinite values"
    return (
        f"column {column.name!r} has {count} ({table.places(infinite)}); mend the cells, call "
        "them missing with --missing=inf,-inf, or leave the column out with "
        f"{excluding(column.name)}"
    )
