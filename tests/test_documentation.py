"""The code on the site runs, and the site, the gallery and the package name the same things."""

import doctest
import re
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parents[1]
DOC = ROOT / "doc"
PAGES = [
    path
    for path in sorted(DOC.rglob("*.rst"))
    if not {"generated", "auto_examples", "_build", "_templates"} & set(path.parts)
]
WITH_EXAMPLES = [path for path in PAGES if re.search(r"^ +>>> ", path.read_text("utf-8"), re.M)]


def _name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.fixture
def _quiet_figures(tmp_path, monkeypatch):
    plt.switch_backend("Agg")
    monkeypatch.chdir(tmp_path)
    yield
    plt.close("all")


@pytest.mark.usefixtures("_quiet_figures")
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=_name)
def test_examples_print_what_they_say(page):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert tried
    assert not failed


def test_every_way_to_extend_the_package_is_shown_by_running_code():
    shown = {path.stem for path in WITH_EXAMPLES if path.parent.name == "develop"}
    assert shown == {"model", "divergence", "noise", "display"}
