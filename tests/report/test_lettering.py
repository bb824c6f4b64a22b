import re
from importlib.resources import files
from string import printable

import pytest

from skholder.report.lettering import FONT_SIZE, shortened_to_fit, text_width

WORDS = "log density below the most likely row, nats -10,000,000 12.5% Blood pressure (mmHg)"


def advances(characters, weight):
    """How far each character moves the pen in DejaVu Sans, at the size of the drawings."""
    manager = pytest.importorskip("matplotlib.font_manager")
    found = manager.findfont(manager.FontProperties(family="DejaVu Sans", weight=weight))
    font = manager.get_font(found)
    font.set_size(1000, 72)
    wide = {c: font.load_char(ord(c)).linearHoriAdvance / 65536 / 1000 for c in characters}
    return {c: FONT_SIZE * share for c, share in wide.items()}


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_a_wide_font_fits_without_much_waste(weight):
    bold = weight == "bold"
    words = sum(advances(WORDS, weight)[character] for character in WORDS)
    assert words <= text_width(WORDS, bold) <= 1.2 * words


def test_every_character_fits():
    for character, wide in advances(printable[:95] + "…—éßΩ", "normal").items():
        assert wide <= text_width(character), character


def test_other_scripts():
    assert text_width("压力") >= 2 * FONT_SIZE
    assert text_width("e\u0301") == text_width("e")
    assert text_width("") == 0


def test_the_size_is_the_largest_of_the_style():
    style = files("skholder.report").joinpath("style.css").read_text(encoding="utf-8")
    sizes = re.findall(r"svg text \{[^}]*font-size: (\d+)px", style)
    assert max(map(int, sizes)) == FONT_SIZE


@pytest.mark.parametrize("text", ["W" * 40, "i" * 200, "压" * 30, WORDS])
def test_shortened_to_fit(text):
    short = shortened_to_fit(text, 200)
    assert text_width(short) <= 200 < text_width(text)
    assert text.startswith(short[:-1])
    assert short[-1] == "…"
    # No more is cut off than must be.
    assert text_width(text[: len(short) + 1] + "…") > 200


def test_what_fits_stays():
    assert shortened_to_fit("dose", 200) == "dose"
    assert shortened_to_fit("", 0) == ""
    assert shortened_to_fit("dose", 0) == "…"
