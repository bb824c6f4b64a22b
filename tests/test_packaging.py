"""What a release is made of: the recipe, the oldest versions and the index's page, offline."""

import configparser
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RECIPE = (ROOT / "doc" / "conda-recipe" / "meta.yaml").read_text("utf-8")
# Names that conda has for what setup.cfg asks for.
CONDA_NAMES = {"matplotlib": "matplotlib-base"}


@pytest.fixture(scope="module")
def config():
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


@pytest.fixture
def index_page(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / ".ci" / "backend")
    monkeypatch.delitem(sys.modules, "index_page", raising=False)
    from index_page import index_page

    return index_page


@pytest.fixture
def dead_links(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / ".ci")
    monkeypatch.delitem(sys.modules, "links", raising=False)
    from links import dead_links

    return dead_links


def _requirements(text):
    """Name -> limit, as ``>=1.26``, of the lines of a list."""
    found = re.findall(r"^([\w-]+)(?:\[[\w,]+\])? *([<>=]=.*)$", text.strip(), re.M)
    return {name: limit.replace(" ", "") for name, limit in found}


def _listed(section):
    """Name -> limit of a list of the recipe."""
    lines = re.search(rf"^  {section}:\n((?:    - .*\n)+)", RECIPE, re.M)[1]
    return _requirements(lines.replace("    - ", ""))


def test_the_recipe_asks_for_what_the_package_asks_for(config):
    wanted = _requirements(config["options"]["install_requires"])
    assert _listed("run") == {**wanted, "python": config["options"]["python_requires"]}


def test_the_recipe_builds_with_what_the_package_is_built_with(config):
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]
    wanted = _requirements("\n".join(build["requires"]))
    assert _listed("host") == {**wanted, "python": config["options"]["python_requires"]}


def test_the_recipe_limits_the_extras_as_the_package_does(config):
    extras = config["options.extras_require"]
    optional = {**_requirements(extras["cli"]), **_requirements(extras["plot"])}
    optional |= _requirements(extras["pandera"]) | _requirements(extras["distributed"])
    wanted = {CONDA_NAMES.get(name, name): limit for name, limit in optional.items()}
    assert _listed("run_constrained") == wanted


def test_the_recipe_says_of_the_package_what_it_says_itself(config):
    assert f"    - {config['options.entry_points']['console_scripts'].strip()}\n" in RECIPE
    assert f"  summary: {config['metadata']['description']}\n" in RECIPE
    assert f"  license: {config['metadata']['license']}\n" in RECIPE


def test_an_extra_asks_for_the_same_versions_everywhere(config):
    limits = {}
    for extra, text in config["options.extras_require"].items():
        for name, limit in _requirements(text).items():
            limits.setdefault(name, {})[limit] = extra
    assert {name: found for name, found in limits.items() if len(found) > 1} == {}


def test_the_oldest_versions_are_those_that_are_declared(config):
    declared = _requirements(config["options"]["install_requires"])
    declared |= _requirements(config["options.extras_require"]["all"])
    oldest = _requirements((ROOT / ".ci" / "oldest.txt").read_text("utf-8"))
    found = {name: oldest[name].removeprefix("==").removesuffix(".*") for name in declared}
    assert found == {name: limit.removeprefix(">=") for name, limit in declared.items()}


def test_the_index_shows_no_broken_picture(index_page):
    readme = (ROOT / "README.rst").read_text("utf-8")
    shown = index_page(readme)
    assert ".. image::" in readme
    assert ".. image::" not in shown
    assert ":alt:" not in shown
    assert len(readme) - len(shown) < 400


def test_the_index_shows_pictures_from_an_address(index_page):
    readme = (ROOT / "README.rst").read_text("utf-8")
    shown = index_page(readme, "https://host.example/v1/")
    paths = re.findall(r"^\.\. image:: https://host\.example/v1/(\S+)$", shown, re.M)
    assert paths
    assert all((ROOT / path).is_file() for path in paths)
    assert shown.replace("https://host.example/v1/", "") == readme
    # A second time changes nothing: the pictures are no longer the repository's.
    assert index_page(shown, "https://host.example/v1/") == shown


def test_dead_links_are_found(dead_links, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(
        '<a id="top" href="sub/b.html#here"></a><a href="#top"></a><a href="https://host.example/">'
        '</a><a href="sub/b.html#there"></a><img src="lost.png"><a href="#lost"></a>'
    )
    (tmp_path / "sub" / "b.html").write_text('<p id="here"><a href="../index.html">up</a></p>')
    assert dead_links(tmp_path) == [
        ("index.html", "#lost"),
        ("index.html", "lost.png"),
        ("index.html", "sub/b.html#there"),
    ]
