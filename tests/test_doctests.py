"""Every example in a docstring runs and prints what it says, and so does the README's code."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

import skholder

README = Path(__file__).parents[1] / "README.rst"

FINDER = doctest.DocTestFinder(exclude_empty=True)


def _modules():
    names = (found.name for found in pkgutil.walk_packages(skholder.__path__, "skholder."))
    return [skholder, *map(importlib.import_module, names)]


def _examples(module):
    return [test for test in FINDER.find(module) if test.examples]


WITH_EXAMPLES = [module for module in _modules() if _examples(module)]


@pytest.fixture(autouse=True)
def _quiet_figures(tmp_path, monkeypatch):
    # Examples may draw, and write files into the working directory.
    plt.switch_backend("Agg")
    monkeypatch.chdir(tmp_path)
    yield
    plt.close("all")


@pytest.mark.parametrize("module", WITH_EXAMPLES, ids=lambda module: module.__name__)
def test_examples_print_what_they_say(module):
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in _examples(module):
        lines = []
        runner.run(test, out=lines.append)
        assert not lines, "".join(lines)


def test_no_example_is_skipped():
    text = "\n".join(
        test.docstring for module in WITH_EXAMPLES for test in _examples(module) if test.docstring
    )
    assert ">>>" in text
    assert "doctest: +SKIP" not in text


def test_readme_code_runs():
    blocks = re.findall(
        r"\.\. code-block:: python\n\n((?:    .*\n|\n)+)", README.read_text("utf-8")
    )
    assert len(blocks) == 2
    names = {}
    for block in blocks:
        exec("\n".join(line[4:] for line in block.splitlines()), names)
    assert np.shape(names["model"].coef_) == (10,)
    assert Path("audit.html").stat().st_size > 0
