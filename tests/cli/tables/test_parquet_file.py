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


@pytest.mark.parametrize(
    "metadata",
    [b"{", b"[1]", b"\xff", b'{"index_columns": 3}', b'{"index_columns": null}', b"[" * 100_000],
)
def test_broken_metadata_of_pandas_are_told(tmp_path, metadata):
    table = pa.table({"a": [1.0, 2.0]}).replace_schema_metadata({b"pandas": metadata})
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"t.parquet' has metadata of pandas that cannot be read"):
        open_table(tmp_path / "t.parquet")


def test_an_index_that_is_not_there_is_told(tmp_path):
    metadata = {"pandas": '{"index_columns": ["who"]}'}
    pq.write_table(
        pa.table({"a": [1.0, 2.0]}).replace_schema_metadata(metadata), tmp_path / "t.parquet"
    )
    with pytest.raises(InputError, match="has no column 'who', which its metadata of pandas name"):
        open_table(tmp_path / "t.parquet")


def test_corrupted_pages_are_refused_where_there_are_checksums(tmp_path):
    path = tmp_path / "t.parquet"
    plain = {"compression": "none", "use_dictionary": False}
    pq.write_table(pa.table({"a": np.arange(50.0)}), path, write_page_checksum=True, **plain)
    data = bytearray(path.read_bytes())
    data[data.index(np.float64(25).tobytes())] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match="not a readable Parquet file: could not verify page"):
        open_table(path)


def test_copies_have_checksums(tmp_path):
    file = write(tmp_path / "t.parquet", {"a": np.arange(50.0)})
    file.copy(np.arange(50) < 40, tmp_path / "c.parquet")
    data = bytearray((tmp_path / "c.parquet").read_bytes())
    where = pq.ParquetFile(tmp_path / "c.parquet").metadata.row_group(0).column(0)
    data[where.dictionary_page_offset + where.total_compressed_size - 1] ^= 1
    (tmp_path / "c.parquet").write_bytes(data)
    with pytest.raises(InputError, match="could not verify page integrity"):
        open_table(tmp_path / "c.parquet")


def test_times_to_the_nanosecond(tmp_path):
    times = pa.array([86_400_000_000_000 + 1, None], pa.timestamp("ns"))
    table = write(tmp_path / "t.parquet", {"t": times}).read(["t"])
    np.testing.assert_array_equal(table.columns["t"].numbers, [1, np.nan])


def test_text_that_is_not_utf_8_is_told(tmp_path):
    buffers = [
        None,
        pa.py_buffer(np.arange(3, dtype=np.int32).tobytes()),
        pa.py_buffer(b"\xff" * 2),
    ]
    file = write(tmp_path / "t.parquet", {"t": pa.Array.from_buffers(pa.string(), 2, buffers)})
    for read in (lambda: file.read(["t"]), lambda: file.spelled("t")):
        with pytest.raises(InputError, match="column 't' has cells that cannot be read: 'utf-8'"):
            read()
