"""Numbers and labels as people read them."""

from __future__ import annotations

import math

__all__ = ["number", "percent", "rounded"]


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
