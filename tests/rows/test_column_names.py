"""Columns: the same number, and the same names where both sides have some."""

import pytest

from skholder.rows import Columns


def test_columns_that_agree():
    named = Columns.named(["a", "b"])
    for one, other in ((named, named), (named, Columns(2)), (Columns(2), named)):
        one.check_as(other, "here", "there")


@pytest.mark.parametrize(
    ("others", "message"),
    [
        (Columns(3), "here has 2 columns, there has 3"),
        (Columns.named(["b", "a"]), "Column 0 of here is 'a', that of there is 'b'"),
        (Columns.named(["a", "c"]), "Column 1 of here is 'b', that of there is 'c'"),
    ],
)
def test_columns_that_differ(others, message):
    with pytest.raises(ValueError, match=message):
        Columns.named(["a", "b"]).check_as(others, "here", "there")
