"""Independent affine-invariant ensembles over emcee, with a proposal fitted in a pilot run.

Target-agnostic: a target is a function of a batch (T, d) that returns an array (T, 1 + b) of log
densities and b numbers to keep with each draw.
"""

from __future__ import annotations

from dataclasses import dataclass

import emcee
import numpy as np
from emcee.moves import StretchMove
from emcee.state import State
from joblib import Parallel, delayed
from scipy.special import logsumexp

from .moves import CrankNicolsonMove, IndependenceMove
from .proposals import MixtureProposal

__all__ = ["Samples", "default_walkers", "fit_proposal", "sample"]

# Below this acceptance an independence step alone mixes slowly and Crank-Nicolson steps join it.
_GOOD_ACCEPTANCE = 0.25
# From this acceptance on, walkers start at resampled pilot draws and hardly need to warm up.
_SURE_ACCEPTANCE = 0.7
_STRETCH_SHARE = 0.05


@dataclass(frozen=True)
class Samples:
    """Draws of all ensembles.

    Attributes
    ----------
    theta : ndarray of shape (n_ensembles, n_walkers, n_steps, d)
    kept : ndarray of shape (n_ensembles, n_walkers, n_steps, b)
    log_prob : ndarray of shape (n_ensembles, n_walkers, n_steps)
    acceptance : float
        Share of accepted proposals after warm-up.
    n_evaluations : int
        Density evaluations of the ensembles, warm-up included.
    """

    theta: np.ndarray
    kept: np.ndarray
    log_prob: np.ndarray
    acceptance: float
    n_evaluations: int


@dataclass(frozen=True)
class FittedProposal:
    """A proposal after its pilot run.

    Attributes
    ----------
    proposal : MixtureProposal
    acceptance : float
        What an independence step can expect.
    theta : ndarray of shape (n_pilot, d)
        The last pilot draws, which start the walkers; ``values`` is the target there.
    values : ndarray of shape (n_pilot, 1 + b)
    share : ndarray of shape (n_pilot,)
        Their normalised importance weights.
    n_evaluations : int
    """

    proposal: MixtureProposal
    acceptance: float
    theta: np.ndarray
    values: np.ndarray
    share: np.ndarray
    n_evaluations: int

    @property
    def knows_the_target(self):
        """Whether weighted pilot draws are as good as draws of the target."""
        return self.acceptance >= _SURE_ACCEPTANCE

    def starts(self, part, n_parts, size):
        """Places for ``size`` walkers, from one of ``n_parts`` of the pilot.

        A pilot that knows the target is resampled by weight; the draws of any other are taken as
        they are, for walkers that coincide span no space to stretch in.
        """
        weight = self.share if self.knows_the_target else np.isfinite(self.values[:, 0])
        own = np.arange(part, len(self.theta), n_parts)
        if not np.any(weight[own] > 0):
            own = np.arange(len(self.theta))
        reached = np.cumsum(weight[own])
        spots = np.searchsorted(reached, (np.arange(size) + 0.5) / size * reached[-1])
        chosen = own[np.minimum(spots, len(own) - 1)]
        return self.theta[chosen], self.values[chosen]


