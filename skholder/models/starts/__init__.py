"""Robust starting values: least trimmed squares for regressions, scatters for densities.

And the principal axes that wide densities hold fixed.
"""

from .distances import RobustDistances, robust_distances
from .least_trimmed import trimmed_starts
from .scatter import minimum_covariance_determinant, scatter_starts
from .shrunken import PrincipalAxes, principal_axes

__all__ = [
    "PrincipalAxes",
    "RobustDistances",
    "minimum_covariance_determinant",
    "principal_axes",
    "robust_distances",
    "scatter_starts",
    "trimmed_starts",
]
