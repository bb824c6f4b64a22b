"""What a working-model object of the user's must be and return, checked before any work is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rows import row_spans

__all__ = ["TAKEN_NAMES", "check_outputs", "check_user_model", "per_parameter"]

#: Names of parameters whose attributes or draws would be taken for those of every fit.
TAKEN_NAMES = frozenset(
    {
        "adequacy",
        "alpha",
        "clean_probability",
        "diagnostics",
        "epsilon",
        "epsilon_interval",
        "epsilon_posterior",
        "feature_names_in",
        "fod_scores",
        "gamma",
        "gamma_path",
        "log_density",
        "modes",
        "n_features_in",
        "offset",
        "outlier_count_posterior",
        "posterior",
        "record",
        "tail_probability",
        "temperature",
    }
)
# A density that is off by more than this factor is not normalised; jumps cost a few percent.
_MOST_MASS = 1.3
# Part of a parameter that is a small step of it.
_STEP = 1e-4
# A node of the quadrature that holds this share of the mass is too coarse for the density.
_COARSE = 0.1
# Where the outermost node holds this share, much may lie beyond.
_BEYOND = 1e-4
# An outermost node with this mass by itself: the density grows, or is as high far away as anywhere.
_MOST_AT_EDGE = 100.0


def check_user_model(wrapped: Any) -> None:
    """Raise ValueError naming what the object lacks, or which of its names will not do."""
    if isinstance(wrapped, type):
        raise ValueError(
            f"A working model is an object, not a class; pass {wrapped.__name__}(...), not "
            f"{wrapped.__name__}."
        )
    for name in ("log_density", "starts", "parameter_names"):
        if not hasattr(wrapped, name):
            raise ValueError(f"A working-model object needs {name!r}; {wrapped!r} has none.")
    _check_names(wrapped)


def _check_names(wrapped):
    names = wrapped.parameter_names
    if isinstance(names, str) or not isinstance(names, Sequence | np.ndarray) or not len(names):
        _fail(wrapped, "parameter_names", f"must be a sequence of names, got {names!r}")
    for name in names:
        if not isinstance(name, str) or not name.isidentifier():
            _fail(wrapped, "parameter_names", f"must be Python identifiers, got {name!r}")
        if name in TAKEN_NAMES:
            _fail(wrapped, "parameter_names", f"has {name!r}, a name of every fit; choose another")
    if len(set(names)) < len(names):
        _fail(wrapped, "parameter_names", f"must be unique, got {tuple(names)!r}")


def per_parameter(wrapped: Any, name: str, default: float) -> NDArray[np.float64]:
    """``prior_mean``, ``prior_scale`` or ``lower``, one number for each parameter, shape (d,)."""
    given, d = getattr(wrapped, name, default), len(wrapped.parameter_names)
    values = _floats(given)
    if values is None or values.shape not in [(), (1,), (d,)] or np.any(np.isnan(values)):
        _fail(wrapped, name, f"must be a number, or one for each of {d} parameters, got {given!r}")
    if name == "prior_mean" and not np.all(np.isfinite(values)):
        _fail(wrapped, name, f"must be finite, got {given!r}")
    if name == "prior_scale" and not np.all((values > 0) & np.isfinite(values)):
        _fail(wrapped, name, f"must be positive and finite, got {given!r}")
    if name == "lower" and np.any(values == np.inf):
        _fail(wrapped, name, f"must be finite or -inf, got {given!r}")
    return np.broadcast_to(values, d)


def check_outputs(
    wrapped: Any,
    rows: NDArray[np.float64],
    nodes: NDArray[np.float64] | None = None,
    log_weight: NDArray[np.float64] | None = None,
) -> None:
    """Raise ValueError naming the method whose answer, at the object's starts, will not do.

    Parameters
    ----------
    wrapped : object
    rows : ndarray of shape (m, k)
    nodes : ndarray of shape (q, k) or None
        Places at which a density of one column is integrated; None for several columns.
    log_weight : ndarray of shape (q,) or None
        Log weights of the nodes.
    """
    theta = _checked_starts(wrapped, rows)
    # Two at least, so that an answer for the first alone has another shape.
    theta = np.resize(theta, (max(2, len(theta)), theta.shape[1]))
    nearby = theta + _STEP * np.maximum(1.0, np.abs(theta))
    somewhere = moving = False
    for part in row_spans(len(rows), len(theta)):
        values = _checked_log_density(wrapped, theta, rows[part], "at rows of X")
        somewhere |= bool(np.any(values > -np.inf))
        moving |= bool(np.any(values != wrapped.log_density(nearby, rows[part])))
    if not somewhere:
        _fail(wrapped, "log_density(theta, X)", "is -inf at every row for every starting value")
    if not moving:
        _fail(wrapped, "log_density(theta, X)", "stays the same when theta moves a little")
    if hasattr(wrapped, "sample"):
        draws = _checked_sample(wrapped, theta, rows.shape[1])
        _checked_log_density(wrapped, theta, draws, "at rows that 'sample' drew")
    if nodes is not None and log_weight is not None:
        values = _checked_log_density(wrapped, theta, nodes, "at values far from those of X")
        _check_mass(wrapped, values + log_weight[:, None])


def _checked_starts(wrapped, rows):
    """Starting values (M, d) above the floor."""
    d, given = len(wrapped.parameter_names), wrapped.starts(rows)
    values = _floats(given)
    if values is None:
        _fail(wrapped, "starts(X)", f"must return an array of floats, got {_kind(given)}")
    values = np.atleast_2d(values)
    if values.ndim != 2 or values.shape[1] != d or not len(values):
        problem = f"must return shape (M, {d}) with M > 0, got {np.shape(given)}"
        _fail(wrapped, "starts(X)", problem)
    values = np.maximum(values, per_parameter(wrapped, "lower", -np.inf))
    if not np.all(np.isfinite(values)):
        _fail(wrapped, "starts(X)", "must return finite starting values")
    return values


def _checked_log_density(wrapped, theta, rows, where):
    """``log_density`` of rows (m, k) at starting values (M, d), shape (m, M)."""
    method, given = "log_density(theta, X)", wrapped.log_density(theta, rows)
    values, shape = _floats(given), (len(rows), len(theta))
    if values is None or np.asarray(given).dtype.kind != "f" or np.asarray(given).itemsize < 8:
        problem = "must return float64, which differences for derivatives need"
        _fail(wrapped, method, f"{problem}; got {_kind(given)}")
    if values.shape != shape:
        problem = f"must return shape (m, T) for m rows and T thetas, here {shape}"
        _fail(wrapped, method, f"{problem}; got {values.shape}")
    if np.any(np.isnan(values)) or np.any(values == np.inf):
        _fail(wrapped, method, f"is NaN or +inf for a starting value, {where}")
    return values


def _checked_sample(wrapped, theta, k):
    """One row for each starting value, shape (M, k)."""
    method, given = "sample(theta, random)", wrapped.sample(theta, np.random.RandomState(0))
    values, shape = _floats(given), (len(theta), k)
    if values is None or values.shape != shape:
        problem = f"must return floats of shape (T, k) for T thetas, here {shape}"
        _fail(
            wrapped,
            method,
            f"{problem}; got {_kind(given) if values is None else values.shape}",
        )
    if not np.all(np.isfinite(values)):
        _fail(wrapped, method, "must return finite rows at starting values")
    return values


def _check_mass(wrapped, log_terms):
    """Log masses (q, M) at the nodes must add up to 1 for a starting value that they cover."""
    log_mass = np.logaddexp.reduce(log_terms, axis=0)
    edge = log_terms[[0, -1]].max(axis=0)
    if np.all(edge > np.log(_MOST_AT_EDGE)):
        problem = "has no integral: it does not fall off far from the rows of X"
        _fail(wrapped, "log_density(theta, X)", problem)
    covered = log_terms.max(axis=0) < log_mass + np.log(_COARSE)
    covered &= edge < log_mass + np.log(_BEYOND)
    if np.any(covered) and np.all(np.abs(log_mass[covered]) > np.log(_MOST_MASS)):
        problem = f"integrates to {np.exp(log_mass[covered][0]):.3g} at starting values, not to 1"
        _fail(wrapped, "log_density(theta, X)", f"{problem}: subtract the log of its integral")


def _floats(values):
    """As an array of float64; None for what is not real numbers."""
    try:
        array = np.asarray(values)
    except ValueError:
        return None
    if array.dtype.kind not in "fiu":
        return None
    return array.astype(np.float64)


def _kind(values):
    """What to call an answer that is not what it should be."""
    return getattr(values, "dtype", type(values).__name__)


def _fail(wrapped, piece, problem):
    raise ValueError(f"The working model {type(wrapped).__name__}: {piece} {problem}.")
