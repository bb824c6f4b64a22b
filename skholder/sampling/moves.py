"""emcee moves: an independence step from a mixture, and a Crank-Nicolson step.

Both are Metropolis-Hastings proposals for all walkers at once; :class:`emcee.moves.MHMove` accepts
or refuses each walker's on its own.
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
        # A draw that its own density rules out (a prior's below its floor) is refused.
        return new, before - np.where(np.isfinite(after), after, np.inf)


class CrankNicolsonMove(MHMove):
    """A Crank-Nicolson step whose noise is as wide as the walker is far out.

    In coordinates z = factor^-1 (theta - mean) of a component, with g ~ chi2(d) / |z|^2::

        z' = sqrt(1 - s^2) z + s xi / sqrt(g),   xi ~ N(0, I)

    It leaves the density |z|^-d unchanged, which is free of scale, so the log factor is
    d (log |z'| - log |z|). The plain step, with g = 1, keeps a normal unchanged; its walkers stay
    for long where the target is wider than that normal. This is the mixed preconditioned
    Crank-Nicolson move (Kamatani, "Ergodicity of Markov chain Monte Carlo with reversible
    proposal", 2017). ``tune`` shortens the step s until enough proposals are accepted.

    Parameters
    ----------
    component : StudentComponent
        Gives mean and factor.
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
        d = z.shape[1]
        # Finite at the very centre too, which only other moves leave.
        radius = np.maximum(np.linalg.norm(z, axis=1), 1e-100)
        width = radius / np.sqrt(random.chisquare(d, len(z)))
        noise = random.standard_normal(z.shape) * width[:, None]
        new = np.sqrt(1 - self.step**2) * z + self.step * noise
        log_factor = d * (np.log(np.linalg.norm(new, axis=1)) - np.log(radius))
        return self.component.mean + new @ self.component.factor.T, log_factor

    def tune(self, state, accepted):
        """Widen or shorten the step after a move; emcee calls it in warm-up."""
        self._n_tuned += 1
        gain = 1.5 / np.sqrt(self._n_tuned)
        self.step = float(
            np.clip(self.step * np.exp(gain * (np.mean(accepted) - self.target)), 1e-3, 1.0)
        )
