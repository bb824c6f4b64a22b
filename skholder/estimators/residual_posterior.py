"""The Hölder posterior of the residuals that another model leaves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..audit.out_of_fold import out_of_fold_evidence
from ..audit.stored_labels import StoredLabels
from ..models import ResidualModel
from .out_of_fold import in_units
from .regressor import HolderBayesRegressor

__all__ = ["ResidualPosterior", "ResidualTable"]


@dataclass(frozen=True, repr=False)
class ResidualTable(StoredLabels):
    """Rows that another model predicted, and what they are called.

    Attributes
    ----------
    response, prediction : ndarray of shape (n,)
        In the user's units.
    size : ndarray of shape (n,)
        What residuals are divided by: their size in units of the usual one, or ones.
    target : str
        Name of the response.
    predictor : str
        What the model that made the predictions is called.
    index : pandas.Index or None
    library : {"pandas", "polars"}
    """

    response: NDArray[np.float64]
    prediction: NDArray[np.float64]
    size: NDArray[np.float64]
    target: str
    predictor: str
    index: Any
    library: str

    @property
    def standardised(self) -> NDArray[np.float64]:
        """Residuals divided by their size, shape (n,)."""
        return in_units(self.response - self.prediction, self.size)


class ResidualPosterior(HolderBayesRegressor):
    """A regression on no columns: location, scale and contamination of residuals.

    Its rows are the residuals alone: ``X`` of every method has shape (m, 0), see
    :func:`no_columns`. Not for direct use; :class:`~skholder.ModelAuditor` fits one.
    """

    n_columns_needed = 0
    about_: ResidualTable

    def fit_residuals(self, table: ResidualTable, sample_weight: ArrayLike | None = None) -> Self:
        """Sample the posterior; explanations are about the response, not the residual.

        Parameters
        ----------
        table : ResidualTable
        sample_weight : array-like of shape (n,) or None, default=None
            A weight of 2 equals the row written twice.

        Returns
        -------
        self
        """
        self.about_ = table
        residuals = table.standardised
        self.fit(no_columns(residuals), residuals, sample_weight)
        told = out_of_fold_evidence(
            self.record_.evidence, table.response, table.prediction, table.size
        )
        self.record_ = replace(self.record_, evidence=told)
        return self

    def _prepared(self, X, y, sample_weight):
        start, about = super()._prepared(X, y, sample_weight), self.about_
        labels = {"index": about.index, "library": about.library, "target": about.target}
        return replace(start, labels=labels)

    def _model(self, noise):
        return ResidualModel(
            noise,
            self.about_.predictor,
            coef_prior_scale=self.coef_prior_scale,
            log_scale_prior_scale=self.log_scale_prior_scale,
            min_scale=self.min_scale,
        )


def no_columns(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The X of residuals (m,): shape (m, 0)."""
    return np.empty((len(rows), 0))
