"""What the user wants of a table, and the columns that this means."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from .columns import InputError

__all__ = ["Wishes", "choose_columns"]


@dataclass(frozen=True)
class Wishes:
    """Which columns of a file are meant, and how its cells are.

    Attributes
    ----------
    target : str or None
        The column to explain by the others.
    columns : list of str or None
        None takes all.
    exclude : list of str
    id : str or None
        The column that names the rows; it is no input.
    decimal : {".", ","} or None
        The decimal mark of cells such as ``1,234`` where the table itself leaves it open.
    missing : list of str
        Cells that stand for a missing value, besides the usual ones.
    """

    target: str | None = None
    columns: list | None = None
    exclude: tuple | list = ()
    id: str | None = None
    decimal: str | None = None
    missing: tuple | list = ()


def choose_columns(file, wishes):
    """The columns to audit: those asked for, or all named ones but target and identifier.

    Parameters
    ----------
    file : CsvFile or ParquetFile
    wishes : Wishes

    Returns
    -------
    chosen, left_out : list of str
        ``left_out`` has the columns without a name (a table's old index, as a rule).

    Raises
    ------
    InputError
        With everything that cannot be met.
    """
    target, columns, exclude = wishes.target, wishes.columns, wishes.exclude
    single = [name for name in (target, wishes.id) if name is not None]
    problems = [
        _unknown(name, file.names)
        for name in dict.fromkeys([*single, *(columns or ()), *exclude])
        if name not in file.names
    ]
    if columns and target in columns:
        problems.append(f"the target {target!r} is also in --columns; name it once")
    if columns and wishes.id in columns:
        problems.append(f"the column {wishes.id!r} of --id is also in --columns; name it once")
    if target is not None and target == wishes.id:
        problems.append(f"column {target!r} is both --target and --id; name it once")
    for name in exclude:
        if name == target or name in (columns or ()):
            problems.append(f"column {name!r} is wanted and in --exclude; name it once")
    if problems:
        raise InputError(*problems)
    out = {target, wishes.id, *exclude}
    asked = file.names if columns is None else dict.fromkeys(columns)
    left_out = [name for name in asked if name in file.unnamed - out and columns is None]
    chosen = [name for name in asked if name not in out and name not in left_out]
    if not chosen:
        raise InputError("no columns are left to audit")
    return chosen, left_out


def _unknown(name, names):
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    folded = [other for other in names if other.casefold() == name.casefold()]
    if folded or close:
        return f"there is no column {name!r}; did you mean {(folded or close)[0]!r}?"
    shown = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
    return f"there is no column {name!r}; the columns are {shown}"
