"""A table larger than memory: passes, peak memory, and agreement with the fit in memory.

Writes a directory of Parquet files with ``rows`` rows of ten columns (4 GB for 5e7), fits it as a
row source in a process of its own and reports passes, seconds for each pass and peak resident
memory; then compares a smaller table with its fit in memory.

    python examples/benchmarks/bench_streaming.py FOLDER [--rows 50000000] [--draws 1000]
"""

import argparse
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from skholder import HolderBayesRegressor
from skholder.rows import ParquetSource

COLUMNS, FILE_ROWS = 10, 2_000_000


def part(number, size):
    rng = np.random.default_rng([7, number])
    X = rng.normal(size=(size, COLUMNS))
    y = X.sum(axis=1) + rng.normal(size=size)
    y[rng.random(size) < 0.1] += 8
    return X, y


def write(folder, n_rows):
    """The files that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, start in enumerate(range(0, n_rows, FILE_ROWS)):
        path = folder / f"part-{number:04d}.parquet"
        if path.exists():
            continue
        X, y = part(number, min(FILE_ROWS, n_rows - start))
        table = pa.table({f"x{j}": X[:, j] for j in range(COLUMNS)} | {"y": y})
        pq.write_table(
            table, path, row_group_size=131_072, compression="none", use_dictionary=False
        )


def fit(folder, draws):
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = HolderBayesRegressor(n_draws=draws, random_state=0)
        model.fit(ParquetSource(folder, target="y"))
    seconds = time.perf_counter() - start
    passes = model.diagnostics_.n_passes
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{model.record_.n_rows:,} rows: {seconds:.0f} s, {passes} passes, "
        f"{seconds / passes:.2f} s a pass, peak {peak:.2f} GB, "
        f"gamma {model.gamma_:.2f}, epsilon {model.epsilon_:.6f} "
        f"[{model.epsilon_interval_[0]:.6f}, {model.epsilon_interval_[1]:.6f}], "
        f"K {np.quantile(model.outlier_count_posterior_, [0.025, 0.975])}, "
        f"coef 0 {model.coef_[0]:.6f}, {model.diagnostics_.n_evaluations:,} evaluations, "
        f"largest R-hat {max(model.diagnostics_.r_hat.values()):.4f}",
        flush=True,
    )
    return model


def compare(folder, draws):
    """The fit of one file, as a source and in memory."""
    streamed = fit(folder, draws)
    X, y = part(0, FILE_ROWS)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        memory = HolderBayesRegressor(n_draws=draws, random_state=0).fit(X, y)
    print(f"in memory: {time.perf_counter() - start:.0f} s, epsilon {memory.epsilon_:.6f}")
    error = np.sqrt(memory.posterior_["coef"].var(axis=0) / draws)
    print(
        f"coefficients differ by at most {np.max(np.abs(streamed.coef_ - memory.coef_)):.1e} "
        f"(Monte Carlo error {error.max():.1e}), epsilon by "
        f"{abs(streamed.epsilon_ - memory.epsilon_):.1e} (its sd "
        f"{memory.epsilon_posterior_.std():.1e})"
    )
    fod = np.concatenate(
        [block.fod for block in streamed.audit_blocks(ParquetSource(folder, target="y"))]
    )
    print(f"FoD differs by at most {np.max(np.abs(fod - memory.fod_scores_)):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--only", choices=("large", "small"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.only == "large":
        fit(args.folder / "large", args.draws)
        return
    write(args.folder / "large", args.rows)
    # A process of its own, whose peak memory is that of the fit.
    command = [sys.executable, __file__, str(args.folder), "--draws", str(args.draws)]
    subprocess.run([*command, "--only", "large"], check=True)
    write(args.folder / "small", FILE_ROWS)
    compare(args.folder / "small", args.draws)


if __name__ == "__main__":
    main()
