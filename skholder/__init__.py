"""Hölder-Bayes: robust fits with a posterior for the share of rows that do not belong."""

from .audit import Audit
from .estimators import HolderBayesDensity, HolderBayesRegressor

__version__ = "0.1.0"

__all__ = ["Audit", "HolderBayesDensity", "HolderBayesRegressor", "__version__"]
