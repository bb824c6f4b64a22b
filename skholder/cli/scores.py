"""The scores of every row of ``skholder audit``, as a CSV file."""

from __future__ import annotations

import gzip
from numbers import Number

import numpy as np

from ..audit import expected_by_chance
from .tables import as_text_cell, csv_text

__all__ = ["by_chance", "write_scores"]


def by_chance(audit):
    """Rows as unlikely that are expected by chance, shape (n,)."""
    return expected_by_chance(audit.tails, audit.total_weight)


def write_scores(result, path):
    """Write a CSV file of every row of the input, in its order; gzipped if ``path`` ends in .gz.

    Rows left out for missing values have empty scores, and the columns as their reason. Texts that
    a spreadsheet would run as formulas get an apostrophe in front.

    Parameters
    ----------
    result : AuditResult
    path : Path
    """
    table = result.table
    columns = {"row": range(table.n_rows)}
    if table.ids is not None:
        columns["id"] = [as_text_cell(cell) for cell in table.ids]
    if table.lines is not None:
        columns["line"] = table.lines.tolist()
    if table.labels is not None:
        columns["index"] = [_label(label) for label in table.labels]
    columns |= _scores(result.main, table)
    if result.inputs is not None:
        about = _scores(result.inputs, table)
        columns |= {f"inputs_{name}": values for name, values in about.items()}
    data = csv_text([columns, *zip(*columns.values(), strict=True)]).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def _label(label):
    """Numbers and None as they are, any other label as a text."""
    return label if label is None or isinstance(label, Number) else as_text_cell(str(label))


def _scores(finding, table):
    """Columns of one audit, by name, for all rows of the table."""
    audit, rows = finding.audit, finding.design.rows
    evidence, position = audit.evidence, np.arange(len(rows))
    rank = np.empty(len(rows), dtype=int)
    rank[audit.order] = position + 1
    scores = {
        "flagged": np.where(audit.mask, "true", "false").tolist(),
        "rank": rank.tolist(),
        "fod": _digits(audit.fod),
        "log_density": _digits(audit.log_density),
        "tail_probability": _digits(audit.tails),
        "expected_by_chance": _digits(by_chance(audit)),
    }
    if finding.design.y is not None:
        scores["predicted"] = _digits(evidence.fitted)
        scores["residual"] = _digits(evidence.observed - evidence.fitted)
    scores["reason"] = evidence.reasons(position)
    repair = np.full(len(rows), "", dtype=object)
    repair[audit.indices] = finding.repairs
    scores["repair"] = repair.tolist()
    out = {name: _spread(values, rows, table.n_rows) for name, values in scores.items()}
    for row in np.setdiff1d(np.arange(table.n_rows), rows).tolist():
        out["reason"][row] = f"missing: {', '.join(table.missing_in(row))}"
    for name in ("reason", "repair"):
        out[name] = [as_text_cell(text) for text in out[name]]
    return out


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
