"""From a model and its rows to posterior draws: modes, temperature, sampling, diagnostics."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field

import numpy as np

from .. import sampling
from ..exceptions import ConvergenceWarning, ScaleFloorWarning, VacuousPosteriorWarning
from ..posterior.collapsed import HolderPosterior, ProfileRisk
from ..posterior.modes import Mode, at_floor, distinct, find_modes, maximise, spike_guard
from ..posterior.temperature import calibrated
from ..sampling.progress import ProgressBar

__all__ = ["Diagnostics", "Draws", "Inference", "Settings", "infer"]

# Rows used to tell good starting values from bad ones; every mode is then refined on all rows.
_SEARCH_ROWS = 2000
_MAX_REFINED = 3
_MAX_MODES = 6
_DEFENSIVE_SHARE = 0.05


@dataclass(frozen=True)
class Settings:
    """What the user asked of the inference."""

    divergence: object
    gamma: float
    temperature: float | None
    alpha_prior: object
    inference: str = "mcmc"
    n_draws: int = 4000
    n_walkers: int | None = None
    n_ensembles: int = 4
    n_jobs: int | None = None
    verbose: int = 0


@dataclass(frozen=True)
class Diagnostics:
    """How well the posterior was sampled.

    Attributes
    ----------
    r_hat, ess_bulk, ess_tail : dict of str to float
        By parameter; empty for ``inference="laplace"``.
    acceptance : float
    n_evaluations : int
        Density evaluations (one evaluation is one pass over the rows for one theta).
    vacuous_share : float
        Share of draws that explain hardly more than "every row is noise".
    seconds : dict of str to float
        By stage.
    """

    r_hat: dict = field(default_factory=dict)
    ess_bulk: dict = field(default_factory=dict)
    ess_tail: dict = field(default_factory=dict)
    acceptance: float = 1.0
    n_evaluations: int = 0
    vacuous_share: float = 0.0
    seconds: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Draws:
    """Posterior draws on the computing scale, with what it takes to use them on new rows.

    Attributes
    ----------
    model : WorkingModel
    divergence : Divergence
    gamma : float
    weight : float
        beta times n.
    theta : ndarray of shape (S, d)
    power_mean : ndarray of shape (S,)
        L(theta) of each draw.
    alpha : ndarray of shape (S,) or None
    """

    model: object
    divergence: object
    gamma: float
    weight: float
    theta: np.ndarray
    power_mean: np.ndarray
    alpha: np.ndarray | None


@dataclass(frozen=True)
class Inference:
    """The result of :func:`infer`."""

    draws: Draws
    modes: list[Mode]
    temperature: float
    diagnostics: Diagnostics


def infer(model, rows, settings, random):
    """Run the whole inference for a working model on its rows.

    Parameters
    ----------
    model : WorkingModel
    rows : RowBlocks
    settings : Settings
    random : numpy.random.RandomState

    Returns
    -------
    Inference
    """
    clock = _Clock()
    starts = _risk_minimisers(model, rows, settings, random)
    posterior, modes = _posterior_modes(model, rows, settings, starts)
    clock.lap("modes")
    run = _laplace_draws if settings.inference == "laplace" else _mcmc_draws
    theta, mean, alpha, report = run(posterior, modes, settings, random)
    vacuous = _vacuous_share(posterior, modes[0], theta, mean)
    clock.lap("sampling")
    _warn_floor(model, theta)
    _warn_vacuous(vacuous)
    diagnostics = Diagnostics(**report, vacuous_share=vacuous, seconds=clock.laps)
    draws = Draws(
        model, posterior.divergence, posterior.gamma, posterior.weight, theta, mean, alpha
    )
    return Inference(draws, modes, posterior.temperature, diagnostics)


class _Clock:
    """Seconds by stage."""

    def __init__(self):
        self.laps, self._last = {}, time.perf_counter()

    def lap(self, name):
        now = time.perf_counter()
        self.laps[name], self._last = now - self._last, now


def _risk_minimisers(model, rows, settings, random):
    """Distinct local minimisers of the risk, best first, shape (M, d)."""
    few = rows.subsample(_SEARCH_ROWS)
    starts = model.starts(few.rows, few.weight, random)
    # On a part of the rows it is enough to tell the basins apart.
    points = _minimise_from(starts, model, few, settings, 1e-11 if few is rows else 1e-4)
    if len(points) == 0:
        # Spikes only, so the risk has no minimiser: hold the scales up and trust the starts.
        model.raise_floor(starts[0])
        starts = np.maximum(starts, model.prior.lower)
        risk = _profile(model, few, settings)
        return starts[np.argsort([-risk.height(start) for start in starts], kind="stable")]
    if few is rows:
        return points
    refined = _minimise_from(points[:_MAX_REFINED], model, rows, settings)
    return refined if len(refined) else points


def _posterior_modes(model, rows, settings, starts):
    """The posterior at its temperature, and its modes."""
    risk = _profile(model, rows, settings)
    beta = calibrated(risk, starts[0]) if settings.temperature is None else settings.temperature
    args = (model, rows, settings.divergence, settings.gamma)
    posterior = HolderPosterior(*args, beta, settings.alpha_prior)
    modes = find_modes(posterior, starts[:_MAX_MODES])
    for _ in range(3):
        # A fit that leans on the floor is no minimiser of the risk: settle its scale and beta.
        if settings.temperature is not None or not modes[0].at_floor:
            break
        posterior = HolderPosterior(*args, calibrated(risk, modes[0].theta), settings.alpha_prior)
        modes = find_modes(posterior, [mode.theta for mode in modes[:2]])
    return posterior, modes


def _profile(model, rows, settings, weight=1.0):
    lower = settings.alpha_prior.lower
    return ProfileRisk(model, rows, settings.divergence, settings.gamma, lower, weight)


def _minimise_from(points, model, rows, settings, tolerance=1e-11):
    """Distinct minimisers reached from points, best first, without those that are spikes."""
    unit = _profile(model, rows, settings)
    weight = rows.total_weight
    if unit.gamma > 0:
        heights = np.abs([unit.height(point) for point in points])
        weight /= unit.gamma * np.max(heights[np.isfinite(heights)], initial=1e-300)
    risk = _profile(model, rows, settings, weight)
    found, values = [], []
    for point in points:
        guard = spike_guard(point, model.prior.lower, model.spiky)
        theta, state = maximise(risk.curve, point, guard, tolerance=tolerance)
        if np.isfinite(state.value) and not np.any(at_floor(theta, guard) & model.spiky):
            found.append(theta)
            values.append(state.value)
    found = np.array(found).reshape(-1, model.n_params)
    return found[distinct(found, values, np.ones_like(found), tolerance=1e-3)]


def _mcmc_draws(posterior, modes, settings, random):
    seeds = random.randint(2**31 - 1, size=settings.n_ensembles + 2)
    per_ensemble = settings.n_draws // settings.n_ensembles
    d = posterior.model.n_params
    most_walkers = settings.n_walkers or sampling.default_walkers(d, per_ensemble)
    posterior.settle(modes[0].theta)
    fitted = sampling.fit_proposal(
        posterior.log_prob,
        _proposal(posterior, modes),
        n_pilot=max(settings.n_ensembles * most_walkers, 2 * d + 50),
        random=np.random.RandomState(seeds[0]),
        curve=posterior.curve,
    )
    samples = sampling.sample(
        posterior.log_prob,
        fitted,
        n_per_ensemble=per_ensemble,
        n_walkers=settings.n_walkers,
        seeds=seeds[2:],
        n_jobs=settings.n_jobs,
        progress=ProgressBar("sampling") if settings.verbose else None,
    )
    theta, mean = samples.theta, samples.kept[..., 0]
    alpha = None
    if posterior.alpha is not None:
        flat = theta.reshape(-1, d)
        alpha = posterior.draw_alpha(flat, mean.ravel(), np.random.RandomState(seeds[1]))
        alpha = alpha.reshape(mean.shape)
    report = _convergence(posterior.model.parameter_names, theta, alpha)
    report["acceptance"] = samples.acceptance
    report["n_evaluations"] = samples.n_evaluations + fitted.n_evaluations

    def last(draws):
        flat = draws.reshape(settings.n_ensembles, -1, *draws.shape[3:])
        return flat[:, flat.shape[1] - per_ensemble :].reshape(-1, *draws.shape[3:])

    return last(theta), last(mean), None if alpha is None else last(alpha), report


def _proposal(posterior, modes):
    """t's at the modes weighted by Laplace evidence, and the prior as the defensive component."""
    evidence = np.array([mode.log_evidence for mode in modes])
    modes = [mode for mode, e in zip(modes, evidence, strict=True) if e > evidence.max() - 25]
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


