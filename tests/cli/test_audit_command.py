import csv
import gzip
import io
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest

from skholder import HolderBayesRegressor, OutlierAuditor
from skholder.audit import RULES
from skholder.cli import main
from skholder.cli.auditing import run_audit
from skholder.cli.records import AuditRequest
from skholder.cli.tables import Wishes

QUICK = ("--exclude", "name", "--draws", "400")


@pytest.fixture(scope="module")
def audited(tmp_path_factory, pieces):
    """A folder after an audit with every output, and what ``--json`` printed."""
    folder = tmp_path_factory.mktemp("audited")
    (folder / "t.csv").write_bytes("".join(pieces).encode())
    options = {"--report": "r.html", "--scores": "s.csv", "--clean": "c.csv"}
    outputs = [part for option, name in options.items() for part in (option, str(folder / name))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", io.StringIO())
        code = main(["audit", str(folder / "t.csv"), "--target", "y", *QUICK, *outputs, "--json"])
        assert code == 0
        return folder, json.loads(sys.stdout.getvalue())


def test_json(audited, outliers):
    folder, found = audited
    assert found["file"] == str(folder / "t.csv")
    assert (found["rows"], found["rows_left_out"], found["target"]) == (100, 0, "y")
    assert found["columns"] == ["x", "z, cm", "colour=red"]
    assert found["baselines"] == {"colour": "blue"}
    assert outliers <= set(found["flagged_rows"])
    assert len(found["flagged_rows"]) == found["count"] == found["count_mean"]
    assert found["count_interval"][0] <= found["count"] <= found["count_interval"][1]
    start, end = found["epsilon_interval"]
    assert 0 <= start < found["epsilon"] < end <= 0.5
    assert found["diagnostics"]["verdict"]["status"] == "warn"
    assert any("--draws" in text for text in found["warnings"])
    assert found["written"] == {
        "report": str(folder / "r.html"),
        "scores": str(folder / "s.csv"),
        "clean": str(folder / "c.csv"),
    }


def test_lines_are_those_of_the_file(audited, pieces):
    _, found = audited
    ends = np.cumsum([piece.count("\n") for piece in pieces])
    expected = [int(ends[row]) + 1 for row in found["flagged_rows"]]
    assert found["flagged_lines"] == expected


def test_the_result_is_that_of_the_estimators(audited, pieces):
    _, found = audited
    frame = pd.read_csv(io.StringIO("".join(pieces)))
    X = frame[["x", "z, cm"]].assign(red=frame["colour"] == "red").to_numpy(float)
    regressor = HolderBayesRegressor(n_draws=400, random_state=0)
    with pytest.warns(UserWarning, match="effective draws|R-hat"):
        auditor = OutlierAuditor(regressor).fit(X, frame["y"].to_numpy())
    assert found["flagged_rows"] == auditor.audit_.indices.tolist()
    assert found["epsilon"] == auditor.estimator_.epsilon_


def test_the_clean_copy_is_the_kept_lines(audited, pieces):
    folder, found = audited
    kept = [row for i, row in enumerate(pieces[1:]) if i not in found["flagged_rows"]]
    assert (folder / "c.csv").read_bytes() == (pieces[0] + "".join(kept)).encode()


def test_scores_have_every_row_in_order(audited, outliers):
    folder, found = audited
    scores = pd.read_csv(folder / "s.csv")
    assert scores["row"].tolist() == list(range(100))
    assert scores["flagged"].dtype == bool
    assert set(scores["row"][scores["flagged"]]) == set(found["flagged_rows"])
    worst = scores.sort_values("rank")
    assert worst["row"][: found["count"]].tolist() == found["flagged_rows"]
    assert worst["log_density"].is_monotonic_increasing
    assert scores["fod"].between(0, 1).all()
    assert scores["tail_probability"].between(0, 1).all()
    np.testing.assert_allclose(scores["expected_by_chance"], 100 * scores["tail_probability"])
    assert scores["expected_by_chance"][list(outliers)].max() < 1e-6
    observed = scores["predicted"] + scores["residual"]
    assert observed[list(outliers)].min() > 20
    assert scores["reason"][0].startswith("y is ")


def test_the_report_names_file_columns_and_lines(audited):
    folder, found = audited
    page = (folder / "r.html").read_text(encoding="utf-8")
    row, line = found["flagged_rows"][0], found["flagged_lines"][0]
    for text in ("Audit of t.csv", "z, cm", "colour=red", f"{row} (line {line})"):
        assert text in page


def test_text_output(folder, run, outliers):
    code, out, err = run("audit", "t.csv", "--target", "y", *QUICK, "--scores", "s.csv")
    assert code == 0
    assert "do not follow the model" in out
    assert "\n10 of 100 rows, at least 95% sure, do not follow the model.\n" in out
    assert "In the population that the rows come from, the share outside the model" in out
    assert "The model is" not in out
    assert "Levels of text columns are against colour=blue." in out
    lines = out.splitlines()
    for name in ("intercept", "x ", "z, cm", "colour=red", "noise scale"):
        assert sum(line.startswith(name) for line in lines) == 1
    start = lines.index(
        "The least likely rows (rows count from 0), and how many such rows are expected by chance "
        "among 100 clean rows:"
    )
    columns = ["row", "line", "FoD", "expected by chance", "reason"]
    assert re.split(r"\s{2,}", lines[start + 1]) == columns
    assert all("  less than one in a million  y is " in line for line in lines[start + 2 :][:10])
    assert {int(line.split()[0]) for line in lines[start + 2 : start + 12]} == outliers
    assert lines[-1] == "Wrote s.csv (scores of 100 rows)"
    assert len(err) == 1
    assert "effective draws" in err[0] or "R-hat" in err[0]
    assert err[0].endswith("Increase --draws.")


def test_the_same_seed_gives_the_same_bytes(folder, run):
    options = ("audit", "t.csv", "--target", "y", *QUICK, "--scores")
    _, first, _ = run(*options, "1.csv")
    _, second, _ = run(*options, "2.csv")
    run(*options, "3.csv", "--seed", "1")
    assert first.replace("1.csv", "2.csv") == second
    assert (folder / "1.csv").read_bytes() == (folder / "2.csv").read_bytes()
    assert (folder / "1.csv").read_bytes() != (folder / "3.csv").read_bytes()


def test_quiet_prints_nothing(folder, run):
    code, out, err = run("audit", "t.csv", "--target", "y", *QUICK, "--quiet")
    assert (code, out) == (0, "")
    assert all(line.startswith("warning: ") for line in err)


def test_rules_flag_more_or_fewer_rows(folder, run):
    # Outliers near the others leave doubt about their number.
    rng = np.random.default_rng(5)
    y = rng.normal(size=200) + np.where(np.arange(200) < 30, 4.5, 0.0)
    pd.DataFrame({"x": rng.normal(size=200), "y": y}).to_csv("near.csv", index=False)
    count = {}
    for rule in RULES:
        options = ("--target", "y", "--draws", "400", "--json", "--rule", rule)
        _, out, _ = run("audit", "near.csv", *options)
        found = json.loads(out)
        assert found["rule"] == rule
        count[rule] = found["count"]
        assert len(found["flagged_rows"]) == count[rule]
        interval = found["count_interval"]
    assert [count["lower"], count["upper"]] == interval
    assert count["lower"] < count["upper"]
    assert count["lower"] <= count["median"] <= count["upper"]
    assert 0 < count["certain"] <= count["fdr"] <= count["upper"]


def test_gamma(folder, audited, run):
    _, found = audited
    epsilon = []
    for gamma in ("0.5", "0.9"):
        _, out, _ = run("audit", "t.csv", "--target", "y", *QUICK, "--json", "--gamma", gamma)
        epsilon.append(json.loads(out)["epsilon"])
    # Without the option it is chosen from the data.
    assert len({found["epsilon"], *epsilon}) == 3
    _, out, _ = run("audit", "--help")
    assert "(default: chosen from the data, 'auto')" in " ".join(out.split())


def test_a_clean_table_is_called_clean(folder, run):
    values = np.random.default_rng(0).normal(size=(150, 2))
    pd.DataFrame(values, columns=["x", "y"]).to_csv("clean.csv", index=False)
    options = ("audit", "clean.csv", "--target", "y", "--draws", "400")
    _, out, _ = run(*options)
    assert out.splitlines()[2].startswith("Nothing speaks against the model; ")
    assert "No row is flagged here" in out
    _, out, _ = run(*options, "--json")
    found = json.loads(out)
    assert found["clean_probability"] > 0.5
    assert found["adequacy"]["verdict"] == "right"


def test_a_wrong_model_is_told_first(folder, run):
    values = np.exp(np.random.default_rng(0).normal(size=(200, 2)))
    pd.DataFrame(values, columns=["price", "area"]).to_csv("skewed.csv", index=False)
    _, out, _ = run("audit", "skewed.csv", "--draws", "400")
    assert out.splitlines()[2].startswith("A normal density of 2 columns with a full covariance ")
    assert "does not describe these rows (skewed: " in out.splitlines()[2]
    assert "Diagnostics: Not to be trusted: the model does not describe these rows;" in out
    assert "  Fit of the model: wrong. " in out
    assert "Sound" not in out


def test_a_report_without_jinja_is_refused_before_the_fit(folder, run, monkeypatch):
    def fit(*args):
        raise AssertionError("fitted in vain")

    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setattr(OutlierAuditor, "fit", fit)
    code, out, err = run("audit", "t.csv", "--target", "y", *QUICK, "--report", "r.html")
    assert (code, out) == (2, "")
    assert err == ['skholder: error: --report needs Jinja2: pip install "skholder[report]"']


def test_density_without_a_target(folder, run, outliers):
    options = ("--columns", '"z, cm",y', "--draws", "400", "--gamma", "0.4")
    code, out, _ = run("audit", "t.csv", *options, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["columns"] == ["z, cm", "y"]
    assert found["target"] is None
    assert found["model"] == "normal density of 2 columns with a full covariance"
    assert outliers <= set(found["flagged_rows"])
    code, out, _ = run("audit", "t.csv", *options)
    assert "mean of z, cm" in out


def test_many_columns(folder, run):
    values = np.random.default_rng(0).normal(size=(60, 21))
    pd.DataFrame(values).to_csv("wide.csv", index=False)
    code, out, err = run("audit", "wide.csv", "--draws", "400")
    assert code == 0
    assert "normal density of 21 columns along fixed principal axes" in out
    assert "... and 2 more" in out
    assert "nats" not in out
    pd.DataFrame(np.random.default_rng(0).normal(size=(9, 1001))).to_csv("wider.csv", index=False)
    code, out, err = run("audit", "wider.csv")
    assert (code, len(err)) == (2, 1)
    assert "1001 columns are too many for one density" in err[0]


def test_missing_rows_are_left_out_and_counted(folder, run, pieces):
    changed = [*pieces[:5], pieces[5].replace(",blue,", ",NA,"), *pieces[6:]]
    (folder / "m.csv").write_bytes("".join(changed).encode())
    outputs = ("--scores", "s.csv", "--clean", "c.csv", "--report", "r.html")
    options = ("--target", "y", *QUICK, *outputs)
    code, out, err = run("audit", "m.csv", *options)
    assert (code, len(err)) == (2, 1)
    assert "missing values in 1 of 100 rows ('colour' 1)" in err[0]
    assert not (folder / "s.csv").exists()
    code, out, _ = run("audit", "m.csv", *options, "--drop-missing")
    assert code == 0
    heading, note, *_ = out.splitlines()
    assert heading.startswith("m.csv: 100 rows, linear regression ")
    assert note == "1 of 100 rows was left out because of missing values ('colour' 1)."
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert (
        "<p>1 of 100 rows was left out because of missing values (&#39;colour&#39; 1).</p>" in page
    )
    scores = pd.read_csv("s.csv")
    assert np.flatnonzero(scores["fod"].isna()).tolist() == [4]
    assert scores["row"].tolist() == list(range(100))
    assert scores["reason"][4] == "missing: colour"
    flagged = set(scores["row"][scores["flagged"] == True])  # noqa: E712  the column has gaps
    kept = [row for i, row in enumerate(changed[1:]) if i not in flagged | {4}]
    assert (folder / "c.csv").read_bytes() == (pieces[0] + "".join(kept)).encode()


def test_notes_are_sentences_about_the_table(folder):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "y"])
    frame.insert(0, "id", range(80))
    frame["same"] = "x"
    frame.loc[[3, 5], "a"] = np.nan
    frame.to_csv("w.csv")
    noted, warned = [], []
    wishes = Wishes("y")
    request = AuditRequest(folder / "w.csv", wishes, drop_missing=True, n_draws=400)
    result = run_audit(request, warned.append, noted.append)
    left_out, unnamed, counts, same = result.notes
    assert left_out == "2 of 80 rows were left out because of missing values ('a' 2)."
    assert unnamed == "'column 1' has no name and was left out; ask for it with --columns."
    assert counts.startswith("Column 'id' only counts or names the rows and was left out;")
    assert same == "Column 'same' is always 'x': it was left out."
    # Who asked for rows to be left out need not be told at once; the printout says it.
    assert len(noted) == 3
    assert not any("missing" in text for text in noted)
    # What the fit says is no note.
    assert any("--draws" in text for text in warned)
    assert result.warnings == warned


