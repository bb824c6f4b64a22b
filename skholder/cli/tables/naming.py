"""How messages name cells, columns and the options that mend them."""

from __future__ import annotations

import shlex

__all__ = ["SHOWN", "counted", "examples", "excluding", "short"]

# Offending cells that a message shows.
SHOWN = 3


def short(cell):
    """A cell in quotes, cut if it is long."""
    return repr(cell if len(cell) <= 30 else cell[:29] + "…")


def examples(column, rows, table):
    """Some cells of a column of text with their places; further ones are counted.

    Parameters
    ----------
    column : Column
    rows : sequence of int
    table : Table

    Returns
    -------
    str
    """
    shown = [f"{short(column.text[row])} ({table.place(row)})" for row in rows[:SHOWN]]
    rest = len(rows) - len(shown)
    return ", ".join(shown) + (f" and {rest:,} more" if rest else "")


def excluding(name, option="--exclude"):
    """The option that leaves a column out, as a shell takes it."""
    quoted = f'"{name}"' if "," in name else name
    return f"{option} {shlex.quote(quoted)}"


def counted(number, noun, plural=None):
    """``1 row``, ``2 rows``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
