"""Density models by name, and what each asks of the columns before it can be built."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import WorkingModel
from .checking import check_user_model
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
from .radial import NormalRadial, Radial, StudentTRadial, check_radial
from .spectral import SpectralModel

__all__ = ["DENSITY_NAMES", "DensityKind", "check_density"]


class DensityKind(ABC):
    """What a density asks of the columns, and how it is built once they are known."""

    def check_support(self, X: NDArray[np.float64]) -> None:  # noqa: B027  most kinds take every number
        """Raise ValueError where a value of X (n, k) lies outside the support."""

    @abstractmethod
    def scaling(self, covariance_type: str) -> str:
        """How columns come to the computing scale.

        ``"full"`` (whitened), ``"spectral"`` (along principal axes), ``"standard"``, ``"ratio"``
        or ``"none"``; see
        :class:`skholder.estimators.whitening.Whitening`.
        """

    @abstractmethod
    def build(
        self,
        rows: NDArray[np.float64],
        covariance_type: str,
        names: Sequence[Any],
        n_own: int = 0,
        **priors: float,
    ) -> WorkingModel:
        """The :class:`WorkingModel` for rows (n, r) on the computing scale.

        ``n_own`` is how many of the principal axes of a ``"spectral"`` covariance have a scale of
        their own.
        """


@dataclass(frozen=True)
class EllipticalKind(DensityKind):
    """A radial law with a full, a spectral or a diagonal covariance."""

    law: Radial

    def scaling(self, covariance_type: str) -> str:
        return "standard" if covariance_type == "diag" else covariance_type

    def build(
        self,
        rows: NDArray[np.float64],
        covariance_type: str,
        names: Sequence[Any],
        n_own: int = 0,
        **priors: float,
    ) -> WorkingModel:
        if covariance_type == "spectral":
            return SpectralModel(rows.shape[1], self.law, n_own=n_own, **priors)
        full = covariance_type == "full"
        return EllipticalModel(rows.shape[1], self.law, full=full, names=names, **priors)


@dataclass(frozen=True)
class ColumnsKind(DensityKind):
    """A one-dimensional family for every column."""

    family: ColumnFamily

    def check_support(self, X: NDArray[np.float64]) -> None:
        self.family.check_support(X)

    def scaling(self, covariance_type: str) -> str:
        return self.family.scaling

    def build(
        self,
        rows: NDArray[np.float64],
        covariance_type: str,
        names: Sequence[Any],
        n_own: int = 0,
        **priors: float,
    ) -> WorkingModel:
        return IndependentColumns(rows.shape[1], self.family, names=names, **priors)


@dataclass(frozen=True)
class CustomKind(DensityKind):
    """An object of the user's, which brings its own priors."""

    wrapped: object

    def scaling(self, covariance_type: str) -> str:
        return "standard"

    def build(
        self,
        rows: NDArray[np.float64],
        covariance_type: str,
        names: Sequence[Any],
        n_own: int = 0,
        **priors: float,
    ) -> WorkingModel:
        model = UserModel(self.wrapped, rows)
        model.check_on(rows)
        return model


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


def check_density(model: Any) -> DensityKind:
    """The :class:`DensityKind` of a name, a radial law, a column family or a user's object."""
    part = _NAMED[model]() if isinstance(model, str) else model
    if isinstance(part, Radial):
        if not isinstance(part, NormalRadial | StudentTRadial):
            check_radial(part)
        return EllipticalKind(part)
    if isinstance(part, ColumnFamily):
        return ColumnsKind(part)
    check_user_model(part)
    return CustomKind(part)
