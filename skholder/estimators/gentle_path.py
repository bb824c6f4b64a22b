"""The power for rows with tails: one that takes them for what they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..audit import has_tails
from ..posterior import GammaPath, efficient_gamma

__all__ = ["gentle_path"]

# Efficiency of the power at which tails are looked for: outliers that overlap the others look like
# tails at a smaller power, and tails do not show at a larger one.
_LOOK = 0.63
# That of the power for rows with tails, where the path allows it.
_GENTLE = 0.87
# A power that counts less than this share of the rows counted before has lost the outliers.
_LOST = 0.2
# Rows that are looked at.
_MOST_ROWS = 20_000


def gentle_path(path: GammaPath, start) -> GammaPath:
    """The path with a smaller power chosen, where the rows kept have heavier tails than normal.

    The larger the power, the more of such tails is counted as outliers: the bias that the path
    trades off never ends. A smaller power takes most of them for what they are. It is not taken
    where it loses the outliers that the larger ones count.

    Parameters
    ----------
    path : GammaPath
    start : Prepared

    Returns
    -------
    GammaPath
    """
    known = not np.isnan(path.epsilon[path.chosen])
    if not (known and start.model.is_normal and _has_tails(path, start)):
        return path
    least = 0.999 * efficient_gamma(start.model.n_modelled, _GENTLE)
    enough = _LOST * path.epsilon[path.chosen]
    chosen = path.chosen
    while chosen and path.gamma[chosen - 1] > least and path.epsilon[chosen - 1] > enough:
        chosen -= 1
    return replace(path, chosen=chosen)


def _has_tails(path, start):
    """Whether rows that a fit keeps have tails, by the largest power where these show."""
    model, rows = start.model, start.table.fitted_rows.subsample(_MOST_ROWS)
    look = np.flatnonzero(path.gamma <= 1.001 * efficient_gamma(model.n_modelled, _LOOK))
    at = look[-1] if len(look) else 0
    shape = model.shape(path.theta[at], rows.rows, start.units)
    if shape is None:
        return False
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    names = [str(j) for j in range(shape.columns.shape[1])]
    return has_tails(shape, path.gamma[at], model.n_modelled, weight, names)
