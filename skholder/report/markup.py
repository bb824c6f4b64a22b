"""User strings as harmless text: the one place where they are escaped."""

from __future__ import annotations

from html import escape

__all__ = ["shortened", "text"]

# Control characters have no place in a page; tab and line feed do no harm.
_DROPPED = {code: "\ufffd" for code in [*range(32), 127, *range(128, 160)] if code not in (9, 10)}
# Signs that reorder the text around them.
_DROPPED.update(dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\ufffd"))


def text(value):
    """Any value as escaped text, safe between tags and inside quoted attributes."""
    clean = str(value).translate(_DROPPED).encode("utf-8", "replace").decode("utf-8")
    return escape(clean, quote=True)


def shortened(value, size=60):
    """At most ``size`` characters, not escaped."""
    value = str(value)
    return value if len(value) <= size else value[: size - 1].rstrip() + "\u2026"
