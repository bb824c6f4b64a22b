"""The paper's real-data experiments, table by table, beside the published numbers.

Three regression sets, five random 80/20 splits, training responses clean or with a fifth of them
shifted by N(6, 1) standard deviations. Every method is fitted to the same splits and the same
spoiled rows, on columns standardised with the clean training moments, with the paper's priors and
the temperature its tables were computed with (``"joint-covdet"``). The Hölder audits then remove
rows (three budgets), as do an oracle, chance and three detectors with DPD's central budget, and
ordinary Bayes is refitted on what is left.

Run: ``python examples/paper/real_data.py --out results [--data FOLDER] [--published FOLDER]
[--quick] [--jobs 2]``

``--data`` is a folder with cal_housing.csv.gz, kin8nm.csv.gz and puma32H.csv.gz (scikit-learn's
fetchers otherwise), ``--published`` one with the published tables as CSV. The tables are printed
and saved as ``real_data.rst``, the numbers of every split as ``fits.csv`` and ``cleaning.csv``.
A finished configuration is a line of ``real_data.jsonl`` in the output folder and is not run again;
delete the file after changing the code.
"""

import argparse
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmark_data import DATASETS, MATCHED, load, make_split, matched_splits
from exact import ExactBayes
from methods import GAMMAS, HOLDER, grid, log_gamma_regressor, regressor
from metrics import (
    NAN,
    Prediction,
    Ranking,
    Removal,
    Share,
    normal_nlpd,
    noted_warnings,
    prediction,
    ranking,
    removal,
    share,
    thinned_fod,
)
from real_report import report
from removal_rules import BUDGETS, COMPARATORS, audited, compared
from runner import run
from tables import average, flat, write_csv

CLEANED_EPSILON, COMPARED_GAMMA = 0.2, 0.5
COMPUTING = {"temperature": "joint-covdet", "standardize": False}


@dataclass(frozen=True)
class FitTask:
    """Fit a method to a split; audit and clean where the method can."""

    dataset: str
    epsilon: float
    gamma: float | None
    method: str
    split: int
    n_draws: int


@dataclass(frozen=True)
class RemovalTask:
    """Remove rows by a comparator's rule and refit."""

    dataset: str
    epsilon: float
    gamma: float
    rule: str
    count: int
    split: int
    n_draws: int


@dataclass(frozen=True)
class FitRow:
    """A fit before cleaning.

    ``regular`` leaves out test rows with a far-out covariate; ``auprc_400`` is of the FoD from 400
    draws; ``nlpd_normal`` scores StudentT as if its noise were normal.
    """

    dataset: str
    eps0: float
    gamma: float | None
    method: str
    split: int
    prediction: Prediction
    regular: Prediction
    ranking: Ranking
    share: Share
    auprc_400: float
    nlpd_normal: float
    temperature: float
    r_hat: float
    ess: float
    warned: list


@dataclass(frozen=True)
class CleaningRow:
    """Ordinary Bayes on the rows that a rule left."""

    dataset: str
    gamma: float | None
    method: str
    rule: str
    split: int
    removal: Removal
    prediction: Prediction
    regular: Prediction


def build(task, split):
    """The unfitted estimator of a configuration."""
    drawn = {"n_draws": task.n_draws, "seed": task.split}
    if task.method == "GammaDivLog":
        return log_gamma_regressor(task.gamma, split.X, split.y, **drawn)
    return regressor(task.method, task.gamma, **COMPUTING, **drawn)


def tested(model, split):
    """Errors on all test rows, and on those without a far-out covariate."""
    predicted = model.predict(split.X_test)
    log_density = model.score_samples(split.X_test, split.y_test)
    return [
        prediction(split.y_test, predicted, log_density, split.unit, rows)
        for rows in (slice(None), split.regular)
    ]


def refitted(removed, split, task, gamma, method, rule):
    """Standard Bayes without the removed rows, on the same standardised scale."""
    with noted_warnings():
        model = regressor("StdBayes", None, **COMPUTING, n_draws=task.n_draws, seed=task.split)
        model.fit(split.X[~removed], split.y[~removed])
    return CleaningRow(
        task.dataset,
        gamma,
        method,
        rule,
        task.split,
        removal(removed, split.outlier),
        *tested(model, split),
    )


def fit_work(task, folder):
    """Rows of a fit: one before cleaning and, for the Hölder methods, one for each budget."""
    split = make_split(load(task.dataset, folder), task.split, task.epsilon)
    if task.method == "Exact":
        return [_exact_row(task, split)]
    with noted_warnings() as warned:
        model = build(task, split).fit(split.X, split.y)
    holder = task.method in HOLDER
    scores = model.fod_scores_ if holder else -model.score_samples(split.X, split.y)
    shares = share(model, task.epsilon) if holder else Share()
    count = shares.k_mean if holder else None
    rows = [
        FitRow(
            task.dataset,
            task.epsilon,
            task.gamma,
            task.method,
            task.split,
            *tested(model, split),
            ranking(scores, split.outlier, count, fod=holder),
            shares,
            _thinned_auprc(model, split) if holder and split.outlier.any() else NAN,
            _normal_nlpd(model, split) if task.method == "StudentT" else NAN,
            model.temperature_,
            max(model.diagnostics_.r_hat.values()),
            min(model.diagnostics_.ess_bulk.values()),
            warned,
        )
    ]
    if task.epsilon != CLEANED_EPSILON:
        return rows
    if holder:
        for rule in BUDGETS:
            removed = audited(model, rule)
            rows.append(refitted(removed, split, task, task.gamma, task.method, rule))
    elif task.method == "StdBayes":
        nothing = removal(split.outlier & False, split.outlier)
        rows.append(
            CleaningRow(
                task.dataset,
                COMPARED_GAMMA,
                "",
                "No cleaning",
                task.split,
                nothing,
                *tested(model, split),
            )
        )
    return rows


