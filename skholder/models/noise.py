"""Noise families: standardised densities exp(rho(r) - log_norm) of a residual r."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import integrate, special, stats

__all__ = ["NoiseModel", "NormalNoise", "ScipyNoise", "StudentTNoise", "check_noise"]


class NoiseModel(ABC):
    """A density of the standardised residual, log p(r) = rho(r) - log_norm, rho <= 0."""

    log_norm: float

    @abstractmethod
    def rho(self, r):
        """Log kernel, elementwise, at most 0."""

    @abstractmethod
    def derivatives(self, r):
        """rho'(r) and rho''(r)."""

    @abstractmethod
    def log_power(self, gamma):
        """log of the integral of p^(1 + gamma) over the line."""

    @abstractmethod
    def cdf(self, r):
        """Distribution function, elementwise."""

    @abstractmethod
    def sample(self, size, random):
        """Draws of the standardised noise."""

    @property
    @abstractmethod
    def variance(self):
        """Variance of r; infinity where there is none."""

    def power_moments(self, power):
        """E[p^power * s] and E[p^power * s^2] for the location and the log-scale score s.

        Returns
        -------
        location2, scale1, scale2 : float
            E[p^power rho'^2], E[p^power (r rho' + 1)], E[p^power (r rho' + 1)^2], up to sign.
        """

        def moment(weight):
            def integrand(r):
                slope = self.derivatives(np.array([r]))[0][0]
                density = np.exp((1 + power) * (self.rho(np.array([r]))[0] - self.log_norm))
                return density * weight(r, slope) if density > 0 else 0.0

            halves = [(-np.inf, 0.0), (0.0, np.inf)]
            return sum(integrate.quad(integrand, *half, limit=200)[0] for half in halves)

        return (
            moment(lambda r, s: s * s),
            moment(lambda r, s: -(r * s + 1)),
            moment(lambda r, s: (r * s + 1) ** 2),
        )


@dataclass(frozen=True)
class NormalNoise(NoiseModel):
    """rho(r) = -r^2 / 2."""

    log_norm = 0.5 * np.log(2 * np.pi)
    variance = 1.0

    def rho(self, r):
        return -0.5 * r * r

    def derivatives(self, r):
        return -r, np.full_like(r, -1.0)

    def log_power(self, gamma):
        return -gamma * self.log_norm - 0.5 * np.log1p(gamma)

    def cdf(self, r):
        return special.ndtr(r)

    def sample(self, size, random):
        return random.standard_normal(size)


@dataclass(frozen=True)
class StudentTNoise(NoiseModel):
    """rho(r) = -(df + 1) / 2 log(1 + r^2 / df)."""

    df: float = 4.0

    def __post_init__(self):
        if not 0 < self.df < np.inf:
            raise ValueError(f"df must be positive and finite, got {self.df!r}.")

    @property
    def log_norm(self):
        return 0.5 * np.log(self.df) + special.betaln(0.5, self.df / 2)

    @property
    def variance(self):
        return self.df / (self.df - 2) if self.df > 2 else np.inf

    def rho(self, r):
        return -0.5 * (self.df + 1) * np.log1p(r * r / self.df)

    def derivatives(self, r):
        below = self.df + r * r
        slope = -(self.df + 1) * r / below
        return slope, -(self.df + 1) * (self.df - r * r) / below**2

    def log_power(self, gamma):
        # The power of a t kernel is a t kernel with (1 + gamma)(df + 1) - 1 degrees of freedom.
        power = (1 + gamma) * (self.df + 1)
        kernel = 0.5 * np.log(self.df) + special.betaln(0.5, (power - 1) / 2)
        return kernel - (1 + gamma) * self.log_norm

    def cdf(self, r):
        return special.stdtr(self.df, r)

    def sample(self, size, random):
        return random.standard_t(self.df, size)


class ScipyNoise(NoiseModel):
    """Any frozen continuous SciPy distribution on the line, e.g. ``scipy.stats.logistic()``.

    Its power integral comes from quadrature and its derivatives from central differences.
    """

    def __init__(self, distribution):
        self.distribution = distribution
        if not np.all(np.isinf(distribution.support())):
            raise ValueError("The noise distribution must live on the whole line.")
        grid = np.asarray(distribution.ppf(np.linspace(0.001, 0.999, 1999)))
        peak = float(np.max(distribution.logpdf(np.append(grid, 0.0))))
        if not np.isfinite(peak):
            raise ValueError("The noise distribution needs a bounded density on the whole line.")
        self.log_norm = -peak

    def rho(self, r):
        return np.minimum(self._logpdf(r) + self.log_norm, 0.0)

    def _logpdf(self, r):
        # Far out a log density may overflow to -inf; a large finite number serves as well.
        with np.errstate(over="ignore", invalid="ignore"):
            return np.nan_to_num(self.distribution.logpdf(r), nan=-1e30, neginf=-1e30)

    def derivatives(self, r, step=1e-4):
        below, here, above = (self._logpdf(r + k * step) for k in (-1, 0, 1))
        return (above - below) / (2 * step), (above - 2 * here + below) / step**2

    def log_power(self, gamma):
        return _quadrature_log_power(self, float(gamma))

    def cdf(self, r):
        return self.distribution.cdf(r)

    def sample(self, size, random):
        return self.distribution.rvs(size=size, random_state=random)

    @property
    def variance(self):
        return float(self.distribution.var())


@lru_cache(maxsize=64)
def _quadrature_log_power(noise, gamma):
    def integrand(r):
        return np.exp((1 + gamma) * noise._logpdf(r))

    median = float(noise.distribution.median())
    left = integrate.quad(integrand, -np.inf, median, limit=400, epsabs=1e-13)[0]
    right = integrate.quad(integrand, median, np.inf, limit=400, epsabs=1e-13)[0]
    return float(np.log(left + right))


def check_noise(noise):
    """Return a :class:`NoiseModel` from a name, a NoiseModel or a frozen SciPy distribution."""
    if isinstance(noise, NoiseModel):
        return noise
    if isinstance(noise, str):
        if noise == "normal":
            return NormalNoise()
        if noise == "student_t":
            return StudentTNoise()
    elif isinstance(getattr(noise, "dist", None), stats.rv_continuous):
        return ScipyNoise(noise)
    raise ValueError(
        "noise must be 'normal', 'student_t', a skholder.models.NoiseModel or a frozen continuous "
        f"scipy.stats distribution, got {noise!r}."
    )
