"""The pictures of a report, each from its part of the dict."""

from __future__ import annotations

from dataclasses import dataclass

from ..audit.tails import CERTAIN
from ..audit.wording import chance_in_brief, count_range, number, percent, share_range
from .axes import asinh_axis, linear_axis, log_axis
from .filters import shortened
from .frame import WIDTH, Frame
from .lettering import shortened_to_fit, text_width
from .shapes import Box, Drawing, Words

__all__ = ["Picture", "pictures"]

_BAR_STEP, _BAR_HEIGHT = 30, 20
# Names stand beside their bars, or above them where they would take more than the most.
_BAR_LEFT, _BAR_LEFT_MOST = 150, 230
_BAR_RIGHT = 50
# Rows expected by chance are drawn down to here.
_LEAST_CHANCE = 1e-6
# A clean table less likely than this is not mentioned.
_WORTH_A_WORD = 0.005


@dataclass(frozen=True)
class Picture:
    """A drawing with a heading and a sentence on how to read it."""

    title: str
    caption: str
    drawing: Drawing


def pictures(data):
    """The pictures of a report's dict, in order."""
    out = [_counts(data), _epsilon(data), _ranking(data), _chance(data), _fod(data)]
    if data["residuals"] is not None:
        out.append(_residuals(data))
    elif data["blamed"] is not None and data["blamed"]["columns"]:
        out.append(_blamed(data))
    return out


def _counts(data):
    found, count = data["count"]["bars"], data["count"]
    low, high = count["interval"]
    words = f"{count['mean']:,}, {count_range(low, high, count['level'])}"
    if (data["clean_probability"] or 0.0) >= _WORTH_A_WORD:
        words += f"; none with probability {percent(data['clean_probability'])}"
    step, left = found["step"], found["low"][0]
    # Never a single bar as wide as the frame, and never ticks between whole numbers.
    right = max(found["low"][-1] + step, left + 10)
    frame = Frame(
        "fig-counts",
        "Posterior of the number of rows outside the model",
        f"Bars over the number of rows of this table outside the model: mean {words}.",
        linear_axis(left - 0.5, right - 0.5, "rows of this table outside the model", _whole_tick),
        linear_axis(0.0, 1.05 * max(found["probability"]), "probability", _percent_tick),
    )
    for start, share in zip(found["low"], found["probability"], strict=True):
        inside = low <= start <= high or start <= low < start + step
        frame.bar(start - 0.5, start + step - 0.5, share, "area" if inside else "soft-area")
    frame.rule(count["mean"], "rule", f"mean {count['mean']:,}")
    return Picture(
        "How many rows do not belong",
        f"The posterior of their number in this table, its mean a line and its "
        f"{count['level']:.0%} range dark: {words}.",
        frame.drawing(),
    )


def _epsilon(data):
    found = data["epsilon"]
    x, y = found["curve"]["epsilon"], found["curve"]["density"]
    low, high = found["interval"]
    words = f"{percent(found['mean'])}, {share_range(low, high)}"
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
    frame.rule(found["mean"], "rule", f"mean {percent(found['mean'])}")
    return Picture(
        "Which share to expect elsewhere",
        "The posterior of their share in the population that the rows come from, its mean a line "
        f"and 95% of it shaded: {words}.",
        frame.drawing(),
    )


def _rank_axis(ranks):
    return linear_axis(0.0, max(ranks[-1], 1.0), "rows, least likely first", lambda v: f"{v:,.0f}")


def _mark_count(frame, data):
    """The number of rows outside the model, as the headline gives it: its interval and mean."""
    count = data["count"]
    frame.band(*count["interval"], "doubt")
    frame.rule(count["mean"], "rule", f"mean {count['mean']:,}")


def _marks_in_words(data):
    """What :func:`_mark_count` draws, for readers who do not see it."""
    count = data["count"]
    low, high = count["interval"]
    return (
        f"A band marks the {count['level']:.0%} range of the number of rows outside the model, "
        f"{low:,} to {high:,}, a line its mean, {count['mean']:,}."
    )


def _ranking(data):
    found, count = data["ranking"], data["count"]
    low, high = count["interval"]
    depth = [found["best"] - value for value in found["log_density"]]
    frame = Frame(
        "fig-ranking",
        "Rows ranked by log density",
        f"A falling curve: {number(depth[0])} nats below the most likely row for the least likely "
        f"one. {_marks_in_words(data)}",
        _rank_axis(found["rank"]),
        asinh_axis(-1.05 * max(depth[0], 1.0), 0.0, "log density below the most likely row, nats"),
    )
    _mark_count(frame, data)
    ranks, heights = found["rank"], [-value for value in depth]
    frame.line(ranks, heights, "curve")
    flagged = sum(rank <= count["wanted"] for rank in ranks)
    if flagged > 1:
        frame.line(ranks[:flagged], heights[:flagged], "alarm-curve")
    return Picture(
        "Where the outliers end",
        f"Every row's log density, worst first. The band is the {count['level']:.0%} range of "
        f"their number, {low:,} to {high:,}, the line its mean; flagged rows are red.",
        frame.drawing(),
    )


