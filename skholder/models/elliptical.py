"""Elliptical densities: multivariate normal and Student-t, full or diagonal scatter.

With d = x - mu, precision P = L L' (L lower triangular) and Q = |L' d|^2::

    log p(x) = g(Q) + sum_i log L_ii - log_norm

theta = (mu, tau, off), tau_i = -log L_ii (a conditional log-scale) and ``off`` the entries of L
below its diagonal, which a diagonal scatter does not have.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import gammaln

from .base import NormalPrior, WorkingModel
from .scatter_starts import scatter_starts

__all__ = ["EllipticalModel", "NormalRadial", "ScatterPrior", "StudentTRadial"]


class Radial(ABC):
    """The function g of an elliptical density in k dimensions."""

    @abstractmethod
    def log_kernel(self, q, k):
        """g(q), at most 0."""

    @abstractmethod
    def derivatives(self, q, k):
        """g'(q) and g''(q)."""

    @abstractmethod
    def log_norm(self, k):
        """log of the integral of exp(g(|z|^2)) over z."""

    @abstractmethod
    def log_power(self, k, gamma):
        """log of the integral of the standard density to the power 1 + gamma."""

    @abstractmethod
    def covariance_factor(self, k):
        """The covariance is this times the inverse of P; nan where there is none."""

    @abstractmethod
    def sample(self, size, k, random):
        """Draws of the standard density, shape (size, k)."""


@dataclass(frozen=True)
class NormalRadial(Radial):
    """g(q) = -q / 2."""

    def log_kernel(self, q, k):
        return -0.5 * q

    def derivatives(self, q, k):
        return np.full_like(q, -0.5), np.zeros_like(q)

    def log_norm(self, k):
        return 0.5 * k * np.log(2 * np.pi)

    def log_power(self, k, gamma):
        return -gamma * self.log_norm(k) - 0.5 * k * np.log1p(gamma)

    def covariance_factor(self, k):
        return 1.0

    def sample(self, size, k, random):
        return random.standard_normal((size, k))


@dataclass(frozen=True)
class StudentTRadial(Radial):
    """g(q) = -(df + k) / 2 log(1 + q / df)."""

    df: float = 4.0

    def __post_init__(self):
        if not 0 < self.df < np.inf:
            raise ValueError(f"df must be positive and finite, got {self.df!r}.")

    def log_kernel(self, q, k):
        return -0.5 * (self.df + k) * np.log1p(np.maximum(q, 0) / self.df)

    def derivatives(self, q, k):
        below = self.df + q
        return -0.5 * (self.df + k) / below, 0.5 * (self.df + k) / below**2

    def _log_integral(self, k, power):
        """log of the integral of (1 + |z|^2 / df)^(-power) over R^k."""
        volume = 0.5 * k * np.log(self.df * np.pi)
        return volume + gammaln(power - k / 2) - gammaln(power)

    def log_norm(self, k):
        return self._log_integral(k, (self.df + k) / 2)

    def log_power(self, k, gamma):
        # The power of a t kernel is a t kernel.
        power = (1 + gamma) * (self.df + k) / 2
        return self._log_integral(k, power) - (1 + gamma) * self.log_norm(k)

    def covariance_factor(self, k):
        return self.df / (self.df - 2) if self.df > 2 else np.nan

    def sample(self, size, k, random):
        z = random.standard_normal((size, k))
        return z * np.sqrt(self.df / random.chisquare(self.df, size))[:, None]


