"""``skholder audit`` on a directory of Parquet files."""

import json

import numpy as np
import pytest

from skholder import HolderBayesRegressor
from skholder.cli import main

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 2))
    y = X.sum(axis=1) + rng.normal(size=1200)
    y[:60] += 9
    home = tmp_path / "parts"
    home.mkdir()
    for k, part in enumerate(np.split(np.arange(1200), 3)):
        table = pa.table({"a": X[part, 0], "b": X[part, 1], "y": y[part], "who": ["x"] * 400})
        pq.write_table(table, home / f"{k}.parquet")
    return home, X, y


def run(capsys, *argv):
    code = main([str(word) for word in argv])
    return code, *capsys.readouterr()


def test_the_answer_is_that_of_the_table_in_memory(folder, capsys, tmp_path):
    home, X, y = folder
    scores = tmp_path / "scores"
    code, out, _ = run(
        capsys, "audit", home, "--target", "y", "--json", "--scores", scores, "--draws", 2000
    )
    assert code == 0
    found = json.loads(out)
    memory = HolderBayesRegressor(n_draws=2000, random_state=0).fit(X, y)
    assert found["epsilon"] == pytest.approx(memory.epsilon_, rel=1e-9)
    assert found["columns"] == ["a", "b"]
    assert found["rows"] == 1200
    assert {one["block"] for one in found["worst"]} == {"0.parquet, batch 0"}
    parts = [pq.read_table(path) for path in sorted(scores.iterdir())]
    assert [len(part) for part in parts] == [400, 400, 400]
    fod = np.concatenate([part["fod"].to_numpy() for part in parts])
    np.testing.assert_allclose(fod, memory.fod_scores_, atol=1e-12)
    assert found["count"] == np.sum(fod > 0.5)


def test_the_text_and_the_gate(folder, capsys):
    home, *_ = folder
    code, out, _ = run(
        capsys, "audit", home, "--target", "y", "--exclude", "b", "--fail-above", 0.01,
        "--draws", 2000,
    )  # fmt: skip
    assert code == 3
    assert "1,200 rows" in out
    assert "rows do not follow the model" in out
    assert "row 0 of 0.parquet" in out or "of 0.parquet, batch 0" in out
    assert "Gate closed" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--report", "r.html"], "--report needs the rows in memory"),
        (["--model", "trees"], "--model trees does not work on a directory"),
        (["--scores", "."], "exists; give the name of a new folder"),
        (["--scores", "no/such/place"], "there is no folder"),
        (["--scores", "/proc/zz"], "--scores: the folder '/proc' cannot be written to"),
        (["--scores", "s" * 300], "cannot be made: File name too long"),
        (["--scores", "x/.."], "exists; give the name of a new folder"),
        (["--model", "auto"], "--model auto does not work on a directory"),
        (["--rule", "mean"], "--rule does not work on a directory: most draws flag"),
        (["--rule", "fdr"], "--rule does not work on a directory: most draws flag"),
        (["--columns", "a,y"], "the target 'y' is also in --columns; name it once"),
        (["--exclude", "y"], "column 'y' is wanted and in --exclude; name it once"),
        (["--exclude", "a,b"], "no columns are left to audit"),
        (["--exclude", "z"], "there is no column 'z'; the columns are 'a', 'b', 'y', 'who'"),
        (["--target", "A"], "there is no column 'A'; did you mean 'a'?"),
        (["--columns", "who"], "has no numeric column 'who'"),
    ],
)
def test_what_cannot_be_done_is_said_first(folder, capsys, monkeypatch, options, message):
    home, *_ = folder
    monkeypatch.setattr(HolderBayesRegressor, "fit", None)
    code, out, err = run(capsys, "audit", home, "--target", "y", *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_an_empty_directory_and_nothing_half_written(folder, capsys, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    code, _, err = run(capsys, "audit", empty)
    assert code == 2
    assert "is a folder without Parquet files" in err
    home, *_ = folder
    bad = pa.table({"a": [1.0], "b": [np.nan], "y": [1.0]})
    pq.write_table(bad, home / "9.parquet")
    code, _, err = run(capsys, "audit", home, "--target", "y", "--scores", tmp_path / "scores")
    assert code == 2
    assert "9.parquet, batch 0: column 'b' holds nan in its row 0" in err
    (home / "9.parquet").rename(home / "X.parquet")
    code, _, err = run(capsys, "audit", home, "--target", "y")
    assert code == 2
    assert "error: X.parquet, batch 0: column 'b' holds nan" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "parts"]


def test_a_full_disk_names_the_folder(folder, capsys, tmp_path, monkeypatch):
    home, *_ = folder

    def full(table, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    words = ("audit", home, "--target", "y", "--draws", 400, "--scores", tmp_path / "scores")
    code, _, err = run(capsys, *words)
    assert code == 2
    assert f"skholder: error: cannot write '{tmp_path}/scores': No space left" in err
    assert [path.name for path in tmp_path.iterdir()] == ["parts"]


def test_row_labels_of_pandas_are_no_column(tmp_path, capsys):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 3)), columns=["a", "b", "y"])
    (tmp_path / "parts").mkdir()
    frame[frame.a < 1].to_parquet(tmp_path / "parts" / "0.parquet")
    words = ("audit", tmp_path / "parts", "--target", "y", "--json", "--draws", 400)
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert json.loads(out)["columns"] == ["a", "b"]


