"""``--fail-above``, ``--probability`` and ``--group``: what they need and what they print."""

from __future__ import annotations

import argparse

from ..audit import Gate
from ..audit.wording import percent, probable
from .streams import say
from .tables import InputError, import_pandas

__all__ = [
    "CLOSED",
    "add_gate",
    "check_gate",
    "exit_code",
    "gate_of",
    "group_labels",
    "group_lines",
    "left_out_for_groups",
]

#: Exit code of an audit whose gate is closed.
CLOSED = 3
# Groups that the text shows at most.
_N_GROUPS = 15
_PROBABILITY = 0.9


def add_gate(parser):
    """Add the three options to the parser of ``skholder audit``."""
    parser.add_argument(
        "--group", metavar="COL", help="say which group of rows, by this column, spoils the table"
    )
    parser.add_argument(
        "--fail-above",
        metavar="SHARE",
        type=_share,
        help="end with exit code 3 if more than this share is outside the model, e.g. 0.05",
    )
    parser.add_argument(
        "--probability",
        metavar="P",
        type=_share,
        help=f"how sure --fail-above must be (default: {_PROBABILITY:g})",
    )


def _share(text):
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0 and 1")
    return value


def check_gate(args):
    """The options as fields of an AuditRequest; an error where they do not go together."""
    if args.probability is not None and args.fail_above is None:
        raise InputError("--probability goes with --fail-above SHARE")
    if args.group is not None and args.group == args.target:
        raise InputError(f"--group: {args.group!r} is the target")
    sure = _PROBABILITY if args.probability is None else args.probability
    return {"group": args.group, "fail_above": args.fail_above, "probability": sure}


def left_out_for_groups(group, columns, exclude):
    """The columns to exclude: those asked for, and the groups' own unless --columns names it.

    A model that knows the groups would explain away what sets a bad one apart.
    """
    wanted = group is None or group in exclude or group in (columns or ())
    return [*exclude, *([] if wanted else [group])]


def group_labels(column, rows, index):
    """The group of each audited row, a pandas Series, or None without groups.

    Parameters
    ----------
    column : Column or None
        The column of the groups.
    rows : ndarray of int, shape (m,)
        Positions in the file.
    index : pandas.Index of length m
    """
    if column is None:
        return None
    labels = [None if column.missing[row] else _label(column, row) for row in rows]
    return import_pandas().Series(labels, index=index, name=column.name, dtype=object)


def _label(column, row):
    # All digits of a number: those of two batches may differ in the last.
    return f"{column.numbers[row]:.15g}" if column.text is None else column.text[row]


def gate_of(request, epsilon):
    """The :class:`Gate` that was asked for, or None."""
    if request.fail_above is None:
        return None
    return Gate.of(epsilon, request.fail_above, request.probability)


def group_lines(groups):
    """What the terminal shows of the report's part about groups: a sentence, and cells of a table.

    Returns
    -------
    sentence : str
    rows : list of tuple of str
        The head first.
    rest : int
        Groups that are not shown.
    """
    rows = [(groups["name"], "rows", "flagged", "share", "2.5%", "97.5%", "above the others")]
    for one in groups["shown"][:_N_GROUPS]:
        share = (percent(one[key]) for key in ("share", "share_low", "share_high"))
        above = "" if one["above_others"] is None else probable(one["above_others"])
        rows.append((one["label"], f"{one['rows']:,}", f"{one['flagged']:,}", *share, above))
    return groups["sentence"], rows, groups["n_groups"] - len(rows) + 1


def exit_code(gate, printed):
    """0, or 3 for a closed gate, which is told on standard error if it was not ``printed``.

    Parameters
    ----------
    gate : dict or None
        The report's part about it.
    printed : bool
    """
    if gate is None or not gate["closed"]:
        return 0
    if not printed:
        say(f"skholder: {gate['sentence']}")
    return CLOSED
