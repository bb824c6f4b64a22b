"""Robust starting values: least trimmed squares for regressions, scatters for densities."""

from .least_trimmed import trimmed_starts
from .scatter import minimum_covariance_determinant, scatter_starts

__all__ = ["minimum_covariance_determinant", "scatter_starts", "trimmed_starts"]
