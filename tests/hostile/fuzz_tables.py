"""Strategies of Hypothesis: small tables of every ugly kind, and new rows for a fitted model."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hostile_tables import Table
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

__all__ = ["NEW_ROWS", "new_rows", "tables", "within"]

SIZES = [1e-300, 1e-150, 1e-12, 1e-3, 0.1, 1.0, 10.0, 1e3, 1e6, 1e12, 1e100, 1e300, 1.7e308]
#: Ways to make rows out of the training rows.
NEW_ROWS = ("same", "one", "shifted", "far", "furthest", "too wide", "with a gap", "none")


@st.composite
def tables(draw):
    """A :class:`Table` of 1 to 24 rows, often an ordinary one, often with several faults."""
    n, p = draw(st.integers(1, 24) | st.integers(8, 24)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    X = draw(_columns(n, p, rng))
    y = draw(_response(n, X, rng))
    for _ in range(draw(st.sampled_from([0, 0, 1, 2, 3]))):
        draw(_fault(X, y, rng))
    weight = draw(_weights(n, rng))
    return Table(*draw(_container(X, y)), weight)


@st.composite
def _columns(draw, n, p, rng):
    kind = draw(st.sampled_from(["normal", "normal", "normal", "counts", "cauchy", "drawn"]))
    if kind == "normal":
        return rng.normal(size=(n, p))
    if kind == "counts":
        return rng.poisson(2.0, size=(n, p)).astype(float)
    if kind == "cauchy":
        return rng.standard_cauchy(size=(n, p))
    return draw(hnp.arrays(float, (n, p), elements=st.floats(-1e9, 1e9)))


@st.composite
def _response(draw, n, X, rng):
    kind = draw(st.sampled_from(["noisy", "noisy", "noisy", "exact", "ties", "constant", "drawn"]))
    with np.errstate(over="ignore"):
        line = X.sum(axis=1)
    if kind == "noisy":
        return line + rng.normal(size=n) + 8 * (rng.random(n) < 0.1)
    if kind == "exact":
        return line
    if kind == "ties":
        return np.rint(rng.normal(size=n))
    if kind == "constant":
        return np.full(n, 3.0)
    return draw(hnp.arrays(float, n, elements=st.floats(-1e9, 1e9)))


@st.composite
def _fault(draw, X, y, rng):
    """Change X and y in place."""
    n, p = X.shape
    j, i = draw(st.integers(0, p - 1)), draw(st.integers(0, n - 1))
    size = draw(st.sampled_from(SIZES))
    kind = draw(
        st.sampled_from(
            ["cell", "scale", "offset", "constant", "copy", "tie", "y", "y scale", "gap"]
        )
    )
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if kind == "cell":
            X[i, j] = size
        elif kind == "scale":
            X[:, j] *= size
        elif kind == "offset":
            X[:, j] += size
        elif kind == "constant":
            X[:, j] = size
        elif kind == "copy":
            X[:, j] = X[:, 0]
        elif kind == "tie":
            X[: n // 2], y[: n // 2] = X[i], y[i]
        elif kind == "y":
            y[i] = size
        elif kind == "y scale":
            y *= size
        elif draw(st.booleans()):
            X[i, j] = np.nan
    # Infinity is refused by scikit-learn: one in many is enough.
    if draw(st.integers(0, 9)):
        X[np.isinf(X)], y[np.isinf(y)] = 1.7e308, 1.7e308


@st.composite
def _weights(draw, n, rng):
    kind = draw(st.sampled_from([None, None, None, "whole", "gamma", "one", "drawn"]))
    if kind is None:
        return None
    if kind == "whole":
        return rng.integers(0, 4, n).astype(float)
    if kind == "gamma":
        return rng.gamma(0.5, size=n)
    if kind == "one":
        weight = np.ones(n)
        weight[draw(st.integers(0, n - 1))] = draw(st.sampled_from(SIZES))
        return weight
    return draw(hnp.arrays(float, n, elements=st.floats(0, 1e3) | st.just(-1.0)))


@st.composite
def _container(draw, X, y):
    kind = draw(st.sampled_from(["array", "array", "frame", "fortran", "float32", "list"]))
    if kind == "frame":
        names = [f"column {j}" for j in range(X.shape[1])]
        labels = [f"row {i}" for i in range(len(X))]
        return pd.DataFrame(X, columns=names, index=labels), pd.Series(y, index=labels, name="y")
    if kind == "fortran":
        return np.asfortranarray(X), y
    if kind == "float32":
        # Beyond it single precision is infinite.
        return np.clip(X, -1e38, 1e38).astype(np.float32), np.clip(y, -1e38, 1e38)
    if kind == "list":
        return X.tolist(), y.tolist()
    return X, y


def new_rows(table, kind):
    """Rows made out of a table's by one of ``NEW_ROWS``: X and y."""
    X, y = np.array(table.X, dtype=float), np.array(table.y, dtype=float)
    if kind == "one":
        X, y = X[:1], y[:1]
    elif kind == "shifted":
        with np.errstate(over="ignore"):
            X, y = np.clip(2 * X + 1, -1.7e308, 1.7e308), np.clip(y - 3, -1.7e308, 1.7e308)
    elif kind in ("far", "furthest"):
        X[0, 0] = y[-1] = 1e12 if kind == "far" else -1.7e308
    elif kind == "too wide":
        X = np.hstack([X, X])
    elif kind == "with a gap":
        X[0, -1] = np.nan
    elif kind == "none":
        X, y = X[:0], y[:0]
    if isinstance(table.X, pd.DataFrame):
        names = [f"column {j}" for j in range(X.shape[1])]
        return pd.DataFrame(X, columns=names), pd.Series(y, name="y")
    return X, y


def within(table, largest):
    """A table whose numbers are no larger than that, in arrays as they came."""
    if largest == np.inf:
        return table
    X = table.X if hasattr(table.X, "clip") else np.array(table.X)
    y = table.y if hasattr(table.y, "clip") else np.array(table.y)
    return Table(X.clip(-largest, largest), y.clip(-largest, largest), table.weight)
