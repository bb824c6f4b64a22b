"""OutlierAuditor: a Hölder-Bayes fit as an outlier detector and a transformer."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import base
from sklearn.base import clone, is_regressor
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted, validate_data

from .._sklearn import HasMethods, Interval, StrOptions, fit_context, pass_by
from ..audit import RULES, Audit, score_threshold
from ..posterior import GammaPath
from .base import HolderBayesEstimator
from .density import HolderBayesDensity
from .flagging import flagged_count, flagged_rows, infers_epsilon, without_epsilon
from .inputs import needs_memory
from .naming import copy_columns
from .routing import routed_fit_params, seed_if_unset

__all__ = ["OutlierAuditor"]

# The columns that transform adds.
_SCORES = ("fod", "log_density")


class OutlierAuditor(
    base.TransformerMixin, base.OutlierMixin, base.MetaEstimatorMixin, base.BaseEstimator
):
    """Detect and score rows that do not follow a Hölder-Bayes model.

    Use it where IsolationForest would stand: ``fit_predict``, ``decision_function``, a step of a
    Pipeline, a part of a ColumnTransformer or FeatureUnion. ``rule``, ``level`` and
    ``contamination`` may be changed with ``set_params`` after fitting: they take effect at once.

    Parameters
    ----------
    estimator : HolderBayesDensity, HolderBayesRegressor or None, default=None
        None is ``HolderBayesDensity()``, which ignores y. A regressor audits y given X: then
        ``fit`` and ``predict`` need y. Its divergence must infer epsilon: not ``"gamma"`` or
        ``"kl"``.
    rule : {"mean", "median", "lower", "upper"}, default="mean"
        How many training rows to call outliers: the mean or median of the posterior of their
        number, or an end of its central interval of ``level``; ``"lower"`` flags the fewest.
    level : float in (0, 1), default=0.95
        Probability inside the interval whose ends are ``"lower"`` and ``"upper"``, and inside
        ``audit_.count_interval``.
    contamination : "auto" or float in (0, 0.5], default="auto"
        A share of the training rows to call outliers in place of the rule; ``"auto"`` uses the
        rule.
    output : {"append", "scores", "passthrough"}, default="append"
        What ``transform`` returns: X with the columns ``fod`` and ``log_density``, these two alone,
        or X. Around a regressor X always passes through. Where a column of X has one of these
        names, as behind another auditor, they are ``fod_2`` and ``log_density_2``, and so on.
    random_state : int, RandomState or None, default=None
        Seed for an estimator whose own ``random_state`` is None; the estimator's own wins.

    Attributes
    ----------
    estimator_ : HolderBayesDensity or HolderBayesRegressor
        The fitted estimator.
    audit_ : Audit
        The training rows flagged by the current rule.
    offset_ : float
        ``decision_function = score_samples - offset_``: rows below it are called outliers.
    fod_scores_ : ndarray of shape (n_samples,)
        Frequency of Detection of each training row.
    epsilon_posterior_ : ndarray of shape (n_draws,)
        Draws of the share of rows that do not follow the model.
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
    >>> from skholder import HolderBayesDensity, OutlierAuditor
    >>> from skholder.datasets import make_contaminated_blobs
    >>> X, outliers = make_contaminated_blobs(200, contamination=0.1, random_state=0)
    >>> auditor = OutlierAuditor(HolderBayesDensity(inference="laplace"), random_state=0)
    >>> labels = auditor.fit_predict(X)
    >>> bool(((labels == -1) == outliers).mean() > 0.95)
    True
    >>> auditor.set_params(output="scores").transform(X).shape
    (200, 2)
    """

    estimator_: Any
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    _parameter_constraints = {
        "estimator": [None, HasMethods(["fit", "audit"])],
        "rule": [StrOptions(set(RULES))],
        "level": [Interval(Real, 0, 1, closed="neither")],
        "contamination": [StrOptions({"auto"}), Interval(Real, 0, 0.5, closed="right")],
        "output": [StrOptions({"append", "scores", "passthrough"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: HolderBayesEstimator | None = None,
        *,
        rule: str = "mean",
        level: float = 0.95,
        contamination: str | float = "auto",
        output: str = "append",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.level = level
        self.contamination = contamination
        self.output = output
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Fit the estimator and audit the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or None
            Needed around a regressor, ignored around a density.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of 2 equals the row written twice.
        **fit_params : dict
            Other metadata for the estimator's ``fit``.

        Returns
        -------
        self
        """
        estimator, target = self._part(X, y)
        if isinstance(estimator, HolderBayesEstimator) and not infers_epsilon(estimator):
            raise without_epsilon(estimator, type(self).__name__)
        params = routed_fit_params(self, "estimator", sample_weight, fit_params)
        self.estimator_ = estimator.fit(X, target, **params)
        copy_columns(self, estimator)
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def trace_gamma(
        self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> GammaPath:
        """The path by which the estimator's ``gamma="auto"`` chooses its power, without sampling.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or None, default=None
            Needed around a regressor, ignored around a density.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of 2 equals the row written twice.

        Returns
        -------
        GammaPath
        """
        estimator, y = self._part(X, y)
        return estimator.trace_gamma(X, y, sample_weight)

    def _part(self, X, y):
        """The estimator to fit, seeded, and the response it needs or None."""
        needs_memory("OutlierAuditor", X)
        estimator = HolderBayesDensity() if self.estimator is None else clone(self.estimator)
        seed_if_unset(estimator, self.random_state)
        if not is_regressor(estimator):
            return estimator, None
        if y is None:
            raise ValueError(
                "OutlierAuditor around a regressor audits y given X and requires y to be passed, "
                "but the target y is None. Use a HolderBayesDensity to audit X alone."
            )
        return estimator, y

    @property
    def _on_regressor(self):
        estimator = getattr(self, "estimator_", self.estimator)
        return estimator is not None and is_regressor(estimator)

    @property
    def wanted_count(self) -> int:
        """Training rows to call outliers by the current rule, in units of weight."""
        check_is_fitted(self, "estimator_")
        return flagged_count(self.estimator_, self.rule, self.level, self.contamination)

    @property
    def offset_(self) -> float:
        """The score below which rows are called outliers."""
        check_is_fitted(self, "estimator_")
        fitted = self.estimator_
        return score_threshold(fitted.log_density_, fitted.record_.row_weight, self.wanted_count)

    @property
    def audit_(self) -> Audit:
        """The training rows flagged by the current rule."""
        return self.audit_of(self.wanted_count)

    def audit_of(self, count: int) -> Audit:
        """The training rows of lowest posterior-mean log density.

        Parameters
        ----------
        count : int
            How many rows to flag, in units of weight.

        Returns
        -------
        Audit
        """
        check_is_fitted(self, "estimator_")
        return flagged_rows(self.estimator_, count, self.level)

    @property
    def fod_scores_(self) -> NDArray[np.float64]:
        """Frequency of Detection of each training row."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.fod_scores_

    @property
    def epsilon_posterior_(self) -> NDArray[np.float64]:
        """Draws of the share of rows that do not follow the model."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.epsilon_posterior_

    def _new_scores(self, X, y):
        """Posterior-mean log density and FoD of rows."""
        check_is_fitted(self, "estimator_")
        if not self._on_regressor:
            return self.estimator_.audit_scores(X)
        if y is None:
            # What is wrong with X comes first: it would be wrong with y too.
            self.estimator_.predict(X)
            raise ValueError(
                "This OutlierAuditor audits y given X (its estimator is a regressor): pass y too, "
                "as in predict(X, y)."
            )
        return self.estimator_.audit_scores(X, y)

    def score_samples(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[np.float64]:
        """Posterior-mean log density of each row: lower is more abnormal.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,) or None, default=None
            Needed around a regressor, ignored around a density.

        Returns
        -------
        ndarray of shape (m,)
        """
        return self._new_scores(X, y)[0]

    def decision_function(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[np.float64]:
        """``score_samples - offset_``: negative for outliers.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,) or None, default=None
            Needed around a regressor, ignored around a density.

        Returns
        -------
        ndarray of shape (m,)
        """
        return self.score_samples(X, y) - self.offset_

    def predict(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[np.int_]:
        """+1 for inliers and -1 for outliers.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,) or None, default=None
            Needed around a regressor, ignored around a density.

        Returns
        -------
        ndarray of int, shape (m,)
        """
        return np.where(self.decision_function(X, y) < 0, -1, 1)

    def fit_predict(
        self, X: ArrayLike, y: ArrayLike | None = None, **fit_params: Any
    ) -> NDArray[np.int_]:
        """Fit to X (and y) and label its rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or None, default=None
            Needed around a regressor, ignored around a density.
        **fit_params : dict
            For :meth:`fit`.

        Returns
        -------
        ndarray of int, shape (n_samples,)
            +1 for inliers and -1 for outliers.
        """
        self.fit(X, y, **fit_params)
        return self.predict(X, y if self._on_regressor else None)

    def transform(self, X: ArrayLike) -> Any:
        """X with its scores, the scores alone, or X itself, as ``output`` says.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m, n_features + 2), (m, 2) or (m, n_features)
            Or a data frame, after ``set_output``.
        """
        check_is_fitted(self, "estimator_")
        if self.output == "passthrough" or self._on_regressor:
            return validate_data(self, X, reset=False, dtype=None)
        scores = np.column_stack(self._new_scores(X, None)[::-1])
        if self.output == "scores":
            return scores
        return np.hstack([validate_data(self, X, reset=False, dtype=np.float64), scores])

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the columns that ``transform`` returns.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns of X; None takes those of the fitted data frame, or x0, x1, ...

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "estimator_")
        names = getattr(self, "feature_names_in_", None)
        if input_features is not None:
            given = np.asarray(input_features, dtype=object)
            if names is not None and not np.array_equal(given, names):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(given) != self.n_features_in_:
                raise ValueError("input_features should have length equal to number of features")
            names = given
        elif names is None:
            names = np.array([f"x{j}" for j in range(self.n_features_in_)], dtype=object)
        if self.output == "passthrough" or self._on_regressor:
            return names
        scores = np.array(_SCORES, dtype=object)
        return scores if self.output == "scores" else np.append(names, _beside(names))

    def get_metadata_routing(self) -> MetadataRouter:
        """Route the metadata of ``fit`` to the estimator's ``fit``."""
        estimator = HolderBayesDensity() if self.estimator is None else self.estimator
        return MetadataRouter(owner=type(self).__name__).add(
            estimator=estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit")
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if self._on_regressor:
            # Outlier detectors label rows by X alone; this one's predict needs y, which the common
            # tests never pass.
            tags.target_tags.required = True
            tags.estimator_type = None
            pass_by(tags)
        return tags


def _beside(names):
    """Names of the score columns that none of the columns of X has."""
    scores, number = list(_SCORES), 1
    while not set(scores).isdisjoint(names):
        number += 1
        scores = [f"{score}_{number}" for score in _SCORES]
    return scores
