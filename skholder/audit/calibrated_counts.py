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

from ..inference.health import MIN_MODE_SHARE, at_floor_shares
from ..posterior import free_minimiser, influence_values
from ..rows import RowBlocks
from .adequacy_check import LIMITS
from .counts import outlier_counts
from .row_tally import BAND, NEAR, RowTally, count_estimate, doubled_power
from .tails import CERTAIN

__all__ = [
    "AuditedTable",
    "CountPosterior",
    "calibrated_counts",
    "count_rows",
    "floor_counts",
    "holder_counts",
    "is_calibrated",
    "leans_on_floor",
    "minimiser_values",
]

# Each further straggler next to the gross outliers is less likely by this factor.
_STRAGGLER = 1 / 3
_CLEAN_ODDS = 0.5
# A grid of more counts than this is cut to so many standard deviations around K-hat.
_LARGEST_GRID, _GRID_REACH = 1_000_000, 40.0


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
    """Influence values at the risk minimiser next to the first mode, over the table's rows."""
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
        holds the draws.
    random : numpy.random.RandomState

    Returns
    -------
    CountPosterior
    """
    total = table.rows.total_weight
    if leans_on_floor(result, method):
        tally = RowTally.of(values.b, table.weight, tails, total)
        return floor_counts(result, values, tally, prior, random)
    if not is_calibrated(result, method):
        return holder_counts(result, total)
    model = result.draws.model
    beyond = doubled_power(model, table.rows, values, table.design_weight)
    b = None if beyond is None else beyond.on_rho(table.rows, table.design_weight)
    tally = RowTally.of(values.b, table.weight, tails, total, b)
    return calibrated_counts(model, values, tally, beyond, result.draws.theta, prior, random)


def is_calibrated(result, method):
    """Whether counts are calibrated: one mode must hold the draws, and alpha be inferred."""
    return _one_mode(result, method) and not _at_floor(result)


def leans_on_floor(result, method):
    """Whether counts would be calibrated if no scale leaned on its floor.

    Such a scale is no minimiser of the risk, and its influence values say nothing of K.
    """
    return _one_mode(result, method) and _at_floor(result)


def _one_mode(result, method):
    if method != "calibrated" or result.draws.alpha is None:
        return False
    return result.mode_share >= MIN_MODE_SHARE


def _at_floor(result):
    mode = result.modes[0]
    return mode.at_floor or any(at_floor_shares(result.draws.model, mode.theta[None]).values())


def holder_counts(result, total_weight):
    """The :class:`CountPosterior` of the paper's conditional of alpha."""
    if result.draws.alpha is None:
        return CountPosterior(None, None)
    epsilon = 1 - result.draws.alpha
    return CountPosterior(outlier_counts(epsilon, total_weight), epsilon)


def floor_counts(result, values, tally, prior, random):
    """The :class:`CountPosterior` of a fit whose scale leans on its floor.

    The floor holds the scale wider than the rows ask for, so that what cannot be an inlier there
    is surely none. Where S / C leaves room for no others, K is the number of such rows and of the
    stragglers among those next to them; else it has the draws of the paper's conditional of alpha
    that are not less. A spike with too many rows off it describes no table: that conditional
    remains.
    """
    found = holder_counts(result, tally.total)
    if tally.certain > LIMITS["spike"] * tally.total:
        return found
    most = int(_most_rows(tally.total, prior))
    certain = min(int(np.rint(tally.certain)), most)
    enough = found.counts[found.counts >= certain]
    if tally.total * (1 - values.rho) < certain + 0.5 or len(enough) == 0:
        counts = certain + _stragglers(tally, len(found.counts), random)
    else:
        drawn = random.choice(enough, len(found.counts))
        counts = np.where(found.counts < certain, drawn, found.counts)
    counts = np.minimum(counts, most)
    epsilon = _share_given_count(counts, tally.total, prior, random)
    return CountPosterior(counts, epsilon, certain=tally.certain)


def calibrated_counts(model, values, tally, beyond, theta, prior, random):
    """The :class:`CountPosterior` of a fit.

    Parameters
    ----------
    model : WorkingModel
        Knows what K-hat is too large by.
    values : InfluenceValues
        At the risk minimiser.
    tally : RowTally
        Of the same rows.
    beyond : InfluenceFunction or None
        At twice the power.
    theta : ndarray of shape (S, d)
        Posterior draws: K is correlated with them as rho is.
    prior : AlphaPrior
    random : numpy.random.RandomState
    """
    total = tally.total
    estimate, sd = count_estimate(model, values, tally, beyond)
    grid = _count_grid(estimate, sd, tally, prior)
    clean, law = _mixture(estimate, sd, grid, tally, prior)
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
        certain=tally.certain,
    )


def _count_grid(estimate, sd, tally, prior):
    """The numbers of rows that K may be: from the certain ones to the limit.

    Of millions, those that are worth looking at; of more, every so many.
    """
    upper = _most_rows(tally.total, prior)
    lowest = min(tally.certain, upper)
    if upper - lowest > _LARGEST_GRID:
        reach = _GRID_REACH * sd + 1000
        upper = min(upper, max(estimate, lowest) + reach)
        lowest = max(lowest, lowest + np.floor(min(estimate, upper) - reach - lowest))
    step = max(1.0, np.ceil((upper - lowest) / _LARGEST_GRID))
    return lowest + step * np.arange(int((upper - lowest) / step) + 1)


