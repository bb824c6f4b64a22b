"""Independent columns: each follows the same one-dimensional family with its own parameters.

theta is laid out parameter by parameter: all columns' first parameters, then all second ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rows import quantile_rows
from .base import NormalPrior, WorkingModel
from .contributions import ColumnContributions
from .named_draws import ColumnMoments, NamedDraws

__all__ = ["ColumnFamily", "IndependentColumns"]


class ColumnFamily(ABC):
    """A density of one column with P parameters on the computing scale.

    Attributes
    ----------
    names : tuple of str
        Names of the P parameters.
    scaling : {"standard", "ratio", "none"}
        How columns are brought to the computing scale: centred and scaled, scaled only, or left.
    """

    names: tuple[str, ...]
    scaling = "standard"

    @property
    def name(self) -> str:
        """What the family is called, e.g. ``gamma``."""
        return type(self).__name__.removesuffix("Family").lower()

    #: whether log p has two derivatives by x everywhere, with no jump, kink or edge
    is_smooth = True

    #: whether a parameter at its lower bound makes the density unbounded
    has_spikes = True

    @abstractmethod
    def check_support(self, X: NDArray[np.float64]) -> None:
        """Raise ValueError where a value of X (n, k) lies outside the support."""

    @abstractmethod
    def log_density(
        self, params: NDArray[np.float64], x: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """log p for params (T, P) and values (m,), shape (m, T)."""

    @abstractmethod
    def derivatives(
        self, params: NDArray[np.float64], x: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Score (m, P) and Hessian (m, P, P) of log p at params (P,)."""

    @abstractmethod
    def log_power(self, params: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        """log of the integral (or sum) of p^(1 + gamma) for params (T, P), shape (T,)."""

    @abstractmethod
    def log_power_derivatives(
        self, params: NDArray[np.float64], gamma: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Gradient (P,) and Hessian (P, P) of :meth:`log_power` at params (P,)."""

    @abstractmethod
    def starts(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Robust starting values from values (n,), shape (M, P)."""

    @abstractmethod
    def prior(
        self, location_prior_scale: float, log_scale_prior_scale: float, min_scale: float
    ) -> tuple[Sequence[float], Sequence[float]]:
        """Prior scale and lower bound of each parameter, two sequences of length P."""

    @abstractmethod
    def sample(
        self, params: NDArray[np.float64], random: np.random.RandomState
    ) -> NDArray[np.float64]:
        """One value for each row of params (T, P), shape (T,)."""

    @abstractmethod
    def to_units(
        self, params: NDArray[np.float64], centre: NDArray[np.float64], scale: NDArray[np.float64]
    ) -> dict[str, NDArray[np.float64]]:
        """Named draws in the user's units from params (T, k, P)."""

    def mode(self, params: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """The most likely value for params (T, P), shape (T,); None if it is not known."""
        return None

    def moments(
        self, params: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Mean and standard deviation for params (..., P), shape (...); None if not known."""
        return None


class IndependentColumns(WorkingModel):
    """A product of one :class:`ColumnFamily` over k columns; rows are (m, k)."""

    @property
    def is_smooth(self) -> bool:  # type: ignore[override]
        return self.family.is_smooth

    def __init__(
        self,
        n_columns: int,
        family: ColumnFamily,
        *,
        location_prior_scale: float,
        log_scale_prior_scale: float,
        min_scale: float,
        names: Sequence[Any] | None = None,
    ) -> None:
        self.k, self.family = n_columns, family
        names = range(n_columns) if names is None else names
        self.parameter_names = tuple(f"{name}[{j}]" for name in family.names for j in names)
        scale, lower = family.prior(location_prior_scale, log_scale_prior_scale, min_scale)
        self.prior = NormalPrior(
            np.zeros(self.n_params), np.repeat(scale, n_columns), np.repeat(lower, n_columns)
        )

    @property
    def spiky(self) -> NDArray[np.bool_]:
        return np.isfinite(self.prior.lower) & self.family.has_spikes

    def split(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """theta (T, d) as parameters of each column, shape (T, k, P)."""
        return np.swapaxes(theta.reshape(len(theta), -1, self.k), 1, 2)

    def log_peak(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.zeros(len(theta))

    def log_kernel(
        self, theta: NDArray[np.float64], rows: NDArray[np.float64], power: float
    ) -> NDArray[np.float64]:
        params = self.split(theta)
        total = np.zeros((len(rows), len(theta)))
        for j in range(self.k):
            total += self.family.log_density(params[:, j], rows[:, j])
        return np.multiply(total, power, out=total)

    def contributions(self, theta: NDArray[np.float64], forward: NDArray[np.float64]) -> Any:
        params = self.split(theta.mean(axis=0)[None])[0]
        mode = self.family.mode(params)
        return None if mode is None else ColumnContributions(self.family, params, mode, forward)

    def log_power(self, theta: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        params = self.split(theta)
        parts = (self.family.log_power(params[:, j], gamma) for j in range(self.k))
        return sum(parts, np.zeros(len(theta)))

    def log_power_derivatives(
        self, theta: NDArray[np.float64], gamma: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        gradient, hessian = np.zeros(self.n_params), np.zeros((self.n_params, self.n_params))
        for j, params in enumerate(self.split(theta[None])[0]):
            spots = slice(j, None, self.k)
            gradient[spots], hessian[spots, spots] = self.family.log_power_derivatives(
                params, gamma
            )
        return gradient, hessian

    @property
    def n_modelled(self) -> int:
        return self.k

    def scores(self, theta: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
        score = np.empty((len(rows), self.n_params))
        for j, params in enumerate(self.split(theta[None])[0]):
            score[:, j :: self.k] = self.family.derivatives(params, rows[:, j])[0]
        return score

    def score_sums(
        self, theta: NDArray[np.float64], rows: NDArray[np.float64], weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        score = np.empty((len(rows), self.n_params))
        hessian = np.zeros((self.n_params, self.n_params))
        for j, params in enumerate(self.split(theta[None])[0]):
            spots = slice(j, None, self.k)
            score[:, spots], bend = self.family.derivatives(params, rows[:, j])
            hessian[spots, spots] = np.tensordot(weight, bend, axes=1)
        return weight @ score, hessian, (score * weight[:, None]).T @ score

    def starts(
        self,
        rows: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        random: np.random.RandomState,
    ) -> NDArray[np.float64]:
        if weight is not None:
            rows = rows[quantile_rows(weight, (np.arange(len(rows)) + 0.5) / len(rows))]
        options = np.array([self.family.starts(column) for column in rows.T])
        floor = self.prior.lower + 0.5
        return np.maximum(options.transpose(1, 2, 0).reshape(options.shape[1], -1), floor)

    def in_words(self, columns: str, target: str | None = None) -> str:
        return f"product of independent {self.family.name} densities of {columns}"

    def to_units(self, theta: NDArray[np.float64], units: Any) -> NamedDraws:
        """Draws of the family's own parameters, each (S, k)."""
        columns, scale = _kept_columns(units)
        return NamedDraws(self.family.to_units(self.split(theta), units.centre[columns], scale))

    def moments(self, theta: NDArray[np.float64], units: Any) -> ColumnMoments | None:
        found = self.family.moments(self.split(theta))
        if found is None:
            return None
        columns, scale = _kept_columns(units)
        return ColumnMoments(units.centre[columns] + scale * found[0], scale * found[1], columns)

    def sample(
        self, theta: NDArray[np.float64], random: np.random.RandomState
    ) -> NDArray[np.float64]:
        """One row from each theta of a batch, shape (T, k)."""
        params = self.split(theta)
        columns = [self.family.sample(params[:, j], random) for j in range(self.k)]
        return np.column_stack(columns)


def _kept_columns(units):
    """The columns of X that have any spread, and the scale of each on the computing scale."""
    columns = np.argmax(units.forward != 0, axis=0)
    return columns, units.backward[np.arange(len(columns)), columns]