class EllipticalModel(WorkingModel):
    """Multivariate normal or t on rows x of shape (m, k).

    Parameters
    ----------
    n_columns : int
    radial : Radial
    full : bool
        Whether columns are correlated.
    location_prior_scale, log_scale_prior_scale, min_scale : float
    """

    def __init__(
        self, n_columns, radial, *, full, location_prior_scale, log_scale_prior_scale, min_scale
    ):
        self.k, self.radial, self.full = n_columns, radial, full
        diagonal = np.arange(n_columns)
        below = np.tril_indices(n_columns, -1) if full else (diagonal[:0], diagonal[:0])
        # Entry (row, column) of L for each coordinate of theta after mu.
        self._row = np.append(diagonal, below[0])
        self._column = np.append(diagonal, below[1])
        self.parameter_names = (
            *(f"location[{j}]" for j in diagonal),
            *(f"log_scale[{j}]" for j in diagonal),
            *(f"precision_factor[{i},{j}]" for i, j in zip(*below, strict=True)),
        )
        lower = np.full(self.n_params, -np.inf)
        lower[n_columns : 2 * n_columns] = np.log(min_scale)
        scale = np.full(self.n_params, 1.0)
        scale[:n_columns] = location_prior_scale
        scale[n_columns : 2 * n_columns] = log_scale_prior_scale
        normal = NormalPrior(np.zeros(self.n_params), scale, lower)
        self.prior = ScatterPrior(self, normal) if full and n_columns > 1 else normal
        self.min_scale = min_scale

    def factor(self, theta):
        """L for a batch (T, d), shape (T, k, k)."""
        factor = np.zeros((len(theta), self.k, self.k))
        factor[:, self._row, self._column] = theta[:, self.k :]
        spots = np.arange(self.k)
        factor[:, spots, spots] = np.exp(-theta[:, self.k : 2 * self.k])
        return factor

    def scatter(self, theta):
        """The inverse of P for a batch, shape (T, k, k)."""
        inverse = np.linalg.inv(self.factor(theta))
        return np.swapaxes(inverse, 1, 2) @ inverse

    def theta_of(self, location, scatter):
        """The theta (d,) of a location (k,) and a positive definite scatter (k, k)."""
        if not self.full:
            return np.append(location, 0.5 * np.log(np.diag(scatter)))
        # scatter = U U' with U upper triangular, by a Cholesky factor in reversed order; L = U'^-1.
        size = np.sqrt(np.diag(scatter))
        unit = scatter / np.outer(size, size) + 1e-13 * np.eye(self.k)
        upper = size[:, None] * np.linalg.cholesky(unit[::-1, ::-1])[::-1, ::-1]
        factor = solve_triangular(upper, np.eye(self.k)).T
        theta = np.append(location, factor[self._row, self._column])
        theta[self.k : 2 * self.k] = -np.log(np.diag(factor))
        return theta

    def peak(self, theta):
        return -np.sum(theta[:, self.k : 2 * self.k], axis=1) - self.radial.log_norm(self.k)

    def kernel(self, theta, rows, power):
        if isinstance(self.radial, NormalRadial):
            return self._quadratic(theta, rows, -0.5 * power)
        return power * self.radial.log_kernel(self._quadratic(theta, rows), self.k)

    def _quadratic(self, theta, rows, times=1.0):
        """times * Q for each row and theta, as one product with the monomials of x, (m, T)."""
        return self.score_features(rows) @ (times * self.score_weights(theta)).T

    has_linear_score = True

    def score_features(self, rows):
        """Squares and products, columns and a one: Q is linear in them."""
        n_square = len(self._row)
        monomials = np.empty((len(rows), n_square + self.k + 1))
        np.multiply(rows[:, self._row], rows[:, self._column], out=monomials[:, :n_square])
        monomials[:, n_square:-1] = rows
        monomials[:, -1] = 1.0
        return monomials

    def score_weights(self, theta):
        mu = theta[:, : self.k]
        if self.full:
            factor = self.factor(theta)
            precision = factor @ np.swapaxes(factor, 1, 2)
            square = precision[:, self._row, self._column] * np.where(
                self._row == self._column, 1.0, 2.0
            )
            linear = np.einsum("tij,tj->ti", precision, mu)
        else:
            square = np.exp(-2 * theta[:, self.k :])
            linear = square * mu
        return np.hstack([square, -2 * linear, np.sum(linear * mu, axis=1, keepdims=True)])

    def kernel_of_score(self, theta, score):
        """kernel(theta, row, 1) of a row with that Q, one for each theta, (T,)."""
        return self.radial.log_kernel(score, self.k)

    def mean_kernel(self, theta, rows):
        if not isinstance(self.radial, NormalRadial):
            return None
        return -0.5 * self.score_features(rows) @ self.score_weights(theta).mean(axis=0)

    def log_power(self, theta, gamma):
        log_det = np.sum(theta[:, self.k : 2 * self.k], axis=1)
        return self.radial.log_power(self.k, gamma) - gamma * log_det

    def log_power_derivatives(self, theta, gamma):
        gradient = np.zeros(self.n_params)
        gradient[self.k : 2 * self.k] = -gamma
        return gradient, np.zeros((self.n_params, self.n_params))

    def score_sums(self, theta, rows, weight):
        factor = self.factor(theta[None])[0]
        deviation = rows - theta[: self.k]
        u = deviation @ factor
        slope, bend = self.radial.derivatives(np.sum(u * u, axis=1), self.k)
        # dL / dtheta is 1 off the diagonal and -L_ii on it.
        chain = np.where(self._row == self._column, -factor[self._row, self._column], 1.0)
        q_gradient = np.hstack(
            [-2 * u @ factor.T, 2 * chain * deviation[:, self._row] * u[:, self._column]]
        )
        score = slope[:, None] * q_gradient
        score[:, self.k : 2 * self.k] -= 1
        hessian = self._q_hessian(factor, chain, deviation, u, weight * slope)
        if np.any(bend):
            hessian += (q_gradient * (weight * bend)[:, None]).T @ q_gradient
        return weight @ score, hessian, (score * weight[:, None]).T @ score

    def _q_hessian(self, factor, chain, deviation, u, weight):
        """Weighted sum over rows of the Hessian of Q."""
        k, row, column = self.k, self._row, self._column
        mean_d, mean_u = weight @ deviation, weight @ u
        second = (deviation * weight[:, None]).T @ deviation
        hessian = np.zeros((self.n_params, self.n_params))
        hessian[:k, :k] = 2 * weight.sum() * factor @ factor.T
        cross = factor[:, column] * mean_d[row]
        cross[row, np.arange(len(row))] += mean_u[column]
        hessian[:k, k:] = -2 * chain * cross
        hessian[k:, :k] = hessian[:k, k:].T
        same = column[:, None] == column[None, :]
        block = 2 * np.outer(chain, chain) * np.where(same, second[np.ix_(row, row)], 0.0)
        spots = np.arange(k)
        block[spots, spots] += 2 * np.diag(factor) * np.sum(deviation * u * weight[:, None], axis=0)
        hessian[k:, k:] = block
        return hessian

    def starts(self, rows, weight, random):
        pairs = scatter_starts(rows, weight, random, floor=(10 * self.min_scale) ** 2)
        return np.array([self.theta_of(*pair) for pair in pairs])

    def calibration(self, theta, gamma, alpha):
        """Closed form for the normal: c(gamma, k) |V|^(gamma/2) / alpha^gamma."""
        if not isinstance(self.radial, NormalRadial):
            return None
        k = self.k
        log_c = gamma * self.radial.log_norm(k) + (k / 2 + 1) * np.log1p(2 * gamma)
        log_c -= np.log(gamma) + (k / 2 + 2) * np.log1p(gamma)
        return float(np.exp(log_c + gamma * np.sum(theta[k : 2 * k])) / alpha**gamma)

    def sample(self, theta, random):
        """One row from each theta of a batch, shape (T, k)."""
        z = self.radial.sample(len(theta), self.k, random)
        inverse = np.linalg.inv(self.factor(theta))
        return theta[:, : self.k] + np.einsum("tji,tj->ti", inverse, z)


