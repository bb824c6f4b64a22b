"""The audit: how many rows do not follow the model, which, and why."""

from .adequacy import Adequacy, AdequacyCheck, judge_adequacy
from .audit_set import Audit, worst_first
from .calibrated_counts import AuditedTable, CountPosterior, count_rows, minimiser_values
from .counts import RULES, choose_count, outlier_counts, score_threshold
from .detection import Detection, detect
from .screening import flagged_share
from .streamed import StreamedAudit, audit_streamed
from .tails import expected_by_chance, tail_probabilities

__all__ = [
    "RULES",
    "Adequacy",
    "AdequacyCheck",
    "Audit",
    "AuditedTable",
    "CountPosterior",
    "Detection",
    "StreamedAudit",
    "audit_streamed",
    "choose_count",
    "count_rows",
    "detect",
    "expected_by_chance",
    "flagged_share",
    "judge_adequacy",
    "minimiser_values",
    "outlier_counts",
    "score_threshold",
    "tail_probabilities",
    "worst_first",
]
