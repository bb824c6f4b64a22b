"""Independent ensembles over emcee, with a proposal fitted in a pilot run.

Target-agnostic: a target is a function of a batch (T, d) that returns an array (T, 1 + b) of log
densities and b numbers to keep with each draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import emcee
import numpy as np
from emcee.moves import StretchMove
from emcee.state import State
from joblib import Parallel, delayed
from scipy.linalg.lapack import dtrtrs

from .moves import CrankNicolsonMove, IndependenceMove
from .proposals import MixtureProposal
from .together import run_together

__all__ = ["Samples", "default_walkers", "sample"]

# Below this acceptance of independence steps most steps are local.
_FAIR_ACCEPTANCE = 0.5
# Below this one walkers may start far from where they belong.
_POOR_ACCEPTANCE = 0.25
# Walkers of a sampler that needs its steps; a batch of fewer is slow to evaluate.
_FEW_WALKERS = 40
# Standard deviations of the best component from which on whitening minds its order.
_VERY_FAR = 1e6


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


def default_walkers(n_dim, n_per_ensemble, many=True):
    """Walkers of an ensemble.

    Parameters
    ----------
    n_dim : int
    n_per_ensemble : int
        Draws wanted of each ensemble.
    many : bool, default=True
        A tenth of the draws, for few large batches, and as many as the stretch move asks for in
        ``n_dim`` dimensions. False for a sampler that needs its steps: 40 at most.

    Returns
    -------
    int
    """
    for_stretching = 2 * n_dim + 2
    if many:
        wanted = int(np.clip(n_per_ensemble // 10, _FEW_WALKERS, 400))
        return max(for_stretching, min(wanted, n_per_ensemble))
    return max(min(for_stretching, _FEW_WALKERS), min(_FEW_WALKERS, n_per_ensemble))


@dataclass(frozen=True)
class _Plan:
    """How an ensemble runs.

    Attributes
    ----------
    n_walkers, n_warm, n_steps : int
        ``n_steps`` are kept, after ``n_warm`` steps that are not.
    thin : int
        Steps made for each one that is kept.
    independence, local, stretch : float
        Shares of the three moves.
    """

    n_walkers: int
    n_warm: int
    n_steps: int
    thin: int
    independence: float
    local: float
    stretch: float

    @property
    def n_evaluations(self):
        return self.n_walkers * (self.n_warm + self.thin * self.n_steps)


def _plan(fitted, n_per_ensemble, n_walkers):
    """More steps, and more of them local, the more often independence steps are refused."""
    sure, acceptance = fitted.knows_the_target, fitted.acceptance
    if n_walkers is None:
        n_walkers = default_walkers(fitted.theta.shape[1], n_per_ensemble, sure)
    n_steps = -(-n_per_ensemble // n_walkers)
    if sure:
        return _Plan(n_walkers, max(1, n_steps // 10), n_steps, 1, 0.95, 0.0, 0.05)
    # Refusals come in runs: their length grows faster than one over the acceptance.
    thin = int(np.clip(np.ceil((0.7 / max(acceptance, 1e-9)) ** 2), 2, 12))
    a_tenth = thin * n_steps // 10
    if acceptance >= _FAIR_ACCEPTANCE:
        return _Plan(n_walkers, max(5, a_tenth), n_steps, thin, 0.8, 0.15, 0.05)
    # Walkers of a poor pilot have a way to go: warm-up grows with the run, so that longer is not
    # worse.
    n_warm = max(10 * thin, 5 * a_tenth if acceptance < _POOR_ACCEPTANCE else a_tenth)
    return _Plan(n_walkers, n_warm, n_steps, thin, 0.15, 0.75, 0.1)


def sample(
    target,
    fitted,
    *,
    n_per_ensemble,
    n_walkers,
    seeds,
    n_jobs=None,
    progress=None,
    together=False,
):
    """Run one independent ensemble for each seed.

    Parameters
    ----------
    target : callable
        Batch (T, d) -> (T, 1 + b): log densities and b numbers to keep with each draw.
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
    together : bool, default=False
        Let the ensembles share their calls of the target, which is then called as seldom as can
        be; ``n_jobs`` is not used.

    Returns
    -------
    Samples
    """
    plan = _plan(fitted, n_per_ensemble, n_walkers)
    total = len(seeds) * (plan.n_warm + plan.n_steps)

    def tick():
        if progress is not None:
            progress(1, total)

    def run(k, target):
        start = fitted.starts(k, len(seeds), plan.n_walkers)
        random = np.random.RandomState(seeds[k])
        return _run_ensemble(target, fitted.proposal, plan, start, random, tick)

    if together:
        runs = run_together([partial(run, k) for k in range(len(seeds))], target)
    else:
        runs = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(run)(k, target) for k in range(len(seeds))
        )
    return Samples(
        theta=np.stack([run.theta for run in runs]),
        kept=np.stack([run.kept for run in runs]),
        log_prob=np.stack([run.log_prob for run in runs]),
        acceptance=float(np.mean([run.acceptance for run in runs])),
        n_evaluations=len(seeds) * plan.n_evaluations,
    )


@dataclass(frozen=True)
class _Run:
    """One ensemble's part of :class:`Samples`, without the first axis."""

    theta: np.ndarray
    kept: np.ndarray
    log_prob: np.ndarray
    acceptance: float


