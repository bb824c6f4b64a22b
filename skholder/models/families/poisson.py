"""Independent Poisson counts. The power integral is a sum over counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from ..columns import ColumnFamily

__all__ = ["PoissonFamily"]


_LOG_NORMAL_RATE = np.log(1e6)


class PoissonFamily(ColumnFamily):
    """Parameter: log of the rate."""

    names = ("log_rate",)
    scaling = "none"
    is_smooth = False
    has_spikes = False

    def check_support(self, X: NDArray[np.float64]) -> None:
        if np.any(X < 0) or np.any(np.floor(X) != X):
            raise ValueError("model='poisson' needs counts: whole numbers that are not negative.")
        if not np.any(X > 0):
            raise ValueError("model='poisson' has no rate to fit: every count is 0.")

    def log_density(
        self, params: NDArray[np.float64], x: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return x[:, None] * params[:, 0] - _rate(params[:, 0]) - gammaln(x + 1)[:, None]

    def derivatives(
        self, params: NDArray[np.float64], x: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rate = _rate(params[0])
        return (x - rate)[:, None], np.full((len(x), 1, 1), -rate)

    def _terms(self, params, gamma):
        """Counts around each rate (T, N) and (1 + gamma) log p there, -inf below zero."""
        rate = np.exp(params[:, 0])
        # Twelve standard deviations and forty counts: the rest is below rounding.
        reach = np.ceil(12 * np.sqrt(rate.max()) + 40)
        counts = np.floor(rate)[:, None] + np.arange(-reach, reach + 1)
        safe = np.maximum(counts, 0)
        log_p = safe * params[:, :1] - rate[:, None] - gammaln(safe + 1)
        return counts, np.where(counts >= 0, (1 + gamma) * log_p, -np.inf)

    def log_power(self, params: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        # Beyond this rate the counts are normal to eight digits, and too many to add up.
        log_rate = params[:, 0]
        out = -0.5 * gamma * (np.log(2 * np.pi) + log_rate) - 0.5 * np.log1p(gamma)
        few = np.flatnonzero(log_rate < _LOG_NORMAL_RATE)
        # Rates of a size together: each then sums about as many terms as it needs.
        few = few[np.argsort(log_rate[few], kind="stable")]
        for start in range(0, len(few), 32):
            part = few[start : start + 32]
            _, terms = self._terms(params[part], gamma)
            out[part] = np.log(np.sum(np.exp(terms), axis=1))
        return out

    def log_power_derivatives(
        self, params: NDArray[np.float64], gamma: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if params[0] >= _LOG_NORMAL_RATE:
            return np.array([-0.5 * gamma]), np.zeros((1, 1))
        counts, terms = self._terms(params[None], gamma)
        share = np.exp(terms[0])
        share /= share.sum()
        rate = _rate(params[0])
        mean = share @ counts[0]
        spread = share @ (counts[0] - mean) ** 2
        gradient = np.array([(1 + gamma) * (mean - rate)])
        return gradient, np.array([[(1 + gamma) ** 2 * spread - (1 + gamma) * rate]])

    def starts(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        low, middle = np.quantile(x, [0.25, 0.5])
        return np.log(np.maximum([middle, low, np.mean(x)], 0.05))[:, None]

    def prior(
        self, location_prior_scale: float, log_scale_prior_scale: float, min_scale: float
    ) -> tuple[Sequence[float], Sequence[float]]:
        # Rates have no unit to standardise by, so their logarithm gets a wide prior.
        # A rate below exp(-12) cannot be told from no counts at all.
        return (5 * log_scale_prior_scale,), (-12.0,)

    def sample(
        self, params: NDArray[np.float64], random: np.random.RandomState
    ) -> NDArray[np.float64]:
        return random.poisson(np.minimum(_rate(params[:, 0]), 1e15)).astype(float)

    def to_units(
        self, params: NDArray[np.float64], centre: NDArray[np.float64], scale: NDArray[np.float64]
    ) -> dict[str, NDArray[np.float64]]:
        return {"rate": _rate(params[:, :, 0])}

    def mode(self, params: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.floor(_rate(params[:, 0]))

    def moments(
        self, params: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        rate = _rate(params[..., 0])
        return rate, np.sqrt(rate)


def _rate(log_rate):
    """exp, without overflow for the wildest draws of a wide prior."""
    return np.exp(np.minimum(log_rate, 700.0))
