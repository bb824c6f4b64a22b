"""The Hölder posterior: alpha given theta, theta with alpha integrated out, beta, modes."""

from .alpha import AlphaConditional, AlphaPrior, profile_terms
from .collapsed import HolderPosterior, ProfileRisk
from .minimisers import Minimisers, risk_minimisers
from .modes import Mode, find_modes
from .temperature import calibrated, covariance_rule, trace_rule

__all__ = [
    "AlphaConditional",
    "AlphaPrior",
    "HolderPosterior",
    "Minimisers",
    "Mode",
    "ProfileRisk",
    "calibrated",
    "covariance_rule",
    "find_modes",
    "profile_terms",
    "risk_minimisers",
    "trace_rule",
]
