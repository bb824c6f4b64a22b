import dataclasses

import numpy as np
import pandas as pd
import pytest

from skholder import HolderBayesDensity, OutlierAuditor, read_table

TEXT = (
    "patient_id;who;site;day;dose;gap;y\n"
    "1;A;x;1970-01-01;0,5;1;3\n"
    "2;B;y;1970-01-03;0,7;;5\n"
    "3;A;x;1970-01-05;0,9;-999;4\n"
    "4;D;y;1970-01-02;1,5;2;\n"
)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TEXT)
    return path


def test_a_frame_to_fit_on(path):
    table = read_table(path, "y", id="who", missing=["-999"])
    assert list(table.X) == ["site", "day", "dose", "gap"]
    assert table.X["site"].dtype == "category"
    np.testing.assert_array_equal(table.X["day"], [0, 2, 4, 1])
    np.testing.assert_array_equal(table.X["dose"], [0.5, 0.7, 0.9, 1.5])
    np.testing.assert_array_equal(table.X["gap"], [1, np.nan, np.nan, 2])
    np.testing.assert_array_equal(table.y, [3, 5, 4, np.nan])
    assert table.ids.tolist() == ["A", "B", "A", "D"]
    assert (table.y.name, table.ids.name) == ("y", "who")
    assert repr(table) == "TableReading(4 rows, 4 inputs, target 'y', 5 notes)"
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.X = None


def test_notes_speak_of_parameters(path):
    table = read_table(path, "y", id="who", missing=["-999"])
    assert table.notes == (
        "Column 'day' is dates, read as numbers of days since 1970-01-01.",
        "Column 'dose': decimal commas are read as decimal points in 4 cells ('0,5' is 0.5).",
        "Column 'gap': 1 cell is taken as missing, as asked.",
        "Column 'patient_id' only counts or names the rows and was left out; id='patient_id' shows "
        "it beside each row, columns= takes it as a measurement.",
        "1 row has an identifier 'who' of an earlier row (line 4).",
    )


def test_errors_speak_of_parameters(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a;"b, c";d\n1,234;x;?\n2,345;3;4\n3,456;4;4.5\n')
    with pytest.raises(ValueError, match="decimal=") as caught:
        read_table(path, missing=["-"])
    assert str(caught.value).splitlines() == [
        "column 'a' has 3 cells such as '1,234' (line 2), which is 1234 or 1.234; say which with "
        "decimal='.' or decimal=','",
        "column 'b, c' is numbers but for a text: 'x' (line 2); mend it, call it missing with "
        "missing=['x'], or leave the column out with exclude=['b, c']",
        "column 'd' is numbers but for a text: '?' (line 2); mend it, call it missing with "
        "missing=['?'], or leave the column out with exclude=['d']",
    ]
    with pytest.raises(ValueError, match="decimal must be"):
        read_table(path, decimal=";")


def test_without_a_target(path):
    table = read_table(path, exclude=["who"])
    assert list(table.X) == ["day", "dose", "gap", "y"]
    assert (table.y, table.ids) == (None, None)


def test_what_was_read_can_be_audited(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"]).round(2)
    frame.loc[7, "a"] = 40
    frame.to_csv(tmp_path / "t.csv", sep=";", decimal=",", index=False)
    table = read_table(tmp_path / "t.csv")
    np.testing.assert_array_equal(table.X, frame)
    density = HolderBayesDensity(inference="laplace", random_state=0)
    assert 7 in OutlierAuditor(density).fit(table.X).audit_.indices


def test_a_stored_index_is_kept(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": [1.5, 2, 3], "y": [1.0, 5, 2]}, index=["p", "q", "r"])
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", "y")
    assert table.X.index.tolist() == table.y.index.tolist() == ["p", "q", "r"]
