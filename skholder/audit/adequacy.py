"""Does the model describe the rows it keeps? A few numbers, each with its error and a limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..inference.health import at_floor_shares
from ..rows import NORMAL_IQR
from .adequacy_check import LIMITS, AdequacyCheck, exceeds, moment, worst
from .kept_rows import KeptRows, second_group
from .wording import percent

__all__ = ["Adequacy", "judge_adequacy"]

# Covariates count at most this many robust standard deviations from their middle.
_CAP = 3.0
# Rows that show where that middle is.
_QUARTILE_ROWS = 4000
# The share of outliers that is as good as the limit max_contamination.
_AT_LIMIT = 0.94
# Rows with a smaller tail probability lie off a spike.
_OFF = 1e-3
# Rows with a larger tail probability than this are compared with the uniform distribution.
_KEPT_TAIL = 0.2


@dataclass(frozen=True, repr=False)
class Adequacy:
    """Whether the model describes the rows it keeps.

    Attributes
    ----------
    model : str
        What the model is called.
    checks : tuple of AdequacyCheck
    """

    model: str
    checks: tuple[AdequacyCheck, ...]

    @property
    def verdict(self) -> str:
        """``"right"``, ``"doubtful"`` or ``"wrong"``."""
        found = {check.status for check in self.checks}
        return "wrong" if "wrong" in found else "doubtful" if "note" in found else "right"

    @property
    def reasons(self) -> tuple[str, ...]:
        """What speaks against the model, worst first, as a tuple of texts."""
        return tuple(
            check.words
            for status in ("wrong", "note")
            for check in self.checks
            if check.status == status
        )

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.verdict == "right":
            return "Nothing speaks against the model for the rows it keeps."
        why = "; ".join(self.reasons)
        if self.verdict == "wrong":
            return (
                f"A {self.model} does not describe these rows ({why}): "
                "the flags below are mostly its shape."
            )
        return f"A {self.model} describes these rows only roughly ({why})."

    def __repr__(self) -> str:
        return f"Adequacy({self.verdict}: {self.sentence})"


def judge_adequacy(model, rows, values, shape, names, words, limit):
    """The :class:`Adequacy` of a fit.

    Parameters
    ----------
    model : WorkingModel
    rows : RowBlocks
    values : InfluenceValues
        At the risk minimiser.
    shape : Shape or None
        None for a model that is not normal, of which only the tail probabilities are compared.
    names : sequence of str
        Of the columns of X.
    words : str
        The model in words.
    limit : float
        max_contamination.

    Returns
    -------
    Adequacy
    """
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    if shape is None:
        checks = [_uniform(model, rows, values, weight)]
    else:
        checks = _normal_checks(model, shape, values.gamma, weight, names)
    if any(at_floor_shares(model, values.theta[None]).values()):
        checks.append(_spike(model, rows, values, weight))
    checks.append(_limit(values, limit))
    return Adequacy(words, tuple(checks))


def _normal_checks(model, shape, gamma, weight, names):
    k = model.n_modelled
    kept = KeptRows.of(shape, gamma, k, weight)
    if kept is None:
        return []
    if shape.design is not None:
        patterns = _pattern_checks(kept.mass, kept.v, kept.tau, shape.design, names)
        return kept.tails(names) + patterns
    return kept.tails(names) + second_group(shape, kept.far, weight, k)


def _pattern_checks(mass, v, tau, design, names):
    """Curvature and changing spread against the prediction's own covariates."""
    telling = np.array([len(np.unique(column[:1000])) > 2 for column in design.T])
    shown = design[:, telling]
    if shown.shape[1] == 0:
        return []
    offset = design.shape[1] - len(names)
    labels = [names[j - offset] for j in np.flatnonzero(telling)]
    standard = _standardised(shown)
    length = np.sqrt(mass @ design**2)
    basis = design / np.where(length > 0, length, 1.0)
    weighted = basis * mass[:, None]
    square = standard**2
    # Squares off the span of the design, in the metric of the weights.
    square -= basis @ np.linalg.lstsq(weighted.T @ basis, weighted.T @ square, rcond=1e-10)[0]
    bend = _pattern(mass, v * square, square, tau)
    centred = standard - mass @ standard / mass.sum()
    spread = _pattern(mass, (v * v - 1) * centred, standard, 2 * tau**2)
    checks = []
    for name, (size, error) in (("bend", bend), ("spread", spread)):
        off, at = exceeds(size, error, LIMITS[name]), worst(size, error)
        words = f"the relation to {labels[at]} is curved"
        if name == "spread":
            how = "grows" if size[at] > 0 else "shrinks"
            words = f"the spread of the residuals {how} with {labels[at]}"
        checks.append(
            AdequacyCheck(
                name,
                labels[at],
                float(size[at]),
                float(error[at]),
                LIMITS[name],
                "wrong" if np.any(off) else "ok",
                words,
            )
        )
    return checks


