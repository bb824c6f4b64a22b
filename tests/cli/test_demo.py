import shlex

import pandas as pd
import pytest

from skholder import OutlierAuditor
from skholder.datasets import load_spoiled_diabetes


def test_demo(tmp_path, run):
    folder = tmp_path / "a b" / "demo"
    code, out, err = run("demo", "--out", folder, "--draws", "2000")
    assert (code, err) == (0, [])
    lines = out.splitlines()
    assert lines[0].startswith("$ skholder audit ")
    assert f"--report '{folder}/report.html'" in lines[0]
    assert "do not follow the model." in out
    assert lines[-1] == f"Open {(folder / 'report.html').as_uri()}"
    assert {path.name for path in folder.iterdir()} == {
        "clean.csv",
        "diabetes.csv",
        "report.html",
        "scores.csv",
    }


def test_demo_tells_the_truth(tmp_path, run):
    _, out, _ = run("demo", "--out", tmp_path, "--draws", "2000")
    data = load_spoiled_diabetes()
    table = pd.read_csv(tmp_path / "diabetes.csv")
    assert list(table) == [*data.feature_names, "progression"]
    assert (table.to_numpy()[:, :-1] == data.data).all()
    flagged = pd.read_csv(tmp_path / "scores.csv")["flagged"].to_numpy()
    found, wrong = (flagged & data.outliers).sum(), (flagged & ~data.outliers).sum()
    assert found > 0.8 * data.outliers.sum()
    assert (
        f"In truth {data.outliers.sum()} rows had 300 added to 'progression': {found} of them are "
        f"flagged, and {wrong} others."
    ) in out


def test_the_demo_replaces_its_own_files_only(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "scores.csv").write_text("mine")
    code, out, err = run("demo", "--out", "mine", "--draws", "400")
    assert (code, out) == (2, "")
    assert err == ["skholder: error: --out: 'mine/scores.csv' exists already; --force replaces it"]
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["scores.csv"]
    assert run("demo", "--out", "mine", "--draws", "400", "--force")[0] == 0
    for _ in range(2):
        code, out, _ = run("demo", "--draws", "400")
        assert code == 0
    # The command that is shown can be run again.
    shown = shlex.split(out.splitlines()[0])
    assert run(*shown[2:], "--draws", "400")[0] == 0


def test_what_appears_during_the_demo_stays(tmp_path, run, monkeypatch):
    fit = OutlierAuditor.fit

    def late(self, *table):
        (tmp_path / "clean.csv").write_text("mine")
        return fit(self, *table)

    monkeypatch.setattr(OutlierAuditor, "fit", late)
    code, _, err = run("demo", "--out", tmp_path, "--draws", "400")
    assert code == 2
    assert "clean.csv': it has appeared during the fit; --force replaces it" in err[-1]
    assert (tmp_path / "clean.csv").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clean.csv", "diabetes.csv"]


@pytest.mark.parametrize("name", ["skholder-demo", "report.html", "diabetes.csv"])
def test_the_demo_does_not_write_through_links(tmp_path, run, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    own, mine = tmp_path / "skholder-demo", tmp_path / "mine"
    if name == own.name:
        mine.mkdir()
        own.symlink_to(mine)
    else:
        own.mkdir()
        mine.write_text("mine")
        (own / name).symlink_to(mine)
    for force in ((), ("--force",)):
        code, out, err = run("demo", "--draws", "400", *force)
        assert (code, out) == (2, "")
        assert len(err) == 1
        assert f"{name}' is a link; remove it, or name another folder with --out" in err[0]
    assert mine.is_dir() or mine.read_text() == "mine"
    assert len(list(tmp_path.rglob("*"))) == (2 if name == own.name else 3)


def test_a_folder_in_the_place_of_a_file_is_found_first(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "skholder-demo" / "report.html").mkdir(parents=True)
    code, out, err = run("demo", "--draws", "400")
    assert (code, out) == (2, "")
    assert err == ["skholder: error: --report: 'skholder-demo/report.html' is a folder"]
    assert [path.name for path in (tmp_path / "skholder-demo").iterdir()] == ["report.html"]


def test_files_of_the_demo_that_are_one_are_refused(tmp_path, run):
    (tmp_path / "diabetes.csv").symlink_to(tmp_path / "report.html")
    code, out, err = run("demo", "--out", tmp_path, "--draws", "400")
    assert (code, out, len(err)) == (2, "", 1)
    assert "diabetes.csv' exists already" in err[0]
    code, out, err = run("demo", "--out", tmp_path, "--draws", "400", "--force")
    assert (code, out, len(err)) == (2, "", 1)
    assert "is also the file of --out" in err[0]
    assert [path.name for path in tmp_path.iterdir()] == ["diabetes.csv"]
