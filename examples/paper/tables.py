"""Rows to averages to text: flat dicts in, CSV files and reStructuredText tables out."""

import csv
import math
from statistics import mean, stdev


def flat(row):
    """A nested row as one flat dict; only the part called ``regular`` keeps its name."""
    out = {}
    for name, value in row.items():
        if isinstance(value, dict):
            prefix = f"{name}_" if name == "regular" else ""
            out.update({prefix + key: inner for key, inner in value.items()})
        elif isinstance(value, list):
            out[name] = "+".join(map(str, value))
        else:
            out[name] = value
    return out


def average(rows, by):
    """Mean and standard deviation over replicates.

    Parameters
    ----------
    rows : list of flat dict
    by : tuple of str
        The columns that name a configuration.

    Returns
    -------
    dict of tuple to dict
        For each configuration, ``name`` and ``name_sd`` of every numeric column.
    """
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    return {key: _summary(group, by) for key, group in groups.items()}


def _summary(group, by):
    out = {"n": len(group)}
    for name in group[0]:
        if name in by or not isinstance(group[0][name], int | float):
            continue
        # A measure may be undefined in some replicates (no outlier drawn): average the others.
        values = [row[name] for row in group if not math.isnan(row[name])]
        out[name] = mean(values) if values else math.nan
        out[f"{name}_sd"] = stdev(values) if len(values) > 1 else math.nan
    return out


def write_csv(path, rows):
    """Flat dicts as a CSV file; columns in order of first appearance."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)


def number(value, digits=3):
    """A number as text, a dash where there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    return f"{value:.{digits}f}"


def spread(value, sd, digits=3):
    """A mean and its standard deviation, ``1.234 (0.012)``."""
    return f"{number(value, digits)} ({number(sd, digits)})"


def simple_table(header, rows):
    """A reStructuredText simple table, readable on a terminal too."""
    cells = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[j]) for row in cells) for j in range(len(header))]
    rule = "  ".join("=" * width for width in widths)
    # A blank first cell would continue the row above: the backslash-space is an empty cell.
    lines = [
        "  ".join((cell or "\\").ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    ]
    return "\n".join([rule, lines[0].rstrip(), rule, *(line.rstrip() for line in lines[1:]), rule])


def titled(title, table):
    return f"{title}\n{'-' * len(title)}\n\n{table}\n"