def _laplace_draws(posterior, modes, settings, random):
    """Draws of the normal at the best mode; L by its second-order expansion, so no row is read."""
    mode = modes[0]
    factor = np.linalg.cholesky(mode.covariance)
    step = random.standard_normal((settings.n_draws, len(mode.theta))) @ factor.T
    theta = np.maximum(mode.theta + step, posterior.model.prior.lower)
    step = theta - mode.theta
    terms = posterior.rows.power_mean_terms(posterior.model, mode.theta, posterior.gamma)
    mean = terms.value + step @ terms.gradient
    mean += 0.5 * np.einsum("si,ij,sj->s", step, terms.hessian, step)
    alpha = None
    if posterior.alpha is not None:
        alpha = posterior.draw_alpha(theta, mean, random)
    return theta, mean, alpha, {}


def _convergence(names, theta, alpha):
    """R-hat and effective sizes by parameter; a warning where they are poor."""
    draws = theta
    if alpha is not None:
        names, draws = (*names, "epsilon"), np.concatenate([theta, 1 - alpha[..., None]], axis=-1)
    figures = {
        "r_hat": sampling.r_hat,
        "ess_bulk": sampling.ess_bulk,
        "ess_tail": sampling.ess_tail,
    }
    report = {
        figure: dict(zip(names, compute(draws).tolist(), strict=True))
        for figure, compute in figures.items()
    }
    worst = max(report["r_hat"], key=lambda name: np.nan_to_num(report["r_hat"][name]))
    fewest = min(report["ess_bulk"], key=report["ess_bulk"].get)
    if report["r_hat"][worst] > 1.01:
        warnings.warn(
            f"The ensembles disagree: R-hat of {worst!r} is {report['r_hat'][worst]:.4f} (above "
            "1.01). Increase n_draws.",
            ConvergenceWarning,
            stacklevel=2,
        )
    elif report["ess_bulk"][fewest] < 400:
        warnings.warn(
            f"Only {report['ess_bulk'][fewest]:.0f} effective draws of {fewest!r} (fewer than "
            "400). Increase n_draws.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return report


def _vacuous_share(posterior, mode, theta, mean):
    """Share of draws that keep less than half of what the best mode gains over pure noise."""
    if posterior.gamma == 0:
        return 0.0
    at_mode = mode.theta[None]
    best = posterior.log_likelihood(at_mode, posterior.power_mean(at_mode))
    gain = best - posterior.vacuum(at_mode)
    if gain[0] < 1.0:
        # Not even the best mode says more than the prior.
        return 1.0
    # A thousand draws know the share well enough.
    thin = slice(None, None, max(1, len(theta) // 1000))
    score = posterior.log_likelihood(theta[thin], mean[thin]) - posterior.vacuum(theta[thin])
    return float(np.mean(score < 0.5 * gain))


def _warn_vacuous(share):
    if share > 0.05:
        warnings.warn(
            f"The posterior is partly vacuous: {share:.0%} of its draws explain hardly more than "
            "'every row is noise'. With this few rows, try a smaller gamma, a smaller prior scale "
            "(coef_prior_scale or location_prior_scale) or fewer columns.",
            VacuousPosteriorWarning,
            stacklevel=3,
        )


def _warn_floor(model, theta):
    lower = model.prior.lower
    # Within half as much again: a spike leans on the floor, more softly the fewer rows it has.
    near = np.mean(theta < lower + 0.4, axis=0) * model.spiky
    if np.any(near > 0.05):
        worst = int(np.argmax(near))
        warnings.warn(
            f"{near[worst]:.0%} of the draws of {model.parameter_names[worst]!r} lie at the floor "
            "that min_scale sets: many rows are tied or fitted exactly, and the density has no "
            "bound there. Check for tied values; raise min_scale to the resolution of the data.",
            ScaleFloorWarning,
            stacklevel=3,
        )
