"""What a density needs to know of its rows: tied values, lost directions, what explains them."""

from __future__ import annotations

import numpy as np

from ..audit.column_values import ColumnValues, typical_rows
from ..audit.evidence import density_evidence

__all__ = ["evidence_of", "is_discrete", "lost_directions"]

# A column with so few values among so many rows is discrete.
_FEW_VALUES, _FEW_ROWS = 5, 1000


def is_discrete(X, chosen):
    """Whether some column of X has so few values that most rows share theirs with others.

    ``chosen`` are the distinct rows in canonical order, so that neither the order of the table nor
    rows without weight decide.
    """
    few = X[chosen[:: max(1, len(chosen) // _FEW_ROWS)]]
    return any(1 < len(np.unique(column)) <= _FEW_VALUES for column in few.T)


def evidence_of(names, result, start, rows):
    """What explains each row, measured against the rows (n, q) that the first mode keeps."""
    draws = result.draws
    log_density = draws.model.log_density(result.modes[0].theta[None], rows)[:, 0]
    typical = typical_rows(log_density, 0.0 if draws.alpha is None else 1 - np.mean(draws.alpha))
    values = ColumnValues.of(start.data, typical, start.weight)
    contributions = draws.model.contributions(draws.theta, start.units.forward)
    return density_evidence(names, start.data, rows, contributions, values)


def lost_directions(units):
    """How many directions of X have no spread, and a sentence about them."""
    if not units.n_lost:
        return {}
    return {
        "n_lost": units.n_lost,
        "lost": f"{units.n_lost} of the {len(units.centre)} directions of X have no spread "
        "(constant or collinear columns): the density is that of the others. Drop those columns.",
    }
