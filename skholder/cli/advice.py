"""Advice of the estimators, in the words of the command."""

from __future__ import annotations

import re

import numpy as np

__all__ = ["beyond_floats", "in_options"]

# How SciPy, NumPy and the estimators say that numbers have left the range of floats on their way.
_BEYOND = (
    "array must not contain infs or NaNs",
    "too far apart in size",
    "have no room in double precision",
)

# What the estimators call a thing, and what it is called here; advice on what has no option goes.
_IN_OPTIONS = (
    (
        r"cv=5 folds need at least 5 rows, got n_samples=(\d+)\. Use fewer folds or more rows\.",
        r"--model trees needs at least 5 rows; the table has \1",
    ),
    (r"\bn_draws\b", "--draws"),
    (r"(?<!-)\bgamma\b", "--gamma"),
    (r", a smaller prior scale(?: \([^)]*\))?", ""),
    (r"\bmin_scale sets\b", "keeps scales from 0"),
    (r"; raise min_scale[^.;]*| Raise min_scale[^.;]*\.", ""),
    (r" diagnostics_\.checks has the figures\.", ""),
    (r"\bLook at modes_; a larger\b", "A larger"),
    (r"(?<=limit )max_contamination=", ""),
    (r"(?<=limit) max_contamination\b", " of epsilon"),
    (r"\bmax_contamination=", "the limit "),
    (r"\bDrop (?:such |those )?columns\b", r"\g<0> with --exclude"),
    (r"^X\b", "The table"),
    (r"\bX\b", "the table"),
)


def in_options(advice, names=()):
    """Advice about parameters of an estimator, as advice about the options that set them.

    Parameters
    ----------
    advice : str
        What stands in single quotes, such as the name of a column, is left as it is.
    names : iterable of str
        What is left as it is too, such as the names of files.

    Returns
    -------
    str
        In one line.
    """
    spared = "|".join(["'[^']*'", *map(re.escape, names)])
    parts = re.split(f"({spared})", " ".join(advice.split()))
    for pattern, words in _IN_OPTIONS:
        parts[::2] = [re.sub(pattern, words, part) for part in parts[::2]]
    return "".join(parts)


def beyond_floats(error, design, table, target):
    """Why a fit failed on numbers that are too large to compute with, or None for other errors.

    Parameters
    ----------
    error : ValueError
    design : Design
    table : Table
        Where its rows come from.
    target : str or None

    Returns
    -------
    str or None
        Names the largest number, which is most likely a typing error or a code.
    """
    told = any(words in str(error) for words in _BEYOND)
    if not (told or isinstance(error, np.linalg.LinAlgError)):
        return None
    names = list(design.names)
    values = design.X
    if design.y is not None:
        names, values = [*names, target], np.column_stack([values, design.y])
    row, column = np.unravel_index(np.nanargmax(np.abs(values)), values.shape)
    largest = values[row, column]
    return (
        f"the numbers of the table are too far apart to compute with: column {names[column]!r} is "
        f"{largest:g} ({table.place(design.rows[row])}); mend the cell, or call it missing with "
        f"--missing={float(largest)!r}"
    )
