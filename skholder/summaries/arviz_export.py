"""Posterior draws as ArviZ InferenceData (0.x) or DataTree (1.x); ArviZ is imported lazily."""

from __future__ import annotations

__all__ = ["to_arviz"]


def to_arviz(posterior, n_chains):
    """Convert draws (S, ...) of each parameter to ArviZ, one chain for each ensemble."""
    try:
        import arviz
    except ImportError as error:
        raise ImportError("to_arviz() needs ArviZ: pip install 'skholder[all]'.") from error
    chains = {
        name: draws.reshape(n_chains, -1, *draws.shape[1:]) for name, draws in posterior.items()
    }
    if int(arviz.__version__.split(".")[0]) >= 1:
        return arviz.from_dict({"posterior": chains})
    return arviz.from_dict(posterior=chains)
