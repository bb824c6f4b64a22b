"""Working models: the contract, and one family per file."""

from .base import NormalPrior, WorkingModel
from .catalogue import DENSITY_NAMES, build_density, check_density
from .columns import ColumnFamily, IndependentColumns
from .custom import UserModel
from .elliptical import EllipticalModel
from .families.exponential import ExponentialFamily
from .families.gamma import GammaFamily
from .families.laplace import LaplaceFamily
from .families.lognormal import LogNormalFamily
from .families.poisson import PoissonFamily
from .noise import NoiseModel, NormalNoise, ScipyNoise, StudentTNoise, check_noise
from .radial import NormalRadial, StudentTRadial
from .regression import LinearModel

__all__ = [
    "DENSITY_NAMES",
    "ColumnFamily",
    "EllipticalModel",
    "ExponentialFamily",
    "GammaFamily",
    "IndependentColumns",
    "LaplaceFamily",
    "LinearModel",
    "LogNormalFamily",
    "NoiseModel",
    "NormalNoise",
    "NormalPrior",
    "NormalRadial",
    "PoissonFamily",
    "ScipyNoise",
    "StudentTNoise",
    "StudentTRadial",
    "UserModel",
    "WorkingModel",
    "build_density",
    "check_density",
    "check_noise",
]
