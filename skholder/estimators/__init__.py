"""Estimators: thin wiring of models, posterior, sampler and audit."""

from .audited import AuditedEstimator
from .auditor import OutlierAuditor
from .density import HolderBayesDensity
from .regressor import HolderBayesRegressor
from .rejector import OutlierRejector

__all__ = [
    "AuditedEstimator",
    "HolderBayesDensity",
    "HolderBayesRegressor",
    "OutlierAuditor",
    "OutlierRejector",
]
