"""Independent exponential columns: p(x) = exp(-x / scale) / scale for x >= 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..columns import ColumnFamily

__all__ = ["ExponentialFamily"]


class ExponentialFamily(ColumnFamily):
    """Parameter: log scale (the mean)."""

    names = ("log_scale",)
    is_smooth = False
    scaling = "ratio"

    def check_support(self, X: NDArray[np.float64]) -> None:
        if np.any(X < 0):
            raise ValueError(
                "model='exponential' needs non-negative values; X has negative ones in column "
                f"{int(np.argmax(np.any(X < 0, axis=0)))}."
            )

    def log_density(
        self, params: NDArray[np.float64], x: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return -x[:, None] * np.exp(-params[:, 0]) - params[:, 0]

    def derivatives(
        self, params: NDArray[np.float64], x: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        ratio = x * np.exp(-params[0])
        return (ratio - 1)[:, None], -ratio[:, None, None]

    def log_power(self, params: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return -gamma * params[:, 0] - np.log1p(gamma)

    def log_power_derivatives(
        self, params: NDArray[np.float64], gamma: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return np.array([-gamma]), np.zeros((1, 1))

    def starts(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        low, middle = np.quantile(x, [0.25, 0.5])
        scales = [middle / np.log(2), low / np.log(4 / 3), np.mean(x)]
        return np.log(np.maximum(scales, 1e-12))[:, None]

    def prior(
        self, location_prior_scale: float, log_scale_prior_scale: float, min_scale: float
    ) -> tuple[Sequence[float], Sequence[float]]:
        return (log_scale_prior_scale,), (np.log(min_scale),)

    def sample(
        self, params: NDArray[np.float64], random: np.random.RandomState
    ) -> NDArray[np.float64]:
        return random.exponential(np.exp(params[:, 0]))

    def to_units(
        self, params: NDArray[np.float64], centre: NDArray[np.float64], scale: NDArray[np.float64]
    ) -> dict[str, NDArray[np.float64]]:
        return {"scale": scale * np.exp(params[:, :, 0])}

    def mode(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.zeros(len(params))

    def moments(
        self, params: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        scale = np.exp(params[..., 0])
        return scale, scale
