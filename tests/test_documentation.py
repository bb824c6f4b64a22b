"""The code on the site runs; the site and the package name the same things."""

import doctest
import re
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import skholder
from skholder import (
    datasets,
    divergences,
    exceptions,
    gates,
    inspection,
    model_selection,
    models,
)

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


def test_the_reference_has_every_public_name():
    listed = set((DOC / "api.rst").read_text("utf-8").split())
    wanted = set(skholder.__all__) - {"__version__"}
    for room in (datasets, divergences, exceptions, gates, inspection, model_selection, models):
        place = room.__name__.removeprefix("skholder.")
        wanted |= {f"{place}.{name}" for name in room.__all__ if callable(getattr(room, name))}
    assert wanted <= listed


@pytest.mark.parametrize("name", ["CITATION.cff", "doc/citation.rst", "doc/conda-recipe/meta.yaml"])
def test_one_version(name):
    found = re.search(r"(?<!-)version ?[:=] [{\"]?([\d.]+)", (ROOT / name).read_text("utf-8"))
    assert found[1] == skholder.__version__


def _broken_rows(text):
    """Lines of simple tables that have a first cell alone: meant as the rest of the row above."""
    columns, borders = None, 0
    for line in text.splitlines():
        if re.fullmatch(r" *=+(?: +=+)+ *", line):
            columns = [match.span() for match in re.finditer("=+", line)]
            borders = borders % 3 + 1
        elif borders == 2 and line.strip():
            first, *others = [line[start:stop].strip() for start, stop in columns]
            if first and not any(others):
                yield line


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.rst"], ids=_name)
def test_no_row_of_a_table_is_torn(page):
    assert list(_broken_rows(page.read_text("utf-8"))) == []


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.rst"], ids=_name)
def test_scripts_that_are_named_are_there(page):
    text = page.read_text("utf-8")
    named = set(re.findall(r"\b(?:examples|tests|\.ci)/[\w./]+\.py\b", text))
    named |= {f"examples/benchmarks/{name}" for name in re.findall(r"\bbench_\w+\.py\b", text)}
    assert sorted(name for name in named if not (ROOT / name).is_file()) == []
