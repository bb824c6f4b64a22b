"""What comes in: weights, random states, and errors that name the column."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
from sklearn.utils import check_random_state

from .._sklearn import check_sample_weight

__all__ = ["naming_columns", "private_random_state", "usable_weight"]


def private_random_state(random_state):
    """A RandomState that is never NumPy's global one: None draws a fresh seed from the system."""
    return np.random.RandomState() if random_state is None else check_random_state(random_state)


def usable_weight(sample_weight, X):
    """Row weights as a float array, or None; an error where no two rows carry weight."""
    if sample_weight is None:
        return None
    weight = check_sample_weight(sample_weight, X, dtype=np.float64)
    if np.any(weight < 0):
        raise ValueError("sample_weight must not be negative.")
    if not weight.sum() > 0:
        raise ValueError("sample_weight sums to zero: no row carries any weight.")
    if np.sum(weight > 0) < 2:
        raise ValueError("sample_weight leaves 1 sample with positive weight; 2 are needed.")
    return None if np.all(weight == 1) else weight


@contextmanager
def naming_columns(X):
    """Errors about text or dates in a data frame name the column and the remedy."""
    dates = [name for name in _columns(X) if _kind(X[name]) == "M"]
    if dates:
        raise ValueError(
            f"Column {dates[0]!r} holds dates. Turn them into numbers first, for instance days "
            "since a date."
        )
    try:
        yield
    except (ValueError, TypeError) as error:
        for name in _columns(X):
            cell = _first_not_a_number(X[name])
            if cell is not None:
                raise ValueError(
                    f"Column {name!r} holds {cell!r}, which is not a number ({error}). Encode such "
                    "columns first (OneHotEncoder, OrdinalEncoder) or leave them out."
                ) from error
        raise


def _columns(X):
    """Column names of a data frame, pandas or polars, without repeats; none for anything else."""
    names = list(getattr(X, "columns", ()))
    return names if len(set(map(str, names))) == len(names) else []


def _kind(column):
    return getattr(np.asarray(column[:1]).dtype, "kind", "")


def _first_not_a_number(column):
    """The first cell that is neither a number nor missing; None if there is none."""
    if _kind(column) in "fiub":
        return None
    for cell in np.asarray(column, dtype=object):
        try:
            float(cell)
        except (TypeError, ValueError):
            if cell is not None and cell == cell:
                return cell
    return None