def test_gzip_in_and_out(folder, run, pieces):
    (folder / "t.csv.gz").write_bytes(gzip.compress("".join(pieces).encode()))
    options = ("--target", "y", *QUICK, "--quiet")
    assert run("audit", "t.csv", *options, "--clean", "c.csv", "--scores", "s.csv")[0] == 0
    assert run("audit", "t.csv.gz", *options, "--clean", "c.csv.gz", "--scores", "s.csv.gz")[0] == 0
    for name in ("c.csv", "s.csv"):
        assert gzip.decompress((folder / f"{name}.gz").read_bytes()) == (folder / name).read_bytes()


def test_parquet_in_and_out(folder, run, pieces):
    pytest.importorskip("pyarrow")
    rows = list(csv.reader(io.StringIO("".join(pieces), newline="")))
    frame = pd.DataFrame(rows[1:], columns=rows[0]).astype({"x": float, "z, cm": float, "y": float})
    frame.index = pd.Index([f"patient {i}" for i in range(100)], name="who")
    frame.to_parquet("t.parquet")
    options = ("--target", "y", *QUICK, "--json")
    _, out, _ = run("audit", "t.csv", *options)
    outputs = ("--clean", "c.parquet", "--scores", "s.csv", "--report", "r.html")
    code, other, _ = run("audit", "t.parquet", *options, *outputs)
    assert code == 0
    expected, found = json.loads(out), json.loads(other)
    assert found["flagged_lines"] is None
    for key in ("flagged_rows", "epsilon", "columns", "estimates"):
        assert found[key] == expected[key]
    kept = frame.drop(frame.index[found["flagged_rows"]])
    pd.testing.assert_frame_equal(pd.read_parquet("c.parquet"), kept)
    assert pd.read_csv("s.csv")["index"].tolist() == list(frame.index)
    assert f"patient {found['flagged_rows'][0]}" in (folder / "r.html").read_text(encoding="utf-8")
    _, out, _ = run("audit", "t.parquet", "--target", "y", *QUICK)
    assert f"patient {found['flagged_rows'][0]}" in out


