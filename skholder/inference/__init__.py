"""From a model and its rows to posterior draws."""

from .infer import Diagnostics, Draws, Inference, Settings, infer

__all__ = ["Diagnostics", "Draws", "Inference", "Settings", "infer"]
