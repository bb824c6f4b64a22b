import numpy as np
import pandas as pd
import polars as pl
import pytest

from skholder import compare
from skholder.audit import Audit


def _audit(flagged, n=10, epsilon=0.1, index=None, library="pandas"):
    """An audit that flags these rows, the first of them the worst."""
    fod = np.zeros(n)
    fod[list(flagged)] = np.linspace(1.0, 0.6, len(flagged))
    draws = np.zeros(500)
    if epsilon:
        draws = np.random.default_rng(0).beta(100 * epsilon, 100 * (1 - epsilon), 500)
    return Audit.from_posterior(
        np.full(500, len(flagged)),
        fod,
        -fod,
        index=None if index is None else pd.Index(list(index)),
        epsilon_draws=draws,
        library=library,
    )


def test_rows_that_changed_sides_worst_first():
    found = compare(_audit([1, 2, 3]), _audit([7, 3, 5]))
    assert found.newly_flagged == (7, 5)
    assert found.no_longer_flagged == (1, 2)
    assert str(found).startswith(
        "Of 10 rows in both audits 4 changed sides; newly flagged: 7, 5; no longer flagged: 1, 2."
    )
    assert repr(found) == str(found)


def test_probability_of_a_rise():
    found = compare(_audit([1], epsilon=0.05), _audit([1], epsilon=0.3))
    assert found.rise_probability > 0.99
    assert found.fall_probability < 0.01
    assert 0.05 < found.difference_interval[0] < 0.25 < found.difference_interval[1]
    assert "none changed sides" in str(found)
    assert "rose from" in str(found)
    assert "fell from" in str(compare(_audit([1], epsilon=0.3), _audit([1], epsilon=0.05)))


def test_the_probability_is_that_of_all_pairs():
    a, b = _audit([1], epsilon=0.1), _audit([1], epsilon=0.12)
    every = b.epsilon_draws[:, None] > a.epsilon_draws
    assert compare(a, b).rise_probability == pytest.approx(every.mean())


def test_two_clean_tables_did_not_change():
    found = compare(_audit([], epsilon=0), _audit([], epsilon=0))
    assert found.rise_probability == found.fall_probability == 0
    assert "did not clearly change" in str(found)


def test_matched_by_index_whatever_the_order():
    before = _audit([0], 3, index=["a", "b", "c"])
    after = _audit([1], 4, index=["c", "a", "d", "b"])
    found = compare(before, after)
    assert found.labels == ("a", "b", "c")
    assert found.newly_flagged == found.no_longer_flagged == ()
    assert (found.only_a, found.only_b) == ((), ("d",))
    assert "1 only in the second" in str(found)


def test_matched_by_ids():
    found = compare(_audit([0], 3), _audit([1], 2), ids=(["x", "y", "z"], ["q", "x"]))
    assert found.labels == ("x",)
    assert found.newly_flagged == ()
    assert found.only_a == ("y", "z")


def test_frame():
    frame = compare(_audit([1, 2]), _audit([2, 8])).to_frame()
    assert sorted(frame["change"][:2]) == ["cleared", "flagged"]
    assert set(frame["change"][2:]) == {""}
    assert frame.loc[8, ["flagged_a", "flagged_b", "change"]].tolist() == [False, True, "flagged"]
    assert frame.loc[1, "change"] == "cleared"
    assert len(frame) == 10
    polars = compare(_audit([1], library="polars"), _audit([2], library="polars")).to_frame()
    assert isinstance(polars, pl.DataFrame)
    assert polars.columns[:2] == ["row", "change"]


@pytest.mark.parametrize(
    ("a", "b", "ids", "words"),
    [
        (_audit([1], 10), _audit([1], 9), None, "10 and 9 rows cannot be matched by position"),
        (_audit([1], 2, index="ab"), _audit([1], 2, index="cd"), None, "no row name in common"),
        (_audit([1], 3, index="aba"), _audit([1], 2, index="ab"), None, "first .* 'a' more than"),
        (_audit([1], 3), _audit([1], 3), (["a"], ["b"]), "two arrays of 3 and 3 names"),
        (_audit([1], 2), _audit([1], 2), (["a", "b"], ["a", "a"]), "second audit has row 'a'"),
    ],
)
def test_rows_that_cannot_be_matched(a, b, ids, words):
    with pytest.raises(ValueError, match=words):
        compare(a, b, ids=ids)


def test_other_things_are_refused():
    with pytest.raises(TypeError, match="two Audits, got list"):
        compare(_audit([1]), [1])
    scores = np.zeros(10)
    bare = Audit.from_posterior(np.array([1, 2]), scores, scores)
    with pytest.raises(ValueError, match="no posterior of epsilon"):
        compare(bare, _audit([1]))
