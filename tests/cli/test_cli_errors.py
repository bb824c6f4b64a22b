import gzip
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from skholder import OutlierAuditor, __version__
from skholder.cli import main

FILES = {
    "empty.csv": b"",
    "header.csv": b"a,b\n",
    "twice.csv": b"a,a\n1,2\n2,3\n",
    "ragged.csv": b"a,b\n1,2\n3\n",
    "text.csv": b"a,b\n1,2\n3,x\n4,5\n",
    "names.csv": b"who,a\nAnn,1\nBob,2\nCid,3\n",
    "one.csv": b"a,b\n1,2\n",
    "latin.csv": b"a,b\n1,2\n2,\xe9\n",
    "missing.csv": b"a,b\n1,2\n,3\n4,5\n",
    "gaps.csv": b"a,b\n1,\n,3\n4,\n",
    "quote.csv": b'a,b\n1,"2\n2,3\n',
    "cut.csv.gz": gzip.compress(b"a,b\n1,2\n2,3\n")[:-10],
    "infinite.csv": b"a,b\n1,inf\n2,3\n",
    "same.csv": b"a,b\n1,2\n1,2\n1,2\n",
    "german.csv": b"a;b\n1,5;1,234\n2,5;2,345\n1,7;3\n",
    "nul.csv": b"a,b\n1,2\n2,\x003\n",
    "wide.csv": "a,b\n1,2\n".encode("utf-16"),
    "book.csv": b"PK\x03\x04 and more",
    "inner.csv": b'a,b\n1,2"3\n2,"3"4\n',
    "damaged.csv.gz": gzip.compress(b"a,b\n1,2\n2,3\n")[:-8] + bytes(8),
    "old.csv": b"somebody's",
    "many.csv": b"a,b,c\n1,x,inf\n,5,6\n4,5,7\n",
}

BAD = [
    ("audit nowhere.csv", "there is no file 'nowhere.csv'"),
    ("audit .", "'.' is a folder without Parquet files"),
    ("audit empty.csv", "'empty.csv' is empty"),
    ("audit header.csv", "'header.csv' has a header line but no rows"),
    ("audit twice.csv", "'twice.csv' has more than one column named 'a'"),
    ("audit ragged.csv", "'ragged.csv', line 3: the header has 2 columns, this line 1"),
    ("audit text.csv", "column 'b' is numbers but for a text: 'x' (line 3)"),
    ("audit text.csv --target b", "the target 'b' must be numbers but has a text: 'x' (line 3)"),
    ("audit names.csv", "no columns are left to audit: column 'who' is text with 3 different val"),
    ("audit names.csv --columns who,a", "column 'who' is text with 3 different values"),
    ("audit names.csv --target who", "the target 'who' must be numbers"),
    ("audit one.csv", "the table has 1 row; 2 are needed"),
    ("audit latin.csv", "'latin.csv' is not UTF-8 text (byte 0xe9 in line 3)"),
    ("audit missing.csv", "missing values in 1 of 3 rows ('a' 1); drop those rows with --drop"),
    ("audit gaps.csv --drop-missing", "the table has 0 complete rows; 2 are needed"),
    ("audit quote.csv", "'quote.csv', line 2: a quote is never closed"),
    ("audit cut.csv.gz", "cannot read 'cut.csv.gz'"),
    ("audit nul.csv", "'nul.csv' has a zero byte in line 3"),
    ("audit wide.csv", "'wide.csv' is UTF-16 text; save it as UTF-8"),
    ("audit book.csv", "'book.csv' is a spreadsheet or an archive; save it as CSV"),
    ("audit inner.csv", "'inner.csv', line 3: ',' expected after '\"'"),
    ("audit damaged.csv.gz", "cannot read 'damaged.csv.gz': CRC check failed"),
    ("audit t.csv --clean old.csv", "--clean: 'old.csv' exists already; --force replaces it"),
    ("audit t.csv --report old.csv", "--report: 'old.csv' exists already; --force replaces it"),
    ("audit t.csv --clean t.csv --force", "--clean: 't.csv' is the input"),
    ("audit t.csv --scores /dev/null --force", "--scores: '/dev/null' is not a regular file"),
    ("audit infinite.csv", "column 'b' has an infinite value (line 2)"),
    ("audit same.csv", "every column of the table is constant"),
    ("audit german.csv", "column 'b' has 2 cells such as '1,234' (line 2), which is 1234 or 1.234"),
    ("audit t.csv --id Name", "there is no column 'Name'; did you mean 'name'?"),
    ("audit t.csv --inputs", "--inputs goes with --target"),
    ("audit t.csv --model trees", "--model trees goes with --target"),
    ("audit t.csv --target y --model trees --gamma 1", "--gamma goes with --model linear"),
    ("audit t.csv --target y --columns colour --inputs", "--inputs: no input is a column of numb"),
    ("audit t.csv --decimal ;", "argument --decimal: invalid choice: ';'"),
    ("audit t.csv --target Colour", "no column 'Colour'; did you mean 'colour'?"),
    ("audit t.csv --target price", "no column 'price'; the columns are 'name', 'x'"),
    ("audit t.csv --columns x,q", "there is no column 'q'"),
    ("audit t.csv --target y --columns x,y", "the target 'y' is also in --columns"),
    ("audit t.csv --clean t.csv", "--clean: 't.csv' is the input"),
    ("audit t.csv --report ./t.csv", "is the input"),
    ("audit t.csv --report no/r.html", "--report: there is no folder 'no'"),
    ("audit t.csv --report .", "--report: '.' is a folder"),
    ("audit t.csv --report o --scores o", "--scores: 'o' is also the file of --report"),
    ("audit t.csv --clean c.parquet", "--clean: the input is CSV"),
    ("audit t.csv --scores s.parquet", "--scores: scores are written as CSV"),
    ("audit t.csv --gamma 0", "argument --gamma: '0' is not a positive number"),
    ("audit t.csv --gamma much", "argument --gamma: 'much' is not a number"),
    ("audit t.csv --gamma inf", "argument --gamma: 'inf' is not a positive number"),
    ("audit t.csv --seed -1", "argument --seed"),
    ("audit t.csv --draws 10", "argument --draws: '10' is not a positive multiple of 4"),
    ("audit t.csv --rule most", "argument --rule: invalid choice: 'most'"),
    ("audit t.csv --targets y", "unrecognized arguments"),
    ("audit", "the following arguments are required: FILE"),
    ("audits t.csv", "argument COMMAND: invalid choice"),
    ("", "the following arguments are required: COMMAND"),
    ("demo --out t.csv", "--out: cannot make the folder 't.csv'"),
]


