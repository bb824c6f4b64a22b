"""The pictures of a report, each from its part of the dict."""

from __future__ import annotations

from dataclasses import dataclass

from ..audit.wording import number, percent
from .markup import shortened, text
from .svg import WIDTH, Frame, asinh_axis, linear_axis

__all__ = ["Picture", "pictures"]

_BAR_HEIGHT, _BAR_LEFT = 30, 150


@dataclass(frozen=True)
class Picture:
    """A drawing with a heading and a sentence on how to read it."""

    title: str
    caption: str
    svg: str


def pictures(data):
    """The pictures of a report's dict, in order."""
    out = [_epsilon(data), _ranking(data), _fod(data)]
    if data["residuals"] is not None:
        out.append(_residuals(data))
    elif data["blamed"] is not None and data["blamed"]["columns"]:
        out.append(_blamed(data))
    return out


def _epsilon(data):
    found = data["epsilon"]
    x, y = found["curve"]["epsilon"], found["curve"]["density"]
    low, high = found["interval"]
    words = f"{percent(found['mean'])}, 95% between {percent(low)} and {percent(high)}"
    frame = Frame(
        "fig-epsilon",
        "Posterior of epsilon",
        f"A curve over the share of rows outside the model: mean {words}.",
        linear_axis(x[0], x[-1], "share of rows outside the model (epsilon)", _percent_tick),
        linear_axis(0.0, 1.05 * max(y), "", n_ticks=0),
    )
    inside = [(a, b) for a, b in zip(x, y, strict=True) if low <= a <= high]
    frame.area(x, y, "soft-area")
    if len(inside) > 1:
        frame.area(*zip(*inside, strict=True), "area")
    frame.line(x, y, "curve")
    frame.rule(found["mean"], "rule", percent(found["mean"]))
    return Picture(
        "How many rows do not belong",
        f"The posterior of their share. The shaded part holds 95% of it: {words}.",
        frame.svg(),
    )


def _rank_axis(ranks):
    return linear_axis(0.0, max(ranks[-1], 1.0), "rows, least likely first", lambda v: f"{v:,.0f}")


def _thresholds(frame, data):
    marks = data["count"]["thresholds"]
    frame.band(marks["lower"], marks["upper"], "doubt")
    frame.rule(marks["median"], "rule", f"{marks['median']:,}")


def _ranking(data):
    found, marks = data["ranking"], data["count"]["thresholds"]
    depth = [found["best"] - value for value in found["log_density"]]
    frame = Frame(
        "fig-ranking",
        "Rows ranked by log density",
        f"A falling curve: {number(depth[0])} nats below the most likely row for the least likely "
        f"one. A band marks counts from {marks['lower']} to {marks['upper']}.",
        _rank_axis(found["rank"]),
        asinh_axis(-1.05 * max(depth[0], 1.0), 0.0, "log density below the most likely row, nats"),
    )
    _thresholds(frame, data)
    ranks, heights = found["rank"], [-value for value in depth]
    frame.line(ranks, heights, "curve")
    flagged = sum(rank <= data["count"]["wanted"] for rank in ranks)
    if flagged > 1:
        frame.line(ranks[:flagged], heights[:flagged], "alarm-curve")
    return Picture(
        "Where the outliers end",
        f"Every row's log density, worst first. The band is the 95% range of their number, "
        f"{marks['lower']:,} to {marks['upper']:,}, the line its median; flagged rows are red.",
        frame.svg(),
    )


def _fod(data):
    found, marks = data["ranking"], data["count"]["thresholds"]
    frame = Frame(
        "fig-fod",
        "Frequency of detection",
        f"A curve from {found['fod'][0]:.2f} for the row flagged most often down to "
        f"{found['fod'][-1]:.2f}.",
        _rank_axis(found["rank_by_fod"]),
        linear_axis(0.0, 1.0, "frequency of detection (FoD)"),
    )
    _thresholds(frame, data)
    frame.area(found["rank_by_fod"], found["fod"], "alarm-area")
    frame.line(found["rank_by_fod"], found["fod"], "alarm-curve")
    return Picture(
        "How sure each flag is",
        "The share of posterior draws that flag a row. A steep fall separates good from bad; a "
        f"slow one leaves rows in doubt, here between {marks['lower']:,} and {marks['upper']:,}.",
        frame.svg(),
    )


def _residuals(data):
    found = data["residuals"]
    x, y, fod = found["fitted"], found["standardised"], found["fod"]
    ordered = sorted(x)
    cut = len(x) // 100
    left, right = ordered[cut], ordered[-1 - cut]
    room = 0.15 * (right - left)
    low, high = max(ordered[0], left - room), min(ordered[-1], right + room)
    reach = max(4.0, 1.08 * max(abs(value) for value in y))
    make = linear_axis if reach < 30 else asinh_axis
    target = shortened(data["data"]["target"], 30)
    frame = Frame(
        "fig-residuals",
        "Residuals against predictions",
        f"One point for each row: the residual of {target} in predictive standard deviations "
        "against its prediction; rows flagged more often are larger and redder.",
        linear_axis(low, high, f"predicted {target}"),
        make(-reach, reach, "residual, predictive sd"),
    )
    frame.level(0.0, "zero")
    # Suspicious rows last, so that they lie on top.
    for a, b, f in sorted(zip(x, y, fod, strict=True), key=lambda point: point[2]):
        step = min(4, int(5 * f))
        frame.dot(a, b, (2.2, 2.6, 3, 3.4, 3.8)[step], f"dot fod{step}")
    part = "" if found["complete"] else " Not every row is drawn: the worst, and some others."
    return Picture(
        "What is wrong with them",
        f"Residuals of {target} against its prediction, redder the higher the FoD.{part}",
        frame.svg(),
    )


def _blamed(data):
    found = data["blamed"]
    names, counts = list(found["columns"]), list(found["rows"])
    if found["other_rows"]:
        names, counts = [*names, "other columns"], [*counts, found["other_rows"]]
    top, room = max(counts), WIDTH - _BAR_LEFT - 50
    parts = []
    for place, (name, count) in enumerate(zip(names, counts, strict=True)):
        y, width = 10 + place * _BAR_HEIGHT, room * count / top
        parts.append(
            f'<text class="tick" x="{_BAR_LEFT - 8}" y="{y + 15}" text-anchor="end">'
            f"{text(shortened(name, 20))}</text>"
            f'<rect class="bar-alarm" x="{_BAR_LEFT}" y="{y}" width="{width:.1f}" height="20"/>'
            f'<text class="mark" x="{_BAR_LEFT + width + 6:.1f}" y="{y + 15}">{count:,}</text>'
        )
    listed = ", ".join(f"{shortened(n, 20)} {c}" for n, c in zip(names, counts, strict=True))
    svg = (
        f'<svg class="bars" viewBox="0 0 {WIDTH} {20 + _BAR_HEIGHT * len(names)}" role="img" '
        'aria-labelledby="fig-blamed-title fig-blamed-desc">'
        '<title id="fig-blamed-title">Columns that explain the flagged rows</title>'
        f'<desc id="fig-blamed-desc">{text(f"Flagged rows by column: {listed}.")}</desc>'
        f"{''.join(parts)}</svg>"
    )
    return Picture(
        "What is wrong with them",
        "Flagged rows by the column that costs them most, given their other columns.",
        svg,
    )


def _percent_tick(value):
    return f"{number(100 * value)}%"
