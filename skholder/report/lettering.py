"""How wide a text is when drawn, without a font to measure it with.

A page is read in whatever sans-serif font its reader has. The widths here are those of DejaVu Sans,
the widest of the common ones, rounded up; so a text given this much room fits.
"""

from __future__ import annotations

from itertools import accumulate, takewhile
from unicodedata import category, east_asian_width

__all__ = ["FONT_SIZE", "shortened_to_fit", "text_width"]

# The largest size that style.css gives to the text of a drawing, in units of the drawing.
FONT_SIZE = 15
_BOLD = 1.15
# Widths in units of the font size.
_NARROW, _MIDDLE, _BROAD, _WHOLE, _IDEOGRAPH = 0.42, 0.64, 0.79, 1.0, 1.35
_WIDTHS = {
    **dict.fromkeys(" '!|,.:;/\\()[]-fijlrtIJ", _NARROW),
    **dict.fromkeys('"$*?_`{}0123456789abcdeghknopqsuvxyzEFLPSTY', _MIDDLE),
    **dict.fromkeys("&ABCDGHKNOQRUVXZ", _BROAD),
}


def text_width(text, bold=False):
    """The room that one line of text needs at most, in units of a drawing."""
    width = FONT_SIZE * sum(_character_width(character) for character in text)
    return _BOLD * width if bold else width


def shortened_to_fit(text, room):
    """The text, or as much of its beginning as fits into ``room`` with an ellipsis."""
    if text_width(text) <= room:
        return text
    reached = accumulate(FONT_SIZE * _character_width(character) for character in text)
    size = sum(1 for _ in takewhile(lambda end: end <= room - text_width("\u2026"), reached))
    return text[:size].rstrip() + "\u2026"


def _character_width(character):
    if character in _WIDTHS:
        return _WIDTHS[character]
    # Accents and marks of formatting stand on or between other characters.
    if category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    return _IDEOGRAPH if east_asian_width(character) in ("W", "F") else _WHOLE
