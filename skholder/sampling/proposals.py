"""Proposal densities: multivariate t's at the modes and a defensive component."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import gammaln

__all__ = ["MixtureProposal", "StudentComponent"]


@dataclass(frozen=True)
class StudentComponent:
    """Multivariate t with location ``mean`` (d,), Cholesky factor ``factor`` (d, d) and ``df``."""

    mean: np.ndarray
    factor: np.ndarray
    df: float

    @classmethod
    def from_covariance(cls, mean, covariance, df):
        return cls(mean, np.linalg.cholesky(covariance), df)

    def whiten(self, theta):
        """factor^-1 (theta - mean), shape (T, d)."""
        return solve_triangular(self.factor, (theta - self.mean).T, lower=True).T

    def log_prob(self, theta):
        z, d = self.whiten(theta), len(self.mean)
        norm = gammaln((self.df + d) / 2) - gammaln(self.df / 2)
        norm -= 0.5 * d * np.log(self.df * np.pi) + np.sum(np.log(np.diag(self.factor)))
        return norm - 0.5 * (self.df + d) * np.log1p(np.sum(z * z, axis=1) / self.df)

    def sample(self, size, random):
        z = random.standard_normal((size, len(self.mean)))
        z *= np.sqrt(self.df / random.chisquare(self.df, size))[:, None]
        return self.mean + z @ self.factor.T


@dataclass(frozen=True)
class MixtureProposal:
    """A mixture of components with ``log_prob`` and ``sample``.

    Attributes
    ----------
    components : tuple
        Student components at the modes, best first; the defensive component last.
    weight : ndarray of shape (len(components),)
    """

    components: tuple
    weight: np.ndarray

    @property
    def best(self):
        return self.components[0]

    def log_parts(self, theta):
        """Log weight times density of every component, shape (K, T)."""
        log_weight = np.log(self.weight)
        return np.array([lw + c.log_prob(theta) for lw, c in zip(log_weight, self.components, strict=True)])

    def log_prob(self, theta):
        return np.logaddexp.reduce(self.log_parts(theta), axis=0)

    def sample(self, size, random):
        counts = random.multinomial(size, self.weight)
        parts = [c.sample(k, random) for c, k in zip(self.components, counts, strict=True)]
        return random.permutation(np.concatenate(parts))

    def reweighted(self, theta, share, floor):
        """Weights by the share of the target that each component accounts for.

        Parameters
        ----------
        theta : ndarray of shape (T, d)
            Draws from this mixture.
        share : ndarray of shape (T,)
            Their normalised importance weights.
        floor : float
            Smallest weight a component may get.
        """
        parts = self.log_parts(theta)
        weight = np.exp(parts - np.logaddexp.reduce(parts, axis=0)) @ share
        weight = np.maximum(weight, floor)
        return replace(self, weight=weight / weight.sum())

    def refitted(self, theta, share):
        """The same mixture with its first component moved to the weighted moments of draws."""
        mean = share @ theta
        centred = theta - mean
        spread = (centred * share[:, None]).T @ centred
        old = self.best.factor @ self.best.factor.T
        # Shrink towards the old shape: few effective draws cannot fix a whole covariance.
        trust = 1 / np.sum(share**2) / (1 / np.sum(share**2) + 2 * len(mean))
        covariance = trust * spread + (1 - trust) * old
        moved = StudentComponent.from_covariance(mean, covariance, self.best.df)
        return replace(self, components=(moved, *self.components[1:]))
