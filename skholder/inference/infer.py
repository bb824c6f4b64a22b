"""From a model and its rows to posterior draws: modes, temperature, sampling, diagnostics."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from .. import sampling
from ..models import WorkingModel
from ..posterior import (
    HolderPosterior,
    ProfileRisk,
    by_draws,
    by_evidence,
    calibrated,
    evidence_share,
    find_modes,
    mode_share,
    ripples,
    risk_minimisers,
)
from ..rows import RowBlocks, StreamedRows
from ..sampling.progress import ProgressBar
from .health import MAX_SHARE, MIN_MODE_SHARE, at_ceiling, at_floor_shares
from .records import Diagnostics, Draws, Inference, Settings

__all__ = ["infer"]

_MAX_MODES = 6
_DEFENSIVE_SHARE = 0.05
# Below these log odds more than a twentieth of the posterior says that every row is noise.
_LEAST_LOG_ODDS, _PRIOR_DRAWS = 3.0, 400
# Draws this many nats above the best mode are on their way into a spike.
_OVERLOOKED = 10.0
# Rows with a smaller tail probability lie off a spike; it describes no table if more than a fifth
# do, as the audit says too. So many rows are looked at.
_OFF, _MOST_OFF, _OFF_ROWS = 1e-3, 0.2 + 1e-9, 2000
# At the calibrated temperature a fit of n rows gains n / gamma nats at the most; so many times as
# much is absurd.
_ABSURD = 10.0
# Where more draws than this are vacuous they lie where the prior puts them.
_MOSTLY = 0.5
# A draw that gains so many nats over pure noise is no noise, however much more the best mode gains.
_MUCH = 10.0
# Three standard errors of a share at its limit, among some hundred draws.
_CLOSE_SHARE = 0.03
# A step halved this often ends at the mode.
_HALVINGS = 60


@dataclass(frozen=True)
class _Run:
    """Draws and how they were made.

    Attributes
    ----------
    theta, log_mean, alpha : as in :class:`~skholder.inference.Draws`
    figures : dict
        Fields of :class:`~skholder.inference.Diagnostics`.
    peak : ndarray of shape (d,) or None
        The most likely draw; None where the draws are not the posterior's own.
    peak_log_prob : float
    """

    theta: np.ndarray
    log_mean: np.ndarray
    alpha: np.ndarray | None
    figures: dict
    peak: np.ndarray | None = None
    peak_log_prob: float = -np.inf


def infer(
    model: WorkingModel,
    rows: RowBlocks,
    settings: Settings,
    random: np.random.RandomState,
    starts: NDArray[np.float64] | None = None,
) -> Inference | None:
    """Run the whole inference for a working model on its rows.

    Parameters
    ----------
    model : WorkingModel
    rows : RowBlocks
    settings : Settings
    random : numpy.random.RandomState
    starts : ndarray of shape (M, d) or None
        Where to look for modes; None asks the model for robust starting values.

    Returns
    -------
    Inference or None
        None where ``settings.refuse_vacuous`` and the posterior would be vacuous.
    """
    clock = _Clock()
    lower = settings.alpha_prior.lower
    args = (settings.divergence, settings.gamma, lower, random)
    found = risk_minimisers(model, rows, *args, starts)
    posterior, modes = _posterior_modes(found, rows, settings)
    clock.lap("modes")
    if settings.refuse_vacuous and _log_odds(posterior, modes) < _LEAST_LOG_ODDS:
        return None
    run, modes, posterior = _drawn(posterior, modes, settings, random)
    highest = max(modes, key=lambda mode: mode.log_prob)
    most = np.inf
    if settings.temperature is None and settings.gamma > 0:
        steep = _steepness(settings.divergence, settings.gamma)
        most = _ABSURD * steep * rows.total_weight / settings.gamma
    vacuous = _vacuous_share(posterior, highest, run.theta, run.log_mean, most)
    modes, held = _ordered(posterior, modes, run, settings, vacuous)
    clock.lap("sampling")
    diagnostics = Diagnostics(
        **run.figures,
        vacuous_share=vacuous,
        floor_share=at_floor_shares(posterior.model, run.theta),
        ceiling_share=0.0 if run.alpha is None else at_ceiling(1 - run.alpha, 1 - lower),
        seconds=clock.laps,
    )
    draws = Draws(
        posterior.model,
        posterior.divergence,
        posterior.gamma,
        posterior.beta_n,
        run.theta,
        run.log_mean,
        run.alpha,
    )
    high = ripples([modes[0], highest], _heights(posterior))[1]
    undivided = held >= MIN_MODE_SHARE and bool(high)
    return Inference(draws, modes, posterior.temperature, diagnostics, held, undivided)


def _drawn(posterior, modes, settings, random):
    """Draws, the modes, and the posterior that both are of.

    For Laplace draws the mode is first that they are of. Climbs are held back from spikes, but
    draws may slide into one, and end wherever their steps do. One that describes the rows becomes a
    mode; from any other the scales are held back, as it takes draws in or not by the seed.
    """
    if settings.inference == "laplace":
        modes = by_evidence(modes)
        return _laplace_draws(posterior, modes[0], settings, random), modes, posterior
    run = _mcmc_draws(posterior, modes, settings, random)
    spikes = _overlooked(posterior, modes, run)
    if spikes:
        described = [spike for spike in spikes if _share_off(posterior, spike) <= _MOST_OFF]
        if described:
            modes = [*described, *modes]
        else:
            posterior = posterior.held(np.min([mode.theta for mode in modes], axis=0))
        run = _mcmc_draws(posterior, modes, settings, random)
    return run, modes, posterior


def _ordered(posterior, modes, run, settings, vacuous):
    """The modes with the one first that holds the posterior, and its share of it."""
    heights = _heights(posterior)
    if settings.inference == "laplace":
        return modes, evidence_share(modes, heights)
    if vacuous > _MOSTLY:
        # Draws that say nothing of the rows choose no mode.
        return modes, mode_share(modes, run.theta, heights)
    return by_draws(modes, run.theta, heights)


def _heights(posterior):
    """The log posterior (T, d) -> (T,)."""
    return lambda theta: posterior.log_prob(theta)[:, 0]


class _Clock:
    """Seconds by stage."""

    def __init__(self):
        self.laps, self._last = {}, time.perf_counter()

    def lap(self, name):
        now = time.perf_counter()
        self.laps[name], self._last = now - self._last, now


def _posterior_modes(found, rows, settings):
    """The posterior at its temperature, and its modes."""
    args = (found.model, rows, settings.divergence, settings.gamma)
    risk = ProfileRisk(*args, settings.alpha_prior.lower, 1.0)
    beta = settings.temperature
    posterior = HolderPosterior(
        *args, calibrated(risk, found.theta[0]) if beta is None else beta, settings.alpha_prior
    )
    modes = find_modes(posterior, found.theta[:_MAX_MODES])
    if not modes:
        # Minimisers so degenerate that the prior rules them out: the robust starts are not.
        starts = found.model.starts(rows.rows, rows.weight, np.random.RandomState(0))
        modes = find_modes(posterior, starts)
    if not modes:
        raise ValueError(
            "The posterior density is finite nowhere near its starting values: numbers are too far "
            "apart in size to compute with, or the density has no bound."
        )
    for _ in range(3):
        # A fit that leans on the floor is no minimiser of the risk: settle its scale and beta.
        if beta is not None or not modes[0].at_floor:
            break
        posterior = HolderPosterior(*args, calibrated(risk, modes[0].theta), settings.alpha_prior)
        modes = find_modes(posterior, [mode.theta for mode in modes[:2]]) or modes
    return posterior, modes


def _overlooked(posterior, modes, run):
    """The spike that took draws in, as a list of modes."""
    enough = modes[0].log_prob + _OVERLOOKED
    if run.peak_log_prob < enough or posterior.log_prob(run.peak[None])[0, 0] < enough:
        return []
    return [m for m in find_modes(posterior, [run.peak], guarded=False) if m.at_floor]


def _share_off(posterior, spike):
    """Share of the rows that lie off a spike."""
    some = posterior.rows.subsample(_OFF_ROWS)
    off = posterior.model.tail(spike.theta[None], some.rows)[:, 0] < _OFF
    return float(np.average(off, weights=some.weight))


def _mcmc_draws(posterior, modes, settings, random):
    seeds = random.randint(2**31 - 1, size=settings.n_ensembles + 2)
    per_ensemble = settings.n_draws // settings.n_ensembles
    d = posterior.model.n_params
    most_walkers = settings.n_walkers or sampling.default_walkers(d, per_ensemble)
    posterior = posterior.near(modes[0].theta)
    fitted = sampling.fit_proposal(
        posterior.log_prob,
        _proposal(posterior, modes),
        n_pilot=max(settings.n_ensembles * most_walkers, 2 * d + 50),
        random=np.random.RandomState(seeds[0]),
        curve=posterior.curve,
    )
    posterior = posterior.tabulated(fitted.theta, fitted.values)
    posterior = posterior.expanded(fitted, settings.n_draws)
    fitted = fitted.defended(posterior.model.defence, posterior.prior)
    samples = sampling.sample(
        posterior.log_prob,
        fitted,
        n_per_ensemble=per_ensemble,
        n_walkers=settings.n_walkers,
        seeds=seeds[2:],
        n_jobs=settings.n_jobs,
        progress=ProgressBar("sampling") if settings.verbose else None,
        together=isinstance(posterior.rows, StreamedRows),
    )
    theta, log_mean = samples.theta, samples.kept[..., 0]
    alpha = None
    if posterior.alpha is not None:
        flat = theta.reshape(-1, d)
        alpha = posterior.draw_alpha(flat, log_mean.ravel(), np.random.RandomState(seeds[1]))
        alpha = alpha.reshape(log_mean.shape)
    figures = _convergence(posterior.model.parameter_names, theta, alpha)
    figures["acceptance"] = samples.acceptance
    figures["n_evaluations"] = samples.n_evaluations + fitted.n_evaluations

    def last(draws):
        flat = draws.reshape(settings.n_ensembles, -1, *draws.shape[3:])
        return flat[:, flat.shape[1] - per_ensemble :].reshape(-1, *draws.shape[3:])

    spot = np.argmax(samples.log_prob)
    return _Run(
        last(theta),
        last(log_mean),
        None if alpha is None else last(alpha),
        figures,
        theta.reshape(-1, d)[spot],
        float(samples.log_prob.flat[spot]),
    )


def _proposal(posterior, modes):
    """t's at the modes weighted by Laplace evidence, and the prior as the defensive component."""
    evidence = np.array([mode.log_evidence for mode in modes])
    modes = [mode for mode, e in zip(modes, evidence, strict=True) if e >= evidence.max() - 25]
    evidence = np.array([mode.log_evidence for mode in modes])
    weight = np.exp(evidence - evidence.max())
    weight = np.maximum(weight / weight.sum(), _DEFENSIVE_SHARE)
    weight *= (1 - _DEFENSIVE_SHARE) / weight.sum()
    d = posterior.model.n_params
    # Few degrees of freedom guard the tails; in many dimensions they would empty the centre.
    bumps = [
        sampling.StudentComponent.from_covariance(
            mode.theta, mode.covariance, 20.0 + d, mode.bound if mode.at_floor else None
        )
        for mode in modes
    ]
    mixture = sampling.MixtureProposal(
        (*bumps, posterior.model.defence), np.append(weight, _DEFENSIVE_SHARE)
    )
    # Wider copies cover the tails between the modes and the prior.
    return mixture.widened()