def _pattern(mass, values, base, unit):
    """Moments of values in units of the weighted standard deviation of their base, (m,) each."""
    centred = base - mass @ base / mass.sum()
    sd = np.sqrt(mass @ centred**2 / mass.sum())
    return moment(mass, values / np.where(sd > 1e-3, sd, np.inf), unit)


def _standardised(X):
    few = X[:: max(1, len(X) // _QUARTILE_ROWS)]
    low, middle, high = np.quantile(few, [0.25, 0.5, 0.75], axis=0)
    scale = (high - low) / NORMAL_IQR
    scale = np.where(scale > 0, scale, X.std(axis=0) + 1e-300)
    return np.clip((X - middle) / scale, -_CAP, _CAP)


def _tails(model, rows, values):
    """Tail probabilities (n,) of the rows at the risk minimiser."""
    return np.concatenate([model.tail(values.theta[None], block)[:, 0] for block, _ in rows])


def _uniform(model, rows, values, weight):
    """Tail probabilities of the rows it keeps, which are uniform if the model holds.

    Outliers have small ones: above a fifth hardly any is left, so that is where the distribution
    is compared.
    """
    tails = _tails(model, rows, values)
    kept = tails > _KEPT_TAIL
    total = weight[kept].sum()
    order = np.argsort(tails[kept], kind="stable")
    ordered = tails[kept][order]
    reached = np.cumsum(weight[kept][order]) / max(total, 1e-300)
    # Counts share their tail probabilities: there P(t <= t_j) = t_j holds at the values alone.
    last = np.append(np.diff(ordered) > 1e-12, True)[: len(ordered)]
    start = np.max(tails[~kept], initial=0.0)
    expected = (ordered - start) / (1 - start)
    size = np.max(np.abs(reached - expected)[last], initial=0.0)
    # The 99.8% quantile of Kolmogorov's distribution is about 3.1 of these.
    error = 0.61 / np.sqrt(max(total, 1.0))
    return AdequacyCheck(
        "uniform tails",
        "rows",
        float(size),
        float(error),
        LIMITS["uniform"],
        "wrong" if exceeds(size, error, LIMITS["uniform"]) else "ok",
        "the rows it keeps are spread otherwise than it says",
    )


def _spike(model, rows, values, weight):
    """A scale at its floor: the model keeps tied rows, among which no other check sees anything."""
    share = float(weight[_tails(model, rows, values) < _OFF].sum() / weight.sum())
    error = np.sqrt(share * (1 - share) / weight.sum())
    return AdequacyCheck(
        "spike",
        "rows",
        share,
        float(error),
        LIMITS["spike"],
        "wrong" if exceeds(share, error, LIMITS["spike"]) else "ok",
        f"it is a spike on tied rows, and {percent(share)} of the rows lie off it",
    )


def _limit(values, limit):
    """The share of outliers against the largest that is allowed."""
    share = 1 - values.rho
    status = "wrong" if share >= _AT_LIMIT * limit else "ok"
    words = f"{percent(min(share, 1.0))} of the rows would have to be outliers"
    error = float(np.sqrt(values.rho_variance))
    return AdequacyCheck("limit", "rows", float(share), error, float(limit), status, words)
