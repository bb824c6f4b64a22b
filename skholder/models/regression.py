"""Linear regression with any noise family: y = design @ coef + sigma * noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rows import NORMAL_IQR, weighted_quantiles
from .base import LinearDistanceModel, NormalPrior
from .count_bias import normal_regression_bias
from .named_draws import NamedDraws
from .noise import NoiseModel
from .shape import Shape
from .starts import trimmed_starts

__all__ = ["LinearModel"]


class LinearModel(LinearDistanceModel):
    """theta = (coef, log sigma), rows = (design columns, y).

    Parameters
    ----------
    noise : NoiseModel
    n_coef : int
        Columns of the design, a column of ones for the intercept included.
    coef_prior_scale, log_scale_prior_scale : float
    min_scale : float
        Lower bound of sigma, which keeps the density bounded.
    names : tuple of str
        Names of the coefficients.
    """

    def __init__(
        self,
        noise: NoiseModel,
        n_coef: int,
        *,
        coef_prior_scale: float,
        log_scale_prior_scale: float,
        min_scale: float,
        names: Sequence[Any] | None = None,
    ) -> None:
        self.noise = noise
        self.n_coef = n_coef
        self.min_scale = min_scale
        names = tuple(names) if names is not None else tuple(f"coef[{j}]" for j in range(n_coef))
        self.parameter_names = (*names, "log_scale")
        self.prior = NormalPrior(
            mean=np.zeros(n_coef + 1),
            scale=np.append(np.full(n_coef, float(coef_prior_scale)), log_scale_prior_scale),
            lower=np.append(np.full(n_coef, -np.inf), np.log(min_scale)),
        )

    def log_peak(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        return -theta[:, -1] - self.noise.log_norm

    def log_kernel_product(
        self, theta: NDArray[np.float64], power: float
    ) -> tuple[NDArray[np.float64], Callable[[NDArray[np.float64]], NDArray[np.float64]]]:
        if self.noise.is_normal:
            # The power goes into the coefficients: then the log kernel is a product and a square.
            return self._residual_coef(theta, np.sqrt(0.5 * power)), _minus_square
        return self._residual_coef(theta), lambda r: power * self.noise.rho(r)

    def kernel_series(
        self, product: NDArray[np.float64], power: float, degree: int
    ) -> NDArray[np.float64] | None:
        """Those of h(v) = exp(-v^2): h' = -2 v h gives each from the two before it."""
        if not self.noise.is_normal:
            return None
        series = np.zeros((degree + 1, len(product)))
        # exp(-26^2) is next to nothing, and further out squares would overflow.
        product = np.clip(product, -26.0, 26.0)
        series[0] = np.where(np.abs(product) < 26.0, np.exp(-product * product), 0.0)
        for k in range(degree):
            before = series[k - 1] if k else 0.0
            series[k + 1] = -2 / (k + 1) * (product * series[k] + before)
        return series

    def _residual_coef(self, theta, factor=1.0):
        """Rows times these (T, q) are standardised residuals times the factor."""
        inverse = factor * np.exp(-theta[:, -1:])
        return np.hstack([-theta[:, :-1] * inverse, inverse])

    def shift(self, origin: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.append(origin[:-1], 0.0)

    def moved(self, rows: NDArray[np.float64], origin: NDArray[np.float64]) -> NDArray[np.float64]:
        """The response becomes the residual of ``origin``."""
        return np.column_stack([rows[:, :-1], rows[:, -1] - rows[:, :-1] @ origin[:-1]])

    @property
    def has_linear_distance(self) -> bool:  # type: ignore[override]
        """Symmetric unimodal noise ranks rows by the size of their residuals."""
        return self.noise.is_symmetric

    distance_is_folded = True

    def distance_features(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The residual is linear in the row itself."""
        return rows

    def distance_coef(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.column_stack([-theta[:, :-1], np.ones(len(theta))])

    def log_kernel_of_distance(
        self, theta: NDArray[np.float64], distance: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """log_kernel(theta, row, 1) of a row with that absolute residual, shape (T,)."""
        return self.noise.rho(distance * np.exp(-theta[:, -1]))

    def mean_log_kernel(
        self, theta: NDArray[np.float64]
    ) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
        if not self.noise.is_normal:
            return None
        scaled = self._residual_coef(theta)
        second = scaled.T @ scaled / len(theta)
        return lambda rows: -0.5 * np.einsum("ij,ij->i", rows @ second, rows)

    def log_power(self, theta: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return self.noise.log_power(gamma) - gamma * theta[:, -1]

    def log_power_derivatives(
        self, theta: NDArray[np.float64], gamma: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        gradient = np.zeros(self.n_params)
        gradient[-1] = -gamma
        return gradient, np.zeros((self.n_params, self.n_params))

    def _residuals(self, theta, rows):
        """Standardised residuals (m,) at one theta (d,)."""
        r = rows @ self._residual_coef(theta[None])[0]
        # Beyond 1e60 standard deviations a row has no weight, and its square no room.
        return np.clip(r, -1e60, 1e60, out=r)

    def scores(self, theta: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
        r = self._residuals(theta, rows)
        slope, _ = self.noise.derivatives(r)
        scores = np.empty((len(rows), self.n_params))
        np.multiply(rows[:, :-1], (-np.exp(-theta[-1]) * slope)[:, None], out=scores[:, :-1])
        scores[:, -1] = -slope * r - 1
        return scores

    def score_sums(
        self, theta: NDArray[np.float64], rows: NDArray[np.float64], weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        gradient, hessian = self._curvature(theta, rows, self._residuals(theta, rows), weight, 0.0)
        scores = self.scores(theta, rows)
        return gradient, hessian, (scores * weight[:, None]).T @ scores

    def curvature_sums(
        self,
        theta: NDArray[np.float64],
        rows: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        power: float,
        shift: float,
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        r = self._residuals(theta, rows)
        omega = np.exp(power * self.noise.rho(r) + shift)
        if weight is not None:
            omega *= weight
        return omega.sum(), *self._curvature(theta, rows, r, omega, power)

    def _curvature(self, theta, rows, r, weight, power):
        """Weighted sums over rows of grad, and of Hessian + power * grad grad'."""
        design, inverse = rows[:, :-1], np.exp(-theta[-1])
        slope, bend = self.noise.derivatives(r)
        score = -slope * r - 1
        block = weight * (bend + power * slope * slope)
        edge = weight * (bend * r + slope - power * slope * score)
        corner = bend * r * r + slope * r + power * score * score
        # What is a product with the design, side by side.
        pulled, bordering = np.stack([weight * slope, edge]) @ design
        curved = np.empty((self.n_params, self.n_params))
        curved[:-1, :-1] = design.T @ (design * block[:, None]) * inverse**2
        curved[:-1, -1] = curved[-1, :-1] = bordering * inverse
        curved[-1, -1] = weight @ corner
        return np.append(-inverse * pulled, weight @ score), curved

    n_modelled = 1
    n_tail_thetas = 1000

    def tail(self, theta: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.noise.tail(rows @ self._residual_coef(theta).T)

    def shape(self, theta: NDArray[np.float64], rows: NDArray[np.float64], units: Any) -> Any:
        if not self.is_normal:
            return None
        r = np.clip(rows @ self._residual_coef(theta[None])[0], -1e60, 1e60)
        return Shape(r[:, None], r * r, design=rows[:, :-1])

    def count_bias(self, gamma: float) -> float:
        return normal_regression_bias(self.n_coef, gamma) if self.is_normal else 0.0

    def path_units(self, rows: NDArray[np.float64], weight: NDArray[np.float64] | None) -> Any:
        """The quartiles' scale of each column of the design; 1 where that is 0."""
        low, high = weighted_quantiles(rows[:, :-1], weight, [0.25, 0.75])
        return np.where(high > low, (high - low) / NORMAL_IQR, 1.0)

    def path_coordinates(
        self, theta: NDArray[np.float64], pilot: NDArray[np.float64], units: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Coefficients of standardised columns in the pilot's sigma, and log sigma."""
        scale = np.append(units * np.exp(-pilot[-1]), 1.0)
        return theta * scale, np.diag(scale)

    @property
    def is_normal(self) -> bool:  # type: ignore[override]
        return self.noise.is_normal

    @property
    def is_smooth(self) -> bool:  # type: ignore[override]
        return self.noise.is_smooth

    def in_words(self, columns: str, target: str | None = None) -> str:
        return f"linear regression of {target} on {columns} with {self.noise.in_words()}"

    def to_units(self, theta: NDArray[np.float64], units: Any) -> NamedDraws:
        """Draws of ``coef`` (S, p), ``intercept`` (S,) and ``scale`` (S,)."""
        unit, start = units.y.scale[0], int(units.has_intercept)
        coef = theta[:, start:-1] * (unit / units.x.scale)
        intercept = units.y.centre[0] - coef @ units.x.centre
        if units.has_intercept:
            intercept = intercept + unit * theta[:, 0]
        scale = unit * np.exp(theta[:, -1])
        return NamedDraws({"coef": coef, "intercept": intercept, "scale": scale})

    def predictive_moments(
        self,
        theta: NDArray[np.float64],
        design: NDArray[np.float64],
        noise_variance: float | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and standard deviation of the response to a design (m, p) over draws, each (m,).

        The standard deviation includes coefficient and noise uncertainty; ``noise_variance`` is
        that of the standardised noise unless given.
        """
        coef, scale = theta[:, :-1], np.exp(theta[:, -1])
        spread = np.atleast_2d(np.cov(coef, rowvar=False, ddof=0))
        fit = np.sum((design @ spread) * design, axis=1)
        if noise_variance is None:
            noise_variance = self.noise.variance
        sd = np.sqrt(np.maximum(fit, 0) + noise_variance * np.mean(scale**2))
        return design @ coef.mean(axis=0), sd

    def sample(
        self, theta: NDArray[np.float64], random: np.random.RandomState, design: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Responses to a design (m, p), one column for each theta, shape (m, T)."""
        noise = self.noise.sample((len(design), len(theta)), random)
        return design @ theta[:, :-1].T + np.exp(theta[:, -1]) * noise

    def starts(
        self,
        rows: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        random: np.random.RandomState,
    ) -> NDArray[np.float64]:
        return trimmed_starts(rows, weight, 10 * self.min_scale, random)

    def calibration(self, theta: NDArray[np.float64], gamma: float, alpha: float) -> float | None:
        """Closed form for normal noise; the trace rule under the model for any other.

        With normal noise, beta = c(gamma) sigma^gamma / alpha^gamma with
        c = (2 pi)^(gamma/2) (1 + 2 gamma)^(3/2) / (gamma (1 + gamma)^(5/2)).
        """
        unit = np.exp(gamma * theta[-1]) / alpha**gamma
        if self.noise.is_normal:
            log_c = gamma * self.noise.log_norm + 1.5 * np.log1p(2 * gamma)
            return unit * np.exp(log_c - np.log(gamma) - 2.5 * np.log1p(gamma))
        location1, scale_mean, scale1 = self.noise.power_moments(gamma)
        location2, _, scale2 = self.noise.power_moments(2 * gamma)
        ratios = self.n_coef * location2 / location1
        ratios += (scale2 - alpha * scale_mean**2) / scale1
        return unit * self.n_params / (gamma * (1 + gamma) * ratios)


def _minus_square(r):
    with np.errstate(over="ignore"):
        np.multiply(r, r, out=r)
    return np.negative(r, out=r)
