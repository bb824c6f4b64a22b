"""AuditedEstimator: any estimator, trained without suspicious rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier, is_regressor
from sklearn.utils import column_or_1d, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._sklearn import HasMethods, StrOptions, fit_context, method_params, safe_indexing
from ..audit import Audit
from .auditor import OutlierAuditor
from .base import HolderBayesEstimator
from .class_audits import clean_classes
from .cleaning import as_auditor, clean_rows
from .inputs import needs_memory
from .model_auditor import ModelAuditor
from .naming import copy_columns
from .regressor import HolderBayesRegressor
from .restoring import restoring
from .routing import routed_fit_params, takes_weights

__all__ = ["AuditedEstimator"]


def _has(method):
    def check(self):
        getattr(getattr(self, "estimator_", self.estimator), method)
        return True

    return check


class AuditedEstimator(MetaEstimatorMixin, BaseEstimator):
    """Any estimator, fitted without the rows that an audit flags.

    Inside ``GridSearchCV`` or ``cross_val_score`` only training folds are cleaned: predictions and
    scores never see the audit.

    Parameters
    ----------
    estimator : object
        A scikit-learn regressor or classifier.
    auditor : OutlierAuditor, ModelAuditor, Hölder-Bayes estimator, "own" or None, default=None
        None audits y given X with a HolderBayesRegressor if ``estimator`` is a regressor, and X
        with a HolderBayesDensity otherwise. ``"own"`` audits a regressor by itself, through
        ``ModelAuditor(estimator)``: trees are cleaned by trees. For a classifier the rows of each
        class are audited by themselves, and no class loses more than its share of the rows that
        are flagged in all; wrong labels are not looked for. A warning says where more than a
        quarter of the rows is left out.
    mode : {"drop", "weight"}, default="drop"
        ``"drop"`` leaves flagged rows out, half of all rows at the most; ``"weight"`` multiplies
        ``sample_weight`` by 1 - FoD.
    random_state : int, RandomState or None, default=None
        Seed for an auditor whose own ``random_state`` is None; the estimator keeps its own.

    Attributes
    ----------
    estimator_ : object
        The estimator, fitted to the rows that were kept.
    auditor_ : OutlierAuditor, ModelAuditor or None
        The fitted auditor; None around a classifier.
    auditors_ : dict
        Around a classifier, by class label: the fitted auditor of that class's rows.
    audit_ : Audit
        The rows left out (``mode="drop"``), or that would be (``mode="weight"``).
    classes_ : ndarray
        Those of a classifier.
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
    >>> from sklearn.linear_model import LinearRegression
    >>> from skholder import AuditedEstimator, HolderBayesRegressor, OutlierAuditor
    >>> from skholder.datasets import make_contaminated_regression
    >>> X, y, outliers, coef = make_contaminated_regression(
    ...     200, contamination=0.1, return_coef=True, random_state=0
    ... )
    >>> auditor = OutlierAuditor(HolderBayesRegressor(inference="laplace"))
    >>> cleaned = AuditedEstimator(LinearRegression(), auditor=auditor, random_state=0).fit(X, y)
    >>> bool(abs(cleaned.estimator_.coef_ - coef).max() < 0.3)
    True
    """

    estimator_: Any
    auditor_: OutlierAuditor | ModelAuditor | None
    auditors_: dict[Any, OutlierAuditor]
    audit_: Audit
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    _parameter_constraints = {
        "estimator": [HasMethods("fit")],
        "auditor": [
            None,
            StrOptions({"own"}),
            HasMethods(["fit", "audit_of"]),
            HolderBayesEstimator,
        ],
        "mode": [StrOptions({"drop", "weight"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any,
        *,
        auditor: OutlierAuditor | ModelAuditor | HolderBayesEstimator | str | None = None,
        mode: str = "drop",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.auditor = auditor
        self.mode = mode
        self.random_state = random_state

    def _auditor(self):
        if isinstance(self.auditor, str):
            return ModelAuditor(self.estimator, refit=False)
        if self.auditor is not None:
            return as_auditor(self.auditor)
        return OutlierAuditor(HolderBayesRegressor() if is_regressor(self.estimator) else None)

    @fit_context(prefer_skip_nested_validation=False)
    @restoring
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Audit the rows, then fit the estimator without them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            For the auditor and for an estimator that takes weights; in ``mode="weight"`` the
            estimator's are multiplied by 1 - FoD.
        **fit_params : dict
            Other metadata for the estimator's ``fit``.

        Returns
        -------
        self
        """
        needs_memory("AuditedEstimator", X)
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        X, named = indexable(X, y)
        y = column_or_1d(named, warn=True)
        # A series says what the response is called.
        named = named if np.ndim(named) == 1 else y
        if self.mode == "weight" and not takes_weights(self.estimator):
            raise ValueError(
                f"mode='weight' needs an estimator whose fit takes sample_weight; "
                f"{type(self.estimator).__name__} has none. Use mode='drop'."
            )
        params = routed_fit_params(self, "estimator", sample_weight, fit_params, if_taken=True)
        audit_params = routed_fit_params(self, "auditor", sample_weight, fit_params)
        found = self._found(X, named, y, audit_params)
        self.auditor_, self.auditors_, self.audit_ = found.auditor, found.auditors, found.audit
        if self.mode == "weight":
            params["sample_weight"] = found.weight * found.kept
            self.estimator_ = clone(self.estimator).fit(X, y, **params)
        else:
            left = found.weight - found.removed
            kept = np.flatnonzero(left > 0)
            params = dict(method_params(X, params, kept))
            if sample_weight is not None and "sample_weight" in params:
                params["sample_weight"] = left[kept]
            self.estimator_ = clone(self.estimator).fit(
                safe_indexing(X, kept), safe_indexing(y, kept), **params
            )
        copy_columns(self, self.estimator_ if self.auditor_ is None else self.auditor_)
        return self

    def _found(self, X, named, y, params):
        """What the audit, or that of each class, says of the rows."""
        auditor = self._auditor()
        if is_classifier(self.estimator):
            if isinstance(auditor, ModelAuditor):
                raise ValueError(
                    "A ModelAuditor audits numeric responses, a classifier has labels: its rows "
                    "are audited class by class by a density, auditor=None."
                )
            return clean_classes(auditor, X, y, params, self.random_state)
        return clean_rows(auditor, X, named, params, self.random_state)

    @available_if(_has("predict"))
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predictions of the cleaned estimator.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m,)
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(X)

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Class probabilities of the cleaned estimator.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, n_classes)
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_proba(X)

    @available_if(_has("predict_log_proba"))
    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Log class probabilities of the cleaned estimator.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, n_classes)
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_log_proba(X)

    @available_if(_has("decision_function"))
    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Decision values of the cleaned estimator.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m,) or (m, n_classes)
        """
        check_is_fitted(self, "estimator_")
        return self.estimator_.decision_function(X)

    @available_if(_has("score"))
    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Score of the cleaned estimator on all the rows given.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,)
        sample_weight : array-like of shape (m,) or None, default=None
            Passed on to the estimator's ``score``.

        Returns
        -------
        float
        """
        check_is_fitted(self, "estimator_")
        params = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self.estimator_.score(X, y, **params)

    @property
    def classes_(self) -> NDArray[Any]:
        """Classes of the cleaned classifier."""
        return self.estimator_.classes_

    def get_metadata_routing(self) -> MetadataRouter:
        """Route the metadata of ``fit`` to the estimator's ``fit``."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return (
            MetadataRouter(owner=type(self).__name__)
            .add(estimator=self.estimator, method_mapping=mapping)
            .add(
                auditor=self._auditor(),
                method_mapping=MethodMapping().add(caller="fit", callee="fit"),
            )
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = inner.classifier_tags
        tags.regressor_tags = inner.regressor_tags
        tags.target_tags.required = True
        return tags
