"""The gate and the groups of ``skholder audit``."""

import json

import pytest

from skholder.cli.gating import left_out_for_groups

# Ten rows of t.csv are spoiled, every tenth, and every third is red.
AUDIT = ("audit", "t.csv", "--target", "y", "--exclude", "name", "--draws", "400")


def test_closed_with_exit_code_3_and_all_outputs(folder, run):
    code, out, _ = run(*AUDIT, "--fail-above", "0.02", "--report", "r.html", "--scores", "s.csv")
    assert code == 3
    assert "Gate closed: the probability that the share outside the model is above 2%" in out
    assert "Gate closed" in (folder / "r.html").read_text("utf-8")
    assert (folder / "s.csv").stat().st_size > 1000


def test_open_with_exit_code_0(folder, run):
    code, out, _ = run(*AUDIT, "--fail-above", "0.4", "--probability", "0.5")
    assert code == 0
    assert "Gate open" in out
    assert "at most 50% is allowed" in out


def test_the_probability_decides(folder, run):
    options = (*AUDIT, "--json", "--fail-above", "0.1", "--probability")
    code, out, _ = run(*options, "0.01")
    found = json.loads(out)["gate"]["found"]
    assert code == 3
    assert 0.05 < found < 0.95
    assert run(*options, f"{found + 0.01}")[0] == 0


@pytest.mark.parametrize("how", ["--quiet", "--json"])
def test_without_text_a_closed_gate_is_told_on_standard_error(folder, run, how):
    code, out, err = run(*AUDIT, "--fail-above", "0.02", how)
    assert code == 3
    assert err[-1].startswith("skholder: Gate closed")
    if how == "--json":
        gate = json.loads(out)["gate"]
        assert gate["closed"] is True
        assert gate["above"] == 0.02
    else:
        assert out == ""


def test_without_a_gate_nothing_is_said(folder, run):
    code, out, _ = run(*AUDIT, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["gate"] is None
    assert found["groups"] is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--fail-above", "5"), "'5' is not between 0 and 1"),
        (("--fail-above", "5%"), "'5%' is not a number"),
        (("--probability", "0.9"), "--probability goes with --fail-above"),
        (("--fail-above", "0.1", "--probability", "1"), "'1' is not between 0 and 1"),
        (("--group", "y"), "--group: 'y' is the target"),
        (("--group", "color"), "no column 'color'; did you mean 'colour'"),
    ],
)
def test_errors(folder, run, options, words):
    code, out, err = run(*AUDIT, *options)
    assert code == 2
    assert out == ""
    assert len(err) == 1
    assert words in err[0]


def test_groups_are_told_and_not_modelled(folder, run):
    code, out, _ = run(*AUDIT, "--group", "colour", "--json", "--report", "r.html")
    found = json.loads(out)
    assert code == 0
    assert found["columns"] == ["x", "z, cm"]
    groups = found["groups"]
    assert groups["name"] == "colour"
    assert {one["label"]: one["rows"] for one in groups["shown"]} == {"red": 34, "blue": 66}
    assert sum(one["flagged"] for one in groups["shown"]) == found["count"]
    assert "Which group spoils the table" in (folder / "r.html").read_text("utf-8")


def test_with_trees_and_an_audit_of_the_inputs(folder, run):
    options = ("--model", "trees", "--inputs", "--group", "colour", "--fail-above", "0.02")
    code, out, _ = run(*AUDIT, *options, "--json")
    found = json.loads(out)
    assert code == 3
    assert {one["rows"] for one in found["groups"]["shown"]} == {34, 66}
    # The gate is about the target; either audit has its groups.
    assert found["inputs"]["gate"] is None
    assert found["inputs"]["groups"]["n_groups"] == 2


def test_groups_in_the_text(folder, run):
    _, out, _ = run(*AUDIT, "--group", "colour")
    assert "By colour: " in out
    assert any(line.split()[:2] == ["blue", "66"] for line in out.splitlines())


def test_groups_of_missing_cells_and_of_numbers(folder, run):
    text = (folder / "t.csv").read_text()
    # Numbers that differ in the seventh digit are two groups.
    lines = text.replace("blue", "2024002").replace("red", "", 5).replace("red", "2024001")
    (folder / "t.csv").write_text(lines, newline="")
    code, out, _ = run(*AUDIT, "--group", "colour", "--json")
    assert code == 0
    shown = json.loads(out)["groups"]["shown"]
    assert {one["label"]: one["rows"] for one in shown} == {
        "2024002": 66,
        "2024001": 29,
        "(missing)": 5,
    }


def test_the_column_stays_where_it_is_asked_for():
    assert left_out_for_groups("g", None, ["a"]) == ["a", "g"]
    assert left_out_for_groups("g", ["g", "b"], []) == []
    assert left_out_for_groups("g", None, ["g"]) == ["g"]
    assert left_out_for_groups(None, None, ["a"]) == ["a"]