def _thinned_auprc(model, split):
    return ranking(thinned_fod(model, split.X, split.y), split.outlier).auprc


def _normal_nlpd(model, split):
    return normal_nlpd(model, split.X_test, split.y_test, split.unit)


def _exact_row(task, split):
    model = ExactBayes().fit(split.X, split.y)
    scores = -model.score_samples(split.X, split.y)
    return FitRow(
        task.dataset,
        task.epsilon,
        None,
        task.method,
        task.split,
        *tested(model, split),
        ranking(scores, split.outlier),
        Share(),
        auprc_400=NAN,
        nlpd_normal=NAN,
        temperature=1.0,
        r_hat=NAN,
        ess=NAN,
        warned=[],
    )


def removal_work(task, folder):
    split = make_split(load(task.dataset, folder), task.split, task.epsilon)
    removed = compared(task.rule, split, task.count, task.split)
    return [refitted(removed, split, task, task.gamma, "", task.rule)]


def fit_tasks(splits, gammas, n_draws):
    """Every (set, epsilon, split, method, gamma), for the splits of each set."""
    pairs = {0.0: [*grid(gammas), ("Exact", None)]}
    pairs[CLEANED_EPSILON] = pairs[0.0] + [("GammaDivLog", gamma) for gamma in gammas]
    return [
        FitTask(dataset, epsilon, gamma, method, split, n_draws)
        for dataset, seeds in splits.items()
        for epsilon, methods in pairs.items()
        for method, gamma in methods
        for split in seeds
    ]


def removal_tasks(rows, n_draws):
    """The comparators, each with DPD's central budget of the same split."""
    return [
        RemovalTask(
            row["dataset"], row["eps0"], row["gamma"], rule, row["k_mean"], row["split"], n_draws
        )
        for rule in reversed(COMPARATORS)
        for row in rows
        if (row["method"], row["gamma"], row["eps0"]) == ("DPD", COMPARED_GAMMA, CLEANED_EPSILON)
    ]


def add_gap_closed(rows):
    """The share of the RMSE gap between no cleaning and the oracle that a rule closes, by split."""
    ends = {(r["dataset"], r["split"], r["rule"]): r["rmse"] for r in rows}
    for row in rows:
        none = ends[row["dataset"], row["split"], "No cleaning"]
        oracle = ends[row["dataset"], row["split"], "Oracle"]
        row["gap_closed"] = (none - row["rmse"]) / (none - oracle)


def with_matched(rows, n_splits, matched):
    """Rows of the first splits, then cal-housing's matched ones under a name of their own."""
    first = [row for row in rows if row["split"] < n_splits]
    again = [row for row in rows if row["dataset"] == "cal-housing" and row["split"] in matched]
    return first + [{**row, "dataset": MATCHED} for row in again]


def save(out, fits, cleaned, n_splits, matched):
    """Write both CSV files; all splits, and the averages that the tables print."""
    write_csv(out / "fits.csv", fits)
    write_csv(out / "cleaning.csv", cleaned)
    by_fit = average(with_matched(fits, n_splits, matched), ("dataset", "eps0", "gamma", "method"))
    by_rule = average(
        with_matched(cleaned, n_splits, matched), ("dataset", "gamma", "method", "rule")
    )
    return by_fit, by_rule


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with the sets; fetched otherwise")
    parser.add_argument("--published", type=Path, help="folder with the published tables")
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--quick", action="store_true", help="one split, gamma 0.5")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--draws", type=int, help="16000, the paper's number; 4000 with --quick")
    parser.add_argument("--datasets", nargs="+", choices=list(DATASETS), default=list(DATASETS))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    begun = time.perf_counter()
    n_splits, gammas = (1, (COMPARED_GAMMA,)) if options.quick else (options.splits, GAMMAS)
    n_draws = options.draws or (4000 if options.quick else 16000)
    # Loaded here first: a fetcher downloads once, and not in every process.
    sets = {name: load(name, options.data) for name in options.datasets}
    splits = {name: list(range(n_splits)) for name in sets}
    matched = []
    if "cal-housing" in sets and not options.quick:
        matched = matched_splits(sets["cal-housing"])
        splits["cal-housing"] = sorted({*splits["cal-housing"], *matched})
    log = options.out / "real_data.jsonl"
    tasks = fit_tasks(splits, gammas, n_draws)
    finished = run(tasks, partial(fit_work, folder=options.data), log, options.jobs)
    fits = [flat(entry.rows[0]) for entry in finished]
    tasks = removal_tasks(fits, n_draws)
    rest = run(tasks, partial(removal_work, folder=options.data), log, options.jobs)
    cleaned = [flat(row) for entry in finished for row in entry.rows[1:]]
    cleaned += [flat(entry.rows[0]) for entry in rest]
    add_gap_closed(cleaned)
    averages = save(options.out, fits, cleaned, n_splits, matched)
    text = report(fits, *averages, options.published)
    (options.out / "real_data.rst").write_text(text)
    print(text)
    if options.quick:
        print("One split stands beside means of five: misses by chance are to be expected.")
    seconds = sum(entry.seconds for entry in [*finished, *rest])
    print(f"{time.perf_counter() - begun:.0f} s here; {seconds:.0f} s of work in all")


if __name__ == "__main__":
    main()
