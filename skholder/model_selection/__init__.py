"""Choosing settings without labels: the power gamma, and scores for searches.

On rows of which some are spoiled, scores that count every row alike (R^2, the mean log density)
prefer the fit that follows the spoiled rows. :func:`select_gamma` needs no folds at all;
:class:`TrimmedLogScore` and :class:`HyvarinenScore` are scorers for ``GridSearchCV`` and its kin.
"""

from .gamma import select_gamma
from .scorers import HyvarinenScore, TrimmedLogScore

__all__ = ["HyvarinenScore", "TrimmedLogScore", "select_gamma"]
