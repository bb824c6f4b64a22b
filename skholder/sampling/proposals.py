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

    def moved_to(self, theta, weight):
        """A component at the weighted moments of theta (T, d), as far as they can be trusted."""
        total = weight.sum()
        if not total > 0:
            return self
        weight = weight / total
        effective = 1 / np.sum(weight**2)
        # Few effective draws cannot fix a whole covariance: shrink towards the old one.
        trust = effective / (effective + 3 * len(self.mean))
        mean = (1 - trust) * self.mean + trust * (weight @ theta)
        centred = theta - weight @ theta
        spread = (centred * weight[:, None]).T @ centred
        covariance = trust * spread + (1 - trust) * self.factor @ self.factor.T
        return self.from_covariance(mean, covariance, self.df)

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
        return np.array(
            [lw + c.log_prob(theta) for lw, c in zip(log_weight, self.components, strict=True)]
        )

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

    def widened(self, factors=(2.0, 5.0)):
        """With wider copies of the first component put in before the last."""
        wide = tuple(replace(self.best, factor=k * self.best.factor) for k in factors)
        extra = np.full(len(wide), 0.15)
        weight = np.concatenate([self.weight[:-1], extra, self.weight[-1:]])
        components = (*self.components[:-1], *wide, self.components[-1])
        return MixtureProposal(components, weight / weight.sum())

    def refitted(self, theta, share):
        """Every Student component moved to the moments of the draws it is responsible for.

        This is one step of population Monte Carlo: expectation-maximisation on weighted draws.
        """
        parts = self.log_parts(theta)
        duty = np.exp(parts - np.logaddexp.reduce(parts, axis=0)) * share
        moved = [
            component.moved_to(theta, part)
            if isinstance(component, StudentComponent)
            else component
            for component, part in zip(self.components, duty, strict=True)
        ]
        return replace(self, components=tuple(moved))
