"""CSV text that every reader splits into the same cells."""

from __future__ import annotations

import csv
from types import SimpleNamespace

__all__ = ["csv_text"]


def csv_text(rows, separator=",", end="\n"):
    """Rows as CSV, with quotes around cells that hold any line break.

    Parameters
    ----------
    rows : iterable of iterable
        Cells.
    separator : str
        Between the cells.
    end : str
        After each row.

    Returns
    -------
    str
    """
    lines = []
    # The writer hands over whole rows, and quotes what its own line end is made of.
    rows_into = SimpleNamespace(write=lambda line: lines.append(line[:-2] + end))
    csv.writer(rows_into, delimiter=separator, lineterminator="\r\n").writerows(rows)
    return "".join(lines)
