"""The contract between a working model and everything above it.

A *row* is one line of the matrix ``rows`` of shape (m, q) that the model itself lays out; a batch
of parameters ``theta`` has shape (T, d). Rows come in blocks, so nothing here may depend on a
row's neighbours.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import log_ndtr
from scipy.stats import truncnorm

__all__ = ["LinearScoreModel", "NormalPrior", "WorkingModel"]


@dataclass(frozen=True)
class NormalPrior:
    """Independent normals truncated below: theta_j ~ N(mean_j, scale_j^2) on [lower_j, inf).

    Attributes
    ----------
    mean, scale, lower : ndarray of shape (d,)
    """

    mean: np.ndarray
    scale: np.ndarray
    lower: np.ndarray

    def log_prob(self, theta):
        """Normalised log density of a batch (T, d) -> (T,); -inf below ``lower``."""
        z = (theta - self.mean) / self.scale
        value = -0.5 * np.sum(z * z, axis=1) - self._log_norm
        return np.where(np.all(theta >= self.lower, axis=1), value, -np.inf)

    def derivatives(self, theta):
        """Gradient (d,) and Hessian (d, d) of the log density at one theta (d,)."""
        precision = self.scale**-2.0
        return -(theta - self.mean) * precision, -np.diag(precision)

    def with_lower(self, lower):
        """The same normals truncated at another bound."""
        return replace(self, lower=lower)

    def sample(self, size, random):
        """``size`` draws, shape (size, d)."""
        start = (self.lower - self.mean) / self.scale
        z = truncnorm.rvs(start, np.inf, size=(size, len(self.mean)), random_state=random)
        return self.mean + self.scale * z

    @cached_property
    def _log_norm(self):
        kept = log_ndtr(-(self.lower - self.mean) / self.scale)
        return np.sum(np.log(self.scale) + 0.5 * np.log(2 * np.pi) + kept)


class WorkingModel(ABC):
    """A parametric family p_theta on the computing scale.

    Attributes
    ----------
    prior : object with ``log_prob``, ``derivatives``, ``sample`` and ``lower``
        The prior of theta; :class:`NormalPrior` unless the model needs another.
    parameter_names : tuple of str
        One name for each coordinate of theta.
    """

    prior: NormalPrior
    parameter_names: tuple[str, ...]

    @abstractmethod
    def peak(self, theta):
        """An upper bound of log p_theta, shape (T,); zero where the density has none."""

    @abstractmethod
    def kernel(self, theta, rows, power):
        """power * (log p_theta(row) - peak(theta)), a fresh array of shape (m, T)."""

    def log_density(self, theta, rows):
        """log p_theta(row), shape (m, T)."""
        return self.kernel(theta, rows, 1.0) + self.peak(theta)

    @abstractmethod
    def log_power(self, theta, gamma):
        """log C(theta) = log of the integral of p_theta^(1 + gamma), shape (T,)."""

    @abstractmethod
    def log_power_derivatives(self, theta, gamma):
        """Gradient (d,) and Hessian (d, d) of log C at one theta of shape (d,)."""

    @abstractmethod
    def score_sums(self, theta, rows, weight):
        """Weighted sums over rows of grad, Hessian and grad grad' of log p at one theta (d,).

        Returns
        -------
        gradient : ndarray of shape (d,)
        hessian, outer : ndarray of shape (d, d)
        """

    @abstractmethod
    def starts(self, rows, weight, random):
        """Robust starting values, shape (M, d). ``weight`` is None or of shape (m,)."""

    def calibration(self, theta, gamma, alpha):
        """The calibrated temperature in closed form, or None if the general rule must do."""
        return None

    @property
    def spiky(self):
        """Coordinates (d,) along which the density grows without bound: those with a floor."""
        return np.isfinite(self.prior.lower)

    def raise_floor(self, start):
        """Keep scales above a tenth of those of ``start`` (d,); False if they already are.

        Called where all that the data offer are spikes: rows tied in such numbers that the density
        grows without bound as a scale shrinks.
        """
        lower = self.prior.lower
        raised = np.where(self.spiky, np.maximum(lower, start - np.log(10.0)), lower)
        if np.all(raised <= lower):
            return False
        self.prior = self.prior.with_lower(raised)
        return True

    #: whether rows can be ranked by a :class:`LinearScoreModel`'s score
    has_linear_score = False

    def mean_kernel(self, theta):
        """rows -> mean over draws of ``kernel(theta, rows, 1)``, (m,); None without a short cut."""
        return None

    def contributions(self, theta, forward):
        """What explains rows ``(x - centre) @ forward`` by the columns of x, given draws (S, d).

        None for a model that does not split into columns; see :mod:`.contributions`.
        """
        return None

    @property
    def defence(self):
        """A wide, normalised density that keeps the sampler from getting stuck: the prior."""
        return self.prior

    @property
    def n_params(self):
        return len(self.parameter_names)


class LinearScoreModel(WorkingModel):
    """A model whose log density is a function of a product of row features and theta's weights."""

    #: whether it is the absolute value of the score that counts
    score_is_folded = False

    @abstractmethod
    def score_features(self, rows):
        """Features (m, q) of rows, of their precision."""

    @abstractmethod
    def score_weights(self, theta):
        """Weights (T, q): features times these rank the rows, the largest least likely."""

    @abstractmethod
    def kernel_of_score(self, theta, score):
        """kernel(theta, row, 1) of a row with that score, one for each theta, (T,)."""

    @abstractmethod
    def kernel_product(self, theta, power):
        """Weights (T, q) and a function with kernel' = finish(weights @ features').

        ``finish`` may work in place and keeps single precision.
        """

    @abstractmethod
    def shift(self, origin):
        """What ``origin`` (d,) takes off a theta: kernel(theta - shift, moved) = kernel(theta)."""

    @abstractmethod
    def moved(self, rows, origin):
        """Rows (m, q) as seen from ``origin``; see :meth:`shift`."""

    def kernel(self, theta, rows, power):
        weights, finish = self.kernel_product(theta, power)
        return finish(weights @ self.score_features(rows).T).T
