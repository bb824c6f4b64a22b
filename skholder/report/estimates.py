"""The robust estimates beside those of a fit that trusts every row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..models import EllipticalModel, UserModel

__all__ = ["Comparison", "Estimate", "compare"]

# Numbers held at a time.
_HELD = 2_000_000


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
    if isinstance(fitted._draws.model, UserModel):
        draws = fitted.posterior_
        return Comparison(
            None, tuple(_estimate(name, draws[name]) for name in draws if name != "alpha")
        )
    return _density(fitted, names)


def _regression(fitted, names):
    draws, plain = fitted.posterior_, fitted._plain
    rows = [
        _estimate(name, draws["coef"][:, j], plain["coef"][0, j]) for j, name in enumerate(names)
    ]
    if fitted.fit_intercept:
        rows.insert(0, _estimate("intercept", draws["intercept"], plain["intercept"][0]))
    rows.append(_estimate("noise scale", draws["scale"], plain["scale"][0]))
    return Comparison("Least squares", tuple(rows))


def _density(fitted, names):
    mean, sd, kept = _moment_draws(fitted)
    plain = fitted._plain
    rows = []
    for j, column in enumerate(kept):
        rows.append(_estimate(f"mean of {names[column]}", mean[:, j], plain.mean[column]))
        rows.append(_estimate(f"sd of {names[column]}", sd[:, j], plain.sd[column]))
    return Comparison("All rows", tuple(rows))


def _moment_draws(fitted):
    """Draws of means and standard deviations in the user's units (S, k'), and the k' columns."""
    model, theta, map_ = fitted._draws.model, fitted._draws.theta, fitted._whitening
    if isinstance(model, EllipticalModel):
        location = fitted.posterior_["location"]
        return location, _elliptical_sd(model, theta, map_.backward), range(location.shape[1])
    kept = np.argmax(map_.forward != 0, axis=0)
    scale = map_.backward[np.arange(len(kept)), kept]
    moments = model.family.moments(model.split(theta))
    if moments is None:
        return np.empty((len(theta), 0)), np.empty((len(theta), 0)), ()
    return map_.centre[kept] + scale * moments[0], scale * moments[1], kept


def _elliptical_sd(model, theta, backward):
    """Draws of the columns' standard deviations, shape (S, k)."""
    factor = model.radial.covariance_factor(model.k)
    if not model.full:
        variance = np.exp(2 * theta[:, model.k : 2 * model.k]) @ backward**2
        return np.sqrt(factor * variance)
    size = max(1, _HELD // model.k**2)
    parts = [
        np.sum((model.scatter(theta[s : s + size]) @ backward) * backward, axis=1)
        for s in range(0, len(theta), size)
    ]
    return np.sqrt(factor * np.concatenate(parts))


def _estimate(name, draws, plain=None):
    value, sd = float(np.mean(draws)), float(np.std(draws))
    low, high = (float(q) for q in np.quantile(draws, [0.025, 0.975]))
    shift = None
    if plain is not None:
        plain = float(plain)
        # A parameter that the draws agree on to the last digits has no scale to compare on.
        shift = (plain - value) / sd if sd > 1e-12 * abs(value) else None
    return Estimate(name, value, low, high, sd, plain, shift)
