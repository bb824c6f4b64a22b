"""Tail probabilities: how likely a row at least this unlikely is, if it follows the model.

    t_i = posterior mean of P_theta(p_theta(row) <= p_theta(row_i))

Among n clean rows, n t_i rows as extreme as row i are expected by chance.
"""

from __future__ import annotations

import numpy as np

from ..rows import row_spans

__all__ = ["CERTAIN", "expected_by_chance", "tail_probabilities"]

#: A row with n t below this cannot be an inlier: one such row in twenty clean tables.
CERTAIN = 0.05
# Every row meets this many draws at least; unlikely ones, whose average is dominated by few, more.
_FEW_DRAWS, _UNLIKELY = 8, 0.02
# Tail probabilities worked out in each round, if every row met more.
_MOST = 150_000


def tail_probabilities(model, theta, rows):
    """Posterior-mean tail probability of rows (m, q), shape (m,).

    Parameters
    ----------
    model : WorkingModel
    theta : ndarray of shape (S, d)
        Posterior draws.
    rows : ndarray of shape (m, q)
        On the computing scale.
    """
    if model.n_tail_thetas == 1:
        return _mean_tail(model, theta.mean(axis=0)[None], rows)

    def affordable(n_rows):
        return int(np.clip(_MOST // max(n_rows, 1), _FEW_DRAWS, model.n_tail_thetas))

    n_draws = affordable(len(rows))
    tails = _mean_tail(model, _thinned(theta, n_draws), rows)
    unlikely = np.flatnonzero(tails < _UNLIKELY)
    more = affordable(len(unlikely))
    if len(unlikely) and more > n_draws:
        tails[unlikely] = _mean_tail(model, _thinned(theta, more), rows[unlikely])
    return tails


def expected_by_chance(tails, total_weight):
    """How many of n clean rows would be at least as unlikely, n t, shape (m,)."""
    return total_weight * tails


def _mean_tail(model, theta, rows):
    out = np.empty(len(rows))
    # A tail probability is worked out from several numbers for each.
    for part in row_spans(len(rows), 4 * len(theta)):
        out[part] = model.tail(theta, rows[part]).mean(axis=1)
    return out


def _thinned(theta, size):
    """At most ``size`` draws, evenly spaced."""
    return theta[:: max(1, -(-len(theta) // size))]
