"""emcee moves: an independence step from a mixture, and a Crank-Nicolson step.

Both are Metropolis-Hastings proposals for all walkers at once; :class:`emcee.moves.MHMove` accepts or
refuses each walker's on its own.
"""

from __future__ import annotations

import numpy as np
from emcee.moves import MHMove

__all__ = ["CrankNicolsonMove", "IndependenceMove"]


class IndependenceMove(MHMove):
    """theta' ~ q, whatever theta is; log factor log q(theta) - log q(theta').

    Parameters
    ----------
    proposal : object with ``sample(size, random)`` and ``log_prob(theta)``
        The density q, such as a :class:`MixtureProposal`.
    """

    def __init__(self, proposal):
        super().__init__(self._proposed)
        self.proposal = proposal

    def _proposed(self, coords, random):
        """The proposal (W, d) and log q(current | new) - log q(new | current) (W,)."""
        new = self.proposal.sample(len(coords), random)
        before, after = np.split(self.proposal.log_prob(np.concatenate([coords, new])), 2)
        return new, before - after


class CrankNicolsonMove(MHMove):
    """theta' = m + sqrt(1 - s^2) (theta - m) + s xi, xi ~ N(0, Sigma): reversible for N(m, Sigma).

    A step s of 1 is an independence step; ``tune`` shrinks it until enough proposals are accepted.

    Parameters
    ----------
    component : StudentComponent
        Its mean and factor give m and the Cholesky factor of Sigma.
    step : float, default=0.5
        The first s, in (0, 1].
    target : float, default=0.35
        Share of accepted proposals that ``tune`` aims at.
    """

    def __init__(self, component, step=0.5, target=0.35):
        super().__init__(self._proposed)
        self.component = component
        self.step = step
        self.target = target
        self._n_tuned = 0

    def _proposed(self, coords, random):
        """The proposal (W, d) and log q(current | new) - log q(new | current) (W,)."""
        z = self.component.whiten(coords)
        keep = np.sqrt(1 - self.step**2)
        new = keep * z + self.step * random.standard_normal(z.shape)
        # The reference normal is invariant, so the factor is log N(z) - log N(z').
        log_factor = 0.5 * np.sum(new * new, axis=1) - 0.5 * np.sum(z * z, axis=1)
        return self.component.mean + new @ self.component.factor.T, log_factor

    def tune(self, state, accepted):
        """Widen or shorten the step after a move; emcee calls it in warm-up."""
        self._n_tuned += 1
        gain = 1.5 / np.sqrt(self._n_tuned)
        self.step = float(
            np.clip(self.step * np.exp(gain * (np.mean(accepted) - self.target)), 1e-3, 1.0)
        )
