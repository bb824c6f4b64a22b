"""Row labels of records, stored as plain values."""

from __future__ import annotations

from typing import Any

__all__ = ["StoredLabels"]


class StoredLabels:
    """A record with an ``index`` that can be stored without the inner objects of pandas.

    Labels that are numbers or text are stored as such, so that skops takes the record too. Others,
    such as times or labels of several levels, are stored as pandas does it, which pickle takes.
    """

    index: Any

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "index": _as_values(self.index)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({**state, "index": _as_index(state["index"])})


def _as_values(index):
    """A dict from which :func:`_as_index` makes the same index again, or what was given."""
    if index is None or not isinstance(index.name, str | None):
        return index
    kind, dtype = type(index).__name__, str(index.dtype)
    if kind == "RangeIndex":
        return {"range": [index.start, index.stop, index.step], "name": index.name}
    if kind != "Index":
        return index
    labels = index.tolist()
    if all(type(label) is str for label in labels) or dtype in ("int64", "float64", "bool"):
        return {"labels": labels, "dtype": dtype, "name": index.name}
    return index


def _as_index(stored):
    """The index again."""
    if not isinstance(stored, dict):
        return stored
    import pandas as pd

    if "range" in stored:
        return pd.RangeIndex(*stored["range"], name=stored["name"])
    return pd.Index(stored["labels"], dtype=stored["dtype"], name=stored["name"])
