"""Two audits side by side: which rows changed sides, and did the share outside the model change?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .audit_set import Audit
from .wording import percent, probable

__all__ = ["AuditComparison", "compare"]

# From this probability on a change of epsilon is told as one.
_SURE = 0.95
# Quantiles of each posterior whose differences are taken, all with all.
_N_QUANTILES = 1000
_LISTED = 5


@dataclass(frozen=True, repr=False)
class AuditComparison:
    """What changed from audit a to audit b.

    Print it for the sentences; :meth:`to_frame` has the rows.

    Attributes
    ----------
    labels : tuple
        What the matched rows are called.
    positions_a, positions_b : ndarray of int, shape (m,)
        Where the matched rows are in each audit.
    only_a, only_b : tuple
        Rows that the other audit does not have.
    newly_flagged, no_longer_flagged : tuple
        Matched rows that changed sides, the most suspicious first.
    epsilon : (float, float)
        Posterior means of the share outside the model in a and in b.
    difference_interval : (float, float)
        Central 95% interval of the share in b minus that in a.
    rise_probability, fall_probability : float
        P(epsilon of b > epsilon of a), and the reverse; both may be small, as of two tables that
        are clean.
    audits : (Audit, Audit)
    """

    labels: tuple[Any, ...]
    positions_a: NDArray[np.intp]
    positions_b: NDArray[np.intp]
    only_a: tuple[Any, ...]
    only_b: tuple[Any, ...]
    newly_flagged: tuple[Any, ...]
    no_longer_flagged: tuple[Any, ...]
    epsilon: tuple[float, float]
    difference_interval: tuple[float, float]
    rise_probability: float
    fall_probability: float
    audits: tuple[Audit, Audit]

    def __str__(self) -> str:
        return f"{self._rows_in_words()} {self._share_in_words()}"

    __repr__ = __str__

    def _rows_in_words(self):
        matched = f"{len(self.labels):,} rows in both audits"
        new, gone = self.newly_flagged, self.no_longer_flagged
        parts = [f"Of {matched} none changed sides"]
        if new or gone:
            parts = [f"Of {matched} {len(new) + len(gone):,} changed sides"]
            parts += [f"newly flagged: {_listed(new)}"] if new else []
            parts += [f"no longer flagged: {_listed(gone)}"] if gone else []
        for which, rows in (("first", self.only_a), ("second", self.only_b)):
            parts += [f"{len(rows):,} only in the {which}"] if rows else []
        return "; ".join(parts) + "."

    def _share_in_words(self):
        before, after = self.epsilon
        low, high = (f"{100 * end:+.1f}" for end in self.difference_interval)
        shares = f"{percent(before)} to {percent(after)}"
        if self.rise_probability >= _SURE:
            told = f"rose from {shares} (probability {probable(self.rise_probability)})"
        elif self.fall_probability >= _SURE:
            told = f"fell from {shares} (probability {probable(self.fall_probability)})"
        else:
            told = (
                f"did not clearly change, {shares} (probability of a rise "
                f"{probable(self.rise_probability)}, of a fall {probable(self.fall_probability)})"
            )
        return f"The share outside the model {told}; 95% between {low} and {high} points."

    def to_frame(self) -> Any:
        """A data frame of the matched rows, those that changed most first.

        Its columns are ``change`` ("flagged", "cleared" or ""), ``flagged_a``, ``flagged_b``,
        ``fod_a`` and ``fod_b``, ``row_a`` and ``row_b`` (positions).

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            The latter where both audits are of polars tables.
        """
        a, b = self.audits
        before, after = a.mask[self.positions_a], b.mask[self.positions_b]
        fod = a.fod[self.positions_a], b.fod[self.positions_b]
        order = np.lexsort((-np.abs(fod[1] - fod[0]), before == after))
        change = np.where(before == after, "", np.where(after, "flagged", "cleared"))
        columns = {
            "change": change[order],
            "flagged_a": before[order],
            "flagged_b": after[order],
            "fod_a": fod[0][order],
            "fod_b": fod[1][order],
            "row_a": self.positions_a[order],
            "row_b": self.positions_b[order],
        }
        names = [self.labels[spot] for spot in order]
        if a.library == b.library == "polars":
            import polars

            return polars.DataFrame({"row": names, **columns})
        import pandas as pd

        return pd.DataFrame(columns, index=pd.Index(names, tupleize_cols=False))


def compare(
    audit_a: Audit, audit_b: Audit, *, ids: tuple[Any, Any] | None = None
) -> AuditComparison:
    """Which rows changed sides between two audits, and whether epsilon changed.

    Two releases of a table, or two models of one. Rows are matched by ``ids``, else by the index
    of the data frames, else by position. The two posteriors are taken as independent: for two
    audits of the same rows the probability is then closer to one half than it should be.

    Parameters
    ----------
    audit_a, audit_b : Audit
        Of fits with a posterior of epsilon.
    ids : pair of array-like, or None, default=None
        Names of the rows of each audit, in the order of its rows; no name twice.

    Returns
    -------
    AuditComparison

    Raises
    ------
    ValueError
        If the rows cannot be matched.

    Examples
    --------
    >>> from skholder import HolderBayesRegressor, compare
    >>> from skholder.datasets import make_contaminated_regression
    >>> X, y, outliers = make_contaminated_regression(200, contamination=0.05, random_state=0)
    >>> model = HolderBayesRegressor(inference="laplace", random_state=0)
    >>> before = model.fit(X, y).audit()
    >>> y[100:130] += 12
    >>> change = compare(before, model.fit(X, y).audit())
    >>> len(change.newly_flagged) > 20
    True
    >>> change.rise_probability > 0.95
    True
    """
    epsilon = [_draws(audit) for audit in (audit_a, audit_b)]
    names = _names(audit_a, audit_b, ids)
    places = [_places(own, which) for own, which in zip(names, ("first", "second"), strict=True)]
    labels = [label for label in places[0] if label in places[1]]
    if not labels:
        raise ValueError(
            "The two audits have no row name in common. Pass ids=(ids_a, ids_b), the names of "
            "each audit's rows, or give both tables the same index."
        )
    a, b = (np.array([place[label] for label in labels], dtype=int) for place in places)
    before, after = audit_a.mask[a], audit_b.mask[b]
    rise, fall, interval = _change(*epsilon)
    return AuditComparison(
        labels=tuple(labels),
        positions_a=a,
        positions_b=b,
        only_a=tuple(label for label in places[0] if label not in places[1]),
        only_b=tuple(label for label in places[1] if label not in places[0]),
        newly_flagged=_worst(labels, ~before & after, audit_b, b),
        no_longer_flagged=_worst(labels, before & ~after, audit_a, a),
        epsilon=(float(np.mean(epsilon[0])), float(np.mean(epsilon[1]))),
        difference_interval=interval,
        rise_probability=rise,
        fall_probability=fall,
        audits=(audit_a, audit_b),
    )


def _draws(audit):
    if not isinstance(audit, Audit):
        raise TypeError(f"compare needs two Audits, got {type(audit).__name__}; see audit().")
    return audit.posterior_of_epsilon()


def _names(audit_a, audit_b, ids):
    """The names of each audit's rows."""
    sizes = len(audit_a.mask), len(audit_b.mask)
    if ids is not None:
        given = [np.asarray(own, dtype=object) for own in ids]
        if len(given) != 2 or tuple(map(np.shape, given)) != tuple((size,) for size in sizes):
            raise ValueError(
                f"ids must be two arrays of {sizes[0]:,} and {sizes[1]:,} names, one for each row."
            )
        return [own.tolist() for own in given]
    if audit_a.index is not None and audit_b.index is not None:
        return [audit_a.index.tolist(), audit_b.index.tolist()]
    if sizes[0] != sizes[1]:
        raise ValueError(
            f"Audits of {sizes[0]:,} and {sizes[1]:,} rows cannot be matched by position. Pass "
            "ids=(ids_a, ids_b), the names of each audit's rows, or fit data frames with an index."
        )
    return [range(size) for size in sizes]


