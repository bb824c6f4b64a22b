"""Tables as they come: identifiers, decimal commas, an audit of the inputs."""

import csv
import json
import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

QUICK = ("--draws", "400")
BAD_TARGETS, BAD_INPUTS = range(0, 8), range(20, 28)


@pytest.fixture
def visits(folder):
    """``v.csv``: responses ten times too large, heights ten times too large, an id, commas."""
    rng = np.random.default_rng(1)
    height, age = rng.normal(170, 8, size=120), rng.normal(50, 9, size=120)
    weight = 0.9 * (height - 100) + rng.normal(scale=4, size=120)
    y = 100 + 3 * age + rng.normal(scale=5, size=120)
    y[BAD_TARGETS] *= 10
    height[BAD_INPUTS] *= 10
    frame = pd.DataFrame({"height": height, "weight": weight, "age": age, "y": y}).round(2)
    frame.insert(0, "who", [f"P{i:03d}" for i in range(120)])
    frame["weight"] = [str(w).replace(".", ",") for w in frame["weight"]]
    frame.to_csv("v.csv", index=False)
    return frame


def test_rows_have_their_id_everywhere(visits, run, folder):
    options = ("audit", "v.csv", "--target", "y", "--id", "who", *QUICK)
    code, out, _ = run(*options, "--scores", "s.csv", "--report", "r.html")
    assert code == 0
    header, *rows = out.split("clean rows:\n")[1].splitlines()[:11]
    assert header.split()[:3] == ["row", "id", "line"]
    for row in rows:
        number, who, line, *_ = row.split()
        assert (f"P{int(number):03d}", int(number) + 2) == (who, int(line))
    assert "  y divided by 10: 8 rows (P" in out
    scores = pd.read_csv("s.csv")
    assert scores["id"].tolist() == visits["who"].tolist()
    assert scores["repair"][0] == "y divided by 10"
    assert "P003 (row 3, line 5)" in (folder / "r.html").read_text(encoding="utf-8")
    _, out, _ = run(*options, "--json")
    found = json.loads(out)
    assert found["id"] == "who"
    assert found["flagged_ids"] == [f"P{row:03d}" for row in found["flagged_rows"]]
    assert "who" not in " ".join(found["columns"])


def test_commas_are_numbers_and_a_note(visits, run, folder):
    options = ("audit", "v.csv", "--target", "y", "--exclude", "who", *QUICK, "--report", "r.html")
    _, out, err = run(*options, "--json")
    note = "column 'weight': decimal commas are read as decimal points in 120 cells ("
    assert err[0].startswith(f"note: {note}")
    found = json.loads(out)
    assert found["columns"] == ["height", "weight", "age"]
    assert found["notes"][0].lower().startswith(note)
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "decimal commas are read as decimal points in 120 cells" in page


def test_errors_in_inputs_are_looked_for_on_demand(visits, run, folder):
    options = ("audit", "v.csv", "--target", "y", "--id", "who", *QUICK)
    code, out, _ = run(*options)
    assert "Errors in the inputs were not looked for: --inputs audits them too." in out
    outputs = ("--report", "r.html", "--scores", "s.csv", "--clean", "c.csv")
    code, out, _ = run(*options, "--inputs", *outputs)
    assert code == 0
    assert "The inputs: normal density of 3 columns with a full covariance" in out
    # One of the eight is far out even when it is mended.
    assert "  height divided by 10: 7 rows (P" in out
    assert "Wrote r.inputs.html (about the inputs)" in out
    assert "those flagged in either audit left out" in out
    scores = pd.read_csv("s.csv")
    assert scores["inputs_flagged"][list(BAD_INPUTS)].all()
    assert not scores["inputs_flagged"][list(BAD_TARGETS)].any()
    assert scores["flagged"][list(BAD_TARGETS)].all()
    either = scores["flagged"] | scores["inputs_flagged"]
    assert pd.read_csv("c.csv")["who"].tolist() == visits["who"][~either].tolist()
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "The inputs were audited too, against a normal density of 3 columns" in page
    assert "(r.inputs.html has all of it): " in page
    assert "The most suspicious inputs are those of P0" in page
    assert "Flagged inputs would fit with height divided by 10: 7 rows" in page
    other = (folder / "r.inputs.html").read_text(encoding="utf-8")
    assert "Audit of the inputs of v.csv" in other
    assert "P021 (row 21, line 23)" in other
    _, out, _ = run(*options, "--inputs", "--json")
    found = json.loads(out)["inputs"]
    assert set(BAD_INPUTS) <= set(found["flagged_rows"])
    assert found["columns"] == ["height", "weight", "age"]


def test_the_page_about_the_inputs_is_no_accident_either(visits, run, folder):
    (folder / "r.inputs.html").mkdir()
    options = ("audit", "v.csv", "--target", "y", "--id", "who", "--inputs", "--report", "r.html")
    code, out, err = run(*options)
    assert (code, out, len(err)) == (2, "", 1)
    assert err[0] == "skholder: error: --inputs: 'r.inputs.html' is a folder"


