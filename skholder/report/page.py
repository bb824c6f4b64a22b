"""From the dict of a report to its page."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from string import Template

from ..audit.wording import percent
from .charts import pictures
from .markup import shortened, text
from .tables import estimates_table, rows_table

__all__ = ["render"]

_WORDS = {
    "Epsilon": "The share of rows that do not follow the model. It is relative to the model: a "
    "wrong model calls good rows bad.",
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
        "Nats of a column": "By how much the row's log density would rise if that column alone "
        "took its most likely value given the row's other columns. They do not add up: of two "
        "columns that contradict each other, either could be wrong.",
    },
}
_TONES = {"ok": "good", "warn": "alarm", "note": "care"}
_STATUS = {"ok": "passed", "warn": "problem", "note": "note"}


def render(data):
    """The page, a str, of a report's dict."""
    style, script = _asset("style.css"), _asset("table.js")
    return Template(_asset("page.html")).substitute(
        policy=_policy(style, script),
        style=style,
        script=script,
        version=text(data["version"]),
        title=text(shortened(data["title"], 200)),
        n_rows=f"{data['data']['n_rows']:,}",
        findings=_findings(data),
        pictures="\n".join(_figure(picture) for picture in pictures(data)),
        rows=rows_table(data),
        estimates_heading=_estimates_heading(data),
        estimates=estimates_table(data),
        diagnostics=_diagnostics(data["diagnostics"]),
        settings=_settings(data["settings"]),
        words=_definitions({**_WORDS, **_WORDS_OF_KIND[data["kind"]]}),
    )


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


def _findings(data):
    first, *others = data["summary"]
    count, epsilon, found = data["count"], data["epsilon"], data["diagnostics"]
    low, high = count["interval"]
    start, end = epsilon["interval"]
    cards = [
        _card(
            "Rows outside the model",
            f"{count['mean']:,}",
            f"{count['level']:.0%} between {low:,} and {high:,}",
        ),
        _card(
            "Their share, epsilon",
            percent(epsilon["mean"]),
            f"95% between {percent(start)} and {percent(end)}",
        ),
        _card(
            "Rows flagged here",
            f"{count['flagged']:,}",
            f"of {data['data']['n_rows']:,}",
            "alarm" if count["flagged"] else "good",
        ),
        _card(
            "Diagnostics",
            {"ok": "Sound", "warn": "Care", "note": "Rough"}[found["verdict"]["status"]],
            _tally(found["checks"]),
            _TONES[found["verdict"]["status"]],
        ),
    ]
    told = "\n".join(f"<p>{text(sentence)}</p>" for sentence in others)
    return f'<p class="lead">{text(first)}</p>\n{told}\n<dl class="cards">\n{"".join(cards)}</dl>'


def _card(name, value, small, tone=None):
    css = f"big tone-{tone}" if tone else "big"
    return (
        f'<div class="card"><dt>{text(name)}</dt><dd class="{css}">{text(value)}</dd>'
        f'<dd class="small">{text(small)}</dd></div>\n'
    )


def _tally(checks):
    passed = sum(check["status"] == "ok" for check in checks)
    return f"{passed} of {len(checks)} checks passed"


def _figure(picture):
    return (
        f"<figure><figcaption><h3>{text(picture.title)}</h3><p>{text(picture.caption)}</p>"
        f"</figcaption>{picture.svg}</figure>"
    )


def _estimates_heading(data):
    if data["estimates"]["plain_name"] is None:
        return "Estimates"
    return (
        "Robust estimates against least squares"
        if data["kind"] == "regression"
        else ("Robust estimates against all rows")
    )


def _diagnostics(found):
    lines = [
        f'<tr><th scope="row">{text(check["name"])}</th>'
        f'<td><span class="tag tag-{check["status"]}">{_STATUS[check["status"]]}</span></td>'
        f'<td class="name">{text(check["value"])}'
        f'<span class="narrow">{text(check["text"])}</span></td>'
        f'<td class="why wide">{text(check["text"])}</td></tr>'
        for check in found["checks"]
    ]
    tone = _TONES[found["verdict"]["status"]]
    effort = f"{found['n_draws']:,} posterior draws"
    if found["acceptance"] is not None:
        effort += (
            f" from {found['n_evaluations']:,} evaluations of the posterior; "
            f"{found['acceptance']:.0%} of the proposals were accepted"
        )
    modes = "one mode" if found["n_modes"] == 1 else f"{found['n_modes']} modes"
    return (
        f'<p class="verdict tone-{tone}">{text(found["verdict"]["text"])}</p>\n'
        '<div class="panel"><table><caption>'
        f"{text(effort)}; {modes} found.</caption>"
        '<thead><tr><th scope="col">Check</th><th scope="col">Result</th>'
        '<th scope="col">Seen</th><th scope="col" class="wide">What it means</th></tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _settings(settings):
    parts = [
        f"<div><dt>{text(name)}</dt><dd>{text(shortened(value, 200))}</dd></div>"
        for name, value in settings.items()
    ]
    return f'<dl class="settings">{"".join(parts)}</dl>'


def _definitions(words):
    parts = [
        f"<div><dt>{text(word)}</dt><dd>{text(said)}</dd></div>" for word, said in words.items()
    ]
    return f'<dl class="words">{"".join(parts)}</dl>'
