"""Independent log-normal columns: log x is normal, for x > 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...rows import NORMAL_IQR
from ..columns import ColumnFamily

__all__ = ["LogNormalFamily"]


class LogNormalFamily(ColumnFamily):
    """Parameters: mean m of log x, log of its standard deviation s."""

    names = ("mean_of_log", "log_sd_of_log")
    scaling = "ratio"
    is_smooth = False

    def check_support(self, X: NDArray[np.float64]) -> None:
        if np.any(X <= 0):
            raise ValueError(
                "model='lognormal' needs positive values; X has values at or below 0 in column "
                f"{int(np.argmax(np.any(X <= 0, axis=0)))}."
            )

    def log_density(
        self, params: NDArray[np.float64], x: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        log_x = np.log(x)[:, None]
        z = (log_x - params[:, 0]) * np.exp(-params[:, 1])
        return -log_x - 0.5 * z * z - params[:, 1] - 0.5 * np.log(2 * np.pi)

    def derivatives(
        self, params: NDArray[np.float64], x: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        s = np.exp(params[1])
        z = (np.log(x) - params[0]) / s
        bend = np.empty((len(x), 2, 2))
        bend[:, 0, 0] = -1 / s**2
        bend[:, 0, 1] = bend[:, 1, 0] = -2 * z / s
        bend[:, 1, 1] = -2 * z * z
        return np.column_stack([z / s, z * z - 1]), bend

    def log_power(self, params: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        m, log_s = params[:, 0], params[:, 1]
        shift = -gamma * m + 0.5 * gamma**2 * np.exp(2 * log_s) / (1 + gamma)
        return shift - gamma * (0.5 * np.log(2 * np.pi) + log_s) - 0.5 * np.log1p(gamma)

    def log_power_derivatives(
        self, params: NDArray[np.float64], gamma: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        bend = gamma**2 * np.exp(2 * params[1]) / (1 + gamma)
        return np.array([-gamma, bend - gamma]), np.diag([0.0, 2 * bend])

    def starts(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        y = np.log(x)
        low, middle, high = np.quantile(y, [0.25, 0.5, 0.75])
        spread, wide = max((high - low) / NORMAL_IQR, 1e-12), max(float(np.std(y)), 1e-12)
        return np.array(
            [
                [middle, np.log(spread)],
                [middle, np.log(spread / 2)],
                [np.mean(y), np.log(wide)],
            ]
        )

    def prior(
        self, location_prior_scale: float, log_scale_prior_scale: float, min_scale: float
    ) -> tuple[Sequence[float], Sequence[float]]:
        return (location_prior_scale, log_scale_prior_scale), (-np.inf, np.log(min_scale))

    def sample(
        self, params: NDArray[np.float64], random: np.random.RandomState
    ) -> NDArray[np.float64]:
        return np.exp(params[:, 0] + np.exp(params[:, 1]) * random.standard_normal(len(params)))

    def to_units(
        self, params: NDArray[np.float64], centre: NDArray[np.float64], scale: NDArray[np.float64]
    ) -> dict[str, NDArray[np.float64]]:
        return {
            "mean_of_log": np.log(scale) + params[:, :, 0],
            "sd_of_log": np.exp(params[:, :, 1]),
        }

    def mode(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.exp(params[:, 0] - np.exp(2 * params[:, 1]))

    def moments(
        self, params: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        variance = np.exp(2 * params[..., 1])
        mean = np.exp(params[..., 0] + variance / 2)
        return mean, mean * np.sqrt(np.expm1(variance))
