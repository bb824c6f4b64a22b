"""The inlier share alpha given theta: its integral, its derivatives, exact draws.

Given theta the posterior of alpha is one-dimensional and depends on the data through log S and
log C only::

    f(alpha) = exp(-beta n H(log S, log C, alpha)) Beta(alpha; a, b)   on [lower, 1]

It is about ``1 / sqrt(beta n)`` wide, so the quadrature nodes are placed around its mode.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.polynomial import legendre
from scipy.special import betainc, betaln, expit

from ..divergences import PairTerms, risk, risk_terms

__all__ = ["AlphaConditional", "AlphaPrior", "profile_terms"]

# Outside the window the integrand is below exp(-30) of its maximum.
_DROP = 30.0


@dataclass(frozen=True)
class AlphaPrior:
    """Prior of the inlier share alpha: a Beta(a, b) density restricted to [lower, 1].

    Attributes
    ----------
    a, b : float
        Shapes of the Beta density; a = b = 1 is flat.
    lower : float
        Smallest alpha allowed, 1 - ``max_contamination``.
    """

    a: float = 1.0
    b: float = 1.0
    lower: float = 0.5

    @property
    def is_flat(self):
        return self.a == 1 and self.b == 1

    @cached_property
    def log_norm(self):
        """Log of the mass that makes the truncated density integrate to one."""
        # The upper tail, as the lower one of 1 - alpha: a difference from 1 would lose its digits.
        mass = betainc(self.b, self.a, 1 - self.lower)
        if not mass > 0:
            raise ValueError(
                f"alpha_prior=({self.a:g}, {self.b:g}) has no mass above "
                f"1 - max_contamination = {self.lower:g}."
            )
        return betaln(self.a, self.b) + np.log(mass)

    def log_density(self, alpha, complement):
        """Log prior density at alpha, ``complement = 1 - alpha`` given to full precision."""
        value = np.full(np.shape(alpha), -self.log_norm)
        if self.a != 1:
            value += (self.a - 1) * np.log(alpha)
        if self.b != 1:
            value += (self.b - 1) * np.log(complement)
        return value


class _Rule:
    """Gauss-Legendre in t on [-1, 1] for integrals over x(t) in [0, 1].

    Where the integrand has an algebraic end point (``alpha^gamma`` at 0, Beta exponents) a
    tanh-sinh substitution x(t) makes it smooth; otherwise x is linear in t.
    """

    _REACH = 3.3

    def __init__(self, smooth):
        self.smooth = smooth
        self.t, self.gauss_width = legendre.leggauss(40 if smooth else 240)
        self.x, self.complement = self.position(self.t), self.position(-self.t)
        if smooth:
            self.slope = np.full(len(self.t), 0.5)
        else:
            stretch = np.pi * self._REACH * np.cosh(self._REACH * self.t)
            self.slope = stretch * self.x * self.complement
        self.node_width = self.gauss_width * self.slope

    def position(self, t):
        return (1 + t) / 2 if self.smooth else expit(np.pi * np.sinh(self._REACH * t))

    def series(self, density):
        """Legendre coefficients (N, T) in t of densities (T, N) known at the nodes."""
        order = len(self.t)
        basis = legendre.legvander(self.t, order - 1) * self.gauss_width[:, None]
        return basis.T @ (density * self.slope).T * (np.arange(order) + 0.5)[:, None]


@cache
def _rule(smooth):
    return _Rule(smooth)


@dataclass(frozen=True)
class _Nodes:
    """Quadrature nodes of a batch: alpha (T, N), and density = f / exp(top)."""

    rule: _Rule
    left: np.ndarray
    width: np.ndarray
    alpha: np.ndarray
    top: np.ndarray
    density: np.ndarray


class AlphaConditional:
    """The conditional posterior of alpha for a batch of thetas.

    Parameters
    ----------
    divergence : Divergence
        One with ``has_alpha``.
    gamma : float
    beta_n : float
        beta times n.
    prior : AlphaPrior
    """

    def __init__(self, divergence, gamma, beta_n, prior):
        self.divergence = divergence
        self.gamma = gamma
        self.beta_n = beta_n
        self.prior = prior
        # alpha^gamma is not smooth at 0, nor is (1 - alpha)^(b - 1) at 1 unless b is whole.
        self._rough_left = prior.lower == 0
        self._rough_right = not (prior.b >= 1 and float(prior.b).is_integer())

    def log_integral(self, log_s, log_c):
        """log of the integral of f over alpha, shape (T,)."""
        nodes = self._evaluate(np.asarray(log_s, float), np.asarray(log_c, float))
        return nodes.top + np.log(nodes.width * (nodes.density @ nodes.rule.node_width))

    def ceiling(self, log_s, log_c):
        """-beta n min over alpha of H, shape (T,): no integral is larger."""
        alpha = np.exp(np.clip(log_s - log_c, np.log(max(self.prior.lower, 1e-300)), 0.0))
        return -self.beta_n * risk(self.divergence, self.gamma, log_s, log_c, alpha)

    def terms(self, log_s, log_c):
        """The log integral with its derivatives in (log_s, log_c).

        d log I = E[-beta n dH],  d2 log I = E[-beta n d2H] + Var[-beta n dH] under f.
        """
        log_s, log_c = np.asarray(log_s, float), np.asarray(log_c, float)
        nodes = self._evaluate(log_s, log_c)
        mass = nodes.density * nodes.rule.node_width
        total = mass.sum(axis=1)
        share = mass / total[:, None]
        log_alpha = np.log(nodes.alpha)
        parts = risk_terms(self.divergence, self.gamma, log_s[:, None], log_c[:, None], log_alpha)

        def mean(values):
            return np.sum(share * values, axis=1)

        ds, dc = -self.beta_n * parts.d1, -self.beta_n * parts.d2
        mean_s, mean_c = mean(ds), mean(dc)
        ds, dc = ds - mean_s[:, None], dc - mean_c[:, None]
        return PairTerms(
            value=nodes.top + np.log(nodes.width * total),
            d1=mean_s,
            d2=mean_c,
            d11=mean(-self.beta_n * parts.d11 + ds * ds),
            d12=mean(-self.beta_n * parts.d12 + ds * dc),
            d22=mean(-self.beta_n * parts.d22 + dc * dc),
        )

    def draw(self, log_s, log_c, random):
        """One draw of alpha for each theta, by inverting its distribution function.

        The density is a Legendre series on the quadrature nodes, so its integral is known to the
        accuracy of the quadrature itself.

        Returns
        -------
        alpha : ndarray of shape (T,)
        """
        nodes = self._evaluate(np.asarray(log_s, float), np.asarray(log_c, float))
        series = nodes.rule.series(nodes.density)
        integral = legendre.legint(series, lbnd=-1)
        target = random.uniform(size=len(nodes.left)) * legendre.legval(1.0, integral)
        x = nodes.rule.position(_invert(nodes.rule, integral, series, target))
        return np.clip(nodes.left + nodes.width * x, self.prior.lower, 1.0)

    def _evaluate(self, log_s, log_c):
        """The integrand at quadrature nodes placed around its mode."""
        left, right = self._window(log_s, log_c)
        width = right - left
        rough = (self._rough_left and np.any(left == 0)) or (
            self._rough_right and np.any(right == 1)
        )
        rule = _rule(smooth=not rough)
        alpha = left[:, None] + width[:, None] * rule.x
        complement = (1 - right)[:, None] + width[:, None] * rule.complement
        # Rounding can put a node on the very end, where a Beta density may be infinite.
        tiny = np.finfo(float).tiny
        alpha, complement = np.maximum(alpha, tiny), np.maximum(complement, tiny)
        log_f = -self.beta_n * risk(
            self.divergence, self.gamma, log_s[:, None], log_c[:, None], alpha
        )
        log_f += self.prior.log_density(alpha, complement)
        top = log_f.max(axis=1)
        return _Nodes(rule, left, width, alpha, top, np.exp(log_f - top[:, None]))

    def _window(self, log_s, log_c):
        """Ends of the interval on which f exceeds exp(-30) of its maximum, each (T,)."""
        lower = max(self.prior.lower, 1e-300)
        mode = np.exp(np.clip(log_s - log_c, np.log(lower), 0.0))
        if not self.prior.is_flat:
            mode = self._penalised_mode(log_s, log_c, lower)
        top = self._smooth_log_f(mode, log_s, log_c)
        left, right = mode + self._reach(mode, top, np.array([[lower], [1.0]]), log_s, log_c)
        # A conditional narrower than rounding still needs a window with some width.
        thin = right - left < 1e-13
        left = np.where(thin, np.maximum(left - 1e-13, lower), left)
        left = np.where(left <= lower, self.prior.lower, left)
        return left, np.where(thin, np.minimum(right + 1e-13, 1.0), right)

    def _reach(self, mode, top, bounds, log_s, log_c):
        """Signed distances (2, T) from the mode to where log f has dropped by 30, or to a bound.

        sqrt(drop) is about linear in the distance, so a ratio step lands close; a bracket keeps
        it honest where the shape is far from normal. The ends returned lie outside the root.
        """
        far = bounds - mode
        # At a bound the distance is nothing; a harmless number keeps the ratios defined.
        far = np.where(far == 0, np.copysign(1e-300, bounds - 0.75), far)
        inner, outer, trial = np.zeros_like(far), far, far
        # A bound that is not far enough is the end; nothing is to be searched before it.
        whole = top - self._smooth_log_f(bounds, log_s, log_c) < _DROP
        for _ in range(8):
            drop = top - self._smooth_log_f(mode + trial, log_s, log_c)
            enough = drop >= _DROP
            inner, outer = np.where(enough, inner, trial), np.where(enough, trial, outer)
            # Where the drop is 30 and little more, the window is as good as any.
            if np.all(whole | (enough & (drop <= 1.2 * _DROP))):
                break
            trial = trial * np.sqrt(1.05 * _DROP / np.maximum(drop, 1e-30))
            stuck = (trial / outer >= 1) | (trial / outer <= inner / outer)
            if np.any(stuck):
                between = np.sqrt(np.maximum(inner * outer, 1e-6 * outer**2))
                trial = np.where(stuck, np.copysign(between, far), trial)
        return outer

    def _smooth_log_f(self, alpha, log_s, log_c):
        """log f without the singular factors of the prior (exponents below 1)."""
        alpha = np.maximum(alpha, 1e-300)
        value = -self.beta_n * risk(self.divergence, self.gamma, log_s, log_c, alpha)
        if self.prior.a > 1:
            value = value + (self.prior.a - 1) * np.log(alpha)
        if self.prior.b > 1:
            value = value + (self.prior.b - 1) * np.log(np.maximum(1 - alpha, 1e-300))
        return value

    def _penalised_mode(self, log_s, log_c, lower):
        """Mode of the smooth part of f when the prior is not flat, by bisection of its slope."""
        a, b = max(self.prior.a, 1.0), max(self.prior.b, 1.0)
        lo, hi = np.full(len(log_s), lower), np.ones(len(log_s))
        for _ in range(45):
            alpha = (lo + hi) / 2
            z = np.exp(log_s - log_c - np.log(alpha))
            pull = (1 + self.gamma) * self.divergence.phi(z, self.gamma)
            pull -= z * self.divergence.dphi(z, self.gamma)
            slope = -self.beta_n * np.exp(log_c) * alpha**self.gamma * pull
            # Next to a limit of 1 the middle is 1 itself.
            slope += (a - 1) / alpha - (b - 1) / np.maximum(1 - alpha, 1e-300)
            lo, hi = np.where(slope > 0, alpha, lo), np.where(slope > 0, hi, alpha)
        return (lo + hi) / 2


def _invert(rule, integral, series, target):
    """Solve F(t) = target on [-1, 1]: start between two nodes, then bracketed Newton steps."""
    ends = np.concatenate([[-1.0], rule.t, [1.0]])
    reached = legendre.legvander(ends, len(integral) - 1) @ integral
    cell = np.clip(np.sum(reached < target, axis=0), 1, len(ends) - 1)
    column = np.arange(len(target))
    lo, hi = ends[cell - 1], ends[cell]
    below, above = reached[cell - 1, column], reached[cell, column]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.nan_to_num((target - below) / (above - below))
    t = lo + np.clip(share, 0, 1) * (hi - lo)
    for _ in range(30):
        excess = legendre.legval(t, integral, tensor=False) - target
        lo, hi = np.where(excess < 0, t, lo), np.where(excess < 0, hi, t)
        slope = legendre.legval(t, series, tensor=False)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = t - excess / slope
        # At the root rounding decides which side of it t is on, and a step may leave the bracket.
        found = (step > lo) & (step < hi) | (np.abs(step - t) < 1e-12)
        new = np.where(found, step, (lo + hi) / 2)
        moved = np.max(np.abs(new - t), initial=0.0)
        t = new
        if moved < 1e-10:
            break
    return t


def profile_terms(divergence, gamma, log_s, log_c, lower):
    """min over alpha in [lower, 1] of H, with its derivatives in (log_s, log_c).

    The minimiser is ``S / C`` clipped to the support. Where it is interior the profile is
    ``-S^(1+gamma) / C^gamma`` for every family.
    """
    log_s, log_c = np.atleast_1d(log_s), np.atleast_1d(log_c)
    log_alpha = np.clip(log_s - log_c, np.log(max(lower, 1e-300)), 0.0)
    fixed = risk_terms(divergence, gamma, log_s, log_c, log_alpha)
    inside = (log_s - log_c < 0) & (log_s - log_c > log_alpha - 1e-15) & (np.exp(log_alpha) > lower)
    best = -np.exp((1 + gamma) * log_s - gamma * log_c)
    power = np.array([1 + gamma, -gamma])
    names = ("value", "d1", "d2", "d11", "d12", "d22")
    factors = (1.0, power[0], power[1], power[0] ** 2, power[0] * power[1], power[1] ** 2)
    return PairTerms(
        **{
            name: np.where(inside, best * factor, getattr(fixed, name))
            for name, factor in zip(names, factors, strict=True)
        }
    )
