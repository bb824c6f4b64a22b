"""Why a row is flagged: its residual in a regression, its columns in a density.

A column's *contribution* is by how many nats the row's log density would rise if that column alone
took its most likely value given the others. Contributions are conditional, so they do not add up:
two columns that contradict each other are both named, since mending either would do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .wording import chance_in_words, number, percent, rounded

__all__ = [
    "Contribution",
    "Explanation",
    "Residual",
    "column_reason",
    "in_deviations",
    "residual_reason",
    "row_position",
]

# A leverage this many times the average is worth a word.
_HIGH_LEVERAGE = 3.0
# Rows expected by chance from which on a row is nothing unusual.
_USUAL = 0.67
# A column that costs fewer nats, or less than this part of the worst one, is no reason.
_TELLS, _PART = 0.5, 0.1
# Distances beyond are all the same.
_FAR = 1000
# Residuals further out are told as this many standard deviations.
_FURTHEST = 1e300


@dataclass(frozen=True)
class Residual:
    """A row of a regression, in the user's units.

    Attributes
    ----------
    target : str
        Name of the response.
    observed, fitted : float
        The response, and its posterior predictive mean.
    sd : float
        Standard deviation of the predictive, coefficient uncertainty included. Noise without a
        variance has its scale here.
    interval : (float, float)
        Central 95% predictive interval, from quantiles of the noise times ``sd``:
        ``predict_interval`` mixes over the draws instead and differs in the third digit.
    leverage, mean_leverage : float
        Of this row, and of all rows on average, in least squares.
    """

    target: str
    observed: float
    fitted: float
    sd: float
    interval: tuple[float, float]
    leverage: float
    mean_leverage: float

    @property
    def residual(self) -> float:
        """Observed less predicted."""
        return self.observed - self.fitted

    @property
    def standardised(self) -> float:
        """The residual in predictive standard deviations."""
        return float(in_deviations(np.array(self.residual), self.sd))

    def __str__(self) -> str:
        low, high = (rounded(end, self.sd) for end in self.interval)
        times = self.leverage / self.mean_leverage if self.mean_leverage > 0 else 1.0
        return (
            f"{self.target} is {number(self.observed)}, {_distance(self.standardised)} its "
            f"prediction of {rounded(self.fitted, self.sd)} (95% predictive interval {low} to "
            f"{high}); leverage {rounded(self.leverage, self.mean_leverage)}, {_digits(times)} "
            "times the average"
        )

    def to_dict(self) -> dict[str, Any]:
        """All numbers, as plain Python types."""
        return {
            "target": self.target,
            "observed": self.observed,
            "fitted": self.fitted,
            "residual": self.residual,
            "sd": self.sd,
            "standardised": self.standardised,
            "interval": list(self.interval),
            "leverage": self.leverage,
            "mean_leverage": self.mean_leverage,
        }


@dataclass(frozen=True)
class Contribution:
    """A column of a row in a density.

    Attributes
    ----------
    column : str
    observed, expected : float
        The value, and the most likely one given the other columns, in the user's units: the
        nearest to it that the column can take, judged by the rows that the model keeps.
    nats : float
        By how much the log density would rise with the most likely value.
    share : float or None
        The share of all rows that has the observed value, for a column with few values.
    """

    column: str
    observed: float
    expected: float
    nats: float
    share: float | None = None

    @property
    def distance(self) -> float:
        """How far off the value is, in standard deviations given the other columns.

        sqrt(2 nats): exact for a normal density, its counterpart for others.
        """
        return float(np.sqrt(2 * self.nats))

    @property
    def tells(self) -> bool:
        """Whether the column is a reason: it costs something, and another value is expected."""
        return self.nats >= _TELLS and self.direction != "at"

    @property
    def direction(self) -> str:
        """``"above"``, ``"below"`` or ``"at"`` the expected value."""
        if self.observed == self.expected:
            return "at"
        return "above" if self.observed > self.expected else "below"

    def __str__(self) -> str:
        value = f"{self.column} is {number(self.observed)}"
        if self.share is not None:
            return f"{value} (so in {percent(self.share)} of the rows), expected {self._expected}"
        if self.direction == "at":
            return f"{value}, as expected"
        return f"{value}, {_spaced(self.distance)} {self.direction} the expected {self._expected}"

    @property
    def _expected(self):
        return rounded(self.expected, self.observed - self.expected)

    def to_dict(self) -> dict[str, Any]:
        """All numbers, as plain Python types."""
        return {
            "column": self.column,
            "observed": self.observed,
            "expected": self.expected,
            "direction": self.direction,
            "nats": self.nats,
            "distance": self.distance,
            "share": self.share,
        }


@dataclass(frozen=True)
class Explanation:
    """Why a row is flagged, or why it is not.

    Attributes
    ----------
    row : int
        Position of the row.
    label : object
        Its label in the index of the fitted frame; the position where there was none.
    flagged : bool
    fod, log_density : float
    reason : str
        The short text that ``Audit.to_frame`` has too.
    residual : Residual or None
        For a regression.
    contributions : tuple of Contribution
        For a density: the columns that cost most, at most three, worst first.
    tail_probability : float or None
        How likely a row this unlikely is, if it follows the model.
    n_rows : float
        Rows of the table, by weight.
    """

    row: int
    label: object
    flagged: bool
    fod: float
    log_density: float
    reason: str
    residual: Residual | None = None
    contributions: tuple[Contribution, ...] = ()
    tail_probability: float | None = None
    n_rows: float = 0.0

    @property
    def expected_by_chance(self) -> float | None:
        """How many of as many clean rows would be at least as unlikely; None if not known."""
        return None if self.tail_probability is None else self.n_rows * self.tail_probability

    @property
    def parts(self) -> tuple[str, ...]:
        """The evidence in words, one text for the residual or for each column that matters."""
        if self.residual is not None:
            return (str(self.residual),)
        return tuple(str(part) for part in _telling(self.contributions)) or (self.reason,)

    def __str__(self) -> str:
        verdict = "is flagged" if self.flagged else "is not flagged"
        parts = self.parts
        if self.tail_probability is not None:
            parts = self._with_chance(parts)
        return f"Row {self.label!s} {verdict} (FoD {self.fod:.2f}): {'; '.join(parts)}."

    def _with_chance(self, parts):
        """The evidence and what chance alone would do, in the order that does not alarm."""
        chance = chance_in_words(self.expected_by_chance, self.n_rows)
        if self.expected_by_chance < _USUAL:
            return (*parts, chance)
        return (*parts, f"yet {chance}") if self.flagged else (f"nothing unusual, {chance}", *parts)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python types; the label as it is if it is a number or a text."""
        plain = self.label.item() if isinstance(self.label, np.generic) else self.label
        return {
            "row": self.row,
            "label": plain if isinstance(plain, int | float | str) else str(plain),
            "flagged": self.flagged,
            "fod": self.fod,
            "log_density": self.log_density,
            "reason": self.reason,
            "explanation": str(self),
            "tail_probability": self.tail_probability,
            "expected_by_chance": self.expected_by_chance,
            "residual": None if self.residual is None else self.residual.to_dict(),
            "contributions": [part.to_dict() for part in self.contributions],
        }


