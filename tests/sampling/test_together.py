"""Tasks that share their calls of a target."""

import time

import numpy as np
import pytest

from skholder.sampling.together import run_together


class Counting:
    def __init__(self):
        self.sizes = []

    def __call__(self, theta):
        self.sizes.append(len(theta))
        return 2 * theta


def asker(start, n_calls):
    def task(target):
        theta = np.full((2, 1), float(start))
        for _ in range(n_calls):
            theta = target(theta)
        return theta[0, 0]

    return task


def test_calls_are_shared_and_answers_find_their_way():
    target = Counting()
    found = run_together([asker(1, 3), asker(10, 5), asker(100, 1)], target)
    assert found == [8, 320, 200]
    # As many calls as the longest task makes, for all that still ask.
    assert target.sizes == [6, 4, 4, 2, 2]


def test_those_who_ask_first_wait_for_the_others():
    target = Counting()

    def late(shared):
        time.sleep(0.1)
        return asker(10, 1)(shared)

    assert run_together([asker(1, 1), late], target) == [2, 20]
    assert target.sizes == [4]


def test_a_batch_is_in_the_order_of_the_tasks():
    seen = []

    def target(theta):
        seen.append(theta[:, 0].tolist())
        return theta

    run_together([asker(k, 1) for k in (3, 1, 2)], target)
    assert seen == [[3, 3, 1, 1, 2, 2]]


def test_a_task_that_asks_nothing():
    assert run_together([lambda target: "done", asker(1, 1)], Counting()) == ["done", 2]


def test_errors_come_out_and_nothing_hangs():
    def broken(theta):
        raise FloatingPointError("no")

    with pytest.raises(FloatingPointError, match="no"):
        run_together([asker(1, 2), asker(2, 2)], broken)

    def failing(target):
        target(np.zeros((1, 1)))
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run_together([failing, asker(1, 50)], Counting())
