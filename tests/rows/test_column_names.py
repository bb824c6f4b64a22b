"""Columns: the same number, and the same names where both sides have some."""

import numpy as np
import pandas as pd
import pytest

from skholder.rows import Columns, listed_names


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


def test_names_of_any_table():
    names = ["column_names", "columns", "b"]
    frame = pd.DataFrame(np.zeros((2, 3)), columns=names)
    tables = [frame]
    for library, made in (("pyarrow", "Table"), ("polars", "DataFrame")):
        module = pytest.importorskip(library)
        from_pandas = getattr(getattr(module, made), "from_pandas", None) or module.from_pandas
        tables.append(from_pandas(frame))
    for table in tables:
        assert listed_names(table) == names
    assert listed_names(np.zeros((2, 3))) == []
