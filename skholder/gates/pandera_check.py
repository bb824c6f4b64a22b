"""A check for pandera: a schema that refuses a table with too many bad rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .clean import fitted_gate

__all__ = ["clean_check"]


def clean_check(
    target: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    above: float = 0.05,
    probability: float = 0.9,
    auditor: Any = None,
    **options: Any,
) -> Any:
    """A check of a whole pandas table, for the ``checks`` of a pandera ``DataFrameSchema``.

    It fails when P(epsilon > above) > probability, as :func:`skholder.assert_clean` does. Its
    failure cases are then the flagged rows: the cell of the target, or of the column that costs the
    row most. It needs pandera, ``pip install "skholder[pandera]"``.

    Parameters
    ----------
    target : str or None, default=None
        The column to explain by the others; None audits the columns by their density.
    columns : sequence of str or None, default=None
        The columns to audit; None takes all numeric ones but the target.
    above : float in [0, 1), default=0.05
        The share outside the model that must not be exceeded.
    probability : float in (0, 1), default=0.9
        How sure the posterior must be before the check fails.
    auditor : estimator or None, default=None
        As for :func:`skholder.assert_clean`.
    **options : dict
        For ``pandera.pandas.Check``, such as ``raise_warning=True``.

    Returns
    -------
    pandera.pandas.Check

    Examples
    --------
    >>> import pandera.pandas as pa
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.datasets import load_spoiled_diabetes
    >>> from skholder.gates import clean_check
    >>> diabetes = load_spoiled_diabetes(as_frame=True)
    >>> table = diabetes.data.assign(progression=diabetes.target)
    >>> quick = HolderBayesRegressor(inference="laplace", random_state=0)
    >>> schema = pa.DataFrameSchema(checks=clean_check("progression", auditor=quick))
    >>> schema.validate(table)
    Traceback (most recent call last):
    pandera.errors.SchemaError: ...
    """
    try:
        from pandera.pandas import Check
    except ImportError as error:
        raise ImportError('clean_check needs pandera: pip install "skholder[pandera]".') from error

    def passing_cells(table):
        """Which cells pass: all of them, or those that a closed gate does not blame."""
        numeric = table.select_dtypes("number").columns
        chosen = [name for name in numeric if name != target] if columns is None else list(columns)
        y = None if target is None else table[target]
        gate, audit, _ = fitted_gate(table[chosen], y, above, probability, auditor)
        if gate.is_closed and not audit.mask.any():
            return False
        passing = np.ones(table.shape, dtype=bool)
        if gate.is_closed:
            rows = audit.indices
            names = list(table.columns)
            passing[rows, [names.index(name) for name in _blamed(audit, chosen, target)]] = False
        return type(table)(passing, index=table.index, columns=table.columns)

    told = {
        "name": "skholder_clean",
        "error": f"more than {100 * above:g}% of the rows are outside the model, with a "
        f"probability above {100 * probability:g}%",
    }
    return Check(passing_cells, **{**told, **options})


def _blamed(audit, chosen, target):
    """The column of each flagged row's worst cell: the target, or what costs a density most."""
    if target is not None:
        return [target] * len(audit.indices)
    worst = audit.evidence.column[audit.indices]
    # A density of the user's own may not split into columns.
    return [chosen[row[0]] if len(row) else chosen[0] for row in worst]
