"""Proposal densities: multivariate t's at the modes and a defensive component."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import gammaln

__all__ = ["MixtureProposal", "StudentComponent"]


@dataclass(frozen=True)
class StudentComponent:
    """Multivariate t with location ``mean`` (d,), Cholesky factor ``factor`` (d, d) and ``df``.

    Coordinates in ``folded`` (a boolean mask or None) live above their mean: the t is folded there
    like a half-normal. They must be uncorrelated with all others, so that folding doubles the
    density and does nothing else.
    """

    mean: np.ndarray
    factor: np.ndarray
    df: float
    folded: np.ndarray | None = None

    @classmethod
    def from_covariance(cls, mean, covariance, df, folded=None):
        if folded is not None:
            covariance = np.where(
                folded[:, None] | folded, np.diag(np.diag(covariance)), covariance
            )
        return cls(mean, np.linalg.cholesky(covariance), df, folded)

    def whiten(self, theta):
        """factor^-1 (theta - mean), shape (T, d)."""
        return solve_triangular(self.factor, (theta - self.mean).T, lower=True).T

    def log_prob(self, theta):
        z, d = self.whiten(theta), len(self.mean)
        norm = gammaln((self.df + d) / 2) - gammaln(self.df / 2)
        norm -= 0.5 * d * np.log(self.df * np.pi) + np.sum(np.log(np.diag(self.factor)))
        value = norm - 0.5 * (self.df + d) * np.log1p(np.sum(z * z, axis=1) / self.df)
        if self.folded is None:
            return value
        inside = np.all(theta[:, self.folded] >= self.mean[self.folded], axis=1)
        return np.where(inside, value + self.folded.sum() * np.log(2), -np.inf)

    def moved_to(self, theta, weight):
        """A component at the weighted moments of theta (T, d), as far as they can be trusted."""
        total = weight.sum()
        if not total > 0:
            return self
        weight = weight / total
        effective = 1 / np.sum(weight**2)
        # Few effective draws cannot fix a whole covariance: shrink towards the old one.
        trust = effective / (effective + 3 * len(self.mean))
        centre = weight @ theta
        if self.folded is not None:
            centre = np.where(self.folded, self.mean, centre)
        centred = theta - centre
        spread = (centred * weight[:, None]).T @ centred
        covariance = trust * spread + (1 - trust) * self.factor @ self.factor.T
        mean = (1 - trust) * self.mean + trust * centre
        return self.from_covariance(mean, covariance, self.df, self.folded)

    def sample(self, size, random):
        z = random.standard_normal((size, len(self.mean)))
        z *= np.sqrt(self.df / random.chisquare(self.df, size))[:, None]
        step = z @ self.factor.T
        if self.folded is not None:
            step = np.where(self.folded, np.abs(step), step)
        return self.mean + step


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
        # Labels by comparing uniforms: a rounding in the weights moves next to no draw.
        labels = np.searchsorted(np.cumsum(self.weight[:-1]), random.uniform(size=size), "right")
        counts = np.bincount(labels, minlength=len(self.components))
        parts = [c.sample(k, random) for c, k in zip(self.components, counts, strict=True)]
        return random.permutation(np.concatenate(parts))

    def _duties(self, theta):
        """The share (K, T) of each component in the mixture's density at theta."""
        parts = self.log_parts(theta)
        total = np.logaddexp.reduce(parts, axis=0)
        return np.exp(parts - np.where(np.isfinite(total), total, 0.0))

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
        weight = self._duties(theta) @ share
        weight = np.maximum(weight, floor)
        return replace(self, weight=weight / weight.sum())

    def widened(self, factors=(1.5, 3.0), share=0.03):
        """With wider copies of the first component put in before the last."""
        wide = tuple(replace(self.best, factor=k * self.best.factor) for k in factors)
        extra = np.full(len(wide), share)
        weight = np.concatenate([self.weight[:-1], extra, self.weight[-1:]])
        components = (*self.components[:-1], *wide, self.components[-1])
        return MixtureProposal(components, weight / weight.sum())

    def refitted(self, theta, share):
        """Every Student component moved to the moments of the draws it is responsible for.

        This is one step of population Monte Carlo: expectation-maximisation on weighted draws.
        """
        duty = self._duties(theta) * share
        moved = [
            component.moved_to(theta, part)
            if isinstance(component, StudentComponent)
            else component
            for component, part in zip(self.components, duty, strict=True)
        ]
        return replace(self, components=tuple(moved))
