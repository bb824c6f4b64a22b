"""Target-agnostic sampling: proposals, moves, independent ensembles, diagnostics."""

from .diagnostics import convergence, ess_bulk, ess_mean, ess_tail, r_hat
from .ensemble import Samples, default_walkers, sample
from .moves import CrankNicolsonMove, IndependenceMove
from .nearest_normal import nearest_normal
from .pilot import FittedProposal, fit_proposal
from .proposals import MixtureProposal, StudentComponent

__all__ = [
    "CrankNicolsonMove",
    "FittedProposal",
    "IndependenceMove",
    "MixtureProposal",
    "Samples",
    "StudentComponent",
    "convergence",
    "default_walkers",
    "ess_bulk",
    "ess_mean",
    "ess_tail",
    "fit_proposal",
    "nearest_normal",
    "r_hat",
    "sample",
]
