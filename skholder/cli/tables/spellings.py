"""Numbers that are not written plainly: decimal commas, thousands separators, percent signs."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

__all__ = ["Spellings", "read_spellings"]

# Besides comma and point: spaces of several kinds and apostrophes.
_GAPS = " \u00a0\u2009\u202f'\u2019"


def _pattern(decimal, group):
    """A number with these marks for decimals and for groups of three digits."""
    grouped = rf"[1-9]\d{{0,2}}(?P<group>[{group}{_GAPS}])\d{{3}}(?:(?P=group)\d{{3}})*"
    whole = rf"(?P<whole>{grouped}|\d+)"
    fraction = rf"(?P<fraction>[{decimal}]\d*)?"
    return re.compile(
        rf"(?P<sign>[+-]?)(?:{whole}{fraction}|(?P<bare>[{decimal}]\d+))"
        r"(?P<power>[eE][+-]?\d+)?(?P<percent>\s*%)?",
        re.ASCII,
    )


_PATTERNS = (_pattern(".", ","), _pattern(",", "."))


@dataclass(frozen=True)
class _Reading:
    """A cell as a number: its value and the marks it has, empty where there is none."""

    value: float
    decimal: str
    group: str
    percent: bool


@dataclass(frozen=True)
class Spellings:
    """What cells are as numbers; arrays have shape (n,).

    Attributes
    ----------
    values : ndarray
        nan where a cell is no number, or undecided.
    commas, groups, percents : ndarray of bool
        Where a cell has a decimal comma, separated thousands, a percent sign.
    undecided : list of str
        Cells such as ``1,234`` that are one number with a decimal comma and another with
        separated thousands, in a column that does not tell which is meant.
    """

    values: np.ndarray
    commas: np.ndarray
    groups: np.ndarray
    percents: np.ndarray
    undecided: list


def read_spellings(cells, decimal=None, point_is_plain=True):
    """Read cells as numbers, however they are written.

    A cell that can be read in one way only is read so. Of ``1,234`` and ``1.234`` the other cells
    of the column decide: a mark that is used for decimals elsewhere is so here, one that separates
    thousands elsewhere does so here.

    Parameters
    ----------
    cells : list of str
        The different cells of a column.
    decimal : {".", ","} or None
        The decimal mark, where the column itself leaves it open.
    point_is_plain : bool
        Whether ``1.234`` is a decimal point where nothing else is known; not so in a table that
        has decimal commas elsewhere.

    Returns
    -------
    Spellings
    """
    found = [_readings(cell) for cell in cells]
    decimals, separators = _evidence(found)
    values, undecided = np.full(len(cells), np.nan), []
    flags = np.zeros((3, len(cells)), dtype=bool)
    for j, (cell, readings) in enumerate(zip(cells, found, strict=True)):
        if not readings:
            continue
        reading = readings[0]
        if len(readings) == 2:
            used = "," if "," in cell else "."
            role = _role(used, decimals, separators, decimal, point_is_plain)
            if role is None:
                undecided.append(cell)
                continue
            reading = next(one for one in readings if (one.decimal == used) == (role == "decimal"))
        values[j] = reading.value
        flags[:, j] = reading.decimal == ",", bool(reading.group), reading.percent
    return Spellings(values, *flags, undecided)


def _readings(cell):
    """The different numbers that a cell can be: none, one or two readings in a list."""
    matches = [pattern.fullmatch(cell) for pattern in _PATTERNS]
    readings = [_read(match) for match in matches if match]
    # Without a mark the patterns agree.
    return readings[:1] if len({one.value for one in readings}) == 1 else readings


def _read(match):
    fraction = match["fraction"] or match["bare"] or ""
    digits = re.sub(r"\D", "", match["whole"] or "0")
    number = float(f"{match['sign']}{digits}.{fraction[1:]}{match['power'] or ''}")
    return _Reading(number, fraction[:1], match["group"] or "", bool(match["percent"]))


def _evidence(found):
    """Marks that some cell can only have for decimals, and those only for thousands."""
    certain = [readings[0] for readings in found if len(readings) == 1]
    return {one.decimal for one in certain}, {one.group for one in certain}


def _role(mark, decimals, separators, decimal, point_is_plain):
    """What a mark of a cell with two readings is: ``"decimal"``, ``"separator"`` or None."""
    is_decimal, is_separator = mark in decimals, mark in separators
    other = "." if mark == "," else ","
    if is_decimal != is_separator:
        return "decimal" if is_decimal else "separator"
    if decimal is not None:
        return "decimal" if mark == decimal else "separator"
    if is_decimal:
        return None
    if other in decimals:
        return "separator"
    if other in separators or (mark == "." and point_is_plain):
        return "decimal"
    return None
