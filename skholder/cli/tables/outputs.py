"""Output files: checked before the work, written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import contextmanager
from pathlib import Path

from .columns import InputError

__all__ = ["check_outputs", "replacing"]


def check_outputs(source, outputs, force=False):
    """Refuse outputs that could not be written, or would overwrite the input or another file.

    Parameters
    ----------
    source : Path
        The input.
    outputs : dict of str to Path
        By the option that names them.
    force : bool
        Existing files, other than the input, may be replaced.
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
        same = final.exists() and source.exists() and os.path.samefile(final, source)
        other = "the input" if same else taken.get(str(final))
        if other:
            raise InputError(f"{option}: {shown} is {other}; choose another file")
        if final.exists() and not force:
            raise InputError(f"{option}: {shown} exists already; --force replaces it")
        _try_writing(option, path, final)
        taken[str(final)] = f"also the file of {option}"


def _try_writing(option, path, final):
    """Refuse a file that could not be made; permissions alone do not tell."""
    draft = _draft(final)
    try:
        draft.touch(exist_ok=False)
    except OSError as error:
        where = f"the folder {str(path.parent)!r} cannot be written to"
        raise InputError(f"{option}: {where}: {error.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)


def _draft(final):
    """A name beside a file that nobody else can foresee; writers look at its ending."""
    return final.with_name(f".skholder-{secrets.token_hex(8)}{final.suffix[:20]}")


@contextmanager
def replacing(path):
    """A path to write to, which takes the place of ``path`` if the block ends well.

    Raises
    ------
    InputError
        If the file cannot be written, for instance on a full disk; what was there before stays.
    """
    # Links are followed, and what is there keeps its permissions.
    final = Path(os.path.realpath(path))
    draft = _draft(final)
    try:
        yield draft
        if final.exists():
            shutil.copymode(final, draft)
        os.replace(draft, final)
    except OSError as error:
        reason = error.strerror or " ".join(str(error).split())
        raise InputError(f"cannot write {str(path)!r}: {reason}") from error
    finally:
        draft.unlink(missing_ok=True)