def _run_ensemble(target, proposal, plan, start, random, tick):
    """One ensemble in coordinates whitened by the best component."""
    theta, values = start
    whitened = _Whitened.near(theta, proposal)

    def log_prob(coords):
        return target(whitened.theta(coords))

    sampler = emcee.EnsembleSampler(
        plan.n_walkers, whitened.n_dim, log_prob, moves=_moves(whitened, plan), vectorize=True
    )
    # Not through emcee's wrapper, which prints all walkers where a call raises or is interrupted.
    sampler.log_prob_fn = log_prob
    state = State(
        whitened.coords(theta),
        log_prob=values[:, 0],
        blobs=np.squeeze(values[:, 1:], axis=1) if values.shape[1] == 2 else values[:, 1:],
        random_state=random.get_state(),
    )
    warm_up = sampler.sample(
        state, iterations=plan.n_warm, tune=True, skip_initial_state_check=True, store=False
    )
    for warmed in warm_up:
        state = warmed
        tick()
    kept = sampler.sample(
        state, iterations=plan.n_steps, thin_by=plan.thin, skip_initial_state_check=True
    )
    for _ in kept:
        tick()
    blobs = sampler.get_blobs().reshape(plan.n_steps, plan.n_walkers, -1)
    return _Run(
        theta=whitened.theta(sampler.get_chain().swapaxes(0, 1)),
        kept=blobs.swapaxes(0, 1),
        log_prob=sampler.get_log_prob().T,
        acceptance=float(np.mean(sampler.acceptance_fraction)),
    )


def _moves(proposal, plan):
    """emcee's list of moves and their shares."""
    moves = [
        (IndependenceMove(proposal), plan.independence),
        (StretchMove(live_dangerously=plan.n_walkers < 2 * proposal.n_dim), plan.stretch),
    ]
    if plan.local > 0:
        moves.append((CrankNicolsonMove(proposal.unit_component()), plan.local))
    return moves


@dataclass(frozen=True)
class _Whitened:
    """A proposal seen in the coordinates z of theta[order] = centre + factor z.

    Attributes
    ----------
    proposal : MixtureProposal
    centre : ndarray of shape (d,)
    factor : ndarray of shape (d, d)
        Lower triangular.
    order : ndarray of int, shape (d,)
    """

    proposal: MixtureProposal
    centre: np.ndarray
    factor: np.ndarray
    order: np.ndarray

    @classmethod
    def near(cls, theta, proposal):
        """By the best component, where the walkers start at theta (T, d).

        A coordinate in which they lie very far from it, by its measure, comes last: those after it
        would be differences of huge numbers, and be lost in rounding.
        """
        best, d = proposal.best, theta.shape[1]
        sd = np.sqrt(np.sum(best.factor**2, axis=1))
        distance = np.max(np.abs(theta - best.mean), axis=0) / sd
        order, factor = np.arange(d), best.factor
        if distance.max() > _VERY_FAR:
            order = np.argsort(distance, kind="stable")
            # The QR decomposition of a root of the covariance yields its Cholesky factor.
            triangle = np.linalg.qr((best.factor / sd[:, None])[order].T, mode="r").T
            factor = sd[order, None] * triangle * np.where(np.diag(triangle) < 0, -1.0, 1.0)
        return cls(proposal, best.mean[order], factor, order)

    @property
    def n_dim(self):
        return len(self.centre)

    def theta(self, coords):
        """Parameters (..., d) at coordinates."""
        theta = np.empty(coords.shape)
        theta[..., self.order] = self.centre + coords @ self.factor.T
        return theta

    def coords(self, theta):
        return dtrtrs(self.factor, (theta[:, self.order] - self.centre).T, lower=1)[0].T

    def log_prob(self, coords):
        return self.proposal.log_prob(self.theta(coords))

    def sample(self, size, random):
        return self.coords(self.proposal.sample(size, random))

    def unit_component(self):
        best = self.proposal.best
        return type(best)(np.zeros(self.n_dim), np.eye(self.n_dim), best.df)
