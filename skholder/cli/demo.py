"""What ``skholder demo`` does: write built-in data to a file, and audit it."""

from __future__ import annotations

import csv
import os
import shlex
from pathlib import Path

import numpy as np

from ..datasets import load_spoiled_diabetes
from .auditing import run_audit
from .printout import as_text
from .records import AuditRequest
from .streams import show
from .tables import InputError, Wishes, check_outputs, write_outputs

__all__ = ["OWN_FOLDER", "run_demo"]

#: Where the files go if no folder is named; those of the last demonstration are replaced.
OWN_FOLDER = "skholder-demo"
_OUTPUTS = ("report.html", "scores.csv", "clean.csv")


def run_demo(folder, force, seed, n_draws, verbose, warn, note):
    """Audit a spoiled copy of scikit-learn's diabetes data and keep all files in a folder.

    Parameters
    ----------
    folder : Path or None
        None is ``OWN_FOLDER``.
    force : bool
        Replace files in a named folder.
    seed, n_draws : int
    verbose : bool
        Show a progress bar.
    warn, note : callable
        Take the text of a warning, of a note.
    """
    own = folder is None
    force = force or own
    folder = folder or Path(OWN_FOLDER)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"--out: cannot make the folder {str(folder)!r}: {error.strerror}"
        ) from None
    data = load_spoiled_diabetes()
    source = folder / "diabetes.csv"
    outputs = {f"--{name.split('.')[0]}": folder / name for name in _OUTPUTS}
    files = [source, *outputs.values()]
    if own:
        _check_no_links([folder, *files])
    _check_free(files, force)
    finals = check_outputs(folder, {"--out": source, **outputs}, force)
    write_outputs({source: lambda draft: _write_csv(data, draft)}, finals, force)
    request = AuditRequest(
        source,
        Wishes(target=data.target_name),
        seed=seed,
        n_draws=n_draws,
        verbose=verbose,
        outputs=outputs,
        force=force,
    )
    show(f"$ {_command(request)}\n")
    result = run_audit(request, warn, note)
    show(as_text(result))
    flagged, spoiled = result.main.audit.mask, data.outliers
    found, wrong = np.sum(flagged & spoiled), np.sum(flagged & ~spoiled)
    show(
        f"\nIn truth {spoiled.sum()} rows had 300 added to {data.target_name!r}: {found} of them "
        f"are flagged, and {wrong} others.\n\nOpen {request.outputs['--report'].resolve().as_uri()}"
    )


def _check_no_links(paths):
    """Refuse links in the own folder, whose files are replaced unasked: they lead to others."""
    for path in paths:
        if path.is_symlink():
            raise InputError(
                f"{str(path)!r} is a link; remove it, or name another folder with --out"
            )


def _check_free(paths, force):
    """Refuse to replace a file of somebody else's."""
    taken = [str(path) for path in paths if os.path.lexists(path)]
    if taken and not force:
        raise InputError(f"--out: {taken[0]!r} exists already; --force replaces it")


def _write_csv(data, path):
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*data.feature_names, data.target_name])
        writer.writerows(np.column_stack([data.data, data.target]).tolist())


def _command(request):
    parts = ["skholder", "audit", str(request.file), "--target", request.target]
    for option, path in request.outputs.items():
        parts.extend([option, str(path)])
    # So that it can be run again.
    parts.append("--force")
    return shlex.join(parts)
