"""The sums over rows as a series, where that is as good as the sums and cheaper.

A pilot has seen where the posterior lies. On some of the rows the series of each degree is compared
with the sums there; the first that is close enough is made of all rows and compared once more, at
thetas all the way out. It is used as far out as its error, which grows like a power of the
distance, stays below what matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np

from ..rows import Metric, RowSeries, series_sizes

__all__ = ["row_series"]

# Degrees tried, and rows that they are tried on.
_DEGREES, _TRY_ROWS = (3, 4, 5, 7), 1000
# The bulk is this part of the posterior; a series is used for so many times its length at most.
_BULK, _WIDEST = 0.97, 3.0
# Errors of the log posterior allowed in the bulk, and outside of it where draws are rare, in nats.
_ERROR, _OUTER_ERROR = 3e-3, 0.03
# Thetas at which a series is checked, in the bulk and outside.
_CHECKS, _OUTER_CHECKS = 16, 8
# A degree whose error is expected to be this many times too large is not even tried.
_HOPELESS = 8.0
# Rough costs in nanoseconds, measured on one core: a row and theta of the sums, with each feature;
# a pair of monomials, and a monomial, of the series.
_SUM, _FEATURE, _PAIR, _MONOMIAL = 2.0, 0.07, 0.05, 2.0
# A series must cost less than this part of the sums that it replaces.
_WORTH = 0.5
# More rows than this share that are summed one by one leave nothing to gain.
_MOST_FAR = 0.1


def row_series(posterior, fitted, n_evaluations):
    """Sums over rows by a series, or None where the sums themselves are better.

    Parameters
    ----------
    posterior : HolderPosterior
        With ``single`` rows, near the middle of its mass.
    fitted : FittedProposal
        A pilot of it.
    n_evaluations : int
        How many evaluations are to come.

    Returns
    -------
    RowSeries or None
    """
    model, rows, gamma = posterior.model, posterior.rows, posterior.gamma
    if posterior.single is None or not model.has_linear_distance or gamma == 0:
        return None
    if model.kernel_series(np.zeros(1), gamma, 1) is None:
        return None
    metric = Metric.of(model, rows, gamma, fitted.proposal.best.mean)
    if metric is None:
        return None
    checks = _checks(fitted, metric.steps(model, fitted.theta, gamma)[1])
    few = rows.subsample(_TRY_ROWS)
    for degree in _DEGREES:
        if not _is_worth(len(metric.coef), degree, len(rows), n_evaluations):
            return None
        if _remainder(checks.bulk, degree) * rows.total_weight > _HOPELESS * _ERROR:
            continue

        def series_of(rows, degree=degree):
            return RowSeries(model, rows, gamma, metric, degree, checks.bulk)

        if checks.reach(posterior, series_of(few), few, degree) is None:
            continue
        series = series_of(rows)
        if series.n_far > _MOST_FAR * len(rows):
            return None
        radius = checks.reach(posterior, series, rows, degree)
        return None if radius is None else series.within(radius, posterior.single)
    return None


def _is_worth(n_features, degree, n_rows, n_evaluations):
    left, right = series_sizes(n_features, degree)
    series = _PAIR * left * right + _MONOMIAL * right
    one_by_one = _SUM + _FEATURE * n_features
    return series * (n_rows + n_evaluations) < _WORTH * one_by_one * n_rows * n_evaluations


def _remainder(length, degree):
    """What a series leaves out of a row, roughly: the next term of exp at a normal f . eta."""
    order = degree + 1
    return (
        length**order * (2.0 if order % 2 else np.prod(np.arange(1.0, order, 2))) / factorial(order)
    )


@dataclass(frozen=True)
class _Checks:
    """Thetas of a pilot at which series are compared with sums.

    Attributes
    ----------
    theta : ndarray of shape (T, d)
    length : ndarray of shape (T,)
    bulk : float
        The length within which nearly all of the posterior lies.
    """

    theta: np.ndarray
    length: np.ndarray
    bulk: float

    def reach(self, posterior, series, rows, degree):
        """How far a series of these rows may be used; None if that is not all of the bulk."""
        model, gamma = posterior.model, posterior.gamma
        values = [
            posterior.log_likelihood(self.theta, rows.log_mean(model, self.theta, gamma, sums))
            for sums in (None, series)
        ]
        # Errors grow like this power of the length.
        rate = np.abs(values[0] - values[1]) / self.length ** (degree + 1)
        if not np.max(rate) * self.bulk ** (degree + 1) < _ERROR:
            return None
        return min(
            (_OUTER_ERROR / max(np.max(rate), 1e-300)) ** (1 / (degree + 1)), _WIDEST * self.bulk
        )


def _checks(fitted, length):
    """Thetas spread over the outer half of the pilot's mass, and some of those further out."""
    order = np.argsort(length, kind="stable")
    mass = np.cumsum(fitted.share[order])
    last = np.searchsorted(mass, _BULK * mass[-1])
    bulk = length[order[last]]
    end = np.searchsorted(length[order], _WIDEST * bulk, side="right") - 1
    spots = np.append(np.linspace(last / 2, last, _CHECKS), np.linspace(last, end, _OUTER_CHECKS))
    chosen = order[np.unique(spots.astype(int))]
    return _Checks(fitted.theta[chosen], length[chosen], float(bulk))
