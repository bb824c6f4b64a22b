"""The records of an inference, one per stage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..divergences import Divergence
from ..posterior import AlphaPrior, Mode
from .health import Check, checks

__all__ = ["Diagnostics", "Draws", "Inference", "Settings"]


@dataclass(frozen=True)
class Settings:
    """What the user asked of the inference.

    Attributes
    ----------
    divergence : Divergence
    gamma : float
    temperature : float or None
        beta; None calibrates it.
    alpha_prior : AlphaPrior
    inference : {"mcmc", "laplace"}
    n_draws, n_ensembles : int
    n_walkers, n_jobs : int or None
    verbose : int
    refuse_vacuous : bool
        Give up before sampling where the rows are too few for this gamma.
    """

    divergence: Divergence
    gamma: float
    temperature: float | None
    alpha_prior: AlphaPrior
    inference: str = "mcmc"
    n_draws: int = 4000
    n_walkers: int | None = None
    n_ensembles: int = 4
    n_jobs: int | None = None
    verbose: int = 0
    refuse_vacuous: bool = False


@dataclass(frozen=True, repr=False)
class Diagnostics:
    """How well the posterior was sampled, and what the rows left open.

    Attributes
    ----------
    r_hat, ess_bulk, ess_tail : dict of str to float
        By parameter; parameters whose draws are all equal are left out. Empty for
        ``inference="laplace"``.
    acceptance : float
        Share of accepted proposals.
    n_evaluations : int
        Density evaluations (one evaluation is one pass over the rows for one theta).
    vacuous_share : float
        Share of draws that explain hardly more than "every row is noise".
    floor_share : dict of str to float
        By scale parameter: share of draws at the floor that ``min_scale`` sets.
    ceiling_share : float
        Share of draws of epsilon at the limit ``max_contamination``.
    mode_share : float
        Share of the posterior around the first of ``modes_``. Below 0.95 counts are not calibrated:
        they are those of the Hölder conditional.
    n_lost : int
        Directions of the columns that the rows do not determine.
    lost : str
        A sentence about them.
    seconds : dict of str to float
        By stage.
    n_passes : int
        Passes over a row source; 0 for rows in memory.
    """

    r_hat: dict[str, float] = field(default_factory=dict)
    ess_bulk: dict[str, float] = field(default_factory=dict)
    ess_tail: dict[str, float] = field(default_factory=dict)
    acceptance: float = 1.0
    n_evaluations: int = 0
    vacuous_share: float = 0.0
    floor_share: dict[str, float] = field(default_factory=dict)
    ceiling_share: float = 0.0
    mode_share: float = 1.0
    n_lost: int = 0
    lost: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    n_passes: int = 0

    @property
    def checks(self) -> tuple[Check, ...]:
        """What can go wrong, each with what was seen; the report and the warnings use the same."""
        return checks(self)

    def __repr__(self) -> str:
        seen = "; ".join(f"{check.name}: {check.value}" for check in self.checks)
        return f"Diagnostics({seen})"

    def _repr_html_(self) -> str:
        from html import escape

        lines = "".join(
            f"<tr><td>{escape(check.name)}</td><td>{escape(check.status)}</td>"
            f"<td>{escape(check.value)}</td><td>{escape(check.text)}</td></tr>"
            for check in self.checks
        )
        head = "<tr><th>Check</th><th>Status</th><th>Seen</th><th>Meaning</th></tr>"
        return f"<table>{head}{lines}</table>"


@dataclass(frozen=True, repr=False)
class Draws:
    """Posterior draws on the computing scale, with what it takes to use them on new rows.

    Attributes
    ----------
    model : WorkingModel
    divergence : Divergence
    gamma : float
    beta_n : float
        beta times n.
    theta : ndarray of shape (S, d)
    log_mean : ndarray of shape (S,)
        L(theta) of each draw, the log of the power mean of the density.
    alpha : ndarray of shape (S,) or None
    """

    model: Any
    divergence: Divergence
    gamma: float
    beta_n: float
    theta: NDArray[np.float64]
    log_mean: NDArray[np.float64]
    alpha: NDArray[np.float64] | None

    def __repr__(self):
        n_draws, d = self.theta.shape
        return f"Draws({n_draws:,} draws of {d} parameters, gamma={self.gamma:g})"


@dataclass(frozen=True)
class Inference:
    """The result of :func:`~skholder.inference.infer`.

    Attributes
    ----------
    draws : Draws
    modes : list of Mode
        The one first that holds the draws, the others by log posterior.
    temperature : float
        beta.
    diagnostics : Diagnostics
    mode_share : float
        Share of the draws that lie closest to the first mode; of Laplace draws, which are all of
        that mode, its share of the mass around all modes.
    undivided : bool
        Whether the first mode is also the highest, and holds the posterior.
    """

    draws: Draws
    modes: list[Mode]
    temperature: float
    diagnostics: Diagnostics
    mode_share: float = 1.0
    undivided: bool = True
