"""Calibrated posteriors of the number of rows outside the model, and of their share.

The Hölder conditional of alpha is 2 to 20 times too wide, whatever the data. Here the count K of
this table has the likelihood that influence values give it::

    K-hat = n (1 - rho) - bias          Var = sum_i w_i (b_i + z_i - mean z)^2

with b_i the influence of row i on rho and z_i = 1 for rows that cannot be inliers (their number is
known, so the chance that made them drops out). The prior has three parts: a clean table, K = 0;
the rows that cannot be inliers with few stragglers next to them, K = K_min + x; and any K from
K_min on, by the Beta prior of alpha. Clean has probability one half, the other two share the rest.
The tails of the rows speak too: a clean table has a Poisson number of rows with n t < 3.

The share in the population, epsilon, given K is Beta(b + K, a + n - K), and 0 for a clean table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import trapezoid
from scipy.special import betainc, betaincinv, betaln, expit, gammaln, logsumexp
from scipy.stats import rankdata

from ..inference.health import MIN_MODE_SHARE
from ..posterior import free_minimiser, influence_values
from ..rows import RowBlocks
from .counts import outlier_counts
from .tails import CERTAIN

__all__ = ["AuditedTable", "CountPosterior", "calibrated_counts", "count_rows", "minimiser_values"]

# Rows with n t between CERTAIN and this are counted against their Poisson law.
_BAND = 3.0
# Rows with n t between CERTAIN and this may be stragglers of gross outliers, each further one less
# likely by this factor.
_NEAR, _STRAGGLER = 1.0, 1 / 3
# Smallest standard deviation of K-hat that is believed.
_LEAST_SD = 0.05
_CLEAN_ODDS = 0.5
# The law of K is tabulated for every count: beyond so many rows (by weight) there is no room.
_MOST_ROWS = 1e8


@dataclass(frozen=True)
class AuditedTable:
    """The rows that are counted.

    Attributes
    ----------
    rows : RowBlocks
        The weighted set of rows, on the computing scale.
    where : RowSet
        Where the user's rows are in it.
    design_weight : ndarray or None
        Factors that held rows of the set back from the fit, on top of their weights.
    """

    rows: RowBlocks
    where: object
    design_weight: np.ndarray | None = None

    @property
    def fitted_rows(self):
        """The rows as the fit saw them."""
        if self.design_weight is None:
            return self.rows
        weight = 1.0 if self.rows.weight is None else self.rows.weight
        return RowBlocks(self.rows.rows, weight * self.design_weight)

    @property
    def weight(self):
        return np.ones(len(self.rows)) if self.rows.weight is None else self.rows.weight


@dataclass(frozen=True)
class CountPosterior:
    """Draws of K and epsilon, one for each posterior draw.

    Attributes
    ----------
    counts : ndarray of int, shape (S,), or None
        Rows of this table that are outside the model; None for a divergence without alpha.
    epsilon : ndarray of shape (S,) or None
        Share of such rows in the population.
    clean_probability : float
        P(no contamination), with prior odds 1; NaN where it is not known.
    estimate, sd : float
        K-hat and its standard deviation.
    certain : float
        Weight of the rows that cannot be inliers.
    """

    counts: np.ndarray | None
    epsilon: np.ndarray | None
    clean_probability: float = np.nan
    estimate: float = np.nan
    sd: float = np.nan
    certain: float = np.nan


def minimiser_values(result, table):
    """Influence values at the risk minimiser next to the best mode, over the table's rows."""
    model, gamma = result.draws.model, result.draws.gamma
    theta = free_minimiser(model, table.fitted_rows, gamma, result.modes[0].theta)
    return influence_values(model, table.rows, theta, gamma, design_weight=table.design_weight)


def count_rows(result, table, values, tails, prior, method, random):
    """How many rows of the table are outside the model.

    Parameters
    ----------
    result : Inference
    table : AuditedTable
    values : InfluenceValues
        From :func:`minimiser_values`.
    tails : ndarray of shape (n,)
        Tail probabilities of the table's rows.
    prior : AlphaPrior
    method : {"calibrated", "holder"}
        ``"holder"`` is the paper's conditional of alpha, and what remains where no single mode
        holds the draws, or where more rows are counted than there is room to tabulate.
    random : numpy.random.RandomState

    Returns
    -------
    CountPosterior
    """
    draws = result.draws
    if draws.alpha is None:
        return CountPosterior(None, None)
    unclear = result.mode_share < MIN_MODE_SHARE or result.modes[0].at_floor
    if method == "holder" or unclear or table.rows.total_weight > _MOST_ROWS:
        epsilon = 1 - draws.alpha
        return CountPosterior(outlier_counts(epsilon, table.rows.total_weight), epsilon)
    bias = draws.model.count_bias(draws.gamma)
    return calibrated_counts(values, table.weight, tails, draws.theta, bias, prior, random)


