"""Posterior draws as ArviZ InferenceData (0.x) or DataTree (1.x); ArviZ is imported lazily."""

from __future__ import annotations

import numpy as np

__all__ = ["to_arviz"]


def to_arviz(posterior, n_chains, columns, kept):
    """Convert draws to ArviZ, one chain for each ensemble.

    Parameters
    ----------
    posterior : mapping of str to ndarray of shape (S, ...)
        ``epsilon`` is put beside ``alpha``.
    n_chains : int
    columns : sequence of str
        Names of the columns: coordinates of everything that has one number for each of them.
    kept : sequence of str
        Names of the columns that the model uses, where it leaves out some without any spread.

    Returns
    -------
    arviz.InferenceData or xarray.DataTree
    """
    try:
        import arviz
    except ImportError as error:
        raise ImportError("to_arviz() needs ArviZ: pip install 'skholder[all]'.") from error
    chains = {
        name: draws.reshape(n_chains, -1, *draws.shape[1:]) for name, draws in posterior.items()
    }
    if "alpha" in chains:
        chains["epsilon"] = 1 - chains["alpha"]
    n_draws = min((draws.shape[1] for draws in chains.values()), default=n_chains)
    if n_draws < n_chains:
        # ArviZ takes fewer draws than chains for a mistake: it gets more, and gives them back.
        longer = {name: _lengthened(draws, n_chains) for name, draws in chains.items()}
        return _converted(arviz, longer, columns, kept).isel(draw=slice(n_draws))
    return _converted(arviz, chains, columns, kept)


def _lengthened(draws, length):
    """Draws (n_chains, n, ...) with the last ones repeated, (n_chains, length, ...)."""
    return np.take(draws, np.minimum(np.arange(length), draws.shape[1] - 1), axis=1)


def _converted(arviz, chains, columns, kept):
    """ArviZ data of draws (n_chains, n_draws, ...) by name."""
    coords = {"column": list(columns), "other_column": list(columns), "kept_column": list(kept)}
    dims = {name: _dims(draws.shape[2:], coords) for name, draws in chains.items()}
    used = {dim for each in dims.values() for dim in each}
    labels = {
        "dims": {name: each for name, each in dims.items() if each},
        "coords": {dim: names for dim, names in coords.items() if dim in used},
    }
    if int(arviz.__version__.split(".")[0]) >= 1:
        return arviz.from_dict({"posterior": chains}, **labels)
    return arviz.from_dict(posterior=chains, **labels)


def _dims(shape, coords):
    """Names of the dimensions of one draw; none where its numbers do not belong to columns."""
    if set(shape) == {len(coords["column"])}:
        return ["column", "other_column"][: len(shape)]
    return ["kept_column"] if shape == (len(coords["kept_column"]),) else []
