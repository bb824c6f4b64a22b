"""Output files: checked before the work, written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import contextmanager
from pathlib import Path

from .columns import InputError

__all__ = ["check_new_folder", "check_outputs", "new_folder", "write_outputs", "writing"]


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

    Returns
    -------
    dict of Path to Path
        Where each output leads, links followed: what becomes a link later is none of ours.
    """
    finals = {}
    taken = {os.path.realpath(source): "the input"}
    for option, path in outputs.items():
        shown = repr(str(path))
        final = _final(option, path)
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
        finals[path] = final
    return finals


def check_new_folder(option, path):
    """Refuse a folder that could not be made, or is there already.

    Parameters
    ----------
    option : str
        That names it.
    path : Path
    """
    final = _final(option, path)
    if os.path.lexists(final):
        raise InputError(f"{option}: {str(path)!r} exists; give the name of a new folder")
    _try_writing(option, path, final)


def _final(option, path):
    """Where a path leads, links followed; refused where nothing can be made."""
    final = Path(os.path.realpath(path))
    if not os.path.isdir(final.parent):
        raise InputError(f"{option}: there is no folder {str(path.parent)!r}")
    if os.path.islink(final):
        raise InputError(f"{option}: {str(path)!r} is a link that leads to itself")
    try:
        os.lstat(final)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise InputError(f"{option}: {str(path)!r} cannot be made: {error.strerror}") from None
    return final


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


def write_outputs(writers, finals, force=False):
    """Write files: all of them, each whole, or none.

    Parameters
    ----------
    writers : dict of Path to callable
        ``writers[path](draft)`` writes what shall be at ``path`` to the path ``draft``.
    finals : dict of Path to Path
        Where each path leads, from :func:`check_outputs`.
    force : bool
        Files that are there are replaced; else they stay, and nothing is written.

    Raises
    ------
    InputError
        If a file cannot be written, for instance on a full disk; what was there before stays.
    """
    drafts = {path: _draft(finals[path]) for path in writers}
    try:
        for path, draft in drafts.items():
            with writing(path):
                writers[path](draft)
        for path in drafts:
            _check_still_free(path, finals[path], force)
        _put_in_place(drafts, finals, force)
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)


@contextmanager
def new_folder(path):
    """A folder to write to, which gets its name if the block ends well; else it is gone.

    Raises
    ------
    InputError
        If it cannot be made, or something has its name by now.
    """
    final = Path(os.path.realpath(path))
    draft = _draft(final)
    try:
        with writing(path):
            draft.mkdir()
        yield draft
        _check_still_free(path, final)
        with writing(path):
            draft.rename(final)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def writing(path):
    """Errors of files name the path that was asked for."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or " ".join(str(error).split())
        raise InputError(f"cannot write {str(path)!r}: {reason}") from error


def _check_still_free(path, final, force=False):
    """Refuse what has appeared since the outputs were checked."""
    if not os.path.lexists(final):
        return
    plain = final.is_file() and not final.is_symlink()
    if not (plain and force):
        advice = "; --force replaces it" if plain else ""
        raise InputError(f"cannot write {str(path)!r}: it has appeared during the fit{advice}")


def _put_in_place(drafts, finals, force):
    """Put drafts in their places: all of them or, where one cannot be, none."""
    kept, placed = {}, []
    try:
        if force:
            for path in drafts:
                with writing(path):
                    _keep(finals[path], kept)
        for path, draft in drafts.items():
            with writing(path):
                put = _replace if force else _claim
                put(draft, finals[path])
            placed.append(finals[path])
    except BaseException:
        for final in placed:
            if final in kept:
                os.replace(kept[final], final)
            else:
                final.unlink(missing_ok=True)
        raise
    finally:
        for copy in kept.values():
            copy.unlink(missing_ok=True)


def _keep(final, kept):
    """A second name in ``kept`` for a file that is there, or a copy of it."""
    if not final.exists():
        return
    kept[final] = _draft(final)
    try:
        os.link(final, kept[final])
    except OSError:
        # Not all disks have hard links, nor all files.
        shutil.copy2(final, kept[final])


def _replace(draft, final):
    """Put a draft in its place; a file that is there hands on its permissions."""
    if final.exists():
        shutil.copymode(final, draft)
    os.replace(draft, final)


def _claim(draft, final):
    """Put a draft in its place, an error if that is taken."""
    try:
        os.link(draft, final)
    except FileExistsError:
        raise
    except OSError:
        # Not all disks have hard links.
        os.close(os.open(final, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        try:
            os.replace(draft, final)
        except BaseException:
            final.unlink()
            raise
