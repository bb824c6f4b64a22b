"""Working models: the contract, and one family per file."""

from .base import NormalPrior, WorkingModel
from .catalogue import DENSITY_NAMES, DensityKind, check_density
from .columns import ColumnFamily, IndependentColumns
from .custom import UserModel
from .elliptical import EllipticalModel
from .families import (
    ExponentialFamily,
    GammaFamily,
    LaplaceFamily,
    LogNormalFamily,
    PoissonFamily,
)
from .named_draws import ColumnMoments, NamedDraws
from .noise import NoiseModel, NormalNoise, RadialNoise, ScipyNoise, StudentTNoise, check_noise
from .radial import NormalRadial, Radial, StudentTRadial, check_radial
from .regression import LinearModel
from .residual import ResidualModel
from .spectral import SpectralModel
from .tail_weight import kept_kurtosis, noise_of_kurtosis

__all__ = [
    "DENSITY_NAMES",
    "ColumnFamily",
    "ColumnMoments",
    "DensityKind",
    "EllipticalModel",
    "ExponentialFamily",
    "GammaFamily",
    "IndependentColumns",
    "LaplaceFamily",
    "LinearModel",
    "LogNormalFamily",
    "NamedDraws",
    "NoiseModel",
    "NormalNoise",
    "NormalPrior",
    "NormalRadial",
    "PoissonFamily",
    "Radial",
    "RadialNoise",
    "ResidualModel",
    "ScipyNoise",
    "SpectralModel",
    "StudentTNoise",
    "StudentTRadial",
    "UserModel",
    "WorkingModel",
    "check_density",
    "check_noise",
    "check_radial",
    "kept_kurtosis",
    "noise_of_kurtosis",
]
