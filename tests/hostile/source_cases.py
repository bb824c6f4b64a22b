"""One estimator on one table, in memory and as a row source: where the two answers differ."""

from __future__ import annotations

import traceback
import warnings
from pathlib import Path

import numpy as np
from hostile_cases import QUICK, refusal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from skholder import HolderBayesDensity, HolderBayesRegressor
from skholder.exceptions import HolderBayesWarning
from skholder.rows import BlockSource

__all__ = ["SOURCE_SETTINGS", "compare"]

# Design weights need the whole design in memory.
LINEAR = {"leverage": "ignore", **QUICK}
#: Every setting by name.
SOURCE_SETTINGS = {
    "regression": HolderBayesRegressor(gamma=0.5, **LINEAR),
    "regression, gamma chosen": HolderBayesRegressor(**LINEAR),
    "regression, laplace": HolderBayesRegressor(gamma=0.5, inference="laplace", **LINEAR),
    "regression as it comes": HolderBayesRegressor(gamma=0.5, standardize=False, **LINEAR),
    "student_t": HolderBayesRegressor(gamma=0.5, noise="student_t", **LINEAR),
    "diagonal": HolderBayesDensity(gamma=0.5, covariance_type="diag", **QUICK),
    "density, gamma chosen": HolderBayesDensity(**QUICK),
    "full, laplace": HolderBayesDensity(
        gamma=0.5, covariance_type="full", inference="laplace", **QUICK
    ),
}


def compare(model, table, *, errors=0.0):
    """Faults of a fit to a row source, beside the fit to the same rows in memory.

    Parameters
    ----------
    model : estimator
    table : Table
    errors : float
        Monte Carlo errors by which two means may differ: where sums round otherwise, the draws may
        be others. With fewer rows than parameters the modes that are found may be others too, and
        answers are not compared.

    Returns
    -------
    list of (str, str)
        Kind and detail.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            faults = _differences(model, table, errors)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}:{last.lineno}"
            faults = [("crash", f"{type(error).__name__}: {str(error)[:90]} ({where})")]
    foreign = {
        f"{one.category.__name__}: {one.message} ({Path(one.filename).name}:{one.lineno})"
        for one in caught
        if not issubclass(one.category, HolderBayesWarning | ConvergenceWarning)
    }
    return faults + [("foreign warning", text[:140]) for text in sorted(foreign)]


def _differences(model, table, errors):
    with_y = isinstance(model, HolderBayesRegressor)
    y = table.y if with_y else None
    memory = _answer(lambda: clone(model).fit(table.X, y, sample_weight=table.weight))
    streamed = _answer(lambda: clone(model).fit(_cut(table, with_y)))
    if isinstance(memory, str) or isinstance(streamed, str):
        return [] if memory == streamed else [("repeat", f"{streamed!s:.60} for {memory!s:.60}")]
    blocks = list(streamed.audit_blocks(_cut(table, with_y)))
    fod, log_density = (
        np.concatenate([getattr(block, name) for block in blocks])
        for name in ("fod", "log_density")
    )
    faults = [
        ("non-finite", name)
        for name, value in (*streamed.posterior_.items(), ("log_density", log_density))
        if not np.all(np.isfinite(value))
    ]
    if errors > 0 and len(table.X) < memory.record_.draws.theta.shape[1]:
        return faults
    effective = min(memory.diagnostics_.ess_bulk.values(), default=QUICK["n_draws"])
    error = errors * np.sqrt(2 / effective)
    shift = abs(streamed.epsilon_ - memory.epsilon_)
    if not shift <= 1e-6 + error * memory.epsilon_posterior_.std():
        faults.append(("repeat", f"epsilon differs by {shift:.2g}"))
    # Blocks are audited as new rows are: all rows that are tied at a threshold are flagged.
    shift = np.max(np.abs(fod - memory.fod(*((table.X, y) if with_y else (table.X,)))))
    if not shift <= 0.01 + 0.5 * error:
        faults.append(("repeat", f"FoD differs by {shift:.2g}"))
    return faults


def _cut(table, with_y, size=11):
    def blocks():
        for start in range(0, len(table.X), size):
            part = slice(start, start + size)
            weight = None if table.weight is None else table.weight[part]
            yield table.X[part], table.y[part] if with_y else None, weight

    return BlockSource(blocks)


def _answer(call):
    """What a call gives, or the words of its refusal."""
    try:
        return call()
    except ValueError as error:
        if not refusal(error):
            raise
        return str(error)
