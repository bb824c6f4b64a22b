"""Robust starting values: least trimmed squares for regressions, scatters for densities."""

from .distances import RobustDistances, robust_distances
from .least_trimmed import trimmed_starts
from .scatter import minimum_covariance_determinant, scatter_starts

__all__ = [
    "RobustDistances",
    "minimum_covariance_determinant",
    "robust_distances",
    "scatter_starts",
    "trimmed_starts",
]