@pytest.mark.parametrize(("command", "message"), BAD)
def test_bad_input_is_one_line(folder, run, monkeypatch, command, message):
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    # Nothing may be fitted before the input is known to be good.
    monkeypatch.setattr(OutlierAuditor, "fit", None)
    code, out, err = run(*command.split())
    assert (code, out, len(err)) == (2, "", 1)
    assert err[0].startswith("skholder: error: ")
    assert message in err[0]


@pytest.mark.parametrize("cut", [4, 8, 100, -1])
@pytest.mark.parametrize("name", ["t.parquet", "t.csv"])
def test_truncated_parquet_is_one_line(folder, run, monkeypatch, name, cut):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(OutlierAuditor, "fit", None)
    pq.write_table(pa.table({"a": [1.0, 2.0, 4.0], "b": [2.0, 1.0, 7.0]}), name)
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[:cut])
    code, out, err = run("audit", name)
    assert (code, out, len(err)) == (2, "", 1)
    assert f"{name!r} is not a readable Parquet file" in err[0]


def test_an_output_is_replaced_by_force(folder, run):
    (folder / "s.csv").write_text("old")
    options = ["--target", "y", "--exclude", "name", "--draws", "400", "--scores", "s.csv"]
    assert run("audit", "t.csv", *options)[0] == 2
    assert (folder / "s.csv").read_text() == "old"
    assert run("audit", "t.csv", *options, "--force")[0] == 0
    assert (folder / "s.csv").read_text().startswith("row,line,flagged")


def test_a_range_beyond_double_precision_is_no_bug(folder, run):
    rows = [f"{i * i % 17},{i * i % 17 + i % 3 + i / 100}\n" for i in range(40)]
    (folder / "ends.csv").write_text("x,y\n" + "".join(rows) + "5,1.7e308\n6,-1.7e308\n")
    code, out, err = run("audit", "ends.csv", "--draws", "200", "--json")
    assert code == 0, err
    assert {40, 41} <= set(json.loads(out)["flagged_rows"])


@pytest.mark.parametrize("options", [["--target", "y"], ["--target", "x"], []])
@pytest.mark.parametrize("huge", ["1e300", "-1.7e308", "1e155"])
def test_a_huge_number_is_audited_or_named(folder, run, options, huge):
    rows = [f"{i * i % 17},{i * i % 17 + i % 3 + i / 100}\n" for i in range(40)]
    (folder / "huge.csv").write_text("x,y\n" + "".join(rows) + f"5,{huge}\n")
    code, out, err = run("audit", "huge.csv", *options, "--draws", "200", "--json")
    if code == 0:
        assert 40 in json.loads(out)["flagged_rows"]
    else:
        assert (code, out, len(err)) == (2, "", 1)
        assert f"column 'y' is {float(huge):g} (line 42)" in err[0]
        # The advice works.
        advice = re.search(r"--missing=\S+", err[0])[0]
        assert (
            run("audit", "huge.csv", *options, "--draws", "200", advice, "--drop-missing")[0] == 0
        )


