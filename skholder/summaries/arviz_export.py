"""Posterior draws as ArviZ InferenceData (0.x) or DataTree (1.x); ArviZ is imported lazily."""

from __future__ import annotations

__all__ = ["to_arviz"]


def to_arviz(posterior, n_chains, columns):
    """Convert draws to ArviZ, one chain for each ensemble.

    Parameters
    ----------
    posterior : mapping of str to ndarray of shape (S, ...)
        ``epsilon`` is put beside ``alpha``.
    n_chains : int
    columns : sequence of str
        Names of the columns: coordinates of everything that has one number for each of them.

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
    named = ("column", "other_column")
    dims = {
        name: list(named[: draws.ndim - 2])
        for name, draws in chains.items()
        if draws.ndim > 2 and set(draws.shape[2:]) == {len(columns)}
    }
    coords = {name: list(columns) for name in named}
    used = {dim for each in dims.values() for dim in each}
    labels = {"dims": dims, "coords": {name: coords[name] for name in named if name in used}}
    if int(arviz.__version__.split(".")[0]) >= 1:
        return arviz.from_dict({"posterior": chains}, **labels)
    return arviz.from_dict(posterior=chains, **labels)
