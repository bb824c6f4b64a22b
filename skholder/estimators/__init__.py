"""Estimators: thin wiring of models, posterior, sampler and audit."""

from .audited import AuditedEstimator, OutlierRejector
from .auditor import OutlierAuditor
from .density import HolderBayesDensity
from .regressor import HolderBayesRegressor

__all__ = [
    "AuditedEstimator",
    "HolderBayesDensity",
    "HolderBayesRegressor",
    "OutlierAuditor",
    "OutlierRejector",
]
