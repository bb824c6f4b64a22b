"""The collapsed log posterior of theta, and exact draws of alpha given theta.

    log m(theta) = log prior(theta) + G(L(theta), log C(theta))

where L is the power mean of the density over the rows and G integrates alpha out::

    G = log of the integral over alpha of exp(-beta n H) prior(alpha)   families with alpha
    G = beta n exp((1 + gamma) log S - gamma log C)                     gamma-divergence
    G = n L, at gamma = 0                                               Kullback-Leibler
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from ..divergences import KullbackLeibler, PairTerms
from ..models.near_prior import near_prior
from .alpha import AlphaConditional, profile_terms
from .alpha_table import AlphaTable
from .expansion import row_series

__all__ = ["HolderPosterior", "ProfileRisk"]

# From this many rows on, sampling sums over rows in single precision.
_SINGLE_FROM = 300
# A density whose power C, or S / C, has a log beyond this is too steep to compare with the data:
# the squares of both would overflow.
_STEEP = 300.0


@dataclass(frozen=True)
class _Curve:
    """Value, gradient (d,) and Hessian (d, d) of a log density at one theta."""

    value: float
    gradient: np.ndarray
    hessian: np.ndarray

    def scaled(self, factor):
        """That of the log density times a factor."""
        return _Curve(factor * self.value, factor * self.gradient, factor * self.hessian)


def _compose(outer, log_mean, log_c_gradient, log_c_hessian):
    """Chain rule: outer is a function of (L, log C), both functions of theta."""
    a, b = log_mean.gradient, log_c_gradient
    cross = np.outer(a, b)
    hessian = (
        outer.d1[0] * log_mean.hessian
        + outer.d2[0] * log_c_hessian
        + outer.d11[0] * np.outer(a, a)
        + outer.d12[0] * (cross + cross.T)
        + outer.d22[0] * np.outer(b, b)
    )
    return _Curve(float(outer.value[0]), outer.d1[0] * a + outer.d2[0] * b, hessian)


class _RowFunction:
    """What ProfileRisk and HolderPosterior share: a model, its rows, a divergence and gamma."""

    def __init__(self, model, rows, divergence, gamma):
        self.model = model
        self.rows = rows
        self.divergence = divergence
        self.gamma = 0.0 if isinstance(divergence, KullbackLeibler) else float(gamma)

    def log_mean(self, theta):
        """L(theta), shape (T,); see :meth:`RowBlocks.log_mean`."""
        return self.rows.log_mean(self.model, theta, self.gamma)

    def _comparable(self, log_mean, log_c):
        """Which pairs (L, log C) have a risk within the floats."""
        ratio = self.gamma * log_mean - log_c
        if not self.divergence.has_alpha:
            # The risk without alpha is a power itself.
            ratio = np.maximum(ratio, self.gamma * (log_mean + ratio))
        return np.isfinite(log_c) & (log_c < _STEEP) & (ratio < _STEEP)

    def _curve(self, theta, outer):
        log_mean = self.rows.log_mean_terms(self.model, theta, self.gamma)
        log_c = self.model.log_power(theta[None], self.gamma)
        if not (np.isfinite(log_mean.value) and self._comparable(log_mean.value, log_c[0])):
            d = len(theta)
            return _Curve(-np.inf, np.zeros(d), -np.eye(d))
        terms = outer(np.array([log_mean.value]), log_c)
        log_c_derivatives = self.model.log_power_derivatives(theta, self.gamma)
        return _compose(terms, log_mean, *log_c_derivatives)

    def _alpha_free(self, log_mean, log_c):
        """-H and its derivatives in (L, log C) for the divergences without alpha."""
        zero = np.zeros_like(log_mean)
        if self.gamma == 0:
            return PairTerms(log_mean, np.ones_like(log_mean), zero, zero, zero, zero)
        g = self.gamma
        value = np.exp((1 + g) * g * log_mean - g * log_c)
        p1, p2 = (1 + g) * g, -g
        return PairTerms(
            value, p1 * value, p2 * value, p1**2 * value, p1 * p2 * value, p2**2 * value
        )


class ProfileRisk(_RowFunction):
    """The risk H(theta, alpha) at its best alpha, as a function of theta to be maximised.

    Its value is ``-multiplier * min over alpha of H(theta, alpha)``. It needs no temperature, which
    is why modes are looked for here first and the temperature is computed at its maximum.

    Parameters
    ----------
    model : WorkingModel
    rows : RowBlocks
    divergence : Divergence
    gamma : float
    lower : float
        Smallest alpha allowed.
    multiplier : float
        A positive constant that puts the risk on the scale of a log density.
    """

    def __init__(self, model, rows, divergence, gamma, lower, multiplier):
        super().__init__(model, rows, divergence, gamma)
        self.lower = lower
        self.multiplier = multiplier

    def curve(self, theta):
        """Value, gradient and Hessian at one theta (d,), to be maximised."""
        return self._curve(theta, self._outer)

    def _outer(self, log_mean, log_c):
        if not self.divergence.has_alpha:
            return self._alpha_free(log_mean, log_c).scaled(self.multiplier)
        g = self.gamma
        terms = profile_terms(self.divergence, g, g * log_mean, log_c, self.lower)
        return terms.stretched(g).scaled(-self.multiplier)

    def height(self, theta):
        """The value alone at one theta (d,)."""
        log_mean, log_c = self.log_mean(theta[None]), self.model.log_power(theta[None], self.gamma)
        if not self._comparable(log_mean, log_c)[0]:
            return -np.inf
        return float(self._outer(log_mean, log_c).value[0])

    def alpha(self, theta):
        """The minimising inlier share S / C at one theta, clipped to its support."""
        if self.gamma == 0:
            return 1.0
        ratio = self.gamma * self.log_mean(theta[None]) - self.model.log_power(
            theta[None], self.gamma
        )
        lower = self.lower if self.divergence.has_alpha else 0.0
        return float(np.clip(np.exp(ratio[0]), max(lower, 1e-12), 1.0))


class HolderPosterior(_RowFunction):
    """The collapsed posterior of theta for given rows, divergence and temperature.

    Parameters
    ----------
    model : WorkingModel
    rows : RowBlocks
    divergence : Divergence
    gamma : float
    temperature : float
        beta.
    alpha_prior : AlphaPrior
        Ignored by divergences without alpha.
    """

    def __init__(self, model, rows, divergence, gamma, temperature, alpha_prior):
        super().__init__(model, rows, divergence, gamma)
        self.temperature = float(temperature)
        self.beta_n = self.temperature * rows.total_weight
        self.prior, self.single, self.table = model.prior, None, None
        self.alpha = (
            AlphaConditional(divergence, self.gamma, self.beta_n, alpha_prior)
            if divergence.has_alpha
            else None
        )

    def held(self, start):
        """The same posterior with its scales kept above a tenth of those of ``start`` (d,)."""
        other = copy(self)
        other.model = self.model.with_floor(start)
        other.prior = other.model.prior
        return other

    def near(self, origin):
        """The same posterior, ready for many evaluations of ``log_prob`` around ``origin`` (d,)."""
        other = copy(self)
        if self.gamma > 0 and len(self.rows) >= _SINGLE_FROM:
            other.single = self.rows.near(self.model, self.gamma, origin)
        return other

    def expanded(self, fitted, n_evaluations):
        """The same posterior by series, of its sums over rows and of a costly prior.

        Parameters
        ----------
        fitted : FittedProposal
            A pilot, which has seen where the posterior lies.
        n_evaluations : int
            How many evaluations are to come.
        """
        best, other = fitted.proposal.best, copy(self)
        other.prior = near_prior(self.model.prior, best.mean, best.factor, fitted.theta)
        other.single = row_series(self, fitted, n_evaluations) or self.single
        return other

    def tabulated(self, theta, values):
        """The same posterior with the integral over alpha tabulated for many evaluations.

        Parameters
        ----------
        theta : ndarray of shape (T, d)
            Points of the posterior, to learn its range from.
        values : ndarray of shape (T, 2)
            :meth:`log_prob` there.
        """
        usable = np.isfinite(values[:, 0])
        if self.alpha is None or not np.any(usable):
            return self
        theta, values, other = theta[usable], values[usable], copy(self)
        log_c = self.model.log_power(theta, self.gamma)
        other.table = AlphaTable.over(self.alpha, self.gamma * values[:, 1], log_c, values[:, 0])
        return other

    def log_prob(self, theta):
        """log m(theta) and the power mean L, for a batch (T, d).

        Returns
        -------
        ndarray of shape (T, 2)
        """
        log_prob = self.prior.log_prob(theta)
        log_mean = np.zeros(len(theta))
        inside = np.isfinite(log_prob)
        if np.any(inside):
            log_mean[inside] = self.rows.log_mean(
                self.model, theta[inside], self.gamma, self.single
            )
            log_prob[inside] += self.log_likelihood(theta[inside], log_mean[inside])
        log_prob[np.isnan(log_prob)] = -np.inf
        return np.column_stack([log_prob, log_mean])

    def log_likelihood(self, theta, log_mean):
        """G(L, log C), shape (T,)."""
        log_c = self.model.log_power(theta, self.gamma)
        if self.alpha is None:
            return self.beta_n * self._alpha_free(log_mean, log_c).value
        # A density too steep for its power to be integrated cannot be compared with the data.
        value, usable = np.full(len(theta), -np.inf), self._comparable(log_mean, log_c)
        if np.any(usable):
            log_s, alpha = self.gamma * log_mean[usable], self.table or self.alpha
            value[usable] = alpha.log_integral(log_s, log_c[usable])
        return value

    def vacuum(self, theta):
        """The log likelihood G of a posterior that explains no row at all (S = 0), shape (T,).

        Draws that do hardly better than this say only that every row is noise.
        """
        if self.alpha is None:
            return np.zeros(len(theta))
        return self.log_likelihood(theta, np.full(len(theta), -1e4 / self.gamma))

    def curve(self, theta):
        """log m with gradient and Hessian at one theta (d,)."""
        likelihood = self._curve(theta, self._outer)
        gradient, hessian = self.model.prior.derivatives(theta)
        return _Curve(
            likelihood.value + float(self.model.prior.log_prob(theta[None])[0]),
            likelihood.gradient + gradient,
            likelihood.hessian + hessian,
        )

    def _outer(self, log_mean, log_c):
        if self.alpha is None:
            return self._alpha_free(log_mean, log_c).scaled(self.beta_n)
        return self.alpha.terms(self.gamma * log_mean, log_c).stretched(self.gamma)

    def draw_alpha(self, theta, log_mean, random):
        """One exact draw of alpha for each theta (T, d) with power mean L (T,)."""
        # Draws of a Laplace approximation may be steeper than the posterior allows.
        log_c = np.minimum(self.model.log_power(theta, self.gamma), _STEEP)
        log_s = np.minimum(self.gamma * log_mean, log_c + _STEEP)
        return self.alpha.draw(log_s, log_c, random)
