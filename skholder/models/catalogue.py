"""Density models by name."""

from __future__ import annotations

from .columns import ColumnFamily, IndependentColumns
from .custom import UserModel, check_user_model
from .elliptical import EllipticalModel
from .families.exponential import ExponentialFamily
from .families.gamma import GammaFamily
from .families.laplace import LaplaceFamily
from .families.lognormal import LogNormalFamily
from .families.poisson import PoissonFamily
from .radial import NormalRadial, Radial, StudentTRadial

__all__ = ["DENSITY_NAMES", "build_density", "check_density"]

_NAMED = {
    "normal": NormalRadial,
    "student_t": StudentTRadial,
    "laplace": LaplaceFamily,
    "exponential": ExponentialFamily,
    "gamma": GammaFamily,
    "lognormal": LogNormalFamily,
    "poisson": PoissonFamily,
}
DENSITY_NAMES = frozenset(_NAMED)


def check_density(model):
    """A Radial, a ColumnFamily or a user's checked object, from a name or an object."""
    if isinstance(model, str):
        return _NAMED[model]()
    if not isinstance(model, Radial | ColumnFamily):
        check_user_model(model)
    return model


def build_density(part, rows, *, full, **priors):
    """The working model of a checked part for rows (n, r) on the computing scale."""
    if isinstance(part, Radial):
        return EllipticalModel(rows.shape[1], part, full=full, **priors)
    if isinstance(part, ColumnFamily):
        return IndependentColumns(rows.shape[1], part, **priors)
    return UserModel(part, rows)
