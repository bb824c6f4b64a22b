"""A full posterior and an audit, timed beside the detectors people use today.

Prints each method's time as a multiple of IsolationForest's (200 trees, fit and score_samples) in
the same run; absolute seconds are machine noise. Shape of California housing: 16,512 rows, 8
covariates; and a density of 10,000 rows in 8 columns.

Run: ``python examples/benchmarks/bench_detectors.py [--quick] [--csv FILE]``
"""

import argparse
import csv
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.covariance import EllipticEnvelope
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import HuberRegressor, RANSACRegressor
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

from skholder import HolderBayesDensity, HolderBayesRegressor


def make_data(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X @ rng.normal(size=p) + rng.normal(size=n)
    y[rng.random(n) < 0.2] += 6
    return X, y


def best_of(job, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return min(times)


def regression_jobs(X, y):
    Z = np.column_stack([X, y])
    return {
        "IsolationForest(200)": lambda: (
            IsolationForest(n_estimators=200, random_state=0).fit(Z).score_samples(Z)
        ),
        "HolderBayesRegressor": lambda: HolderBayesRegressor(random_state=0).fit(X, y),
        "HolderBayesRegressor, 1000 draws": lambda: HolderBayesRegressor(
            n_draws=1000, random_state=0
        ).fit(X, y),
        "HolderBayesRegressor, laplace": lambda: HolderBayesRegressor(
            inference="laplace", random_state=0
        ).fit(X, y),
        "LocalOutlierFactor": lambda: LocalOutlierFactor().fit(Z),
        "OneClassSVM": lambda: OneClassSVM(nu=0.2).fit(Z).score_samples(Z),
        "EllipticEnvelope": lambda: EllipticEnvelope(random_state=0).fit(Z).score_samples(Z),
        "HuberRegressor": lambda: HuberRegressor(max_iter=1000).fit(X, y),
        "RANSACRegressor": lambda: RANSACRegressor(random_state=0).fit(X, y),
    }


def density_jobs(Z):
    return {
        "IsolationForest(200)": lambda: (
            IsolationForest(n_estimators=200, random_state=0).fit(Z).score_samples(Z)
        ),
        "HolderBayesDensity, full": lambda: HolderBayesDensity(random_state=0).fit(Z),
        "EllipticEnvelope": lambda: EllipticEnvelope(random_state=0).fit(Z).score_samples(Z),
    }


def table(title, jobs, repeats):
    times = {name: best_of(job, repeats) for name, job in jobs.items()}
    unit = times["IsolationForest(200)"]
    print(f"\n{title}\n{'':>34} {'x forest':>9} {'seconds':>8}")
    for name, seconds in times.items():
        print(f"{name:>34} {seconds / unit:9.2f} {seconds:8.2f}", flush=True)
    return [[title, name, seconds / unit, seconds] for name, seconds in times.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="smaller data, one repeat")
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    n, m, repeats = (4000, 3000, 1) if options.quick else (16512, 10000, 3)
    X, y = make_data(n, 8)
    rows = table(f"regression, {n} rows, 8 covariates", regression_jobs(X, y), repeats)
    Z = make_data(m, 8)[0]
    Z[: m // 10] += 4
    rows += table(f"density, {m} rows, 8 columns", density_jobs(Z), repeats)
    if options.csv:
        with options.csv.open("w", newline="") as file:
            csv.writer(file).writerows([["case", "method", "times_forest", "seconds"], *rows])


if __name__ == "__main__":
    main()
