"""The law of residuals, chosen from them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..audit.kept_rows import kept_power
from ..models import NoiseModel, check_noise, noise_of_kurtosis
from ..posterior import efficient_gamma
from .residual_posterior import ResidualPosterior, ResidualTable

__all__ = ["residual_noise"]

# Standard errors between the kurtosis and the one that is taken: a one-sided 95% limit. Outliers
# that overlap the other rows look like tails, so that the kurtosis itself hides them.
_SURE = 1.645
# The power of the fit that looks at tails: outliers that overlap the others look like tails at a
# smaller one, and tails do not show at a larger one.
_POWER = efficient_gamma(1, 0.63)


def residual_noise(
    noise: Any, table: ResidualTable, weight: NDArray[np.float64] | None
) -> NoiseModel:
    """The noise that was asked for; for ``"auto"``, the one whose tails the residuals surely have.

    A normal fit keeps the rows near the middle. The excess kurtosis that its adequacy sees there,
    less 1.645 standard errors, is that of one Student's t.

    Parameters
    ----------
    noise : {"normal", "student_t", "auto"} or object
    table : ResidualTable
    weight : ndarray of shape (n,) or None
    """
    if not (isinstance(noise, str) and noise == "auto"):
        return check_noise(noise)
    with warnings.catch_warnings():
        # Whatever is wrong with the rows, the fit that is kept says it.
        warnings.simplefilter("ignore")
        # The kurtosis is one of the risk minimiser: draws have no part in it. A power chosen from
        # the data would be as large as hides the very tails.
        normal = ResidualPosterior(
            gamma=_POWER,
            leverage="ignore",
            inference="laplace",
            n_draws=4,
            n_ensembles=1,
            random_state=0,
        ).fit_residuals(table, weight)
    tails = [check for check in normal.adequacy_.checks if check.name == "tails"]
    if not tails:
        # No row is kept, and so nothing is known of tails.
        return check_noise("normal")
    kurtosis = tails[0].size - _SURE * tails[0].error
    return noise_of_kurtosis(kurtosis, kept_power(_POWER, 1))
