"""``skholder audit`` on a directory of Parquet files: by passes, whatever their size."""

from __future__ import annotations

import heapq
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from ..audit.wording import chance_in_brief, count_range, number, percent, share_range
from ..estimators import HolderBayesDensity, HolderBayesRegressor
from ..exceptions import ConvergenceWarning, HolderBayesWarning
from ..rows import ParquetSource
from .advice import in_options
from .gating import gate_of
from .streams import plain
from .tables import InputError, check_new_folder, choose_columns, new_folder, writing

__all__ = ["DirectoryResult", "audit_directory", "directory_json", "directory_text"]

# Rows shown, and the options that need the rows in memory.
_N_WORST = 10
# Letters of a line at most.
_WIDEST = 2_000
_LEVEL = 0.95
_IN_MEMORY = ("--report", "--clean")


@dataclass(frozen=True)
class DirectoryResult:
    """What was found.

    Attributes
    ----------
    request : AuditRequest
    model : HolderBayesRegressor or HolderBayesDensity
        Fitted.
    worst : list of tuple
        (expected by chance, FoD, block, row within it) of the least likely rows.
    n_flagged : int
        Rows that more than half of the draws flag.
    gate : Gate or None
    warnings : list of str
    """

    request: Any
    model: Any
    worst: list
    n_flagged: int
    gate: Any
    warnings: list


def audit_directory(request, warn):
    """Fit the table as a row source, then go through it once more for scores and worst rows.

    Parameters
    ----------
    request : AuditRequest
        Whose file is a directory.
    warn : callable
        Takes the text of a warning.

    Returns
    -------
    DirectoryResult
    """
    _check(request)
    source = _source(request.file, request.wishes)
    model, told = _fitted(request, source, warn)
    worst, n_flagged = _walk(model, source, request.outputs.get("--scores"))
    gate = gate_of(request, model.epsilon_posterior_)
    return DirectoryResult(request, model, worst, n_flagged, gate, told)


def _check(request):
    """Refuse what a table that may be beyond memory cannot have."""
    problems = [
        f"{option} needs the rows in memory, which a directory of Parquet files may exceed"
        for option in _IN_MEMORY
        if option in request.outputs
    ]
    wished = {
        f"--model {request.model}": request.model != "linear",
        "--inputs": request.inputs,
        "--group": request.group is not None,
        "--id": request.wishes.id is not None,
        "--decimal": request.wishes.decimal is not None,
        "--missing": bool(request.wishes.missing),
        "--drop-missing": request.drop_missing,
        "--escape-formulas": request.escape_formulas,
    }
    problems += [f"{option} does not work on a directory" for option, on in wished.items() if on]
    if request.rule is not None:
        problems.append(
            "--rule does not work on a directory: most draws flag what is flagged there"
        )
    if problems:
        raise InputError(*problems)
    if "--scores" in request.outputs:
        check_new_folder("--scores", request.outputs["--scores"])


def _source(folder, wishes):
    """The rows, with the columns that are wished for."""
    # Later files may have further columns; a folder without files is refused here.
    first = ParquetSource(min(folder.glob("*.parquet"), default=folder))
    chosen, _ = choose_columns(_Names(_all_names(first.path)), wishes)
    if wishes.columns is None:
        chosen = [name for name in chosen if name in first.columns]
    if not chosen:
        raise InputError("no columns are left to audit")
    source = ParquetSource(folder, target=wishes.target, columns=chosen)
    if not source.n_rows:
        raise InputError(f"{str(folder)!r} has no rows")
    return source


@dataclass(frozen=True)
class _Names:
    """What the choice of columns has to know of a table."""

    names: list
    unnamed: frozenset = frozenset()


def _all_names(file):
    from pyarrow.parquet import read_schema

    return read_schema(file).names


def _fitted(request, source, warn):
    settings = {
        "gamma": "auto" if request.gamma is None else request.gamma,
        "n_draws": request.n_draws,
        "random_state": request.seed,
        "verbose": int(request.verbose),
    }
    kind = HolderBayesDensity if request.target is None else HolderBayesRegressor
    told, names = [], [file.name for file in source.files]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model = kind(**settings).fit(source)
        except (ValueError, np.linalg.LinAlgError) as error:
            raise InputError(in_options(str(error), names)) from error
    for one in caught:
        if issubclass(one.category, (HolderBayesWarning, ConvergenceWarning)):
            told.append(in_options(str(one.message), names))
            warn(told[-1])
    return model, told