def test_warnings_are_single_lines(folder, run):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(80, 2)), columns=["a", "y"])
    frame.insert(0, "id", range(80))
    frame["same"] = 3.0
    frame.to_csv("w.csv")
    code, _, err = run("audit", "w.csv", "--target", "y", "--draws", "400", "--quiet")
    assert code == 0
    assert err[0].startswith("note: 'column 1' has no name and was left out")
    assert err[1].startswith("note: column 'id' only counts or names the rows and was left out")
    assert any("['same'] are constant" in line for line in err)
    assert all(line.startswith("warning: ") for line in err[2:])


def test_names_cannot_command_the_terminal(folder, run):
    values = np.random.default_rng(0).normal(size=(80, 2))
    names = ["a\x1b[31m\nb", "long " * 20]
    pd.DataFrame(values, columns=names).to_csv("n.csv", index=False)
    code, out, _ = run("audit", "n.csv", "--draws", "400")
    assert code == 0
    assert "\x1b" not in out
    assert "mean of a?[31m?b" in out
    assert max(map(len, out.splitlines())) < 140


def test_files_are_written_after_the_fit(folder, run, monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(OutlierAuditor, "fit", interrupted)
    code, out, err = run("audit", "t.csv", "--target", "y", *QUICK, "--report", "r.html")
    assert (code, out, err) == (130, "", ["skholder: interrupted"])
    assert [path.name for path in folder.iterdir()] == ["t.csv"]


def test_a_file_that_appears_during_the_fit_stays(folder, run, monkeypatch):
    fit = OutlierAuditor.fit

    def slow(self, X, y=None):
        (folder / "s.csv").write_text("mine")
        return fit(self, X, y)

    monkeypatch.setattr(OutlierAuditor, "fit", slow)
    options = ("--target", "y", "--columns", "x", "--clean", "c.csv", "--scores", "s.csv")
    code, out, err = run("audit", "t.csv", *options, "--draws", "400")
    assert (code, out) == (2, "")
    assert "cannot write 's.csv': it has appeared during the fit; --force replaces it" in err[-1]
    assert (folder / "s.csv").read_text() == "mine"
    assert sorted(path.name for path in folder.iterdir()) == ["s.csv", "t.csv"]
