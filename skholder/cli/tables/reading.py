"""The reader of the command, for Python: a file as a data frame to fit on."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .choosing import Wishes
from .columns import InputError, import_pandas
from .design import MAX_LEVELS
from .opening import open_table
from .understanding import understand

__all__ = ["TableReading", "read_table", "sentences"]


@dataclass(frozen=True, repr=False)
class TableReading:
    """A table as it was understood; :func:`read_table` makes it.

    Attributes
    ----------
    X : pandas.DataFrame of shape (n, p)
        The inputs: numbers, nan where a cell is missing, and text as categories. The index is the
        position of each row in the file, from 0, or the index that the file has stored.
    y : pandas.Series of shape (n,), or None
        The target, nan where it is missing.
    ids : pandas.Series of shape (n,), or None
        What the column ``id`` calls the rows, as the file spells it.
    notes : tuple of str
        How cells were read, what was left out and what looks wrong, each in a sentence.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skholder import read_table
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.csv")
    ...     _ = path.write_text("dose;effect\\n0,5;12\\n0,7;15\\n0,9;14\\n")
    ...     table = read_table(path, target="effect")
    >>> table
    TableReading(3 rows, 1 input, target 'effect', 1 note)
    """

    X: Any
    y: Any
    ids: Any
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        n_rows, n_inputs = self.X.shape
        parts = [f"{n_rows:,} rows", f"{n_inputs} input{'s' * (n_inputs != 1)}"]
        if self.y is not None:
            parts.append(f"target {self.y.name!r}")
        parts.append(f"{len(self.notes)} note{'s' * (len(self.notes) != 1)}")
        return f"TableReading({', '.join(parts)})"


def read_table(
    path: str | Path,
    target: str | None = None,
    *,
    id: str | None = None,
    columns: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    decimal: str | None = None,
    missing: Sequence[str] = (),
) -> TableReading:
    """Read a CSV or Parquet file as ``skholder audit`` does, and tell how it was understood.

    Decimal commas, separators of thousands, percent signs and dates become numbers; columns that
    only count or name the rows are left out; codes such as -999 and rows that are there twice are
    pointed out. Every such thing is a note, and nothing is changed without one.

    Parameters
    ----------
    path : str or Path
        A CSV file in UTF-8 with a header line, gzipped or not, or a Parquet file.
    target : str or None, default=None
        The column to explain by the others, which must be numbers. Without one, text columns are
        left out, since densities do not describe them.
    id : str or None, default=None
        The column that names the rows; it is no input.
    columns : sequence of str or None, default=None
        The inputs; None takes all columns that can be one.
    exclude : sequence of str, default=()
        Columns to leave out.
    decimal : {".", ","} or None, default=None
        The decimal mark of cells such as "1,234" in columns that leave it open; None refuses them.
    missing : sequence of str, default=()
        Cells that stand for a missing value, e.g. ``["-999", "?"]``, besides empty ones, "NA",
        "NaN" and the like.

    Returns
    -------
    TableReading
        With ``X``, ``y``, ``ids`` and ``notes``.

    Raises
    ------
    ValueError
        If the table cannot be used: all its problems, each in a line, with what to do.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from skholder import read_table
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.csv")
    ...     _ = path.write_text("who;day;dose;y\\nA;2024-01-01;0,5;12\\nB;2024-01-03;0,7;15\\n")
    ...     table = read_table(path, target="y", id="who")
    >>> print(table.X.to_string())
           day  dose
    0  19723.0   0.5
    1  19725.0   0.7
    >>> table.ids.tolist()
    ['A', 'B']
    >>> print("\\n".join(table.notes))
    Column 'day' is dates, read as numbers of days since 1970-01-01.
    Column 'dose': decimal commas are read as decimal points in 2 cells ('0,5' is 0.5).
    """
    if decimal not in (None, ".", ","):
        raise ValueError(f"decimal must be '.', ',' or None, got {decimal!r}.")
    pd = import_pandas()
    asked = None if columns is None else list(columns)
    wishes = Wishes(target, asked, tuple(exclude), id, decimal, tuple(map(str, missing)))
    try:
        understood = understand(open_table(path), wishes, MAX_LEVELS["trees"])
        understood.check()
    except InputError as error:
        raise InputError(*map(_in_parameters, error.problems)) from None
    table = understood.table
    index = pd.RangeIndex(table.n_rows) if table.labels is None else pd.Index(table.labels)
    inputs = [table.columns[name] for name in understood.inputs]
    X = pd.DataFrame({column.name: _values(column) for column in inputs})
    X.index = index
    y = None if target is None else pd.Series(table.columns[target].numbers, index, name=target)
    ids = None if table.ids is None else pd.Series(table.ids, index, dtype=object, name=id)
    return TableReading(X, y, ids, sentences(map(_in_parameters, understood.notes)))


def _values(column):
    """Numbers as they are, text as categories."""
    if column.text is None:
        return column.numbers
    cells = np.where(column.missing, None, np.asarray(column.text, dtype=object))
    return import_pandas().Categorical(cells)


def _in_parameters(text):
    """Advice about options of the command, as advice about the parameters of :func:`read_table`."""
    # A value ends where the shell's word does; a comma after it is the sentence's.
    word = r"((?:'[^']*'|[^\s;',]|,(?=[^\s]))+)"
    text = re.sub(rf"--(missing=|exclude ){word}", _with_list, text)
    text = re.sub(rf"--id {word}", lambda match: f"id={shlex.split(match[1])[0]!r}", text)
    text = re.sub(r"--decimal ([.,])", r"decimal='\1'", text)
    return re.sub(r"--(target|columns|exclude)\b", r"\1=", text)


def _with_list(match):
    name, values = match[1].rstrip("= "), shlex.split(match[2])[0]
    listed = [values.strip('"')] if values.startswith('"') else values.split(",")
    return f"{name}={listed!r}"


def sentences(texts):
    """The texts that are not empty, with a capital first and a full stop last: tuple of str."""
    return tuple(f"{text[0].upper()}{text[1:]}." for text in texts if text)
