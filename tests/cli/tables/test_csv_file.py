import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skholder.cli.tables import CsvFile, InputError, open_table
from skholder.cli.tables.columns import number


def read(text, names=None):
    file = CsvFile(text.encode(), "t.csv")
    return file, file.read(file.names if names is None else names)


def test_numbers_and_missing_cells():
    _, table = read("a,b\n1, 2.5 \n-3e2,NA\n,7\n")
    np.testing.assert_array_equal(table.columns["a"].numbers, [1, -300, np.nan])
    np.testing.assert_array_equal(table.columns["b"].numbers, [2.5, np.nan, 7])
    np.testing.assert_array_equal(table.columns["a"].missing, [False, False, True])
    assert table.columns["a"].text is None
    assert table.n_rows == 3


def test_text_is_kept_for_every_row_of_its_column():
    _, table = read("a,b\n1,red\n2, blue\n3,\n4,7\n")
    column = table.columns["b"]
    assert column.text == ["red", "blue", "", "7"]
    np.testing.assert_array_equal(column.missing, [False, False, True, False])
    np.testing.assert_array_equal(column.numbers, [np.nan, np.nan, np.nan, 7])


def test_text_may_begin_late(monkeypatch):
    monkeypatch.setattr("skholder.cli.tables.csv_file._CHUNK", 2)
    _, table = read('a,b\n01,"x\ny"\n2,1\n\n 3,2\n4,1\nodd,2\n6,3\n')
    assert table.columns["a"].text == ["01", "2", "3", "4", "odd", "6"]
    np.testing.assert_array_equal(table.columns["a"].numbers, [1, 2, 3, 4, np.nan, 6])
    np.testing.assert_array_equal(table.lines, [2, 4, 6, 7, 8, 9])


@pytest.mark.parametrize("cell", ["1_000", "1,5", "1 000", "12%", "0x10", "one"])
def test_what_is_no_number(cell):
    assert number(cell) is None


def test_digits_with_underscores_are_text():
    _, table = read("a\n1_0\n2\n")
    assert table.columns["a"].text == ["1_0", "2"]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_separators(mark):
    file, table = read(mark.join("ab") + "\n" + mark.join("12") + "\n")
    assert file.names == ["a", "b"]
    assert table.columns["b"].numbers == [2]


def test_a_separator_inside_quotes_does_not_count():
    file, table = read('"x, y";z\n1;2\n')
    assert file.names == ["x, y", "z"]
    assert table.columns["x, y"].numbers == [1]


def test_lines_of_records_that_span_lines():
    file, table = read('a,b\n"one\ntwo",1\n\nthree,2\r\nfour,3')
    assert file.names == ["a", "b"]
    np.testing.assert_array_equal(table.lines, [2, 5, 6])
    assert [table.place(row) for row in range(3)] == ["line 2", "line 5", "line 6"]


def test_names_are_stripped_and_supplied():
    file, _ = read("\ufeff a ,,b\n1,2,3\n")
    assert file.names == ["a", "column 2", "b"]
    assert file.unnamed == {"column 2"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\r\n", "is empty"),
        ("a,b\n", "no rows"),
        ("a,b\n\n\n", "no rows"),
        ("a,b\n1,2,3\n4,5,6\n", "line 2: the header has 2 columns, this line 3"),
        ("a,b,a\n1,2,3\n", "more than one column named 'a'"),
        ("a,b\n1,2\n3\n", "line 3: the header has 2 columns, this line 1"),
        ("a,b\n1,2\n3,4,\n", "line 3: the header has 2 columns, this line 3"),
        ('a,b\n1,"2\n3,4\n', "line 2: a quote is never closed"),
        ('a,b\n1,"2"x\n', "line 2"),
        ("0.5,1\n2,3\n", "must name the columns"),
    ],
)
def test_unusable_text(text, message):
    with pytest.raises(InputError, match=message):
        read(text)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a,b\n1,\xe9\n", r"byte 0xe9 in line 2"),
        ("a,b\n1,2\n".encode("utf-16"), "UTF-16"),
        (b"PK\x03\x04rest", "spreadsheet"),
    ],
)
def test_unreadable_bytes(data, message):
    with pytest.raises(InputError, match=message):
        CsvFile(data, "t.csv")


