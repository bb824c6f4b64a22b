"""Named posterior draws, some of them computed only when they are looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

__all__ = ["ColumnMoments", "NamedDraws"]


@dataclass(frozen=True)
class ColumnMoments:
    """Draws of means and standard deviations in the user's units.

    Attributes
    ----------
    mean, sd : ndarray of shape (S, k')
    columns : sequence of int, length k'
        The columns of X they belong to.
    """

    mean: np.ndarray
    sd: np.ndarray
    columns: object


class NamedDraws(Mapping):
    """A read-only mapping of name to draws (S, ...).

    ``covariance`` draws of an elliptical model are made from ``theta`` on demand: with many
    columns they would be far larger than everything else.
    """

    def __init__(self, arrays, covariance=None):
        self._arrays = dict(arrays)
        self._covariance = covariance

    @classmethod
    def elliptical(cls, model, theta, centre, backward):
        """Location and covariance in the user's units."""
        location = centre + theta[:, : model.k] @ backward
        return cls({"location": location}, _Covariance(model, theta, backward))

    def with_alpha(self, alpha):
        """The same draws and those of alpha."""
        return NamedDraws({**self._arrays, "alpha": alpha}, self._covariance)

    def means(self):
        """(name, posterior mean) of everything but alpha."""
        for name, draws in self._arrays.items():
            if name != "alpha":
                yield name, draws.mean(axis=0)
        if self._covariance is not None:
            yield "covariance", self._covariance.mean()

    def __getitem__(self, name):
        if name == "covariance" and self._covariance is not None:
            return self._covariance.draws()
        return self._arrays[name]

    def __iter__(self):
        for name in self._arrays:
            yield name
            if name == "location" and self._covariance is not None:
                yield "covariance"

    def __len__(self):
        return len(self._arrays) + (self._covariance is not None)

    def __repr__(self):
        return f"NamedDraws({', '.join(self)})"


class _Covariance:
    """Covariance draws B' (factor * scatter) B, B the map back to the user's units."""

    def __init__(self, model, theta, backward):
        self.model, self.theta, self.backward = model, theta, backward

    def draws(self):
        return self._convert(self.model.scatter(self.theta))

    def mean(self):
        total = np.zeros((self.model.k, self.model.k))
        for part in np.array_split(self.theta, max(1, len(self.theta) // 500)):
            total += self.model.scatter(part).sum(axis=0)
        return self._convert(total / len(self.theta))

    def _convert(self, scatter):
        factor = self.model.radial.covariance_factor(self.model.k)
        return factor * (self.backward.T @ scatter @ self.backward)
