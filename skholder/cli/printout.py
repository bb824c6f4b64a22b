"""The result of ``skholder audit`` as text and as a JSON object."""

from __future__ import annotations

from ..audit.wording import chance_in_brief, number
from .advice import in_options
from .gating import group_lines
from .repairs import repairs_in_words
from .scores import by_chance
from .streams import plain

__all__ = ["as_json", "as_text", "inputs_in_words"]

# What the text shows at most.
_N_WORST, _N_ESTIMATES = 10, 40
_WIDEST_NAME, _WIDEST, _WIDEST_REASON, _WIDEST_TEXT = 32, 60, 80, 2_000


def as_text(result):
    """What the terminal shows.

    Parameters
    ----------
    result : AuditResult

    Returns
    -------
    str
    """
    parts = [_heading(result), *_about(result.main, result.table)]
    if result.inputs is not None:
        model = plain(result.inputs.summary["model"], 200)
        parts += [f"The inputs: {model}", *_about(result.inputs, result.table)]
    elif result.request.target is not None:
        parts.append("Errors in the inputs were not looked for: --inputs audits them too.")
    gate = result.main.summary["gate"]
    if gate:
        parts.append(gate["sentence"])
    if result.request.outputs:
        parts.append(_written(result))
    return "\n\n".join(parts)


def inputs_in_words(finding, table, page):
    """What the audit of the inputs found, for the report about the target.

    Parameters
    ----------
    finding : Finding
    table : Table
    page : Path or None
        The report about the inputs.

    Returns
    -------
    list of str
        What was found, the most suspicious rows and what would make rows fit.
    """
    audit, rows = finding.audit, finding.design.rows
    found = finding.summary["headline"]["count"].rstrip(".")
    more = "" if page is None else f" ({page.name} has all of it)"
    told = [f"the inputs were audited too, against a {finding.summary['model']}{more}: {found}"]
    worst = audit.order[: min(len(audit.indices), _N_WORST)]
    if len(worst):
        names = ", ".join(map(str, table.names_of(rows[worst])))
        told.append(f"the most suspicious inputs are those of {names}")
    repairs = repairs_in_words(finding.repairs, table.names_of(rows[audit.indices]))
    if repairs:
        told.append(f"flagged inputs would fit with {'; '.join(repairs)}")
    return told


def _about(finding, table):
    """The parts of the text that are about one audit."""
    summary = finding.summary
    return [
        _findings(summary["headline"]),
        _estimates(summary["estimates"], finding.design.baselines),
        *([_groups(summary["groups"])] if summary["groups"] else []),
        _worst(finding, table),
        *_repairs(finding, table),
        _checks(summary["diagnostics"]),
    ]


def as_json(result):
    """What ``--json`` prints, in plain Python types.

    Parameters
    ----------
    result : AuditResult

    Returns
    -------
    dict
    """
    table, request = result.table, result.request
    return {
        "file": str(request.file),
        "target": request.target,
        "id": request.wishes.id,
        "rows": table.n_rows,
        "rows_left_out": table.n_rows - len(result.main.design.rows),
        "rule": request.rule_taken,
        **_finding_as_json(result.main, table),
        "inputs": None if result.inputs is None else _finding_as_json(result.inputs, table),
        "notes": list(result.notes),
        "warnings": result.warnings,
        "written": {
            option.removeprefix("--"): str(path) for option, path in request.all_outputs.items()
        },
    }


def _finding_as_json(finding, table):
    summary = finding.summary
    flagged = finding.design.rows[finding.audit.indices].tolist()
    return {
        "model": summary["model"],
        "columns": finding.design.names,
        "baselines": finding.design.baselines,
        "epsilon": summary["epsilon"]["mean"],
        "epsilon_interval": summary["epsilon"]["interval"],
        "count": summary["count"]["flagged"],
        "count_mean": summary["count"]["mean"],
        "count_interval": summary["count"]["interval"],
        "clean_probability": summary["clean_probability"],
        "adequacy": summary["adequacy"],
        "flagged_rows": flagged,
        "flagged_lines": None if table.lines is None else table.lines[flagged].tolist(),
        "flagged_ids": None if table.ids is None else [table.ids[row] for row in flagged],
        "repairs": finding.repairs,
        "groups": summary["groups"],
        "gate": summary["gate"],
        "estimates": summary["estimates"]["shown"],
        "diagnostics": {
            "verdict": summary["diagnostics"]["verdict"],
            "checks": [
                {**check, "text": in_options(check["text"])}
                for check in summary["diagnostics"]["checks"]
            ],
        },
    }