class ScatterPrior:
    """A prior of location and scatter that rotations of the data leave as it is.

    The location is N(0, s^2 I). Half the matrix logarithm of the scatter is a symmetric matrix
    with density exp(-|.|_F^2 / (2 c^2)): for one column, the log-scale is N(0, c^2). In the
    coordinates (tau, off), with l the logarithms of the eigenvalues, it becomes::

        exp(-sum l_i^2 / (8 c^2)) prod_{i<j} (D_ij / 2) / sinh(D_ij / 2) prod_i L_ii^(1 - i)

    with D_ij = l_i - l_j.
    """

    def __init__(self, model, normal):
        self.model, self.normal, self.lower = model, normal, normal.lower
        self.location_scale = normal.scale[0]
        self.log_scale = normal.scale[model.k]

    def log_prob(self, theta):
        """Log density (T, d) -> (T,); -inf below the floor."""
        k, c = self.model.k, self.log_scale
        inside = np.all(theta >= self.lower, axis=1)
        value = np.full(len(theta), -np.inf)
        theta = theta[inside]
        factor = self.model.factor(theta)
        eigenvalue = np.linalg.eigvalsh(factor @ np.swapaxes(factor, 1, 2))
        logs = np.log(np.maximum(eigenvalue, 1e-300))
        first, second = np.triu_indices(k, 1)
        log_norm = 0.5 * k * np.log(2 * np.pi * 4 * c**2) - k * np.log(2)
        log_norm += 0.25 * k * (k - 1) * np.log(2 * np.pi * 2 * c**2)
        log_norm += k * np.log(self.location_scale) + 0.5 * k * np.log(2 * np.pi)
        value[inside] = (
            -np.sum(logs**2, axis=1) / (8 * c**2)
            - np.sum(_log_sinhc(logs[:, first] - logs[:, second]), axis=1)
            - 0.5 * np.sum(theta[:, :k] ** 2, axis=1) / self.location_scale**2
            + theta[:, k : 2 * k] @ np.arange(k)
            - log_norm
        )
        return value

    def with_lower(self, lower):
        """The same prior above another floor."""
        return ScatterPrior(self.model, self.normal.with_lower(lower))

    def sample(self, size, random):
        """Draws (size, d) of the prior without its floor."""
        k = self.model.k
        draws = random.standard_normal((size, k, k)) * self.log_scale * np.sqrt(2)
        value, vector = np.linalg.eigh((draws + np.swapaxes(draws, 1, 2)) / np.sqrt(2))
        precision = (vector * np.exp(value)[:, None, :]) @ np.swapaxes(vector, 1, 2)
        # Eigenvalues further apart than the floats' digits have no Cholesky factor; lift them.
        spots = np.arange(k)
        precision[:, spots, spots] += 1e-13 * np.exp(value[:, -1:])
        factor = np.linalg.cholesky(precision)
        scatter_part = factor[:, self.model._row, self.model._column]
        scatter_part[:, :k] = -np.log(factor[:, spots, spots])
        location = self.location_scale * random.standard_normal((size, k))
        return np.hstack([location, scatter_part])

    def derivatives(self, theta):
        """Exact gradient (d,); a Hessian (d, d) that is exact at the unit scatter.

        Newton steps and Laplace covariances only need the weak prior's curvature roughly.
        """
        model, k = self.model, self.model.k
        factor = model.factor(theta[None])[0]
        value, vector = np.linalg.eigh(factor @ factor.T)
        value = np.maximum(value, 1e-300)
        logs = np.log(value)
        pull = -logs / (4 * self.log_scale**2)
        pull -= np.sum(_log_sinhc_slope(logs[:, None] - logs), axis=1)
        inner = (vector * (pull / value)) @ vector.T
        slope = (2 * inner @ factor)[model._row, model._column]
        slope[:k] = -np.diag(factor) * slope[:k] + np.arange(k)
        gradient = np.append(-theta[:k] / self.location_scale**2, slope)
        curvature = np.full(len(theta), 0.5 / self.log_scale**2 + k / 6)
        curvature[:k] = self.location_scale**-2.0
        curvature[k : 2 * k] = self.log_scale**-2.0 + k / 3
        hessian = -np.diag(curvature)
        hessian[k : 2 * k, k : 2 * k] += 1 / 3
        return gradient, hessian


def _log_sinhc(x):
    """log(sinh(x / 2) / (x / 2)), stable near 0 and far out."""
    half = np.abs(x) / 2
    safe = np.maximum(half, 1e-4)
    far = half + np.log(-np.expm1(-2 * safe)) - np.log(2 * safe)
    return np.where(half < 1e-4, half**2 / 6, far)


def _log_sinhc_slope(x):
    """Derivative of :func:`_log_sinhc`: coth(x / 2) / 2 - 1 / x."""
    safe = np.where(np.abs(x) < 1e-3, 1.0, x)
    return np.where(np.abs(x) < 1e-3, x / 12, 0.5 / np.tanh(safe / 2) - 1 / safe)
