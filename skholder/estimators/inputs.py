"""What comes in: weights, random states, and errors that name the column."""

from __future__ import annotations

import reprlib
from contextlib import contextmanager
from datetime import date

import numpy as np
from sklearn.utils import check_random_state

from .._sklearn import check_sample_weight
from ..rows import DaskSource, RowSource, is_dask, listed_names
from .limits import check_total_weight

__all__ = [
    "as_source",
    "naming_columns",
    "needs_memory",
    "private_random_state",
    "refuse_source",
    "usable_weight",
]

# NumPy's kinds of dates and of durations.
_DATES = {"M": "dates", "m": "durations"}


def as_source(X, y, sample_weight):
    """The row source that X is, or that a Dask collection makes; None for a table in memory."""
    if is_dask(X):
        return DaskSource(X, y, sample_weight)
    if not isinstance(X, RowSource):
        return None
    if y is not None or sample_weight is not None:
        raise ValueError(
            "A row source brings its own response and weights: give them to the source, not to fit."
        )
    return X


def needs_memory(name, X):
    """Refuse Dask collections and row sources, over which what has this name cannot walk."""
    if is_dask(X) or isinstance(X, RowSource):
        raise ValueError(
            f"{name} needs its rows in memory, got a {type(X).__name__}. Give it a sample, or all "
            "rows where they fit; or fit HolderBayesRegressor or HolderBayesDensity, which walk "
            "over row sources: epsilon_ is the share outside the model, audit_blocks(source) "
            "audits every row."
        )


def refuse_source(X):
    """Refuse a row source where a method answers for rows in memory."""
    if isinstance(X, RowSource):
        raise ValueError(
            f"Only fit and audit_blocks take a row source, got a {type(X).__name__}. Give this "
            "method the rows of one block at a time: for block in source, its block.X and block.y."
        )


def private_random_state(random_state):
    """A RandomState that is never NumPy's global one: None draws a fresh seed from the system."""
    return np.random.RandomState() if random_state is None else check_random_state(random_state)


def usable_weight(sample_weight, X):
    """Row weights as a float array, or None; an error where no two rows carry weight."""
    if sample_weight is None:
        return None
    # A copy: a fit keeps its weights, whatever becomes of the caller's array.
    weight = check_sample_weight(sample_weight, X, dtype=np.float64, copy=True)
    if np.any(weight < 0):
        raise ValueError("sample_weight must not be negative.")
    check_total_weight(weight)
    if not weight.sum() > 0:
        raise ValueError("sample_weight sums to zero: no row carries any weight.")
    if np.sum(weight > 0) < 2:
        raise ValueError("sample_weight leaves 1 sample with positive weight; 2 are needed.")
    return None if np.all(weight == 1) else weight


@contextmanager
def naming_columns(X, y=None):
    """Errors about text or dates in a data frame or a named response name it and the remedy.

    Arrays have no names: their errors stay scikit-learn's, as do those about missing values,
    sparse matrices and complex numbers. A row source is no table in memory, and refused.
    """
    if hasattr(X, "collect_schema") and hasattr(X, "collect"):
        raise ValueError("A LazyFrame has no rows yet: pass X.collect().")
    refuse_source(X)
    columns = _named_columns(X, y)
    for name, column in columns:
        what = _DATES.get(_kind(column))
        if what is not None:
            raise ValueError(_about_dates(name, what))
    try:
        # Infinities of both signs have no sum, by which scikit-learn looks for them.
        with np.errstate(invalid="ignore"):
            yield
    except (ValueError, TypeError) as error:
        for name, column in columns:
            cell = _first_not_a_number(column)
            if isinstance(cell, date):
                raise ValueError(_about_dates(name, "dates")) from error
            if cell is not None:
                raise ValueError(
                    f"{name} holds {reprlib.repr(cell)}, which is not a number. Encode such "
                    "columns first (OneHotEncoder, OrdinalEncoder) or leave them out."
                ) from error
        raise


def _about_dates(name, what):
    example = "days since a date" if what == "dates" else "seconds"
    return f"{name} holds {what}. Turn them into numbers first, for instance {example}."


def _named_columns(X, y):
    """What to call each column of a pandas, polars or pyarrow object, and the column."""
    names = listed_names(X)
    if len(set(map(str, names))) < len(names):
        # Which of two columns of one name is meant cannot be said.
        names = []
    columns = [(f"Column {name!r}", X[name]) for name in names]
    if getattr(y, "name", None) is not None:
        columns.append((f"The response {y.name!r}", y))
    return columns


def _kind(column):
    # A slice of a column whose row labels are real numbers goes by labels in older pandas.
    first = column.head(1) if hasattr(column, "head") else column[:1]
    return getattr(np.asarray(first).dtype, "kind", "")


def _first_not_a_number(column):
    """The first cell that is neither a number nor missing; None if there is none."""
    if _kind(column) in "fiubc":
        return None
    for cell in np.asarray(column, dtype=object):
        if _is_missing(cell) or isinstance(cell, complex):
            continue
        try:
            float(cell)
        except (TypeError, ValueError):
            return cell
    return None


def _is_missing(cell):
    """Whether a cell is None, NaN, or pandas' NA or NaT."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float) and cell != cell