def _places(names, which):
    places = {name: spot for spot, name in enumerate(names)}
    if len(places) < len(names):
        seen: set[Any] = set()
        twice = next(name for name in names if name in seen or seen.add(name))
        raise ValueError(
            f"The {which} audit has row {twice!r} more than once, so that rows cannot be matched. "
            "Pass ids=(ids_a, ids_b) with a name for each row."
        )
    return places


def _worst(labels, chosen, audit, positions):
    """The labels of the chosen matched rows, in the audit's order."""
    rank = np.empty(len(audit.order), dtype=int)
    rank[audit.order] = np.arange(len(rank))
    spots = np.flatnonzero(chosen)
    return tuple(labels[spot] for spot in spots[np.argsort(rank[positions[spots]])])


def _change(before, after):
    """P(after > before), P(after < before) over all pairs of draws, and the 95% interval."""
    before, after = np.sort(before), np.sort(after)
    rise = np.mean(np.searchsorted(before, after, side="left")) / len(before)
    fall = np.mean(np.searchsorted(after, before, side="left")) / len(after)
    levels = (np.arange(_N_QUANTILES) + 0.5) / _N_QUANTILES
    pairs = np.quantile(after, levels)[:, None] - np.quantile(before, levels)
    low, high = np.quantile(pairs, [0.025, 0.975])
    return float(rise), float(fall), (float(low), float(high))


def _listed(labels):
    """``3, 7 and 9``, the first five and how many more."""
    shown = ", ".join(str(label) for label in labels[:_LISTED])
    rest = len(labels) - _LISTED
    return f"{shown} and {rest:,} more" if rest > 0 else shown