def _laplace_draws(posterior, mode, settings, random):
    """Draws of the normal at a mode; L by its second-order expansion, so no row is read."""
    factor = np.linalg.cholesky(mode.covariance)
    step = random.standard_normal((settings.n_draws, len(mode.theta))) @ factor.T
    theta = _within_support(posterior.model.prior, mode.theta, step)
    step = theta - mode.theta
    terms = posterior.rows.log_mean_terms(posterior.model, mode.theta, posterior.gamma)
    log_mean = terms.value + step @ terms.gradient
    log_mean += 0.5 * np.einsum("si,ij,sj->s", step, terms.hessian, step)
    alpha = None
    if posterior.alpha is not None:
        alpha = posterior.draw_alpha(theta, log_mean, random)
    return _Run(theta, log_mean, alpha, {})


def _within_support(prior, mode, step):
    """mode + step (S, d) above the floor, steps halved until the prior allows where they end."""
    theta = np.maximum(mode + step, prior.lower)
    for _ in range(_HALVINGS):
        outside = np.isneginf(prior.log_prob(theta))
        if not np.any(outside):
            break
        theta[outside] = (mode + theta[outside]) / 2
    return theta


def _convergence(names, theta, alpha):
    """R-hat and effective sizes by parameter, without those whose draws are all equal."""
    draws = theta
    if alpha is not None:
        names, draws = (*names, "epsilon"), np.concatenate([theta, 1 - alpha[..., None]], axis=-1)
    moving = np.ptp(draws, axis=(0, 1, 2)) > 0
    names, draws = np.array(names, dtype=object)[moving], draws[..., moving]
    return {
        figure: dict(zip(names, values.tolist(), strict=True))
        for figure, values in sampling.convergence(draws).items()
    }


