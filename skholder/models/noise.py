"""Noise families: standardised densities exp(rho(r) - log_norm) of a residual r."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import integrate, stats

from ..rows import NORMAL_IQR
from .radial import NormalRadial, Radial, StudentTRadial

__all__ = [
    "NoiseModel",
    "NormalNoise",
    "RadialNoise",
    "ScipyNoise",
    "StudentTNoise",
    "check_noise",
]

# Spread of a law in units of the standard normal's, and its median in units of that spread.
_MOST_SPREAD, _MOST_SHIFT = 20.0, 5.0
# Laws of SciPy whose density has a kink.
_KINKED = frozenset({"dgamma", "dweibull", "laplace", "laplace_asymmetric"})


class NoiseModel(ABC):
    """A density of the standardised residual, log p(r) = rho(r) - log_norm, rho <= 0."""

    log_norm: float

    @abstractmethod
    def rho(self, r: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log kernel, elementwise, at most 0."""

    @abstractmethod
    def derivatives(
        self, r: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """rho'(r) and rho''(r)."""

    @abstractmethod
    def log_power(self, gamma: float) -> float:
        """log of the integral of p^(1 + gamma) over the line."""

    @abstractmethod
    def cdf(self, r: NDArray[np.float64]) -> NDArray[np.float64]:
        """Distribution function, elementwise."""

    @abstractmethod
    def sample(
        self, size: int | tuple[int, ...], random: np.random.RandomState
    ) -> NDArray[np.float64]:
        """Draws of the standardised noise."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Variance of r; infinity where there is none."""

    #: whether the noise is normal, for which some integrals have closed forms
    is_normal = False
    #: whether log p has two derivatives everywhere, with no kink
    is_smooth = True
    #: whether the density falls with ``|r|``: rows are ranked by the size of their residuals
    is_symmetric = False

    def tail(self, r: NDArray[np.float64]) -> NDArray[np.float64]:
        """P(p(R) <= p(r)): how likely a residual at least as unlikely as r is, elementwise.

        From a table of ``cdf`` on a fine grid, unless a subclass knows better.
        """
        return np.interp(self.rho(np.asarray(r)), *self._tail_table)

    @cached_property
    def _tail_table(self):
        """rho in ascending order, and the probability of a residual with at most that rho."""
        edges = np.sinh(np.linspace(-14, 14, 8001))
        height = self.rho((edges[1:] + edges[:-1]) / 2)
        order = np.argsort(height, kind="stable")
        # Rounding can carry a sum of probabilities beyond 1.
        return height[order], np.clip(np.cumsum(np.diff(self.cdf(edges))[order]), 0.0, 1.0)

    def in_words(self) -> str:
        """The law in a few words, e.g. ``normal noise``."""
        return f"{type(self).__name__} noise"

    def power_moments(self, power: float) -> tuple[float, float, float]:
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


class RadialNoise(NoiseModel):
    """A radial law at k = 1: rho(r) = g(r^2), symmetric and falling on both sides.

    Subclasses have an attribute ``radial``, the :class:`~skholder.models.radial.Radial`.
    """

    radial: Radial
    is_symmetric = True

    @property
    def is_normal(self) -> bool:  # type: ignore[override]
        return self.radial.is_normal

    @property
    def log_norm(self) -> float:  # type: ignore[override]
        return self.radial.log_norm(1)

    @property
    def variance(self) -> float:
        factor = self.radial.covariance_factor(1)
        return factor if np.isfinite(factor) else np.inf

    def rho(self, r: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.radial.log_kernel(r * r, 1)

    def derivatives(
        self, r: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self.is_normal:
            return -r, np.full_like(r, -1.0)
        q = r * r
        slope, bend = self.radial.derivatives(q, 1)
        return 2 * r * slope, 2 * slope + 4 * q * bend

    def log_power(self, gamma: float) -> float:
        return self.radial.log_power(1, gamma)

    def cdf(self, r: NDArray[np.float64]) -> NDArray[np.float64]:
        beyond = 0.5 * self.radial.tail(np.square(r), 1)
        return np.where(np.asarray(r) < 0, beyond, 1 - beyond)

    def tail(self, r: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.radial.tail(np.square(r), 1)

    def sample(
        self, size: int | tuple[int, ...], random: np.random.RandomState
    ) -> NDArray[np.float64]:
        draws = self.radial.sample(int(np.prod(size)), 1, random)
        return draws.reshape(size)

    def in_words(self) -> str:
        name, _, rest = self.radial.in_words().partition(" (")
        return f"{name} noise ({rest}" if rest else f"{name} noise"


@dataclass(frozen=True)
class NormalNoise(RadialNoise):
    """rho(r) = -r^2 / 2."""

    radial = NormalRadial()


@dataclass(frozen=True)
class StudentTNoise(RadialNoise):
    """rho(r) = -(df + 1) / 2 log(1 + r^2 / df)."""

    df: float = 4.0

    def __post_init__(self) -> None:
        StudentTRadial(self.df)

    @property
    def radial(self) -> Radial:  # type: ignore[override]
        return StudentTRadial(self.df)


class ScipyNoise(NoiseModel):
    """Any frozen continuous SciPy distribution on the line, e.g. ``scipy.stats.logistic()``.

    Its median must lie near 0 and its spread near that of the standard normal.

    Its power integral comes from quadrature and its derivatives from central differences.
    """

    def __init__(self, distribution: Any) -> None:
        self.distribution = distribution
        if not np.all(np.isinf(distribution.support())):
            raise ValueError("The noise distribution must live on the whole line.")
        _check_standardised(distribution)
        grid = np.asarray(distribution.ppf(np.linspace(0.001, 0.999, 1999)))
        log_peak = float(np.max(distribution.logpdf(np.append(grid, 0.0))))
        if not np.isfinite(log_peak):
            raise ValueError("The noise distribution needs a bounded density on the whole line.")
        self.log_norm = -log_peak

    def rho(self, r: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.minimum(self.log_density(r) + self.log_norm, 0.0)

    def log_density(self, r: NDArray[np.float64]) -> NDArray[np.float64]:
        """log p(r), elementwise; a large negative number where it would overflow."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.nan_to_num(self.distribution.logpdf(r), nan=-1e30, neginf=-1e30)

    def derivatives(
        self, r: NDArray[np.float64], step: float = 1e-4
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        below, here, above = (self.log_density(r + k * step) for k in (-1, 0, 1))
        return (above - below) / (2 * step), (above - 2 * here + below) / step**2

    def log_power(self, gamma: float) -> float:
        return _quadrature_log_power(self, float(gamma))

    def cdf(self, r: NDArray[np.float64]) -> NDArray[np.float64]:
        # Some distributions overflow on the way to a correct 0 or 1.
        with np.errstate(over="ignore"):
            return self.distribution.cdf(r)

    def sample(
        self, size: int | tuple[int, ...], random: np.random.RandomState
    ) -> NDArray[np.float64]:
        return self.distribution.rvs(size=size, random_state=random)

    def in_words(self) -> str:
        return f"{self.distribution.dist.name} noise"

    @property
    def is_smooth(self) -> bool:  # type: ignore[override]
        return self.distribution.dist.name not in _KINKED

    @property
    def variance(self) -> float:
        return float(self.distribution.var())


def _check_standardised(distribution):
    """Raise where the law's own location and scale are far from those of a residual.

    They are no parameters: the search, the priors and ``min_scale`` are meant for laws like the
    standard normal, which the intercept moves and the noise scale stretches.
    """
    low, median, high = (float(q) for q in distribution.ppf([0.25, 0.5, 0.75]))
    spread = (high - low) / NORMAL_IQR
    if not (1 / _MOST_SPREAD <= spread <= _MOST_SPREAD and abs(median) <= _MOST_SHIFT * spread):
        raise ValueError(
            "The noise distribution must be standardised, as the model has an intercept and a "
            "scale of its own: give it a loc and a scale with the median near 0 and an "
            f"interquartile range near {NORMAL_IQR:.4g}; they are {median:.4g} and "
            f"{high - low:.4g}."
        )


@lru_cache(maxsize=64)
def _quadrature_log_power(noise, gamma):
    def integrand(r):
        return np.exp((1 + gamma) * noise.log_density(r))

    median = float(noise.distribution.median())
    left = integrate.quad(integrand, -np.inf, median, limit=400, epsabs=1e-13)[0]
    right = integrate.quad(integrand, median, np.inf, limit=400, epsabs=1e-13)[0]
    return float(np.log(left + right))


def check_noise(noise: Any) -> NoiseModel:
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
