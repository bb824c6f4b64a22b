"""Any model: audits by a linear fit and by trees, beside cleanlab's where that is installed.

Six real tables, 3,000 rows each. A tenth of the responses is moved up or down by 1.5, 2 and 3 of
their standard deviations; then each method says which rows they are and how many.

``--refit``: trees trained on clean and on spoiled responses and without the rows an audit flags;
"closed" is the share of the gap in test error that this closes. ``--clean``: what is flagged where
nothing was moved, and what the adequacy says of it. Without ``--data`` two simulated tables stand
in.

    python examples/studies/any_model.py [--data FOLDER [--sets NAME ...]] [--rows 3000]
        [--seed 1] [--without cleanlab ...] [--refit | --clean]
"""

import argparse
import time
import warnings
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import average_precision_score, root_mean_squared_error

from skholder import HolderBayesRegressor, ModelAuditor

SHIFTS, SHARE = (1.5, 2.0, 3.0), 0.1
# Settings of ModelAuditor, by the name under which they are printed.
AUDITS = {
    "trees": {},
    "trees, fitted": {"scale": "fitted"},
    "trees, auto": {"noise": "auto"},
    "fitted, auto": {"scale": "fitted", "noise": "auto"},
}
SETS = {
    "kin8nm": "kin8nm",
    "cal_housing": "cal_housing",
    "puma32H": "puma32H",
    "pumadyn_8nh": "pumadyn_8nh",
    "pumadyn_8fh": "pumadyn_8fh",
    "NOxEmissions": "robust_classic/NOxEmissions",
}
# Columns to take, the response last, where a file has it elsewhere.
COLUMNS = {"NOxEmissions": ["LNOxEm", "sqrtWS", "julday", "LNOx"]}


def trees(loss="absolute_error"):
    return HistGradientBoostingRegressor(loss=loss, max_iter=100, random_state=0)


def tables(folder, names, rows):
    """Name, training X and y, and test X and y of each table."""
    for name, table in _files(folder, names) if folder else _simulated(2 * rows):
        order = np.random.default_rng(0).permutation(len(table))
        part, rest = table[order[:rows]], table[order[rows : 2 * rows]]
        yield name, part[:, :-1], part[:, -1], rest[:, :-1], rest[:, -1]


def _files(folder, names):
    import pandas as pd

    for name in names:
        frame = pd.read_csv(Path(folder) / f"{SETS[name]}.csv.gz")
        yield name, frame[COLUMNS.get(name, list(frame))].to_numpy(float)


def _simulated(n):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(n, 5))
    mean = np.sin(2 * X[:, 0]) * X[:, 1] + X[:, 2] ** 2
    for name, sd in (("constant noise", 0.3), ("growing noise", 0.15 * (3 + X[:, 3]))):
        yield name, np.column_stack([X, mean + sd * rng.normal(size=n)])


def spoiled(y, shift, seed=1):
    """Responses with a tenth moved by ``shift`` standard deviations, and which they are."""
    rng = np.random.default_rng(seed)
    bad = np.zeros(len(y), dtype=bool)
    bad[rng.permutation(len(y))[: int(SHARE * len(y))]] = True
    return y + np.where(bad, rng.choice([-1, 1], len(y)) * shift * y.std(), 0), bad


def linear(X, y):
    model = HolderBayesRegressor(random_state=0).fit(X, y)
    audit = model.audit()
    return -model.log_density_, audit.mask, model.epsilon_, model.epsilon_interval_


def auditor(loss="absolute_error", **settings):
    return ModelAuditor(trees(loss), random_state=0, refit=False, **settings)


def by_trees(settings):
    def audit(X, y):
        model = auditor(**settings).fit(X, y)
        return -model.log_density_, model.audit_.mask, model.epsilon_, model.epsilon_interval_

    return audit


def by_cleanlab(X, y):
    from cleanlab.regression.learn import CleanLearning

    found = CleanLearning(trees(), seed=0, verbose=False).find_label_issues(X, y)
    mask = found["is_label_issue"].to_numpy()
    return -found["label_quality"].to_numpy(), mask, mask.mean(), (np.nan, np.nan)


