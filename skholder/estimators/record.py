"""What a fit leaves behind: one frozen record that everything above reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..audit.stored_labels import StoredLabels
from ..inference import Draws

__all__ = ["FitRecord", "StreamedRecord"]


@dataclass(frozen=True, repr=False)
class FitRecord(StoredLabels):
    """A fit, for whoever needs more than its public attributes.

    Attributes
    ----------
    draws : Draws
        On the computing scale.
    units : RegressionUnits or Whitening
        The map between the user's columns and the computing scale.
    threshold : ndarray of shape (S,)
        The log density at or below which each draw flags a row, on the computing scale.
    weight : ndarray of shape (n,) or None
        Row weights; None weighs every row one.
    index : pandas.Index or None
        Row labels of the data frame that was fitted.
    library : {"pandas", "polars"}
        The kind of data frame that was fitted, and that comes out again.
    columns : tuple of str
    target : str or None
        Name of the response of a regression.
    evidence : RegressionEvidence, DensityEvidence or None
        What explains each row; None after a fit on a row source.
    baseline : NamedDraws or PlainMoments
        The fit that trusts every row, in the user's units.
    n_chains : int
        Independent ensembles that the draws come from.
    """

    draws: Draws
    units: Any
    threshold: NDArray[np.float64]
    weight: NDArray[np.float64] | None
    index: Any
    library: str
    columns: tuple[str, ...]
    target: str | None
    evidence: Any
    baseline: Any
    n_chains: int

    @property
    def model(self) -> Any:
        return self.draws.model

    @property
    def theta(self) -> NDArray[np.float64]:
        return self.draws.theta

    @property
    def row_weight(self) -> NDArray[np.float64]:
        """Weights (n,), ones where every row weighs the same."""
        return np.ones(len(self.evidence)) if self.weight is None else self.weight

    @property
    def total_weight(self) -> float:
        """Number of rows, in units of weight."""
        return float(len(self.evidence) if self.weight is None else self.weight.sum())

    def __repr__(self) -> str:
        return (
            f"FitRecord({self.in_words()}, {len(self.evidence):,} rows, {len(self.theta):,} draws)"
        )

    def in_words(self) -> str:
        """The model in a few words, e.g. ``linear regression of y on 3 columns with ...``."""
        k = len(self.columns)
        return self.model.in_words(f"{k} column{'s' if k != 1 else ''}", self.target)


@dataclass(frozen=True, repr=False)
class StreamedRecord(FitRecord):
    """The record of a fit on a row source, which keeps nothing that has a row axis.

    Attributes
    ----------
    n_rows : int
    streamed_weight : float
        Their total weight.
    """

    n_rows: int = 0
    streamed_weight: float = 0.0

    @property
    def row_weight(self) -> NDArray[np.float64]:
        raise AttributeError("A fit on a row source does not keep the weights of its rows.")

    @property
    def total_weight(self) -> float:
        return self.streamed_weight

    def __repr__(self) -> str:
        return f"StreamedRecord({self.in_words()}, {self.n_rows:,} rows, {len(self.theta):,} draws)"
