"""Independent Laplace columns: p(x) = exp(-|x - location| / scale) / (2 scale)."""

from __future__ import annotations

import numpy as np

from ..columns import ColumnFamily

__all__ = ["LaplaceFamily"]


class LaplaceFamily(ColumnFamily):
    """Parameters: location, log scale."""

    names = ("location", "log_scale")

    def check_support(self, X):
        """Every real value is allowed."""

    def log_density(self, params, x):
        distance = np.abs(x[:, None] - params[:, 0])
        return -distance * np.exp(-params[:, 1]) - params[:, 1] - np.log(2)

    def derivatives(self, params, x):
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

    def log_power(self, params, gamma):
        return -gamma * (np.log(2) + params[:, 1]) - np.log1p(gamma)

    def log_power_derivatives(self, params, gamma):
        return np.array([0.0, -gamma]), np.zeros((2, 2))

    def starts(self, x):
        middle = np.median(x)
        distance = np.abs(x - middle)
        near = max(np.median(distance) / np.log(2), 1e-12)
        wide = max(np.mean(distance), 1e-12)
        return np.array(
            [[middle, np.log(near)], [middle, np.log(near / 2)], [np.mean(x), np.log(wide)]]
        )

    def prior(self, location_prior_scale, log_scale_prior_scale, min_scale):
        return (location_prior_scale, log_scale_prior_scale), (-np.inf, np.log(min_scale))

    def sample(self, params, random):
        return random.laplace(params[:, 0], np.exp(params[:, 1]))

    def to_units(self, params, centre, scale):
        return {
            "location": centre + scale * params[:, :, 0],
            "scale": scale * np.exp(params[:, :, 1]),
        }

    def mode(self, params):
        return params[:, 0]

    def moments(self, params):
        return params[..., 0], np.sqrt(2) * np.exp(params[..., 1])
