"""Time and memory of a default fit as rows and columns grow.

Each case runs in a process of its own; the table shows time as a multiple of the case before it
with the same number of columns, and peak memory above the input arrays.

Run: ``python examples/benchmarks/bench_scaling.py [--quick] [--csv FILE]``
"""

import argparse
import csv
import multiprocessing
import resource
import time
import warnings
from pathlib import Path

import numpy as np


def fit_once(n, p, queue):
    from skholder import HolderBayesRegressor

    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    HolderBayesRegressor(n_draws=400, random_state=0).fit(
        rng.normal(size=(50, 2)), rng.normal(size=50)
    )
    X = rng.normal(size=(n, p))
    y = X @ rng.normal(size=p) + rng.normal(size=n)
    y[rng.random(n) < 0.2] += 6
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    model = HolderBayesRegressor(random_state=0).fit(X, y)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    queue.put((seconds, (after - before) / 1024, model.epsilon_, model.diagnostics_.n_evaluations))


def run(n, p):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=fit_once, args=(n, p, queue))
    process.start()
    result = queue.get()
    process.join()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="up to 1e5 rows, 4 columns")
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    sizes = [10**3, 10**4, 10**5] if options.quick else [10**3, 10**4, 10**5, 10**6]
    widths = [4] if options.quick else [4, 10, 64]
    rows = []
    print(f"{'n':>8} {'p':>3} {'seconds':>8} {'x before':>8} {'MB above input':>14} {'evals':>6}")
    for p in widths:
        last = None
        for n in sizes:
            seconds, memory, _, n_evaluations = run(n, p)
            ratio = seconds / last if last else float("nan")
            print(
                f"{n:8d} {p:3d} {seconds:8.2f} {ratio:8.1f} {memory:14.0f} {n_evaluations:6d}",
                flush=True,
            )
            rows.append([n, p, seconds, ratio, memory, n_evaluations])
            last = seconds
    if options.csv:
        with options.csv.open("w", newline="") as file:
            csv.writer(file).writerows(rows)


if __name__ == "__main__":
    main()
