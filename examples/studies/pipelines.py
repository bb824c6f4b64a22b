"""Defaults in the pipelines of others: a classifier, and a detector in place of another one.

Breast cancer (scikit-learn's copy, 569 rows, 30 columns): rows that ``AuditedEstimator`` around a
logistic regression takes from each class. Then the same pipeline with ``IsolationForest`` and with
``OutlierAuditor`` at 30, 100 and 500 columns: 1,000 rows of five factors, of which 5% are spoiled.
Spoiled rows have, in a tenth of their columns, values of other rows moved by ``--shift`` standard
deviations; or, with ``--shift 0``, just the values of other rows, which no single column shows.

    python examples/studies/pipelines.py [--shift 2] [--columns 30 100 500]
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skholder import AuditedEstimator, OutlierAuditor

ROWS, SHARE, FACTORS = 1000, 0.05, 5


def cancer():
    """Print what each class loses, and what was warned of."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = AuditedEstimator(LogisticRegression(), random_state=0).fit(X, y)
    seconds = time.process_time() - start
    lost = model.audit_.mask
    for label, name in ((0, "malignant"), (1, "benign")):
        rows = y == label
        print(f"breast cancer, {name}: {rows.sum()} rows, {lost[rows].sum()} taken out", end="")
        print(f" ({lost[rows].mean():.1%}; of all rows {lost.mean():.1%})")
    print(f"breast cancer: accuracy on all rows {model.score(X, y):.3f}, {seconds:.1f} s")
    for warning in caught:
        print(f"breast cancer: {warning.category.__name__}: {warning.message}")


def factor_table(k, shift, seed=0):
    """A table (ROWS, k), and which of its rows are spoiled."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, FACTORS)) @ rng.normal(size=(FACTORS, k))
    X += rng.normal(size=X.shape)
    bad = np.arange(ROWS) < SHARE * ROWS
    honest = X.copy()
    for row in np.flatnonzero(bad):
        cells = rng.choice(k, k // 10, replace=False)
        X[row, cells] = honest[rng.integers(ROWS, size=len(cells)), cells]
        X[row, cells] += shift * rng.choice([-1, 1], len(cells)) * honest.std(axis=0)[cells]
    return X, bad


def swap(k, shift):
    X, bad = factor_table(k, shift)
    for detector in (IsolationForest(random_state=0), OutlierAuditor(random_state=0)):
        pipeline = make_pipeline(StandardScaler(), detector)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            flagged = pipeline.fit_predict(X) == -1
            score, decision = pipeline.score_samples(X), pipeline.decision_function(X)
        seconds = time.process_time() - start
        agree = np.mean((decision < 0) == flagged)
        print(
            f"{k} columns, {type(detector).__name__}: AUROC {roc_auc_score(bad, -score):.3f}, "
            f"{flagged.sum()} rows flagged, {np.sum(flagged & bad)} of {bad.sum()} spoiled ones, "
            f"sign of decision_function as predict in {agree:.1%}, {seconds:.1f} s",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shift", type=float, default=2.0)
    parser.add_argument("--columns", type=int, nargs="+", default=[30, 100, 500])
    args = parser.parse_args()
    cancer()
    for k in args.columns:
        swap(k, args.shift)


if __name__ == "__main__":
    main()
