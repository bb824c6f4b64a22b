"""The audit: how many rows do not follow the model, which, and why."""

from .adequacy import Adequacy, judge_adequacy
from .adequacy_check import AdequacyCheck
from .audit_set import Audit, worst_first
from .calibrated_counts import AuditedTable, CountPosterior, count_rows, minimiser_values
from .comparison import AuditComparison, compare
from .counts import RULES, choose_count, outlier_counts, score_threshold
from .detection import Detection, detect
from .gate import Gate, check_limits
from .groups import GroupShares, group_shares, share_groups
from .kept_rows import has_tails
from .screening import flagged_share
from .streamed import StreamedAudit, audit_streamed
from .tails import expected_by_chance, tail_probabilities

__all__ = [
    "RULES",
    "Adequacy",
    "AdequacyCheck",
    "Audit",
    "AuditComparison",
    "AuditedTable",
    "CountPosterior",
    "Detection",
    "Gate",
    "GroupShares",
    "StreamedAudit",
    "audit_streamed",
    "check_limits",
    "choose_count",
    "compare",
    "count_rows",
    "detect",
    "expected_by_chance",
    "flagged_share",
    "group_shares",
    "has_tails",
    "judge_adequacy",
    "minimiser_values",
    "outlier_counts",
    "score_threshold",
    "share_groups",
    "tail_probabilities",
    "worst_first",
]
