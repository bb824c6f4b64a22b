"""
Hostile tables
==============

The test suite fits a part of the tables of ``tests/hostile`` with a part of the settings; this
study fits every table with every setting: degenerate shapes, ties, constant and collinear columns,
one huge value, numbers of size 1e-320 to 1e300, offsets to 1e15, odd arrays and weights. Each fit
must answer with finite numbers or refuse with a clear ValueError before any work is done. With
``--sources`` every table is fitted in memory and as a row source, and the answers must agree up to
Monte Carlo error (in the test suite: to rounding).

Run all of it (an hour or two on one core), a part of it by name, or every k-th case::

    python examples/studies/hostile.py
    python examples/studies/hostile.py --sources
    python examples/studies/hostile.py --table offset --setting Density
    python examples/studies/hostile.py --every 10 --from 3

It prints one line for each fault and, at the end or at Ctrl-C, the counts by kind; the exit code is
1 if there are any.
"""

import argparse
import sys
import time
from collections import Counter
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "hostile"))

from hostile_cases import FAULTS, SETTINGS, examine
from hostile_tables import TABLES
from source_cases import SOURCE_SETTINGS, compare

# A row source's answer may differ from that in memory by so many Monte Carlo errors.
ERRORS = 3.0


def main():
    parser = argparse.ArgumentParser(description="Fit hostile tables and count what goes wrong.")
    parser.add_argument("--table", default="", help="tables whose name has this text in it")
    parser.add_argument("--setting", default="", help="settings whose name has this text in it")
    parser.add_argument("--every", type=int, default=1, help="only every k-th case")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first of them")
    parser.add_argument("--quick", action="store_true", help="do not fit again to compare")
    parser.add_argument("--sources", action="store_true", help="row sources beside memory")
    args = parser.parse_args()
    settings = SOURCE_SETTINGS if args.sources else SETTINGS
    cases = [
        (table, setting)
        for table, setting in product(TABLES, settings)
        if args.table in table and args.setting in setting
    ][args.first :: args.every]
    start, seen, n_done = time.perf_counter(), Counter(), 0
    try:
        for table, setting in cases:
            estimator, made = settings[setting], TABLES[table]()
            found = (
                compare(estimator, made, errors=ERRORS)
                if args.sources
                else examine(estimator, made, deep=not args.quick)
            )
            for kind, detail in found:
                seen[kind] += 1
                print(f"{kind:16s} {table:24s} {setting:60s} {detail}", flush=True)
            n_done += 1
    except KeyboardInterrupt:
        print("Interrupted; so far:")
    counts = ", ".join(f"{seen[kind]} {kind}" for kind in FAULTS)
    seconds = time.perf_counter() - start
    print(f"{n_done} of {len(cases)} cases in {seconds:.0f} s: {counts}.")
    return int(any(seen.values()))


if __name__ == "__main__":
    raise SystemExit(main())
