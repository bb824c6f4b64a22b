"""What cleaning asks of an auditor: a fit to the rows, and what to take off each of them."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from .auditor import OutlierAuditor
from .base import HolderBayesEstimator
from .routing import seed_if_unset

__all__ = ["as_auditor", "fit_auditor", "holder_fit", "removed_weight"]


def as_auditor(auditor):
    """The auditor itself, or one around a bare Hölder-Bayes estimator."""
    return OutlierAuditor(auditor) if isinstance(auditor, HolderBayesEstimator) else auditor


def holder_fit(auditor):
    """The Hölder-Bayes fit inside a fitted auditor."""
    return getattr(auditor, "residual_posterior_", None) or auditor.estimator_


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
