"""Working models: the contract, and one family per file."""

from .base import NormalPrior, WorkingModel
from .noise import NoiseModel, NormalNoise, ScipyNoise, StudentTNoise, check_noise
from .regression import LinearModel

__all__ = [
    "LinearModel",
    "NoiseModel",
    "NormalNoise",
    "NormalPrior",
    "ScipyNoise",
    "StudentTNoise",
    "WorkingModel",
    "check_noise",
]
