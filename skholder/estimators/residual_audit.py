"""What an audit by residuals says of rows, those it was fitted to and new ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin
from sklearn.utils import check_array, check_consistent_length, column_or_1d, indexable
from sklearn.utils.validation import check_is_fitted

from ..audit import Audit
from .flagging import flagged_count, flagged_rows
from .out_of_fold import ResidualSize, in_units, one_per_row
from .residual_posterior import ResidualPosterior, no_columns

__all__ = ["ResidualAudit", "rows_and_response"]


class ResidualAudit(RegressorMixin, MetaEstimatorMixin, BaseEstimator):
    """Methods of a fitted :class:`~skholder.ModelAuditor`; not for direct use."""

    rule: str
    level: float
    estimator_: Any
    residual_posterior_: ResidualPosterior
    residual_size_: ResidualSize | None

    @property
    def audit_(self) -> Audit:
        """The training rows flagged by the current rule."""
        return self.audit_of(self.wanted_count)

    def audit(self, rule: str = "mean", level: float = 0.95, rank: str = "fod") -> Audit:
        """Flag the rows that do not follow the model.

        Parameters
        ----------
        rule : {"mean", "median", "lower", "upper", "fdr", "certain"}, default="mean"
            How many rows: a summary of the posterior of their number K. ``"lower"`` and
            ``"upper"`` are the ends of the central interval of ``level``. ``"fdr"`` and
            ``"certain"`` flag by tail probability: the first so that on average at most a share
            ``1 - level`` of the flags is false (Benjamini and Hochberg), the second only rows of
            which a clean table of this size would have one in twenty times.
        level : float in (0, 1), default=0.95
            Probability inside that interval, and inside ``count_interval`` of the result.
        rank : {"fod", "log_density"}, default="fod"
            Which rows: those of highest FoD, or of lowest posterior-mean log density.

        Returns
        -------
        Audit
        """
        check_is_fitted(self, "residual_posterior_")
        return self.residual_posterior_.audit(rule, level, rank)

    @property
    def wanted_count(self) -> int:
        """Training rows to flag by the current rule, in units of weight."""
        check_is_fitted(self, "residual_posterior_")
        return flagged_count(self.residual_posterior_, self.rule, self.level)

    def audit_of(self, count: int) -> Audit:
        """The training rows of largest residuals.

        Parameters
        ----------
        count : int
            How many rows to flag, in units of weight.

        Returns
        -------
        Audit
        """
        check_is_fitted(self, "residual_posterior_")
        return flagged_rows(self.residual_posterior_, count, self.level)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predictions of ``estimator_``.

        Parameters
        ----------
        X : table of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m,)
        """
        check_is_fitted(self, "estimator_")
        return one_per_row(self.estimator_.predict(X))

    def fod(self, X: Any, y: ArrayLike) -> NDArray[np.float64]:
        """Frequency of Detection of new rows: the share of draws whose audit would flag them.

        It goes by the number of bad rows in the training table: if that was clean, no new row is
        flagged, however far it lies. Look at :meth:`tail_probability` for such rows.

        Parameters
        ----------
        X : table of shape (m, n_features)
            New rows: ``estimator_`` has seen those it was trained on, whose scores are in
            ``fod_scores_``.
        y : array-like of shape (m,)

        Returns
        -------
        ndarray of shape (m,)
            Between 0 and 1.
        """
        rows = self._new_residuals(X, y)
        return self.residual_posterior_.fod(*rows)

    def tail_probability(self, X: Any, y: ArrayLike) -> NDArray[np.float64]:
        """How likely a residual at least as large is, if the row follows the model.

        Parameters
        ----------
        X : table of shape (m, n_features)
            New rows: ``estimator_`` has seen those it was trained on, whose values are in
            ``tail_probability_``.
        y : array-like of shape (m,)

        Returns
        -------
        ndarray of shape (m,)
            The posterior mean over draws. Times the number of rows of a table, it is how many such
            rows chance alone would bring.
        """
        rows = self._new_residuals(X, y)
        return self.residual_posterior_.tail_probability(*rows)

    def _new_residuals(self, X, y):
        """The X and the response by which ``residual_posterior_`` knows new rows."""
        prediction = self.predict(X)
        X, y = rows_and_response(X, y)
        residuals = y - prediction
        if self.residual_size_ is not None:
            residuals = in_units(residuals, self.residual_size_.of(X))
        return no_columns(residuals), residuals

    def shown_prediction(self, X: Any, y: ArrayLike) -> NDArray[np.float64]:
        """Predictions to draw: out of fold for the training rows, by ``estimator_`` for others.

        Parameters
        ----------
        X : table of shape (m, n_features)
        y : array-like of shape (m,)
            Training rows are recognised by their responses, all of them in their order.

        Returns
        -------
        ndarray of shape (m,)
        """
        check_is_fitted(self, "residual_posterior_")
        about = self.residual_posterior_.about_
        return about.prediction if np.array_equal(y, about.response) else self.predict(X)

    def shown_residuals(
        self, X: Any, y: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The X and the response by which ``residual_posterior_`` knows the rows of a picture.

        Parameters
        ----------
        X : table of shape (m, n_features)
        y : array-like of shape (m,)
            Training rows are recognised by their responses, all of them in their order.

        Returns
        -------
        no_columns : ndarray of shape (m, 0)
        standardised : ndarray of shape (m,)
        """
        check_is_fitted(self, "residual_posterior_")
        about = self.residual_posterior_.about_
        if np.array_equal(y, about.response):
            return no_columns(about.response), about.standardised
        return self._new_residuals(X, y)


def rows_and_response(X, y):
    """X as it came but indexable, and y as numbers of shape (n,)."""
    if y is None:
        raise ValueError(
            "ModelAuditor audits y given X and requires y to be passed, but the target y is None."
        )
    (X,) = indexable(X)
    y = check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=np.float64, input_name="y")
    check_consistent_length(X, y)
    return X, y
