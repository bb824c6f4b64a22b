"""Elliptical densities of wide tables: fixed principal axes, sampled location and scales.

Rows are coordinates along k principal axes, leading ones first, of a shape found beforehand. Along
them the scatter is diagonal; the first axes have a scale each, the others share one::

    theta = (mu_1 ... mu_k, tau_1 ... tau_G),   Q = sum_j ((x_j - mu_j) exp(-tau_g(j)))^2
    log p(x) = g(Q) - sum_j tau_g(j) - log_norm
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import LinearDistanceModel, NormalPrior
from .elliptical import EllipticalModel
from .named_draws import ColumnMoments, NamedDraws
from .radial import Radial

__all__ = ["SpectralModel"]


class SpectralModel(LinearDistanceModel):
    """Multivariate normal or t on rows of shape (m, k) along fixed axes.

    Parameters
    ----------
    n_axes : int
    radial : Radial
    n_own : int
        Leading axes that have a scale of their own; the others share one.
    location_prior_scale, log_scale_prior_scale, min_scale : float
    """

    def __init__(
        self,
        n_axes: int,
        radial: Radial,
        *,
        n_own: int,
        location_prior_scale: float,
        log_scale_prior_scale: float,
        min_scale: float,
    ) -> None:
        self.k, self.radial = n_axes, radial
        # Adjacent axes share a scale: the first axis of every group, and its number of axes.
        self.first = np.arange(min(n_own + 1, n_axes))
        self.size = np.diff(np.append(self.first, n_axes))
        self.group = np.repeat(np.arange(len(self.first)), self.size)
        rest = f"axes {n_own + 1} to {n_axes}" if n_own + 1 < n_axes else f"axis {n_axes}"
        own = [f"axis {j + 1}" for j in range(len(self.first) - 1)]
        self.parameter_names = (
            *(f"location[axis {j + 1}]" for j in range(n_axes)),
            *(f"log_scale[{name}]" for name in (*own, rest)),
        )
        lower = np.full(self.n_params, -np.inf)
        lower[n_axes:] = np.log(min_scale)
        scale = np.full(self.n_params, float(log_scale_prior_scale))
        scale[:n_axes] = location_prior_scale
        self.prior = NormalPrior(np.zeros(self.n_params), scale, lower)
        self.diagonal = EllipticalModel(
            n_axes,
            radial,
            full=False,
            location_prior_scale=location_prior_scale,
            log_scale_prior_scale=log_scale_prior_scale,
            min_scale=min_scale,
        )

    def spread(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """The theta (T, 2 k) of a diagonal model with a scale for every axis."""
        return np.hstack([theta[:, : self.k], theta[:, self.k :][:, self.group]])

    def _summed(self, values):
        """Sums (m, G) over the axes that share a scale of values (m, k)."""
        return np.add.reduceat(values, self.first, axis=1)

    def log_peak(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        return -theta[:, self.k :] @ self.size - self.radial.log_norm(self.k)

    has_linear_distance = True

    def distance_features(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Squares, columns and a one: Q is linear in them."""
        return np.hstack([rows * rows, rows, np.ones((len(rows), 1), dtype=rows.dtype)])

    def distance_coef(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.diagonal.distance_coef(self.spread(theta))

    def log_kernel_of_distance(
        self, theta: NDArray[np.float64], distance: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return self.radial.log_kernel(distance, self.k)

    def log_kernel_product(
        self, theta: NDArray[np.float64], power: float
    ) -> tuple[NDArray[np.float64], Callable[[NDArray[np.float64]], NDArray[np.float64]]]:
        return self.diagonal.log_kernel_product(self.spread(theta), power)

    def log_kernel(
        self, theta: NDArray[np.float64], rows: NDArray[np.float64], power: float
    ) -> NDArray[np.float64]:
        if len(theta) > 1:
            return super().log_kernel(theta, rows, power)
        # For one theta the squares cost more than they save.
        deviation = (rows - theta[0, : self.k]) * np.exp(-theta[0, self.k :][self.group])
        squared = np.einsum("ij,ij->i", deviation, deviation)
        return power * self.radial.log_kernel(squared[:, None], self.k)

    def shift(self, origin: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.append(origin[: self.k], np.zeros(self.n_params - self.k))

    def moved(self, rows: NDArray[np.float64], origin: NDArray[np.float64]) -> NDArray[np.float64]:
        return rows - origin[: self.k]

    def mean_log_kernel(
        self, theta: NDArray[np.float64]
    ) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
        return self.diagonal.mean_log_kernel(self.spread(theta))

    def contributions(self, theta: NDArray[np.float64], forward: NDArray[np.float64]) -> Any:
        return self.diagonal.contributions(self.spread(theta), forward)

    def log_power(self, theta: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return self.radial.log_power(self.k, gamma) - gamma * (theta[:, self.k :] @ self.size)

    def log_power_derivatives(
        self, theta: NDArray[np.float64], gamma: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        gradient = np.append(np.zeros(self.k), -gamma * self.size)
        return gradient, np.zeros((self.n_params, self.n_params))

    def _row_derivatives(self, theta, rows):
        """Precisions (k,), pulls and squares (m, k), g' and g'' (m,), grad Q and scores (m, d)."""
        precision = np.exp(-2 * theta[self.k :])[self.group]
        # Beyond 1e60 a row has no weight, and its square no room.
        deviation = np.clip(rows - theta[: self.k], -1e60, 1e60)
        pull = deviation * precision
        square = self._summed(deviation * pull)
        slope, bend = self.radial.derivatives(np.sum(square, axis=1), self.k)
        q_gradient = -2 * np.hstack([pull, square])
        score = slope[:, None] * q_gradient
        score[:, self.k :] -= self.size
        return precision, pull, square, slope, bend, q_gradient, score

    def scores(self, theta: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._row_derivatives(theta, rows)[-1]

    def score_sums(
        self, theta: NDArray[np.float64], rows: NDArray[np.float64], weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        precision, pull, square, slope, bend, q_gradient, score = self._row_derivatives(theta, rows)
        pressed = weight * slope
        hessian = np.diag(np.append(2 * pressed.sum() * precision, 4 * (pressed @ square)))
        axis, scale = np.arange(self.k), self.k + self.group
        hessian[axis, scale] = hessian[scale, axis] = 4 * (pressed @ pull)
        if np.any(bend):
            hessian += (q_gradient * (weight * bend)[:, None]).T @ q_gradient
        return weight @ score, hessian, (score * weight[:, None]).T @ score

    n_tail_thetas = 200

    def tail(self, theta: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.diagonal.tail(self.spread(theta), rows)

    def shape(self, theta: NDArray[np.float64], rows: NDArray[np.float64], units: Any) -> Any:
        return self.diagonal.shape(self.spread(theta[None])[0], rows, units)

    def path_coordinates(
        self, theta: NDArray[np.float64], pilot: NDArray[np.float64], units: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Location in the pilot's scales, and the log scales."""
        unit = np.exp(-pilot[self.k :][self.group])
        location = (theta[: self.k] - pilot[: self.k]) * unit
        jacobian = np.diag(np.append(unit, np.ones(len(self.first))))
        return np.append(location, theta[self.k :]), jacobian

    def starts(
        self,
        rows: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        random: np.random.RandomState,
    ) -> NDArray[np.float64]:
        found = self.diagonal.starts(rows, weight, random)
        variance = self._summed(np.exp(2 * found[:, self.k :])) / self.size
        return np.hstack([found[:, : self.k], 0.5 * np.log(variance)])

    def calibration(self, theta: NDArray[np.float64], gamma: float, alpha: float) -> float | None:
        return self.diagonal.calibration(self.spread(theta[None])[0], gamma, alpha)

    @property
    def n_modelled(self) -> int:
        return self.k

    @property
    def is_normal(self) -> bool:  # type: ignore[override]
        return self.radial.is_normal

    def in_words(self, columns: str, target: str | None = None) -> str:
        return f"{self.radial.in_words()} density of {columns} along fixed principal axes"

    def to_units(self, theta: NDArray[np.float64], units: Any) -> NamedDraws:
        """Draws of ``location`` (S, p) and ``covariance`` (S, p, p) of the user's p columns."""
        return self.diagonal.to_units(self.spread(theta), units)

    def moments(self, theta: NDArray[np.float64], units: Any) -> ColumnMoments | None:
        return self.diagonal.moments(self.spread(theta), units)

    def sample(
        self, theta: NDArray[np.float64], random: np.random.RandomState
    ) -> NDArray[np.float64]:
        """One row from each theta of a batch, shape (T, k)."""
        z = self.radial.sample(len(theta), self.k, random)
        return theta[:, : self.k] + z * np.exp(theta[:, self.k :][:, self.group])
