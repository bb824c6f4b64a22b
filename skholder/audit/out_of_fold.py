"""Why a row is flagged whose response another model predicted without having seen the row."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .evidence import RegressionEvidence
from .explanation import Residual, residual_reason
from .wording import number, rounded

__all__ = ["OutOfFoldEvidence", "OutOfFoldResidual", "out_of_fold_evidence"]

_REFERENCE = "what the model predicts without having seen it"


@dataclass(frozen=True)
class OutOfFoldResidual(Residual):
    """A row and its prediction by a model that was trained without it, in the user's units."""

    def __str__(self) -> str:
        low, high = (rounded(end, self.sd) for end in self.interval)
        return (
            f"{residual_reason(self.target, self.standardised, 1.0, _REFERENCE)}: "
            f"{number(self.observed)} against {rounded(self.fitted, self.sd)} (95% predictive "
            f"interval {low} to {high})"
        )


@dataclass(frozen=True, repr=False)
class OutOfFoldEvidence(RegressionEvidence):
    """What explains each row: observed, predicted out of fold, and how far off rows usually are."""

    def reasons(self, positions):
        """A short text for each row, as a list."""
        return [
            residual_reason(self.target, z, 1.0, _REFERENCE)
            for z in self.standardised[positions].tolist()
        ]

    def residual(self, row):
        """The :class:`OutOfFoldResidual` of a row."""
        return OutOfFoldResidual(**vars(super().residual(row)))


def out_of_fold_evidence(evidence, response, prediction, size):
    """The evidence of standardised residuals, turned into that of the response itself.

    Parameters
    ----------
    evidence : RegressionEvidence
        Of the residuals divided by ``size``.
    response, prediction : ndarray of shape (n,)
        In the user's units.
    size : ndarray of shape (n,)
        What the residuals were divided by.

    Returns
    -------
    OutOfFoldEvidence
    """
    told = replace(
        evidence,
        observed=response,
        fitted=prediction + size * evidence.fitted,
        sd=size * evidence.sd,
    )
    return OutOfFoldEvidence(**vars(told))
