"""The normal nearest to a density, by curvatures averaged where the mass is.

A normal at the mode (Laplace's) is a poor picture of a density of many dimensions whose curvature
changes between its mode and its mass. With few rows for each coefficient, the most likely noise
scale lies several standard deviations below the scales that carry the mass, and every coefficient's
spread follows the scale. The normal q = N(m, P^-1) of the smallest Kullback-Leibler divergence
KL(q || p) satisfies (Opper and Archambeau, "The variational Gaussian approximation revisited",
2009)::

    E_q[grad log p] = 0,     P = E_q[-Hessian log p]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["NormalFit", "nearest_normal"]

# Of the steps: whole ones while the normal travels, then averages over what the last ones saw.
_GAINS = (1.0, 1.0, 1.0, 1 / 2, 1 / 3)
# Within one step a variance changes by no more than this factor, and the mean by so many sds.
_MAX_RATIO = 3.0
_MAX_SHIFT = 3.0


@dataclass(frozen=True)
class NormalFit:
    """A normal and what it cost.

    Attributes
    ----------
    mean : ndarray of shape (d,)
    factor : ndarray of shape (d, d)
        Lower Cholesky factor of the covariance.
    n_evaluations : int
        Number of curvatures that were asked for.
    """

    mean: np.ndarray
    factor: np.ndarray
    n_evaluations: int


def nearest_normal(curve, mean, factor, random, n_pairs=4):
    """Stochastic fixed-point steps towards the normal nearest to a density.

    Parameters
    ----------
    curve : callable
        theta (d,) -> object with ``value``, ``gradient`` (d,) and ``hessian`` (d, d) of the log
        density.
    mean : ndarray of shape (d,)
        Mean of the first normal, such as a mode.
    factor : ndarray of shape (d, d)
        Lower Cholesky factor of its covariance.
    random : numpy.random.RandomState
    n_pairs : int, default=4
        Points of a step; each comes with its mirror image, so that odd terms cancel.

    Returns
    -------
    NormalFit
    """
    n_evaluations = 0
    for gain in _GAINS:
        z = random.standard_normal((n_pairs, len(mean)))
        states = [curve(mean + factor @ point) for point in np.concatenate([z, -z])]
        n_evaluations += len(states)
        states = [state for state in states if _is_finite(state)]
        if len(states) < n_pairs:
            # Half of the normal lies outside the density's support: there is nothing to fit.
            break
        mean, factor = _step(states, mean, factor, gain)
    return NormalFit(mean, factor, n_evaluations)


def _is_finite(state):
    parts = (state.value, state.gradient, state.hessian)
    return all(np.all(np.isfinite(part)) for part in parts)


def _step(states, mean, factor, gain):
    """The next mean and factor, in coordinates where the normal is standard."""
    gradient = factor.T @ np.mean([state.gradient for state in states], axis=0)
    precision = -factor.T @ np.mean([state.hessian for state in states], axis=0) @ factor
    values, axes = np.linalg.eigh((1 - gain) * np.eye(len(mean)) + gain * precision)
    values = np.clip(values, 1 / _MAX_RATIO, _MAX_RATIO)
    shift = gain * axes @ ((axes.T @ gradient) / values)
    # A slope so steep that its square leaves the floats says nothing about where to go.
    with np.errstate(over="ignore"):
        length = np.linalg.norm(shift)
    shift *= min(1.0, _MAX_SHIFT / max(length, 1e-300))
    # The QR decomposition of a root of the covariance yields its Cholesky factor.
    triangle = np.linalg.qr((factor @ (axes / np.sqrt(values))).T, mode="r").T
    return mean + factor @ shift, triangle * np.sign(np.diag(triangle))