def row_position(index: Any, n: int, row: object, position: int | None) -> int:
    """The position that a label of the index (n labels, or None), or a position, stands for."""
    if (row is None) == (position is None):
        raise TypeError("explain() takes a row or a position, one of the two.")
    spot: Any = position
    if position is None:
        spot = row if index is None else _position_of_label(index, row)
    if not isinstance(spot, Integral) or not 0 <= int(spot) < n:
        raise IndexError(f"There is no row {spot!r}: positions go from 0 to {n - 1}.")
    return int(spot)


def _position_of_label(index, label):
    unknown = (
        f"No row is labelled {label!r} in the index of the fitted data frame; "
        "explain(position=...) takes a position."
    )
    try:
        found = index.get_loc(label)
    except Exception as error:  # pandas has kinds of its own for lists and the like
        raise KeyError(unknown) from error
    # A whole number, or what a date or the first levels of a label stand for: a slice or a mask.
    spots = np.atleast_1d(np.arange(len(index))[found])
    if len(spots) == 1:
        return spots[0]
    if not len(spots):
        raise KeyError(unknown)
    raise KeyError(
        f"{len(spots)} rows are labelled {label!r}; name one by its position, as in "
        f"explain(position={spots[0]})."
    )


def in_deviations(
    residual: NDArray[np.float64], sd: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Residuals in predictive standard deviations, as far as floats and pictures go."""
    with np.errstate(over="ignore"):
        return np.clip(residual / sd, -_FURTHEST, _FURTHEST)


def residual_reason(
    target: str, standardised: float, leverage_ratio: float, reference: str = "its prediction"
) -> str:
    """``y is 7.2 sd above its prediction``; the ratio is to the average leverage."""
    far = ", at high leverage" if leverage_ratio > _HIGH_LEVERAGE else ""
    return f"{target} is {_distance(standardised)} {reference}{far}"


def column_reason(parts: Sequence[Contribution]) -> str:
    """``bmi is 61, 4.9 sd above the expected 26; age is 12, ...``, for columns in order."""
    return "; ".join(map(str, _telling(parts))) or "no column stands out by itself"


def _telling(parts):
    """The contributions that are reasons, without those far smaller than the first."""
    told = [part for part in parts if part.tells]
    return [part for part in told if part.nats >= _PART * told[0].nats]


def _spaced(distance):
    return f"{_digits(distance)} sd" if distance < _FAR else f"more than {_FAR} sd"


def _digits(value):
    return f"{value:.1f}" if abs(value) < 1e4 else number(value)


def _distance(z):
    return f"{_digits(abs(z))} sd {'above' if z >= 0 else 'below'}"
