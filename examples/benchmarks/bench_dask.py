"""Dask: agreement with the fit in memory, one worker against two, growth with rows, a lost worker.

Rows are generated in chunks on the workers, anew in every pass.

    python examples/benchmarks/bench_dask.py [--rows 1000000,20000000] [--draws 1000]
"""

import argparse
import os
import signal
import threading
import time
import warnings

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from skholder import HolderBayesRegressor

COLUMNS, CHUNK = 10, 250_000


def chunk(block_info=None):
    start, stop = block_info[None]["array-location"][0]
    rng = np.random.default_rng([3, start])
    rows = rng.normal(size=(stop - start, COLUMNS + 1))
    rows[:, -1] += rows[:, :-1].sum(axis=1)
    rows[rng.random(stop - start) < 0.1, -1] += 8
    return rows


def table(n):
    rows = da.map_blocks(
        chunk, chunks=((CHUNK,) * (n // CHUNK), (COLUMNS + 1,)), dtype=float, meta=np.empty((0, 0))
    )
    return rows[:, :-1], rows[:, -1]


def fitted(n, draws):
    start = time.perf_counter()
    model = HolderBayesRegressor(n_draws=draws, random_state=0).fit(*table(n))
    return model, time.perf_counter() - start


def cluster(n_workers):
    return LocalCluster(
        n_workers=n_workers, threads_per_worker=1, memory_limit="1GB", dashboard_address=None
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="1000000,20000000")
    parser.add_argument("--two-workers-rows", type=int, default=10_000_000)
    parser.add_argument("--draws", type=int, default=1000)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    few = 4 * CHUNK
    X, y = dask.compute(*table(few), scheduler="threads")
    memory = HolderBayesRegressor(n_draws=args.draws, random_state=0).fit(X, y)
    seconds = {}
    for n_workers in (1, 2):
        with cluster(n_workers) as workers, Client(workers):
            _, seconds[n_workers] = fitted(args.two_workers_rows, args.draws)
    print(
        f"{args.two_workers_rows:,} rows: one worker {seconds[1]:.0f} s, two {seconds[2]:.0f} s, "
        f"{seconds[1] / seconds[2]:.2f} times as fast",
        flush=True,
    )
    with cluster(2) as workers, Client(workers) as client:
        model, took = fitted(few, args.draws)
        print(
            f"{few:,} rows: {took:.0f} s, coefficients differ from those in memory by at most "
            f"{np.max(np.abs(model.coef_ - memory.coef_)):.1e} (posterior sd "
            f"{memory.posterior_['coef'].std(axis=0).max():.1e}), epsilon by "
            f"{abs(model.epsilon_ - memory.epsilon_):.1e}",
            flush=True,
        )
        processes = list(client.run(os.getpid).values())
        threading.Timer(took / 3, os.kill, (processes[0], signal.SIGKILL)).start()
        other, _ = fitted(few, args.draws)
        print(f"a worker killed: largest change of a draw {_change(model, other):.1e}", flush=True)
    with cluster(2) as workers, Client(workers):
        for n in map(int, args.rows.split(",")):
            model, took = fitted(n, args.draws)
            print(
                f"{n:,} rows: {took:.0f} s, {1e6 * took / n:.1f} s a million, "
                f"{model.diagnostics_.n_passes} passes, epsilon {model.epsilon_:.5f}",
                flush=True,
            )


def _change(one, other):
    return max(
        np.max(np.abs(one.posterior_[name] - other.posterior_[name])) for name in one.posterior_
    )


if __name__ == "__main__":
    main()
