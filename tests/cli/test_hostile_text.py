"""Cells, names and files made to do harm: formulas, markup, marks that turn text, endless names."""

import csv
import io
import json

import numpy as np
import pytest

from skholder import OutlierAuditor
from skholder.cli.tables import as_text_cell

QUICK = ["--draws", "400"]
RIGHT_TO_LEFT = "\u202ecba\u2066"
N = 60


def table(names=("x", "y"), who=None, end="\n", mark=","):
    """A CSV file of N rows, the last of which is far out, as bytes; ``who`` names the rows."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=N)
    y = 2 * x + rng.normal(size=N)
    y[-1] = 90
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=end, delimiter=mark)
    writer.writerow([*([] if who is None else ["who"]), *names])
    for i in range(N):
        writer.writerow([*([] if who is None else [who[i]]), f"{x[i]:.4f}", f"{y[i]:.4f}"])
    return text.getvalue().encode()


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows_of(path):
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode(), newline="")))


def test_scores_hold_no_formulas(here, run):
    who = [f"={i}+1" for i in range(N)]
    who[0], who[1], who[2] = "-3", "@SUM(A1)", "a;=1+1"
    (here / "t.csv").write_bytes(table(("=cmd|' /C calc'!A0", "y"), who))
    options = ("--target", "y", "--id", "who", "--inputs", "--scores", "s.csv")
    code, _, _ = run("audit", "t.csv", *options, *QUICK)
    assert code == 0
    rows = rows_of(here / "s.csv")
    assert [row["id"] for row in rows[:4]] == ["-3", "'@SUM(A1)", "a;'=1+1", "'=3+1"]
    assert any(row["inputs_reason"].startswith("'=cmd") for row in rows)
    for row in rows:
        for name in ("id", "reason", "repair", "inputs_reason", "inputs_repair"):
            assert row[name] == "-3" or not row[name].startswith(("=", "+", "-", "@"))
    # Numbers are numbers.
    assert any(float(row["residual"]) < 0 for row in rows)


def test_labels_of_parquet_rows_hold_no_formulas(here, run):
    pd, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    frame = pd.read_csv(io.BytesIO(table()))
    frame.index = pd.Index([f"=A{i}" for i in range(N)], name="who")
    frame.to_parquet("t.parquet")
    assert run("audit", "t.parquet", "--target", "y", "--scores", "s.csv", *QUICK)[0] == 0
    assert rows_of(here / "s.csv")[3]["index"] == "'=A3"


@pytest.mark.parametrize(("end", "mark"), [("\n", ","), ("\r\n", ";")])
def test_a_clean_copy_is_exact_unless_formulas_are_to_be_escaped(here, run, end, mark):
    who = [f"P{i}" for i in range(N)]
    who[4], who[5], who[6] = "=1+1", 'the "last"\none', "-3"
    data = "\ufeff".encode() + table(("@x", "y"), who, end, mark)
    (here / "t.csv").write_bytes(data)
    options = ("--target", "y", "--id", "who", "--columns", "@x", *QUICK)
    assert run("audit", "t.csv", *options, "--clean", "c.csv")[0] == 0
    lines, kept = data.splitlines(True), (here / "c.csv").read_bytes().splitlines(True)
    assert set(kept) <= set(lines)
    assert run("audit", "t.csv", *options, "--clean", "e.csv", "--escape-formulas")[0] == 0
    escaped = (here / "e.csv").read_bytes().splitlines(True)
    changed = [(a, b) for a, b in zip(kept, escaped, strict=True) if a != b]
    (header, its_copy), (row, other) = changed
    assert its_copy == header.replace(b"@x", b"'@x")
    assert other == row.replace(b"=1+1", b"'=1+1")


def test_options_of_escaping(here, run, monkeypatch):
    monkeypatch.setattr(OutlierAuditor, "fit", None)
    pytest.importorskip("pyarrow.parquet").write_table(
        pytest.importorskip("pyarrow").table({"x": [1.0, 2.0]}), "t.parquet"
    )
    (here / "t.csv").write_bytes(table())
    code, _, err = run("audit", "t.csv", "--escape-formulas")
    assert (code, len(err)) == (2, 1)
    assert "--escape-formulas goes with --clean" in err[0]
    code, _, err = run("audit", "t.parquet", "--escape-formulas", "--clean", "c.parquet")
    assert (code, len(err)) == (2, 1)
    assert "--escape-formulas goes with CSV files" in err[0]


NAMES = {
    "markup": "<script>alert(1)</script>",
    "quotes": "\"'`${x}{{ 7*7 }}",
    "direction": f"a{RIGHT_TO_LEFT}b",
    "newline": "a\r\nb\x1b[31m",
    "long": "n" * 10_000,
}


@pytest.mark.parametrize("kind", NAMES)
def test_hostile_names_reach_every_output_tamed(here, run, kind):
    name = NAMES[kind]
    who = [f"{name}{i}" for i in range(N)]
    (here / "t.csv").write_bytes(table((name, "y"), who))
    outputs = ("--report", "r.html", "--scores", "s.csv", "--clean", "c.csv")
    group = ("--group", "who", "--inputs", "--target", "y", "--id", "who")
    code, out, err = run("audit", "t.csv", *group, *outputs, *QUICK)
    assert code == 0
    page = "".join((here / name).read_bytes().decode() for name in ("r.html", "r.inputs.html"))
    assert "<script>alert(1)" not in page
    assert not set(page) & set(f"{RIGHT_TO_LEFT[0]}{RIGHT_TO_LEFT[-1]}\x1b\r")
    assert len(page) < 2_000_000
    for line in [*out.splitlines(), *err]:
        assert line.isprintable()
        assert len(line) <= 2_100
    # What programs read is what the file says.
    assert rows_of(here / "s.csv")[7]["id"] == who[7].strip()
    code, out, _ = run("audit", "t.csv", *group, "--json", *QUICK)
    assert code == 0
    assert json.loads(out)["flagged_ids"][0] == who[-1].strip()


@pytest.mark.parametrize("kind", NAMES)
def test_hostile_names_in_messages_are_one_short_line(here, run, kind):
    (here / "t.csv").write_bytes(table((NAMES[kind], "y")).replace(b"90.0", b"x"))
    code, out, err = run("audit", "t.csv", "--target", NAMES[kind] + "?")
    assert (code, out, len(err)) == (2, "", 1)
    code, _, err = run("audit", "t.csv")
    assert (code, len(err)) == (2, 1)
    assert err[0].isprintable()
    assert len(err[0]) <= 2_100


def test_titles_of_files_are_escaped(here, run):
    (here / "<b onclick=x>.csv").write_bytes(table())
    code, _, _ = run("audit", "<b onclick=x>.csv", "--target", "y", "--report", "r.html", *QUICK)
    assert code == 0
    assert "<b onclick" not in (here / "r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("cell", ["=1\r2", "=a\nb", "-\n1+HYPERLINK(1)", "\n-", "-\r\n=x"])
def test_what_is_written_can_be_read_back(here, run, cell, end):
    who = [f"P{i}" for i in range(N)]
    who[3] = who[-2] = cell
    numbers = csv.reader(io.StringIO(table(("@x", "z")).decode(), newline=""))
    rows = [[name, *row] for name, row in zip(["who", *who], numbers, strict=True)]
    rows[0][1] = "@x\r\ny"
    lines = [",".join(f'"{one}"' for one in row) for row in rows]
    (here / "t.csv").write_bytes(end.join(lines).encode())
    options = ("--target", "z", "--id", "who", "--clean", "c.csv", "--escape-formulas")
    code, _, _ = run("audit", "t.csv", *options, "--scores", "s.csv", *QUICK)
    assert code == 0
    copy = list(csv.reader(io.StringIO((here / "c.csv").read_bytes().decode(), newline="")))
    assert {len(row) for row in copy} == {3}
    assert copy[0][1] == "'@x\r\ny"
    assert copy[4][0].startswith("'")
    assert copy[4][0].replace("'", "") == cell
    scores = list(csv.reader(io.StringIO((here / "s.csv").read_bytes().decode(), newline="")))
    assert len({len(row) for row in scores}) == 1
    assert len(scores) == N + 1
    assert scores[4][1] == as_text_cell(cell.strip())
