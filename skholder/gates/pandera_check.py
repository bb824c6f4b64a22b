"""A check for pandera: a schema that refuses a table with too many bad rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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

    It fails when P(epsilon > above) > probability, as :func:`skholder.assert_clean` does; the
    flagged rows are then its failure cases. It needs pandera, ``pip install "skholder[pandera]"``.

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
    pandera.errors.SchemaError: ... more than 5% of the rows are outside the model ...
    """
    try:
        from pandera.pandas import Check
    except ImportError as error:
        raise ImportError('clean_check needs pandera: pip install "skholder[pandera]".') from error

    def kept_rows(table):
        """Which rows pass: all of them, or those that a closed gate does not flag."""
        numeric = table.select_dtypes("number").columns
        chosen = [name for name in numeric if name != target] if columns is None else list(columns)
        y = None if target is None else table[target]
        gate, audit, _ = fitted_gate(table[chosen], y, above, probability, auditor)
        if gate.is_closed and not audit.mask.any():
            return False
        flagged = audit.mask & gate.is_closed
        return table.iloc[:, :0].assign(kept=~flagged)["kept"]

    told = {
        "name": "skholder_clean",
        "error": f"more than {100 * above:g}% of the rows are outside the model, with a "
        f"probability above {100 * probability:g}%",
    }
    return Check(kept_rows, **{**told, **options})
