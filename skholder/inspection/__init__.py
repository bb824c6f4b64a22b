"""Displays: pictures of a fit, in scikit-learn's manner.

Each has ``from_estimator`` (which draws at once), a constructor that takes plain arrays, and
``plot(ax=None)``; the artists are kept as attributes. They need matplotlib,
``pip install "skholder[plot]"``, which is imported only when something is drawn.
"""

from .audit_ranking import AuditRankingDisplay
from .epsilon_posterior import EpsilonPosteriorDisplay
from .fod import FoDDisplay
from .gamma_path import GammaPathDisplay
from .group_shares import GroupSharesDisplay
from .influence import InfluenceDisplay
from .posterior import PosteriorDisplay
from .trace import TraceDisplay

__all__ = [
    "AuditRankingDisplay",
    "EpsilonPosteriorDisplay",
    "FoDDisplay",
    "GammaPathDisplay",
    "GroupSharesDisplay",
    "InfluenceDisplay",
    "PosteriorDisplay",
    "TraceDisplay",
]
