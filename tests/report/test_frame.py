from itertools import pairwise

import pytest

from skholder.report.axes import asinh_axis, linear_axis
from skholder.report.frame import HEIGHT, WIDTH, Frame
from skholder.report.lettering import text_width
from skholder.report.shapes import Curve, Words


def blank(x, y):
    return Frame("fig", "title", "description", x, y)


def words_of(drawing):
    return [shape for shape in drawing.shapes if isinstance(shape, Words)]


def ends(words):
    """Where a line of text starts and stops, by the estimate of its width."""
    wide = text_width(words.text, bold=words.css == "mark")
    start = words.x - wide * {"start": 0.0, "middle": 0.5, "end": 1.0}[words.anchor]
    return start, start + wide


def x_ticks(drawing):
    return [w for w in words_of(drawing) if w.css == "tick" and w.anchor == "middle"]


def test_well_formed_and_escaped(drawn):
    axis = linear_axis(0, 1, "<i>label</i>")
    frame = Frame("fig", "<b>", 'a "quoted" & <c>', axis, axis)
    frame.line([0, 1], [0, 1], "curve")
    frame.area([0, 1], [0, 1], "area")
    frame.band(0.2, 0.4, "doubt")
    frame.level(0.5, "zero")
    frame.dot(0.5, 0.5, 3.4, "dot")
    frame.rule(0.5, "rule", "<u>")
    root = drawn(frame.drawing())
    assert root.find("title").text == "<b>"
    assert root.find("desc").text == 'a "quoted" & <c>'
    assert "<u>" in [node.text for node in root.iter("text")]
    assert root.get("role") == "img"
    ids = {node.get("id") for node in root.iter() if node.get("id")}
    assert set(root.get("aria-labelledby").split()) == ids
    for tag in ("polyline", "polygon", "rect", "circle"):
        assert len(list(root.iter(tag))) == 1


AXES = {
    "large": linear_axis(-9.9e6, -1e6, "predicted pressure"),
    "larger": linear_axis(-1e12, 1e12, "W" * 60),
    "ends at a long label": linear_axis(0, 1_000_000, "rows"),
    "small": linear_axis(-0.00012, 0.00013, "i" * 300),
    "offset": linear_axis(2_000_000, 2_000_001, "time"),
    "bent": asinh_axis(-1.05e7, 0.0, "nats"),
    "bent both ways": asinh_axis(-1e6, 1e6, "sd"),
    "usual": linear_axis(0, 1, "share"),
}


@pytest.mark.parametrize("x", [name for name in AXES if "bent" not in name])
@pytest.mark.parametrize("y", list(AXES))
def test_every_label_has_room(x, y):
    frame = blank(AXES[x], AXES[y])
    for value in (AXES[x].low, AXES[x].high):
        frame.rule(value, "rule", "mean 9,999,999")
    drawing = frame.drawing()
    for words in words_of(drawing):
        start, stop = ends(words)
        assert 0 <= start < stop <= WIDTH, words
        assert 0 < words.y < HEIGHT
    for first, second in pairwise(x_ticks(drawing)):
        assert ends(first)[1] < ends(second)[0]
    # What is left for the picture is most of it.
    line = drawing.shapes[0]
    assert line.x2 - line.x1 > 0.6 * WIDTH


def test_short_labels_line_up():
    """Pictures with ordinary labels have the same axes, so that they line up in a column."""
    usual = blank(AXES["usual"], AXES["usual"]).drawing()
    other = blank(linear_axis(0, 240, "rows"), asinh_axis(-400, 0.0, "nats")).drawing()
    assert usual.shapes[0] == other.shapes[0]
    assert len(x_ticks(usual)) == len(AXES["usual"].ticks)


def test_a_label_at_the_edge_leaves_its_line_in_place():
    frame = blank(AXES["usual"], AXES["usual"])
    frame.rule(1.0, "rule", "mean 100%")
    rule, label = frame.drawing().shapes[-2:]
    assert rule.x1 == rule.x2 == frame.drawing().shapes[0].x2
    assert label.x < rule.x1


def test_points_are_where_the_axes_say():
    frame = blank(linear_axis(0, 10, ""), linear_axis(0, 4, ""))
    frame.line([0, 5, 10], [0, 2, 4], "curve")
    drawing = frame.drawing()
    axis = drawing.shapes[0]
    (curve,) = (shape for shape in drawing.shapes if isinstance(shape, Curve))
    (x0, y0), (x1, y1), (x2, y2) = curve.points
    assert (x0, y0) == (axis.x1, axis.y1)
    assert x2 == axis.x2
    assert (x1, y1) == pytest.approx(((x0 + x2) / 2, (y0 + y2) / 2))
    assert y2 < y0
