"""Closed-form targets for samplers: one table, checked by test_targets.py."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import digamma

from skholder.models import NormalPrior
from skholder.sampling import MixtureProposal, StudentComponent

__all__ = ["TARGETS", "RegressionLike", "Target"]


@dataclass(frozen=True)
class Target:
    """A density with known moments.

    Attributes
    ----------
    log_prob : callable, (T, d) -> (T,), normalised
    sample : callable, (size, Generator) -> (size, d), exact
    mean, covariance : ndarray
    reach : float
        A square of this half width holds all but a millionth of the mass.
    """

    log_prob: Any
    sample: Any
    mean: np.ndarray
    covariance: np.ndarray
    reach: float

    @property
    def n_dim(self):
        return len(self.mean)

    def with_blob(self, theta):
        """(log density, sum of the coordinates): what the ensembles ask of a target."""
        return np.column_stack([self.log_prob(theta), theta.sum(axis=1)])


_COVARIANCE = np.array([[1.0, 0.6], [0.6, 2.0]])


def _normal():
    mean = np.array([0.5, -1.0])
    truth = stats.multivariate_normal(mean, _COVARIANCE)
    return Target(
        lambda t: np.atleast_1d(truth.logpdf(t)),
        lambda size, rng: rng.multivariate_normal(mean, _COVARIANCE, size),
        mean,
        _COVARIANCE,
        9.0,
    )


def _student(df=7.0):
    truth = stats.multivariate_t(np.array([1.0, 0.0]), _COVARIANCE, df)

    def sample(size, rng):
        z = rng.multivariate_normal(np.zeros(2), _COVARIANCE, size)
        return np.array([1.0, 0.0]) + z / np.sqrt(rng.chisquare(df, size) / df)[:, None]

    return Target(
        lambda t: np.atleast_1d(truth.logpdf(t)),
        sample,
        np.array([1.0, 0.0]),
        _COVARIANCE * df / (df - 2),
        60.0,
    )


def _banana(bend=0.7, width=0.6):
    """x ~ N(0, 1), y given x ~ N(bend (x^2 - 1), width^2)."""

    def log_prob(t):
        x, y = t.T
        return stats.norm.logpdf(x) + stats.norm.logpdf(y, bend * (x * x - 1), width)

    def sample(size, rng):
        x = rng.normal(size=size)
        return np.column_stack([x, bend * (x * x - 1) + width * rng.normal(size=size)])

    # Var(x^2) = 2 and Cov(x, x^2) = 0.
    covariance = np.diag([1.0, 2 * bend**2 + width**2])
    return Target(log_prob, sample, np.zeros(2), covariance, 25.0)


def _mixture(share=0.3):
    """share * N(-2, I / 2) + (1 - share) * N(2, I)."""
    low, high = np.array([-2.0, -2.0]), np.array([2.0, 2.0])

    def log_prob(t):
        parts = [
            np.log(share) + stats.norm.logpdf(t, -2, np.sqrt(0.5)).sum(axis=1),
            np.log(1 - share) + stats.norm.logpdf(t, 2, 1).sum(axis=1),
        ]
        return np.logaddexp(*parts)

    def sample(size, rng):
        first = rng.random(size) < share
        z = rng.normal(size=(size, 2))
        return np.where(first[:, None], low + np.sqrt(0.5) * z, high + z)

    mean = share * low + (1 - share) * high
    gaps = share * np.outer(low - mean, low - mean) + (1 - share) * np.outer(
        high - mean, high - mean
    )
    within = (share * 0.5 + (1 - share)) * np.eye(2)
    return Target(log_prob, sample, mean, gaps + within, 10.0)


TARGETS = {
    "normal": _normal(),
    "student": _student(),
    "banana": _banana(),
    "mixture": _mixture(),
}


@dataclass(frozen=True)
class RegressionLike:
    """The posterior of q coefficients b and a log scale s under n rows and flat priors.

    log p(b, s) = -n s - (n + |b|^2) exp(-2 s) / 2

    Its mode has s = 0. Given s, b is normal with variance exp(2 s), and n exp(-2 s) is chi-squared
    with n - q degrees of freedom: with few rows for each coefficient the mass lies far above the
    mode.
    """

    n_rows: int
    n_coef: int

    @property
    def n_dim(self):
        return self.n_coef + 1

    @property
    def mean_log_scale(self):
        free = (self.n_rows - self.n_coef) / 2
        return 0.5 * (np.log(self.n_rows / 2) - digamma(free))

    def log_prob(self, theta):
        s = theta[:, -1]
        squares = self.n_rows + np.sum(theta[:, :-1] ** 2, axis=1)
        return -self.n_rows * s - 0.5 * squares * np.exp(-2 * s)

    def with_blob(self, theta):
        """(log density, sum of the coordinates): what the ensembles ask of a target."""
        return np.column_stack([self.log_prob(theta), theta.sum(axis=1)])

    def curve(self, theta):
        """Value, gradient (d,) and Hessian (d, d) at one theta (d,)."""
        b, s = theta[:-1], theta[-1]
        shrink = np.exp(-2 * s)
        squares = self.n_rows + b @ b
        hessian = np.diag(np.append(np.full(self.n_coef, -shrink), -2 * squares * shrink))
        hessian[-1, :-1] = hessian[:-1, -1] = 2 * b * shrink
        gradient = np.append(-b * shrink, squares * shrink - self.n_rows)
        return SimpleNamespace(
            value=float(self.log_prob(theta[None])[0]), gradient=gradient, hessian=hessian
        )

    def laplace_proposal(self):
        """The mixture that a fit starts with: Laplace's normal, wider copies, a wide prior."""
        d = self.n_dim
        covariance = -np.linalg.inv(self.curve(np.zeros(d)).hessian)
        bump = StudentComponent.from_covariance(np.zeros(d), covariance, 20.0 + d)
        prior = NormalPrior(np.zeros(d), np.full(d, 2.5), np.full(d, -np.inf))
        return MixtureProposal((bump, prior), np.array([0.95, 0.05])).widened()