def _walk(model, source, folder):
    """The least likely rows and the number flagged; scores by parts, if asked for."""
    worst, n_flagged = [], 0
    with _parts(folder) as write:
        for block in model.audit_blocks(source):
            n_flagged += int(block.flagged.sum())
            for row in np.argsort(block.tail_probability, kind="stable")[:_N_WORST]:
                item = (block.expected_by_chance[row], block.fod[row], block.name, int(row))
                worst.append(item)
            worst = heapq.nsmallest(_N_WORST, worst)
            write(block)
    return worst, n_flagged


@contextmanager
def _parts(folder):
    """What writes a block as a Parquet file, in a folder that appears when all are written."""
    if folder is None:
        yield lambda block: None
        return
    numbers = count()
    with new_folder(folder) as draft:

        def write(block):
            with writing(folder):
                _write(block, draft / f"part-{next(numbers):05d}.parquet")

        yield write


def _write(block, path):
    import pyarrow as pa
    from pyarrow.parquet import write_table

    columns = {
        "block": pa.array([block.name] * len(block.fod)).dictionary_encode(),
        "row": np.arange(len(block.fod)),
        "flagged": block.flagged,
        "fod": block.fod,
        "tail_probability": block.tail_probability,
        "expected_by_chance": block.expected_by_chance,
        "log_density": block.log_density,
    }
    write_table(pa.table(columns), path)


def directory_text(result):
    """What the terminal shows."""
    model, record = result.model, result.model.record_
    counts = model.outlier_count_posterior_
    low, high = np.quantile(counts, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    lines = [
        f"{result.request.file}: {record.n_rows:,} rows, {record.in_words()}, "
        f"{model.diagnostics_.n_passes} passes",
        "",
    ]
    if model.adequacy_.verdict != "right":
        lines.append(model.adequacy_.sentence)
    lines += [
        f"About {np.mean(counts):,.0f} rows do not follow the model "
        f"({count_range(int(low), int(high), _LEVEL)}); {result.n_flagged:,} are flagged by most "
        "draws.",
        f"Share of such rows where these come from: {percent(model.epsilon_)} "
        f"({share_range(*model.epsilon_interval_)}).",
        "",
        "Least likely rows:",
    ]
    lines += [
        f"  row {row} of {name}: FoD {fod:.2f}, expected by chance {chance_in_brief(chance)}"
        for chance, fod, name, row in result.worst
    ]
    lines += ["", "Estimates (posterior means):"]
    for name, values in model.posterior_.means():
        shown = ", ".join(number(value) for value in np.ravel(values)[:12])
        lines.append(f"  {name}: {shown}")
    if result.gate is not None:
        lines += ["", str(result.gate)]
    if "--scores" in result.request.outputs:
        lines += ["", f"Written: {result.request.outputs['--scores']}"]
    return "\n".join(plain(line, _WIDEST) for line in lines)


def directory_json(result):
    """What ``--json`` prints, in plain Python types."""
    model, gate = result.model, result.gate
    counts = model.outlier_count_posterior_
    return {
        "file": str(result.request.file),
        "target": result.request.target,
        "rows": model.record_.n_rows,
        "passes": model.diagnostics_.n_passes,
        "model": model.record_.in_words(),
        "columns": list(model.record_.columns),
        "epsilon": model.epsilon_,
        "epsilon_interval": model.epsilon_interval_.tolist(),
        "count": result.n_flagged,
        "count_mean": float(np.mean(counts)),
        "count_interval": np.quantile(counts, [0.025, 0.975]).tolist(),
        "clean_probability": _number(model.clean_probability_),
        "adequacy": {
            "verdict": model.adequacy_.verdict,
            "sentence": model.adequacy_.sentence,
        },
        "worst": [
            {"block": name, "row": row, "fod": float(fod), "expected_by_chance": float(chance)}
            for chance, fod, name, row in result.worst
        ],
        "gate": None if gate is None else {"closed": gate.is_closed, "sentence": str(gate)},
        "warnings": result.warnings,
    }


def _number(value):
    return None if np.isnan(value) else float(value)
