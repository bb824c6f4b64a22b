"""Every set of a folder with default settings: nothing may break, and warnings say what is odd.

Comma-separated files are regressions on their last column, or on the one that ``TARGETS`` names,
and densities where there is none, or with ``--density``; ``.npz`` files (with ``X``) are densities.
Columns of text, labels and rows with missing values are left out. One line for each: n, p, gamma_,
epsilon_, count and interval, verdict, R-hat, ESS, seconds, warnings.

    python examples/studies/all_sets.py FOLDER [--density] [--match NAME]
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from skholder import HolderBayesDensity, HolderBayesRegressor

# Classic sets whose target is not their last column; None: they have none.
TARGETS = {
    "biomassTill": "Biomass",
    "bushfire": None,
    "foodstamp": "participation",
    "michelson": "Speed",
    "milk": None,
    "motor": "accel",
    "radarImage": None,
    "steamUse": "Steam",
    "NOxEmissions": "LNOx",
}
# Names of rows, and columns that were made out of others.
LABELS = {
    "biomassTill": ["Biom.2"],
    "kootenay": ["year"],
    "motor": ["strata", "v"],
    "NOxEmissions": ["julday"],
}


def tables(folder, density):
    """(name, X, y or None) of every file, small ones first."""
    for path in sorted(folder.rglob("*"), key=lambda path: (path.stat().st_size, path.name)):
        name = path.name.split(".")[0]
        if path.suffix == ".npz":
            yield name, np.load(path, allow_pickle=False)["X"], None
        elif path.name.endswith((".csv", ".csv.gz")):
            frame = pd.read_csv(path).select_dtypes("number").dropna()
            frame = frame.drop(columns=LABELS.get(name, []))
            target = TARGETS.get(name, frame.columns[-1])
            if density or target is None or frame.shape[1] == 1:
                yield name, frame, None
            else:
                yield name, frame.drop(columns=target), frame[target]


def line(name, X, y):
    kind = HolderBayesDensity if y is None else HolderBayesRegressor
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = kind(random_state=0).fit(X, y)
        except ValueError as error:
            return f"{name}: n={len(X)}, p={X.shape[1]}: refused: {error}"
    seconds = time.perf_counter() - start
    report, counts = model.diagnostics_, model.outlier_count_posterior_
    low, high = np.quantile(counts, [0.025, 0.975])
    told = sorted({one.category.__name__ for one in caught})
    return (
        f"{name}: n={len(X)}, p={X.shape[1]}, gamma={model.gamma_:.2f}, "
        f"epsilon={model.epsilon_:.3f}, K={counts.mean():.1f} [{low:.0f}, {high:.0f}], "
        f"{model.adequacy_.verdict}, R-hat {max(report.r_hat.values()):.3f}, "
        f"ESS {min(report.ess_bulk.values()):.0f}, {seconds:.1f} s, "
        f"{', '.join(told) or 'no warning'}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--density", action="store_true")
    parser.add_argument("--match", default="")
    args = parser.parse_args()
    for name, X, y in tables(args.folder, args.density):
        if args.match in name:
            print(line(name, X, y), flush=True)


if __name__ == "__main__":
    main()
