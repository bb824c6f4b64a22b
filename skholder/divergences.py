"""The phi families of the Hölder divergence and the risk they define.

With ``S`` the empirical and ``C`` the model density power, and ``z = S / (alpha C)``::

    H(theta, alpha) = phi(z) * alpha^(1 + gamma) * C

Every family that can estimate ``alpha`` satisfies ``phi(1) = -1``, ``phi(z) >= -z^(1+gamma)`` and
``-L <= phi'(z) <= 0``; then ``alpha = S / C`` minimises ``H`` in ``alpha``, whatever the family.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "MOST_KAPPA",
    "DensityPower",
    "Divergence",
    "ExponentialSaturated",
    "KullbackLeibler",
    "PairTerms",
    "PseudoSpherical",
    "RationalSaturated",
    "check_divergence",
    "risk",
    "risk_terms",
]

# exp(709) is the last float.
_MOST_LOG_Z = 700.0
#: Largest saturation: phi grows up to exp(kappa), and its squares must be floats.
MOST_KAPPA = 100.0


class Divergence(ABC):
    """A phi family. Subclass it (or pass any object with ``phi``) to define your own."""

    #: whether the posterior has an inlier share ``alpha``
    has_alpha: ClassVar[bool] = True

    @abstractmethod
    def phi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        """phi(z), elementwise, for ``z > 0``."""

    def dphi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        """First derivative of phi; central differences unless overridden."""
        step = 1e-5 * z
        return (self.phi(z + step, gamma) - self.phi(z - step, gamma)) / (2 * step)

    def d2phi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        """Second derivative of phi; central differences unless overridden."""
        step = 1e-3 * z
        return (
            self.phi(z + step, gamma) - 2 * self.phi(z, gamma) + self.phi(z - step, gamma)
        ) / step**2


@dataclass(frozen=True)
class DensityPower(Divergence):
    """phi(z) = gamma - (1 + gamma) z: the density power divergence, our default."""

    def phi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return gamma - (1 + gamma) * z

    def dphi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return np.full_like(z, -(1 + gamma))

    def d2phi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return np.zeros_like(z)


@dataclass(frozen=True)
class ExponentialSaturated(Divergence):
    """phi(z) = gamma - (1 + gamma) s(z), s(z) = 1 + (1 - exp(-kappa (z - 1))) / kappa."""

    kappa: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.kappa <= MOST_KAPPA:
            raise ValueError(
                f"kappa must lie in (0, {MOST_KAPPA:g}] for 'expsat', got {self.kappa!r}."
            )

    def phi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return gamma - (1 + gamma) * (1 - np.expm1(-self.kappa * (z - 1)) / self.kappa)

    def dphi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return -(1 + gamma) * np.exp(-self.kappa * (z - 1))

    def d2phi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return self.kappa * (1 + gamma) * np.exp(-self.kappa * (z - 1))


@dataclass(frozen=True)
class RationalSaturated(Divergence):
    """phi(z) = gamma - (1 + gamma) s(z), s(z) = 1 + (z - 1) / (1 + kappa (z - 1))."""

    kappa: float = 0.25

    def __post_init__(self) -> None:
        if not 0 < self.kappa < 1:
            raise ValueError(f"kappa must lie in (0, 1) for 'ratsat', got {self.kappa!r}.")

    def phi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return gamma - (1 + gamma) * (1 + (z - 1) / (1 + self.kappa * (z - 1)))

    def dphi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return -(1 + gamma) / (1 + self.kappa * (z - 1)) ** 2

    def d2phi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return 2 * self.kappa * (1 + gamma) / (1 + self.kappa * (z - 1)) ** 3


@dataclass(frozen=True)
class PseudoSpherical(Divergence):
    """phi(z) = -z^(1 + gamma): the gamma-divergence. Its risk is free of alpha."""

    has_alpha: ClassVar[bool] = False

    def phi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return -(z ** (1 + gamma))

    def dphi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return -(1 + gamma) * z**gamma

    def d2phi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return -(1 + gamma) * gamma * z ** (gamma - 1)


@dataclass(frozen=True)
class KullbackLeibler(Divergence):
    """The ordinary log-likelihood, H = -mean log p ("Standard Bayes"); no gamma and no alpha."""

    has_alpha: ClassVar[bool] = False

    def phi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        raise TypeError("The Kullback-Leibler loss is not a function of a density-power ratio.")


class _UserDivergence(Divergence):
    """An object of the user's that has ``phi`` and maybe its derivatives."""

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped

    def phi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        return np.asarray(self.wrapped.phi(z, gamma), dtype=float)

    def dphi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        if hasattr(self.wrapped, "dphi"):
            return np.asarray(self.wrapped.dphi(z, gamma), dtype=float)
        return super().dphi(z, gamma)

    def d2phi(self, z: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        if hasattr(self.wrapped, "d2phi"):
            return np.asarray(self.wrapped.d2phi(z, gamma), dtype=float)
        return super().d2phi(z, gamma)


@dataclass(frozen=True)
class PairTerms:
    """A function of a pair of numbers with its derivatives; arrays of one shape.

    The pair is (log S, log C), or (L, log C) with L = log S / gamma.

    Attributes
    ----------
    value : ndarray
    d1, d2 : ndarray
        First derivatives by the first and the second number.
    d11, d12, d22 : ndarray
        Second derivatives.
    """

    value: NDArray[np.float64]
    d1: NDArray[np.float64]
    d2: NDArray[np.float64]
    d11: NDArray[np.float64]
    d12: NDArray[np.float64]
    d22: NDArray[np.float64]

    def scaled(self, factor: float) -> PairTerms:
        """The function times a constant."""
        return PairTerms(*(factor * getattr(self, field.name) for field in fields(self)))

    def stretched(self, factor: float) -> PairTerms:
        """As a function of (x, second) where the first number is ``factor * x``."""
        return PairTerms(
            value=self.value,
            d1=factor * self.d1,
            d2=self.d2,
            d11=factor**2 * self.d11,
            d12=factor * self.d12,
            d22=self.d22,
        )


def risk(
    divergence: Divergence,
    gamma: float,
    log_s: NDArray[np.float64],
    log_c: NDArray[np.float64],
    alpha: ArrayLike,
) -> NDArray[np.float64]:
    """H = alpha^(1+gamma) C phi(S / (alpha C)), broadcast over its arguments."""
    log_alpha = np.log(alpha)
    # Where alpha is next to nothing its power, which is less, rules.
    z = np.exp(np.minimum(log_s - log_c - log_alpha, _MOST_LOG_Z))
    return np.exp(log_c + (1 + gamma) * log_alpha) * divergence.phi(z, gamma)


def risk_terms(
    divergence: Divergence,
    gamma: float,
    log_s: NDArray[np.float64],
    log_c: NDArray[np.float64],
    log_alpha: NDArray[np.float64],
) -> PairTerms:
    """H = alpha^(1+gamma) C phi(S / (alpha C)) with its derivatives in (log S, log C).

    Parameters
    ----------
    log_s, log_c, log_alpha : array-like, broadcastable

    Returns
    -------
    PairTerms
    """
    z = np.exp(log_s - log_c - log_alpha)
    size = np.exp(log_c + (1 + gamma) * log_alpha)
    phi = divergence.phi(z, gamma)
    slope = z * divergence.dphi(z, gamma)
    bend = z * z * divergence.d2phi(z, gamma)
    return PairTerms(
        value=size * phi,
        d1=size * slope,
        d2=size * (phi - slope),
        d11=size * (bend + slope),
        d12=-size * bend,
        d22=size * (phi - slope + bend),
    )


_FAMILIES = {
    "dpd": DensityPower,
    "expsat": ExponentialSaturated,
    "ratsat": RationalSaturated,
    "gamma": PseudoSpherical,
    "kl": KullbackLeibler,
}


def check_divergence(divergence: Any, gamma: float, kappa: float | None = None) -> Divergence:
    """Return a checked :class:`Divergence` from a name or an object with ``phi(z, gamma)``.

    Parameters
    ----------
    divergence : str or object
    gamma : float
    kappa : float or None
        Saturation of ``"expsat"`` and ``"ratsat"``; None takes the family's default.

    Returns
    -------
    Divergence
    """
    if isinstance(divergence, str):
        if divergence not in _FAMILIES:
            raise ValueError(
                f"divergence must be one of {sorted(_FAMILIES)} or an object with a "
                f"'phi(z, gamma)' method, got {divergence!r}."
            )
        if kappa is None:
            return _FAMILIES[divergence]()
        if divergence not in ("expsat", "ratsat"):
            raise ValueError(f"divergence={divergence!r} takes no kappa; leave kappa=None.")
        return _FAMILIES[divergence](float(kappa))
    if kappa is not None:
        raise ValueError("kappa belongs to the named families; leave kappa=None for an object.")
    if isinstance(divergence, Divergence) and isinstance(divergence, tuple(_FAMILIES.values())):
        return divergence
    if not hasattr(divergence, "phi"):
        raise ValueError("A divergence object needs a method 'phi(z, gamma)'.")
    checked = divergence if isinstance(divergence, Divergence) else _UserDivergence(divergence)
    _check_conditions(checked, gamma)
    return checked


def _check_conditions(divergence, gamma):
    """Check numerically what joint inference of theta and alpha asks of phi."""

    name = type(getattr(divergence, "wrapped", divergence)).__name__

    def fail(condition):
        raise ValueError(
            f"The divergence {name} breaks the condition {condition} at gamma={gamma:g}; "
            "the inlier share alpha cannot be inferred with it."
        )

    z = np.geomspace(1e-6, 1e3, 2001)
    with np.errstate(all="ignore"):
        phi = np.asarray(divergence.phi(z, gamma), dtype=float)
        slope = np.asarray(divergence.dphi(z, gamma), dtype=float)
        far = np.asarray(divergence.dphi(np.geomspace(1e-12, 1e9, 2001), gamma), dtype=float)
        at_one = float(np.squeeze(divergence.phi(np.ones(1), gamma)))
    if phi.shape != z.shape or not np.all(np.isfinite(phi)):
        fail("'phi is finite and elementwise for z > 0'")
    if abs(at_one + 1) > 1e-8:
        fail(f"'phi(1) = -1' (it is {at_one:g})")
    if np.any(slope > 1e-8 * (1 + np.abs(slope).max())):
        fail("'phi does not increase' (phi' <= 0)")
    if not np.all(np.isfinite(far)) or np.abs(far).max() > 10 * np.abs(slope).max() + 1e-8:
        fail("'the slope of phi is bounded' (-L <= phi')")
    if np.any(phi < -(z ** (1 + gamma)) - 1e-8 * (1 + np.abs(phi))):
        fail("'phi(z) >= -z^(1 + gamma)' (the divergence is proper)")
    pull = (1 + gamma) * phi - z * slope
    if np.any(pull[z < 0.99] <= 0) or np.any(pull[z > 1.01] >= 0):
        fail("'the risk has its only minimum in alpha at S / C'")
