"""The result of ``skholder audit`` as text, as a JSON object and as a table of scores."""

from __future__ import annotations

import csv
import gzip
import io

import numpy as np

from ..audit import expected_by_chance
from ..audit.wording import chance_in_brief, number
from .advice import in_options
from .gating import group_lines

__all__ = ["as_json", "as_text", "write_scores"]

# What the text shows at most.
_N_WORST, _N_ESTIMATES = 10, 40
_WIDEST_NAME, _WIDEST_REASON = 32, 80


def as_text(result):
    """What the terminal shows.

    Parameters
    ----------
    result : AuditResult

    Returns
    -------
    str
    """
    summary = result.summary
    parts = [
        _heading(result),
        _findings(summary["headline"]),
        _estimates(summary["estimates"], result.design.baselines),
        *([_groups(summary["groups"])] if summary["groups"] else []),
        _worst(result),
        _checks(summary["diagnostics"]),
        *([summary["gate"]["sentence"]] if summary["gate"] else []),
    ]
    if result.request.outputs:
        parts.append(_written(result))
    return "\n\n".join(parts)


def as_json(result):
    """What ``--json`` prints, in plain Python types.

    Parameters
    ----------
    result : AuditResult

    Returns
    -------
    dict
    """
    summary, table, rows = result.summary, result.table, result.design.rows
    flagged = rows[result.audit.indices].tolist()
    return {
        "file": str(result.request.file),
        "model": summary["model"],
        "target": result.request.target,
        "columns": result.design.names,
        "baselines": result.design.baselines,
        "rows": table.n_rows,
        "rows_left_out": table.n_rows - len(rows),
        "epsilon": summary["epsilon"]["mean"],
        "epsilon_interval": summary["epsilon"]["interval"],
        "rule": result.request.rule,
        "count": summary["count"]["flagged"],
        "count_mean": summary["count"]["mean"],
        "count_interval": summary["count"]["interval"],
        "clean_probability": summary["clean_probability"],
        "adequacy": summary["adequacy"],
        "flagged_rows": flagged,
        "flagged_lines": None if table.lines is None else table.lines[flagged].tolist(),
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
        "warnings": result.warnings,
        "written": {
            option.removeprefix("--"): str(path) for option, path in result.request.outputs.items()
        },
    }


def write_scores(result, path):
    """Write a CSV file of every row of the input, in its order; gzipped if ``path`` ends in .gz.

    Rows left out for missing values have empty scores, and the columns as their reason.

    Parameters
    ----------
    result : AuditResult
    path : Path
    """
    audit, table, rows = result.audit, result.table, result.design.rows
    evidence, position = audit.evidence, np.arange(len(rows))
    rank = np.empty(len(rows), dtype=int)
    rank[audit.order] = position + 1
    scores = {
        "flagged": np.where(audit.mask, "true", "false").tolist(),
        "rank": rank.tolist(),
        "fod": _digits(audit.fod),
        "log_density": _digits(audit.log_density),
        "tail_probability": _digits(audit.tails),
        "expected_by_chance": _digits(_chance(audit)),
    }
    if result.request.target is not None:
        scores["predicted"] = _digits(evidence.fitted)
        scores["residual"] = _digits(evidence.observed - evidence.fitted)
    scores["reason"] = evidence.reasons(position)
    columns = {"row": range(table.n_rows)}
    if table.lines is not None:
        columns["line"] = table.lines.tolist()
    if table.labels is not None:
        columns["index"] = table.labels
    left_out = np.setdiff1d(np.arange(table.n_rows), rows).tolist()
    for name, values in scores.items():
        columns[name] = _spread(values, rows, table.n_rows)
    for row in left_out:
        columns["reason"][row] = f"missing: {', '.join(table.missing_in(row))}"
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    data = text.getvalue().encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def _digits(values):
    """Ten significant digits: all of them would take twice as long to print."""
    return [f"{value:.10g}" for value in values.tolist()]


