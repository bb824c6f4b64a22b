from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skholder.estimators.naming import column_names, frame_library, row_labels, target_name

ARRAY = np.zeros((2, 1))
FRAME = pd.DataFrame({"a": [1.0, 2.0]}, index=["u", "v"])
POLARS = pl.DataFrame({"a": [1.0, 2.0]})


def test_row_labels():
    assert list(row_labels(FRAME)) == ["u", "v"]
    assert row_labels(ARRAY) is None
    assert row_labels(POLARS) is None


@pytest.mark.parametrize(
    ("table", "library"),
    [(FRAME, "pandas"), (POLARS, "polars"), (ARRAY, "pandas"), ([[1]], "pandas")],
)
def test_frame_library(table, library):
    assert frame_library(table) == library


@pytest.mark.parametrize(
    ("y", "name"),
    [
        (pd.Series([1.0], name="price"), "price"),
        (pd.Series([1.0], name=7), "7"),
        (pd.Series([1.0]), "y"),
        (pl.Series("price", [1.0]), "price"),
        (pl.Series([1.0]), "y"),
        (pd.DataFrame({"price": [1.0]}), "price"),
        (pl.DataFrame({"price": [1.0]}), "price"),
        (pd.DataFrame({"a": [1.0], "b": [2.0]}), "y"),
        ([1.0], "y"),
        (None, "y"),
    ],
)
def test_target_name(y, name):
    assert target_name(y) == name
    assert target_name(y, "given") == "given"


def test_column_names():
    plain = SimpleNamespace(n_features_in_=2)
    named = SimpleNamespace(n_features_in_=2, feature_names_in_=np.array(["a", "b"], dtype=object))
    assert column_names(plain) == ("x0", "x1")
    assert column_names(named) == ("a", "b")
    assert column_names(named, [1, "c"]) == ("1", "c")
    with pytest.raises(ValueError, match="feature_names has 3 names for 2 columns"):
        column_names(named, "abc")
