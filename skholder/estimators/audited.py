"""AuditedEstimator and OutlierRejector: leave suspicious rows out of training."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier, is_regressor
from sklearn.utils import _safe_indexing, column_or_1d, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from .._sklearn import HasMethods, StrOptions, fit_context
from .auditor import OutlierAuditor
from .regressor import HolderBayesRegressor
from .routing import routed_fit_params, seed_if_unset

__all__ = ["AuditedEstimator", "OutlierRejector"]


def _fit_auditor(auditor, X, y, params, random_state):
    """Fit a clone of the auditor; errors about its input name the remedy."""
    auditor = seed_if_unset(clone(auditor), random_state)
    try:
        return auditor.fit(X, y, **params)
    except (ValueError, TypeError) as error:
        text = str(error)
        if any(words in text for words in ("NaN", "infinity", "not a number", "could not convert")):
            raise ValueError(
                f"{text}\nThe auditor needs complete numeric columns. Impute and encode first, as "
                "in make_pipeline(ColumnTransformer(...), AuditedEstimator(...))."
            ) from error
        raise


def _removed(auditor):
    """The audit, its budget clipped to half the rows, and the weight taken off each row."""
    weight = auditor.estimator_.record_.row_weight
    budget = min(auditor.wanted_count, int(weight.sum() // 2))
    audit = auditor.audit_of(budget)
    before = np.cumsum(weight[audit.order]) - weight[audit.order]
    removed = np.empty(len(weight))
    removed[audit.order] = np.clip(budget - before, 0, weight[audit.order])
    return audit, removed, weight


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
    auditor : OutlierAuditor or None, default=None
        None audits y given X with a HolderBayesRegressor if ``estimator`` is a regressor, and X
        with a HolderBayesDensity otherwise.
    mode : {"drop", "weight"}, default="drop"
        ``"drop"`` leaves flagged rows out, half of all rows at the most; ``"weight"`` multiplies
        ``sample_weight`` by 1 - FoD.
    random_state : int, RandomState or None, default=None
        Used by an auditor whose own ``random_state`` is None.

    Attributes
    ----------
    auditor_, estimator_ : the fitted parts
    audit_ : Audit
        The rows left out (``mode="drop"``), or that would be.
    """

    _parameter_constraints = {
        "estimator": [HasMethods("fit")],
        "auditor": [None, HasMethods(["fit", "fit_predict"])],
        "mode": [StrOptions({"drop", "weight"})],
        "random_state": ["random_state"],
    }

    def __init__(self, estimator, *, auditor=None, mode="drop", random_state=None):
        self.estimator = estimator
        self.auditor = auditor
        self.mode = mode
        self.random_state = random_state

    def _auditor(self):
        if self.auditor is not None:
            return self.auditor
        return OutlierAuditor(HolderBayesRegressor() if is_regressor(self.estimator) else None)

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y, sample_weight=None, **fit_params):
        """Audit the rows, then fit the estimator without them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None
        **fit_params : dict
            Other metadata for the estimator's ``fit``.

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        X, named = indexable(X, y)
        y = column_or_1d(named, warn=True)
        # A series says what the response is called.
        named = named if np.ndim(named) == 1 else y
        params = routed_fit_params(self, "estimator", sample_weight, fit_params)
        audit_params = routed_fit_params(self, "auditor", sample_weight, fit_params)
        self.auditor_ = _fit_auditor(self._auditor(), X, named, audit_params, self.random_state)
        self.audit_, removed, weight = _removed(self.auditor_)
        accepts = has_fit_parameter(self.estimator, "sample_weight")
        if self.mode == "weight":
            if not accepts:
                raise ValueError(
                    f"mode='weight' needs an estimator whose fit takes sample_weight; "
                    f"{type(self.estimator).__name__} has none. Use mode='drop'."
                )
            params["sample_weight"] = weight * (1 - self.auditor_.fod_scores_)
            self.estimator_ = clone(self.estimator).fit(X, y, **params)
        else:
            left = self._keep_classes(y, weight - removed, weight)
            kept = np.flatnonzero(left > 0)
            if sample_weight is not None and "sample_weight" in params:
                params["sample_weight"] = left[kept]
            self.estimator_ = clone(self.estimator).fit(
                _safe_indexing(X, kept), _safe_indexing(y, kept), **params
            )
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.auditor_, name):
                setattr(self, name, getattr(self.auditor_, name))
        return self

    def _keep_classes(self, y, left, weight):
        """Give a class that would vanish its rows back: a classifier cannot learn it otherwise."""
        if not is_classifier(self.estimator):
            return left
        labels = np.asarray(y)
        for label in np.unique(labels[weight > 0]):
            rows = labels == label
            if not np.any(left[rows] > 0):
                warnings.warn(
                    f"Every row of class {label!r} was flagged; they are kept. Audit a different "
                    "set of columns, or use mode='weight'.",
                    UserWarning,
                    stacklevel=3,
                )
                left = np.where(rows, weight, left)
        return left

    @available_if(_has("predict"))
    def predict(self, X):
        """Predictions of the cleaned estimator."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(X)

    @available_if(_has("predict_proba"))
    def predict_proba(self, X):
        """Class probabilities of the cleaned estimator."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_proba(X)

    @available_if(_has("predict_log_proba"))
    def predict_log_proba(self, X):
        """Log class probabilities of the cleaned estimator."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_log_proba(X)

    @available_if(_has("decision_function"))
    def decision_function(self, X):
        """Decision values of the cleaned estimator."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.decision_function(X)

    @available_if(_has("score"))
    def score(self, X, y, sample_weight=None):
        """Score of the cleaned estimator on all the rows given."""
        check_is_fitted(self, "estimator_")
        params = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self.estimator_.score(X, y, **params)

    @property
    def classes_(self):
        return self.estimator_.classes_

    def get_metadata_routing(self):
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


class OutlierRejector(MetaEstimatorMixin, BaseEstimator):
    """A sampler for imbalanced-learn's Pipeline: ``fit_resample`` returns the rows not flagged.

    Parameters
    ----------
    auditor : OutlierAuditor or None, default=None
        None audits X with a HolderBayesDensity.
    random_state : int, RandomState or None, default=None
        Used by an auditor whose own ``random_state`` is None.

    Attributes
    ----------
    auditor_ : the fitted auditor
    audit_ : Audit
    sample_indices_ : ndarray of int
        Positions of the rows that were kept.
    """

    _parameter_constraints = {
        "auditor": [None, HasMethods(["fit", "fit_predict"])],
        "random_state": ["random_state"],
    }

    def __init__(self, auditor=None, *, random_state=None):
        self.auditor = auditor
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Audit the rows of X (and y, if the auditor's estimator is a regressor)."""
        auditor = OutlierAuditor() if self.auditor is None else self.auditor
        self.auditor_ = _fit_auditor(auditor, X, y, {}, self.random_state)
        self.audit_, removed, _ = _removed(self.auditor_)
        self.sample_indices_ = np.flatnonzero(removed == 0)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.auditor_, name):
                setattr(self, name, getattr(self.auditor_, name))
        return self

    def fit_resample(self, X, y):
        """The rows of X and y that the audit does not flag; data frames stay data frames."""
        X, y = indexable(X, y)
        self.fit(X, y)
        return _safe_indexing(X, self.sample_indices_), _safe_indexing(y, self.sample_indices_)
