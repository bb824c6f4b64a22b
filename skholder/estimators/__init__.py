"""Estimators: thin wiring of models, posterior, sampler and audit."""

from .audited import AuditedEstimator
from .auditor import OutlierAuditor
from .density import HolderBayesDensity
from .model_auditor import ModelAuditor
from .regressor import HolderBayesRegressor
from .rejector import OutlierRejector

__all__ = [
    "AuditedEstimator",
    "HolderBayesDensity",
    "HolderBayesRegressor",
    "ModelAuditor",
    "OutlierAuditor",
    "OutlierRejector",
]
