"""Run configurations in parallel, and none of them twice.

A configuration is a frozen dataclass; the work on it returns a list of dataclasses, its rows. Each
finished configuration becomes one line of a JSON-lines file, written by the parent process alone,
so that an interrupted run resumes where it stopped.
"""

import json
import os
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass

from joblib import Parallel, delayed


@dataclass(frozen=True)
class Finished:
    """One line of the log: a configuration (as a dict), its rows and its cost."""

    task: dict
    rows: list
    seconds: float


def key(task):
    """The identity of a configuration: its fields, in a fixed order, as text."""
    return json.dumps(task if isinstance(task, dict) else asdict(task), sort_keys=True)


def load(path):
    """Finished configurations of a log by key; a last line cut short is ignored."""
    found = {}
    if path.exists():
        for line in path.read_text().splitlines():
            with suppress(json.JSONDecodeError):
                entry = Finished(**json.loads(line))
                found[key(entry.task)] = entry
    return found


def run(tasks, work, path, n_jobs=2):
    """Do ``work(task) -> rows`` for every task that the log at ``path`` lacks.

    Parameters
    ----------
    tasks : list of frozen dataclasses
    work : callable
        Runs in another process; returns a list of dataclasses.
    path : pathlib.Path
        The log, appended to.
    n_jobs : int

    Returns
    -------
    list of Finished
        One for each task, in the order of ``tasks``.
    """
    found = load(path)
    missing = [task for task in tasks if key(task) not in found]
    path.parent.mkdir(parents=True, exist_ok=True)
    _end_last_line(path)
    progress = _Progress(len(tasks), len(tasks) - len(missing))
    results = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)(
        delayed(_timed)(work, task) for task in missing
    )
    with path.open("a") as log:
        for task, rows, seconds in results:
            entry = Finished(asdict(task), [asdict(row) for row in rows], seconds)
            log.write(json.dumps(asdict(entry)) + "\n")
            log.flush()
            os.fsync(log.fileno())
            found[key(task)] = entry
            progress.step()
    return [found[key(task)] for task in tasks]


def _timed(work, task):
    start = time.perf_counter()
    rows = work(task)
    return task, rows, round(time.perf_counter() - start, 3)


def _end_last_line(path):
    """Start on a fresh line, should the last run have been cut off in the middle of one."""
    if path.exists() and path.stat().st_size and not path.read_bytes().endswith(b"\n"):
        with path.open("a") as log:
            log.write("\n")


class _Progress:
    """A counter with the time left: one line on a terminal, a line every 5% in a file."""

    def __init__(self, total, done):
        self.total, self.done, self.started, self.begun = total, done, done, time.perf_counter()
        if done:
            print(f"{done} of {total} configurations were finished before", file=sys.stderr)

    def step(self):
        self.done += 1
        spent = time.perf_counter() - self.begun
        left = spent / (self.done - self.started) * (self.total - self.done)
        text = f"{self.done} of {self.total} finished, {spent:.0f} s spent, about {left:.0f} s left"
        last = self.done == self.total
        if sys.stderr.isatty():
            print(f"\r{text}   ", end="\n" if last else "", file=sys.stderr, flush=True)
        elif last or self.done % max(1, self.total // 20) == 0:
            print(text, file=sys.stderr, flush=True)
