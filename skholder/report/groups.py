"""The report's part about groups of rows, as plain types, and the table that shows it."""

from __future__ import annotations

from ..audit import share_groups
from ..audit.wording import percent
from .filters import shortened
from .tables import Column, Table

__all__ = ["groups_in_full", "groups_table"]

# What a page shows at most.
_MAX_GROUPS, _MAX_NAMED = 100, 3
# A group whose share is above that of the others with more than this probability stands out.
_SURE = 0.95


def groups_in_full(audit, groups, level=0.95):
    """What a report says about groups of rows; None without groups.

    Parameters
    ----------
    audit : Audit
    groups : array-like of shape (n,) or None
    level : float, default=0.95

    Returns
    -------
    dict or None
        ``name``, ``n_groups``, ``level``, ``sentence``, and ``shown``: a dict for each group, the
        worst first.
    """
    if groups is None:
        return None
    found = share_groups(audit, groups, level)
    columns = {name: values.tolist() for name, values in found.columns().items()}
    cells = zip(*columns.values(), strict=True)
    every = [
        {
            "label": str(label),
            **{name: _known(cell) for name, cell in zip(columns, row, strict=True)},
        }
        for label, row in zip(found.labels, cells, strict=True)
    ]
    return {
        "name": found.name,
        "n_groups": len(every),
        "level": found.level,
        "sentence": _sentence(found.name, every, found.level),
        "shown": every[:_MAX_GROUPS],
    }


def _known(cell):
    return None if cell != cell else cell


def _sentence(name, every, level):
    """Which groups stand out, in words."""
    loud = [one for one in every if (one["above_others"] or 0.0) > _SURE]
    if len(every) == 1:
        return f"By {shortened(name)}: there is one group only."
    if not loud:
        return f"By {shortened(name)}: none of the {len(every):,} groups stands out."
    told = [
        f"{shortened(one['label'])} with a share of {percent(one['share'])} outside the model "
        f"({level:.0%} between {percent(one['share_low'])} and {percent(one['share_high'])})"
        for one in loud[:_MAX_NAMED]
    ]
    rest = len(loud) - len(told)
    more = f" and {rest:,} more" if rest else ""
    return f"By {shortened(name)}: above the others {'is' if len(loud) == 1 else 'are'} " + (
        f"{', '.join(told)}{more}."
    )


def groups_table(data):
    """The :class:`~skholder.report.tables.Table` of the groups; None without groups."""
    found = data["groups"]
    if found is None:
        return None
    shown, total = len(found["shown"]), found["n_groups"]
    caption = f"Groups by {shortened(found['name'])}, the worst first"
    if shown < total:
        caption += f": {shown:,} of {total:,}"
    note = (
        "Outside: how many of the group's rows are outside the model. Share: that in the "
        "population the group comes from. Shares are partially pooled: a small group leans on the "
        "others and has a wide interval. Above the others: the probability that a group's share is "
        "above that of all other groups together."
    )
    columns = (
        Column(shortened(found["name"]), "text", "name"),
        Column("Rows"),
        Column("Flagged", css="number wide"),
        Column("Outside", css="number wide"),
        Column(f"Share, {found['level']:.0%}"),
        Column("Above the others"),
    )
    return Table("Which group spoils the table", note, f"{caption}.", columns)