def calibrated_counts(values, weight, tails, theta, bias, prior, random):
    """The :class:`CountPosterior` of a fit.

    Parameters
    ----------
    values : InfluenceValues
        At the risk minimiser, of the same n rows as below.
    weight : ndarray of shape (n,)
    tails : ndarray of shape (n,)
        Tail probabilities.
    theta : ndarray of shape (S, d)
        Posterior draws: K is correlated with them as rho is.
    bias : float
        What K-hat is too large by, in rows.
    prior : AlphaPrior
    random : numpy.random.RandomState
    """
    total = float(weight.sum())
    is_certain = total * tails < CERTAIN
    certain = float(weight @ is_certain)
    noise = values.b + is_certain - certain / total
    sd = max(float(np.sqrt(weight @ noise**2)), _LEAST_SD)
    estimate = total * (1 - values.rho) - bias
    upper = np.floor(total * (1 - prior.lower))
    lowest = min(certain, upper)
    grid = lowest + np.arange(int(upper - lowest) + 1)
    clean, law = _mixture(estimate, sd, grid, tails, weight, prior)
    support = np.append(0.0, grid)
    reached = np.cumsum(np.append(clean, (1 - clean) * law))
    pull = -total * (theta - values.theta) @ _regression(values)
    spots = np.searchsorted(reached, _coupled_uniforms(pull, sd, random))
    spots = np.minimum(spots, len(support) - 1)
    counts = support[spots]
    epsilon = _share_given_count(counts, total, prior, random)
    return CountPosterior(
        counts=np.rint(counts).astype(np.int64),
        epsilon=np.where(spots == 0, 0.0, epsilon),
        clean_probability=float(clean),
        estimate=float(estimate),
        sd=sd,
        certain=certain,
    )


def _mixture(estimate, sd, grid, tails, weight, prior):
    """Posterior probability of a clean table, and the law of K on the grid if it is not."""
    expected = weight.sum() * tails
    log_fit = -0.5 * ((grid - estimate) / sd) ** 2
    log_any = _log_count_prior(grid, float(weight.sum()), prior) + log_fit
    log_gross = np.full(len(grid), -np.inf)
    band, extreme = _tail_evidence(tails, weight)
    odds = np.array([1 - _CLEAN_ODDS, 0.0])
    if grid[0] > 0:
        odds[:] = (1 - _CLEAN_ODDS) / 2
        near = weight @ ((expected >= CERTAIN) & (expected < _NEAR))
        log_gross = _log_straggler_prior(near, len(grid)) + log_fit + band
    # The band and the most extreme row overlap: the stronger speaks for both.
    log_clean = -0.5 * (estimate / sd) ** 2 + min(band, extreme)
    with np.errstate(divide="ignore"):
        log_parts = np.logaddexp(np.log(odds[0]) + log_any, np.log(odds[1]) + log_gross)
    log_not_clean = logsumexp(log_parts)
    log_clean += np.log(_CLEAN_ODDS)
    return expit(log_clean - log_not_clean), np.exp(log_parts - log_not_clean)


def _log_straggler_prior(near, size):
    """Log prior of x = 0, 1, ... stragglers among ``near`` rows next to the gross ones, (size,).

    The near rows that are no stragglers are there by chance, a Poisson number of them.
    """
    x = np.arange(size)
    by_chance = np.rint(near) - x
    rate = _NEAR - CERTAIN
    with np.errstate(invalid="ignore"):
        log_law = x * np.log(_STRAGGLER) + by_chance * np.log(rate) - gammaln(by_chance + 1)
    log_law = np.where(by_chance >= 0, log_law, -np.inf)
    return log_law - np.log(np.sum(np.exp(log_law - log_law.max()))) - log_law.max()


def _log_count_prior(grid, total, prior):
    """Log of the Beta-binomial law of K on the grid, normalised there; flat for Beta(1, 1)."""
    a, b = prior.a, prior.b
    log_law = betaln(grid + b, total - grid + a) + gammaln(total + 1)
    log_law -= gammaln(grid + 1) + gammaln(total - grid + 1)
    top = log_law.max()
    return log_law - top - np.log(np.sum(np.exp(log_law - top)))


def _tail_evidence(tails, weight):
    """Log Bayes factors (at most 0) for "no outliers" from the band, and the most extreme row."""
    expected = weight.sum() * tails
    n_band = float(weight @ ((expected >= CERTAIN) & (expected < _BAND)))
    rate = _BAND - CERTAIN
    # Under the alternative the band has more rows, exponentially many with its own mean.
    extra = np.linspace(0, 40 + 2 * n_band, 4000)
    log_likelihood = n_band * np.log(rate + extra) - (rate + extra)
    top = log_likelihood.max()
    law = np.exp(-extra / rate) / rate
    alternative = top + np.log(trapezoid(np.exp(log_likelihood - top) * law, extra))
    band = min(0.0, n_band * np.log(rate) - rate - alternative)
    least = np.min(expected[weight > 0])
    log_p = np.log(max(-np.expm1(-least), 1e-300))
    # Sellke, Bayarri and Berger's bound: a p value is worth at most -e p log p.
    extreme = min(0.0, 1 + log_p + np.log(-log_p)) if log_p < -1 else 0.0
    return band, extreme


def _regression(values):
    """Coefficients (d,) of rho on theta in sampling: Cov(rho, theta) Cov(theta)^-1."""
    return np.linalg.lstsq(values.covariance, values.cross, rcond=1e-10)[0]


def _coupled_uniforms(pull, sd, random):
    """Uniforms (S,) whose order follows K's part explained by theta as far as it is explained."""
    rest = np.sqrt(max(sd**2 - np.var(pull), 0.0))
    order = pull + rest * random.standard_normal(len(pull))
    return (rankdata(order, method="ordinal") - 0.5) / len(pull)


def _share_given_count(counts, total, prior, random):
    """Draws of epsilon given K: Beta(b + K, a + n - K) below 1 - lower."""
    a, b = prior.b + counts, prior.a + total - counts
    reach = betainc(a, b, 1 - prior.lower)
    return betaincinv(a, b, random.uniform(size=len(counts)) * reach)
