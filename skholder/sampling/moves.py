"""emcee moves: an independence step from a mixture, and a Crank-Nicolson step."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from emcee.moves import Move
from emcee.state import State

__all__ = ["CrankNicolsonMove", "IndependenceMove"]


class _MetropolisMove(Move, ABC):
    """Propose for all walkers at once, accept each on its own."""

    @abstractmethod
    def get_proposal(self, coords, random):
        """The proposal (W, d) and log q(current | new) - log q(new | current) (W,)."""

    def propose(self, model, state):
        proposal, log_factor = self.get_proposal(state.coords, model.random)
        log_prob, blobs = model.compute_log_prob_fn(proposal)
        with np.errstate(invalid="ignore"):
            log_ratio = log_prob + log_factor - state.log_prob
        accepted = np.log(model.random.uniform(size=len(proposal))) < log_ratio
        new = State(proposal, log_prob=log_prob, blobs=blobs)
        return self.update(state, new, accepted), accepted


class IndependenceMove(_MetropolisMove):
    """theta' ~ q, whatever theta is; log factor log q(theta) - log q(theta')."""

    def __init__(self, proposal):
        self.proposal = proposal

    def get_proposal(self, coords, random):
        new = self.proposal.sample(len(coords), random)
        before, after = np.split(self.proposal.log_prob(np.concatenate([coords, new])), 2)
        return new, before - after


class CrankNicolsonMove(_MetropolisMove):
    """theta' = m + sqrt(1 - s^2) (theta - m) + s xi, xi ~ N(0, Sigma): reversible for N(m, Sigma).

    A step of 1 is an independence step; ``tune`` shrinks it until enough proposals are accepted.

    Parameters
    ----------
    component : StudentComponent
        Its mean and factor give m and the Cholesky factor of Sigma.
    """

    def __init__(self, component, step=0.5, target=0.35):
        self.component = component
        self.step = step
        self.target = target
        self._n_tuned = 0

    def get_proposal(self, coords, random):
        z = self.component.whiten(coords)
        keep = np.sqrt(1 - self.step**2)
        new = keep * z + self.step * random.standard_normal(z.shape)
        # The reference normal is invariant, so the factor is log N(z) - log N(z').
        log_factor = 0.5 * np.sum(new * new, axis=1) - 0.5 * np.sum(z * z, axis=1)
        return self.component.mean + new @ self.component.factor.T, log_factor

    def tune(self, state, accepted):
        self._n_tuned += 1
        gain = 1.5 / np.sqrt(self._n_tuned)
        self.step = float(
            np.clip(self.step * np.exp(gain * (np.mean(accepted) - self.target)), 1e-3, 1.0)
        )
