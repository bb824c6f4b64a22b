"""Dropping suspicious training rows, y included: the audit beside other detectors.

2000 rows, 5 covariates; 20% of the training responses are shifted by 6 standard deviations of y.
Each cleaning rule removes rows from the training data only; the table shows the RMSE of a Ridge and
of gradient-boosted trees on clean test data, and the share of the gap between no cleaning and
oracle cleaning that is closed. The other detectors see X and y side by side and remove as many rows
as the audit does.

Run: ``python examples/cleaning.py [--replicates 5]``
"""

import argparse

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor, IsolationForest
from sklearn.linear_model import Ridge
from sklearn.metrics import root_mean_squared_error
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from skholder import AuditedEstimator


def make_data(seed, n=2000, p=5, share=0.2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * n, p))
    y = X @ rng.normal(size=p) + rng.normal(size=2 * n)
    outlier = rng.random(n) < share
    spoiled = y[:n] + 6 * y.std() * outlier
    return X[:n], spoiled, outlier, X[n:], y[n:]


def others(X, y, count):
    """Row sets flagged by three detectors on the columns of (X, y), ``count`` rows each."""
    Z = StandardScaler().fit_transform(np.column_stack([X, y]))
    forest = IsolationForest(n_estimators=200, random_state=0).fit(Z)
    svm = OneClassSVM(nu=float(np.clip(count / len(Z), 0.01, 0.5))).fit(Z)
    scores = {
        "IsolationForest": forest.score_samples(Z),
        "LocalOutlierFactor": LocalOutlierFactor().fit(Z).negative_outlier_factor_,
        "OneClassSVM": svm.score_samples(Z),
    }
    return {name: np.argsort(score)[:count] for name, score in scores.items()}


def rmse(model, train, keep, test):
    X, y = train
    return root_mean_squared_error(test[1], clone(model).fit(X[keep], y[keep]).predict(test[0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--replicates", type=int, default=5)
    n_replicates = parser.parse_args().replicates
    models = {"Ridge": Ridge(), "trees": HistGradientBoostingRegressor(random_state=0)}
    table = {name: {} for name in models}
    for seed in range(n_replicates):
        X, y, outlier, *test = make_data(seed)
        for name, model in models.items():
            audited = AuditedEstimator(model, random_state=seed).fit(X, y)
            weighted = AuditedEstimator(model, mode="weight", random_state=seed).fit(X, y)
            everything = np.ones(len(y), dtype=bool)
            results = {
                "no cleaning": rmse(model, (X, y), everything, test),
                "oracle": rmse(model, (X, y), ~outlier, test),
                "AuditedEstimator, drop": root_mean_squared_error(
                    test[1], audited.predict(test[0])
                ),
                "AuditedEstimator, weight": root_mean_squared_error(
                    test[1], weighted.predict(test[0])
                ),
            }
            for rule, rows in others(X, y, audited.audit_.count).items():
                keep = everything.copy()
                keep[rows] = False
                results[rule] = rmse(model, (X, y), keep, test)
            for rule, value in results.items():
                table[name].setdefault(rule, []).append(value)
    for name, rows in table.items():
        mean = {rule: np.mean(values) for rule, values in rows.items()}
        gap = mean["no cleaning"] - mean["oracle"]
        print(f"\n{name:>26} {'RMSE':>7} {'gap closed':>11}")
        for rule, value in mean.items():
            print(f"{rule:>26} {value:7.3f} {(mean['no cleaning'] - value) / gap:11.1%}")


if __name__ == "__main__":
    main()
