"""Warnings that say what to do."""

from sklearn.exceptions import ConvergenceWarning

__all__ = [
    "ConvergenceWarning",
    "HolderBayesWarning",
    "IdentifiabilityWarning",
    "ScaleFloorWarning",
    "VacuousPosteriorWarning",
]


class HolderBayesWarning(UserWarning):
    """Base of skholder's own warnings."""


class IdentifiabilityWarning(HolderBayesWarning):
    """The data do not determine some parameters; the prior does."""


class ScaleFloorWarning(HolderBayesWarning):
    """The posterior piles up at the smallest scale allowed (tied or interpolated rows)."""


class VacuousPosteriorWarning(HolderBayesWarning):
    """A good part of the posterior says that every row is noise."""
