"""What cleaning asks of an auditor: a fit to the rows, and what to take off each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..audit import Audit
from ..audit.wording import percent
from ..exceptions import HolderBayesWarning, warn_caller
from .auditor import OutlierAuditor
from .base import HolderBayesEstimator
from .routing import seed_if_unset

__all__ = [
    "Cleaning",
    "as_auditor",
    "clean_rows",
    "fit_auditor",
    "holder_fit",
    "removed_weight",
    "warn_of_much",
]

# Where more than this share of the rows is left out, a reader should hear of it.
_MUCH = 0.25


@dataclass(frozen=True, repr=False)
class Cleaning:
    """What an audit, or the audits of single classes, takes off a table of n rows.

    Attributes
    ----------
    auditor : OutlierAuditor, ModelAuditor or None
        Fitted; None where each class has its own.
    auditors : dict
        By class label, the fitted auditor of its rows.
    audit : Audit
        Of all rows.
    removed, weight : ndarray of shape (n,)
        Weight taken off each row where rows are dropped, and its weight.
    kept : ndarray of shape (n,)
        Factors of the weights where rows are weighted.
    """

    auditor: Any
    auditors: dict[Any, Any]
    audit: Audit
    removed: NDArray[np.float64]
    weight: NDArray[np.float64]
    kept: NDArray[np.float64]


def clean_rows(auditor, X, y, params, random_state):
    """The :class:`Cleaning` of a table by one audit of all its rows."""
    fitted = fit_auditor(auditor, X, y, params, random_state)
    audit, removed, weight = removed_weight(fitted)
    warn_of_much(removed, weight, [fitted])
    return Cleaning(fitted, {}, audit, removed, weight, 1 - fitted.fod_scores_)


def as_auditor(auditor):
    """The auditor itself, or one around a bare Hölder-Bayes estimator."""
    return OutlierAuditor(auditor) if isinstance(auditor, HolderBayesEstimator) else auditor


def holder_fit(auditor):
    """The Hölder-Bayes fit inside a fitted auditor; the auditor itself where it has none."""
    inside = getattr(auditor, "estimator_", auditor)
    return getattr(auditor, "residual_posterior_", inside)


def fit_auditor(auditor, X, y, params, random_state):
    """Fit a clone of the auditor; errors about its input name the remedy."""
    auditor = seed_if_unset(clone(auditor), random_state)
    try:
        return auditor.fit(X, y, **params)
    except (ValueError, TypeError) as error:
        text = str(error)
        if any(word in text for word in ("NaN", "infinity", "not a number", "could not convert")):
            raise ValueError(
                f"{text}\nThe auditor needs complete numeric columns. Impute and encode first, as "
                "in make_pipeline(ColumnTransformer(...), AuditedEstimator(...))."
            ) from error
        raise


def removed_weight(auditor):
    """The audit, its budget clipped to half the rows, and the weight taken off each row."""
    weight = holder_fit(auditor).record_.row_weight
    budget = min(auditor.wanted_count, int(weight.sum() // 2))
    audit = auditor.audit_of(budget)
    before = np.cumsum(weight[audit.order]) - weight[audit.order]
    removed = np.empty(len(weight))
    removed[audit.order] = np.clip(budget - before, 0, weight[audit.order])
    return audit, removed, weight


def warn_of_much(removed, weight, auditors):
    """Warn where the audits take off so much that their models are in doubt.

    Parameters
    ----------
    removed, weight : ndarray of shape (n,)
        Weight taken off each row, and its weight.
    auditors : list of OutlierAuditor or ModelAuditor
        Fitted; what speaks against their models is told.
    """
    if removed.sum() <= _MUCH * weight.sum():
        return
    share = removed.sum() / weight.sum()
    verdicts = [holder_fit(auditor).adequacy_ for auditor in auditors]
    against = dict.fromkeys("; ".join(found.reasons) for found in verdicts if found.reasons)
    why = f" ({'; '.join(against)})" if against else ""
    warn_caller(
        f"The audit takes {percent(share)} of the rows for outliers, more than errors usually are: "
        f"its model may not suit them{why}. Look at audit_ before you rely on the rows that are "
        "left; the rules 'fdr' and 'certain' of an auditor leave out fewer.",
        HolderBayesWarning,
    )
