import re

import numpy as np
import pytest

from skholder.audit import Audit, Gate

DRAWS = np.linspace(0, 1, 1001)


def test_closed_above_the_probability_only():
    assert Gate.of(DRAWS, above=0.05, probability=0.94).is_closed
    assert not Gate.of(DRAWS, above=0.05, probability=0.96).is_closed
    assert Gate.of(DRAWS, above=0.05).found == pytest.approx(0.95, abs=1e-3)


def test_a_share_at_the_limit_does_not_exceed_it():
    assert Gate.of([0.05, 0.05], above=0.05, probability=0.5).found == 0
    # A probability at the limit does not exceed it either.
    assert not Gate.of([0.1, 0.0], above=0.05, probability=0.5).is_closed


@pytest.mark.parametrize(
    ("draws", "words"),
    [
        ([0.2] * 4000, "Gate closed: .* above 5% is over 99.9%; at most 90% is allowed"),
        ([0.0] * 4000, "Gate open: .* is below 0.1%;"),
        ([0.0] * 3 + [0.2], r"Gate open: .* is 25\.0%;"),
    ],
)
def test_in_words(draws, words):
    assert re.match(words, str(Gate.of(draws)))


@pytest.mark.parametrize("above", [-0.1, 1.0, np.nan, "a", None])
def test_share(above):
    with pytest.raises(ValueError, match="above must be a share"):
        Gate.of(DRAWS, above=above)


@pytest.mark.parametrize("probability", [0, 1, np.nan, "a", None])
def test_probability(probability):
    with pytest.raises(ValueError, match="probability must lie"):
        Gate.of(DRAWS, probability=probability)


def test_an_audit_has_its_gate():
    scores = np.zeros(10)
    audit = Audit.from_posterior(np.array([1, 2]), scores, scores, epsilon_draws=np.array([0.1]))
    assert audit.gate(0.05).is_closed
    assert not audit.gate(0.2).is_closed
    with pytest.raises(ValueError, match="no posterior of epsilon"):
        Audit.from_posterior(np.array([1, 2]), scores, scores).gate()