def test_missing_inputs_keep_a_row_from_their_audit_only(visits, run):
    visits.loc[40, "age"] = np.nan
    visits.to_csv("v.csv", index=False)
    options = ("audit", "v.csv", "--target", "y", "--id", "who", "--inputs", "--drop-missing")
    _, _, err = run(*options, *QUICK, "--scores", "s.csv")
    assert any(line.startswith("note: audit of the inputs: 1 of 120 rows was") for line in err)
    assert pd.read_csv("s.csv")["inputs_reason"][40] == "missing: age"


@pytest.fixture
def bent(folder):
    """``b.csv``: a response that no line follows, ten of its values spoiled, text and gaps."""
    rng = np.random.default_rng(2)
    x, z = rng.uniform(-3, 3, size=(2, 240))
    site = np.array(["north", "south", "east"])[rng.integers(3, size=240)]
    y = 4 * np.sin(2 * x) + 3 * (site == "south") + rng.normal(scale=0.3, size=240)
    y[:10] += 12
    frame = pd.DataFrame({"x": x, "z": z, "site": site, "y": y}).round(3)
    frame.to_csv("b.csv", index=False)
    return frame


def test_trees_take_categories_and_missing_cells_as_they_are(bent, run, folder):
    bent.loc[50:60, "z"] = np.nan
    bent.loc[70:75, "site"] = None
    bent.to_csv("b.csv", index=False)
    options = ("audit", "b.csv", "--target", "y", "--model", "trees", *QUICK)
    code, out, _ = run(*options, "--json", "--report", "r.html", "--scores", "s.csv")
    assert code == 0
    found = json.loads(out)
    assert found["columns"] == ["x", "z", "site"]
    assert found["rows_left_out"] == 0
    assert set(range(10)) == set(found["flagged_rows"][:10])
    scores = pd.read_csv("s.csv")
    assert scores["fod"].notna().all()
    assert "predicts without having seen it" in scores["reason"][0]
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "HistGradientBoostingRegressor" in page
    _, out, _ = run(*options)
    assert "prediction of y by HistGradientBoostingRegressor" in out.splitlines()[0]


def test_auto_takes_the_better_model_and_says_why(bent, run):
    options = ("--target", "y", "--model", "auto", *QUICK, "--json")
    _, out, err = run("audit", "b.csv", *options)
    (why,) = [line for line in err if "auto" in line]
    assert why.startswith(
        "note: --model auto took trees: the typical error of 'y' in rows held out (mean of the "
        "smallest 80%) is linear "
    )
    assert "HistGradientBoosting" in json.loads(out)["model"]
    x, z, noise = np.random.default_rng(3).normal(size=(3, 150))
    straight = pd.DataFrame({"x": x, "z": z, "y": 2 * x - z + noise})
    straight.loc[:10, "y"] += 40
    straight.to_csv("line.csv", index=False)
    _, out, err = run("audit", "line.csv", *options)
    assert any(line.startswith("note: --model auto took linear: ") for line in err)
    assert "linear regression" in json.loads(out)["model"]


def test_auto_compares_nothing_on_a_handful_of_rows(bent, run):
    bent.drop(columns="site").head(12).to_csv("b.csv", index=False)
    _, _, err = run("audit", "b.csv", "--target", "y", "--model", "auto", *QUICK)
    assert err[0] == "note: --model auto took linear: fewer than 20 rows compare nothing"


def test_the_comparison_of_models_warns_of_nothing(run, folder):
    x = np.random.default_rng(4).normal(size=60)
    pd.DataFrame({"x": x, "y": 2 * x}).to_csv("exact.csv", index=False)
    _, _, err = run("audit", "exact.csv", "--target", "y", "--model", "auto", *QUICK)
    assert all(line.startswith(("note: ", "warning: ")) for line in err)


def test_auto_takes_trees_where_inputs_are_missing(bent, run):
    bent.loc[50, "z"] = np.nan
    bent.to_csv("b.csv", index=False)
    _, _, err = run("audit", "b.csv", "--target", "y", "--model", "auto", *QUICK)
    assert "note: --model auto took trees: inputs have missing cells ('z')" in err


def test_the_messy_table_of_the_guide(folder, run):
    path = Path(__file__).parents[2] / "examples" / "messy_table.py"
    example = runpy.run_path(str(path))
    rows, dirt = example["messy_table"]()
    with (folder / "messy.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([example["HEADER"], *rows])
    first = ("audit", "messy.csv", "--target", "energy_kcal", "--id", "patient", *QUICK)
    code, _, (code_note, problem) = run(*first)
    assert code == 2
    assert "'waist_cm' is -999 in 14 rows" in code_note
    assert "--model trees" in problem
    second = ("--missing=-999", "--model", "auto", "--inputs", "--scores", "s.csv")
    code, out, err = run(*first, *second)
    assert code == 0
    told = "\n".join(err)
    for note in ("'visited' is dates", "decimal commas", "6 rows repeat", "taken as missing"):
        assert note in told
    scores = pd.read_csv("s.csv")
    either = scores["flagged"] | (scores["inputs_flagged"] == True)  # noqa: E712  it has gaps
    dirt = pd.Series(dirt)
    spoiled = ~dirt.isin(["", "copy", "waist -999"])
    assert either[spoiled].mean() > 0.9
    assert either[dirt == ""].mean() < 0.03
    for repair in ("weight_kg divided by 2.2046 (pounds for kilograms?): 1", "each other's place:"):
        assert repair in out
