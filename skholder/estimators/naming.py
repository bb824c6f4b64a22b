"""What rows, columns and the response are called, wherever they are shown."""

from __future__ import annotations

__all__ = ["column_names", "copy_columns", "frame_library", "row_labels", "target_name"]


def row_labels(X):
    """The index of a pandas object, or None."""
    return X.index if hasattr(X, "iloc") else None


def frame_library(X):
    """``"polars"`` for a polars frame, ``"pandas"`` for everything else."""
    return "polars" if type(X).__module__.split(".")[0] == "polars" else "pandas"


def copy_columns(owner, source):
    """Give ``owner`` the number and names of columns that ``source`` was fitted to, and no others.

    Parameters
    ----------
    owner : object
        A meta-estimator, perhaps fitted before.
    source : object
        Its fitted part; not every one says what its columns are.
    """
    for name in ("n_features_in_", "feature_names_in_"):
        vars(owner).pop(name, None)
        if hasattr(source, name):
            setattr(owner, name, getattr(source, name))


def column_names(estimator, given=None):
    """Names of the columns that were fitted, as texts.

    Parameters
    ----------
    estimator : object with ``n_features_in_`` and perhaps ``feature_names_in_``
    given : sequence or None
        Names to use instead, one for each column; None takes those of the fitted data frame, or
        ``x0``, ``x1``, ... without one.

    Returns
    -------
    tuple of str
    """
    n_columns = estimator.n_features_in_
    if given is None:
        given = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(n_columns)])
    names = tuple(str(name) for name in given)
    if len(names) != n_columns:
        raise ValueError(f"feature_names has {len(names)} names for {n_columns} columns.")
    return names


def target_name(y, given=None):
    """What to call the response: the name given, that of a named column, or ``y``."""
    name = given
    if name is None:
        name = getattr(y, "name", None)
    if name is None and len(getattr(y, "columns", ())) == 1:
        name = y.columns[0]
    return "y" if name is None or name == "" else str(name)