def _heading(result):
    note = result.main.design.left_out_note
    model = plain(result.main.summary["model"], 200)
    heading = f"{plain(result.request.file, _WIDEST)}: {result.table.n_rows:,} rows, {model}"
    return f"{heading}\n{plain(note, _WIDEST_TEXT)}." if note else heading


def _findings(headline):
    """A sentence in each line; the heading has named the model."""
    told = (text for about, text in headline.items() if about != "model")
    return "\n".join(plain(text, _WIDEST_TEXT) for text in told)


def _estimates(estimates, baselines):
    shown = estimates["shown"][:_N_ESTIMATES]
    rows = [("", "estimate", "2.5%", "97.5%", (estimates["plain_name"] or "").lower())]
    for one in shown:
        name = plain(one["name"], _WIDEST_NAME)
        rows.append((name, *(_number(one[key]) for key in ("value", "low", "high", "plain"))))
    text = _aligned(rows, "<>>>>")
    rest = estimates["n_estimates"] - len(shown)
    if rest:
        text += f"\n... and {rest} more"
    if baselines:
        levels = ", ".join(plain(f"{name}={level}", _WIDEST) for name, level in baselines.items())
        text += f"\nLevels of text columns are against {levels}."
    return text


def _groups(groups):
    sentence, rows, rest = group_lines(groups)
    cells = [(plain(name, _WIDEST_NAME), *others) for name, *others in rows]
    more = f"\n... and {rest:,} more" if rest else ""
    return f"{plain(sentence, _WIDEST_TEXT)}\n{_aligned(cells, '<>>>>>>')}{more}"


def _worst(finding, table):
    audit, rows = finding.audit, finding.design.rows
    worst = audit.order[:_N_WORST]
    reasons = audit.evidence.reasons(worst)
    columns = [("row", *rows[worst].tolist())]
    if table.ids is not None:
        columns.append(("id", *(plain(table.ids[row], _WIDEST_NAME) for row in rows[worst])))
    if table.labels is not None:
        columns.append(("index", *(plain(table.labels[row], _WIDEST) for row in rows[worst])))
    if table.lines is not None:
        columns.append(("line", *table.lines[rows[worst]].tolist()))
    columns.append(("FoD", *(f"{value:.3f}" for value in audit.fod[worst])))
    chances = map(chance_in_brief, by_chance(audit)[worst])
    columns.append(("expected by chance", *chances))
    columns.append(("reason", *(plain(reason, _WIDEST_REASON) for reason in reasons)))
    shown = _aligned(list(zip(*columns, strict=True)), ">" * (len(columns) - 1) + "<")
    clean = f"among {number(audit.total_weight)} clean rows"
    return (
        "The least likely rows (rows count from 0), and how many such rows are expected by chance "
        f"{clean}:\n{shown}"
    )


def _repairs(finding, table):
    """What would make flagged rows fit: a text in a list, or none."""
    rows = finding.design.rows[finding.audit.indices]
    labels = rows.tolist() if table.ids is None else [table.ids[row] for row in rows]
    kind = "rows count from 0" if table.ids is None else "rows by their id"
    told = repairs_in_words(finding.repairs, labels)
    if not told:
        return []
    lines = "\n".join(f"  {plain(text, _WIDEST_TEXT)}" for text in told)
    return [f"Flagged rows would fit with ({kind}):\n{lines}"]


def _checks(diagnostics):
    lines = [f"Diagnostics: {diagnostics['verdict']['text']}"]
    for check in diagnostics["checks"]:
        if check["status"] == "warn":
            lines.append(f"  {check['name']}: {check['value']}. {in_options(check['text'])}")
    return "\n".join(plain(line, _WIDEST_TEXT) for line in lines)


def _written(result):
    kept = len(result.main.design.rows) - int(result.flagged[result.main.design.rows].sum())
    either = ", those flagged in either audit left out" if result.inputs is not None else ""
    about = {
        "--report": "",
        "--inputs": " (about the inputs)",
        "--scores": f" (scores of {result.table.n_rows:,} rows)",
        "--clean": f" ({kept:,} of {result.table.n_rows:,} rows{either})",
    }
    return "\n".join(
        f"Wrote {plain(path)}{about[option]}" for option, path in result.request.all_outputs.items()
    )


def _aligned(rows, sides):
    """Rows of cells as lines, each column as wide as its widest cell."""
    cells = [[str(cell) for cell in row] for row in rows]
    width = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            f"{cell:{side}{w}}" for cell, side, w in zip(row, sides, width, strict=True)
        ).rstrip()
        for row in cells
    )


def _number(value):
    return "" if value is None else number(value)
