"""The audit: how many rows do not follow the model, which, and why."""

from .audit_set import Audit, worst_first
from .counts import choose_count, outlier_counts, score_threshold
from .detection import Detection, detect

__all__ = [
    "Audit",
    "Detection",
    "choose_count",
    "detect",
    "outlier_counts",
    "score_threshold",
    "worst_first",
]
