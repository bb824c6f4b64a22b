"""Parameters, data and calls in any order; the long run is ``examples/studies/fuzz.py``."""

import pytest
from fuzz_settings import KINDS
from fuzzing import machine
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

SHORT = settings(max_examples=4, stateful_step_count=5, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("kind", KINDS)
def test_no_order_of_calls_breaks_an_estimator(kind):
    run_state_machine_as_test(machine(kind), settings=SHORT)
