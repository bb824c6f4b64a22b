import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest

from skholder.report import AuditReport
from skholder.report.charts import pictures
from skholder.report.frame import WIDTH
from skholder.report.lettering import text_width
from skholder.report.shapes import Box, Curve, Line, Words


@pytest.mark.parametrize("which", ["regression", "density", "clean"])
def test_pictures_of_a_fit(request, drawn, which):
    found = pictures(AuditReport(request.getfixturevalue(which)).to_dict())
    assert len(found) == 6
    for picture in found:
        root = drawn(picture.drawing)
        svg = ElementTree.tostring(root, encoding="unicode")
        assert root.find("title").text
        assert root.find("desc").text
        assert "nan" not in svg
        assert "style=" not in svg
        assert not re.search(r'(fill|stroke)="', svg)
        for name in ("x", "x1", "x2", "cx"):
            for node in root.iter():
                if node.get(name) is not None:
                    assert 0 <= float(node.get(name)) <= WIDTH


def test_curve_has_the_data(regression, drawn):
    data = AuditReport(regression).to_dict()
    root = drawn(pictures(data)[4].drawing)
    line = next(node for node in root.iter("polyline") if node.get("class") == "alarm-curve")
    points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
    assert len(points) == len(data["ranking"]["fod"])
    heights = [y for _, y in points]
    # Down the page as FoD falls.
    assert heights == sorted(heights)


def test_sureness_is_what_chance_would_do(regression):
    data = AuditReport(regression).to_dict()
    ranks = data["ranking"]["rank_by_tail"]
    # Every size of chance, on both sides of the level.
    chance = [10 ** (-8 + 10 * place / len(ranks)) for place in range(len(ranks))]
    data["ranking"]["expected_by_chance"] = chance
    picture = pictures(data)[3]
    assert picture.title == "How sure each flag is"
    (all_rows,) = shapes_of(picture, Curve, "curve")
    (flagged,) = shapes_of(picture, Curve, "alarm-curve")
    (clean,) = shapes_of(picture, Curve, "rule")
    (level,) = shapes_of(picture, Line, "zero")
    assert len(flagged.points) == sum(rank <= data["count"]["wanted"] for rank in ranks)
    # Rows that are hardly inliers, and no others, are drawn below the level.
    assert [y > level.y1 for _, y in all_rows.points] == [value < 0.05 for value in chance]
    # The axis is logarithmic, and less than one in a million is at its foot.
    heights = [y for _, y in all_rows.points]
    steps = [
        a - b for (a, b), value in zip(pairwise(heights), chance, strict=False) if value > 1e-6
    ]
    assert steps == pytest.approx([steps[0]] * len(steps))
    assert heights[0] == heights[1] == max(heights)
    # The k-th of clean rows has k as unlikely: its curve rises with the rank.
    assert [y for _, y in clean.points] == sorted((y for _, y in clean.points), reverse=True)


def test_bars_are_the_posterior_of_the_count(regression):
    data = AuditReport(regression).to_dict()
    data["count"] |= {
        "mean": 23,
        "interval": [22, 25],
        "bars": {"low": [20, 22, 24, 26], "step": 2, "probability": [0.1, 0.4, 0.3, 0.2]},
    }
    picture = pictures(data)[0]
    assert picture.title == "How many rows do not belong"
    boxes = [shape for shape in picture.drawing.shapes if isinstance(shape, Box)]
    assert [box.height / boxes[1].height for box in boxes] == pytest.approx([0.25, 1, 0.75, 0.5])
    assert [box.css for box in boxes] == ["soft-area", "area", "area", "soft-area"]
    for left, right in pairwise(boxes):
        assert left.x + left.width == pytest.approx(right.x)


def test_dots_are_the_rows(regression, drawn):
    data = AuditReport(regression).to_dict()
    root = drawn(pictures(data)[5].drawing)
    dots = list(root.iter("circle"))
    assert len(dots) == 160
    loud = sum(node.get("class") == "dot fod4" for node in dots)
    assert loud == sum(fod >= 0.8 for fod in data["residuals"]["fod"])


