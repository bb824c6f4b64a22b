"""Hölder-Bayes: robust fits with a posterior for the share of rows that do not belong.

Estimators in scikit-learn's manner: :class:`HolderBayesRegressor`, :class:`HolderBayesDensity`,
:class:`OutlierAuditor`, :class:`ModelAuditor` (any regressor's residuals) and, for pipelines,
:class:`AuditedEstimator` and :class:`OutlierRejector`.
``skholder.inspection`` draws what they found, :class:`AuditReport` writes it up,
:func:`assert_clean` stops a test where too many rows do not belong, :func:`read_table` reads tables
as they come, and ``skholder.datasets`` has data to try them on.

The method is that of Fujisawa, Adachi and Matsubara, "Generalised Robust Bayes for Joint Inference
of Model and Contamination".
"""

__version__ = "0.1.0"

from .audit.audit_set import Audit
from .audit.comparison import compare
from .cli.tables import TableReading, read_table
from .estimators import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    ModelAuditor,
    OutlierAuditor,
    OutlierRejector,
)
from .gates import assert_clean
from .report import AuditReport

__all__ = [
    "Audit",
    "AuditReport",
    "AuditedEstimator",
    "HolderBayesDensity",
    "HolderBayesRegressor",
    "ModelAuditor",
    "OutlierAuditor",
    "OutlierRejector",
    "TableReading",
    "__version__",
    "assert_clean",
    "compare",
    "read_table",
]
