"""What a fitted linear regression says of rows: predictions, scores, influence."""

from __future__ import annotations

from numbers import Real
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..audit import flagged_share, tail_probabilities
from ..audit.counts import check_level
from ..summaries.influence import Influence, influence
from ..summaries.predictive import (
    expected_log_predictive,
    log_predictive,
    mean_log_density,
    mixture_interval,
)
from .base import HolderBayesEstimator
from .inputs import naming_columns, private_random_state
from .lazy_rows import row_wise
from .limits import check_n_samples

__all__ = ["RegressionPredictions"]

# Draws used where a row needs an integral over its own predictive density.
_THINNED = 256
# With a larger power, 20 rows per parameter leave the posterior vacuous.
_VACUOUS = 1.2


class RegressionPredictions(RegressorMixin, HolderBayesEstimator):
    """Methods of a fitted regression; not for direct use."""

    # Columns that X has at the least.
    n_columns_needed = 1

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # scikit-learn's own example has 200 rows and 12 parameters.
        large = isinstance(self.gamma, Real) and self.gamma > _VACUOUS
        tags.regressor_tags.poor_score = large and self.divergence != "kl"
        return tags

    def _check_rows(self, X, y):
        check_is_fitted(self)
        with naming_columns(X, y):
            X, y = validate_data(
                self,
                X,
                y,
                dtype=np.float64,
                y_numeric=True,
                reset=False,
                ensure_min_features=self.n_columns_needed,
            )
        return self.record_.units.rows(X, y.astype(np.float64, copy=False))

    def _check_design(self, X):
        check_is_fitted(self)
        with naming_columns(X):
            X = validate_data(
                self, X, dtype=np.float64, reset=False, ensure_min_features=self.n_columns_needed
            )
        return self.record_.units.design(X)

    @overload
    def predict(self, X: ArrayLike, return_std: Literal[False] = False) -> NDArray[np.float64]: ...

    @overload
    def predict(
        self, X: ArrayLike, return_std: Literal[True]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

    @row_wise()
    def predict(
        self, X: ArrayLike, return_std: bool = False
    ) -> NDArray[np.float64] | tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Posterior predictive mean of the response.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        return_std : bool, default=False
            Whether to return the predictive standard deviation too, which includes the uncertainty
            of the coefficients and the noise.

        Returns
        -------
        mean : ndarray of shape (m,)
            In units of y.
        std : ndarray of shape (m,)
            Only with ``return_std=True``; infinite for noise without a variance.
        """
        design, fit = self._check_design(X), self.record_
        mean, sd = fit.model.predictive_moments(fit.theta, design)
        if return_std:
            return fit.units.response(mean), fit.units.y.scale[0] * sd
        return fit.units.response(mean)

    def predict_interval(self, X: ArrayLike, level: float = 0.95) -> NDArray[np.float64]:
        """Central posterior predictive interval of the response of each row.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        level : float in (0, 1), default=0.95
            Probability that the interval holds.

        Returns
        -------
        ndarray of shape (m, 2)
            Lower and upper ends, in units of y.
        """
        check_level(level)
        design = self._check_design(X)
        fit = self.record_
        return fit.units.response(mixture_interval(fit.model.noise.cdf, design, fit.theta, level))

    @row_wise()
    def score_samples(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[np.float64]:
        """Log predictive density of each row, ``log mean_s p(y | x, theta_s)``.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,) or None, default=None
            None gives the expectation over the predictive itself (from at most 256 draws), so that
            tools that know only ``score_samples(X)`` can call it.

        Returns
        -------
        ndarray of shape (m,)
            In nats.
        """
        if y is not None:
            rows, fit = self._check_rows(X, y), self.record_
            return log_predictive(fit.model, fit.theta, rows) - fit.units.log_volume
        design, fit = self._check_design(X), self.record_
        theta = fit.theta[:: max(1, len(fit.theta) // _THINNED)]
        centre, sd = fit.model.predictive_moments(fit.theta, design)
        spread = np.where(np.isfinite(sd), sd, np.exp(theta[:, -1]).mean())

        def log_density(y):
            return log_predictive(fit.model, theta, np.column_stack([design, y]))

        return expected_log_predictive(log_density, centre, spread) - fit.units.log_volume

    def sample_y(
        self,
        X: ArrayLike,
        n_samples: int = 1,
        random_state: int | np.random.RandomState | None = None,
    ) -> NDArray[np.float64]:
        """Draws of the response from the posterior predictive.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        n_samples : int, default=1
            Draws for each row.
        random_state : int, RandomState or None, default=None
            Seed; None draws a fresh one.

        Returns
        -------
        ndarray of shape (m, n_samples)
        """
        check_n_samples(n_samples)
        design, random = self._check_design(X), private_random_state(random_state)
        fit = self.record_
        theta = fit.theta[random.randint(len(fit.theta), size=n_samples)]
        return fit.units.response(fit.model.sample(theta, random, design))

    @row_wise()
    def fod(self, X: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Frequency of Detection of new rows: the share of draws whose audit would flag them.

        It goes by the number of bad rows in the training table: if that was clean, no new row is
        flagged, however far it lies. Look at :meth:`tail_probability` for such rows.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,)

        Returns
        -------
        ndarray of shape (m,)
            Between 0 and 1.
        """
        rows, fit = self._check_rows(X, y), self.record_
        self.epsilon_posterior_  # noqa: B018  raises where the divergence has no epsilon
        return flagged_share(fit.model, fit.theta, fit.threshold, rows)

    @row_wise()
    def tail_probability(self, X: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """How likely a row at least as unlikely is, if it follows the model.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,)

        Returns
        -------
        ndarray of shape (m,)
            The posterior mean over draws. Times the number of rows of a table, it is how many such
            rows chance alone would bring.
        """
        rows, fit = self._check_rows(X, y), self.record_
        return tail_probabilities(fit.model, fit.theta, rows)

    def audit_scores(  # type: ignore[override]  # a regressor needs y
        self, X: ArrayLike, y: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Posterior-mean log density and FoD of rows, from one pass over them.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,)

        Returns
        -------
        log_density, fod : ndarray of shape (m,)
        """
        rows = self._check_rows(X, y)
        self.epsilon_posterior_  # noqa: B018  raises where the divergence has no epsilon
        fit = self.record_
        log_density, fod = mean_log_density(fit.model, fit.theta, rows, fit.threshold)
        return log_density - fit.units.log_volume, fod

    def influence(self, X: ArrayLike, y: ArrayLike) -> Influence:
        """Influence of rows, were they added, on the risk and on the posterior means.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,)

        Returns
        -------
        Influence
        """
        rows = self._check_rows(X, y)
        return influence(self.record_.draws, rows, self.posterior_)
