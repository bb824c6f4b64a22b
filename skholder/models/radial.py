"""Radial laws, the functions g of elliptical densities: log p(x) = g(Q) + constant.

With k = 1 and Q = r^2 they are the laws of symmetric noise too; see :mod:`skholder.models.noise`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import integrate, special
from scipy.special import gammaln

__all__ = ["NormalRadial", "Radial", "StudentTRadial", "check_radial"]


class Radial(ABC):
    """The function g of an elliptical density in k dimensions.

    Subclass it for a law of your own and pass an instance as ``model`` of a HolderBayesDensity:
    :func:`check_radial` says what it gets wrong, if anything.
    """

    #: whether this is the normal law, for which some integrals have closed forms
    is_normal = False

    def in_words(self) -> str:
        """The law in a few words, e.g. ``normal``."""
        return type(self).__name__

    @abstractmethod
    def log_kernel(self, q: NDArray[np.float64], k: int) -> NDArray[np.float64]:
        """g(q) for q >= 0, elementwise: falling, g(0) = 0."""

    @abstractmethod
    def derivatives(
        self, q: NDArray[np.float64], k: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """g'(q) and g''(q)."""

    @abstractmethod
    def rise(
        self, q: NDArray[np.float64], drop: NDArray[np.float64], k: int
    ) -> NDArray[np.float64]:
        """g(q - drop) - g(q), without cancellation."""

    @abstractmethod
    def log_norm(self, k: int) -> float:
        """log of the integral of ``exp(g(|z|^2))`` over z."""

    @abstractmethod
    def log_power(self, k: int, gamma: float) -> float:
        """log of the integral of the standard density to the power 1 + gamma."""

    @abstractmethod
    def tail(self, q: NDArray[np.float64], k: int) -> NDArray[np.float64]:
        """P(Q >= q) for a row that follows the law, elementwise."""

    @abstractmethod
    def covariance_factor(self, k: int) -> float:
        """The covariance is this times the inverse of P; nan where there is none."""

    @abstractmethod
    def sample(self, size: int, k: int, random: np.random.RandomState) -> NDArray[np.float64]:
        """Draws of the standard density, shape (size, k)."""


