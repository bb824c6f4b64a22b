"""The page as a text: well formed, escaped, self-contained, legible."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise

import pytest

from skholder.report import AuditReport
from skholder.report.page import render

VOID = {"meta", "link", "br", "input", "img", "hr"}
STYLE = files("skholder.report").joinpath("style.css").read_text(encoding="utf-8")


class Page(HTMLParser):
    """Elements with their attributes, and whether every tag was closed in order."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.text, self._open = [], [], []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), tag
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open and self._open[-1] not in ("script", "style"):
            self.text.append((self._open[-1], data))

    def all(self, *tags):
        return [attrs for tag, attrs in self.elements if tag in tags]


@pytest.fixture(scope="module", params=["regression", "density", "clean"])
def html(request, nasty):
    return AuditReport(request.getfixturevalue(request.param), title=nasty["title"])._html()


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


class TestMarkup:
    def test_balanced(self, page):
        assert len(page.elements) > 300

    def test_ids_are_unique_and_found(self, page):
        ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
        assert len(ids) == len(set(ids))
        for _, attrs in page.elements:
            for name in ("aria-labelledby", "for", "data-filters"):
                assert set(attrs.get(name, "").split()) <= set(ids)
            if attrs.get("href", "").startswith("#"):
                assert attrs["href"][1:] in ids

    def test_language_title_and_viewport(self, page):
        assert page.all("html") == [{"lang": "en"}]
        assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.all(
            "meta"
        )

    def test_tables_speak(self, page):
        tables = page.all("table")
        assert len(tables) == len(page.all("caption")) == 3
        assert all(attrs.get("scope") in ("col", "row") for attrs in page.all("th"))
        assert all(data.strip() for tag, data in page.text if tag == "th")
        for attrs in page.all("th"):
            assert ("data-sort" in attrs) == ("aria-sort" in attrs)

    def test_inputs_have_labels(self, page):
        labelled = {attrs["for"] for attrs in page.all("label")}
        assert {attrs["id"] for attrs in page.all("input")} == labelled

    def test_headings_do_not_skip(self, page):
        levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h\d", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(b - a <= 1 for a, b in pairwise(levels))

    def test_controls_wait_for_the_script(self, page):
        assert all("hidden" in attrs for attrs in page.all("form"))
        assert page.all("button") == []


class TestSafety:
    def test_hostile_names_stay_text(self, page, html, nasty):
        assert page.all("script") == [{}]
        assert page.all("img") == []
        assert page.all("b") == []
        for _, attrs in page.elements:
            assert not any(name.startswith("on") for name in attrs)
            assert "style" not in attrs
        told = "".join(data for _, data in page.text)
        assert nasty["title"] in told
        assert "<script>document" not in html

    def test_names_and_labels_are_shown(self, regression, density, nasty):
        pages = [Page(AuditReport(model)._html()) for model in (regression, density)]
        told = ["".join(data for _, data in page.text) for page in pages]
        assert nasty["target"] in told[0]
        for words in told:
            assert nasty["column"] in words
            assert nasty["other"] in words
            assert nasty["label"] in words
            assert "patient 3" in words

    def test_self_contained(self, page, html):
        assert not re.search(r"(https?:)?//[a-z]", html.replace("// Sorting", ""))
        assert "url(" not in html
        assert "@import" not in html
        assert not any("src" in attrs for _, attrs in page.elements)
        assert page.all("link") == [{"rel": "icon", "href": "data:,"}]

    def test_policy_allows_the_pages_own_parts_only(self, page, html):
        policy = next(a["content"] for a in page.all("meta") if "http-equiv" in a)
        for tag, rule in (("style", "style-src"), ("script", "script-src")):
            body = re.search(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)[1]
            digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
            assert f"{rule} 'sha256-{digest}'" in policy
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy

    @pytest.mark.parametrize(
        "hostile",
        [
            "\"><script>document.title='owned'</script>",
            "' onload='alert(1)",
            "</title></style></script></svg></table>",
            "two\nlines",
            "&amp; &lt;b&gt; <!-- ]]>",
            "{{ 7 * 7 }}{% raw %}{# gone #}",
            "$rows ${style} 5 $",
        ],
    )
    @pytest.mark.parametrize("which", ["regression", "density"])
    def test_any_string_of_the_dict_stays_text(self, request, which, hostile):
        report = AuditReport(request.getfixturevalue(which), notes=["note"])
        tame, wild = (
            Page(render(with_strings(report.to_dict(), string)))
            for string in ("x" * len(hostile), hostile)
        )
        # The same elements with the same attributes, so nothing came to life.
        assert [(tag, list(attrs)) for tag, attrs in wild.elements] == [
            (tag, list(attrs)) for tag, attrs in tame.elements
        ]
        told = [data for _, data in wild.text]
        assert told.count(hostile) > 100
        assert len(told) == len(tame.text)

    def test_markup_of_the_users_own_is_text(self, regression):
        data = AuditReport(regression).to_dict()
        data["rows"]["shown"][0]["label"] = pytest.importorskip("markupsafe").Markup("<b>7</b>")
        assert "&lt;b&gt;7&lt;/b&gt;" in render(data)

    def test_unprintable_signs_are_replaced(self, regression):
        page = AuditReport(regression, title="a\x00b \u202e c \ud800")._html()
        assert "<h1>a\ufffdb \ufffd c ?</h1>" in page


