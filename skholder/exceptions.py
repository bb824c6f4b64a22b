"""Warnings that say what to do, and point at the line of the user's that caused them."""

import contextlib
import sys
import warnings
from pathlib import Path
from weakref import WeakKeyDictionary

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
_MODEL_SELECTION = str(Path(sklearn.__file__).parent / "model_selection")
# What the fits of a search have warned of; a search has one Parallel, which it forgets at its end.
_SAID: WeakKeyDictionary[object, set[type[Warning]]] = WeakKeyDictionary()


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

    The many fits of a search or a cross-validation warn once of each category.

    Parameters
    ----------
    text : str
    category : type of Warning
    """
    level, frame, run, search = 1, sys._getframe(), None, None
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_MACHINERY):
        if isinstance(frame.f_locals.get("self"), joblib.Parallel):
            run = frame.f_locals["self"]
        elif run is not None and frame.f_code.co_filename.startswith(_MODEL_SELECTION):
            search = run
        level, frame = level + 1, frame.f_back
    if search is None:
        warnings.warn(text, category, stacklevel=level)
        return
    said = _SAID.setdefault(search, set())
    if category not in said:
        warnings.warn(f"{text} Said once for all fits of this search.", category, stacklevel=level)
        # Not before: a filter that turns warnings into errors does so in every fit.
        said.add(category)
