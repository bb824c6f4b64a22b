"""Which columns a table has, as far as it says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

__all__ = ["Columns", "listed_names"]


@dataclass(frozen=True)
class Columns:
    """The columns of X.

    Attributes
    ----------
    size : int
        How many.
    names : tuple or None
        Their names; None where nobody says.
    """

    size: int
    names: tuple[Any, ...] | None = None

    @classmethod
    def named(cls, names: Iterable[Any]) -> Columns:
        """Columns of these names."""
        names = tuple(names)
        return cls(len(names), names)

    def check_as(self, others: Columns, here: str, there: str) -> None:
        """Refuse columns that are not the others: so many, and of their names where both have some.

        Parameters
        ----------
        others : Columns
        here, there : str
            What to call the owner of these columns, and that of the others.

        Raises
        ------
        ValueError
        """
        if self.size != others.size:
            raise ValueError(f"{here} has {self.size} columns, {there} has {others.size}.")
        if self.names is None or others.names is None:
            return
        for number, (name, other) in enumerate(zip(self.names, others.names, strict=True)):
            if name != other:
                raise ValueError(
                    f"Column {number} of {here} is {name!r}, that of {there} is {other!r}: give "
                    "the same columns in the same order."
                )


def listed_names(X: Any) -> list[Any]:
    """Names of the columns of a pandas, polars or pyarrow table, in order; empty for what has none.

    Parameters
    ----------
    X : object
    """
    # Asked of the class: a frame has its columns as attributes too, whatever they are called.
    # The ``columns`` of a pyarrow table are arrays.
    return list(X.column_names if hasattr(type(X), "column_names") else getattr(X, "columns", ()))
