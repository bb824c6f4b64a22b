"""Estimators: thin wiring of models, posterior, sampler and audit."""

from .regressor import HolderBayesRegressor

__all__ = ["HolderBayesRegressor"]
