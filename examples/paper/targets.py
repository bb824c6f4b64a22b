"""Our real-data results beside the published ones, and how many rows agree.

Agreement is asked of the numbers as they are printed: ours are rounded to the digits of the
published ones first.
"""

import csv
import math
from dataclasses import dataclass, field

from benchmark_data import DATASETS
from tables import number

OURS = {published: ours for ours, (_, published) in DATASETS.items()}


@dataclass(frozen=True)
class Verdict:
    """How many published rows were met, and which were not."""

    name: str
    met: int
    total: int
    needed: float
    misses: list = field(default_factory=list)

    def __str__(self):
        share = self.met / self.total if self.total else math.nan
        word = "met" if share >= self.needed else "NOT MET"
        text = f"{self.met} of {self.total} rows ({share:.0%}; asked {self.needed:.0%}): {word}"
        misses = "\n".join(["", *(f"  - {miss}" for miss in self.misses), ""])
        return f"- {self.name}: {text}\n" + (misses if self.misses else "")


def read_published(folder, table):
    """A published table as a list of dicts with numbers; empty without a folder."""
    if folder is None:
        return []
    with (folder / f"{table}.csv").open() as file:
        rows = [{k: _value(k, v) for k, v in row.items()} for row in csv.DictReader(file)]
    return [{**row, "dataset": OURS[row["dataset"]]} for row in rows]


def _value(name, text):
    if name in ("dataset", "method", "rule"):
        return text
    return float(text) if text else None


def _near(ours, published, tolerance, digits=3):
    """Within a tolerance once rounded as printed; the slack absorbs binary noise."""
    return abs(round(ours, digits) - published) <= tolerance + 1e-9


def _judged(name, published, ours, key, misses_of, needed):
    """Compare the rows both sides have; ``misses_of(row, ours) -> list of str``."""
    met, misses, total = 0, [], 0
    for row in published:
        mine = ours.get(key(row))
        if mine is None:
            continue
        total += 1
        wrong = misses_of(row, mine)
        met += not wrong
        if wrong:
            label = ", ".join(str(part) for part in key(row) if part not in (None, ""))
            misses.append(f"{label}: {'; '.join(wrong)}")
    return Verdict(name, met, total, needed, misses)


def fit_key(row):
    return row["dataset"], row["eps0"], row["gamma"], row["method"]


def _sides(name, ours, published):
    return f"{name} {number(ours)} against {number(published)}"


def audit_verdicts(published, ours):
    """epsilon and interval within 0.02 (ends 0.04: cal-housing, gamma 1); AUPRC within 0.005."""

    def share(row, mine):
        wide = row["dataset"] == "cal-housing" and row["gamma"] == 1.0
        tolerance = 0.04 if wide else 0.02
        return [
            _sides(name, mine[name], row[name])
            for name in ("eps_mean", "eps_lo", "eps_hi")
            if not _near(mine[name], row[name], 0.02 if name == "eps_mean" else tolerance)
        ]

    def auprc(row, mine):
        far = not _near(mine["auprc"], row["auprc_fod"], 0.005)
        return [_sides("AUPRC", mine["auprc"], row["auprc_fod"])] * far

    labelled = [row for row in published if row["auprc_fod"] is not None and row["gamma"] == 0.5]
    return [
        _judged("Audit fraction, epsilon and interval", published, ours, fit_key, share, 1.0),
        _judged("Audit fraction, AUPRC at gamma 0.5", labelled, ours, fit_key, auprc, 1.0),
    ]


def prediction_verdict(published, ours, name):
    """RMSE, MAE and NLPD within 2 published sds, or 1% where the published sd is 0."""

    def misses(row, mine):
        wrong = []
        for column in ("rmse", "mae", "nlpd"):
            tolerance = 2 * row[f"{column}_sd"] or 0.01 * abs(row[column])
            if not _near(mine[column], row[column], tolerance):
                sd = number(row[f"{column}_sd"])
                wrong.append(f"{_sides(column, mine[column], row[column])} (sd {sd})")
        return wrong

    return _judged(name, published, ours, fit_key, misses, 0.95)


def as_computed(ours):
    """Our averages with the two comparators as the published numbers must have been computed.

    GammaDiv in its logarithmic form, StudentT scored with the normal density.
    """
    out = dict(ours)
    for (dataset, epsilon, gamma, method), row in ours.items():
        if method == "GammaDivLog":
            out[dataset, epsilon, gamma, "GammaDiv"] = row
        elif method == "StudentT":
            out[dataset, epsilon, gamma, method] = {**row, "nlpd": row["nlpd_normal"]}
    return out


def cleaning_key(row):
    """Published rows name the rule of a comparator in either column."""
    rule = row["rule"] or row["method"]
    method = row["method"] if row["method"] and row["method"] != rule else ""
    return row["dataset"], row["gamma"], method, rule


def cleaning_verdict(published, before, ours, name):
    """Precision and recall within 0.02, RMSE within 2 published sds of the method.

    The cleaning table prints no standard deviations. A Hölder rule takes that of its own method
    before cleaning at the same gamma, every other rule that of StdBayes, the model refitted.
    """
    sds = {fit_key(row): row["rmse_sd"] for row in before}

    def misses(row, mine):
        wrong = []
        for column in ("precision", "recall"):
            if row[column] is not None and not _near(mine[column], row[column], 0.02):
                wrong.append(_sides(column, mine[column], row[column]))
        own = (row["dataset"], row["eps0"], row["gamma"], row["method"])
        sd = sds.get(own, sds[row["dataset"], row["eps0"], None, "StdBayes"])
        if not _near(mine["rmse"], row["rmse"], 2 * sd or 0.01 * row["rmse"]):
            wrong.append(f"{_sides('rmse', mine['rmse'], row['rmse'])} (sd {number(sd)})")
        return wrong

    return _judged(name, published, ours, cleaning_key, misses, 0.9)
