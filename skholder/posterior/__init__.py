"""The Hölder posterior: alpha given theta, theta with alpha integrated out, beta, modes."""

from .alpha import AlphaConditional, AlphaPrior, profile_terms
from .collapsed import HolderPosterior, ProfileRisk
from .gamma_path import GammaPath, efficient_gamma, gamma_path, single_power
from .influence_values import (
    InfluenceFunction,
    InfluenceValues,
    influence_squares,
    influence_values,
)
from .leverage import design_weights
from .minimisers import Minimisers, free_minimiser, risk_minimisers
from .modes import (
    Mode,
    by_draws,
    by_evidence,
    evidence_share,
    find_modes,
    mode_share,
    ripples,
)
from .search import search_random
from .temperature import calibrated, covariance_rule, trace_rule

__all__ = [
    "AlphaConditional",
    "AlphaPrior",
    "GammaPath",
    "HolderPosterior",
    "InfluenceFunction",
    "InfluenceValues",
    "Minimisers",
    "Mode",
    "ProfileRisk",
    "by_draws",
    "by_evidence",
    "calibrated",
    "covariance_rule",
    "design_weights",
    "efficient_gamma",
    "evidence_share",
    "find_modes",
    "free_minimiser",
    "gamma_path",
    "influence_squares",
    "influence_values",
    "mode_share",
    "profile_terms",
    "ripples",
    "risk_minimisers",
    "search_random",
    "single_power",
    "trace_rule",
]
