"""A gate: is the share of rows outside the model too large, with enough probability?"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .wording import probable

__all__ = ["Gate", "check_limits"]


@dataclass(frozen=True)
class Gate:
    """A limit for the share outside the model, and what a posterior says about it.

    Attributes
    ----------
    above : float in [0, 1)
        The share, epsilon, that must not be exceeded.
    probability : float in (0, 1)
        The gate is closed when P(epsilon > above) exceeds this.
    found : float
        P(epsilon > above), from the posterior.

    Examples
    --------
    >>> import numpy as np
    >>> from skholder.audit import Gate
    >>> print(Gate.of(np.linspace(0.10, 0.14, 200), above=0.05, probability=0.9))
    Gate closed: the probability that the share outside the model is above 5% is over 99.9%; ...
    """

    above: float
    probability: float
    found: float

    @classmethod
    def of(cls, epsilon: ArrayLike, above: float = 0.05, probability: float = 0.9) -> Gate:
        """From draws of epsilon.

        Parameters
        ----------
        epsilon : array-like of shape (S,)
        above : float in [0, 1), default=0.05
        probability : float in (0, 1), default=0.9

        Returns
        -------
        Gate
        """
        check_limits(above, probability)
        found = float(np.mean(np.asarray(epsilon, dtype=float) > above))
        return cls(float(above), float(probability), found)

    @property
    def is_closed(self) -> bool:
        """Whether the share is too large."""
        return self.found > self.probability

    def __str__(self) -> str:
        return (
            f"Gate {'closed' if self.is_closed else 'open'}: the probability that the share "
            f"outside the model is above {100 * self.above:g}% is {probable(self.found)}; at most "
            f"{100 * self.probability:g}% is allowed."
        )


def check_limits(above: Any, probability: Any) -> None:
    """Raise ValueError for a gate that cannot be; before a fit, not after it.

    Parameters
    ----------
    above, probability : float
    """
    if not (isinstance(above, Real) and 0 <= float(above) < 1):
        raise ValueError(f"above must be a share in [0, 1), got {above!r}.")
    if not (isinstance(probability, Real) and 0 < float(probability) < 1):
        raise ValueError(f"probability must lie in (0, 1), got {probability!r}.")
