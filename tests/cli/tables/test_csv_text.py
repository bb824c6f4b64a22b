import csv
import io

import pytest

from skholder.cli.tables import csv_text


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", ""])
@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize("cell", ["a\rb", "a\nb", "\r\n", 'a"b', "a,b;c", "plain"])
def test_cells_come_back_whatever_ends_the_rows(cell, separator, end):
    rows = [[cell, "x", "1"]]
    text = csv_text(rows, separator, end)
    assert text.endswith(f"{separator}x{separator}1{end}")
    assert list(csv.reader(io.StringIO(text, newline=""), delimiter=separator)) == rows


def test_rows_stand_in_lines_and_plain_cells_without_quotes():
    assert csv_text([["a", "b"], [1, 2.5], [None, "-"]]) == "a,b\n1,2.5\n,-\n"
