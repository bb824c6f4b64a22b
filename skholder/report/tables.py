"""The two tables of a report: the rows, and the estimates."""

from __future__ import annotations

from dataclasses import dataclass

from ..audit.wording import number, rounded
from .markup import shortened, text

__all__ = ["estimates_table", "rows_table"]

# Half the width of the picture of a shift, in posterior standard deviations.
_REACH = 10.0
_MISSING = "\u2013"


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    title : str
    sort : {"number", "text"} or None
    css : str
        ``wide`` is left out on a phone.
    state : str
        ``aria-sort`` of the order the page comes in.
    """

    title: str
    sort: str | None = "number"
    css: str = "number"
    state: str = "none"

    def head(self):
        sort = f' data-sort="{self.sort}" aria-sort="{self.state}"' if self.sort else ""
        css = f' class="{self.css}"' if self.css else ""
        return f'<th scope="col"{css}{sort}>{text(self.title)}</th>'


def _head(columns):
    return f"<thead><tr>{''.join(column.head() for column in columns)}</tr></thead>"


def _number(value, shown, wide=False):
    """A cell with the number to sort by; ``wide`` ones are left out on a phone."""
    sort = "" if value is None else f"{value:.10g}"
    return f'<td class="number{" wide" if wide else ""}" data-value="{sort}">{shown}</td>'


def _shown(value, unit=None):
    """A number, without digits that an uncertainty of ``unit`` makes idle."""
    if value is None:
        return _MISSING
    return number(value) if unit is None else rounded(value, unit)


def _interval(low, high):
    return f'<span class="interval">{low} to {high}</span>'


def rows_table(data):
    """Filter, note and table of the most suspicious rows."""
    rows = data["rows"]
    shown = rows["shown"]
    build = _regression_cells if data["kind"] == "regression" else _density_cells
    columns = [
        Column("#", css="number wide"),
        Column("Row", "text", "name"),
        Column("FoD"),
        *(_REGRESSION if data["kind"] == "regression" else _DENSITY),
    ]
    lines = [_row(place, row, build(row)) for place, row in enumerate(shown, start=1)]
    return (
        f'<p class="note">{text(_rows_note(rows))}</p>\n{_controls(shown)}\n'
        '<div class="panel" role="region" tabindex="0" aria-labelledby="rows-caption">'
        '<table id="rows-table" data-sortable><caption id="rows-caption">'
        f"{text(_rows_caption(data))}</caption>{_head(columns)}"
        f"<tbody>\n{''.join(lines)}</tbody></table></div>"
    )


def _rows_note(rows):
    shown, flagged, n = len(rows["shown"]), rows["n_flagged"], rows["n_rows"]
    if flagged > shown:
        return (
            f"The {shown:,} worst of {flagged:,} flagged rows, so that the page stays small; "
            "Audit.to_frame() has all of them."
        )
    if flagged == shown:
        return f"All {flagged:,} flagged rows, worst first."
    if flagged == 0:
        return f"No row is flagged. The {shown:,} least likely of {n:,} rows, for comparison."
    return f"All {flagged:,} flagged rows, and the next ones up to {shown:,} for comparison."


def _rows_caption(data):
    if data["kind"] == "regression":
        target = shortened(data["data"]["target"], 60)
        return f"{target} as observed and as predicted, in its own units."
    return "The columns that cost each row most, in their own units."


def _controls(shown):
    both = len({row["flagged"] for row in shown}) > 1
    box = (
        '<div class="box"><input type="checkbox" id="rows-flagged">'
        '<label for="rows-flagged">Flagged rows only</label></div>'
        if both
        else ""
    )
    return (
        '<form class="controls" data-filters="rows-table" hidden>'
        '<div class="field"><label for="rows-filter">Filter by any text</label>'
        '<input type="search" id="rows-filter" autocomplete="off" spellcheck="false"></div>'
        f'{box}<output for="rows-filter"></output></form>'
    )


def _row(place, row, cells):
    quiet = "" if row["flagged"] else ' <span class="tag tag-quiet">not flagged</span>'
    flagged = "yes" if row["flagged"] else "no"
    bar = (
        '<svg class="bar" viewBox="0 0 52 5" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="track" width="52" height="5"/>'
        f'<rect class="fill" width="{52 * row["fod"]:.1f}" height="5"/></svg>'
    )
    parts = [
        _number(place, place, wide=True),
        f'<th scope="row">{text(shortened(row["label"]))}{quiet}</th>',
        _number(row["fod"], f"{row['fod']:.3f}{bar}"),
        *cells,
    ]
    return f'<tr data-flagged="{flagged}">{"".join(parts)}</tr>\n'


_REGRESSION = (
    Column("Observed", css="number wide"),
    Column("Predicted", css="number wide"),
    Column("Residual, sd", css="number wide"),
    Column("Leverage", css="number wide"),
    Column("Why", "text", ""),
)


def _regression_cells(row):
    found = row["residual"]
    sd = found["sd"]
    observed, fitted = _shown(found["observed"]), _shown(found["fitted"], sd)
    low, high = (_shown(end, sd) for end in found["interval"])
    leverage = _shown(found["leverage"], found["mean_leverage"])
    z = found["standardised"]
    return (
        _number(found["observed"], observed, wide=True),
        _number(found["fitted"], fitted + _interval(low, high), wide=True),
        _number(z, _MISSING if z is None else f"{z:+,.1f}", wide=True),
        _number(found["leverage"], leverage, wide=True),
        f'<td class="why">{text(shortened(row["reason"], 200))}'
        f'<span class="narrow">observed {observed}, predicted {fitted} ({low} to {high})</span>'
        "</td>",
    )


_DENSITY = (
    Column("Log density", css="number wide"),
    Column("Worst column", "text", "wide"),
    Column("Nats", css="number wide"),
    Column("Why", "text", ""),
)


def _density_cells(row):
    worst = row["contributions"][0] if row["contributions"] else {"column": "", "nats": None}
    nats = worst["nats"]
    told = "".join(_line(part, place) for place, part in enumerate(row["parts"]))
    return (
        _number(row["log_density"], _shown(row["log_density"]), wide=True),
        f'<td class="name wide">{text(shortened(worst["column"], 40))}</td>',
        _number(nats, _MISSING if nats is None else f"{nats:,.1f}", wide=True),
        f'<td class="why">{told}</td>',
    )


def _line(part, place):
    css = "interval" if place else "first"
    return f'<span class="{css}">{text(shortened(part, 200))}</span>'


def estimates_table(data):
    """Note and table of the estimates."""
    found = data["estimates"]
    plain = found["plain_name"]
    columns = [Column("Parameter", "text", ""), Column("Robust, 95%")]
    if plain is not None:
        columns += [Column(plain), Column("Shift, sd"), Column("In the interval?", None, "wide")]
    lines = [_estimate_row(estimate, plain) for estimate in found["shown"]]
    return (
        f'<p class="note">{text(_estimates_note(data))}</p>\n'
        '<div class="panel" role="region" tabindex="0" aria-labelledby="estimates-caption">'
        '<table data-sortable><caption id="estimates-caption">'
        f"{text(_estimates_caption(found))}</caption>{_head(columns)}"
        f"<tbody>\n{''.join(lines)}</tbody></table></div>"
    )


def _estimates_note(data):
    if data["estimates"]["plain_name"] is None:
        return "Posterior means and intervals of the model's own parameters, on its scale."
    trusting = "Least squares trusts every row."
    if data["kind"] == "density":
        trusting = "Beside them the plain means and standard deviations, which trust every row."
    return (
        f"{trusting} A shift of several posterior standard deviations is what the flagged rows "
        "would do to the result."
    )


def _estimates_caption(found):
    shown, total = len(found["shown"]), found["n_estimates"]
    if shown < total:
        return f"The {shown:,} of {total:,} parameters that moved most, in their own units."
    return "Posterior means with 95% intervals, in their own units."


def _estimate_row(estimate, plain):
    unit = estimate["sd"]
    value, low, high = (_shown(estimate[name], unit) for name in ("value", "low", "high"))
    cells = [_number(estimate["value"], value + _interval(low, high))]
    if plain is not None:
        other, shift = estimate["plain"], estimate["shift"]
        cells += [
            _number(other, _shown(other, unit)),
            _number(shift, _MISSING if shift is None else f"{shift:+,.1f}"),
            f'<td class="wide">{"" if shift is None else _compass(shift)}</td>',
        ]
    return f'<tr><th scope="row">{text(shortened(estimate["name"]))}</th>{"".join(cells)}</tr>\n'


def _compass(shift):
    """Where the plain estimate lies: a dot around the robust interval."""
    at = 68 + 60 * min(max(shift / _REACH, -1.0), 1.0)
    half = 60 * 1.96 / _REACH
    css = "far" if abs(shift) > 1.96 else "here"
    return (
        '<svg class="compass" viewBox="0 0 136 18" aria-hidden="true">'
        '<line class="line" x1="4" y1="9" x2="132" y2="9"/>'
        f'<rect class="inside" x="{68 - half:.1f}" y="4" width="{2 * half:.1f}" height="10"/>'
        f'<circle class="{css}" cx="{at:.1f}" cy="9" r="4"/></svg>'
    )
