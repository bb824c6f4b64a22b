"""The power for residuals whose honest rows have tails."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..audit import judge_adequacy
from ..posterior import GammaPath, efficient_gamma, influence_values

__all__ = ["gentle_path"]

# The power at which tails are looked for: outliers that overlap the others look like tails at a
# smaller one, and tails do not show at a larger one.
_LOOK = efficient_gamma(1, 0.63)
# The power for rows with tails, where the path allows it.
_GENTLE = efficient_gamma(1, 0.87)
# A power that counts less than this share of the rows counted before has lost the outliers.
_LOST = 0.2


def gentle_path(path: GammaPath, model, rows, limit: float) -> GammaPath:
    """The path with a smaller power chosen, where the rows kept have heavier tails than normal.

    The larger the power, the more of such tails is counted as outliers: the bias that the path
    trades off never ends. A smaller power takes most of them for what they are. It is not taken
    where it loses the outliers that the larger ones count.

    Parameters
    ----------
    path : GammaPath
    model : WorkingModel
        With normal noise.
    rows : RowBlocks
    limit : float
        max_contamination.

    Returns
    -------
    GammaPath
    """
    if np.isnan(path.epsilon[path.chosen]) or not _has_tails(path, model, rows, limit):
        return path
    enough = _LOST * path.epsilon[path.chosen]
    chosen = path.chosen
    while chosen and path.gamma[chosen - 1] > 0.999 * _GENTLE and path.epsilon[chosen - 1] > enough:
        chosen -= 1
    return replace(path, chosen=chosen)


def _has_tails(path, model, rows, limit):
    """Whether rows that a fit keeps have tails, by the largest power where these show."""
    look = np.flatnonzero(path.gamma <= 1.001 * _LOOK)
    at = look[-1] if len(look) else 0
    values = influence_values(model, rows, path.theta[at], path.gamma[at])
    shape = model.shape(values.theta, rows.rows, None)
    found = judge_adequacy(model, rows, values, shape, (), "", limit)
    return any(check.name == "tails" and check.status == "note" for check in found.checks)
