"""Predictions of rows by a model that was trained without them, and what they leave over."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, check_cv
from sklearn.utils.parallel import Parallel, delayed

from .._sklearn import method_params, safe_indexing
from ..rows import NORMAL_IQR, weighted_quantiles

__all__ = [
    "ResidualSize",
    "absolute_size",
    "check_residuals",
    "one_per_row",
    "out_of_fold",
    "relative_size",
    "split_rows",
]

# Residuals count at most this many robust standard deviations where their size is learned.
_CAP = 3.0
# Sizes this much below the usual one are taken for noise of their fit.
_SMALLEST = 0.25
# Residuals below this share of the response are rounding.
_ROUNDING = 1e-12


def split_rows(cv, X, y, params, seed):
    """The folds: a list of pairs (training rows, rows to predict), each an array of positions.

    Parameters
    ----------
    cv : int, splitter, iterable or None
        An integer shuffles the rows first, so that sorted tables do no harm. An iterable gives
        pairs of positions or of boolean masks.
    X, y : tables of n rows
    params : dict
        For the splitter's ``split``, such as ``groups``.
    seed : int
        For the shuffling.
    """
    n = len(y)
    if cv is None or isinstance(cv, int | np.integer):
        n_folds = 5 if cv is None else int(cv)
        if n < n_folds:
            raise ValueError(
                f"cv={n_folds} folds need at least {n_folds} rows, got n_samples={n}. Use fewer "
                "folds or more rows."
            )
        cv = KFold(n_folds, shuffle=True, random_state=seed)
    pairs = check_cv(cv).split(X, y, **params)
    folds = [(_positions(train, n), _positions(test, n)) for train, test in pairs]
    if not folds:
        raise ValueError("cv has no folds: give it an integer, a splitter or some folds.")
    predicted = np.bincount(np.concatenate([test for _, test in folds]), minlength=n)
    if np.any(predicted == 0):
        raise ValueError(
            f"cv leaves {int(np.sum(predicted == 0))} of {n} rows in no test fold: their residuals "
            "are not known. Use a splitter whose test folds hold every row, such as KFold or "
            "GroupKFold."
        )
    return folds


def _positions(rows, n):
    """Positions of the rows of a fold, which may come as a mask."""
    rows = np.asarray(rows)
    if rows.dtype == bool and rows.shape == (n,):
        return np.flatnonzero(rows)
    if rows.ndim != 1 or (rows.size and not np.issubdtype(rows.dtype, np.integer)):
        raise ValueError(
            "The rows of a fold of cv must be positions or a boolean mask of all rows, got an "
            f"array of {rows.dtype} of shape {rows.shape}."
        )
    if np.any((rows < 0) | (rows >= n)):
        raise ValueError(f"A fold of cv has rows that are not among the positions 0 to {n - 1}.")
    return rows.astype(np.intp)


def out_of_fold(estimator, X, y, folds, params, weight, n_jobs, progress):
    """Predictions (n,) of each row by a clone that was trained without it.

    Parameters
    ----------
    estimator : object
        A regressor; never changed.
    X : table of n rows, whatever the estimator takes
    y : ndarray of shape (n,)
    folds : list of (ndarray of int, ndarray of int)
        A row in several test folds gets the mean of its predictions.
    params : dict
        For ``fit``; what has n rows is divided like them.
    weight : ndarray of shape (n,) or None
        Rows of weight 0 are no part of the data: no clone is trained on them.
    n_jobs : int or None
    progress : callable
        Called as ``progress(1, len(folds))`` after each fold.
    """
    counts = np.ones(len(y), dtype=bool) if weight is None else weight > 0
    one = partial(_predict_fold, X=X, y=y, params=params)
    jobs = (delayed(one)(clone(estimator), train[counts[train]], test) for train, test in folds)
    total, times = np.zeros(len(y)), np.zeros(len(y))
    predictions = Parallel(n_jobs=n_jobs, return_as="generator")(jobs)
    for (_, test), prediction in zip(folds, predictions, strict=True):
        total[test] += prediction
        times[test] += 1
        progress(1, len(folds))
    return total / times


def _predict_fold(estimator, train, test, *, X, y, params):
    if not len(train):
        raise ValueError("A fold has no rows of positive weight to train on: use fewer folds.")
    estimator.fit(safe_indexing(X, train), y[train], **method_params(X, params, train))
    prediction = one_per_row(estimator.predict(safe_indexing(X, test)))
    return prediction.astype(np.float64).reshape(len(test))


def one_per_row(prediction):
    """Predictions as an array of shape (m,); some estimators give them as a column."""
    prediction = np.asarray(prediction)
    if prediction.ndim == 1:
        return prediction
    if prediction.ndim == 2 and prediction.shape[1] == 1:
        return prediction[:, 0]
    raise ValueError(
        "The estimator must predict one number for each row, but its predictions have shape "
        f"{prediction.shape}."
    )


def check_residuals(residuals, y):
    """Refuse residuals that leave nothing to audit."""
    if not np.all(np.isfinite(residuals)):
        raise ValueError("The estimator predicts NaN or infinity for some rows.")
    if np.max(np.abs(residuals)) <= _ROUNDING * np.max(np.abs(y)):
        raise ValueError(
            "The out-of-fold residuals are all zero: the estimator predicts every row exactly, so "
            "there is no noise to compare a row with. Is the response constant, or among the "
            "columns of X?"
        )


def absolute_size(residuals, weight):
    """Absolute residuals (n,), those of outliers capped, from which their usual size is learned."""
    size = np.abs(residuals)
    (middle,) = weighted_quantiles(size[:, None], weight, [0.5])
    usual = 2 * middle[0] / NORMAL_IQR
    return np.minimum(size, _CAP * usual) if usual > 0 else size


@dataclass(frozen=True, repr=False)
class ResidualSize:
    """The usual size of residuals, where it depends on the row.

    Attributes
    ----------
    estimator : object
        Fitted: predicts the absolute residual from X.
    usual : float
        Mean absolute residual of the training rows.
    """

    estimator: Any
    usual: float

    def of(self, X):
        """Sizes of rows, 1 for the usual one, shape (m,)."""
        return relative_size(one_per_row(self.estimator.predict(X)), self.usual)


def in_units(residuals, size):
    """Residuals (n,) divided by their sizes; the furthest stay floats."""
    largest = np.finfo(float).max
    with np.errstate(over="ignore"):
        return np.clip(residuals / size, -largest, largest)


def relative_size(size, usual):
    """(size / usual)^(1/3) of fitted sizes (m,), never so small that noise blows up.

    A fitted size is itself noisy, and dividing by it whole loses more than it gains on most tables;
    its cube root gains on nearly all (``examples/studies/any_model.py``).
    """
    return np.cbrt(np.maximum(size / usual, _SMALLEST))