def methods(left_out):
    found = {"linear": linear, **{name: by_trees(given) for name, given in AUDITS.items()}}
    if find_spec("cleanlab") is None:
        print("cleanlab is not installed: left out")
    else:
        found["cleanlab"] = by_cleanlab
    return {name: audit for name, audit in found.items() if name not in left_out}


def one(audit, X, y, bad):
    """AUPRC, share, its interval, precision, recall, and processor seconds."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        score, mask, share, (low, high) = audit(X, y)
    seconds = time.process_time() - start
    hit = np.sum(mask & bad)
    precision = hit / max(mask.sum(), 1)
    numbers = average_precision_score(bad, score), share, low, high, precision, hit / bad.sum()
    return *numbers, seconds


def compare(listed, left_out, seed):
    compared = methods(left_out)
    collected = {name: [] for name in compared}
    for (name, X, clean, *_), shift in product(listed, SHIFTS):
        y, bad = spoiled(clean, shift, seed)
        for method, audit in compared.items():
            numbers = one(audit, X, y, bad)
            collected[method].append(numbers)
            auprc, share, low, high, precision, recall, seconds = numbers
            print(
                f"{name:13} +-{shift} sd {method:15} AUPRC {auprc:.3f}, share {share:.3f} "
                f"[{low:.3f}, {high:.3f}], precision {precision:.2f}, recall {recall:.2f}, "
                f"{seconds:.1f} s",
                flush=True,
            )
    for method, numbers in collected.items():
        auprc, share, *_, precision, recall, seconds = np.transpose(numbers)
        print(
            f"mean of {method}: AUPRC {auprc.mean():.3f}, |share - {SHARE}| "
            f"{np.abs(share - SHARE).mean():.3f}, precision {precision.mean():.2f}, recall "
            f"{recall.mean():.2f}, {seconds.mean():.1f} s"
        )


def gaps(listed):
    """Test error of trees with squared loss, trained on clean, spoiled and audited responses."""
    for name, X, clean, X_test, y_test in listed:
        y, _ = spoiled(clean, SHIFTS[-1])

        def error(rows, response):
            model = trees("squared_error").fit(X[rows], response[rows])  # noqa: B023
            return root_mean_squared_error(y_test, model.predict(X_test))  # noqa: B023

        every = np.ones(len(y), dtype=bool)
        worst, best = error(every, y), error(every, clean)
        told = []
        for loss, (label, settings) in product(("squared_error", "absolute_error"), AUDITS.items()):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                audit = auditor(loss, **settings).fit(X, y).audit_
            closed = (worst - error(~audit.mask, y)) / (worst - best)
            told.append(f"{label} ({loss}) {closed:.0%}")
        print(
            f"{name:13} test error, clean {best:.4g}, spoiled {worst:.4g}; closed by "
            f"{', '.join(told)}",
            flush=True,
        )


def clean_tables(listed):
    for (name, X, y, *_), (label, settings) in product(listed, AUDITS.items()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = auditor(**settings).fit(X, y)
        print(
            f"{name:13} clean, {label}: fdr flags {model.audit('fdr').mask.mean():.1%}, share "
            f"{model.epsilon_:.3f}, P(clean) {model.clean_probability_:.2f}. "
            f"{model.adequacy_.sentence}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data")
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--seed", type=int, default=1, help="of the rows that are moved")
    parser.add_argument("--without", nargs="+", default=[], help="methods to leave out")
    parser.add_argument("--refit", action="store_true")
    parser.add_argument("--clean", action="store_true")
    args = parser.parse_args()
    listed = list(tables(args.data, args.sets, args.rows))
    if args.refit:
        gaps(listed)
    if args.clean:
        clean_tables(listed)
    if not (args.refit or args.clean):
        compare(listed, args.without, args.seed)


if __name__ == "__main__":
    main()
