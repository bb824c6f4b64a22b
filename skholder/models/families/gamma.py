"""Independent gamma columns: p(x) = x^(a-1) exp(-x/s) / (Gamma(a) s^a) for x > 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaincinv, gammaln, polygamma

from ...rows import NORMAL_IQR
from ..columns import ColumnFamily

__all__ = ["GammaFamily"]


class GammaFamily(ColumnFamily):
    """Parameters: log shape a, log scale s."""

    names = ("log_shape", "log_scale")
    scaling = "ratio"
    is_smooth = False

    def check_support(self, X: NDArray[np.float64]) -> None:
        if np.any(X <= 0):
            raise ValueError(
                "model='gamma' needs positive values; X has values at or below 0 in column "
                f"{int(np.argmax(np.any(X <= 0, axis=0)))}."
            )

    def log_density(
        self, params: NDArray[np.float64], x: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        shape, log_scale = np.exp(params[:, 0]), params[:, 1]
        value = np.log(x)[:, None] * (shape - 1) - x[:, None] * np.exp(-log_scale)
        return value - gammaln(shape) - shape * log_scale

    def derivatives(
        self, params: NDArray[np.float64], x: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        shape, ratio = np.exp(params[0]), x * np.exp(-params[1])
        log_term = shape * (np.log(x) - digamma(shape) - params[1])
        bend = np.empty((len(x), 2, 2))
        bend[:, 0, 0] = log_term - shape**2 * polygamma(1, shape)
        bend[:, 0, 1] = bend[:, 1, 0] = -shape
        bend[:, 1, 1] = -ratio
        return np.column_stack([log_term, ratio - shape]), bend

    def log_power(self, params: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        """Infinite where the density is so steep at 0 that its power has no integral."""
        shape, log_scale = np.exp(params[:, 0]), params[:, 1]
        powered = (shape - 1) * (1 + gamma) + 1
        value = gammaln(np.maximum(powered, 1e-300)) - powered * np.log1p(gamma)
        value += -gamma * log_scale - (1 + gamma) * gammaln(shape)
        return np.where(powered > 0, value, np.inf)

    def log_power_derivatives(
        self, params: NDArray[np.float64], gamma: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        shape = np.exp(params[0])
        powered = max((shape - 1) * (1 + gamma) + 1, 1e-10)
        slope = shape * (1 + gamma) * (digamma(powered) - np.log1p(gamma) - digamma(shape))
        bend = (1 + gamma) * polygamma(1, powered) - polygamma(1, shape)
        hessian = np.zeros((2, 2))
        hessian[0, 0] = slope + shape**2 * (1 + gamma) * bend
        return np.array([slope, -gamma]), hessian

    def starts(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        low, middle, high = np.quantile(x, [0.25, 0.5, 0.75])
        spread = max(np.log(high / low) / NORMAL_IQR, 1e-3)
        robust = 1 / spread**2 + 0.3
        moment = max(float(np.mean(x) ** 2 / max(float(np.var(x)), 1e-12)), 0.6)
        return np.log(
            [
                [robust, middle / robust],
                [2 * robust, middle / (2 * robust)],
                [moment, np.mean(x) / moment],
            ]
        )

    def prior(
        self, location_prior_scale: float, log_scale_prior_scale: float, min_scale: float
    ) -> tuple[Sequence[float], Sequence[float]]:
        # A shape of 50 (a nearly normal column) is as common as one of 1: a wider prior.
        return (2 * log_scale_prior_scale, 2 * log_scale_prior_scale), (
            -np.inf,
            2 * np.log(min_scale),
        )

    def sample(
        self, params: NDArray[np.float64], random: np.random.RandomState
    ) -> NDArray[np.float64]:
        return random.gamma(np.exp(params[:, 0]), np.exp(params[:, 1]))

    def to_units(
        self, params: NDArray[np.float64], centre: NDArray[np.float64], scale: NDArray[np.float64]
    ) -> dict[str, NDArray[np.float64]]:
        return {"shape": np.exp(params[:, :, 0]), "scale": scale * np.exp(params[:, :, 1])}

    def mode(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        """Up to shape 1 the density has no top above 0: the median stands for it."""
        shape, scale = np.exp(params).T
        return scale * np.where(shape > 1, shape - 1, gammaincinv(np.minimum(shape, 1), 0.5))

    def moments(
        self, params: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        shape, scale = np.exp(params[..., 0]), np.exp(params[..., 1])
        return shape * scale, np.sqrt(shape) * scale
