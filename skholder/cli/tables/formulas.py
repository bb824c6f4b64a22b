"""Cells that a spreadsheet would run as formulas, made into text."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["as_text_cell"]

# Signs that start a formula; spreadsheets take the wide ones of Asian keyboards for them too.
_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
# Readers that strip quotes and spaces find the sign behind them.
_FORMULA = re.compile(rf'(?=[\t\r\n])|[\s"]*+[{_SIGNS}]')
# A number with a sign, in any of the usual spellings, can do nothing; nor can the sign alone.
_NUMBER = re.compile(r" *[+-](?:[0-9.,]+(?:[eE][+-]?[0-9]+)?%?)? *")
_SEPARATORS = ",;\t|"


def as_text_cell(cell, separator=","):
    """The cell with an apostrophe before what a spreadsheet would run as a formula.

    That is = + - or @ at its start, or after a sign at which a reader with another separator than
    ours would start a new cell. A cell that is a number, such as -3, stays as it is, and so does
    everything else. The time taken grows with the length of the cell only.

    Parameters
    ----------
    cell : object
        What is no string, such as a number or a date, comes back as it is.
    separator : str
        Between the cells of the file.

    Returns
    -------
    object
        A string for a string.
    """
    if not isinstance(cell, str) or _NUMBER.fullmatch(cell):
        return cell
    breaks, runs = _patterns(separator)
    start = "'" if _FORMULA.match(cell) else ""
    return start + runs.sub(lambda run: breaks.sub("\\g<0>'", run[0]), cell)


@lru_cache
def _patterns(separator):
    """What ends a cell for some reader of files with this separator, and runs that hold it.

    A run of such marks, spaces and quotes stands before a sign. It is tried once, at its start:
    to try it at each of its marks would take a time that grows with the square of its length.
    """
    breaks = "".join(mark for mark in _SEPARATORS if mark != separator) + "\r\n"
    part = rf'[{breaks}\s"]'
    return re.compile(f"[{breaks}]"), re.compile(rf"(?<!{part}){part}++(?=[{_SIGNS}])")
