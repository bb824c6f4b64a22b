"""OutlierRejector: leave suspicious rows out, as a step of imbalanced-learn's Pipeline."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import indexable

from .._sklearn import HasMethods, fit_context, safe_indexing
from ..audit import Audit
from .auditor import OutlierAuditor
from .cleaning import fit_auditor, removed_weight
from .restoring import restoring

__all__ = ["OutlierRejector"]


class OutlierRejector(MetaEstimatorMixin, BaseEstimator):
    """A sampler for imbalanced-learn's Pipeline: ``fit_resample`` returns the rows not flagged.

    Parameters
    ----------
    auditor : OutlierAuditor or None, default=None
        None audits X with a HolderBayesDensity.
    random_state : int, RandomState or None, default=None
        Seed for an auditor whose own ``random_state`` is None.

    Attributes
    ----------
    auditor_ : OutlierAuditor
        The fitted auditor.
    audit_ : Audit
        The rows that were flagged.
    sample_indices_ : ndarray of int
        Positions of the rows that were kept.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns, where X was a data frame.

    References
    ----------
    Fujisawa, Adachi and Matsubara, "Generalised Robust Bayes for Joint Inference of Model and
    Contamination".

    Examples
    --------
    >>> from skholder import HolderBayesDensity, OutlierAuditor, OutlierRejector
    >>> from skholder.datasets import make_contaminated_blobs
    >>> X, outliers = make_contaminated_blobs(200, contamination=0.1, random_state=0)
    >>> auditor = OutlierAuditor(HolderBayesDensity(inference="laplace"))
    >>> rejector = OutlierRejector(auditor, random_state=0)
    >>> X_kept, kept = rejector.fit_resample(X, ~outliers)
    >>> bool(kept.mean() > 0.97)
    True
    """

    auditor_: OutlierAuditor
    audit_: Audit
    sample_indices_: NDArray[np.int_]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    _parameter_constraints = {
        "auditor": [None, HasMethods(["fit", "fit_predict"])],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        auditor: OutlierAuditor | None = None,
        *,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.auditor = auditor
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    @restoring
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Audit the rows of X (and y, if the auditor's estimator is a regressor).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        auditor = OutlierAuditor() if self.auditor is None else self.auditor
        self.auditor_ = fit_auditor(auditor, X, y, {}, self.random_state)
        self.audit_, removed, _ = removed_weight(self.auditor_)
        self.sample_indices_ = np.flatnonzero(removed == 0)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.auditor_, name):
                setattr(self, name, getattr(self.auditor_, name))
        return self

    def fit_resample(self, X: ArrayLike, y: ArrayLike) -> tuple[Any, Any]:
        """Audit the rows and leave out those that are flagged.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        X, y : of the kind they came in
            The rows that are not flagged, in their order; data frames stay data frames.
        """
        X, y = indexable(X, y)
        self.fit(X, y)
        return safe_indexing(X, self.sample_indices_), safe_indexing(y, self.sample_indices_)
