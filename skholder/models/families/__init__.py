"""One-dimensional families for independent columns, one per file."""

from .exponential import ExponentialFamily
from .gamma import GammaFamily
from .laplace import LaplaceFamily
from .lognormal import LogNormalFamily
from .poisson import PoissonFamily

__all__ = [
    "ExponentialFamily",
    "GammaFamily",
    "LaplaceFamily",
    "LogNormalFamily",
    "PoissonFamily",
]
