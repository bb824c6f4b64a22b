"""What a fit begins with, before anything is sampled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..audit import AuditedTable

__all__ = ["Prepared"]


@dataclass(frozen=True, repr=False)
class Prepared:
    """Validated input, and the model and the rows that the inference works on.

    Attributes
    ----------
    model : WorkingModel
    table : AuditedTable
        The weighted set of rows on the computing scale, with design weights where rows of bad
        leverage call for them.
    units : RegressionUnits or Whitening
        The map between the user's columns and the computing scale.
    data : ndarray of shape (n, p)
        X as numbers.
    response : ndarray of shape (n,) or None
    weight : ndarray of shape (n,) or None
    labels : dict
        ``index``, ``library`` and ``target`` of the :class:`~.record.FitRecord`.
    random : numpy.random.RandomState
        As far used up as the steps so far have used it.
    """

    model: Any
    table: AuditedTable
    units: Any
    data: NDArray[np.float64]
    response: NDArray[np.float64] | None
    weight: NDArray[np.float64] | None
    labels: dict[str, Any]
    random: np.random.RandomState
