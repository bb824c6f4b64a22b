"""What ``skholder audit`` was asked for, and what it found."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..report import AuditReport
from .tables import Design, Table, Wishes

__all__ = ["AuditRequest", "AuditResult", "Finding"]


@dataclass(frozen=True)
class AuditRequest:
    """What was asked for; see ``skholder audit --help``.

    Attributes
    ----------
    file : Path
    wishes : Wishes
        Columns and cells.
    model : {"linear", "trees", "auto"}
    inputs : bool
        Audit the inputs too.
    drop_missing : bool
    gamma : float or None
        None chooses it from the data.
    rule : str or None
        None is the mean.
    seed, n_draws : int
    verbose : bool
        Show a progress bar.
    outputs : dict of str to Path
        By option: ``--report``, ``--scores``, ``--clean``.
    force : bool
        Replace files that exist already.
    escape_formulas : bool
        Put an apostrophe before cells of the copy that a spreadsheet would run.
    group : str or None
        The column whose groups are told apart.
    fail_above : float or None
        The share outside the model above which the gate is closed; None sets no gate.
    probability : float
        How sure the gate must be.
    """

    file: Path
    wishes: Wishes = field(default_factory=Wishes)
    model: str = "linear"
    inputs: bool = False
    drop_missing: bool = False
    gamma: float | None = None
    rule: str | None = None
    seed: int = 0
    n_draws: int = 4000
    verbose: bool = False
    outputs: dict = field(default_factory=dict)
    force: bool = False
    escape_formulas: bool = False
    group: str | None = None
    fail_above: float | None = None
    probability: float = 0.9

    @property
    def target(self):
        return self.wishes.target

    @property
    def rule_taken(self):
        """How many rows to flag."""
        return self.rule or "mean"

    @property
    def all_outputs(self):
        """The outputs, with the page about the inputs that goes with the report."""
        report = self.outputs.get("--report")
        if report is None or not self.inputs:
            return self.outputs
        page = report.with_name(f"{report.stem}.inputs{report.suffix}")
        return {**self.outputs, "--inputs": page}


@dataclass(frozen=True)
class Finding:
    """What one audit found.

    Attributes
    ----------
    design : Design
    audit : Audit
        Positions are those in ``design``; ``design.rows`` maps them to rows of the file.
    report : AuditReport
    summary : dict
        That of :meth:`AuditReport.to_dict`.
    repairs : list of str
        What would make each flagged row fit, in the order of ``audit.indices``; empty where
        nothing does.
    """

    design: Design
    audit: object
    report: AuditReport
    summary: dict
    repairs: list


@dataclass(frozen=True)
class AuditResult:
    """What was found.

    Attributes
    ----------
    request : AuditRequest
    table : Table
    main : Finding
        About the target, or about all columns where there is none.
    inputs : Finding or None
        About the inputs, where that was asked for.
    notes : tuple of str
        Sentences about how the table was read and what was done to it before the fit.
    warnings : list of str
    """

    request: AuditRequest
    table: Table
    main: Finding
    inputs: Finding | None
    notes: tuple
    warnings: list

    @property
    def flagged(self):
        """Whether each row of the file is flagged, in one of the audits, shape (n,)."""
        flagged = np.zeros(self.table.n_rows, dtype=bool)
        for finding in (self.main, self.inputs):
            if finding is not None:
                flagged[finding.design.rows[finding.audit.indices]] = True
        return flagged
