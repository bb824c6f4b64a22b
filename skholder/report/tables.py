"""What the two tables of a report say: the rows, and the estimates."""

from __future__ import annotations

from dataclasses import dataclass

from ..audit.wording import number
from .filters import shortened

__all__ = ["Column", "Dial", "Table", "dial", "estimates_table", "rows_table"]

# Half the width of the picture of a shift, in posterior standard deviations.
_REACH = 10.0
# Half the width of a 95% interval, in the same.
_INTERVAL = 1.96


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    title : str
    sort : {"number", "text"} or None
    css : str
        ``wide`` is left out on a phone.
    state : str
        ``aria-sort`` of the order the page comes in.
    """

    title: str
    sort: str | None = "number"
    css: str = "number"
    state: str = "none"


@dataclass(frozen=True)
class Table:
    """What stands around the cells of a table.

    Attributes
    ----------
    heading, note, caption : str
        Above the section, above the table and at its top.
    columns : tuple of Column
    """

    heading: str
    note: str
    caption: str
    columns: tuple[Column, ...]


_REGRESSION = (
    Column("Observed", css="number wide"),
    Column("Predicted", css="number wide"),
    Column("Residual, sd", css="number wide"),
    Column("Leverage", css="number wide"),
    Column("Why", "text", ""),
)
_DENSITY = (
    Column("Log density", css="number wide"),
    Column("Worst column", "text", "wide"),
    Column("Off by, sd", css="number wide"),
    Column("Why", "text", ""),
)


def rows_table(data):
    """The :class:`Table` of the most suspicious rows."""
    columns = (
        Column("#", css="number wide"),
        Column("Row", "text", "name"),
        Column("FoD", css="number wide"),
        Column("Expected by chance", css="number told"),
        *(_REGRESSION if data["kind"] == "regression" else _DENSITY),
    )
    heading = "The most suspicious rows" if data["rows"]["n_flagged"] else "The least likely rows"
    return Table(heading, _rows_note(data["rows"]), _rows_caption(data), columns)


def _rows_note(rows):
    shown, flagged, n = len(rows["shown"]), rows["n_flagged"], rows["n_rows"]
    if flagged > shown:
        return (
            f"The {shown:,} worst of {flagged:,} flagged rows, so that the page stays small; "
            "Audit.to_frame() has all of them."
        )
    if flagged == shown:
        return f"All {flagged:,} flagged rows, worst first."
    if flagged == 0:
        return f"No row is flagged. The {shown:,} least likely of {n:,} rows, for comparison."
    return f"All {flagged:,} flagged rows, and the next ones up to {shown:,} for comparison."


def _rows_caption(data):
    if data["kind"] == "regression":
        target = shortened(data["data"]["target"])
        told = f"{target} as observed and as predicted, in its own units"
    else:
        told = "The columns that cost each row most, in their own units"
    clean = f"{number(data['data']['total_weight'])} clean ones"
    return f"{told}; rows as unlikely are expected by chance among {clean}."


def estimates_table(data):
    """The :class:`Table` of the estimates."""
    found = data["estimates"]
    columns = [Column("Parameter", "text", ""), Column("Robust, 95%")]
    heading = "Estimates"
    if found["plain_name"] is not None:
        columns += [
            Column(found["plain_name"]),
            Column("Shift, sd"),
            Column("In the interval?", None, "wide"),
        ]
        other = "least squares" if data["kind"] == "regression" else "all rows"
        heading = f"Robust estimates against {other}"
    return Table(heading, _estimates_note(data), _estimates_caption(found), tuple(columns))


def _estimates_note(data):
    if data["estimates"]["plain_name"] is None:
        return "Posterior means and intervals of the model's own parameters, on its scale."
    trusting = "Least squares trusts every row."
    if data["kind"] == "density":
        trusting = "Beside them the plain means and standard deviations, which trust every row."
    return (
        f"{trusting} A shift of several posterior standard deviations is what the flagged rows "
        "would do to the result."
    )


def _estimates_caption(found):
    shown, total = len(found["shown"]), found["n_estimates"]
    if shown < total:
        return f"The {shown:,} of {total:,} parameters that moved most, in their own units."
    return "Posterior means with 95% intervals, in their own units."


@dataclass(frozen=True)
class Dial:
    """Where the plain estimate lies around the robust interval, on a line from -1 to 1.

    Attributes
    ----------
    place : float
        Of the plain estimate; one farther out is at the end.
    half : float
        Half the width of the robust interval, which lies around 0.
    inside : bool
        Whether the interval holds the plain estimate.
    """

    place: float
    half: float
    inside: bool


def dial(shift):
    """The :class:`Dial` of a shift in posterior standard deviations."""
    place = min(max(shift / _REACH, -1.0), 1.0)
    return Dial(place, _INTERVAL / _REACH, abs(shift) <= _INTERVAL)
