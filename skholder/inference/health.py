"""The checks that say whether a posterior may be trusted, with all their limits.

The warnings of a fit, ``diagnostics_.checks``, the displays and the report read their limits and
verdicts here, so that they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..exceptions import (
    ConvergenceWarning,
    HolderBayesWarning,
    IdentifiabilityWarning,
    ScaleFloorWarning,
    VacuousPosteriorWarning,
    warn_caller,
)

__all__ = ["Check", "at_ceiling", "at_floor_shares", "checks", "warn_of"]

MAX_R_HAT, MIN_ESS = 1.01, 400
# Share of draws that may be vacuous, at the floor or at the ceiling.
MAX_SHARE = 0.05
# Draws within half as much again of the floor count as leaning on it: a spike leans more softly
# the fewer rows it has.
FLOOR_REACH = 0.4
# A draw of epsilon beyond this part of max_contamination is held back by it.
CEILING_PART = 0.98
# Share of the posterior that must lie around one mode.
MIN_MODE_SHARE = 0.95


@dataclass(frozen=True)
class Check:
    """One thing that can go wrong.

    Attributes
    ----------
    name : str
    status : {"ok", "warn", "note"}
    value : str
        What was seen.
    text : str
        What it means, and the remedy where there is a problem.
    warning : type of Warning or None
        What a fit warns of where the status is ``"warn"``.
    """

    name: str
    status: str
    value: str
    text: str
    warning: type[Warning] | None = None


def at_floor_shares(model: Any, theta: NDArray[np.float64]) -> dict[str, float]:
    """Share of the draws (S, d) at the floor, by name of the scale."""
    near = np.mean(theta < model.prior.lower + FLOOR_REACH, axis=0)
    return {model.parameter_names[j]: float(near[j]) for j in np.flatnonzero(model.spiky)}


def at_ceiling(epsilon: NDArray[np.float64], limit: float) -> float:
    """Share of draws of epsilon (S,) that the limit max_contamination holds back."""
    return float(np.mean(epsilon > CEILING_PART * limit))


def checks(diagnostics: Any) -> tuple[Check, ...]:
    """The :class:`Check` list of a :class:`~skholder.inference.Diagnostics`."""
    return (
        *_convergence(diagnostics),
        _vacuous(diagnostics.vacuous_share),
        _floor(diagnostics.floor_share),
        _ceiling(diagnostics.ceiling_share),
        _one_mode(diagnostics.mode_share),
        _identified(diagnostics),
    )


def warn_of(found: Iterable[Check]) -> None:
    """Warn the user's own line of every :class:`Check` that went wrong, once for each kind."""
    kinds = set()
    for check in found:
        if check.status == "warn" and check.warning is not None and check.warning not in kinds:
            kinds.add(check.warning)
            warn_caller(f"{check.text} diagnostics_.checks has the figures.", check.warning)


def _check(name, good, value, meaning, remedy, warning=None):
    return Check(name, "ok" if good else "warn", value, meaning if good else remedy, warning)


def _convergence(diagnostics):
    r_hat, ess, tail = diagnostics.r_hat, diagnostics.ess_bulk, diagnostics.ess_tail
    if not r_hat:
        return [
            Check(
                "Sampler",
                "note",
                "not used",
                "The draws come from a normal approximation (inference='laplace'). Refit with "
                "inference='mcmc' before a decision rests on the interval.",
            )
        ]
    # A figure that could not be computed is a bad one.
    worst = max(r_hat, key=lambda name: np.nan_to_num(r_hat[name], nan=np.inf))
    fewest = min(ess, key=lambda name: np.nan_to_num(ess[name], nan=0.0))
    return [
        _check(
            "Agreement of the ensembles",
            r_hat[worst] <= MAX_R_HAT,
            f"R-hat {r_hat[worst]:.3f}",
            f"Independent runs found the same posterior ({MAX_R_HAT} is the limit).",
            f"Independent runs disagree: R-hat of {worst!r} is above {MAX_R_HAT}. Increase "
            "n_draws.",
            ConvergenceWarning,
        ),
        _check(
            "Effective draws",
            ess[fewest] >= MIN_ESS,
            f"{ess[fewest]:,.0f} (tails {min(tail.values()):,.0f})",
            f"Enough for the means and intervals shown ({MIN_ESS} is the limit).",
            f"Fewer than {MIN_ESS} effective draws of {fewest!r}. Increase n_draws.",
            ConvergenceWarning,
        ),
    ]


def _vacuous(share):
    return _check(
        "Information in the rows",
        share <= MAX_SHARE,
        f"{share:.0%} vacuous",
        "The posterior says more than 'every row is noise'.",
        "The posterior is partly vacuous: it says hardly more than 'every row is noise'. With this "
        "few rows, try a smaller gamma, a smaller prior scale (coef_prior_scale or "
        "location_prior_scale) or fewer columns.",
        VacuousPosteriorWarning,
    )


def _floor(shares):
    worst = max(shares, key=shares.get, default="")
    share = shares.get(worst, 0.0)
    return _check(
        "Tied values",
        share <= MAX_SHARE,
        f"{share:.0%} of draws at the floor",
        "No scale leans on the floor that min_scale sets.",
        f"Draws of {worst!r} lie at the floor that min_scale sets: many rows are tied or fitted "
        "exactly, and the density has no bound there. Check for tied values; raise min_scale to "
        "the resolution of the data.",
        ScaleFloorWarning,
    )


def _ceiling(share):
    return _check(
        "Room above epsilon",
        share <= MAX_SHARE,
        f"{share:.0%} of draws at the limit",
        "The limit max_contamination does not hold the posterior back.",
        "The posterior leans on the limit max_contamination: the model may not suit these rows.",
    )


def _one_mode(share):
    return _check(
        "One answer",
        share >= MIN_MODE_SHARE,
        f"{share:.0%} of the posterior at one mode",
        "The posterior lies around one mode.",
        "The posterior lies around several modes, so that the number of rows outside the model is "
        "not calibrated and its interval is wide. Look at modes_; a larger gamma or more rows may "
        "decide between them.",
        HolderBayesWarning,
    )


def _identified(diagnostics):
    return _check(
        "Independent columns",
        diagnostics.n_lost == 0,
        f"{diagnostics.n_lost} lost" if diagnostics.n_lost else "all",
        "The rows determine every parameter.",
        diagnostics.lost,
        IdentifiabilityWarning,
    )
