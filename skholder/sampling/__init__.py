"""Target-agnostic sampling: proposals, moves, independent ensembles, diagnostics."""

from .diagnostics import ess_bulk, ess_mean, ess_tail, r_hat
from .ensemble import Samples, default_walkers, fit_proposal, sample
from .moves import CrankNicolsonMove, IndependenceMove
from .proposals import MixtureProposal, StudentComponent

__all__ = [
    "CrankNicolsonMove",
    "IndependenceMove",
    "MixtureProposal",
    "Samples",
    "StudentComponent",
    "default_walkers",
    "ess_bulk",
    "ess_mean",
    "ess_tail",
    "fit_proposal",
    "r_hat",
    "sample",
]
