import csv
import gzip
import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skholder.cli.tables import CsvFile, InputError, open_table
from skholder.cli.tables.columns import MISSING


def read(text, names=None):
    file = CsvFile(text.encode(), "t.csv")
    return file, file.read(file.names if names is None else names)


def number(cell):
    """What a cell is, by a rule of our own: a float, nan if it is missing, None if it is text."""
    cell = cell.strip()
    if cell in MISSING:
        return np.nan
    digits = r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?"
    return float(cell) if re.fullmatch(digits, cell, re.ASCII | re.IGNORECASE) else None


def one_column(cells):
    """The column ``a`` of a table with these cells, each beside a 1."""
    _, table = read("a,b\n" + "".join(f"{cell},1\n" for cell in cells))
    return table.columns["a"]


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


def test_text_may_begin_late():
    cells = [*map(str, range(5_000)), "odd", " 7", ""]
    # So wide that pandas would rather type some thousands of rows at a time.
    header = ",".join(["a", *(f"b{j}" for j in range(200))])
    _, table = read(f"{header}\n" + "".join(f"{cell}{',1' * 200}\n" for cell in cells), ["a"])
    column = table.columns["a"]
    assert column.text == [cell.strip() for cell in cells]
    np.testing.assert_array_equal(column.numbers, [*range(5_000), np.nan, 7, np.nan])
    assert np.flatnonzero(column.missing).tolist() == [5_002]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1e5", 1e5),
        ("1E+5", 1e5),
        (" 3 ", 3),
        ("\t3", 3),
        ("+4", 4),
        ("-.5", -0.5),
        ("1.", 1),
        ("007", 7),
        ("1e-400", 0),
        ("inf", np.inf),
        (" -Infinity ", -np.inf),
        ('"12"', 12),
        ("9007199254740993", 2.0**53),
        ("18446744073709551615", 2.0**64),
        ("-100000000000000000000", -1e20),
    ],
)
@pytest.mark.parametrize("other", ["-2", "0.5", "NA"])
def test_what_is_a_number(cell, value, other):
    column = one_column([cell, other])
    assert column.text is None
    np.testing.assert_array_equal(
        column.numbers, [value, np.nan if other == "NA" else float(other)]
    )


@pytest.mark.parametrize(
    "cell",
    [
        "0x1F",
        "1_000",
        "1 000",
        "12%",
        '"1,5"',
        "1e",
        "1d5",
        "- 3",
        ".",
        "one",
        "٣",
        "True",
        "FALSE",
    ],
)
def test_what_is_text(cell):
    column = one_column([cell, "2", ""])
    assert column.text == [cell.strip('"'), "2", ""]
    np.testing.assert_array_equal(column.numbers, [np.nan, 2, np.nan])
    np.testing.assert_array_equal(column.missing, [False, False, True])


def test_flags_are_text_as_they_are_spelled():
    assert one_column(["True", "FALSE", "true"]).text == ["True", "FALSE", "true"]
    column = one_column(["TRUE", "NA", "FALSE"])
    assert column.text == ["TRUE", "NA", "FALSE"]
    np.testing.assert_array_equal(column.missing, [False, True, False])


@pytest.mark.parametrize(
    "cell",
    [
        *("", "NA", "N/A", "n/a", "#N/A", "<NA>", "null", "NULL", "None", "none"),
        *("NaN", "nan", "NAN", "Nan", "-nan", "-NaN"),
    ],
)
@pytest.mark.parametrize("pad", ["", " "])
def test_missing_markers(cell, pad):
    for other, text in (("0.5", None), ("red", [cell, "red"])):
        column = one_column([pad + cell + pad, other])
        np.testing.assert_array_equal(column.missing, [True, False])
        assert np.isnan(column.numbers[0])
        assert column.text == text


@pytest.mark.parametrize("cell", ["-", "?", ".", "missing", "na", "#NA", "-999"])
def test_what_is_not_missing(cell):
    assert not np.any(one_column([cell, "1"]).missing)


