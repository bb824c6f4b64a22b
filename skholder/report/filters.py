"""How the templates write values: each function is a filter of the same name."""

from __future__ import annotations

from ..audit.wording import number, percent, probable, rounded

__all__ = ["FILTERS", "shortened"]

_MISSING = "\u2013"


def shortened(value, size=60):
    """At most ``size`` characters, an ellipsis in place of the rest."""
    value = str(value)
    return value if len(value) <= size else value[: size - 1].rstrip() + "\u2026"


def thousands(value):
    """A whole number, e.g. ``12,346``."""
    return f"{value:,}"


def shown(value, unit=None):
    """A number, without digits that an uncertainty of ``unit`` makes idle; a dash for None."""
    if value is None:
        return _MISSING
    return number(value) if unit is None else rounded(value, unit)


def tenths(value):
    """A number with one decimal, e.g. ``1,234.5``; a dash for None."""
    return _MISSING if value is None else f"{value:,.1f}"


def signed(value):
    """A number with its sign and one decimal, e.g. ``+1,234.5``; a dash for None."""
    return _MISSING if value is None else f"{value:+,.1f}"


def percentage(value):
    """A share as a percentage, e.g. ``12.3%``; a dash for None."""
    return _MISSING if value is None else percent(value)


def chance(value):
    """A probability as a percentage, e.g. ``over 99.9%``; a dash for None."""
    return _MISSING if value is None else probable(value)


def sortable(value):
    """A number as the page's script reads it to sort by; nothing for None."""
    return "" if value is None else f"{value:.10g}"


def coordinate(value):
    """A place in a drawing, to one decimal, e.g. ``12.5`` or ``12``."""
    return f"{value:.1f}".removesuffix(".0")


def coordinates(points):
    """Points, each (x, y), as SVG lists them: ``0,12.5 3,4``."""
    return " ".join(f"{coordinate(x)},{coordinate(y)}" for x, y in points)


FILTERS = {
    function.__name__: function
    for function in (
        chance,
        coordinate,
        coordinates,
        percentage,
        shortened,
        shown,
        signed,
        sortable,
        tenths,
        thousands,
    )
}
