"""Hölder-Bayes: robust fits with a posterior for the share of rows that do not belong."""

from .audit.audit_set import Audit
from .estimators import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    OutlierAuditor,
    OutlierRejector,
)
from .report import AuditReport

__version__ = "0.1.0"

__all__ = [
    "Audit",
    "AuditReport",
    "AuditedEstimator",
    "HolderBayesDensity",
    "HolderBayesRegressor",
    "OutlierAuditor",
    "OutlierRejector",
    "__version__",
]
