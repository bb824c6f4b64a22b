import numpy as np
import pytest

from skholder.cli.tables import Column, Table
from skholder.cli.tables.signs import (
    duplicates_note,
    identifies,
    repeated_ids_note,
    sentinel_notes,
)


def numbers(values, name="x"):
    return Column.of_numbers(name, np.asarray(values, dtype=float))


def table(*columns):
    return Table({column.name: column for column in columns}, len(columns[0].numbers))


@pytest.mark.parametrize(
    ("name", "cells", "told"),
    [
        ("t", [5, 6, 7, 8], True),
        ("t", [5, 6, 8, 7], False),
        ("t", [*range(10, 20), *range(10)], True),
        ("t", [*range(10, 20), *range(9), 40], False),
        ("t", [*range(1, 40), 39, 39], True),
        ("patient_id", [52, 17, 99, 4], True),
        ("PassengerId", [52, 17, 99, 4], True),
        ("Nr.", [52, 17, 99, 4], True),
        ("patient_id", [52, 17, 17, 4], False),
        ("acid", [52, 17, 99, 4], False),
        ("id", [0.5, 1.5, 2.5, 3.5], False),
        ("id", [1, 2, np.inf, 4], False),
        ("id", [1, 2], False),
        ("id", [1e308, -1e308, 1e307, -1e307], False),
    ],
)
def test_identifiers(name, cells, told):
    assert identifies(numbers(cells, name)) == told


WEIGHTS = np.linspace(50, 90, 100)


@pytest.mark.parametrize("code", [-999, 999, 9999, -99, 0, -1])
def test_codes_for_missing_values_are_pointed_out(code):
    column = numbers([*WEIGHTS, code, code, code, code])
    (note,) = sentinel_notes(column, table(column))
    assert note == (
        f"column 'x' is {code} in 4 rows (row 100, row 101, row 102 and 1 more), far from its "
        f"other values; if that stands for a missing value, say so with --missing={code}"
    )


@pytest.mark.parametrize(
    "values",
    [
        [*WEIGHTS, -999, -999],
        [*WEIGHTS, 123, 123, 123],
        [*WEIGHTS, 99, 99, 99, 99],
        [*WEIGHTS[:50], *np.zeros(20), *np.linspace(0, 60, 30)],
        [0.0, 1.0] * 40,
        [999.0] * 40,
        [np.nan] * 9,
        [*(2 * np.linspace(-8e307, 8e307, 40)), 0.0, 0.0, 0.0],
    ],
)
def test_other_numbers_are_no_codes(values):
    column = numbers(values)
    assert sentinel_notes(column, table(column)) == []


def test_two_codes_in_a_column():
    column = numbers([*WEIGHTS, *[-999] * 8, *[9999] * 3])
    assert len(sentinel_notes(column, table(column))) == 2


def test_duplicates_are_counted_and_named():
    a, b = numbers([1, 2, 1, np.nan, np.nan, 1], "a"), Column.of_cells("b", list("xyxzzx"))
    assert duplicates_note(table(a, b)) == (
        "3 rows repeat an earlier one exactly (row 2 as row 0, row 4 as row 3, row 5 as row 0); "
        "copies count as rows of their own"
    )
    assert duplicates_note(table(a, numbers(range(6), "n"))) == ""
    told = duplicates_note(table(a, numbers(range(6), "n")), ["n"])
    assert told.startswith("3 rows repeat an earlier one exactly, but for 'n' (")
    assert duplicates_note(table(a), ["a"]) == ""


def test_one_duplicate():
    assert duplicates_note(table(numbers([1, 2, 1]))).startswith("1 row repeats an earlier one")


def test_identifiers_that_are_there_twice():
    told = repeated_ids_note("who", ["A", "B", "A", "A"], table(numbers([1, 2, 3, 4])))
    assert told == "2 rows have an identifier 'who' of an earlier row (row 2, row 3)"
    assert repeated_ids_note("who", ["A", "B"], table(numbers([1, 2]))) == ""
