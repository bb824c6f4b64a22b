"""The collapsed log posterior of theta, and exact draws of alpha given theta.

    log m(theta) = log prior(theta) + G(L(theta), log C(theta))

where L is the power mean of the density over the rows and G integrates alpha out::

    G = log of the integral over alpha of exp(-beta n H) prior(alpha)   families with alpha
    G = beta n exp((1 + gamma) log S - gamma log C)                     gamma-divergence
    G = n L, at gamma = 0                                               Kullback-Leibler
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..divergences import KullbackLeibler, RiskTerms
from ..rows.single import SingleRows
from .alpha import AlphaConditional, profile_terms

__all__ = ["HolderPosterior", "ProfileRisk"]

# From this many rows on, sampling sums over rows in single precision.
_SINGLE_FROM = 300


@dataclass(frozen=True)
class _Curve:
    """Value, gradient (d,) and Hessian (d, d) of a log density at one theta."""

    value: float
    gradient: np.ndarray
    hessian: np.ndarray


def _compose(outer, mean, log_c, log_c_gradient, log_c_hessian):
    """Chain rule: outer is a function of (L, v) with L and v functions of theta."""
    a, b = mean.gradient, log_c_gradient
    cross = np.outer(a, b)
    hessian = (
        outer.u[0] * mean.hessian
        + outer.v[0] * log_c_hessian
        + outer.uu[0] * np.outer(a, a)
        + outer.uv[0] * (cross + cross.T)
        + outer.vv[0] * np.outer(b, b)
    )
    return _Curve(float(outer.value[0]), outer.u[0] * a + outer.v[0] * b, hessian)


def _times_gamma(terms, gamma):
    """Turn derivatives in u = log S into derivatives in L = u / gamma."""
    return RiskTerms(
        value=terms.value,
        u=gamma * terms.u,
        v=terms.v,
        uu=gamma**2 * terms.uu,
        uv=gamma * terms.uv,
        vv=terms.vv,
    )


def _scaled(terms, factor):
    return RiskTerms(*(factor * getattr(terms, k) for k in RiskTerms.__annotations__))


class _RowFunction:
    """What ProfileRisk and HolderPosterior share: a model, its rows, a divergence and gamma."""

    def __init__(self, model, rows, divergence, gamma):
        self.model = model
        self.rows = rows
        self.divergence = divergence
        self.gamma = 0.0 if isinstance(divergence, KullbackLeibler) else float(gamma)

    def power_mean(self, theta):
        """L(theta), shape (T,); see :meth:`RowBlocks.power_mean`."""
        return self.rows.power_mean(self.model, theta, self.gamma)

    def _curve(self, theta, outer):
        mean = self.rows.power_mean_terms(self.model, theta, self.gamma)
        log_c = self.model.log_power(theta[None], self.gamma)
        if not (np.isfinite(mean.value) and np.isfinite(log_c[0])):
            d = len(theta)
            return _Curve(-np.inf, np.zeros(d), -np.eye(d))
        terms = outer(np.array([mean.value]), log_c)
        return _compose(terms, mean, log_c, *self.model.log_power_derivatives(theta, self.gamma))

    def _alpha_free(self, mean, log_c):
        """-H and its derivatives in (L, v) for the divergences without alpha."""
        zero = np.zeros_like(mean)
        if self.gamma == 0:
            return RiskTerms(mean, np.ones_like(mean), zero, zero, zero, zero)
        g = self.gamma
        value = np.exp((1 + g) * g * mean - g * log_c)
        du, dv = (1 + g) * g, -g
        return RiskTerms(
            value, du * value, dv * value, du**2 * value, du * dv * value, dv**2 * value
        )


class ProfileRisk(_RowFunction):
    """-weight * min over alpha of H(theta, alpha): what the temperature rule minimises.

    Parameters
    ----------
    lower : float
        Smallest alpha allowed.
    weight : float
        A positive constant that puts the risk on the scale of a log density.
    """

    def __init__(self, model, rows, divergence, gamma, lower, weight):
        super().__init__(model, rows, divergence, gamma)
        self.lower = lower
        self.weight = weight

    def curve(self, theta):
        """Value, gradient and Hessian at one theta (d,), to be maximised."""
        return self._curve(theta, self._outer)

    def _outer(self, mean, log_c):
        if not self.divergence.has_alpha:
            return _scaled(self._alpha_free(mean, log_c), self.weight)
        g = self.gamma
        terms = profile_terms(self.divergence, g, g * mean, log_c, self.lower)
        return _scaled(_times_gamma(terms, g), -self.weight)

    def height(self, theta):
        """The value alone at one theta (d,)."""
        mean = self.power_mean(theta[None])
        return float(self._outer(mean, self.model.log_power(theta[None], self.gamma)).value[0])

    def alpha(self, theta):
        """The minimising inlier share S / C at one theta, clipped to its support."""
        if self.gamma == 0:
            return 1.0
        ratio = self.gamma * self.power_mean(theta[None]) - self.model.log_power(
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
        self.weight = self.temperature * rows.total_weight
        self._single = None
        self.alpha = (
            AlphaConditional(divergence, self.gamma, self.weight, alpha_prior)
            if divergence.has_alpha
            else None
        )

    def settle(self, origin):
        """Get ready for many evaluations of ``log_prob`` around ``origin`` (d,)."""
        if self.gamma > 0 and len(self.rows) >= _SINGLE_FROM:
            self._single = SingleRows(self.model, self.rows, self.gamma, origin)

    def log_prob(self, theta):
        """log m(theta) and the power mean L, for a batch (T, d).

        Returns
        -------
        ndarray of shape (T, 2)
        """
        log_prob = self.model.prior.log_prob(theta)
        mean = np.zeros(len(theta))
        inside = np.isfinite(log_prob)
        if np.any(inside):
            mean[inside] = self.rows.power_mean(self.model, theta[inside], self.gamma, self._single)
            log_prob[inside] += self.log_likelihood(theta[inside], mean[inside])
        log_prob[np.isnan(log_prob)] = -np.inf
        return np.column_stack([log_prob, mean])

    def log_likelihood(self, theta, mean):
        """G(L, log C), shape (T,)."""
        log_c = self.model.log_power(theta, self.gamma)
        if self.alpha is None:
            return self.weight * self._alpha_free(mean, log_c).value
        # A density so steep that its power has no integral cannot be compared with the data.
        value, usable = np.full(len(theta), -np.inf), np.isfinite(log_c)
        if np.any(usable):
            u = self.gamma * mean[usable]
            value[usable] = self.alpha.log_integral(u, log_c[usable])
        return value

    def vacuum(self, theta):
        """G when no row is explained at all (S = 0): what "everything is noise" scores, (T,)."""
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

    def _outer(self, mean, log_c):
        if self.alpha is None:
            return _scaled(self._alpha_free(mean, log_c), self.weight)
        return _times_gamma(self.alpha.terms(self.gamma * mean, log_c), self.gamma)

    def draw_alpha(self, theta, mean, random):
        """One exact draw of alpha for each theta (T, d) with power mean L (T,)."""
        log_c = self.model.log_power(theta, self.gamma)
        return self.alpha.draw(self.gamma * mean, log_c, random)
