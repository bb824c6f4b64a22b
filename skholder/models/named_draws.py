"""Named posterior draws, some of them computed only when they are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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

    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    columns: Sequence[int]


class NamedDraws(Mapping[str, NDArray[np.float64]]):
    """A read-only mapping of name to draws (S, ...).

    ``covariance`` draws of an elliptical model are made from ``theta`` on demand: with many
    columns they would be far larger than everything else.
    """

    def __init__(
        self, arrays: Mapping[str, NDArray[np.float64]], covariance: Any | None = None
    ) -> None:
        self._arrays = dict(arrays)
        self._covariance = covariance

    @classmethod
    def elliptical(
        cls,
        model: Any,
        theta: NDArray[np.float64],
        centre: NDArray[np.float64],
        backward: NDArray[np.float64],
    ) -> NamedDraws:
        """Location and covariance in the user's units."""
        location = centre + theta[:, : model.k] @ backward
        return cls({"location": location}, _Covariance(model, theta, backward))

    def with_alpha(self, alpha: NDArray[np.float64]) -> NamedDraws:
        """The same draws and those of alpha."""
        return NamedDraws({**self._arrays, "alpha": alpha}, self._covariance)

    def means(self) -> Iterator[tuple[str, Any]]:
        """(name, posterior mean) of everything but alpha."""
        for name, draws in self._arrays.items():
            if name != "alpha":
                yield name, draws.mean(axis=0)
        if self._covariance is not None:
            yield "covariance", self._covariance.mean()

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name == "covariance" and self._covariance is not None:
            return self._covariance.draws()
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        for name in self._arrays:
            yield name
            if name == "location" and self._covariance is not None:
                yield "covariance"

    def __len__(self) -> int:
        return len(self._arrays) + (self._covariance is not None)

    def __repr__(self) -> str:
        return f"NamedDraws({', '.join(self)})"


class _Covariance:
    """Covariance draws B' (factor * scatter) B, B the map back to the user's units."""

    def __init__(self, model, theta, backward):
        self.model, self.theta, self.backward = model, theta, backward

    def draws(self):
        return self._convert(self.model.scatter(self.theta))

    def mean(self):
        return self._convert(self.model.mean_scatter(self.theta))

    def _convert(self, scatter):
        factor = self.model.radial.covariance_factor(self.model.k)
        return factor * (self.backward.T @ scatter @ self.backward)
