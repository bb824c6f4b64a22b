"""A drawing with two axes, and the marks to put on it."""

from __future__ import annotations

from itertools import pairwise

from .lettering import shortened_to_fit, text_width
from .shapes import Area, Box, Curve, Dot, Drawing, Line, Words

__all__ = ["HEIGHT", "WIDTH", "Frame"]

WIDTH, HEIGHT = 460, 300
_TOP, _BOTTOM = 44, 46
# The least room at the sides, so that pictures with short labels line up.
_LEFT, _RIGHT = 52, 14
# Between a tick's label and what is next to it: the axis, the edge, another label.
_TO_AXIS, _TO_EDGE, _TO_LABEL = 7, 2, 6


class Frame:
    """A drawing with axes; marks are added in order and ``drawing`` closes it.

    The axes leave the room at the sides that the labels of their ticks need.

    Parameters
    ----------
    name : str
        Beginning of the ids inside, unique in the page.
    title, description : str
        For readers who do not see the drawing.
    x, y : Axis
    """

    def __init__(self, name, title, description, x, y):
        self.name, self.title, self.description, self.x, self.y = name, title, description, x, y
        self._left = _room_on_the_left(x, y)
        self._right = WIDTH - _room_on_the_right(x, self._left)
        self._base = HEIGHT - _BOTTOM
        self._shapes = []

    def _x(self, value):
        return self._left + self.x.share(value) * (self._right - self._left)

    def _y(self, value):
        return self._base - self.y.share(value) * (self._base - _TOP)

    def _points(self, x, y):
        return tuple((self._x(a), self._y(b)) for a, b in zip(x, y, strict=True))

    def line(self, x, y, css):
        """A curve through the points (x, y)."""
        self._shapes.append(Curve(css, self._points(x, y)))

    def area(self, x, y, css):
        """Between a curve and the low end of the y axis."""
        foot = self._points([x[-1], x[0]], [self.y.low] * 2)
        self._shapes.append(Area(css, self._points(x, y) + foot))

    def band(self, low, high, css):
        """A vertical band over the whole height."""
        left, right = self._x(low), self._x(high)
        self._shapes.append(Box(css, left, _TOP, right - left, self._base - _TOP))

    def bar(self, low, high, top, css):
        """A bar from the foot of the drawing."""
        left, right, height = self._x(low), self._x(high), self._y(top)
        self._shapes.append(Box(css, left, height, right - left, self._base - height))

    def rule(self, x, css, label=None):
        """A vertical line with a label above it."""
        at = self._x(x)
        self._shapes.append(Line(css, at, _TOP, at, self._base))
        if label is not None:
            half = text_width(label, bold=True) / 2 + _TO_EDGE
            inside = min(max(at, half), WIDTH - half)
            self._shapes.append(Words("mark", inside, _TOP - 8, label, "middle"))

    def level(self, y, css):
        """A horizontal line."""
        at = self._y(y)
        self._shapes.append(Line(css, self._left, at, self._right, at))

    def dot(self, x, y, radius, css):
        """A point of the plane."""
        self._shapes.append(Dot(css, self._x(x), self._y(y), radius))

    def _axes(self):
        yield Line("axis", self._left, self._base, self._right, self._base)
        spots = [(self._x(value), label) for value, label in self.x.ticks]
        for at, label in _apart(spots):
            yield Words("tick", at, self._base + 17, label, "middle")
        for value, label in self.y.ticks:
            at = self._y(value)
            yield Line("grid", self._left, at, self._right, at)
            yield Words("tick", self._left - _TO_AXIS, at + 4, label, "end")
        middle = (self._left + self._right) / 2
        room = 2 * min(middle, WIDTH - middle) - 2 * _TO_EDGE
        label = shortened_to_fit(self.x.label, room)
        yield Words("label", middle, HEIGHT - 8, label, "middle")
        if self.y.label:
            yield Words("label", 0, 14, shortened_to_fit(self.y.label, WIDTH))

    def drawing(self):
        """Axes and marks as a :class:`~skholder.report.shapes.Drawing`."""
        shapes = (*self._axes(), *self._shapes)
        return Drawing(self.name, self.title, self.description, WIDTH, HEIGHT, shapes)


def _room_on_the_left(x, y):
    """For the labels of the y axis, and for half a label of the x axis that starts there."""
    beside = [text_width(label) + _TO_AXIS for _, label in y.ticks]
    below = [text_width(label) / 2 for _, label in x.ticks[:1]]
    return max([_LEFT, *(room + _TO_EDGE for room in (*beside, *below))])


def _room_on_the_right(x, left):
    """For what the label of the last tick of the x axis reaches beyond the axis.

    A tick at the share s of an axis that ends ``right`` before the edge lies at
    ``left + s (WIDTH - left - right)``, and half its label must fit between there and the edge.
    """
    room = _RIGHT
    for value, label in x.ticks[-1:]:
        share, half = x.share(value), text_width(label) / 2 + _TO_EDGE
        if share > 0:
            room = max(room, (WIDTH - left) - (WIDTH - left - half) / share)
    return room


def _apart(spots):
    """Every tick, or every second, third, ..., so that no two labels touch.

    Parameters
    ----------
    spots : list of (float, str)
        Places of the labels' middles, from left to right, and the labels.
    """
    for step in range(1, len(spots)):
        kept = spots[::step]
        ends = [(at - text_width(label) / 2, at + text_width(label) / 2) for at, label in kept]
        if all(b[0] - a[1] >= _TO_LABEL for a, b in pairwise(ends)):
            return kept
    return spots[:1]
