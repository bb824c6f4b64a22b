"""What a drawing consists of: records that the template ``svg_macros.html`` writes as SVG.

Coordinates are in units of the drawing, from its upper left corner. Colours come from the page's
classes (``css``), so a drawing follows the theme.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

__all__ = ["Area", "Box", "Curve", "Dot", "Drawing", "Line", "Words"]


@dataclass(frozen=True)
class Line:
    """A straight line from (x1, y1) to (x2, y2)."""

    kind: ClassVar[str] = "line"
    css: str
    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True)
class Curve:
    """An open line through points, each (x, y)."""

    kind: ClassVar[str] = "curve"
    css: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Area:
    """A filled polygon with corners at points, each (x, y)."""

    kind: ClassVar[str] = "area"
    css: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Box:
    """A filled rectangle, by its upper left corner and its size."""

    kind: ClassVar[str] = "box"
    css: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Dot:
    """A filled circle around (x, y)."""

    kind: ClassVar[str] = "dot"
    css: str
    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class Words:
    """One line of text on the baseline y; ``anchor`` says which part of it is at x."""

    kind: ClassVar[str] = "words"
    css: str
    x: float
    y: float
    text: str
    anchor: str = "start"


@dataclass(frozen=True)
class Drawing:
    """Shapes in the order they are painted.

    Attributes
    ----------
    name : str
        Beginning of the ids inside, unique in the page.
    title, description : str
        For readers who do not see the drawing.
    width, height : float
    shapes : tuple of shapes
    css : str
        Class of the drawing, empty for none.
    """

    name: str
    title: str
    description: str
    width: float
    height: float
    shapes: tuple[object, ...]
    css: str = ""
