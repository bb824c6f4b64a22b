"""Standard output and standard error: what is printed, and what happens if nobody takes it."""

from __future__ import annotations

import os
import sys

from .tables import InputError

__all__ = ["plain", "prepare_streams", "say", "settle", "show"]

# Letters that a line on standard error has at most: names may have any number of them.
_LONGEST, _LAST = 2_000, 500


def prepare_streams(own_process):
    """Let a terminal that lacks a letter show an escape: it is no reason to stop.

    Parameters
    ----------
    own_process : bool
        Whether the streams are ours to open: a shell may have closed them.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None and own_process:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def plain(text, widest=None):
    """A user's text without control characters and marks that turn the text around.

    Parameters
    ----------
    text : object
    widest : int or None
        Letters after which it is cut.

    Returns
    -------
    str
    """
    text = "".join(letter if letter.isprintable() else "?" for letter in str(text))
    return text if widest is None or len(text) <= widest else text[: widest - 1] + "…"


def say(text):
    """Print a line on standard error; if nobody takes it, the work goes on."""
    line = plain(" ".join(text.split()))
    if len(line) > _LONGEST:
        # What to do stands at the end.
        line = f"{line[: _LONGEST - _LAST]} … {line[-_LAST:]}"
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        _discard(sys.stderr)


def show(text):
    """Print a text on standard output; a reader who has left misses it, and that is all.

    Raises
    ------
    InputError
        If it cannot be written, for instance to a file on a full disk.
    """
    try:
        print(text, flush=True)
    except OSError as error:
        _lost(error)


def settle():
    """Write out what standard output still holds, as :func:`show` does."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _lost(error)


def _lost(error):
    _discard(sys.stdout)
    if not isinstance(error, BrokenPipeError):
        raise InputError(f"cannot write to standard output: {error.strerror}") from None


def _discard(stream):
    """Let the interpreter's last flush go nowhere."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
    except (OSError, ValueError):
        pass