def test_a_walk_that_fails_leaves_no_scores(folder, capsys, tmp_path, monkeypatch):
    home, *_ = folder
    walk = HolderBayesRegressor.audit_blocks

    def broken(self, source):
        blocks = walk(self, source)
        yield next(blocks)
        raise OSError("the disk is gone")

    monkeypatch.setattr(HolderBayesRegressor, "audit_blocks", broken)
    words = ("audit", home, "--target", "y", "--draws", 400, "--scores", tmp_path / "scores")
    code, _, err = run(capsys, *words)
    assert code == 2
    assert "the disk is gone" in err
    assert [path.name for path in tmp_path.iterdir()] == ["parts"]


@pytest.mark.parametrize("name", ["loop", "loop/x", "link"])
def test_links_that_lead_nowhere(folder, capsys, tmp_path, monkeypatch, name):
    home, *_ = folder
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "link").symlink_to(tmp_path / "no" / "such")
    monkeypatch.setattr(HolderBayesRegressor, "fit", None)
    code, out, err = run(capsys, "audit", home, "--target", "y", "--scores", tmp_path / name)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "skholder: error: --scores: " in err


def test_a_column_may_be_named_twice_and_text_left_out(folder, capsys):
    home, *_ = folder
    few = ("--target", "y", "--draws", 400, "--json")
    twice = run(capsys, "audit", home, *few, "--columns", "a,a")
    assert twice[0] == 0
    assert json.loads(twice[1])["columns"] == ["a"]
    assert run(capsys, "audit", home, *few, "--exclude", "who,b") == twice
    part = pq.read_table(home / "1.parquet")
    pq.write_table(part.drop_columns(["b"]), home / "1.parquet")
    assert run(capsys, "audit", home, *few, "--exclude", "b") == twice


def test_tables_that_cannot_be_used_are_named(folder, capsys, tmp_path):
    home, *_ = folder
    bad = pa.table([[1.0], [2.0], [3.0]], names=["a", "a", "y"])
    pq.write_table(bad, home / "9.parquet")
    code, _, err = run(capsys, "audit", home, "--target", "y")
    assert (code, err) == (
        2,
        "skholder: error: 9.parquet has more than one column named 'a'.\n",
    )
    pq.write_table(pa.table({"a": [1.0], "b": [1.0], "y": [np.inf]}), home / "9.parquet")
    code, _, err = run(capsys, "audit", home, "--target", "y")
    assert code == 2
    assert "9.parquet, batch 0: column 'y' holds inf in its row 0" in err
    empty = tmp_path / "empty"
    empty.mkdir()
    pq.write_table(
        pa.table({"a": pa.array([], "float64"), "y": pa.array([], "float64")}), empty / "0.parquet"
    )
    code, _, err = run(capsys, "audit", empty, "--target", "y")
    assert (code, err) == (2, f"skholder: error: {str(empty)!r} has no rows\n")


@pytest.mark.parametrize("compression", ["gzip", "none", "zstd"])
def test_the_file_of_a_damaged_page_is_named(folder, capsys, compression):
    home, X, y = folder
    path = home / "1.parquet"
    table = pa.table({"a": X[:400, 0], "b": X[:400, 1], "y": y[:400]})
    pq.write_table(
        table, path, compression=compression, use_dictionary=False, write_statistics=False
    )
    data = bytearray(path.read_bytes())
    for start in (4, 1000, len(data) // 2):
        spoiled = bytearray(data)
        spoiled[start : start + 40] = bytes(40)
        path.write_bytes(spoiled)
        code, out, err = run(capsys, "audit", home, "--target", "y", "--draws", 400)
        if compression == "none" and start > 4:
            # A file without checksums: other numbers.
            continue
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "skholder: error: 1.parquet cannot be read as Parquet: " in err
