"""AuditReport: everything an audit found, in one self-contained page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from ..audit import Gate
from .collect import collect
from .groups import groups_in_full
from .page import render, render_iframe
from .source import Source

__all__ = ["AuditReport"]


class AuditReport:
    """What a fit found, as a page for people and a dict for programs.

    The page is one file below 1 MB, whatever the number of rows: it needs no network, reads
    without JavaScript, in light and dark, on a phone and on paper. The same fit gives the same
    bytes.

    Parameters
    ----------
    estimator : fitted HolderBayesRegressor, HolderBayesDensity or OutlierAuditor
        Also an AuditedEstimator or OutlierRejector, for the audit inside. The divergence must have
        an epsilon.
    feature_names : sequence of str or None, default=None
        Names of the columns; None takes those of the fitted data frame, else x0, x1, ...
    title : str or None, default=None
        Heading of the page; None says "Audit report".
    notes : sequence of str, default=()
        Sentences on how the data were prepared, e.g. "12 of 450 rows were left out because of
        missing values.". The page shows them with its findings.
    groups : array-like of shape (n,) or None, default=None
        The group of each row, such as its site or batch: the page then says which group spoils the
        table; see :meth:`Audit.by`.
    gate : Gate or None, default=None
        What :meth:`Audit.gate` said; the page shows it with its findings.

    Notes
    -----
    The page needs Jinja2, the extra ``skholder[report]``; ``to_dict`` does not.

    Examples
    --------
    >>> import numpy as np
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.report import AuditReport
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = X @ [1.0, -2.0] + rng.normal(size=300)
    >>> y[:45] += 8
    >>> model = HolderBayesRegressor(random_state=0).fit(X, y)
    >>> report = AuditReport(model, feature_names=["dose", "age"])
    >>> report.to_dict()["count"]["flagged"]
    45
    """

    def __init__(
        self,
        estimator: object,
        feature_names: Sequence[str] | None = None,
        title: str | None = None,
        *,
        notes: Sequence[str] = (),
        groups: ArrayLike | None = None,
        gate: Gate | None = None,
    ) -> None:
        if isinstance(notes, str):
            raise TypeError("notes must be a sequence of sentences; put a single one in a list.")
        self.estimator = estimator
        self.feature_names = feature_names
        self.title = title
        self.notes = tuple(str(note) for note in notes)
        self.groups = groups
        self.gate = gate
        self._source = Source.of(estimator, feature_names)
        self._groups = groups_in_full(self._source.audit, groups)

    def to_dict(self) -> dict[str, Any]:
        """What the page shows, in plain Python types that ``json.dumps`` takes.

        Returns
        -------
        dict
            Its keys are the page's sections, among them ``summary``, ``epsilon``, ``count``,
            ``rows``, ``estimates``, ``diagnostics`` and ``settings``; ``groups`` and ``gate`` are
            None where none were given.
        """
        data = collect(self._source, self.title)
        gate = self.gate
        told = None if gate is None else {**asdict(gate), "closed": gate.is_closed}
        return {
            **data,
            "data": {**data["data"], "notes": list(self.notes)},
            "groups": self._groups,
            "gate": told and {**told, "sentence": str(gate)},
        }

    def to_html(self, path: str | Path) -> Path:
        """Write the page.

        Parameters
        ----------
        path : str or Path
            The file to write; one that exists is replaced.

        Returns
        -------
        Path
            Where it was written.
        """
        path = Path(path)
        path.write_bytes(self._html().encode("utf-8"))
        return path

    def _html(self):
        return render(self.to_dict())

    def _repr_html_(self) -> str:
        """The page in a frame of its own, so that its style and the notebook's do not mix."""
        return render_iframe(self._html())

    def __repr__(self) -> str:
        audit = self._source.audit
        return f"AuditReport({audit.count} of {len(audit.mask)} rows flagged)"
