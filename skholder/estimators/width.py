"""How many columns a density may have."""

from __future__ import annotations

__all__ = ["check_width"]

# Columns up to which sampling was seen to be honest (R-hat <= 1.01, ESS >= 400).
_MAX_FULL, _MAX_DIAGONAL, _MAX_LAPLACE = 20, 200, 40


def check_width(k, full, inference):
    """Refuse data too wide to be sampled honestly, naming what to do instead."""
    if inference == "laplace":
        if full and k > _MAX_LAPLACE:
            raise ValueError(
                f"A full covariance of {k} columns is too wide (at most {_MAX_LAPLACE} with "
                "inference='laplace'); use covariance_type='diag'."
            )
    elif full and k > _MAX_FULL:
        raise ValueError(
            f"A full covariance of {k} columns has {k * (k + 3) // 2} parameters, too many to "
            f"sample honestly (at most {_MAX_FULL} columns); use covariance_type='diag' or "
            "inference='laplace'."
        )
    elif k > _MAX_DIAGONAL:
        raise ValueError(
            f"{k} columns are too many to sample honestly (at most {_MAX_DIAGONAL}); use "
            "inference='laplace' with covariance_type='diag'."
        )
