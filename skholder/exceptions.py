"""Warnings that say what to do, and point at the line of the user's that caused them."""

import contextlib
import sys
import warnings
from pathlib import Path

import joblib
import sklearn
from sklearn.exceptions import ConvergenceWarning

__all__ = [
    "ConvergenceWarning",
    "HolderBayesWarning",
    "IdentifiabilityWarning",
    "ScaleFloorWarning",
    "VacuousPosteriorWarning",
    "warn_caller",
]

# Frames of these packages are not the user's.
_MACHINERY = (
    str(Path(__file__).parent),
    str(Path(sklearn.__file__).parent),
    str(Path(joblib.__file__).parent),
    contextlib.__file__,
)


class HolderBayesWarning(UserWarning):
    """Base of skholder's own warnings."""


class IdentifiabilityWarning(HolderBayesWarning):
    """The data do not determine some parameters; the prior does."""


class ScaleFloorWarning(HolderBayesWarning):
    """The posterior piles up at the smallest scale allowed (tied or interpolated rows)."""


class VacuousPosteriorWarning(HolderBayesWarning):
    """A good part of the posterior says that every row is noise."""


def warn_caller(text: str, category: type[Warning]) -> None:
    """Warn at the innermost line that belongs neither to this package nor to scikit-learn.

    A search over many fits then repeats a warning once for each line and text, not once for each
    fit, as Python's default filter has it.
    """
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_MACHINERY):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
