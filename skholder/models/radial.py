"""Radial functions of elliptical densities: log p(x) = g(Q) + constant."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

__all__ = ["NormalRadial", "Radial", "StudentTRadial"]


class Radial(ABC):
    """The function g of an elliptical density in k dimensions."""

    @abstractmethod
    def log_kernel(self, q, k):
        """g(q), at most 0."""

    @abstractmethod
    def derivatives(self, q, k):
        """g'(q) and g''(q)."""

    @abstractmethod
    def rise(self, q, drop, k):
        """g(q - drop) - g(q), without cancellation."""

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

    def rise(self, q, drop, k):
        return 0.5 * drop

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

    def rise(self, q, drop, k):
        return -0.5 * (self.df + k) * np.log1p(-np.minimum(drop, q) / (self.df + q))

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
