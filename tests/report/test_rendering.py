"""Nothing but the templates writes markup, and whatever they write is escaped."""

import re
from configparser import ConfigParser
from fnmatch import fnmatch
from pathlib import Path

import jinja2
import pytest

import skholder.report
from skholder.report.filters import (
    coordinate,
    coordinates,
    shortened,
    shown,
    signed,
    sortable,
    tenths,
)
from skholder.report.rendering import environment, printable, rendered

FOLDER = Path(skholder.report.__file__).parent
TEMPLATES = sorted((FOLDER / "templates").iterdir())


def test_one_template_for_each_section():
    names = {path.stem for path in TEMPLATES}
    sections = {"findings", "pictures", "rows", "estimates", "diagnostics", "settings", "words"}
    assert sections | {"page"} <= names
    for name in sections:
        assert f'<section id="{name}"' in (FOLDER / "templates" / f"{name}.html").read_text()


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_escape(path):
    source = path.read_text(encoding="utf-8")
    assert "autoescape" not in source
    # The package's own style and script are the only exceptions.
    trusted = re.findall(r"\{\{([^}]*)\|\s*safe\b", source)
    assert [words.strip() for words in trusted] == (
        ["style", "script"] if path.name == "page.html" else []
    )
    # An attribute without quotes would end at a space.
    assert not re.search(r"=\{\{", source)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_no_markup_outside_the_templates(path):
    source = path.read_text(encoding="utf-8")
    assert not re.search(r"</?[a-zA-Z]|/>|&[a-z]+;", source)
    assert not re.search(r"\bescape\(|\bMarkup\b", source)


def test_environment():
    made = environment()
    assert made.autoescape is True
    with pytest.raises(jinja2.UndefinedError):
        made.from_string("{{ nothing }}").render()


def test_values_are_escaped():
    assert rendered("iframe.html", page="<a href='x'>\"&").endswith(
        'srcdoc="&lt;a href=&#39;x&#39;&gt;&#34;&amp;"></iframe>'
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("<a href='x'>", "<a href='x'>"),
        ("a\x00b\x1b", "a\ufffdb\ufffd"),
        ("a\tb\nc", "a\tb\nc"),
        ("a\rb", "a\ufffdb"),
        ("rtl \u202e evil", "rtl \ufffd evil"),
        ("\ud800", "?"),
        (3, 3),
        (None, None),
        ({"\x00": ["\x01", {"a": 1.5}]}, {"\ufffd": ["\ufffd", {"a": 1.5}]}),
    ],
)
def test_printable(value, expected):
    assert printable(value) == expected


def test_printable_knows_no_markup():
    assert type(printable(pytest.importorskip("markupsafe").Markup("<b>"))) is str


def test_files_are_in_the_package_data():
    config = ConfigParser()
    config.read(Path(__file__).parents[2] / "setup.cfg", encoding="utf-8")
    patterns = config["options.package_data"]["skholder.report"].split(", ")
    others = [
        path for path in FOLDER.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ]
    others = [path.relative_to(FOLDER).as_posix() for path in others if path.suffix != ".py"]
    assert len(others) > 10
    for name in others:
        assert any(
            fnmatch(name, pattern) and name.count("/") == pattern.count("/") for pattern in patterns
        ), name


def test_filters():
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd", 3) == "ab\u2026"
    assert shown(None) == signed(None) == tenths(None) == "\u2013"
    assert shown(1234.5678) == "1,235"
    assert shown(1234.5678, 0.1) == "1,234.57"
    assert signed(1234.56) == "+1,234.6"
    assert tenths(1234.56) == "1,234.6"
    assert sortable(None) == ""
    assert sortable(1234.5) == "1234.5"
    assert [coordinate(value) for value in (3, 3.04, 2.25, -0.5)] == ["3", "3", "2.2", "-0.5"]
    assert coordinates([(0, 1.25), (2.5, 3)]) == "0,1.2 2.5,3"