def test_every_digit_counts():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2_000, 3)) * 10.0 ** rng.integers(-300, 300, size=(2_000, 3))
    _, table = read("a,b,c\n" + "".join(",".join(map(repr, row)) + "\n" for row in values.tolist()))
    for j, name in enumerate("abc"):
        np.testing.assert_array_equal(table.columns[name].numbers, values[:, j])
    # Beside a padded marker too, where pandas takes the column for text.
    column = one_column([" NA ", *map(repr, values[:, 0].tolist())])
    assert column.text is None
    np.testing.assert_array_equal(column.numbers[1:], values[:, 0])


def test_columns_come_in_the_order_asked():
    _, table = read("a,b,c\n1,x,3\n4,y,6\n", ["c", "b", "a"])
    assert list(table.columns) == ["c", "b", "a"]
    assert [column.name for column in table.columns.values()] == ["c", "b", "a"]
    np.testing.assert_array_equal(table.columns["c"].numbers, [3, 6])


def test_a_line_of_spaces_is_a_row():
    _, table = read("a\n1\n  \n\n2\n")
    np.testing.assert_array_equal(table.columns["a"].missing, [False, True, False])
    np.testing.assert_array_equal(table.lines, [2, 3, 5])
    _, table = read("a\tb\n1\t2\n \t3\n")
    np.testing.assert_array_equal(table.columns["b"].numbers, [2, 3])


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


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_endings_marks_and_quoted_lines(ending, mark, tmp_path):
    pieces = ["a,b", "1,x", '"2","y', '""z"""', "", "3, x ", '4,"', '"', "5,x"]
    text = mark + ending.join(pieces)
    file, table = read(text)
    assert file.names == ["a", "b"]
    np.testing.assert_array_equal(table.columns["a"].numbers, [1, 2, 3, 4, 5])
    assert table.columns["b"].text == ["x", f'y{ending}"z"', "x", "", "x"]
    np.testing.assert_array_equal(table.lines, [2, 3, 6, 7, 9])
    file.copy(np.array([True, False, True, False, True]), tmp_path / "c.csv")
    kept = mark + ending.join(["a,b", "1,x", "", "3, x ", "5,x"])
    assert (tmp_path / "c.csv").read_bytes() == kept.encode()


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
        ('a,b\n"1\n",2\n\n3\n', "line 5: the header has 2 columns, this line 1"),
        ("a,b\r\n1,2\r\n  \r\n", "line 3: the header has 2 columns, this line 1"),
        ("\ufeffa,b, a\n1,2,3\n", "more than one column named 'a'"),
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
        (
            b"a,b\r\n1,2\r\n3,caf\xe9\r\n",
            r"not UTF-8 text \(byte 0xe9 in line 3\); save it as UTF-8",
        ),
        ("a,b\n1,2\n".encode("utf-16"), "UTF-16"),
        ("a,b\n1,2\n".encode("utf-16-le"), "zero byte in line 1"),
        (b"a,b\n1,2\n3,\x004\n", "zero byte in line 3"),
        (b"PK\x03\x04rest", "spreadsheet"),
    ],
)
def test_unreadable_bytes(data, message):
    with pytest.raises(InputError, match=message):
        CsvFile(data, "t.csv")


def test_whole_numbers_may_name_columns():
    file, _ = read("0,1\n5,6\n")
    assert file.names == ["0", "1"]


odd = ["", "NA", "+.5", "1.", "-0", "nan", "Infinity", "1_0", "0x1", "1e", "٣", "a\r\nb"]
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


def test_copy_keeps_mark_blank_lines_and_endings(tmp_path):
    text = '\ufeffa,b\r\n1,"x\ny"\r\n\r\n2,z\n3,"w, w"'
    file, _ = read(text)
    file.copy(np.array([False, True, True]), tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_bytes() == '\ufeffa,b\r\n\r\n2,z\n3,"w, w"'.encode()


def test_cells_may_be_long(tmp_path):
    # Longer than Python's csv module takes unless its own, global, limit is raised.
    text = f"a,b\n1,=2\n2,{'x' * 200_000}\n"
    file, table = read(text)
    assert table.n_rows == 2
    file.copy(np.array([True, True]), tmp_path / "c.csv", escape=True)
    assert (tmp_path / "c.csv").read_text() == text.replace("=2", "'=2")


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
