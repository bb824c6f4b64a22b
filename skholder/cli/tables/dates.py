"""Dates in cells, as numbers of days."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import numpy as np

__all__ = ["MICROSECONDS_A_DAY", "Dates", "dates_note", "read_dates"]

MICROSECONDS_A_DAY = 86_400_000_000
_START = datetime(1970, 1, 1, tzinfo=UTC)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TIME = (
    r"(?:[T ]\s*(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d(?:\.\d+)?))?"
    r"\s*(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
)
_YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})" + _TIME
)
_YEAR_LAST = re.compile(
    r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second_part>\d{1,2})(?P=mark)(?P<year>\d{4})" + _TIME
)
_DAY_AND_NAME = re.compile(
    r"(?P<day>\d{1,2})[- .]+(?P<name>[A-Za-z]{3})[a-z]*[- .,]+(?P<year>\d{4})" + _TIME
)
_NAME_AND_DAY = re.compile(
    r"(?P<name>[A-Za-z]{3})[a-z]*[- .]+(?P<day>\d{1,2})[ ,]+(?P<year>\d{4})" + _TIME
)


@dataclass(frozen=True)
class Dates:
    """What cells are as dates.

    Attributes
    ----------
    days : ndarray of shape (n,)
        Since the start of 1970; nan where a cell is no date.
    undecided : list of str
        Cells that are one date with the day first and another with the month first, in a column
        that does not tell which is meant; ``days`` has the latter.
    """

    days: np.ndarray
    undecided: list


def dates_note(name):
    """What the user is told of a column of dates."""
    return f"column {name!r} is dates, read as numbers of days since 1970-01-01"


def read_dates(cells):
    """Read cells as dates: ``2023-11-05``, ``5.11.2023``, ``5 Nov 2023``, with a time or without.

    Points put the day first; bars and dashes do what the other cells of the column do.

    Parameters
    ----------
    cells : list of str
        The different cells of a column.

    Returns
    -------
    Dates
    """
    day_first = {mark: _day_first(cells, mark) for mark in "-/."}
    days, undecided = np.full(len(cells), np.nan), []
    for j, cell in enumerate(cells):
        found = _parts(cell, day_first)
        if found is None:
            continue
        try:
            days[j] = _number_of_days(found)
        except ValueError:
            # The 30th of February is no date.
            continue
        if found.get("undecided"):
            undecided.append(cell)
    return Dates(days, undecided)


def _day_first(cells, mark):
    """Whether ``3/4/2023`` is in April, by the cells that leave no doubt; None if none does."""
    matches = [m for m in map(_YEAR_LAST.fullmatch, cells) if m and m["mark"] == mark]
    day = any(int(m["first"]) > 12 for m in matches)
    month = any(int(m["second_part"]) > 12 for m in matches)
    if day == month:
        return True if mark == "." and not day else None
    return day


def _parts(cell, day_first):
    """Year, month, day and time of a cell, as a dict; None if it is not written as a date."""
    if match := _YEAR_FIRST.fullmatch(cell):
        return match.groupdict()
    if match := _YEAR_LAST.fullmatch(cell):
        found = match.groupdict()
        one, two = found["first"], found["second_part"]
        known = day_first[found["mark"]]
        if int(one) > 12 or int(two) > 12 or one == two:
            # Such a cell tells by itself.
            known = int(one) > 12
            found["undecided"] = False
        else:
            found["undecided"] = known is None
        found["day"], found["month"] = (one, two) if known else (two, one)
        return found
    if match := (_DAY_AND_NAME.fullmatch(cell) or _NAME_AND_DAY.fullmatch(cell)):
        found = match.groupdict()
        name = found["name"].lower()
        if name in _MONTHS:
            return {**found, "month": _MONTHS.index(name) + 1}
    return None


def _number_of_days(found):
    second = float(found["second"] or 0)
    moment = datetime(
        *(int(found[part]) for part in ("year", "month", "day")),
        int(found["hour"] or 0),
        int(found["minute"] or 0),
        tzinfo=_zone(found["zone"]),
    )
    since = moment - _START + timedelta(seconds=second)
    return since / timedelta(days=1)


def _zone(text):
    if text is None or text == "Z":
        return UTC
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[-2:])))