def test_whole_numbers_may_name_columns():
    file, _ = read("0,1\n5,6\n")
    assert file.names == ["0", "1"]


odd = ["", "NA", "1e999", "+.5", "1.", "-0", "nan", "Infinity", "1_0", "0x1", "1e", "٣", "a\r\nb"]
cells = st.one_of(
    st.floats(width=32).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(odd),
    # The writer leaves a lone carriage return unquoted, where it ends the line.
    st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), max_size=4),
)


@given(
    rows=st.lists(st.tuples(cells, cells), min_size=1, max_size=8),
    ending=st.sampled_from(["\n", "\r\n"]),
    last=st.booleans(),
    data=st.data(),
)
def test_any_table_is_read_and_copied(rows, ending, last, data, tmp_path_factory):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator=ending)
    writer.writerow(["a", "b"])
    pieces = [stream.getvalue()]
    for row in rows:
        stream.seek(0)
        stream.truncate()
        writer.writerow(row)
        pieces.append(stream.getvalue())
    if not last:
        pieces[-1] = pieces[-1].removesuffix(ending)
    file, table = read("".join(pieces))
    for j, name in enumerate("ab"):
        expected = [number(row[j]) for row in rows]
        numbers = [np.nan if value is None else value for value in expected]
        np.testing.assert_array_equal(table.columns[name].numbers, numbers)
        if None in expected:
            assert table.columns[name].text == [row[j].strip() for row in rows]
        else:
            assert table.columns[name].text is None
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    path = tmp_path_factory.mktemp("copy") / "c.csv"
    file.copy(keep, path)
    kept = [piece for piece, want in zip(pieces[1:], keep, strict=True) if want]
    assert path.read_bytes() == (pieces[0] + "".join(kept)).encode()


def test_the_quick_parser_agrees_with_the_other(monkeypatch):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(50, 3)) * 10.0 ** rng.integers(-300, 300, size=(50, 3))
    text = "a,b,c\n" + "".join(",".join(map(repr, row)) + "\n" for row in values.tolist())
    file, quick = read(text)
    assert file._all_numbers() is not None
    monkeypatch.setattr(CsvFile, "_all_numbers", lambda self: None)
    _, slow = read(text)
    for j, name in enumerate("abc"):
        np.testing.assert_array_equal(quick.columns[name].numbers, values[:, j])
        np.testing.assert_array_equal(slow.columns[name].numbers, values[:, j])
    np.testing.assert_array_equal(quick.lines, slow.lines)


def test_copy_keeps_mark_blank_lines_and_endings(tmp_path):
    text = '\ufeffa,b\r\n1,"x\ny"\r\n\r\n2,z\n3,"w, w"'
    file, _ = read(text)
    file.copy(np.array([False, True, True]), tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_bytes() == '\ufeffa,b\r\n\r\n2,z\n3,"w, w"'.encode()


def test_copy_to_gzip_is_the_same_every_time(tmp_path):
    file, _ = read("a\n1\n2\n")
    for name in ("one.csv.gz", "two.csv.gz"):
        file.copy(np.array([True, False]), tmp_path / name)
    data = (tmp_path / "one.csv.gz").read_bytes()
    assert gzip.decompress(data) == b"a\n1\n"
    assert data == (tmp_path / "two.csv.gz").read_bytes()


def test_gzip_is_known_by_its_content(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert open_table(path).names == ["a", "b"]
    path.write_bytes(gzip.compress(b"a,b\n1,2\n")[:-9])
    with pytest.raises(InputError, match="cannot read"):
        open_table(path)
