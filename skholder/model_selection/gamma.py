"""The power gamma that ``gamma="auto"`` would use, without sampling.

The rule itself is in :mod:`skholder.posterior.gamma_path`.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..estimators import OutlierAuditor
from ..estimators.base import HolderBayesEstimator
from ..posterior import GammaPath

__all__ = ["select_gamma"]


def select_gamma(
    estimator: HolderBayesEstimator | OutlierAuditor,
    X: ArrayLike,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> GammaPath:
    """The path along which an estimator with ``gamma="auto"`` chooses its power.

    Parameters and data are validated as in ``fit``; nothing is sampled and ``estimator`` stays as
    it is, whether fitted or not.

    Parameters
    ----------
    estimator : HolderBayesRegressor, HolderBayesDensity or OutlierAuditor
        Its own ``gamma`` is not looked at; every other parameter that matters (model or noise,
        scaling, ``leverage``, ``max_contamination``, ``random_state``) is.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or None, default=None
        The response of a regression.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        A weight of 2 equals the row written twice.

    Returns
    -------
    GammaPath
        With ``best``, the power chosen, and ``to_frame()``. With an integer ``random_state`` it is
        the ``gamma_path_`` of the fit, unless the posterior at that power is vacuous: then the fit
        goes down the path to a smaller one.

    Examples
    --------
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.datasets import make_contaminated_regression
    >>> from skholder.model_selection import select_gamma
    >>> X, y, outliers = make_contaminated_regression(200, random_state=0)
    >>> path = select_gamma(HolderBayesRegressor(random_state=0), X, y)
    >>> bool(0.1 < path.best < 1.5)
    True
    """
    if not isinstance(estimator, HolderBayesEstimator | OutlierAuditor):
        raise TypeError(
            "select_gamma needs a HolderBayesRegressor, HolderBayesDensity or OutlierAuditor, got "
            f"{type(estimator).__name__}. Of a Pipeline pass the last step and the X it gets."
        )
    return estimator.trace_gamma(X, y, sample_weight)
