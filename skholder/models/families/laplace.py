"""Independent Laplace columns: p(x) = exp(-|x - location| / scale) / (2 scale)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..columns import ColumnFamily

__all__ = ["LaplaceFamily"]


class LaplaceFamily(ColumnFamily):
    """Parameters: location, log scale."""

    names = ("location", "log_scale")
    is_smooth = False

    def check_support(self, X: NDArray[np.float64]) -> None:
        """Every real value is allowed."""

    def log_density(
        self, params: NDArray[np.float64], x: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        distance = np.abs(x[:, None] - params[:, 0])
        return -distance * np.exp(-params[:, 1]) - params[:, 1] - np.log(2)

    def derivatives(
        self, params: NDArray[np.float64], x: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        scale = np.exp(params[1])
        d = x - params[0]
        score = np.column_stack([np.sign(d) / scale, np.abs(d) / scale - 1])
        # The curvature in the location sits in the kink; a narrow bump stands for its delta.
        width = 0.1 * scale
        bend = np.empty((len(x), 2, 2))
        bend[:, 0, 0] = -(width**2) / (d * d + width**2) ** 1.5 / scale
        bend[:, 0, 1] = bend[:, 1, 0] = -np.sign(d) / scale
        bend[:, 1, 1] = -np.abs(d) / scale
        return score, bend

    def log_power(self, params: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return -gamma * (np.log(2) + params[:, 1]) - np.log1p(gamma)

    def log_power_derivatives(
        self, params: NDArray[np.float64], gamma: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return np.array([0.0, -gamma]), np.zeros((2, 2))

    def starts(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        middle = np.median(x)
        distance = np.abs(x - middle)
        near = max(float(np.median(distance) / np.log(2)), 1e-12)
        wide = max(float(np.mean(distance)), 1e-12)
        return np.array(
            [[middle, np.log(near)], [middle, np.log(near / 2)], [np.mean(x), np.log(wide)]]
        )

    def prior(
        self, location_prior_scale: float, log_scale_prior_scale: float, min_scale: float
    ) -> tuple[Sequence[float], Sequence[float]]:
        return (location_prior_scale, log_scale_prior_scale), (-np.inf, np.log(min_scale))

    def sample(
        self, params: NDArray[np.float64], random: np.random.RandomState
    ) -> NDArray[np.float64]:
        return random.laplace(params[:, 0], np.exp(params[:, 1]))

    def to_units(
        self, params: NDArray[np.float64], centre: NDArray[np.float64], scale: NDArray[np.float64]
    ) -> dict[str, NDArray[np.float64]]:
        return {
            "location": centre + scale * params[:, :, 0],
            "scale": scale * np.exp(params[:, :, 1]),
        }

    def mode(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        return params[:, 0]

    def moments(
        self, params: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return params[..., 0], np.sqrt(2) * np.exp(params[..., 1])
