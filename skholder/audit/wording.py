"""Numbers and labels as people read them."""

from __future__ import annotations

import math

__all__ = [
    "chance_in_brief",
    "chance_in_words",
    "count_range",
    "number",
    "percent",
    "probable",
    "rounded",
    "share_range",
]

# Expected rows from which on chance is told as one row, and as several.
_ONE, _TWO = 0.67, 1.5
_MILLIONTH = 1e-6
# Probabilities closer to 0 or 1 are not told apart by some thousand draws.
_NEARLY = 1e-3
# Shares below are not told apart.
_NO_SHARE = 1e-4


def number(value: float) -> str:
    """Four significant digits without an exponent where that is readable, e.g. ``12,346``.

    Digits before the point are never rounded away below ten million.
    """
    value = float(value)
    if not math.isfinite(value):
        return str(value)
    size = abs(value)
    if size == 0:
        return "0"
    if not 1e-4 <= size < 1e7:
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    text = f"{value:,.{max(0, 3 - math.floor(math.log10(size)))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def rounded(value: float, unit: float) -> str:
    """A number without the digits that an uncertainty of ``unit`` makes idle, e.g. ``146``.

    Two significant digits of the unit are kept; sizes hard to read go to :func:`number`.
    """
    value, unit = float(value), abs(float(unit))
    if not (math.isfinite(value) and 1e-6 <= unit < 1e7 and abs(value) < 1e7):
        return number(value)
    if value == int(value):
        return f"{int(value):,}"
    text = f"{value:,.{max(0, 1 - math.floor(math.log10(unit)))}f}"
    # No negative zero.
    return text.lstrip("-") if float(text.replace(",", "")) == 0 else text


def percent(share: float) -> str:
    """A share in [0, 1] as a percentage with one decimal, two below one per cent."""
    value = 100 * float(share)
    digits = 0 if value == 0 or value >= 99.95 else 1 if value >= 0.995 else 2
    return f"{value:.{digits}f}%"


def probable(probability: float) -> str:
    """A probability from draws as a percentage: ``98.7%``, ``over 99.9%``, ``below 0.1%``."""
    if probability > 1 - _NEARLY:
        return "over 99.9%"
    return "below 0.1%" if probability < _NEARLY else percent(probability)


def count_range(low: int, high: int, level: float) -> str:
    """The interval of a count, ``95% between 3 and 7`` or ``95% exactly 5``."""
    return f"{level:.0%} " + (
        f"exactly {low:,}" if low == high else f"between {low:,} and {high:,}"
    )


def share_range(low: float, high: float) -> str:
    """The 95% interval of a share, ``95% between 3.1% and 7.2%`` or ``95% below 0.01%``."""
    if high < _NO_SHARE:
        return f"95% below {percent(_NO_SHARE)}"
    return f"95% between {percent(low)} and {percent(high)}"


def chance_in_words(expected: float, n_rows: float) -> str:
    """What chance alone would do: ``one such row is expected among 400 clean ones``.

    Parameters
    ----------
    expected : float
        Rows at least as unlikely among ``n_rows`` clean ones, n t.
    n_rows : float
    """
    size = f"{n_rows:,.0f} clean"
    if expected >= _ONE:
        rows = "one such row is" if expected < _TWO else f"about {expected:,.0f} such rows are"
        return f"{rows} expected among {size} ones"
    return f"among {size} rows the chance of such a row is {_about(expected)}{_odds(expected)}"


def chance_in_brief(expected: float) -> str:
    """The same for a table's cell: ``about 5 rows``, ``1 in 230``, ``less than one in a million``.

    Parameters
    ----------
    expected : float
        Rows at least as unlikely among as many clean ones, n t.
    """
    if expected >= _TWO:
        return f"about {expected:,.0f} rows"
    return "one row" if expected >= _ONE else _odds(expected)


def _about(expected):
    return "" if expected < _MILLIONTH else "about "


def _odds(expected):
    if expected < _MILLIONTH:
        return "less than one in a million"
    return f"1 in {number(_round_odds(1 / expected))}"


def _round_odds(value):
    """Two significant digits: odds are never known better."""
    digits = 10 ** max(0, math.floor(math.log10(value)) - 1)
    return round(value / digits) * digits
