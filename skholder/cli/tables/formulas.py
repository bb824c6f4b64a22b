"""Cells that a spreadsheet would run as formulas, made into text."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["as_text_cell"]

# Signs that start a formula; spreadsheets take the wide ones of Asian keyboards for them too.
_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
# A number with a sign, in any of the usual spellings, can do nothing; nor can the sign alone.
_NUMBER = r"[+-](?:[0-9.,]+(?:[eE][+-]?[0-9]+)?%?)?"
_SEPARATORS = ",;\t|"


def as_text_cell(cell, separator=","):
    """The cell with an apostrophe before what a spreadsheet would run as a formula.

    That is = + - or @ at its start, or after a sign at which a reader with another separator than
    ours would start a new cell. Numbers such as -3 stay as they are, and so does everything else.

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
    return _pattern(separator).sub("\\g<0>'", cell) if isinstance(cell, str) else cell


@lru_cache
def _pattern(separator):
    """Matches just before what has to be kept from running, for files with this separator."""
    breaks = "".join(mark for mark in _SEPARATORS if mark != separator) + "\r\n"
    number = rf"{_NUMBER}\s*(?:$|[{breaks}])"
    # Readers that strip quotes and spaces find the sign behind them.
    formula = rf'(?=[\s"]*[{_SIGNS}])(?!\s*{number})'
    return re.compile(rf"\A(?=[\t\r\n])|\A{formula}|[{breaks}]{formula}")
