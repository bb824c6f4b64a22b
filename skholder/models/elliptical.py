"""Elliptical densities: multivariate normal and Student-t, full or diagonal scatter.

With d = x - mu, precision P = L L' (L lower triangular) and Q = |L' d|^2::

    log p(x) = g(Q) + sum_i log L_ii - log_norm

theta = (mu, tau, off), tau_i = -log L_ii (a conditional log-scale) and ``off`` the entries of L
below its diagonal, which a diagonal scatter does not have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from ..rows import row_spans
from .base import LinearDistanceModel, NormalPrior
from .contributions import QuadraticContributions
from .named_draws import ColumnMoments, NamedDraws
from .radial import Radial
from .scatter_prior import ScatterPrior
from .shape import Shape
from .starts import scatter_starts

__all__ = ["EllipticalModel"]


class EllipticalModel(LinearDistanceModel):
    """Multivariate normal or t on rows x of shape (m, k).

    Parameters
    ----------
    n_columns : int
    radial : Radial
    full : bool
        Whether columns are correlated.
    location_prior_scale, log_scale_prior_scale, min_scale : float
    names : sequence of str or None
        What to call the columns in the names of parameters; None numbers them.
    """

    def __init__(
        self,
        n_columns: int,
        radial: Radial,
        *,
        full: bool,
        location_prior_scale: float,
        log_scale_prior_scale: float,
        min_scale: float,
        names: Sequence[Any] | None = None,
    ) -> None:
        self.k, self.radial, self.full = n_columns, radial, full
        diagonal = np.arange(n_columns)
        below = np.tril_indices(n_columns, -1) if full else (diagonal[:0], diagonal[:0])
        # Entry (row, column) of L for each coordinate of theta after mu.
        self.entry_row = np.append(diagonal, below[0])
        self.entry_column = np.append(diagonal, below[1])
        self.same_column = self.entry_column[:, None] == self.entry_column
        names = range(n_columns) if names is None else names
        self.parameter_names = (
            *(f"location[{name}]" for name in names),
            *(f"log_scale[{name}]" for name in names),
            *(f"precision_factor[{names[i]},{names[j]}]" for i, j in zip(*below, strict=True)),
        )
        lower = np.full(self.n_params, -np.inf)
        lower[n_columns : 2 * n_columns] = np.log(min_scale)
        scale = np.full(self.n_params, 1.0)
        scale[:n_columns] = location_prior_scale
        scale[n_columns : 2 * n_columns] = log_scale_prior_scale
        normal = NormalPrior(np.zeros(self.n_params), scale, lower)
        # A copy, which has no prior: what skops stores must not contain itself.
        self.prior = ScatterPrior(copy(self), normal) if full and n_columns > 1 else normal
        self.min_scale = min_scale

    def factor(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """L for a batch (T, d), shape (T, k, k)."""
        factor = np.zeros((len(theta), self.k, self.k))
        factor[:, self.entry_row, self.entry_column] = theta[:, self.k :]
        spots = np.arange(self.k)
        factor[:, spots, spots] = np.exp(-theta[:, self.k : 2 * self.k])
        return factor

    def scatter(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """The inverse of P for a batch, shape (T, k, k)."""
        if not self.full:
            return np.exp(2 * theta[:, self.k :])[:, :, None] * np.eye(self.k)
        inverse = np.linalg.inv(self.factor(theta))
        return np.swapaxes(inverse, 1, 2) @ inverse

    def mean_scatter(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of the scatters of a batch, shape (k, k)."""
        if not self.full:
            return np.diag(np.mean(np.exp(2 * theta[:, self.k :]), axis=0))
        spans = row_spans(len(theta), self.k**2)
        return sum(self.scatter(theta[part]).sum(axis=0) for part in spans) / len(theta)

    def theta_of(
        self, location: NDArray[np.float64], scatter: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The theta (d,) of a location (k,) and a positive definite scatter (k, k)."""
        if not self.full:
            return np.append(location, 0.5 * np.log(np.diag(scatter)))
        # scatter = U U' with U upper triangular, by a Cholesky factor in reversed order; L = U'^-1.
        size = np.sqrt(np.diag(scatter))
        unit = scatter / np.outer(size, size) + 1e-13 * np.eye(self.k)
        upper = size[:, None] * np.linalg.cholesky(unit[::-1, ::-1])[::-1, ::-1]
        factor = solve_triangular(upper, np.eye(self.k)).T
        theta = np.append(location, factor[self.entry_row, self.entry_column])
        theta[self.k : 2 * self.k] = -np.log(np.diag(factor))
        return theta

    def log_peak(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        return -np.sum(theta[:, self.k : 2 * self.k], axis=1) - self.radial.log_norm(self.k)

    def log_kernel_product(
        self, theta: NDArray[np.float64], power: float
    ) -> tuple[NDArray[np.float64], Callable[[NDArray[np.float64]], NDArray[np.float64]]]:
        coef = self.distance_coef(theta)
        if self.is_normal:
            return -0.5 * power * coef, lambda log_kernel: log_kernel
        return coef, lambda q: power * self.radial.log_kernel(q, self.k)

    def kernel_series(
        self, product: NDArray[np.float64], power: float, degree: int
    ) -> NDArray[np.float64] | None:
        """Those of the exponential function, for a normal model."""
        if not self.is_normal:
            return None
        orders = np.cumprod([1.0, *range(1, degree + 1)])
        return np.exp(product) / orders[:, None]

    def log_kernel(
        self, theta: NDArray[np.float64], rows: NDArray[np.float64], power: float
    ) -> NDArray[np.float64]:
        if len(theta) > 1:
            return super().log_kernel(theta, rows, power)
        # For one theta the monomials cost more than they save.
        u = (rows - theta[0, : self.k]) @ self.factor(theta)[0]
        return power * self.radial.log_kernel(np.einsum("ij,ij->i", u, u)[:, None], self.k)

    def shift(self, origin: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.append(origin[: self.k], np.zeros(self.n_params - self.k))

    def moved(self, rows: NDArray[np.float64], origin: NDArray[np.float64]) -> NDArray[np.float64]:
        return rows - origin[: self.k]

    has_linear_distance = True

    def distance_features(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Squares and products, columns and a one: Q is linear in them."""
        n_square, columns = len(self.entry_row), np.ascontiguousarray(rows.T)
        # Gathering whole lines of numbers is several times as fast as gathering columns of them.
        monomials = np.empty((n_square + self.k + 1, len(rows)), dtype=rows.dtype)
        np.multiply(columns[self.entry_row], columns[self.entry_column], out=monomials[:n_square])
        monomials[n_square:-1] = columns
        monomials[-1] = 1.0
        return monomials.T

    def distance_coef(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        mu = theta[:, : self.k]
        if self.full:
            factor = self.factor(theta)
            precision = factor @ np.swapaxes(factor, 1, 2)
            square = precision[:, self.entry_row, self.entry_column] * np.where(
                self.entry_row == self.entry_column, 1.0, 2.0
            )
            linear = np.einsum("tij,tj->ti", precision, mu)
        else:
            square = np.exp(-2 * theta[:, self.k :])
            linear = square * mu
        return np.hstack([square, -2 * linear, np.sum(linear * mu, axis=1, keepdims=True)])

    def log_kernel_of_distance(
        self, theta: NDArray[np.float64], distance: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """log_kernel(theta, row, 1) of a row with that Q, one for each theta, (T,)."""
        return self.radial.log_kernel(distance, self.k)

    def mean_log_kernel(
        self, theta: NDArray[np.float64]
    ) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
        if not self.is_normal:
            return None
        mean = -0.5 * self.distance_coef(theta).mean(axis=0)
        return lambda rows: self.distance_features(rows) @ mean

    def contributions(self, theta: NDArray[np.float64], forward: NDArray[np.float64]) -> Any:
        mu, spread = theta[:, : self.k], theta[:, self.k : 2 * self.k]
        if self.full:
            return QuadraticContributions.full(self.radial, mu, self.factor(theta), forward)
        return QuadraticContributions.diagonal(self.radial, mu, np.exp(-2 * spread), forward)

    def log_power(self, theta: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        log_det = np.sum(theta[:, self.k : 2 * self.k], axis=1)
        return self.radial.log_power(self.k, gamma) - gamma * log_det

    def log_power_derivatives(
        self, theta: NDArray[np.float64], gamma: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        gradient = np.zeros(self.n_params)
        gradient[self.k : 2 * self.k] = -gamma
        return gradient, np.zeros((self.n_params, self.n_params))

    def _whitened(self, theta, rows):
        """L, dL / dtheta, and rows as deviations x - mu and as L' (x - mu), a column for each."""
        factor = self.factor(theta[None])[0]
        # Beyond 1e60 a row has no weight, and its square no room.
        deviation = np.clip(rows.T - theta[: self.k, None], -1e60, 1e60)
        # dL / dtheta is 1 off the diagonal and -L_ii on it.
        on_diagonal = self.entry_row == self.entry_column
        chain = np.where(on_diagonal, -factor[self.entry_row, self.entry_column], 1.0)
        return factor, chain, deviation, factor.T @ deviation

    def _row_derivatives(self, theta, rows):
        """What scores and their sums are made of, with a column for each row; see the names below.

        Gathering whole lines of numbers is several times as fast as gathering columns of them.
        """
        factor, chain, deviation, u = self._whitened(theta, rows)
        slope, bend = self.radial.derivatives(np.sum(u * u, axis=0), self.k)
        q_gradient = np.empty((self.n_params, len(rows)))
        np.matmul(-2 * factor, u, out=q_gradient[: self.k])
        np.multiply(deviation[self.entry_row], u[self.entry_column], out=q_gradient[self.k :])
        q_gradient[self.k :] *= 2 * chain[:, None]
        score = slope * q_gradient
        score[self.k : 2 * self.k] -= 1
        return factor, chain, deviation, u, slope, bend, q_gradient, score

    @property
    def n_modelled(self) -> int:
        return self.k

    def scores(self, theta: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._row_derivatives(theta, rows)[-1].T

    def score_sums(
        self, theta: NDArray[np.float64], rows: NDArray[np.float64], weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        parts = self._row_derivatives(theta, rows)
        factor, chain, deviation, u, slope, bend, q_gradient, score = parts
        hessian = self._q_hessian(factor, chain, deviation, u, weight * slope)
        if np.any(bend):
            hessian += (q_gradient * (weight * bend)) @ q_gradient.T
        pulled = score * np.sqrt(weight)
        return score @ weight, hessian, pulled @ pulled.T

    def curvature_sums(
        self,
        theta: NDArray[np.float64],
        rows: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        power: float,
        shift: float,
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """For a normal, whose scores are a linear map of few products for each row."""
        if not self.is_normal:
            return super().curvature_sums(theta, rows, weight, power, shift)
        factor, chain, deviation, u = self._whitened(theta, rows)
        omega = np.exp(-0.5 * power * np.einsum("ij,ij->j", u, u) + shift)
        if weight is not None:
            omega *= weight
        products = np.empty((self.n_params, len(rows)))
        products[: self.k] = u
        np.multiply(deviation[self.entry_row], u[self.entry_column], out=products[self.k :])
        # score = turn @ products - ones at the log scales.
        turn = np.diag(np.append(np.zeros(self.k), -chain))
        turn[: self.k, : self.k] = factor
        total, mean = omega.sum(), turn @ (products @ omega)
        products *= np.sqrt(omega)
        outer = turn @ (products @ products.T) @ turn.T
        scales = slice(self.k, 2 * self.k)
        outer[scales] -= mean
        outer[:, scales] -= mean[:, None]
        outer[scales, scales] += total
        mean[scales] -= total
        hessian = self._q_hessian(factor, chain, deviation, u, -0.5 * omega)
        return total, mean, hessian + power * outer

    n_tail_thetas = 1000

    def tail(self, theta: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
        q = self.distance_features(rows) @ self.distance_coef(theta).T
        distance = np.sqrt(np.maximum(q, 0.0))
        return np.exp(np.interp(distance, *_log_tail_table(self.radial, self.k)))

    def shape(self, theta: NDArray[np.float64], rows: NDArray[np.float64], units: Any) -> Any:
        if not self.is_normal:
            return None
        deviation = np.clip(rows - theta[: self.k], -1e60, 1e60)
        whitened = deviation @ self.factor(theta[None])[0]
        scatter = units.backward.T @ self.scatter(theta[None])[0] @ units.backward
        sd = np.sqrt(np.maximum(np.diag(scatter), 1e-300))
        return Shape(deviation @ (units.backward / sd), np.sum(whitened**2, axis=1), whitened)

    def path_coordinates(
        self, theta: NDArray[np.float64], pilot: NDArray[np.float64], units: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Location in the pilot's metric, and the log scales of its coordinates there."""
        root = self.factor(pilot[None])[0]

        def log_scales(batch):
            inner = np.swapaxes(np.linalg.inv(self.factor(batch)), 1, 2)
            return 0.5 * np.log(np.sum((root.T @ inner) ** 2, axis=2))

        step = 1e-5
        shifts = step * np.eye(self.n_params)[self.k :]
        slopes = (log_scales(theta + shifts) - log_scales(theta - shifts)) / (2 * step)
        jacobian = np.zeros((2 * self.k, self.n_params))
        jacobian[: self.k, : self.k] = root.T
        jacobian[self.k :, self.k :] = slopes.T
        location = root.T @ (theta[: self.k] - pilot[: self.k])
        return np.append(location, log_scales(theta[None])[0]), jacobian

    def _q_hessian(self, factor, chain, deviation, u, weight):
        """Weighted sum over rows of the Hessian of Q."""
        k, row, column = self.k, self.entry_row, self.entry_column
        mean_d, mean_u = deviation @ weight, u @ weight
        second = (deviation * weight) @ deviation.T
        hessian = np.zeros((self.n_params, self.n_params))
        hessian[:k, :k] = 2 * weight.sum() * factor @ factor.T
        cross = factor[:, column] * mean_d[row]
        cross[row, np.arange(len(row))] += mean_u[column]
        hessian[:k, k:] = -2 * chain * cross
        hessian[k:, :k] = hessian[:k, k:].T
        hessian[k:, k:] = second[row][:, row]
        hessian[k:, k:] *= np.outer(2 * chain, chain) * self.same_column
        spots = np.arange(k, 2 * k)
        # The weighted sums of deviation * u, coordinate by coordinate.
        both = np.einsum("ij,ij->i", second, factor.T)
        hessian[spots, spots] += 2 * np.diag(factor) * both
        return hessian

    def starts(
        self,
        rows: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        random: np.random.RandomState,
    ) -> NDArray[np.float64]:
        pairs = scatter_starts(rows, weight, random, floor=(10 * self.min_scale) ** 2)
        return np.array([self.theta_of(*pair) for pair in pairs])

    def calibration(self, theta: NDArray[np.float64], gamma: float, alpha: float) -> float | None:
        """Closed form for the normal: ``c(gamma, k) |V|^(gamma/2) / alpha^gamma``."""
        if not self.is_normal:
            return None
        k = self.k
        log_c = gamma * self.radial.log_norm(k) + (k / 2 + 1) * np.log1p(2 * gamma)
        log_c -= np.log(gamma) + (k / 2 + 2) * np.log1p(gamma)
        return float(np.exp(log_c + gamma * np.sum(theta[k : 2 * k])) / alpha**gamma)

    @property
    def is_normal(self) -> bool:  # type: ignore[override]
        return self.radial.is_normal

    def in_words(self, columns: str, target: str | None = None) -> str:
        kind = "full" if self.full else "diagonal"
        return f"{self.radial.in_words()} density of {columns} with a {kind} covariance"

    def to_units(self, theta: NDArray[np.float64], units: Any) -> NamedDraws:
        """Draws of ``location`` (S, k) and ``covariance`` (S, k, k)."""
        return NamedDraws.elliptical(self, theta, units.centre, units.backward)

    def moments(self, theta: NDArray[np.float64], units: Any) -> ColumnMoments | None:
        location = units.centre + theta[:, : self.k] @ units.backward
        factor = self.radial.covariance_factor(self.k)
        if not self.full:
            variance = np.exp(2 * theta[:, self.k : 2 * self.k]) @ units.backward**2
        else:
            variance = np.concatenate(
                [
                    np.sum((self.scatter(theta[part]) @ units.backward) * units.backward, axis=1)
                    for part in row_spans(len(theta), self.k**2)
                ]
            )
        return ColumnMoments(location, np.sqrt(factor * variance), range(location.shape[1]))

    def sample(
        self, theta: NDArray[np.float64], random: np.random.RandomState
    ) -> NDArray[np.float64]:
        """One row from each theta of a batch, shape (T, k)."""
        z = self.radial.sample(len(theta), self.k, random)
        inverse = np.linalg.inv(self.factor(theta))
        return theta[:, : self.k] + np.einsum("tji,tj->ti", inverse, z)


@lru_cache(maxsize=32)
def _log_tail_table(radial, k):
    """Distances sqrt(Q), dense near 0 and reaching far, and the log of the tail there."""
    distance = np.sinh(np.linspace(0.0, 12.0, 6001))
    with np.errstate(divide="ignore"):
        log_tail = np.log(radial.tail(distance**2, k))
    return distance, np.maximum(log_tail, -700.0)
