"""From a model and its rows to posterior draws, and whether these may be trusted."""

from .health import Check, checks, warn_of
from .infer import infer
from .records import Diagnostics, Draws, Inference, Settings

__all__ = [
    "Check",
    "Diagnostics",
    "Draws",
    "Inference",
    "Settings",
    "checks",
    "infer",
    "warn_of",
]
