"""Every script of the gallery asks a question, runs without a warning and draws a picture."""

import ast
import re
import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "examples").glob("plot_*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script_runs_and_draws(script, tmp_path, monkeypatch):
    plt.switch_backend("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(script)])
    monkeypatch.setattr(plt, "show", lambda: None)
    try:
        runpy.run_path(str(script), run_name="__main__")
        assert plt.get_fignums()
    finally:
        plt.close("all")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_script_opens_with_its_question(script):
    title, line, *_ = ast.get_docstring(ast.parse(script.read_text("utf-8"))).splitlines()
    assert title.endswith("?")
    assert line == "=" * len(title)


def test_gallery_shows_every_script():
    listed = re.findall(r'"(plot_\w+\.py)"', (ROOT / "doc" / "conf.py").read_text("utf-8"))
    assert sorted(listed) == [path.name for path in SCRIPTS]
    assert len(listed) >= 14
