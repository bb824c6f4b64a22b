"""Output files: checked before the work, written whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path

from .columns import InputError

__all__ = ["check_outputs", "replacing"]


def check_outputs(source, outputs):
    """Refuse outputs that could not be written, or would overwrite the input or each other.

    Parameters
    ----------
    source : Path
        The input.
    outputs : dict of str to Path
        By the option that names them.
    """
    taken = {os.path.realpath(source): "the input"}
    for option, path in outputs.items():
        shown = repr(str(path))
        final = Path(os.path.realpath(path))
        if not final.parent.is_dir():
            raise InputError(f"{option}: there is no folder {str(path.parent)!r}")
        if final.is_dir():
            raise InputError(f"{option}: {shown} is a folder")
        if final.exists() and not final.is_file():
            raise InputError(f"{option}: {shown} is not a regular file")
        if not os.access(final.parent, os.W_OK):
            raise InputError(f"{option}: the folder {str(path.parent)!r} cannot be written to")
        same = final.exists() and source.exists() and os.path.samefile(final, source)
        other = "the input" if same else taken.get(str(final))
        if other:
            raise InputError(f"{option}: {shown} is {other}; choose another file")
        taken[str(final)] = f"also the file of {option}"


@contextmanager
def replacing(path):
    """A path to write to, which takes the place of ``path`` if the block ends well."""
    # Links are followed, and a file keeps its ending: writers look at it.
    final = Path(os.path.realpath(path))
    draft = final.with_name(f".{os.getpid()}.{final.name}")
    try:
        yield draft
        os.replace(draft, final)
    finally:
        draft.unlink(missing_ok=True)
