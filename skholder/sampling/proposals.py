"""Proposal densities: multivariate t's at the modes and a defensive component."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dtrtrs
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
        return dtrtrs(self.factor, (theta - self.mean).T, lower=1)[0].T

    def log_prob(self, theta):
        z, d = self.whiten(theta), len(self.mean)
        norm = gammaln((self.df + d) / 2) - gammaln(self.df / 2)
        norm -= 0.5 * d * np.log(self.df * np.pi) + np.sum(np.log(np.diag(self.factor)))
        value = norm - 0.5 * (self.df + d) * np.log1p(np.sum(z * z, axis=1) / self.df)
        if self.folded is None:
            return value
        inside = np.all(theta[:, self.folded] >= self.mean[self.folded], axis=1)
        return np.where(inside, value + self.folded.sum() * np.log(2), -np.inf)

    def moved_to(self, theta, share):
        """A component at the moments of theta (T, d), as far as they can be trusted.

        Parameters
        ----------
        theta : ndarray of shape (T, d)
        share : ndarray of shape (T,)
            Importance weights, up to a factor.
        """
        total = share.sum()
        if not total > 0:
            return self
        share = share / total
        effective = 1 / np.sum(share**2)
        # Few effective draws cannot fix a whole covariance: shrink towards the old one.
        trust = effective / (effective + 3 * len(self.mean))
        centre = share @ theta
        if self.folded is not None:
            centre = np.where(self.folded, self.mean, centre)
        centred = theta - centre
        spread = (centred * share[:, None]).T @ centred
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
    proportions : ndarray of shape (len(components),)
        They are positive and sum to one.
    """

    components: tuple
    proportions: np.ndarray

    @property
    def best(self):
        return self.components[0]

    def log_parts(self, theta):
        """Log of proportion times density of every component, shape (K, T)."""
        parts = zip(np.log(self.proportions), self.components, strict=True)
        return np.array([log_part + component.log_prob(theta) for log_part, component in parts])

    def log_prob(self, theta):
        return np.logaddexp.reduce(self.log_parts(theta), axis=0)

    def sample(self, size, random):
        # Labels by comparing uniforms: a rounding in the proportions moves next to no draw.
        bounds = np.cumsum(self.proportions[:-1])
        labels = np.searchsorted(bounds, random.uniform(size=size), "right")
        counts = np.bincount(labels, minlength=len(self.components))
        parts = [c.sample(k, random) for c, k in zip(self.components, counts, strict=True)]
        return random.permutation(np.concatenate(parts))

    def _duties(self, theta):
        """The share (K, T) of each component in the mixture's density at theta."""
        parts = self.log_parts(theta)
        total = np.logaddexp.reduce(parts, axis=0)
        return np.exp(parts - np.where(np.isfinite(total), total, 0.0))

    def reapportioned(self, theta, share, floor):
        """Proportions by the share of the target that each component accounts for.

        Parameters
        ----------
        theta : ndarray of shape (T, d)
            Draws from this mixture.
        share : ndarray of shape (T,)
            Their normalised importance weights.
        floor : float
            Smallest proportion a component may get.
        """
        proportions = np.maximum(self._duties(theta) @ share, floor)
        return replace(self, proportions=proportions / proportions.sum())

    def widened(self, factors=(1.5, 3.0), proportion=0.03):
        """With wider copies of the first component put in before the last."""
        wide = tuple(replace(self.best, factor=k * self.best.factor) for k in factors)
        extra = np.full(len(wide), proportion)
        proportions = np.concatenate([self.proportions[:-1], extra, self.proportions[-1:]])
        components = (*self.components[:-1], *wide, self.components[-1])
        return MixtureProposal(components, proportions / proportions.sum())

    def carried(self, old, mean, factor):
        """The component ``old`` and all copies of it at its mean, moved by one affine map.

        Parameters
        ----------
        old : StudentComponent
        mean, factor : ndarray of shape (d,) and (d, d)
            Where the map takes those of ``old``.
        """

        def moved(component):
            is_student = isinstance(component, StudentComponent)
            if not (is_student and np.array_equal(component.mean, old.mean)):
                return component
            relative = solve_triangular(old.factor, component.factor, lower=True)
            return replace(component, mean=mean, factor=factor @ relative)

        return replace(self, components=tuple(moved(c) for c in self.components))

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
