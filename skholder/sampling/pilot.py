"""The pilot: fit a mixture to the target before the ensembles run, and say how well it fits."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logsumexp

from .nearest_normal import nearest_normal
from .proposals import MixtureProposal, StudentComponent

__all__ = ["FittedProposal", "fit_proposal"]

# From this acceptance on, weighted pilot draws are as good as draws of the target.
_SURE_ACCEPTANCE = 0.7
# Below this acceptance the proposal is worth fitting better.
_FAIR_ACCEPTANCE = 0.5
# Components of a smaller proportion are left at their modes.
_WORTH_FITTING = 0.1
# The moments of fewer draws for each dimension make a proposal worse.
_DRAWS_PER_DIMENSION = 50


@dataclass(frozen=True)
class FittedProposal:
    """A proposal after its pilot run.

    Attributes
    ----------
    proposal : MixtureProposal
    acceptance : float
        What an independence step can expect.
    theta : ndarray of shape (n_pilot, d)
        The pilot draws, which start the walkers; ``values`` is the target there.
    values : ndarray of shape (n_pilot, 1 + b)
    share : ndarray of shape (n_pilot,)
        Their normalised importance weights.
    n_evaluations : int
        Evaluations of the target, and of its curvature, in all rounds.
    """

    proposal: MixtureProposal
    acceptance: float
    theta: np.ndarray
    values: np.ndarray
    share: np.ndarray
    n_evaluations: int

    @property
    def knows_the_target(self):
        """Whether independence steps alone will do, with hardly any warm-up."""
        return self.acceptance >= _SURE_ACCEPTANCE

    def defended(self, old, new):
        """With the defensive component ``old`` in another form."""
        components = tuple(new if c is old else c for c in self.proposal.components)
        return replace(self, proposal=replace(self.proposal, components=components))

    def starts(self, part, n_parts, size):
        """Places for ``size`` walkers, resampled from one of ``n_parts`` of the pilot.

        Draws that are taken as they come would miss the target's tails where the proposal does, at
        every seed alike. Where a few draws carry all the weight, the weights are tempered: walkers
        that all coincide would start from a single draw's luck.

        Returns
        -------
        theta : ndarray of shape (size, d)
        values : ndarray of shape (size, 1 + b)
        """
        own = np.arange(part, len(self.theta), n_parts)
        if not np.any(self.share[own] > 0):
            own = np.arange(len(self.theta))
        share = self.share[own]
        if not self.knows_the_target:
            share = _tempered(share, min(size, np.count_nonzero(share)) / 2)
        reached = np.cumsum(share)
        spots = np.searchsorted(reached, (np.arange(size) + 0.5) / size * reached[-1])
        chosen = own[np.minimum(spots, len(own) - 1)]
        return self.theta[chosen], self.values[chosen]


def _tempered(share, n_effective):
    """Weights to the largest power 1, 1/2, 1/4, ... that leaves that many effective draws."""
    while share.sum() ** 2 < n_effective * np.sum(share**2):
        share = np.sqrt(share)
    return share


def fit_proposal(target, proposal, n_pilot, random, *, curve=None, n_rounds=5, floor=0.02):
    """Draw from the mixture, weigh, adapt; again while it fits poorly.

    A poor fit is mended first by the target's curvature, if it is known: each large component
    becomes the nearest normal (see :func:`nearest_normal`). Further rounds are population Monte
    Carlo on growing pilots: components move to the moments of the weighted draws, as long as there
    are enough draws for moments to mean anything. The best round counts.

    Parameters
    ----------
    target : callable
        Batch (T, d) -> (T, 1 + b): log densities and b numbers to keep with each draw.
    proposal : MixtureProposal
    n_pilot : int
        Draws of the first round.
    random : numpy.random.RandomState
    curve : callable or None
        theta (d,) -> object with ``value``, ``gradient`` and ``hessian`` of the log density.
    n_rounds : int
        Largest number of rounds.
    floor : float
        Smallest proportion of a component.

    Returns
    -------
    FittedProposal
    """
    best = pilot = _pilot(target, proposal, n_pilot, random, floor)
    n_evaluations = len(pilot.theta)
    for turn in range(1, n_rounds):
        if best.acceptance >= _FAIR_ACCEPTANCE:
            break
        n_curves = 0
        if turn == 1 and curve is not None:
            proposal, n_curves = _settled(proposal, curve, random)
        if n_curves > 0:
            size = n_pilot
        elif curve is None or len(pilot.theta) >= _DRAWS_PER_DIMENSION * pilot.theta.shape[1]:
            proposal = pilot.proposal.refitted(pilot.theta, pilot.share)
            size = n_pilot * 2**turn
        else:
            break
        pilot = _pilot(target, proposal, size, random, floor)
        n_evaluations += n_curves + size
        best = max(best, pilot, key=lambda fitted: fitted.acceptance)
    return replace(best, n_evaluations=n_evaluations)


def _pilot(target, proposal, size, random, floor):
    """One round: draws of the mixture, their weights, and proportions by them."""
    theta = proposal.sample(size, random)
    values = target(theta)
    inside = np.isfinite(values[:, 0])
    if not np.any(inside):
        raise ValueError(
            "The posterior density is zero next to its own modes: numbers are too far apart in "
            "size to compute with. Take the logarithms of columns that hold all magnitudes, or "
            "leave them out."
        )
    log_ratio = np.full(size, -np.inf)
    log_ratio[inside] = values[inside, 0] - proposal.log_prob(theta[inside])
    share = np.exp(log_ratio - logsumexp(log_ratio))
    better = proposal.reapportioned(theta, share, floor)
    return FittedProposal(better, _expected_acceptance(share), theta, values, share, size)


def _settled(proposal, curve, random):
    """Every large component as the nearest normal, and the number of curvatures that it took."""
    n_evaluations = 0
    for component, proportion in zip(proposal.components, proposal.proportions, strict=True):
        is_free = isinstance(component, StudentComponent) and component.folded is None
        if is_free and proportion >= _WORTH_FITTING:
            fit = nearest_normal(curve, component.mean, component.factor, random)
            proposal = proposal.carried(component, fit.mean, fit.factor)
            n_evaluations += fit.n_evaluations
    return proposal, n_evaluations


def _expected_acceptance(share):
    """E min(1, w' / w) with w from the target and w' from the proposal.

    With the weights sorted, sum over pairs of w_i min(1, w_j / w_i) = sum min(w_i, w_j).
    """
    ordered = np.sort(share)
    n = len(ordered)
    return float(np.sum(ordered * (2 * (n - np.arange(n)) - 1)) / n)
