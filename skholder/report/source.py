"""What a report is about: a fit, its audit, and how the audit was asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sklearn.base import is_regressor

from ..audit import Audit
from ..audit.wording import percent
from ..estimators.naming import column_names
from ..estimators.unwrapping import unwrap

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
    table : object
        The estimator that was fitted to the table itself: the fit, or a ModelAuditor.
    """

    fitted: object
    audit: Audit
    rule: str
    level: float
    names: tuple[str, ...]
    table: object

    @classmethod
    def of(cls, estimator, feature_names=None):
        """From a fitted estimator; an error that says what is wrong with any other."""
        found = unwrap(estimator, "AuditReport", need_epsilon=True)
        fitted, auditor = found.fitted, found.auditor
        names = column_names(found.table, feature_names)
        if auditor is None:
            audit, rule, level = fitted.audit(), _RULES["mean"], 0.95
        else:
            audit = found.owner.audit_
            rule, level = _rule_in_words(auditor), float(auditor.level)
        audit = replace(audit, evidence=audit.evidence.renamed(names))
        return cls(fitted, audit, rule, level, names, found.table)

    @property
    def is_regression(self):
        return is_regressor(self.fitted)


_RULES = {
    "mean": "the mean of the posterior count",
    "median": "the median of the posterior count",
    "lower": "the lower end of the interval of the posterior count",
    "upper": "the upper end of the interval of the posterior count",
    "certain": "the count of rows that chance alone explains in one clean table of twenty at most",
}


def _rule_in_words(auditor):
    contamination = getattr(auditor, "contamination", "auto")
    if contamination == "auto":
        if auditor.rule == "fdr":
            false = percent(1 - float(auditor.level))
            return f"the largest with at most {false} of false flags on average"
        return _RULES[auditor.rule]
    return f"the share contamination={float(contamination):g} that was asked for"
