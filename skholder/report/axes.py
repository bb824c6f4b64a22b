"""Axes: a range of values, where its ticks are, and how values are spaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import asinh, ceil, floor, log10

from ..audit.wording import number

__all__ = ["Axis", "asinh_axis", "linear_axis", "log_axis"]


@dataclass(frozen=True)
class Axis:
    """A range of values with its ticks and how they are spaced.

    Attributes
    ----------
    low, high : float
    ticks : tuple of (float, str)
    bend : callable
        Applied before spacing values evenly.
    label : str
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    bend: Callable[[float], float]
    label: str

    def share(self, value):
        """Where a value lies between low (0) and high (1); values beyond lie at the end."""
        start, stop = self.bend(self.low), self.bend(self.high)
        place = (self.bend(value) - start) / (stop - start)
        return min(max(place, 0.0), 1.0)


def linear_axis(low, high, label, write=number, n_ticks=5):
    """Evenly spaced, with ticks at round numbers."""
    if not high > low:
        low, high = low - 0.5 * (abs(low) or 1.0), high + 0.5 * (abs(high) or 1.0)
    if n_ticks == 0:
        return Axis(low, high, (), float, label)
    rough = (high - low) / n_ticks
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= 0.999 * rough)
    first = ceil(low / step - 1e-9)
    last = floor(high / step + 1e-9)
    ticks = tuple((k * step, write(k * step)) for k in range(first, last + 1))
    return Axis(low, high, ticks, float, label)


def asinh_axis(low, high, label):
    """Linear near 0 and logarithmic far out, on either side: no outlier hides the rest."""
    top = max(abs(low), abs(high), 1.0)
    n_tens = ceil(log10(top))
    step = max(1, ceil(n_tens / 4))
    sizes = [10.0**k for k in range(step, n_tens + 1, step)]
    if n_tens < 3:
        sizes += [1.0, 3.0, 30.0]
    ticks = sorted({0.0, *sizes, *(-size for size in sizes)})
    kept = tuple((tick, number(tick)) for tick in ticks if low <= tick <= high)
    return Axis(low, high, kept, asinh, label)


def log_axis(low, high, label):
    """Logarithmic, from one power of ten to another; values below lie at its low end."""
    first, last = floor(log10(low)), ceil(log10(high) - 1e-9)
    step = max(1, ceil((last - first) / 6))
    # Around 1, so that it has a tick whatever the step.
    start = step * ceil(first / step)
    ticks = tuple((10.0**k, number(10.0**k)) for k in range(start, last + 1, step))
    return Axis(10.0**first, 10.0**last, ticks, lambda v: log10(max(v, 10.0**first)), label)
