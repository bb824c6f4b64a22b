"""How many columns a density may have, and which covariance suits how many."""

from __future__ import annotations

import numpy as np

__all__ = ["check_power", "check_width", "covariance_for"]

# Columns up to which sampling was seen to be honest (R-hat <= 1.01, ESS >= 400).
_MAX_FULL, _MAX_DIAGONAL, _MAX_LAPLACE = 20, 200, 40
# Up to so many columns, or with so many rows for each parameter, a full covariance is worth its
# price: with fewer rows its fit is a small core of the rows, and sampling it is slow.
_ALWAYS_FULL, _ROWS_PER_PARAMETER = 6, 5
# Columns up to which a fit along principal axes was tried.
_MAX_SPECTRAL = 1000
# Powers times columns up to which a density of standardised columns to that power is a float.
_MAX_POWER = 400


def covariance_for(covariance_type, X, weight):
    """What ``"auto"`` stands for: full where few columns and many rows afford it, else spectral.

    Parameters
    ----------
    covariance_type : str
    X : ndarray of shape (n, p)
        Constant columns do not count.
    weight : ndarray of shape (n,) or None

    Returns
    -------
    {"full", "spectral", "diag"}
    """
    if covariance_type != "auto":
        return covariance_type
    # Not their difference, which may be beyond double precision.
    k = int(np.sum(np.max(X, axis=0) > np.min(X, axis=0)))
    n_rows = len(X) if weight is None else weight.sum()
    enough = k <= _ALWAYS_FULL or n_rows >= _ROWS_PER_PARAMETER * k * (k + 3) / 2
    return "full" if k <= _MAX_FULL and enough else "spectral"


def check_width(k, scaling, inference):
    """Refuse data too wide to be sampled honestly, naming what to do instead.

    Parameters
    ----------
    k : int
        Independent columns.
    scaling : str
        How they came to the computing scale; see :class:`.whitening.Whitening`.
    inference : {"mcmc", "laplace"}
    """
    is_laplace = inference == "laplace"
    if scaling == "full" and k > (_MAX_LAPLACE if is_laplace else _MAX_FULL):
        quick = "" if is_laplace or k > _MAX_LAPLACE else " or inference='laplace'"
        raise ValueError(
            f"A full covariance of {k} columns has {k * (k + 3) // 2} parameters, too many to "
            f"sample honestly (at most {_MAX_FULL} columns, {_MAX_LAPLACE} with "
            f"inference='laplace'); use covariance_type='spectral'{quick}."
        )
    if scaling == "spectral" and k > _MAX_SPECTRAL:
        raise ValueError(
            f"{k} columns are too many for one density (at most {_MAX_SPECTRAL}); choose some, or "
            "reduce them first, e.g. with sklearn.decomposition.PCA."
        )
    if scaling not in ("full", "spectral") and not is_laplace and k > _MAX_DIAGONAL:
        raise ValueError(
            f"{k} columns are too many to sample honestly (at most {_MAX_DIAGONAL}); use "
            "inference='laplace', or covariance_type='spectral' for a normal or a Student-t."
        )


def check_power(k, gamma):
    """Refuse a power whose density of k columns no float holds; names choose by themselves."""
    if not isinstance(gamma, str) and gamma * k > _MAX_POWER:
        raise ValueError(
            f"gamma={gamma:g} is too large for a density of {k} columns: it may be at most "
            f"{_MAX_POWER} / {k} = {_MAX_POWER / k:.3g}. Use gamma='auto'."
        )
