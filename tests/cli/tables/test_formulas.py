import time

import pytest

from skholder.cli.tables import as_text_cell


@pytest.mark.parametrize(
    "cell",
    [
        *("=1+1", "+SUM(A1)", "-A1", "@x", "-2+3", "+49 170 1", "--3", "=cmd|' /C calc'!A0"),
        *("\t=x", "\rx", "\nx", "  =x", '"=x', "\uff1d1", "-3=1", "-1e5x"),
        # A line break within a formula is white space; what is behind another mark may be run too.
        *("-\n1+HYPERLINK(1)", "-\r\nHYPERLINK(1)", "+1\n*cmd|' /C calc'!A0", "-1|cmd", "-;cmd"),
        *("+\t1+1", "-3;4", "-\n", "-3\t", '"-\n1"', "+1,2\n"),
    ],
)
def test_formulas_become_text(cell):
    assert as_text_cell(cell).startswith("'")
    assert as_text_cell(cell).replace("'", "") == cell.replace("'", "")


@pytest.mark.parametrize(
    "cell",
    [
        *("-3", "+3", "-3.5e-7", "-3,5", "-1.234,5", "-.5", "+5%", "-12 ", "-", "", "a-b", "x = 3"),
        *("Ann", "'=x", "a, -b", "7", "3 @ 4", 5, -2.5, None),
    ],
)
def test_numbers_and_other_texts_stay(cell):
    assert as_text_cell(cell) == cell


def test_no_formula_starts_where_another_reader_starts_a_cell():
    assert as_text_cell("a;=x") == "a;'=x"
    assert as_text_cell('a;"=x') == "a;'\"=x"
    assert as_text_cell("a\n@x|-y;-7") == "a\n'@x|'-y;'-7"
    assert as_text_cell("a;=x,=y", ";") == "a;=x,'=y"


def test_a_second_time_changes_nothing():
    once = as_text_cell("=a;=b\t-c")
    assert as_text_cell(once) == once


@pytest.mark.parametrize(
    "cell",
    ["a" + "\n" * 100_000 + "b", "a" + '"\n ' * 50_000, "\n" * 100_000 + "=", " " * 100_000 + "b"],
)
def test_long_runs_take_no_time(cell):
    started = time.perf_counter()
    assert len(as_text_cell(cell)) >= len(cell)
    assert time.perf_counter() - started < 2
