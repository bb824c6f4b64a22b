"""
Fuzzing
=======

The state machine of ``tests/hostile/fuzzing.py`` fits, asks, copies and re-parametrises every
estimator in random orders, on random tables, and checks what must hold after each step. The test
suite runs a few examples of it; this study runs as many as fit into the time given::

    python examples/studies/fuzz.py --minutes 20
    python examples/studies/fuzz.py --minutes 5 --kind density --seed 100 --shrink

It prints the steps that led to each failure and, at the end or at Ctrl-C, how many examples and
steps were run; the exit code is 1 if any failed.
"""

import argparse
import signal
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "hostile"))

from fuzz_settings import KINDS
from fuzzing import DONE, machine
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

# Examples of one seed: a failure ends them, and the next seed goes on.
BATCH = 10
# The last frames of a failure that are shown.
FRAMES = 5


def run_batch(kind, seed, shrink):
    """Run one batch; the failure as text, or None."""
    phases = [Phase.generate, Phase.shrink] if shrink else [Phase.generate]
    plan = settings(
        max_examples=BATCH,
        stateful_step_count=10,
        deadline=None,
        database=None,
        phases=phases,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    try:
        run_state_machine_as_test(machine(kind, seed), settings=plan)
    except Exception as error:
        steps = "\n".join(getattr(error, "__notes__", ()))
        frames = "".join(traceback.format_tb(error.__traceback__)[-FRAMES:])
        return f"{steps}\n{frames}{type(error).__name__}: {error}"
    return None


def main():
    parser = argparse.ArgumentParser(description="Fuzz every estimator for some minutes.")
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--kind", default="", help="estimators whose name has this text in it")
    parser.add_argument("--shrink", action="store_true", help="simplify failures (takes minutes)")
    args = parser.parse_args()
    kinds = [kind for kind in KINDS if args.kind in kind]
    # A shell that starts it in the background would have it ignore an interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    start, seed, n_failed = time.monotonic(), args.seed, 0
    try:
        while time.monotonic() - start < 60 * args.minutes:
            for kind in kinds:
                if time.monotonic() - start > 60 * args.minutes:
                    break
                failure = run_batch(kind, seed, args.shrink)
                if failure is not None:
                    n_failed += 1
                    print(f"--- {kind}, seed {seed}\n{failure}", flush=True)
            seed += 1
    except KeyboardInterrupt:
        print("Interrupted; so far:")
    counts = ", ".join(f"{n:,} {what}" for what, n in DONE.items())
    seconds = time.monotonic() - start
    print(f"Seeds {args.seed} to {seed - 1}, {seconds:.0f} s: {counts}; {n_failed} failures.")
    return int(n_failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
