"""What a fitted density says of rows: scores, labels, influence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import DensityMixin, OutlierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from ..audit import flagged_share, tail_probabilities
from ..summaries.influence import Influence, influence
from ..summaries.predictive import log_predictive, mean_log_density
from .base import HolderBayesEstimator
from .flagging import infers_epsilon
from .inputs import naming_columns, private_random_state, refuse_source
from .lazy_rows import row_wise
from .limits import check_n_samples

__all__ = ["DensityPredictions"]

_Method = TypeVar("_Method", bound=Callable)


def _labels_rows(density):
    """Whether a density calls rows outliers: it infers how many, or is given a share."""
    return density.contamination != "auto" or infers_epsilon(density)


def _labelling(method: _Method) -> _Method:
    """Decorator of methods that only a density which labels rows has; keeps the method's type."""
    return cast(_Method, available_if(_labels_rows)(method))


class DensityPredictions(OutlierMixin, DensityMixin, HolderBayesEstimator):
    """Methods of a fitted density; not for direct use."""

    offset_: float

    def _check_rows(self, X):
        check_is_fitted(self)
        with naming_columns(X):
            X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.record_.units.apply(X)

    def _log_predictive(self, rows):
        fit = self.record_
        return log_predictive(fit.model, fit.theta, rows) - fit.units.log_volume

    @row_wise()
    def score_samples(self, X: ArrayLike) -> NDArray[np.float64]:
        """Log predictive density of each row, ``log mean_s p(x | theta_s)``.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m,)
            In nats; lower is more abnormal.
        """
        return self._log_predictive(self._check_rows(X))

    def score(self, X: ArrayLike, y: ArrayLike | None = None) -> float:
        """Mean log predictive density of the rows.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : ignored

        Returns
        -------
        float
        """
        return float(np.mean(self.score_samples(X)))

    @_labelling
    @row_wise()
    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """``score_samples(X) - offset_``: negative for outliers.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m,)
        """
        return self.score_samples(X) - self.offset_

    @_labelling
    @row_wise(np.int64)
    def predict(self, X: ArrayLike) -> NDArray[np.int_]:
        """+1 for inliers and -1 for outliers.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of int, shape (m,)
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    @_labelling
    def fit_predict(
        self, X: ArrayLike, y: ArrayLike | None = None, **fit_params: Any
    ) -> NDArray[np.int_]:
        """Fit to X and label its rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        **fit_params : dict
            For ``fit``.

        Returns
        -------
        ndarray of int, shape (n_samples,)
            +1 for inliers and -1 for outliers.
        """
        refuse_source(X)
        return super().fit_predict(X, y, **fit_params)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if not _labels_rows(self):
            tags.estimator_type = "density_estimator"
        return tags

    def sample(
        self, n_samples: int = 1, random_state: int | np.random.RandomState | None = None
    ) -> NDArray[np.float64]:
        """Rows from the posterior predictive.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, RandomState or None, default=None
            Seed; None draws a fresh one.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        check_n_samples(n_samples)
        random = private_random_state(random_state)
        fit = self.record_
        theta = fit.theta[random.randint(len(fit.theta), size=n_samples)]
        return fit.units.centre + fit.model.sample(theta, random) @ fit.units.backward

    @row_wise()
    def fod(self, X: ArrayLike) -> NDArray[np.float64]:
        """Frequency of Detection of new rows: the share of draws whose audit would flag them.

        It goes by the number of bad rows in the training table: if that was clean, no new row is
        flagged, however far it lies. Look at :meth:`tail_probability` for such rows.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m,)
            Between 0 and 1.
        """
        rows, fit = self._check_rows(X), self.record_
        self.epsilon_posterior_  # noqa: B018  raises where the divergence has no epsilon
        return flagged_share(fit.model, fit.theta, fit.threshold, rows)

    @row_wise()
    def tail_probability(self, X: ArrayLike) -> NDArray[np.float64]:
        """How likely a row at least as unlikely is, if it follows the model.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        ndarray of shape (m,)
            The posterior mean over draws. Times the number of rows of a table, it is how many such
            rows chance alone would bring.
        """
        rows, fit = self._check_rows(X), self.record_
        return tail_probabilities(fit.model, fit.theta, rows)

    def audit_scores(  # type: ignore[override]  # a density has no y
        self, X: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Posterior-mean log density and FoD of rows, from one pass over them.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        log_density, fod : ndarray of shape (m,)
        """
        rows = self._check_rows(X)
        self.epsilon_posterior_  # noqa: B018  raises where the divergence has no epsilon
        fit = self.record_
        log_density, fod = mean_log_density(fit.model, fit.theta, rows, fit.threshold)
        return log_density - fit.units.log_volume, fod

    def influence(self, X: ArrayLike) -> Influence:
        """Influence of rows, were they added, on the risk and on the posterior means.

        Parameters
        ----------
        X : array-like of shape (m, n_features)

        Returns
        -------
        Influence
        """
        rows = self._check_rows(X)
        return influence(self.record_.draws, rows, self.posterior_)
