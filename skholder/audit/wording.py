"""Numbers and labels as people read them."""

from __future__ import annotations

import math

__all__ = ["chance_in_words", "number", "percent", "rounded"]


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


def chance_in_words(expected, n_rows):
    """What chance alone would do: ``one such row is expected among 400 clean ones``.

    Parameters
    ----------
    expected : float
        Rows at least as unlikely among ``n_rows`` clean ones, n t.
    n_rows : float
    """
    size = f"{n_rows:,.0f} clean ones"
    if expected >= 1.5:
        return f"about {expected:,.0f} such rows are expected among {size}"
    if expected >= 0.67:
        return f"one such row is expected among {size}"
    if expected < 1e-6:
        return f"among {size} the chance of such a row is less than one in a million"
    return (
        f"among {size} the chance of such a row is about 1 in {number(_round_odds(1 / expected))}"
    )


def _round_odds(value):
    """Two significant digits: odds are never known better."""
    digits = 10 ** max(0, math.floor(math.log10(value)) - 1)
    return round(value / digits) * digits
