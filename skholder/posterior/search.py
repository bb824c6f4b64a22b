"""Which random numbers the search for modes uses."""

from __future__ import annotations

import numpy as np

__all__ = ["search_random"]

# With fewer distinct rows per parameter, different starting values lead to different answers.
_FEW = 10


def search_random(random, n_distinct, n_params):
    """The generator for starting values.

    Where rows are few the risk has many minima, and which of them are found hangs on the starting
    values: there a generator of their own, always the same, makes the modes a function of the data
    alone. The seed then moves the draws, but not what they are drawn around.

    Parameters
    ----------
    random : numpy.random.RandomState
        The user's.
    n_distinct, n_params : int
        Distinct rows, and parameters of the model.

    Returns
    -------
    numpy.random.RandomState
    """
    return np.random.RandomState(0) if n_distinct < _FEW * (n_params + 1) else random
