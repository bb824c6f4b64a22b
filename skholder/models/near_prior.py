"""A prior that is costly to evaluate, by its expansion where a posterior lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NearPrior", "near_prior"]

# Error of the log density allowed, in nats.
_ERROR = 1e-4
# Step of the differences that make the Hessian, in standard deviations of the posterior.
_STEP = 1e-3
# The expansion is used up to this many standard deviations a coordinate, all in all.
_REACH = 1.5
# Thetas at which it is checked.
_CHECKS = 64


@dataclass(frozen=True)
class NearPrior:
    """A prior with its log density to second order around ``origin``, as it is further out.

    Attributes
    ----------
    prior : object with ``log_prob``, ``sample``, ``derivatives`` and ``lower``
    origin : ndarray of shape (d,)
    inverse : ndarray of shape (d, d)
        z = inverse (theta - origin); the expansion is used where |z| is at most ``reach``.
    reach, value : float
    gradient : ndarray of shape (d,)
        By z, as is the Hessian (d, d).
    hessian : ndarray of shape (d, d)
    """

    prior: Any
    origin: NDArray[np.float64]
    inverse: NDArray[np.float64]
    reach: float
    value: float
    gradient: NDArray[np.float64]
    hessian: NDArray[np.float64]

    @property
    def lower(self) -> NDArray[np.float64]:
        return self.prior.lower

    def log_prob(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log density (T, d) -> (T,)."""
        z = (theta - self.origin) @ self.inverse.T
        near = np.sum(z * z, axis=1) <= self.reach**2
        near &= np.all(theta >= self.lower, axis=1)
        z = z[near]
        value = np.empty(len(theta))
        value[near] = (
            self.value + z @ self.gradient + 0.5 * np.einsum("ti,ti->t", z @ self.hessian, z)
        )
        if not np.all(near):
            value[~near] = self.prior.log_prob(theta[~near])
        return value

    def sample(self, size: int, random: np.random.RandomState) -> NDArray[np.float64]:
        """Draws (size, d) of the prior itself."""
        return self.prior.sample(size, random)

    def derivatives(self, theta: NDArray[np.float64]) -> Any:
        """Those of the prior itself."""
        return self.prior.derivatives(theta)


def near_prior(
    prior: Any,
    origin: NDArray[np.float64],
    factor: NDArray[np.float64],
    theta: NDArray[np.float64],
) -> Any:
    """The prior by its expansion, or as it is where that is cheap, or better.

    Parameters
    ----------
    prior : object
        Its expansion is worth having where it says ``is_costly``.
    origin : ndarray of shape (d,)
    factor : ndarray of shape (d, d)
        Square root of the posterior's covariance, roughly.
    theta : ndarray of shape (T, d)
        Draws of the posterior, roughly, where the expansion is checked.
    """
    if not getattr(prior, "is_costly", False):
        return prior
    d = len(origin)
    shifts = _STEP * factor.T

    def slopes(points):
        return np.array([prior.derivatives(point)[0] for point in points]) @ factor

    gradient = slopes(origin[None])[0]
    hessian = (slopes(origin + shifts) - gradient) / _STEP
    near = NearPrior(
        prior,
        origin,
        np.linalg.inv(factor).astype(float, copy=False),
        _REACH * np.sqrt(d),
        float(prior.log_prob(origin[None])[0]),
        gradient,
        (hessian + hessian.T) / 2,
    )
    checks = theta[np.linspace(0, len(theta) - 1, _CHECKS).astype(int)]
    exact = prior.log_prob(checks)
    inside = np.isfinite(exact)
    error = np.abs(near.log_prob(checks)[inside] - exact[inside])
    return near if np.max(error, initial=0.0) < _ERROR else prior
