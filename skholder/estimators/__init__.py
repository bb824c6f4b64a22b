"""Estimators: thin wiring of models, posterior, sampler and audit."""

from .density import HolderBayesDensity
from .regressor import HolderBayesRegressor

__all__ = ["HolderBayesDensity", "HolderBayesRegressor"]
