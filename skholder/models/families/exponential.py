"""Independent exponential columns: p(x) = exp(-x / scale) / scale for x >= 0."""

from __future__ import annotations

import numpy as np

from ..columns import ColumnFamily

__all__ = ["ExponentialFamily"]


class ExponentialFamily(ColumnFamily):
    """Parameter: log scale (the mean)."""

    names = ("log_scale",)
    scaling = "ratio"

    def check_support(self, X):
        if np.any(X < 0):
            raise ValueError(
                "model='exponential' needs non-negative values; X has negative ones in column "
                f"{int(np.argmax(np.any(X < 0, axis=0)))}."
            )

    def log_density(self, params, x):
        return -x[:, None] * np.exp(-params[:, 0]) - params[:, 0]

    def derivatives(self, params, x):
        ratio = x * np.exp(-params[0])
        return (ratio - 1)[:, None], -ratio[:, None, None]

    def log_power(self, params, gamma):
        return -gamma * params[:, 0] - np.log1p(gamma)

    def log_power_derivatives(self, params, gamma):
        return np.array([-gamma]), np.zeros((1, 1))

    def starts(self, x):
        low, middle = np.quantile(x, [0.25, 0.5])
        scales = [middle / np.log(2), low / np.log(4 / 3), np.mean(x)]
        return np.log(np.maximum(scales, 1e-12))[:, None]

    def prior(self, location_prior_scale, log_scale_prior_scale, min_scale):
        return (log_scale_prior_scale,), (np.log(min_scale),)

    def sample(self, params, random):
        return random.exponential(np.exp(params[:, 0]))

    def to_units(self, params, centre, scale):
        return {"scale": scale * np.exp(params[:, :, 0])}

    def mode(self, params):
        return np.zeros(len(params))

    def moments(self, params):
        scale = np.exp(params[..., 0])
        return scale, scale
