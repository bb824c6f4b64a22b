"""What ``skholder demo`` does: write built-in data to a file, and audit it."""

from __future__ import annotations

import csv
import shlex

import numpy as np

from ..datasets import load_spoiled_diabetes
from .auditing import run_audit
from .printout import as_text
from .records import AuditRequest
from .tables import InputError, Wishes, replacing

__all__ = ["run_demo"]


def run_demo(folder, seed, n_draws, verbose, warn, note):
    """Audit a spoiled copy of scikit-learn's diabetes data and keep all files in a folder.

    Parameters
    ----------
    folder : Path
    seed, n_draws : int
    verbose : bool
        Show a progress bar.
    warn, note : callable
        Take the text of a warning, of a note.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"--out: cannot make the folder {str(folder)!r}: {error.strerror}"
        ) from None
    data = load_spoiled_diabetes()
    source = folder / "diabetes.csv"
    _write_csv(data, source)
    request = AuditRequest(
        source,
        Wishes(target=data.target_name),
        seed=seed,
        n_draws=n_draws,
        verbose=verbose,
        outputs={
            "--report": folder / "report.html",
            "--scores": folder / "scores.csv",
            "--clean": folder / "clean.csv",
        },
    )
    print(f"$ {_command(request)}\n", flush=True)
    result = run_audit(request, warn, note)
    print(as_text(result))
    flagged, spoiled = result.main.audit.mask, data.outliers
    found, wrong = np.sum(flagged & spoiled), np.sum(flagged & ~spoiled)
    print(
        f"\nIn truth {spoiled.sum()} rows had 300 added to {data.target_name!r}: {found} of them "
        f"are flagged, and {wrong} others.\n\nOpen {request.outputs['--report'].resolve().as_uri()}"
    )


def _write_csv(data, path):
    with replacing(path) as draft, draft.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*data.feature_names, data.target_name])
        writer.writerows(np.column_stack([data.data, data.target]).tolist())


def _command(request):
    parts = ["skholder", "audit", str(request.file), "--target", request.target]
    for option, path in request.outputs.items():
        parts.extend([option, str(path)])
    return shlex.join(parts)