def _chance(data):
    found, n = data["ranking"], data["data"]["total_weight"]
    ranks, heights = found["rank_by_tail"], found["expected_by_chance"]
    frame = Frame(
        "fig-chance",
        "Rows expected by chance",
        "A rising curve: as many rows as unlikely as each row, or more so, are expected among "
        f"{number(n)} clean ones; for the least likely row: {chance_in_brief(heights[0])}. A "
        f"broken line is what clean rows would do. {_marks_in_words(data)}",
        _rank_axis(ranks),
        log_axis(_LEAST_CHANCE, max(n, 10.0), "rows as unlikely, expected by chance"),
    )
    _mark_count(frame, data)
    frame.level(CERTAIN, "zero")
    frame.line(ranks, [max(rank - 0.5, 0.5) for rank in ranks], "rule")
    frame.line(ranks, heights, "curve")
    flagged = sum(rank <= data["count"]["wanted"] for rank in ranks)
    if flagged > 1:
        frame.line(ranks[:flagged], heights[:flagged], "alarm-curve")
    return Picture(
        "How sure each flag is",
        f"How many rows as unlikely as each one are expected among {number(n)} clean ones. Clean "
        f"rows follow the broken line; a row below the level {CERTAIN} is hardly an inlier, one "
        "at the foot has a chance of less than one in a million. Flagged rows are red.",
        frame.drawing(),
    )


def _fod(data):
    found = data["ranking"]
    low, high = data["count"]["interval"]
    doubt = f", here between {low:,} and {high:,}" if low < high else ""
    frame = Frame(
        "fig-fod",
        "Frequency of detection",
        f"A curve from {found['fod'][0]:.2f} for the row flagged most often down to "
        f"{found['fod'][-1]:.2f}. {_marks_in_words(data)}",
        _rank_axis(found["rank_by_fod"]),
        linear_axis(0.0, 1.0, "frequency of detection (FoD)"),
    )
    _mark_count(frame, data)
    frame.area(found["rank_by_fod"], found["fod"], "alarm-area")
    frame.line(found["rank_by_fod"], found["fod"], "alarm-curve")
    return Picture(
        "How far doubt about their number reaches",
        "The share of posterior draws that flag a row. A steep fall separates good from bad; a "
        f"slow one leaves rows in doubt{doubt}.",
        frame.drawing(),
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
    target = shortened(data["data"]["target"])
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
        "What is wrong with them" if data["count"]["flagged"] else "How the rows follow the model",
        f"Residuals of {target} against its prediction, redder the higher the FoD.{part}",
        frame.drawing(),
    )


def _blamed(data):
    found = data["blamed"]
    # More than 80 characters fit into no drawing.
    names = [shortened(name, 80) for name in found["columns"]]
    counts = list(found["rows"])
    if found["other_rows"]:
        names, counts = [*names, "other columns"], [*counts, found["other_rows"]]
    listed = ", ".join(f"{shortened(n)} {c}" for n, c in zip(names, counts, strict=True))
    return Picture(
        "What is wrong with them",
        "Flagged rows by the column that costs them most, given their other columns.",
        _bars(
            "fig-blamed",
            "Columns that explain the flagged rows",
            f"Flagged rows by column: {listed}.",
            names,
            counts,
        ),
    )


def _bars(name, title, description, labels, counts):
    """One bar for each label, its count at the end."""
    needed = max(text_width(label) for label in labels) + 10
    beside = needed <= _BAR_LEFT_MOST
    left = max(_BAR_LEFT, needed) if beside else 0
    # A label above its bar takes as much height as the bar.
    step = _BAR_STEP if beside else _BAR_STEP + _BAR_HEIGHT
    right = max(_BAR_RIGHT, *(text_width(f"{count:,}", bold=True) + 8 for count in counts))
    shapes = []
    for place, (label, count) in enumerate(zip(labels, counts, strict=True)):
        foot = (place + 1) * step
        width = (WIDTH - left - right) * count / max(counts)
        if beside:
            shapes.append(Words("tick", left - 8, foot - 5, label, "end"))
        else:
            shapes.append(Words("tick", 0, foot - 26, shortened_to_fit(label, WIDTH)))
        shapes.append(Box("bar-alarm", left, foot - _BAR_HEIGHT, width, _BAR_HEIGHT))
        shapes.append(Words("mark", left + width + 6, foot - 5, f"{count:,}"))
    height = 20 + step * len(labels)
    return Drawing(name, title, description, WIDTH, height, tuple(shapes), "bars")


def _percent_tick(value):
    return f"{number(100 * value)}%"


def _whole_tick(value):
    return f"{value:,.0f}"
