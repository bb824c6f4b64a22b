import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skholder.cli.tables.spellings import read_spellings


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["0,5", "12", "-3,25"], [0.5, 12, -3.25]),
        # A mark that is for decimals elsewhere is so in the cell that leaves it open.
        (["0,5", "1,234"], [0.5, 1.234]),
        (["1,234", "0.5"], [1234, 0.5]),
        (["1,234", "12,345,678"], [1234, 12345678]),
        (["1.234", "0,5"], [1234, 0.5]),
        (["1.234,5", "1.234"], [1234.5, 1234]),
        (["1.234", "0.5", "0,25"], [1.234, 0.5, 0.25]),
        (["1 234", "5", "1\u202f234\u202f567,5"], [1234, 5, 1234567.5]),
        (["1'000.5", "-2"], [1000.5, -2]),
        (["12%", "3,5 %", "0.25%"], [12, 3.5, 0.25]),
        ([",5", "1,", "1,5e3"], [0.5, 1, 1500]),
        # A group of thousands has three digits and does not start with 0.
        (["0,123", "1,23", "12,3456"], [0.123, 1.23, 12.3456]),
    ],
)
def test_numbers_however_they_are_written(cells, values):
    found = read_spellings(cells)
    np.testing.assert_array_equal(found.values, values)
    assert found.undecided == []


@pytest.mark.parametrize("cell", ["x", "1_000", "12 kg", "1,23,456", "1.2.3", "%", ",", ""])
def test_what_is_no_number(cell):
    found = read_spellings([cell])
    assert np.isnan(found.values[0])
    assert found.undecided == []


def test_what_was_done_is_told():
    found = read_spellings(["0,5", "1.234,5", "7%", "8"])
    np.testing.assert_array_equal(found.commas, [True, True, False, False])
    np.testing.assert_array_equal(found.groups, [False, True, False, False])
    np.testing.assert_array_equal(found.percents, [False, False, True, False])


def test_an_open_cell_is_asked_about():
    cells = ["1,234", "2,500", "7"]
    assert read_spellings(cells).undecided == ["1,234", "2,500"]
    np.testing.assert_array_equal(read_spellings(cells, ",").values, [1.234, 2.5, 7])
    np.testing.assert_array_equal(read_spellings(cells, ".").values, [1234, 2500, 7])
    # Cells that contradict each other decide nothing.
    assert read_spellings(["1,234", "0,5", "1,234,567"]).undecided == ["1,234"]


def test_the_column_is_heard_before_the_option():
    np.testing.assert_array_equal(read_spellings(["0.5", "1.234"], ",").values, [0.5, 1.234])
    np.testing.assert_array_equal(read_spellings(["0,5", "1,234"], ".").values, [0.5, 1.234])


def test_a_point_is_plain_unless_the_table_has_decimal_commas():
    assert read_spellings(["1.234"]).values == [1.234]
    assert read_spellings(["1.234"], point_is_plain=False).undecided == ["1.234"]
    assert read_spellings(["1.234"], ",", point_is_plain=False).values == [1234]


@given(
    value=st.decimals(-(10**9), 10**9, places=2, allow_nan=False),
    group=st.sampled_from(["", ".", " ", "\u00a0", "'"]),
)
def test_any_number_with_a_decimal_comma_comes_back(value, group):
    written = (
        f"{value:,.2f}".replace(",", group).replace(".", ",", 1)
        if group != "."
        else (f"{value:,.2f}".replace(",", "_").replace(".", ",").replace("_", "."))
    )
    assert read_spellings([written]).values == [float(value)]
