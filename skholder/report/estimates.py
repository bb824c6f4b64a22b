"""The robust estimates beside those of a fit that trusts every row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Comparison", "Estimate", "compare"]


@dataclass(frozen=True)
class Estimate:
    """One parameter, in the user's units.

    Attributes
    ----------
    name : str
    value, low, high, sd : float
        Posterior mean, central 95% interval and standard deviation.
    plain : float or None
        The estimate that trusts every row.
    shift : float or None
        ``(plain - value)`` in posterior standard deviations.
    """

    name: str
    value: float
    low: float
    high: float
    sd: float
    plain: float | None
    shift: float | None


@dataclass(frozen=True)
class Comparison:
    """All parameters, and what the plain estimates are called."""

    plain_name: str | None
    estimates: tuple[Estimate, ...]


def compare(fitted, names):
    """The :class:`Comparison` of a fitted estimator."""
    if hasattr(fitted, "coef_"):
        return _regression(fitted, names)
    fit = fitted.record_
    moments = fit.model.moments(fit.theta, fit.units)
    if moments is not None:
        return _density(moments, fit.baseline, names)
    draws = fitted.posterior_
    scalars = [name for name in draws if name != "alpha" and draws[name].ndim == 1]
    return Comparison(None, tuple(_estimate(name, draws[name]) for name in scalars))


def _regression(fitted, names):
    draws, trusting = fitted.posterior_, fitted.record_.baseline
    # A fit to residuals has no coefficients, however many columns its table has.
    named = names[: draws["coef"].shape[1]]
    rows = [
        _estimate(name, draws["coef"][:, j], trusting["coef"][0, j]) for j, name in enumerate(named)
    ]
    if fitted.fit_intercept:
        rows.insert(0, _estimate("intercept", draws["intercept"], trusting["intercept"][0]))
    rows.append(_estimate("noise scale", draws["scale"], trusting["scale"][0]))
    return Comparison("Least squares", tuple(rows))


def _density(moments, trusting, names):
    rows = []
    for j, column in enumerate(moments.columns):
        mean, sd = moments.mean[:, j], moments.sd[:, j]
        rows.append(_estimate(f"mean of {names[column]}", mean, trusting.mean[column]))
        rows.append(_estimate(f"sd of {names[column]}", sd, trusting.sd[column]))
    return Comparison("All rows", tuple(rows))


def _estimate(name, draws, plain=None):
    value, sd = float(np.mean(draws)), float(np.std(draws))
    low, high = (float(q) for q in np.quantile(draws, [0.025, 0.975]))
    shift = None
    if plain is not None:
        plain = float(plain)
        # A parameter that the draws agree on to the last digits has no scale to compare on.
        shift = (plain - value) / sd if sd > 1e-12 * abs(value) else None
    return Estimate(name, value, low, high, sd, plain, shift)
