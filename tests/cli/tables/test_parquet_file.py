import datetime
import decimal

import numpy as np
import pandas as pd
import pytest

from skholder.cli.tables import InputError, Wishes, open_table, understand

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def write(path, columns):
    pq.write_table(pa.table(columns), path)
    return open_table(path)


def test_types(tmp_path):
    file = write(
        tmp_path / "t.parquet",
        {
            "whole": pa.array([1, None, 2**60 + 1]),
            "real": pa.array([0.5, float("nan"), 2.0]),
            "single": pa.array([0.5, 1.5, 2.0], pa.float32()),
            "yes": pa.array([True, False, None]),
            "money": pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("3.00")]),
            "level": pa.array(["red", "blue", None]).dictionary_encode(),
            "text": pa.array(["red", " 7", "x"], pa.large_string()),
            "digits": pa.array(["1", "2", "3"]),
            "nothing": pa.nulls(3),
        },
    )
    table = file.read(file.names)
    nan = np.nan
    expected = {
        "whole": [1, nan, float(2**60)],
        "real": [0.5, nan, 2],
        "single": [0.5, 1.5, 2],
        "yes": [1, 0, nan],
        "money": [1.25, nan, 3],
        "level": [nan, nan, nan],
        "text": [nan, 7, nan],
        "digits": [1, 2, 3],
        "nothing": [nan, nan, nan],
    }
    for name, numbers in expected.items():
        np.testing.assert_array_equal(table.columns[name].numbers, numbers, err_msg=name)
    with_text = [name for name in file.names if table.columns[name].text is not None]
    assert with_text == ["level", "text"]
    np.testing.assert_array_equal(table.columns["level"].missing, [False, False, True])
    assert table.lines is None
    assert table.place(2) == "row 2"


def test_dates_and_times_are_days(tmp_path):
    day, noon = datetime.date(1970, 1, 3), datetime.datetime(2020, 1, 1, 12)
    zone = pa.array([noon, None], pa.timestamp("ns", "UTC"))
    columns = {"day": [day, None], "time": [noon, None], "zoned": zone}
    table = write(tmp_path / "t.parquet", columns).read(list(columns))
    np.testing.assert_array_equal(table.columns["day"].numbers, [2, np.nan])
    for name in ("time", "zoned"):
        np.testing.assert_array_equal(table.columns[name].numbers, [18262.5, np.nan])
        np.testing.assert_array_equal(table.columns[name].missing, [False, True])
    assert table.columns["day"].notes == (
        "column 'day' is dates, read as numbers of days since 1970-01-01",
    )


def test_other_types_are_refused_only_where_they_are_used(tmp_path):
    file = write(tmp_path / "t.parquet", {"a": [1, 5.5], "b": [2, 1], "list": [[1], [2]]})
    assert file.unreadable == {"list": "list<element: int64>"}
    with pytest.raises(InputError, match=r"'list' holds list.*--exclude list"):
        understand(file, Wishes("b"), 30).check()
    understand(file, Wishes("b", exclude=["list"]), 30).check()


def test_cells_as_they_are_spelled(tmp_path):
    file = write(tmp_path / "t.parquet", {"who": ["007", None], "n": [1, 2]})
    assert file.spelled("who") == ["007", ""]
    assert file.spelled("n") == ["1", "2"]


def test_the_index_of_pandas_is_no_column(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0]}, index=pd.Index(["x", "y", "z"], name="who"))
    frame.to_parquet(tmp_path / "t.parquet")
    file = open_table(tmp_path / "t.parquet")
    assert file.names == ["a"]
    assert file.read(["a"]).labels == ["x", "y", "z"]
    file.copy(np.array([True, False, True]), tmp_path / "c.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "c.parquet"), frame.iloc[[0, 2]])


def test_a_copy_keeps_columns_and_types(tmp_path):
    columns = {"a": pa.array([1, 2, 3], pa.int16()), "b": pa.array(["x", None, "z"])}
    file = write(tmp_path / "t.parquet", columns)
    file.read(["a"])
    file.copy(np.array([False, True, True]), tmp_path / "c.parquet")
    assert pq.read_table(tmp_path / "c.parquet").equals(pa.table(columns).slice(1))


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1 and no more", b"a,b\n1,2\n"])
def test_broken_files(tmp_path, data):
    path = tmp_path / "t.parquet"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"not a readable Parquet file: [^\n]+$"):
        open_table(path)


def test_no_rows_and_duplicate_names(tmp_path):
    with pytest.raises(InputError, match="no rows"):
        write(tmp_path / "t.parquet", {"a": pa.array([], pa.float64())})
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    pq.write_table(twice, tmp_path / "t.parquet")
    with pytest.raises(InputError, match="more than one column named 'a'"):
        open_table(tmp_path / "t.parquet")