def _log_odds(posterior, modes):
    """Log of the mass around the modes (Laplace) over that of "every row is noise"."""
    theta = posterior.model.prior.sample(_PRIOR_DRAWS, np.random.RandomState(0))
    nothing = logsumexp(posterior.vacuum(theta)) - np.log(len(theta))
    return logsumexp([mode.log_evidence for mode in modes]) - nothing


def _steepness(divergence, gamma):
    """How much steeper phi is at an unlikely theta than at a likely one; 1 for density power."""
    unlikely, likely = np.abs(divergence.dphi(np.array([1e-3, 1.0]), gamma))
    return max(1.0, float(unlikely) / max(float(likely), 1e-300))


def _vacuous_share(posterior, mode, theta, log_mean, most):
    """Share of draws that gain next to nothing over pure noise.

    Next to nothing is less than half of what the best mode gains, but for a second mode of many
    nats, which is an answer. A mode that gains more than ``most`` is a spike on a row or two: it
    tells nothing of the others.
    """
    if posterior.gamma == 0:
        return 0.0
    at_mode = mode.theta[None]
    best = posterior.log_likelihood(at_mode, posterior.log_mean(at_mode))
    gain = best - posterior.vacuum(at_mode)
    if not 1.0 <= gain[0] <= most:
        # The highest mode says no more than the prior, or more than all rows could.
        return 1.0
    least = min(0.5 * gain[0], _MUCH + theta.shape[1] / 2)

    def share(thin):
        some = theta[::thin]
        gains = posterior.log_likelihood(some, log_mean[::thin]) - posterior.vacuum(some)
        return float(np.mean(gains < least))

    # Some hundred draws know the share well enough, but for what is close to the limit.
    thin = max(1, len(theta) // 400)
    seen = share(thin)
    return share(1) if thin > 1 and abs(seen - MAX_SHARE) < _CLOSE_SHARE else seen
