"""Ensembles that evaluate their target together: one batch where each would ask for its own.

Where a call of the target is a pass over a table beyond memory, the number of calls is what counts.
"""

from __future__ import annotations

import threading

import numpy as np

__all__ = ["run_together"]


def run_together(tasks, target):
    """Run ``task(shared_target)`` for every task, each in a thread of its own.

    Whenever all tasks that still run wait for their target, it is called once, by the caller's
    thread, for the thetas of all of them in the order of the tasks.

    Parameters
    ----------
    tasks : sequence of callable
        Each gets a function with the target's signature.
    target : callable
        Batch (T, d) -> (T, b).

    Returns
    -------
    list
        What the tasks return. The first error of a task or of the target is raised, after all
        threads have ended.
    """
    table = _Table(len(tasks))

    def run(k):
        try:
            table.results[k] = tasks[k](lambda theta: table.ask(k, theta))
        except BaseException as error:
            table.fail(error)
        finally:
            table.leave(k)

    threads = [threading.Thread(target=run, args=(k,), daemon=True) for k in range(len(tasks))]
    for thread in threads:
        thread.start()
    try:
        table.serve(target)
    finally:
        table.close()
        for thread in threads:
            thread.join()
    if table.error is not None:
        raise table.error
    return table.results


class _Closed(Exception):
    """Ends a task whose questions nobody answers any more."""


class _Table:
    """Where tasks lay down their questions and find their answers."""

    def __init__(self, n_tasks):
        self.results = [None] * n_tasks
        self.error = None
        self._asked, self._answers = {}, {}
        self._running, self._is_open = set(range(n_tasks)), True
        self._news = threading.Condition()

    def ask(self, k, theta):
        with self._news:
            self._asked[k] = theta
            self._news.notify_all()
            self._news.wait_for(lambda: k in self._answers or not self._is_open)
            if k not in self._answers:
                raise _Closed
            return self._answers.pop(k)

    def leave(self, k):
        with self._news:
            self._running.discard(k)
            self._news.notify_all()

    def fail(self, error):
        with self._news:
            if self.error is None and not isinstance(error, _Closed):
                self.error = error
            self._is_open = False
            self._news.notify_all()

    def close(self):
        with self._news:
            self._is_open = False
            self._news.notify_all()

    def serve(self, target):
        while True:
            with self._news:
                self._news.wait_for(
                    lambda: not self._is_open or self._running <= self._asked.keys()
                )
                if not self._running or not self._is_open:
                    return
                order = sorted(self._asked)
                batches = [self._asked.pop(k) for k in order]
            values = target(np.concatenate(batches))
            ends = np.cumsum([len(batch) for batch in batches])[:-1]
            with self._news:
                self._answers.update(zip(order, np.split(values, ends), strict=True))
                self._news.notify_all()
