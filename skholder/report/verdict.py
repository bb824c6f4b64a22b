"""Whether the posterior may be trusted: one check a line, each with what to do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Check", "checks"]

# The limits at which a fit warns.
_MAX_R_HAT, _MIN_ESS, _MAX_SHARE = 1.01, 400, 0.05


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
    """

    name: str
    status: str
    value: str
    text: str


def checks(fitted):
    """The :class:`Check` list of a fitted estimator."""
    return [
        *_convergence(fitted.diagnostics_),
        _vacuous(fitted.diagnostics_),
        _floor(fitted._draws),
        _ceiling(fitted),
        _identified(fitted),
    ]


def _check(name, good, value, meaning, remedy):
    return Check(name, "ok" if good else "warn", value, meaning if good else remedy)


def _convergence(diagnostics):
    if not diagnostics.r_hat:
        return [
            Check(
                "Sampler",
                "note",
                "not used",
                "The draws come from a normal approximation (inference='laplace'). Refit with "
                "inference='mcmc' before a decision rests on the interval.",
            )
        ]
    r_hat, ess = diagnostics.r_hat, diagnostics.ess_bulk
    worst = max(r_hat, key=lambda name: np.nan_to_num(r_hat[name]))
    fewest = min(ess, key=ess.get)
    tail = min(diagnostics.ess_tail.values())
    return [
        _check(
            "Agreement of the ensembles",
            np.nan_to_num(r_hat[worst]) <= _MAX_R_HAT,
            f"R-hat {r_hat[worst]:.3f}",
            "Independent runs found the same posterior (1.01 is the limit).",
            f"Independent runs disagree about {worst!r} (1.01 is the limit): increase n_draws.",
        ),
        _check(
            "Effective draws",
            ess[fewest] >= _MIN_ESS,
            f"{ess[fewest]:,.0f} (tails {tail:,.0f})",
            "Enough for the means and intervals shown (400 is the limit).",
            f"Too few for {fewest!r} (400 is the limit): increase n_draws.",
        ),
    ]


def _vacuous(diagnostics):
    share = diagnostics.vacuous_share
    return _check(
        "Information in the rows",
        share <= _MAX_SHARE,
        f"{share:.0%} vacuous",
        "The posterior says more than 'every row is noise'.",
        "Part of the posterior says hardly more than 'every row is noise': try a smaller gamma, "
        "a smaller prior scale or fewer columns.",
    )


def _floor(draws):
    near = np.mean(draws.theta < draws.model.prior.lower + 0.05, axis=0) * draws.model.spiky
    share = float(np.max(near, initial=0.0))
    return _check(
        "Tied values",
        share <= _MAX_SHARE,
        f"{share:.0%} of draws at the floor",
        "No scale leans on the floor that min_scale sets.",
        "A scale leans on the floor that min_scale sets: many values are tied or fitted exactly. "
        "Raise min_scale to the resolution of the data.",
    )


def _ceiling(fitted):
    limit = float(fitted.max_contamination)
    share = float(np.mean(fitted.epsilon_posterior_ > 0.98 * limit))
    return _check(
        "Room above epsilon",
        share <= _MAX_SHARE,
        f"{share:.0%} of draws at the limit",
        f"The limit max_contamination={limit:g} does not hold the posterior back.",
        f"The posterior leans on max_contamination={limit:g}: the model may not suit these rows.",
    )


def _identified(fitted):
    return _check(
        "Independent columns",
        fitted._n_lost == 0,
        f"{fitted._n_lost} lost" if fitted._n_lost else "all",
        "The rows determine every parameter.",
        "Constant or collinear columns, or too few rows: the prior decides some parameters. "
        "Drop such columns.",
    )
