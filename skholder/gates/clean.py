"""assert_clean: a test that fails where the share outside the model is too large."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import clone

from ..audit import Audit, Gate, check_limits
from ..estimators import HolderBayesRegressor, OutlierAuditor
from ..estimators.base import HolderBayesEstimator
from ..estimators.flagging import infers_epsilon, without_epsilon
from ..estimators.inputs import needs_memory

__all__ = ["ContaminatedDataError", "assert_clean", "fitted_gate"]

# Rows that an error names.
_NAMED = 5


class ContaminatedDataError(AssertionError):
    """More rows are outside the model than a gate allows.

    Attributes
    ----------
    gate : Gate
        The limit, and the probability that it is exceeded.
    audit : Audit
        The rows.
    """

    gate: Gate
    audit: Audit

    @classmethod
    def of(cls, gate: Gate, audit: Audit, verdict: str = "") -> Self:
        """The error with its text.

        Parameters
        ----------
        gate : Gate
        audit : Audit
        verdict : str, default=""
            A sentence about a model that does not describe the rows.

        Returns
        -------
        ContaminatedDataError
        """
        # The text is all of args, so that the error can be pickled.
        error = cls("\n".join([str(gate), *([verdict] if verdict else []), *_rows_in_words(audit)]))
        error.gate, error.audit = gate, audit
        return error


def assert_clean(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    above: float = 0.05,
    probability: float = 0.9,
    auditor: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Audit:
    """Raise an AssertionError where too large a share of the rows is outside the model.

    For tests and pipelines: it fails when P(epsilon > above) > probability, epsilon being the
    share outside the model in the population that the rows come from.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or None, default=None
        The response of a regression.
    above : float in [0, 1), default=0.05
        The share that must not be exceeded.
    probability : float in (0, 1), default=0.9
        How sure the posterior must be before the assertion fails.
    auditor : estimator or None, default=None
        A clone of it is fitted: an OutlierAuditor, a ModelAuditor, a HolderBayesRegressor or
        HolderBayesDensity, or another auditor with a method ``audit`` or ``audit_of`` whose fit
        leaves ``epsilon_posterior_``. None audits y given X by a
        HolderBayesRegressor, or X alone by a HolderBayesDensity, with a fixed seed, so that a
        test does not pass by luck.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        A weight of 2 equals the row written twice.

    Returns
    -------
    Audit
        Of the rows, where the assertion holds.

    Raises
    ------
    ContaminatedDataError
        An AssertionError that says how many rows, and names the least likely with their reasons.

    Examples
    --------
    >>> from skholder import assert_clean
    >>> from skholder.datasets import make_contaminated_regression
    >>> X, y, outliers = make_contaminated_regression(200, contamination=0.02, random_state=0)
    >>> assert_clean(X, y, above=0.1)
    Audit(... of 200 rows flagged; ...)
    """
    gate, audit, fitted = fitted_gate(X, y, above, probability, auditor, sample_weight)
    if gate.is_closed:
        raise ContaminatedDataError.of(gate, audit, _wrong_model(fitted))
    return audit


def fitted_gate(X, y, above, probability, auditor, sample_weight=None):
    """The gate, the audit behind it and the fitted auditor; parameters as in assert_clean."""
    check_limits(above, probability)
    needs_memory("A gate", X)
    if auditor is None:
        auditor = OutlierAuditor(None if y is None else HolderBayesRegressor(), random_state=0)
    _check_auditor(auditor)
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    fitted = clone(auditor).fit(X, y, **weights)
    gate = Gate.of(fitted.epsilon_posterior_, above, probability)
    return gate, fitted.audit_ if hasattr(fitted, "audit_") else fitted.audit(), fitted


def _check_auditor(auditor):
    """Refuse, before the fit, what will have no posterior of epsilon."""
    if not (hasattr(auditor, "audit") or hasattr(auditor, "audit_of")):
        raise ValueError(
            "auditor must be an OutlierAuditor, a ModelAuditor, a HolderBayesRegressor or a "
            f"HolderBayesDensity, got {type(auditor).__name__}. Of a Pipeline pass the last step "
            "and the X it gets; of an AuditedEstimator or OutlierRejector, its auditor."
        )
    if isinstance(auditor, HolderBayesEstimator) and not infers_epsilon(auditor):
        raise without_epsilon(auditor, "A gate")


def _wrong_model(fitted):
    """The sentence about a model that does not describe the rows it keeps; else empty."""
    for part in (fitted, getattr(fitted, "estimator_", None)):
        adequacy = getattr(part, "adequacy_", None)
        if adequacy is not None:
            return adequacy.sentence if adequacy.verdict == "wrong" else ""
    return ""


def _rows_in_words(audit):
    low, high = audit.count_interval
    yield (
        f"Flagged: {audit.mask.sum():,} of {len(audit.mask):,} rows; outside the model are between "
        f"{low:,} and {high:,} of them."
    )
    for spot in audit.indices[:_NAMED]:
        told = audit.explain(position=int(spot))
        yield f"  row {told.label}: {told.reason}"
    rest = len(audit.indices) - _NAMED
    if rest > 0:
        yield f"  ... and {rest:,} more"