def with_strings(value, string, name=None):
    """A report's dict with every string replaced, but for those that choose what is shown."""
    if isinstance(value, dict):
        return {key: with_strings(part, string, key) for key, part in value.items()}
    if isinstance(value, list):
        return [with_strings(part, string, name) for part in value]
    return string if isinstance(value, str) and name not in ("kind", "status") else value


class TestNotes:
    NOTES = ("12 of 450 rows were left out because of missing values.", "A <b> & 'c'.")

    def test_shown_with_the_findings(self, regression):
        page = AuditReport(regression, notes=self.NOTES)._html()
        findings = page[page.index('id="findings"') : page.index('id="pictures"')]
        assert f"<p>{self.NOTES[0]}</p>" in findings
        assert "<p>A &lt;b&gt; &amp; &#39;c&#39;.</p>" in findings
        # After what was found.
        assert findings.index("flagged here") < findings.index(self.NOTES[0])
        assert findings.index(self.NOTES[0]) > findings.index("About the data") > 0

    def test_none_by_default(self, regression):
        without = AuditReport(regression)._html()
        assert AuditReport(regression, notes=self.NOTES)._html().count("<p>") == (
            without.count("<p>") + 2
        )


def themes():
    """The colours of the light and of the dark theme, by name."""
    light, dark = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in (light, dark)]


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    low, high = sorted([luminance(first), luminance(second)])
    return (high + 0.05) / (low + 0.05)


def test_the_contrast_formula():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", themes(), ids=["light", "dark"])
class TestContrast:
    @pytest.mark.parametrize(
        ("ink", "ground"),
        [
            *((ink, "paper") for ink in ("ink", "soft", "accent", "alarm", "good", "care")),
            *((ink, "surface") for ink in ("ink", "soft", "accent", "alarm", "good", "care")),
            *((ink, "wash") for ink in ("ink", "soft")),
            ("alarm", "alarm-wash"),
            ("good", "good-wash"),
            ("care", "care-wash"),
        ],
    )
    def test_text(self, theme, ink, ground):
        assert contrast(theme[ink], theme[ground]) >= 4.5

    @pytest.mark.parametrize("mark", ["accent", "alarm", "fod3", "fod4"])
    def test_marks(self, theme, mark):
        assert contrast(theme[mark], theme["surface"]) >= 3

    def test_every_colour_is_defined(self, theme):
        assert set(re.findall(r"var\(--([\w-]+)\)", STYLE)) <= set(theme)


def test_colours_live_in_the_themes_only():
    rules = re.sub(r":root \{.*?\}", "", STYLE, flags=re.DOTALL)
    assert set(re.findall(r"#[0-9a-fA-F]{3,8}\b", rules)) <= {"#ffffff", "#findings"}
