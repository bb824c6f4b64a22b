"""From the dict of a report to its page."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

from ..audit.wording import count_range, percent, share_range
from .charts import pictures
from .groups import groups_table
from .rendering import printable, rendered
from .tables import dial, estimates_table, rows_table

__all__ = ["render", "render_iframe"]

_WORDS = {
    "Epsilon": "The share of rows that do not follow the model in the population that this table "
    "is a part of; the number of such rows in the table itself is known more sharply. Both are "
    "relative to the model: a wrong model calls good rows bad.",
    "Expected by chance": "How many rows at least as unlikely as this one a clean table of the "
    "same size has on average. One or more is nothing unusual; below 0.05 hardly an inlier.",
    "Frequency of detection (FoD)": "The share of posterior draws that flag a row. 1 is flagged "
    "whatever the remaining doubt, 0 never.",
    "Log density": "How likely the model finds a row, on a logarithmic scale. A difference of 3 "
    "nats is a factor of 20, one of 7 a factor of 1,000.",
}
_WORDS_OF_KIND = {
    "regression": {
        "Predictive sd": "The standard deviation of a new observation at the row's columns, "
        "uncertainty of the coefficients included.",
        "Leverage": "How far the row's own columns let it pull a least squares fit, from 0 to 1.",
    },
    "density": {
        "A column is off": "How far its value lies from the most likely one given the row's other "
        "columns, in standard deviations that rows like it have there. Of two columns that "
        "contradict each other, both are named: either could be wrong.",
    },
}
_TONES = {"ok": "good", "warn": "alarm", "note": "care"}


@dataclass(frozen=True)
class Card:
    """A number of the findings: its name, the number, and a line below it in small print.

    ``tone`` is the class of its colour: "good", "care", "alarm" or None.
    """

    name: str
    value: str
    small: str
    tone: str | None = None


def render(data):
    """The page, a str, of a report's dict."""
    data = printable(data)
    style, script = _asset("style.css"), _asset("table.js")
    return rendered(
        "page.html",
        data=data,
        policy=_policy(style, script),
        style=style,
        script=script,
        cards=_cards(data),
        pictures=pictures(data),
        rows_table=rows_table(data),
        estimates_table=estimates_table(data),
        groups_table=groups_table(data),
        dial=dial,
        tone=_TONES[data["diagnostics"]["verdict"]["status"]],
        effort=_effort(data["diagnostics"]),
        words={**_WORDS, **_WORDS_OF_KIND[data["kind"]]},
    )


def render_iframe(page):
    """A frame, a str, that holds a page inside another one."""
    return rendered("iframe.html", page=page)


def _asset(name):
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _policy(style, script):
    """Nothing may be loaded, and no script or style run, but the page's own two."""
    hashes = [
        b64encode(sha256(part.encode("utf-8")).digest()).decode("ascii") for part in (style, script)
    ]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _cards(data):
    count, epsilon, found = data["count"], data["epsilon"], data["diagnostics"]
    status = found["verdict"]["status"]
    passed = sum(check["status"] == "ok" for check in found["checks"])
    return (
        Card(
            "Rows of this table outside the model",
            f"{count['mean']:,}",
            count_range(*count["interval"], count["level"]),
        ),
        Card(
            "Share in the population, epsilon",
            percent(epsilon["mean"]),
            share_range(*epsilon["interval"]),
        ),
        Card(
            "Rows flagged here",
            f"{count['flagged']:,}",
            f"of {data['data']['n_rows']:,}",
            "alarm" if count["flagged"] else "good",
        ),
        Card(
            "Diagnostics",
            found["verdict"]["word"],
            f"{passed} of {len(found['checks'])} checks passed",
            _TONES[status],
        ),
    )


def _effort(found):
    """What the sampler did, in a sentence."""
    drawn = f"{found['n_draws']:,} posterior draws"
    if found["acceptance"] is not None:
        drawn += (
            f" from {found['n_evaluations']:,} evaluations of the posterior; "
            f"{found['acceptance']:.0%} of the proposals were accepted"
        )
    modes = "one mode" if found["n_modes"] == 1 else f"{found['n_modes']} modes"
    return f"{drawn}; {modes} found."