def test_numbers_that_leave_the_floats_are_named(folder, run, monkeypatch):
    def overflow(*args):
        raise np.linalg.LinAlgError("Singular matrix")

    monkeypatch.setattr(OutlierAuditor, "fit", overflow)
    (folder / "huge.csv").write_text("x,y\n1,2\n4,3\n5,-7e200\n")
    code, _, err = run("audit", "huge.csv", "--target", "x")
    assert code == 2
    assert err == [
        "skholder: error: the numbers of the table are too far apart to compute with: column 'y' "
        "is -7e+200 (line 4); mend the cell, or call it missing with --missing=-7e+200"
    ]


def test_columns_of_huge_numbers_are_named(folder, run):
    cells = [f"{(-1) ** k}e308,{k}" for k in range(40)]
    (folder / "huge.csv").write_text("\n".join(["x,y", *cells, ""]))
    code, out, err = run("audit", "huge.csv", "--target", "y")
    assert (code, out, len(err)) == (2, "", 1)
    assert "column 'x' is 1e+308 (line 2); mend the cell" in err[0]


def test_every_problem_is_a_line_with_its_remedy(folder, run):
    (folder / "many.csv").write_bytes(FILES["many.csv"])
    code, out, err = run("audit", "many.csv")
    assert (code, out) == (2, "")
    starts = [
        "column 'b' is numbers but for a text: 'x' (line 2)",
        "column 'c' has an infinite value (line 2)",
        "missing values in 1 of 3 rows ('a' 1)",
    ]
    for line, start in zip(err, starts, strict=True):
        assert line.startswith(f"skholder: error: {start}")
    assert all("--exclude" in line for line in err)
    # Each remedy works: what they leave is told, and no more.
    code, _, err = run("audit", "many.csv", "--missing=x,inf")
    assert (code, len(err)) == (2, 1)
    assert err[0].startswith("skholder: error: missing values in 2 of 3 rows ('a' 1, 'b' 1, 'c' 1)")


def test_trees_on_too_few_rows(folder, run):
    (folder / "few.csv").write_text("a,y\n1.5,2\n3,5\n4,7\n")
    code, out, err = run("audit", "few.csv", "--target", "y", "--model", "trees")
    assert (code, out) == (2, "")
    assert err == ["skholder: error: --model trees needs at least 5 rows; the table has 3"]


def test_codes_are_pointed_out_beside_the_problems(folder, run):
    rows = [f"{50 + i / 4},{i * i % 37}\n" for i in range(60)] + ["-999,5\n"] * 3 + [",1\n"]
    (folder / "codes.csv").write_text("a,y\n" + "".join(rows))
    code, out, (hint, problem) = run("audit", "codes.csv", "--target", "y")
    assert (code, out) == (2, "")
    assert hint.startswith("note: column 'a' is -999 in 3 rows (line 62, line 63, line 64), far")
    assert problem.startswith("skholder: error: missing values in 1 of 64 rows")


def test_broken_parquet_is_one_line(folder, run):
    pytest.importorskip("pyarrow")
    (folder / "bad.parquet").write_bytes(b"PAR1 and no more")
    code, _, err = run("audit", "bad.parquet")
    assert (code, len(err)) == (2, 1)
    assert "not a readable Parquet file" in err[0]


@pytest.mark.parametrize(
    ("file", "module"), [("t.csv", "pandas"), ("t.parquet", "pyarrow.parquet")]
)
def test_a_missing_package_is_named(folder, run, monkeypatch, file, module):
    (folder / "t.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, module, None)
    code, _, err = run("audit", file, "--target", "y", "--exclude", "name")
    assert (code, len(err)) == (2, 1)
    assert err[0].endswith('pip install "skholder[cli]"')


def test_bugs_are_one_line_too(folder, run, monkeypatch):
    def broken(*args, **kwargs):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(OutlierAuditor, "fit", broken)
    code, out, err = run("audit", "t.csv", "--target", "y", "--exclude", "name")
    assert (code, out) == (1, "")
    assert err == ["skholder: error: this is a bug: RuntimeError: two lines"]


def test_a_closed_pipe_is_no_error(folder, capsys, monkeypatch):
    class Closed:
        def write(self, text):
            raise BrokenPipeError

        def fileno(self):
            raise OSError

    monkeypatch.setattr(sys, "stdout", Closed())
    options = ["--target", "y", "--exclude", "name", "--draws", "2000", "--scores", "s.csv"]
    assert main(["audit", "t.csv", *options]) == 0
    assert (folder / "s.csv").exists()
    assert capsys.readouterr().err == ""


def test_help_has_examples(run):
    code, out, _ = run("audit", "--help")
    assert code == 0
    assert "skholder audit patients.csv --target progression" in out
    for option in ("--columns", "--exclude", "--drop-missing", "--json", "--clean", "--seed"):
        assert option in out
    code, out, _ = run("--help")
    assert code == 0
    assert "skholder demo" in out


def test_module_and_version():
    found = subprocess.run(
        [sys.executable, "-m", "skholder", "--version"], capture_output=True, text=True, check=True
    )
    assert found.stdout == f"skholder {__version__}\n"
    assert found.stderr == ""