@dataclass(frozen=True)
class NormalRadial(Radial):
    """g(q) = -q / 2."""

    is_normal = True

    def in_words(self) -> str:
        return "normal"

    def log_kernel(self, q: NDArray[np.float64], k: int) -> NDArray[np.float64]:
        return -0.5 * q

    def derivatives(
        self, q: NDArray[np.float64], k: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return np.full_like(q, -0.5), np.zeros_like(q)

    def rise(
        self, q: NDArray[np.float64], drop: NDArray[np.float64], k: int
    ) -> NDArray[np.float64]:
        return 0.5 * drop

    def log_norm(self, k: int) -> float:
        return 0.5 * k * np.log(2 * np.pi)

    def log_power(self, k: int, gamma: float) -> float:
        return -gamma * self.log_norm(k) - 0.5 * k * np.log1p(gamma)

    def tail(self, q: NDArray[np.float64], k: int) -> NDArray[np.float64]:
        # The error function is many times as fast as the incomplete gamma function.
        return special.erfc(np.sqrt(0.5 * np.asarray(q))) if k == 1 else special.chdtrc(k, q)

    def covariance_factor(self, k: int) -> float:
        return 1.0

    def sample(self, size: int, k: int, random: np.random.RandomState) -> NDArray[np.float64]:
        return random.standard_normal((size, k))


@dataclass(frozen=True)
class StudentTRadial(Radial):
    """g(q) = -(df + k) / 2 log(1 + q / df)."""

    df: float = 4.0

    def __post_init__(self) -> None:
        if not 0 < self.df < np.inf:
            raise ValueError(f"df must be positive and finite, got {self.df!r}.")

    def in_words(self) -> str:
        return f"Student-t ({self.df:g} degrees of freedom)"

    def log_kernel(self, q: NDArray[np.float64], k: int) -> NDArray[np.float64]:
        return -0.5 * (self.df + k) * np.log1p(np.maximum(q, 0) / self.df)

    def derivatives(
        self, q: NDArray[np.float64], k: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        below = self.df + q
        return -0.5 * (self.df + k) / below, 0.5 * (self.df + k) / below**2

    def rise(
        self, q: NDArray[np.float64], drop: NDArray[np.float64], k: int
    ) -> NDArray[np.float64]:
        drop = np.minimum(drop, q)
        share = drop / (self.df + q)
        # Where nearly all of a huge q is dropped, 1 - share has no digits left.
        rest = np.log((self.df + (q - drop)) / (self.df + q))
        log_left = np.where(share < 0.5, np.log1p(-np.minimum(share, 0.5)), rest)
        return -0.5 * (self.df + k) * log_left

    def _log_integral(self, k, power):
        """log of the integral of ``(1 + |z|^2 / df)^(-power)`` over R^k."""
        volume = 0.5 * k * np.log(self.df * np.pi)
        return volume + gammaln(power - k / 2) - gammaln(power)

    def log_norm(self, k: int) -> float:
        return self._log_integral(k, (self.df + k) / 2)

    def log_power(self, k: int, gamma: float) -> float:
        # The power of a t kernel is a t kernel.
        power = (1 + gamma) * (self.df + k) / 2
        return self._log_integral(k, power) - (1 + gamma) * self.log_norm(k)

    def tail(self, q: NDArray[np.float64], k: int) -> NDArray[np.float64]:
        # Q / k has an F distribution; its tail is an incomplete beta function.
        return special.betainc(self.df / 2, k / 2, self.df / (self.df + np.asarray(q)))

    def covariance_factor(self, k: int) -> float:
        return self.df / (self.df - 2) if self.df > 2 else np.nan

    def sample(self, size: int, k: int, random: np.random.RandomState) -> NDArray[np.float64]:
        z = random.standard_normal((size, k))
        return z * np.sqrt(self.df / random.chisquare(self.df, size))[:, None]


def check_radial(law: Radial) -> None:
    """Check numerically that a radial law is what its methods say, in one and in three dimensions.

    Raises
    ------
    ValueError
        Naming the first condition that fails.
    """

    def fail(condition):
        raise ValueError(f"The radial law {type(law).__name__} breaks the condition {condition}.")

    q = np.geomspace(1e-3, 50, 200)
    for k in (1, 3):
        value = np.asarray(law.log_kernel(q, k), dtype=float)
        if value.shape != q.shape or not np.all(np.isfinite(value)):
            fail("'g is finite and elementwise'")
        if abs(float(law.log_kernel(np.zeros(1), k)[0])) > 1e-8 or np.any(np.diff(value) > 1e-10):
            fail("'g falls from g(0) = 0'")
        step = 1e-5 * q
        ends = law.log_kernel(q + step, k), law.log_kernel(q - step, k)
        slope, bend = law.derivatives(q, k)
        if not np.allclose(slope, (ends[0] - ends[1]) / (2 * step), rtol=1e-3, atol=1e-6):
            fail("'derivatives' returns g' first'")
        slopes = law.derivatives(q + step, k)[0] - law.derivatives(q - step, k)[0]
        if not np.allclose(bend, slopes / (2 * step), rtol=1e-2, atol=1e-5):
            fail("'derivatives' returns g'' second'")
        drop = 0.5 * q
        if not np.allclose(law.rise(q, drop, k), law.log_kernel(q - drop, k) - value, atol=1e-7):
            fail("'rise(q, drop) = g(q - drop) - g(q)'")
        for name, gamma, found in (
            ("log_norm", 0.0, law.log_norm(k)),
            ("log_power", 0.5, law.log_power(k, 0.5) + 1.5 * law.log_norm(k)),
        ):
            if abs(_log_radial_integral(law, k, 1 + gamma) - found) > 1e-4:
                fail(f"'{name} is the log of its integral' in {k} dimensions")
        if abs(float(law.tail(np.zeros(1), k)[0]) - 1) > 1e-6 or np.any(
            np.diff(law.tail(q, k)) > 1e-12
        ):
            fail("'tail falls from tail(0) = 1'")
    if np.shape(law.sample(4, 2, np.random.RandomState(0))) != (4, 2):
        fail("'sample(size, k, random) has shape (size, k)'")


def _log_radial_integral(law, k, power):
    """log of the integral of exp(power * g(|z|^2)) over R^k, by quadrature in the radius."""

    def integrand(radius):
        return radius ** (k - 1) * np.exp(
            power * float(law.log_kernel(np.array([radius**2]), k)[0])
        )

    total = sum(integrate.quad(integrand, *ends, limit=400)[0] for ends in ((0, 4), (4, np.inf)))
    return float(np.log(total) + np.log(2) + 0.5 * k * np.log(np.pi) - gammaln(k / 2))