def default_walkers(n_dim, n_per_ensemble, many=True):
    """Walkers of an ensemble: never fewer than the stretch move asks for.

    ``many``: a tenth of the draws, for few large batches. A sampler that needs its steps to reach
    the tails gets 40 walkers and more steps.
    """
    wanted = int(np.clip(n_per_ensemble // 10, 40, 400)) if many else 40
    return max(2 * n_dim + 2, min(wanted, n_per_ensemble))


def fit_proposal(target, proposal, n_pilot, random, n_rounds=5, floor=0.02):
    """Population Monte Carlo: draw from the mixture, weigh, adapt; again while it fits poorly.

    Returns
    -------
    FittedProposal
    """
    n_evaluations = 0
    for turn in range(n_rounds):
        # A poor fit earns larger pilots.
        theta = proposal.sample(n_pilot * 2**turn, random)
        n_evaluations += len(theta)
        values = target(theta)
        inside = np.isfinite(values[:, 0])
        log_weight = np.full(len(theta), -np.inf)
        log_weight[inside] = values[inside, 0] - proposal.log_prob(theta[inside])
        if not np.any(inside):
            raise ValueError("The target density is zero wherever the proposal reaches.")
        share = np.exp(log_weight - logsumexp(log_weight))
        acceptance = _expected_acceptance(share)
        better = proposal.reweighted(theta, share, floor)
        if acceptance >= 2 * _GOOD_ACCEPTANCE or turn == n_rounds - 1:
            break
        proposal = better.refitted(theta, share)
    return FittedProposal(better, acceptance, theta, values, share, n_evaluations)


def _expected_acceptance(share):
    """E min(1, w' / w) with w from the target and w' from the proposal.

    With the weights sorted, sum over pairs of w_i min(1, w_j / w_i) = sum min(w_i, w_j).
    """
    ordered = np.sort(share)
    n = len(ordered)
    return float(np.sum(ordered * (2 * (n - np.arange(n)) - 1)) / n)


def sample(target, fitted, *, n_per_ensemble, n_walkers, seeds, n_jobs=None, progress=None):
    """Run one independent ensemble for each seed.

    Parameters
    ----------
    target : callable
    fitted : FittedProposal
    n_per_ensemble : int
        Draws wanted of each ensemble; at least that many are returned.
    n_walkers : int or None
        None chooses by how well the pilot knows the target.
    seeds : sequence of int
    n_jobs : int or None
        Threads over ensembles. The result does not depend on it.
    progress : callable or None
        Called with the number of steps just made and the total.

    Returns
    -------
    Samples
    """
    if n_walkers is None:
        n_dim = fitted.theta.shape[1]
        n_walkers = default_walkers(n_dim, n_per_ensemble, fitted.knows_the_target)
    n_steps = -(-n_per_ensemble // n_walkers)
    good = fitted.acceptance >= _GOOD_ACCEPTANCE
    n_warm = max(1 if fitted.knows_the_target else 3, n_steps // 10) if good else max(60, n_steps)
    # Where proposals are often refused, walkers make more steps between two draws that are kept.
    thin = int(np.clip(np.ceil(0.5 / max(fitted.acceptance, 1e-9)) ** 2, 1, 9))
    total = len(seeds) * (n_warm + n_steps)

    def tick():
        if progress is not None:
            progress(1, total)

    runs = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_run_ensemble)(
            target,
            fitted.proposal,
            good,
            fitted.starts(k, len(seeds), n_walkers),
            n_warm,
            n_steps,
            thin,
            seed,
            tick,
        )
        for k, seed in enumerate(seeds)
    )
    theta, kept, log_prob, acceptance = (np.stack(part) for part in zip(*runs, strict=True))
    return Samples(
        theta=theta,
        kept=kept,
        log_prob=log_prob,
        acceptance=float(np.mean(acceptance)),
        n_evaluations=len(seeds) * n_walkers * (n_warm + thin * n_steps),
    )


def _run_ensemble(target, proposal, good, start, n_warm, n_steps, thin, seed, tick):
    """One ensemble in coordinates whitened by the best component."""
    random = np.random.RandomState(seed)
    centre, factor = proposal.best.mean, proposal.best.factor
    whitened = _Whitened(proposal, centre, factor)
    theta, values = start
    n_walkers = len(theta)

    def log_prob(coords):
        return target(centre + coords @ factor.T)

    sampler = emcee.EnsembleSampler(
        n_walkers, len(centre), log_prob, moves=_moves(whitened, good, n_walkers), vectorize=True
    )
    state = State(
        whitened.coords(theta),
        log_prob=values[:, 0],
        blobs=np.squeeze(values[:, 1:], axis=1) if values.shape[1] == 2 else values[:, 1:],
        random_state=random.get_state(),
    )
    warm_up = sampler.sample(
        state, iterations=n_warm, tune=True, skip_initial_state_check=True, store=False
    )
    for warmed in warm_up:
        state = warmed
        tick()
    for _ in sampler.sample(state, iterations=n_steps, thin_by=thin, skip_initial_state_check=True):
        tick()
    chain = sampler.get_chain().swapaxes(0, 1)
    blobs = sampler.get_blobs().reshape(n_steps, n_walkers, -1).swapaxes(0, 1)
    return (
        centre + chain @ factor.T,
        blobs,
        sampler.get_log_prob().T,
        np.mean(sampler.acceptance_fraction),
    )


def _moves(proposal, good, n_walkers):
    independence = IndependenceMove(proposal)
    stretch = StretchMove(live_dangerously=n_walkers < 2 * proposal.n_dim)
    if good:
        return [(independence, 1 - _STRETCH_SHARE), (stretch, _STRETCH_SHARE)]
    local = CrankNicolsonMove(proposal.unit_component())
    return [(independence, 0.25), (local, 0.5), (stretch, 0.25)]


class _Whitened:
    """A proposal seen in the coordinates z of theta = centre + factor z."""

    def __init__(self, proposal, centre, factor):
        self.proposal, self.centre, self.factor = proposal, centre, factor
        self.n_dim = len(centre)

    def log_prob(self, coords):
        return self.proposal.log_prob(self.centre + coords @ self.factor.T)

    def sample(self, size, random):
        return self.coords(self.proposal.sample(size, random))

    def coords(self, theta):
        return np.linalg.solve(self.factor, (theta - self.centre).T).T

    def unit_component(self):
        best = self.proposal.best
        return type(best)(np.zeros(self.n_dim), np.eye(self.n_dim), best.df)
