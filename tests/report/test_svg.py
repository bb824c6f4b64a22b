import re
import xml.etree.ElementTree as ElementTree

import pytest

from skholder.report import AuditReport
from skholder.report.charts import pictures
from skholder.report.svg import WIDTH, Frame, asinh_axis, linear_axis


class TestAxes:
    @pytest.mark.parametrize(
        ("low", "high"), [(0, 1), (-3.2, 8.9), (1e-9, 5e-9), (2e6, 2.1e6), (-1e150, 1e150)]
    )
    def test_ticks_are_round_and_inside(self, low, high):
        axis = linear_axis(low, high, "")
        values = [value for value, _ in axis.ticks]
        assert 2 <= len(values) <= 7
        assert low - 1e-9 * abs(low) <= values[0]
        assert values[-1] <= high + 1e-9 * abs(high)
        assert len({label for _, label in axis.ticks}) == len(values)

    def test_no_range(self):
        for value in (0.0, 3.0, -2.0):
            axis = linear_axis(value, value, "")
            assert axis.low < value < axis.high

    def test_places(self):
        axis = linear_axis(10, 20, "")
        assert [axis.share(value) for value in (10, 15, 20)] == [0, 0.5, 1]
        # What lies outside is drawn at the edge.
        assert [axis.share(value) for value in (-1e9, 1e9)] == [0, 1]

    @pytest.mark.parametrize("reach", [1.0, 40.0, 1e3, 1e12, 1e150])
    def test_a_bent_axis_has_few_ticks(self, reach):
        axis = asinh_axis(-reach, reach, "")
        values = [value for value, _ in axis.ticks]
        assert 0.0 in values
        assert 3 <= len(values) <= 11
        assert values == sorted(values)
        assert axis.share(0.0) == pytest.approx(0.5)
        # A value near 0 is not lost beside the largest.
        assert axis.share(1.0) - axis.share(0.0) > 0.001


class TestFrame:
    def test_well_formed_and_escaped(self):
        axis = linear_axis(0, 1, "<i>label</i>")
        frame = Frame("fig", "<b>", 'a "quoted" & <c>', axis, axis)
        frame.line([0, 1], [0, 1], "curve")
        frame.area([0, 1], [0, 1], "area")
        frame.rule(0.5, "rule", "<u>")
        root = ElementTree.fromstring(frame.svg())
        assert root.find("title").text == "<b>"
        assert root.find("desc").text == 'a "quoted" & <c>'
        assert "<u>" in [node.text for node in root.iter("text")]
        assert root.get("role") == "img"
        ids = {node.get("id") for node in root.iter() if node.get("id")}
        assert set(root.get("aria-labelledby").split()) == ids


@pytest.mark.parametrize("which", ["regression", "density", "clean"])
def test_pictures_of_a_fit(request, which):
    drawn = pictures(AuditReport(request.getfixturevalue(which)).to_dict())
    assert len(drawn) == 4
    for picture in drawn:
        root = ElementTree.fromstring(picture.svg)
        assert root.find("title").text
        assert root.find("desc").text
        assert "nan" not in picture.svg
        assert "style=" not in picture.svg
        assert not re.search(r'(fill|stroke)="', picture.svg)
        for name in ("x", "x1", "x2", "cx"):
            for node in root.iter():
                if node.get(name) is not None:
                    assert 0 <= float(node.get(name)) <= WIDTH


def test_curve_has_the_data(regression):
    data = AuditReport(regression).to_dict()
    root = ElementTree.fromstring(pictures(data)[2].svg)
    line = next(node for node in root.iter("polyline") if node.get("class") == "alarm-curve")
    points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
    assert len(points) == len(data["ranking"]["fod"])
    heights = [y for _, y in points]
    # Down the page as FoD falls.
    assert heights == sorted(heights)


def test_dots_are_the_rows(regression):
    data = AuditReport(regression).to_dict()
    root = ElementTree.fromstring(pictures(data)[3].svg)
    dots = list(root.iter("circle"))
    assert len(dots) == 160
    loud = sum(node.get("class") == "dot fod4" for node in dots)
    assert loud == sum(fod >= 0.8 for fod in data["residuals"]["fod"])
