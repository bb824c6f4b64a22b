"""Drawing by hand: a frame with two axes, and the marks to put on it, as SVG text.

Colours come from the page's classes, so a drawing follows the theme. Coordinates have one decimal.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asinh, ceil, floor, log10

from ..audit.wording import number
from .markup import text

__all__ = ["Axis", "Frame", "asinh_axis", "linear_axis"]

WIDTH, HEIGHT = 460, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 14, 44, 46


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
    bend: object
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


class Frame:
    """A drawing with axes; marks are added in order and ``svg`` closes it."""

    def __init__(self, name, title, description, x, y):
        self.name, self.title, self.description, self.x, self.y = name, title, description, x, y
        self._parts = []

    def _x(self, value):
        return _LEFT + self.x.share(value) * (WIDTH - _LEFT - _RIGHT)

    def _y(self, value):
        return HEIGHT - _BOTTOM - self.y.share(value) * (HEIGHT - _TOP - _BOTTOM)

    def _points(self, x, y):
        return " ".join(f"{self._x(a):.1f},{self._y(b):.1f}" for a, b in zip(x, y, strict=True))

    def line(self, x, y, css):
        self._parts.append(f'<polyline class="{css}" points="{self._points(x, y)}"/>')

    def area(self, x, y, css):
        """Between a curve and the low end of the y axis."""
        foot = [self.y.low] * 2
        points = f"{self._points(x, y)} {self._points([x[-1], x[0]], foot)}"
        self._parts.append(f'<polygon class="{css}" points="{points}"/>')

    def band(self, low, high, css):
        """A vertical band over the whole height."""
        left, right = self._x(low), self._x(high)
        self._parts.append(
            f'<rect class="{css}" x="{left:.1f}" y="{_TOP}" width="{right - left:.1f}" '
            f'height="{HEIGHT - _TOP - _BOTTOM}"/>'
        )

    def rule(self, x, css, label=None, anchor="middle"):
        """A vertical line with a label above it."""
        at = self._x(x)
        self._parts.append(
            f'<line class="{css}" x1="{at:.1f}" y1="{_TOP}" x2="{at:.1f}" y2="{HEIGHT - _BOTTOM}"/>'
        )
        if label is not None:
            self._parts.append(
                f'<text class="mark" x="{at:.1f}" y="{_TOP - 8}" text-anchor="{anchor}">'
                f"{text(label)}</text>"
            )

    def level(self, y, css):
        """A horizontal line."""
        at = self._y(y)
        self._parts.append(
            f'<line class="{css}" x1="{_LEFT}" y1="{at:.1f}" x2="{WIDTH - _RIGHT}" y2="{at:.1f}"/>'
        )

    def dot(self, x, y, radius, css):
        self._parts.append(
            f'<circle class="{css}" cx="{self._x(x):.1f}" cy="{self._y(y):.1f}" r="{radius}"/>'
        )

    def _axes(self):
        base, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
        parts = [f'<line class="axis" x1="{_LEFT}" y1="{base}" x2="{right}" y2="{base}"/>']
        for value, label in self.x.ticks:
            parts.append(
                f'<text class="tick" x="{self._x(value):.1f}" y="{base + 17}" '
                f'text-anchor="middle">{text(label)}</text>'
            )
        for value, label in self.y.ticks:
            at = self._y(value)
            parts.append(
                f'<line class="grid" x1="{_LEFT}" y1="{at:.1f}" x2="{right}" y2="{at:.1f}"/>'
                f'<text class="tick" x="{_LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">'
                f"{text(label)}</text>"
            )
        middle = (_LEFT + right) / 2
        parts.append(
            f'<text class="label" x="{middle:.1f}" y="{HEIGHT - 8}" text-anchor="middle">'
            f"{text(self.x.label)}</text>"
        )
        if self.y.label:
            parts.append(f'<text class="label" x="0" y="12">{text(self.y.label)}</text>')
        return parts

    def svg(self):
        return "".join(
            [
                f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
                f'aria-labelledby="{self.name}-title {self.name}-desc">',
                f'<title id="{self.name}-title">{text(self.title)}</title>',
                f'<desc id="{self.name}-desc">{text(self.description)}</desc>',
                *self._axes(),
                *self._parts,
                "</svg>",
            ]
        )
