"""Scores for searches on spoiled rows, which need no labels: greater is better.

A scorer is called as ``scorer(estimator, X, y)`` with a fitted estimator and rows it has not seen,
as ``GridSearchCV(..., scoring=scorer)`` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import validate_data

from ..divergences import KullbackLeibler
from ..estimators import ModelAuditor
from ..estimators.unwrapping import unwrap
from ..rows import NORMAL_IQR, row_spans

__all__ = ["HyvarinenScore", "TrimmedLogScore"]

# Draws that the Hyvärinen score averages over, and its step in units of a column's spread.
_N_DRAWS, _STEP = 256, 1e-4


@dataclass(frozen=True)
class TrimmedLogScore:
    """Mean log predictive density of the rows without the worst share of them.

    With m rows, l_(1) <= ... <= l_(m) their sorted log predictive densities and
    j = ceil(m trim), the score is the mean of l_(j+1) ... l_(m), in nats.

    Parameters
    ----------
    trim : "posterior" or float in [0, 1), default="posterior"
        The share left out. ``"posterior"`` is the upper end of the fit's own 95% interval of
        epsilon, ``epsilon_interval_[1]``: at least as many rows as the fit calls outliers. A fit
        that calls more rows outliers is then scored on fewer and easier ones. Where the candidates
        of a search differ much in epsilon, give a number instead, at least as large as the share
        of spoiled rows can be: then all are scored on equally many rows.

    Attributes
    ----------
    trim : "posterior" or float in [0, 1)
        As given.

    Notes
    -----
    With ``trim=0`` it is the mean log predictive density, which spoiled rows dominate. Densities
    are those of the units that the estimator sees: in a Pipeline, candidates that scale X
    differently cannot be compared.

    Examples
    --------
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.datasets import make_contaminated_regression
    >>> from skholder.model_selection import TrimmedLogScore
    >>> X, y, outliers = make_contaminated_regression(200, random_state=0)
    >>> model = HolderBayesRegressor(inference="laplace", random_state=0).fit(X, y)
    >>> TrimmedLogScore(0.3)(model, X, y) > TrimmedLogScore(0.0)(model, X, y)
    True
    """

    trim: str | float = "posterior"

    def __post_init__(self) -> None:
        if self.trim != "posterior" and not (not isinstance(self.trim, str) and 0 <= self.trim < 1):
            raise ValueError(f"trim must be 'posterior' or lie in [0, 1), got {self.trim!r}.")

    def __call__(self, estimator: Any, X: ArrayLike, y: ArrayLike | None = None) -> float:
        """The score of a fitted estimator on rows.

        Parameters
        ----------
        estimator : HolderBayesRegressor, HolderBayesDensity, OutlierAuditor or Pipeline
            Fitted; of a Pipeline the last step is scored.
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,) or None, default=None
            The response of a regression; not used for a density.

        Returns
        -------
        float
        """
        fitted, X = _fit_inside(estimator, X, type(self).__name__, self.trim == "posterior")
        share = fitted.epsilon_interval_[1] if self.trim == "posterior" else self.trim
        rows = (X, _response(y, type(self).__name__)) if is_regressor(fitted) else (X,)
        scores = np.sort(fitted.score_samples(*rows))
        left_out = min(int(np.ceil(share * len(scores))), len(scores) - 1)
        return float(np.mean(scores[left_out:]))


@dataclass(frozen=True)
class HyvarinenScore:
    """Hyvärinen score of the generalised posterior predictive, with its sign turned.

    A row enters the posterior through its loss, whose negative acts as a log density, not
    normalised and flat for far rows::

        l_s(y) = beta ((1 + gamma) a_s^gamma p_s(y)^gamma - gamma a_s^(1 + gamma) C_s)
        a_s = min(1, S_s / C_s)

    (``log p_s(y)`` for ``divergence="kl"``), for draw s of the posterior. With
    q(y) = mean_s exp l_s(y) the score is minus the mean over rows of ::

        2 Laplacian log q + |gradient log q|^2

    which does not depend on the norm of q. Derivatives are by the response of a regression or the
    columns of a density, each in units of its interquartile range / 1.349 among the rows scored.
    They are central differences of ``log p_s``, exact for a normal. For clean rows of a normal
    regression with noise sigma the score tends to the efficiency of gamma over sigma^2,
    ((1 + 2 gamma) / (1 + gamma)^2)^(3/2) / sigma^2; rows far out add nothing to it.

    Notes
    -----
    ``temperature`` is judged too: ``"calibrated"`` is what maximises the score where the model
    holds. Models whose density has jumps, kinks or edges (counts, Laplace, exponential, gamma and
    log-normal columns) have no such score: use :class:`TrimmedLogScore`.

    References
    ----------
    Hyvärinen (2005), "Estimation of non-normalized statistical models by score matching".
    Jewson and Rossell (2022), "General Bayesian loss function selection and the use of improper
    models". Yonekura and Sugasawa (2023), "Adaptation of the tuning parameter in general Bayesian
    inference with robust divergence".

    Examples
    --------
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.datasets import make_contaminated_regression
    >>> from skholder.model_selection import HyvarinenScore
    >>> X, y, outliers = make_contaminated_regression(200, random_state=0)
    >>> model = HolderBayesRegressor(inference="laplace", random_state=0).fit(X, y)
    >>> HyvarinenScore()(model, X, y) > 0
    True
    """

    def __call__(self, estimator: Any, X: ArrayLike, y: ArrayLike | None = None) -> float:
        """The score of a fitted estimator on rows.

        Parameters
        ----------
        estimator : HolderBayesRegressor, HolderBayesDensity, OutlierAuditor or Pipeline
            Fitted; of a Pipeline the last step is scored.
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,) or None, default=None
            The response of a regression; not used for a density.

        Returns
        -------
        float
        """
        name = type(self).__name__
        fitted, X = _fit_inside(estimator, X, name)
        model = fitted.record_.model
        if not model.is_smooth:
            raise ValueError(
                f"{name} needs a density that is smooth everywhere; the fitted one "
                f"({fitted.record_.in_words()}) has jumps, kinks or an edge. Use TrimmedLogScore."
            )
        rows, directions = _rows_and_directions(fitted, X, y, name)
        loss = _RowLoss.of(fitted)
        values = np.empty(len(rows))
        for part in row_spans(len(rows), len(loss.theta)):
            values[part] = loss.hyvarinen(rows[part], directions)
        return -float(np.mean(values))


@dataclass(frozen=True)
class _RowLoss:
    """Minus the loss of a row, ``factor p^gamma - constant``, for each of some draws.

    ``log_factor`` and ``constant`` have shape (S,); gamma is 0 for the log density itself.
    """

    model: Any
    theta: np.ndarray
    gamma: float
    log_factor: np.ndarray
    constant: np.ndarray

    @classmethod
    def of(cls, fitted):
        draws, beta = fitted.record_.draws, fitted.temperature_
        thin = slice(None, None, max(1, len(draws.theta) // _N_DRAWS))
        theta, gamma, model = draws.theta[thin], draws.gamma, draws.model
        if isinstance(draws.divergence, KullbackLeibler):
            nothing = np.zeros(len(theta))
            return cls(model, theta, 0.0, nothing, nothing)
        log_c = model.log_power(theta, gamma)
        log_a = np.minimum(gamma * draws.log_mean[thin] - log_c, 0.0)
        log_factor = np.log(beta * (1 + gamma)) + gamma * log_a
        return cls(
            model, theta, gamma, log_factor, beta * gamma * np.exp((1 + gamma) * log_a + log_c)
        )

    def hyvarinen(self, rows, directions):
        """2 Laplacian log q + |gradient log q|^2 along directions (k, q) at rows (m, q), (m,)."""
        here = self.model.log_density(self.theta, rows)
        slopes, bend = [], 0.0
        for direction in directions:
            up = self.model.log_density(self.theta, rows + _STEP * direction)
            down = self.model.log_density(self.theta, rows - _STEP * direction)
            slopes.append((up - down) / (2 * _STEP))
            bend = bend + (up - 2 * here + down) / _STEP**2
        steep = sum(slope**2 for slope in slopes)
        value, pull = here, 1.0
        if self.gamma > 0:
            value = np.exp(self.log_factor + self.gamma * here)
            pull = self.gamma * value
        # Draws by their share of q at the row.
        share = np.exp(value - self.constant - np.max(value - self.constant, axis=1, keepdims=True))
        share /= share.sum(axis=1, keepdims=True)
        second = np.sum(share * (pull * (bend + self.gamma * steep) + pull**2 * steep), axis=1)
        first = sum(np.sum(share * pull * slope, axis=1) ** 2 for slope in slopes)
        return 2 * second - first


def _fit_inside(estimator, X, caller, need_epsilon=False):
    """The Hölder-Bayes fit inside an estimator, and X as that fit sees it."""
    if isinstance(estimator, Pipeline):
        if len(estimator) > 1:
            X = estimator[:-1].transform(X)
        estimator = estimator[-1]
    inside = unwrap(estimator, caller, need_epsilon=need_epsilon)
    if isinstance(inside.auditor, ModelAuditor):
        raise TypeError(
            f"{caller} scores the log density that a HolderBayesRegressor or HolderBayesDensity "
            f"gives to rows; the {type(estimator).__name__} has a posterior of out-of-fold "
            "residuals. Score its predictions, as with scoring='neg_median_absolute_error'."
        )
    return inside.fitted, X


def _response(y, caller):
    if y is None:
        raise ValueError(f"{caller} of a regression requires y to be passed, but it is None.")
    return y


def _rows_and_directions(fitted, X, y, caller):
    """Rows (m, q) on the computing scale, and a spread of each modelled column there, (k, q)."""
    units = fitted.record_.units
    if not is_regressor(fitted):
        X = validate_data(fitted, X, dtype=np.float64, reset=False)
        return units.apply(X), _spreads(X)[:, None] * units.forward
    X, y = validate_data(
        fitted, X, _response(y, caller), dtype=np.float64, y_numeric=True, reset=False
    )
    rows = units.rows(X, y.astype(np.float64, copy=False))
    direction = np.zeros((1, rows.shape[1]))
    direction[0, -1] = _spreads(y[:, None])[0] / units.y.scale[0]
    return rows, direction


def _spreads(X):
    """Standard deviations of columns as their quartiles tell them; 1 for constant columns."""
    low, high = np.quantile(X, [0.25, 0.75], axis=0)
    spread = np.where(high > low, (high - low) / NORMAL_IQR, X.std(axis=0))
    return np.where(spread > 0, spread, 1.0)
