"""What a report is about: a fit, its audit, and how the audit was asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from ..audit.audit_set import Audit
from ..estimators import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    OutlierAuditor,
    OutlierRejector,
)
from ..estimators.base import column_names

__all__ = ["Source"]


@dataclass(frozen=True)
class Source:
    """A fit and its audit.

    Attributes
    ----------
    fitted : HolderBayesRegressor or HolderBayesDensity
    audit : Audit
    rule : str
        In words: how many rows are flagged.
    level : float
        Of the interval of the count.
    names : tuple of str
    """

    fitted: object
    audit: Audit
    rule: str
    level: float
    names: tuple[str, ...]

    @classmethod
    def of(cls, estimator, feature_names=None):
        """From a fitted estimator; an error that says what is wrong with any other."""
        auditor = estimator if isinstance(estimator, OutlierAuditor) else None
        if isinstance(estimator, AuditedEstimator | OutlierRejector):
            check_is_fitted(estimator, "auditor_")
            auditor = estimator.auditor_
        if auditor is not None:
            check_is_fitted(auditor, "estimator_")
        fitted = estimator if auditor is None else auditor.estimator_
        if not isinstance(fitted, HolderBayesRegressor | HolderBayesDensity):
            raise TypeError(
                "AuditReport needs a fitted HolderBayesRegressor, HolderBayesDensity or "
                f"OutlierAuditor, got {type(fitted).__name__}. Of a Pipeline, pass that step."
            )
        check_is_fitted(fitted)
        if fitted._draws.alpha is None:
            raise ValueError(
                f"divergence={fitted.divergence!r} does not infer how many rows do not belong, so "
                "there is no audit to report. Use divergence='dpd', 'expsat' or 'ratsat'."
            )
        names = _checked_names(fitted, feature_names)
        if auditor is None:
            audit, rule, level = fitted.audit(), _RULES["mean"], 0.95
        else:
            audit = estimator.audit_
            rule, level = _rule_in_words(auditor), float(auditor.level)
        audit = replace(audit, evidence=audit.evidence.renamed(names))
        return cls(fitted, audit, rule, level, names)

    @property
    def is_regression(self):
        return is_regressor(self.fitted)


_RULES = {
    "mean": "the mean of the posterior count",
    "median": "the median of the posterior count",
    "lower": "the lower end of the interval of the posterior count",
    "upper": "the upper end of the interval of the posterior count",
}


def _rule_in_words(auditor):
    if auditor.contamination == "auto":
        return _RULES[auditor.rule]
    return f"the share contamination={float(auditor.contamination):g} that was asked for"


def _checked_names(fitted, given):
    if given is None:
        return column_names(fitted)
    names = tuple(str(name) for name in given)
    if len(names) != fitted.n_features_in_:
        raise ValueError(
            f"feature_names has {len(names)} names for {fitted.n_features_in_} columns."
        )
    return names
