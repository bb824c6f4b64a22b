"""OutlierRejector: leave suspicious rows out, as a step of imbalanced-learn's Pipeline."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import indexable
from sklearn.utils.multiclass import type_of_target

from .._sklearn import HasMethods, fit_context, safe_indexing
from ..audit import Audit
from .auditor import OutlierAuditor
from .base import HolderBayesEstimator
from .cleaning import as_auditor, clean_rows
from .inputs import needs_memory
from .model_auditor import ModelAuditor
from .naming import copy_columns
from .regressor import HolderBayesRegressor
from .restoring import restoring

__all__ = ["OutlierRejector"]


class OutlierRejector(MetaEstimatorMixin, BaseEstimator):
    """A sampler for imbalanced-learn's Pipeline: ``fit_resample`` returns the rows not flagged.

    Parameters
    ----------
    auditor : OutlierAuditor, ModelAuditor, Hölder-Bayes estimator or None, default=None
        None audits y given X with a HolderBayesRegressor where y is continuous, and X with a
        HolderBayesDensity where y has classes or is missing.
    random_state : int, RandomState or None, default=None
        Seed for an auditor whose own ``random_state`` is None.

    Attributes
    ----------
    auditor_ : OutlierAuditor or ModelAuditor
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

    auditor_: OutlierAuditor | ModelAuditor
    audit_: Audit
    sample_indices_: NDArray[np.int_]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    _parameter_constraints = {
        "auditor": [None, HasMethods(["fit", "audit_of"]), HolderBayesEstimator],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        auditor: OutlierAuditor | ModelAuditor | HolderBayesEstimator | None = None,
        *,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.auditor = auditor
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    @restoring
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Audit the rows of X, or y given X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or None, default=None

        Returns
        -------
        self
        """
        needs_memory("OutlierRejector", X)
        auditor = _default(y) if self.auditor is None else as_auditor(self.auditor)
        found = clean_rows(auditor, X, y, {}, self.random_state)
        self.auditor_, self.audit_ = found.auditor, found.audit
        self.sample_indices_ = np.flatnonzero(found.removed == 0)
        copy_columns(self, self.auditor_)
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
        needs_memory("OutlierRejector", X)
        X, y = indexable(X, y)
        self.fit(X, y)
        return safe_indexing(X, self.sample_indices_), safe_indexing(y, self.sample_indices_)


def _default(y):
    """An auditor of y given X where y is a continuous response, of X where it has classes."""
    continuous = y is not None and type_of_target(y, input_name="y") == "continuous"
    return OutlierAuditor(HolderBayesRegressor() if continuous else None)
