"""From whatever the user has fitted to the Hölder-Bayes fit inside."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from .audited import AuditedEstimator
from .auditor import OutlierAuditor
from .base import HolderBayesEstimator
from .cleaning import holder_fit
from .flagging import without_epsilon
from .model_auditor import ModelAuditor
from .rejector import OutlierRejector

__all__ = ["Unwrapped", "unwrap"]


@dataclass(frozen=True)
class Unwrapped:
    """A fit and what it was wrapped in.

    Attributes
    ----------
    fitted : HolderBayesRegressor or HolderBayesDensity
    auditor : OutlierAuditor, ModelAuditor or None
        The auditor around it.
    owner : AuditedEstimator, OutlierRejector, OutlierAuditor, ModelAuditor or None
        The outermost estimator with an ``audit_``.
    """

    fitted: HolderBayesEstimator
    auditor: OutlierAuditor | ModelAuditor | None = None
    owner: object = None

    @property
    def table(self):
        """The estimator that knows the columns of the user's table."""
        return self.auditor if isinstance(self.auditor, ModelAuditor) else self.fitted

    def inputs(self, X, y):
        """The arguments by which methods of ``fitted`` know the user's rows."""
        if isinstance(self.auditor, ModelAuditor):
            return self.auditor.shown_residuals(X, y)
        return (X, y) if is_regressor(self.fitted) else (X,)

    def prediction(self, X, y):
        """The prediction of each row's response, shape (m,)."""
        if isinstance(self.auditor, ModelAuditor):
            return self.auditor.shown_prediction(X, y)
        return self.fitted.predict(X)


def unwrap(estimator: object, caller: str, need_epsilon: bool = False) -> Unwrapped:
    """The Hölder-Bayes fit inside an estimator; an error that says what is wrong with any other.

    Parameters
    ----------
    estimator : object
    caller : str
        Who asks, for the error's text.
    need_epsilon : bool
        Refuse a divergence that has no epsilon.

    Returns
    -------
    Unwrapped
    """
    auditor, owner = None, None
    if isinstance(estimator, AuditedEstimator | OutlierRejector):
        check_is_fitted(estimator, "auditor_")
        auditor, owner = estimator.auditor_, estimator
        if auditor is None:
            raise TypeError(
                f"{caller} is about one fit, and an AuditedEstimator around a classifier has one "
                f"for each class: pass one of its auditors_, of {list(estimator.auditors_)}."
            )
    elif isinstance(estimator, OutlierAuditor | ModelAuditor):
        auditor = owner = estimator
    if isinstance(auditor, OutlierAuditor | ModelAuditor):
        check_is_fitted(auditor, "estimator_")
    fitted = estimator if auditor is None else holder_fit(auditor)
    if not isinstance(fitted, HolderBayesEstimator):
        raise TypeError(
            f"{caller} needs a fitted HolderBayesRegressor, HolderBayesDensity, OutlierAuditor or "
            f"ModelAuditor, "
            f"got {type(fitted).__name__}. Of a Pipeline pass the fitted step, pipeline[-1]."
        )
    check_is_fitted(fitted)
    if need_epsilon and not hasattr(fitted, "epsilon_posterior_"):
        raise without_epsilon(fitted, caller)
    return Unwrapped(fitted, auditor, owner)
