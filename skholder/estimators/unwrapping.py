"""From whatever the user has fitted to the Hölder-Bayes fit inside."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn.utils.validation import check_is_fitted

from .audited import AuditedEstimator
from .auditor import OutlierAuditor
from .base import HolderBayesEstimator
from .rejector import OutlierRejector

__all__ = ["Unwrapped", "unwrap"]


@dataclass(frozen=True)
class Unwrapped:
    """A fit and what it was wrapped in.

    Attributes
    ----------
    fitted : HolderBayesRegressor or HolderBayesDensity
    auditor : OutlierAuditor or None
        The auditor around it.
    owner : AuditedEstimator, OutlierRejector, OutlierAuditor or None
        The outermost estimator with an ``audit_``.
    """

    fitted: HolderBayesEstimator
    auditor: OutlierAuditor | None = None
    owner: object = None


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
    elif isinstance(estimator, OutlierAuditor):
        auditor = owner = estimator
    if isinstance(auditor, OutlierAuditor):
        check_is_fitted(auditor, "estimator_")
    fitted = estimator if auditor is None else getattr(auditor, "estimator_", auditor)
    if not isinstance(fitted, HolderBayesEstimator):
        raise TypeError(
            f"{caller} needs a fitted HolderBayesRegressor, HolderBayesDensity or OutlierAuditor, "
            f"got {type(fitted).__name__}. Of a Pipeline pass the fitted step, pipeline[-1]."
        )
    check_is_fitted(fitted)
    if need_epsilon and not hasattr(fitted, "epsilon_posterior_"):
        raise ValueError(
            f"{caller} needs the posterior of epsilon, which {type(fitted).__name__}"
            f"(divergence={fitted.divergence!r}) does not infer. Use divergence='dpd', "
            "'expsat' or 'ratsat'."
        )
    return Unwrapped(fitted, auditor, owner)
