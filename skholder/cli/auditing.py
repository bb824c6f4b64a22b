"""What ``skholder audit`` does: read, fit, write."""

from __future__ import annotations

import warnings
from contextlib import contextmanager

import numpy as np

from ..estimators import HolderBayesDensity, HolderBayesRegressor, OutlierAuditor
from ..exceptions import ConvergenceWarning, HolderBayesWarning
from ..report import AuditReport
from ..report.rendering import environment
from .advice import beyond_floats, in_options
from .gating import gate_of, group_labels
from .planning import few_threads, make_plan, tree_auditor
from .printout import inputs_in_words
from .records import AuditResult, Finding
from .repairs import column_repairs, repairs_in_words, target_repairs
from .scores import write_scores
from .tables import (
    InputError,
    ParquetFile,
    check_outputs,
    import_pandas,
    open_table,
    sentences,
    write_outputs,
)

__all__ = ["run_audit"]


def run_audit(request, warn, note):
    """Read the table, fit it, and write the outputs.

    Parameters
    ----------
    request : AuditRequest
    warn : callable
        Takes the text of a warning, as soon as it is known.
    note : callable
        Takes the text of a note about the table, as soon as it is known.

    Returns
    -------
    AuditResult

    Raises
    ------
    InputError
        Before any fit, if something cannot be used: with all problems of the table.
    """
    warnings_told, tell = _once(warn)
    notes, remark = _once(note)
    finals = check_outputs(request.file, request.all_outputs, request.force)
    file = open_table(request.file)
    _check_formats(file, request)
    _check_options(request)
    plan = make_plan(file, request)
    for text in plan.notes:
        remark(text)
    inputs = None
    if plan.inputs is not None:
        inputs = _fitted(request, _density(request), plan, plan.inputs, (), tell)
        notes += inputs_in_words(inputs, plan.table, request.all_outputs.get("--inputs"))
    told = sentences([plan.design.left_out_note, *notes])
    main = _fitted(request, _auditor(request, plan), plan, plan.design, told, tell)
    result = AuditResult(request, plan.table, main, inputs, told, warnings_told)
    _write(result, file, finals)
    return result


def _once(tell):
    """A list of what was told, and a function that tells each text once."""
    told = []

    def tell_once(text):
        if text not in told:
            told.append(text)
            tell(text)

    return told, tell_once


def _fitted(request, auditor, plan, design, notes, tell):
    """The :class:`Finding` of an auditor on a design."""
    about = "Audit of the inputs" if design is plan.inputs else "Audit"
    with _told_in_options(tell, plan, design, request.target), few_threads(design):
        X, y = _frames(design, plan.table, request.target)
        auditor.fit(X, y)
        repairs = _repairs(auditor, design)
        rows = design.rows[auditor.audit_.indices]
        told = repairs_in_words(repairs, plan.table.names_of(rows))
        if told:
            notes = (*notes, f"Flagged rows would fit with {'; '.join(told)}.")
        title = f"{about} of {request.file.name}"
        gate = None if design is plan.inputs else gate_of(request, auditor.epsilon_posterior_)
        groups = group_labels(plan.group, design.rows, X.index)
        report = AuditReport(auditor, title=title, notes=notes, groups=groups, gate=gate)
        return Finding(design, auditor.audit_, report, report.to_dict(), repairs)


def _repairs(auditor, design):
    """What would make each flagged row fit."""
    audit = auditor.audit_
    flagged, evidence = audit.indices, audit.evidence
    if design.y is not None:
        parts = (evidence.observed, evidence.fitted, evidence.sd)
        return target_repairs(evidence.target, *(part[flagged] for part in parts))
    density = auditor.estimator_
    return column_repairs(
        design.X[flagged],
        design.names,
        evidence.column[flagged],
        density.location_,
        density.covariance_,
    )


def _check_options(request):
    """Refuse options that do not go together, and a report that could not be written."""
    problems = []
    if request.target is None:
        if request.inputs:
            problems.append("--inputs goes with --target: without one all columns are audited")
        if request.model != "linear":
            problems.append(f"--model {request.model} goes with --target")
    if request.gamma is not None and request.model != "linear":
        problems.append("--gamma goes with --model linear")
    if request.escape_formulas and "--clean" not in request.outputs:
        problems.append("--escape-formulas goes with --clean: scores are always escaped")
    if "--report" in request.outputs:
        _check_templates()
    if problems:
        raise InputError(*problems)


def _check_formats(file, request):
    """Refuse a copy in another format than the input's, and scores that are not CSV."""
    is_parquet = isinstance(file, ParquetFile)
    if is_parquet and request.escape_formulas:
        raise InputError("--escape-formulas goes with CSV files: Parquet cells have types")
    for option, path in request.outputs.items():
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


def _auditor(request, plan):
    """The unfitted auditor of the target, or of all columns."""
    if request.target is None:
        return _density(request)
    if plan.model == "trees":
        return tree_auditor(request, plan.design)
    return OutlierAuditor(HolderBayesRegressor(**_settings(request)), rule=request.rule_taken)


def _density(request):
    """The unfitted auditor of columns."""
    return OutlierAuditor(HolderBayesDensity(**_settings(request)), rule=request.rule_taken)


def _settings(request):
    settings = {
        "n_draws": request.n_draws,
        "n_jobs": -1,
        "random_state": request.seed,
        "verbose": int(request.verbose),
    }
    return settings if request.gamma is None else {**settings, "gamma": request.gamma}


def _frames(design, table, target):
    """X and y as pandas objects: they carry names and row labels into every output."""
    pd = import_pandas()
    index = pd.Index(table.names_of(design.rows), name="row", tupleize_cols=False)
    X = pd.DataFrame(design.X, columns=design.names, index=index)
    return X, None if design.y is None else pd.Series(design.y, name=target, index=index)


@contextmanager
def _told_in_options(tell, plan, design, target):
    """Tell the package's own warnings as texts, and keep all others from the terminal.

    They and the errors of a fit name the options of the command.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        for category in (HolderBayesWarning, ConvergenceWarning):
            warnings.simplefilter("always", category)
        try:
            yield
        except (ValueError, np.linalg.LinAlgError) as error:
            told = beyond_floats(error, design, plan.table, target)
            raise InputError(told or in_options(str(error))) from error
    for warning in caught:
        tell(in_options(str(warning.message)))


def _write(result, file, finals):
    """The output files: all of them, each whole, or none."""
    request = result.request
    to = {
        "--report": lambda draft: result.main.report.to_html(draft),
        "--inputs": lambda draft: result.inputs.report.to_html(draft),
        "--scores": lambda draft: write_scores(result, draft),
        "--clean": lambda draft: _write_clean(result, file, draft),
    }
    outputs = request.all_outputs.items()
    write_outputs({path: to[option] for option, path in outputs}, finals, request.force)


def _write_clean(result, file, path):
    """The rows that were looked at and not flagged."""
    keep = np.zeros(result.table.n_rows, dtype=bool)
    keep[result.main.design.rows] = True
    options = {"escape": True} if result.request.escape_formulas else {}
    file.copy(keep & ~result.flagged, path, **options)