def shapes_of(picture, kind, css):
    return [s for s in picture.drawing.shapes if isinstance(s, kind) and s.css == css]


class TestMarksOfTheHeadline:
    @pytest.fixture
    def data(self, regression):
        """A skewed posterior: its median is far from the mean that the headline gives."""
        data = AuditReport(regression).to_dict()
        data["count"] |= {
            "mean": 20,
            "interval": [10, 30],
            "level": 0.8,
            "thresholds": {"lower": 2, "median": 5, "upper": 50},
        }
        data["epsilon"] |= {"mean": 0.12, "median": 0.05}
        return data

    def test_counts(self, data):
        for picture in pictures(data)[2:5]:
            (label,) = shapes_of(picture, Words, "mark")
            (rule,) = shapes_of(picture, Line, "rule")
            (band,) = shapes_of(picture, Box, "doubt")
            assert label.text == "mean 20"
            # The mean is in the middle of the interval here, on a linear axis.
            assert rule.x1 == pytest.approx(band.x + band.width / 2)
            assert "80% range" in picture.drawing.description
            assert "10 to 30, a line its mean, 20" in picture.drawing.description

    def test_captions(self, data):
        counts, epsilon, ranking, _, fod, _ = (picture.caption for picture in pictures(data))
        assert "20, 80% between 10 and 30" in counts
        assert "80% range of their number, 10 to 30, the line its mean" in ranking
        assert "between 10 and 30" in fod
        assert "its mean a line" in epsilon
        assert "median" not in epsilon + ranking + fod

    def test_epsilon(self, data):
        (label,) = shapes_of(pictures(data)[1], Words, "mark")
        assert label.text == "mean 12.0%"


class TestBars:
    @pytest.fixture
    def bars(self, density):
        def drawing(columns, rows, other_rows=0):
            data = AuditReport(density).to_dict()
            data["blamed"] = {"columns": columns, "rows": rows, "other_rows": other_rows}
            return pictures(data)[5].drawing

        return drawing

    @pytest.mark.parametrize(
        "columns",
        [
            ["x", "y"],
            ["blood pressure, mmHg", "dose"],
            ["W" * 14, "w"],
            ["a column with a long name of 40 letters!", "y"],
            ["W" * 40, "i" * 400],
        ],
    )
    @pytest.mark.parametrize("rows", [[3, 1], [12_345_678, 1]])
    def test_room(self, bars, columns, rows):
        drawing = bars(columns, rows)
        names = [s for s in drawing.shapes if isinstance(s, Words) and s.css == "tick"]
        counts = [s for s in drawing.shapes if isinstance(s, Words) and s.css == "mark"]
        boxes = [s for s in drawing.shapes if isinstance(s, Box)]
        for name, count, box in zip(names, counts, boxes, strict=True):
            wide = text_width(name.text)
            if name.anchor == "end":
                assert name.x - wide >= 0
                assert name.x < box.x
            else:
                assert name.x + wide <= WIDTH
                assert name.y < box.y
            assert box.x + box.width < count.x
            assert count.x + text_width(count.text, bold=True) <= WIDTH
            assert box.y + box.height < drawing.height
        assert boxes[0].width > 0.25 * WIDTH

    def test_long_names_are_whole(self, bars):
        columns = [f"measured temperature of the {end} bearing" for end in ("front", "rear")]
        told = [s.text for s in bars(columns, [3, 2]).shapes if isinstance(s, Words)]
        assert told == [columns[0], "3", columns[1], "2"]

    def test_lengths_are_in_proportion(self, bars):
        drawing = bars(["x", "y"], [30, 10], other_rows=5)
        wide = [s.width for s in drawing.shapes if isinstance(s, Box)]
        assert wide == pytest.approx([wide[0], wide[0] / 3, wide[0] / 6])
        assert "x 30, y 10, other columns 5" in drawing.description
