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
from .modes import Mode, find_modes, mode_share
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
    "calibrated",
    "covariance_rule",
    "design_weights",
    "efficient_gamma",
    "find_modes",
    "free_minimiser",
    "gamma_path",
    "influence_squares",
    "influence_values",
    "mode_share",
    "profile_terms",
    "risk_minimisers",
    "search_random",
    "single_power",
    "trace_rule",
]
