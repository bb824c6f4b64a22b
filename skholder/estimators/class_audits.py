"""Audits of the rows of each class by themselves, so that no class is an outlier of another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import issparse
from sklearn.base import is_regressor

from .._sklearn import method_params, safe_indexing
from ..audit import Audit
from ..audit.evidence import DensityEvidence
from .cleaning import Cleaning, fit_auditor, holder_fit, removed_weight, warn_of_much
from .inputs import usable_weight
from .naming import row_labels

__all__ = ["clean_classes"]

# Smaller classes have too few rows to say what is usual in them: they are kept whole.
_FEWEST = 20


def clean_classes(auditor, X, y, params, random_state):
    """Audit each class; none loses more than its share of all rows that the audits would remove.

    With k_c rows flagged in class c of n_c rows, K = sum of k_c and n = sum of n_c, class c loses
    its worst min(k_c, floor(K n_c / n)) rows.

    Parameters
    ----------
    auditor : OutlierAuditor
        Around a density.
    X : table of shape (n, n_features)
    y : ndarray of shape (n,)
        Class labels.
    params : dict
        For the auditor's ``fit``, weights among them.
    random_state : int, RandomState or None

    Returns
    -------
    Cleaning
    """
    inside = getattr(auditor, "estimator", None)
    if inside is not None and is_regressor(inside):
        raise ValueError(
            "The rows of a classifier are audited class by class, by a density of X: labels have "
            "no residuals. Use OutlierAuditor(HolderBayesDensity()), and see 'Mislabelled rows' in "
            "the user guide for wrong labels."
        )
    if issparse(X):
        raise TypeError("Sparse data was passed, but an audit of its rows needs dense data.")
    given = usable_weight(params.get("sample_weight"), X)
    weight = np.ones(len(y)) if given is None else given
    auditors, members = {}, {}
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        if np.sum(weight[rows] > 0) >= _FEWEST:
            part, own = safe_indexing(X, rows), dict(method_params(X, params, rows))
            auditors[label] = fit_auditor(auditor, part, None, own, random_state)
            members[label] = rows
    removed = _removed(auditors, members, weight)
    warn_of_much(removed, weight, list(auditors.values()))
    fod = _spread(auditors, members, len(y), 0.0, lambda fit: fit.fod_scores_)
    kept = 1 - fod
    for rows in members.values():
        kept[rows] *= weight[rows].sum() / max(weight[rows] @ kept[rows], 1e-300)
    audit = _whole(auditors, members, weight, removed, fod, row_labels(X), params)
    return Cleaning(None, auditors, audit, removed, weight, kept)


def _removed(auditors, members, weight):
    """Weight taken off each row, shape (n,), no class losing more than its share."""
    found = {label: removed_weight(auditor)[:2] for label, auditor in auditors.items()}
    total = sum(taken.sum() for _, taken in found.values())
    removed = np.zeros(len(weight))
    for label, (audit, taken) in found.items():
        rows = members[label]
        budget = np.floor(total * weight[rows].sum() / weight.sum())
        worst = rows[audit.order]
        before = np.cumsum(taken[audit.order]) - taken[audit.order]
        removed[worst] = np.clip(budget - before, 0, taken[audit.order])
    return removed


def _spread(auditors, members, n, empty, values):
    """Values of each class's rows put where the rows stand, shape (n, ...)."""
    out = None
    for label, auditor in auditors.items():
        part = np.asarray(values(holder_fit(auditor)))
        if out is None:
            out = np.full((n, *part.shape[1:]), empty, dtype=part.dtype)
        out[members[label]] = part
    return np.full(n, empty) if out is None else out


def _whole(auditors, members, weight, removed, fod, index, params):
    """The :class:`Audit` of all rows: draws of K add up over classes."""
    n = len(weight)
    fits = [holder_fit(auditor) for auditor in auditors.values()]
    counts = sum((fit.outlier_count_posterior_ for fit in fits), np.zeros(1, dtype=np.int64))
    weighted = weight if "sample_weight" in params else None
    audit = Audit.from_posterior(
        counts,
        fod,
        _spread(auditors, members, n, np.inf, lambda fit: fit.log_density_),
        weight=weighted,
        index=index,
        evidence=_evidence(fits, auditors, members, n),
        tails=_spread(auditors, members, n, 1.0, lambda fit: fit.tail_probability_),
        count=int(removed.sum()),
    )
    # Which rows the classes lose, not the worst of all.
    mask = (removed > 0) & (removed >= weight / 2)
    order = np.concatenate([audit.order[mask[audit.order]], audit.order[~mask[audit.order]]])
    return replace(audit, mask=mask, indices=order[: mask.sum()], order=order)


def _evidence(fits, auditors, members, n):
    """What explains each row, by the class it was audited in; None where no class was."""
    if not fits:
        return None

    def part(name, empty):
        return _spread(auditors, members, n, empty, lambda fit: getattr(fit.record_.evidence, name))

    return DensityEvidence(
        fits[0].record_.evidence.names,
        part("column", 0),
        *(part(name, 0.0) for name in ("nats", "observed", "expected")),
        part("share", np.nan),
    )
