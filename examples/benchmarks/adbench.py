"""Default HolderBayesDensity beside three detectors on labelled outlier data.

For each ``.npz`` file with arrays ``X`` and ``y`` (1 = outlier) the table shows the area under the
ROC curve and seconds of our default density, EllipticEnvelope, IsolationForest (200 trees) and
LocalOutlierFactor, our posterior mean of the contamination beside the labelled share, and what the
fit says of the model.

Run: ``python examples/benchmarks/adbench.py --data FOLDER [--csv FILE]``

``--covariance diag`` (or ``full``, ``spectral``) fits all sets so; with ``--rows-per-parameter 25``
a full covariance of more than six columns needs so many rows for each parameter, instead of 5.
"""

import argparse
import csv
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.covariance import EllipticEnvelope
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

from skholder import HolderBayesDensity


def timed(score, X, y):
    start = time.perf_counter()
    values = score(X)
    return roc_auc_score(y, -values), time.perf_counter() - start


def peers():
    return {
        "envelope": lambda X: EllipticEnvelope(random_state=0).fit(X).score_samples(X),
        "forest": lambda X: (
            IsolationForest(n_estimators=200, random_state=0).fit(X).score_samples(X)
        ),
        "lof": lambda X: LocalOutlierFactor().fit(X).negative_outlier_factor_,
    }


def chosen(X, covariance, rows_per_parameter):
    """``covariance``, or spectral where the rows are too few for a full one."""
    k = X.shape[1]
    few = k > 6 and len(X) < rows_per_parameter * k * (k + 3) / 2
    return "spectral" if covariance == "auto" and few else covariance


def ours(X, y, covariance):
    """(AUROC, seconds, model) of the density, with default settings but for the covariance."""
    start = time.perf_counter()
    model = HolderBayesDensity(covariance_type=covariance, random_state=0).fit(X)
    seconds = time.perf_counter() - start
    if not np.all(np.isfinite(model.log_density_)):
        raise ArithmeticError("a score is not finite")
    return roc_auc_score(y, -model.log_density_), seconds, model


def kind(model):
    """The covariance that was fitted."""
    if model.covariance_type == "diag":
        return "diag"
    return "full" if "full" in model.record_.in_words() else "spectral"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with .npz files")
    parser.add_argument("--csv", type=Path)
    covariances = ("auto", "full", "spectral", "diag")
    parser.add_argument("--covariance", choices=covariances, default="auto")
    parser.add_argument("--rows-per-parameter", type=float, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    names = list(peers())
    print(
        f"{'set':>18} {'n':>6} {'k':>3} {'cov':>8} {'share':>6} {'epsilon':>7} | {'ours':>5} "
        + " ".join(f"{name:>8}" for name in names)
        + f" | seconds: {'ours':>6} "
        + " ".join(f"{name:>8}" for name in names)
        + " | model"
    )
    rows = []
    for path in sorted(options.data.glob("*.npz"), key=lambda p: int(p.stem.split("_")[0])):
        with np.load(path, allow_pickle=False) as file:
            X, y = file["X"].astype(float), file["y"]
        covariance = chosen(X, options.covariance, options.rows_per_parameter)
        auc, seconds, model = ours(X, y, covariance)
        others = [timed(peers()[name], X, y) for name in names]
        print(
            f"{path.stem:>18} {len(X):6d} {X.shape[1]:3d} {kind(model):>8} "
            f"{y.mean():6.3f} {model.epsilon_:7.3f} | {auc:5.3f} "
            + " ".join(f"{value:8.3f}" for value, _ in others)
            + f" |          {seconds:6.2f} "
            + " ".join(f"{value:8.2f}" for _, value in others)
            + f" | {model.adequacy_.verdict}",
            flush=True,
        )
        rows.append([path.stem, auc, *(v for v, _ in others), seconds, *(s for _, s in others)])
    mean = np.mean([row[1 : 2 + len(names)] for row in rows], axis=0)
    print("mean AUROC: ours " + ", ".join(f"{v:.3f}" for v in mean))
    if options.csv:
        with options.csv.open("w", newline="") as file:
            csv.writer(file).writerows(rows)


if __name__ == "__main__":
    main()
