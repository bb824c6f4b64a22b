"""What ``skholder audit`` does: read, fit, write."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..estimators import HolderBayesDensity, HolderBayesRegressor, OutlierAuditor
from ..exceptions import ConvergenceWarning, HolderBayesWarning
from ..report import AuditReport
from ..report.rendering import environment
from .advice import in_options
from .printout import write_scores
from .tables import (
    Design,
    InputError,
    ParquetFile,
    Table,
    build_design,
    check_outputs,
    choose_columns,
    import_pandas,
    open_table,
    replacing,
)

__all__ = ["AuditRequest", "AuditResult", "run_audit"]


@dataclass(frozen=True)
class AuditRequest:
    """What was asked for; see ``skholder audit --help``.

    Attributes
    ----------
    file : Path
    target : str or None
    columns : list of str or None
    exclude : list of str
    drop_missing : bool
    gamma : float or None
        None chooses it from the data.
    rule : str
    seed, n_draws : int
    verbose : bool
        Show a progress bar.
    outputs : dict of str to Path
        By option: ``--report``, ``--scores``, ``--clean``.
    """

    file: Path
    target: str | None = None
    columns: list | None = None
    exclude: list = field(default_factory=list)
    drop_missing: bool = False
    gamma: float | None = None
    rule: str = "mean"
    seed: int = 0
    n_draws: int = 4000
    verbose: bool = False
    outputs: dict = field(default_factory=dict)


@dataclass(frozen=True)
class AuditResult:
    """What was found.

    Attributes
    ----------
    request : AuditRequest
    table : Table
    design : Design
    audit : Audit
        Positions are those in ``design``; ``design.rows`` maps them to rows of the file.
    summary : dict
        That of :meth:`AuditReport.to_dict`.
    notes : list of str
        Sentences about what was done to the table before the fit.
    warnings : list of str
    """

    request: AuditRequest
    table: Table
    design: Design
    audit: object
    summary: dict
    notes: list
    warnings: list


def run_audit(request, warn):
    """Read the table, fit it, and write the outputs.

    Parameters
    ----------
    request : AuditRequest
    warn : callable
        Takes the text of a warning, as soon as it is known.

    Returns
    -------
    AuditResult

    Raises
    ------
    InputError
        Before any fit, if something cannot be used.
    """
    told = []

    def tell(text):
        if text not in told:
            told.append(text)
            warn(text)

    check_outputs(request.file, request.outputs)
    file = open_table(request.file)
    _check_formats(file, request.outputs)
    if "--report" in request.outputs:
        _check_templates()
    chosen, left_out = choose_columns(file, request.target, request.columns, request.exclude)
    for name in left_out:
        tell(f"{name!r} has no name and was left out; ask for it with --columns")
    wanted = chosen if request.target is None else [*chosen, request.target]
    table = file.read(wanted)
    design = build_design(table, chosen, request.target, request.drop_missing)
    for note in design.notes:
        tell(note)
    auditor = _auditor(request)
    notes = _sentences([design.left_out_note, *told])
    with _told_in_options(tell):
        auditor.fit(*_frames(design, table, request.target))
        report = AuditReport(auditor, title=f"Audit of {request.file.name}", notes=notes)
        summary = report.to_dict()
    result = AuditResult(request, table, design, auditor.audit_, summary, notes, told)
    _write(result, file, report)
    return result


def _check_formats(file, outputs):
    """Refuse a copy in another format than the input's, and scores that are not CSV."""
    is_parquet = isinstance(file, ParquetFile)
    for option, path in outputs.items():
        ends_so = path.suffix.lower() in ParquetFile.suffixes
        if option == "--clean" and ends_so != is_parquet:
            kind, ending = ("Parquet", ".parquet") if is_parquet else ("CSV", ".csv or .csv.gz")
            raise InputError(f"--clean: the input is {kind}, so the copy must end in {ending}")
        if option == "--scores" and ends_so:
            raise InputError("--scores: scores are written as CSV, so the file must end in .csv")


def _check_templates():
    """Refuse a report that could not be written after a long fit."""
    try:
        environment()
    except ImportError as error:
        raise InputError('--report needs Jinja2: pip install "skholder[report]"') from error


def _auditor(request):
    """The unfitted auditor."""
    settings = {
        "n_draws": request.n_draws,
        "n_jobs": -1,
        "random_state": request.seed,
        "verbose": int(request.verbose),
    }
    if request.gamma is not None:
        settings["gamma"] = request.gamma
    if request.target is not None:
        return OutlierAuditor(HolderBayesRegressor(**settings), rule=request.rule)
    return OutlierAuditor(HolderBayesDensity(**settings), rule=request.rule)


def _sentences(texts):
    """The texts that are not empty, with a capital first and a full stop last."""
    return [f"{text[0].upper()}{text[1:]}." for text in texts if text]


def _frames(design, table, target):
    """X and y as pandas objects: they carry names and row labels into every output."""
    pd = import_pandas()
    index = pd.Index(table.names_of(design.rows), name="row", tupleize_cols=False)
    X = pd.DataFrame(design.X, columns=design.names, index=index)
    return X, None if target is None else pd.Series(design.y, name=target, index=index)


@contextmanager
def _told_in_options(tell):
    """Tell the package's own warnings as texts, and keep all others from the terminal.

    They and the errors of a fit name the options of the command.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        for category in (HolderBayesWarning, ConvergenceWarning):
            warnings.simplefilter("always", category)
        try:
            yield
        except ValueError as error:
            raise InputError(in_options(str(error))) from error
    for warning in caught:
        tell(in_options(str(warning.message)))


def _write(result, file, report):
    """The output files, each whole or not at all."""
    outputs = result.request.outputs
    if "--report" in outputs:
        with replacing(outputs["--report"]) as path:
            report.to_html(path)
    if "--scores" in outputs:
        with replacing(outputs["--scores"]) as path:
            write_scores(result, path)
    if "--clean" in outputs:
        keep = np.zeros(result.table.n_rows, dtype=bool)
        keep[result.design.rows] = ~result.audit.mask
        with replacing(outputs["--clean"]) as path:
            file.copy(keep, path)