def _most_rows(total, prior):
    """The largest K that the prior allows; 10 of 100 rows are a tenth, rounding or not."""
    return np.floor(total * (1 - prior.lower) + 1e-9 * total)


def _mixture(estimate, sd, grid, tally, prior):
    """Posterior probability of a clean table, and the law of K on the grid if it is not."""
    log_fit = -0.5 * ((grid - estimate) / sd) ** 2
    log_any = _log_count_prior(grid, tally.total, prior) + log_fit
    log_gross = np.full(len(grid), -np.inf)
    band, extreme = _tail_evidence(tally)
    odds = np.array([1 - _CLEAN_ODDS, 0.0])
    if tally.certain > 0:
        odds[:] = (1 - _CLEAN_ODDS) / 2
    # Where the grid starts later, K-hat is too far above the certain rows for stragglers.
    if 0 < grid[0] <= tally.certain:
        log_gross = _log_straggler_prior(tally.near, len(grid)) + log_fit + band
    # The band and the most extreme row overlap: the stronger speaks for both.
    log_clean = -0.5 * (estimate / sd) ** 2 + min(band, extreme)
    with np.errstate(divide="ignore"):
        log_parts = np.logaddexp(np.log(odds[0]) + log_any, np.log(odds[1]) + log_gross)
    log_not_clean = logsumexp(log_parts)
    log_clean += np.log(_CLEAN_ODDS)
    return expit(log_clean - log_not_clean), np.exp(log_parts - log_not_clean)


def _stragglers(tally, size, random):
    """Draws of how many of the rows next to gross ones belong to these."""
    if tally.certain == 0:
        return np.zeros(size, dtype=int)
    law = np.exp(_log_straggler_prior(tally.near, int(np.rint(tally.near)) + 1))
    return random.choice(len(law), size, p=law)


def _log_straggler_prior(near, size):
    """Log prior of x = 0, 1, ... stragglers among ``near`` rows next to the gross ones, (size,).

    The near rows that are no stragglers are there by chance, a Poisson number of them.
    """
    x = np.arange(size)
    by_chance = np.rint(near) - x
    rate = NEAR - CERTAIN
    with np.errstate(invalid="ignore"):
        log_law = x * np.log(_STRAGGLER) + by_chance * np.log(rate) - gammaln(by_chance + 1)
    log_law = np.where(by_chance >= 0, log_law, -np.inf)
    return log_law - np.log(np.sum(np.exp(log_law - log_law.max()))) - log_law.max()


def _log_count_prior(grid, total, prior):
    """Log of the Beta-binomial law of K on the grid, normalised there; flat for Beta(1, 1)."""
    a, b = prior.a, prior.b
    log_law = betaln(grid + b, total - grid + a) + gammaln(total + 1)
    log_law -= gammaln(grid + 1) + gammaln(total - grid + 1)
    if len(grid) < total * (1 - prior.lower) - grid[0]:
        # Part of a long grid: the mass of the whole is that of the Beta law of the share.
        step = grid[1] - grid[0] if len(grid) > 1 else 1.0
        return log_law - betaln(a, b) - np.log(betainc(b, a, 1 - prior.lower)) + np.log(step)
    top = log_law.max()
    return log_law - top - np.log(np.sum(np.exp(log_law - top)))


def _tail_evidence(tally):
    """Log Bayes factors (at most 0) for "no outliers" from the band, and the most extreme row."""
    n_band = tally.band
    rate = BAND - CERTAIN
    # Under the alternative the band has more rows, exponentially many with its own mean.
    extra = np.linspace(0, 40 + 2 * n_band, 4000)
    log_joint = n_band * np.log(rate + extra) - (rate + extra) - extra / rate - np.log(rate)
    # Likelihood and law have their mass far apart in a full band: neither alone sets the scale.
    top = log_joint.max()
    alternative = top + np.log(trapezoid(np.exp(log_joint - top), extra))
    band = min(0.0, n_band * np.log(rate) - rate - alternative)
    log_p = np.log(max(-np.expm1(-tally.least), 1e-300))
    # Sellke, Bayarri and Berger's bound: a p value is worth at most -e p log p.
    extreme = min(0.0, 1 + log_p + np.log(-log_p)) if log_p < -1 else 0.0
    return band, extreme


def _regression(values):
    """Coefficients (d,) of rho on theta in sampling: Cov(rho, theta) Cov(theta)^-1."""
    # In standard deviations: coefficients of columns with huge numbers are next to nothing.
    sd = np.sqrt(np.diag(values.covariance))
    unit = np.where(sd > 0, sd, 1.0)
    correlation = values.covariance / np.outer(unit, unit)
    return np.linalg.lstsq(correlation, values.cross / unit, rcond=1e-10)[0] / unit


def _coupled_uniforms(pull, sd, random):
    """Uniforms (S,) whose order follows K's part explained by theta as far as it is explained."""
    rest = np.sqrt(max(sd**2 - np.var(pull), 0.0))
    order = pull + rest * random.standard_normal(len(pull))
    return (rankdata(order, method="ordinal") - 0.5) / len(pull)


def _share_given_count(counts, total, prior, random):
    """Draws of epsilon given K: Beta(b + K, a + n - K) below 1 - lower."""
    a, b = prior.b + counts, prior.a + total - counts
    share = random.beta(a, b)
    beyond = share > 1 - prior.lower
    if np.any(beyond):
        a, b = a[beyond], b[beyond]
        reach = betainc(a, b, 1 - prior.lower)
        share[beyond] = betaincinv(a, b, random.uniform(size=len(a)) * reach)
    return share