def _spread(values, rows, n_rows):
    """Values of some rows as a list for all rows; empty texts for the others."""
    if len(values) == n_rows:
        return values
    out = [""] * n_rows
    for row, value in zip(rows, values, strict=True):
        out[row] = value
    return out


def _heading(result):
    note = result.design.left_out_note
    heading = f"{_plain(result.request.file)}: {result.table.n_rows:,} rows, {_model(result)}"
    return f"{heading}\n{_plain(note, None)}." if note else heading


def _model(result):
    return _plain(result.summary["model"], 200)


def _findings(headline):
    """A sentence in each line; the heading has named the model."""
    told = (text for about, text in headline.items() if about != "model")
    return "\n".join(_plain(text, None) for text in told)


def _estimates(estimates, baselines):
    shown = estimates["shown"][:_N_ESTIMATES]
    rows = [("", "estimate", "2.5%", "97.5%", (estimates["plain_name"] or "").lower())]
    for one in shown:
        name = _plain(one["name"], _WIDEST_NAME)
        rows.append((name, *(_number(one[key]) for key in ("value", "low", "high", "plain"))))
    text = _aligned(rows, "<>>>>")
    rest = estimates["n_estimates"] - len(shown)
    if rest:
        text += f"\n... and {rest} more"
    if baselines:
        levels = ", ".join(_plain(f"{name}={level}") for name, level in baselines.items())
        text += f"\nLevels of text columns are against {levels}."
    return text


def _groups(groups):
    sentence, rows, rest = group_lines(groups)
    cells = [(_plain(name, _WIDEST_NAME), *others) for name, *others in rows]
    more = f"\n... and {rest:,} more" if rest else ""
    return f"{_plain(sentence, None)}\n{_aligned(cells, '<>>>>>>')}{more}"


def _worst(result):
    audit, table, rows = result.audit, result.table, result.design.rows
    worst = audit.order[:_N_WORST]
    reasons = audit.evidence.reasons(worst)
    columns = [("row", *rows[worst].tolist())]
    if table.labels is not None:
        columns.append(("index", *(_plain(table.labels[row]) for row in rows[worst])))
    if table.lines is not None:
        columns.append(("line", *table.lines[rows[worst]].tolist()))
    columns.append(("FoD", *(f"{value:.3f}" for value in audit.fod[worst])))
    chances = map(chance_in_brief, _chance(audit)[worst])
    columns.append(("expected by chance", *chances))
    columns.append(("reason", *(_plain(reason, _WIDEST_REASON) for reason in reasons)))
    table = _aligned(list(zip(*columns, strict=True)), ">" * (len(columns) - 1) + "<")
    clean = f"among {number(audit.total_weight)} clean rows"
    return (
        "The least likely rows (rows count from 0), and how many such rows are expected by chance "
        f"{clean}:\n{table}"
    )


def _chance(audit):
    """Rows as unlikely that are expected by chance, shape (n,)."""
    return expected_by_chance(audit.tails, audit.total_weight)


def _checks(diagnostics):
    lines = [f"Diagnostics: {diagnostics['verdict']['text']}"]
    for check in diagnostics["checks"]:
        if check["status"] == "warn":
            lines.append(f"  {check['name']}: {check['value']}. {in_options(check['text'])}")
    return "\n".join(lines)


def _written(result):
    outputs, lines = result.request.outputs, []
    kept = len(result.design.rows) - int(result.audit.mask.sum())
    about = {
        "--report": "",
        "--scores": f" (scores of {result.table.n_rows:,} rows)",
        "--clean": f" ({kept:,} of {result.table.n_rows:,} rows)",
    }
    for option, path in outputs.items():
        lines.append(f"Wrote {_plain(path, None)}{about[option]}")
    return "\n".join(lines)


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


def _plain(text, widest=60):
    """A user's text without control characters, cut to a width."""
    text = "".join(letter if letter.isprintable() else "?" for letter in str(text))
    return text if widest is None or len(text) <= widest else text[: widest - 1] + "…"
