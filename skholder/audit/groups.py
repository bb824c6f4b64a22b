"""Which group of rows spoils a table: a posterior share for each.

The number of a group's rows outside the model, K_g, has the law that the rows' FoD give it: a
uniform u flags the rows of FoD above u, so that P(K_g >= k) is the k-th largest FoD of the group.
Its mean is the sum of the group's FoD, and the groups' means sum to the mean of K. Where rows keep
their order from draw to draw this is the count over draws itself; otherwise it is the widest law
with these FoD, so that an interval is never too narrow on that account.

The share in the population that a group comes from, epsilon_g, is partially pooled::

    K_g | epsilon_g ~ Binomial(n_g, epsilon_g)      epsilon_g ~ Beta(mu kappa, (1 - mu) kappa)

with a flat prior of the mean mu and of the correlation 1 / (1 + kappa) of two rows of a group,
integrated over a grid. A small group leans on the others and has a wide interval, and among many
groups the worst is not taken at its face value. A table that is clean (epsilon = 0) has clean
groups.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, expit

from .counts import check_level

__all__ = ["GroupShares", "group_shares", "share_groups"]

_MISSING = "(missing)"
# Draws of the shares, fewer where groups are many: this many numbers are held.
_MOST_DRAWS, _LEAST_DRAWS, _HELD = 2048, 256, 20_000_000
# The pooling is found anew for each of so many stretches of u.
_STRETCHES = 16
# Nodes of mu, even on the logit scale, and of the root of the correlation.
_LOGITS = np.linspace(-10.0, 10.0, 81)
_ROOTS = (np.arange(24) + 0.5) / 24


@dataclass(frozen=True, repr=False)
class GroupShares:
    """Rows outside the model by group, the worst group first; arrays have shape (G,).

    Attributes
    ----------
    name : str
        What the groups are called, e.g. ``site``.
    labels : tuple
        The groups.
    rows, flagged : ndarray of int
        Rows of each group, and how many of them the audit flags.
    weight : ndarray of float, or None
        Their weight, where rows have weights; all shares are by weight.
    outliers : ndarray
        Posterior mean of the number of the group's rows outside the model, by weight.
    outliers_interval : ndarray of shape (G, 2)
        Its central interval.
    share : ndarray
        Posterior mean of the share outside the model in the population that the group comes from.
    share_interval : ndarray of shape (G, 2)
        Its central interval.
    above_others : ndarray
        Probability that this share is above that of all other groups together; NaN for one group.
    level : float
        Probability inside the intervals.
    """

    name: str
    labels: tuple[Any, ...]
    rows: NDArray[np.int_]
    flagged: NDArray[np.int_]
    weight: NDArray[np.float64] | None
    outliers: NDArray[np.float64]
    outliers_interval: NDArray[np.float64]
    share: NDArray[np.float64]
    share_interval: NDArray[np.float64]
    above_others: NDArray[np.float64]
    level: float

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"GroupShares({len(self):,} groups of {self.rows.sum():,} rows by {self.name!r})"

    def columns(self) -> dict[str, Any]:
        """The columns of :meth:`to_frame`, by name, without the labels."""
        weighed = {} if self.weight is None else {"weight": self.weight}
        return {
            "rows": self.rows,
            **weighed,
            "flagged": self.flagged,
            "outliers": self.outliers,
            "outliers_low": self.outliers_interval[:, 0],
            "outliers_high": self.outliers_interval[:, 1],
            "share": self.share,
            "share_low": self.share_interval[:, 0],
            "share_high": self.share_interval[:, 1],
            "above_others": self.above_others,
        }

    def to_frame(self, library: str = "pandas") -> Any:
        """A data frame with a row for each group, the worst first.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            The groups are the index of the former, and the first column of the latter; it is
            called ``group`` where their own name is that of another column.
        """
        columns = self.columns()
        name = "group" if self.name in columns else self.name
        if library == "polars":
            import polars

            return polars.DataFrame({name: list(self.labels), **columns}, strict=False)
        import pandas as pd

        return pd.DataFrame(columns, index=pd.Index(self.labels, name=name, tupleize_cols=False))


def share_groups(audit: Any, groups: Any, level: float = 0.95) -> GroupShares:
    """Rows outside the model by group, of an audit.

    Parameters
    ----------
    audit : Audit
    groups : array-like of shape (n,)
        The group of each row, texts, numbers, dates or tuples of them. Missing labels are a group
        of their own.
    level : float in (0, 1), default=0.95
        Probability inside the intervals.

    Returns
    -------
    GroupShares
    """
    _check_index(groups, audit.index)
    clean = 0.0 if audit.epsilon_draws is None else float(np.mean(audit.epsilon_draws == 0))
    return group_shares(groups, audit.fod, audit.mask, audit.weight, clean, level)


def group_shares(
    groups: Any,
    fod: NDArray[np.float64],
    mask: NDArray[np.bool_],
    weight: NDArray[np.float64] | None = None,
    clean_probability: float = 0.0,
    level: float = 0.95,
) -> GroupShares:
    """Rows outside the model by group.

    Parameters
    ----------
    groups : array-like of shape (n,)
    fod : ndarray of shape (n,)
        Frequency of Detection of each row.
    mask : ndarray of bool, shape (n,)
        Which rows are flagged.
    weight : ndarray of shape (n,) or None, default=None
    clean_probability : float, default=0.0
        Probability that the table is clean, and with it every group.
    level : float in (0, 1), default=0.95

    Returns
    -------
    GroupShares
    """
    check_level(level)
    code, labels = _coded(groups, len(fod))
    size = len(labels)
    mass = np.ones(len(fod)) if weight is None else weight
    total = np.bincount(code, mass, size).astype(float)
    n_draws = int(np.clip(_HELD // size, _LEAST_DRAWS, _MOST_DRAWS)) // _STRETCHES * _STRETCHES
    counts = _counts(code, fod, mass, size, n_draws)
    # The draws without any flag come last: the clean table is among them.
    n_clean = round(clean_probability * n_draws)
    # A seed of its own: the same audit and groups give the same frame.
    random = np.random.RandomState(0)
    first, second = _pooled(counts, total, random)
    share = first / (first + second)
    draws = random.beta(first, second)
    for values in (share, draws):
        values[:, n_draws - n_clean :] = 0.0
    tail = (1 - level) / 2
    mean = share.mean(axis=1)
    order = np.lexsort((np.arange(size), -mean))
    ends = (tail, 1 - tail)
    return GroupShares(
        name=str(getattr(groups, "name", None) or "group"),
        labels=tuple(labels[spot] for spot in order),
        rows=np.bincount(code[mass > 0], minlength=size)[order],
        flagged=np.bincount(code[mask], minlength=size)[order],
        weight=None if weight is None else total[order],
        outliers=np.bincount(code, mass * fod, size).astype(float)[order],
        outliers_interval=np.quantile(counts, ends, axis=1, method="inverted_cdf").T[order],
        share=mean[order],
        share_interval=np.quantile(draws, ends, axis=1).T[order],
        above_others=_above_others(draws, total)[order],
        level=float(level),
    )


def _check_index(groups, index):
    """Refuse labels of rows in another order than the fitted table's."""
    own = getattr(groups, "index", None)
    if index is None or own is None or callable(own) or len(own) != len(index):
        return
    if not index.equals(own):
        raise ValueError(
            "groups has another index than the fitted table. Pass groups.loc[X.index], or "
            "groups.to_numpy() if they are in the order of its rows."
        )


def _coded(groups, n_rows):
    """The number of each row's group (n,), and the labels in order of appearance."""
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise ValueError(f"groups must have an entry for each row, got {groups!r}.")
    values = _as_labels(groups)
    if values.shape != (n_rows,):
        raise ValueError(
            f"groups must have an entry for each of the {n_rows:,} rows, shape ({n_rows},); "
            f"got {values.shape}."
        )
    known: dict[Any, int] = {}
    try:
        code = [known.setdefault(_MISSING if _is_missing(v) else v, len(known)) for v in values]
    except TypeError as error:
        raise ValueError(
            "groups must be labels such as texts, numbers, dates or tuples of them; some of these "
            f"cannot be told apart ({error})."
        ) from error
    return np.array(code, dtype=int), list(known)


def _as_labels(groups):
    """An array of labels; tuples, which NumPy takes for rows of a table, are labels too."""
    if isinstance(groups, list) and all(isinstance(label, tuple) for label in groups):
        return np.fromiter(groups, dtype=object, count=len(groups))
    return np.asarray(groups, dtype=object)


def _is_missing(label):
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA equals nothing, not even False
        return True


def _counts(code, fod, mass, size, n_draws):
    """K_g for uniforms (s + 1/2) / S in ascending order, shape (G, S): falling along a row."""
    # Rounding must not flag a row of FoD 1/S less than once.
    reached = np.ceil(fod * n_draws - 0.5 - 1e-9).astype(int)
    some = reached > 0
    counts = np.zeros((size, n_draws))
    np.add.at(counts, (code[some], reached[some] - 1), mass[some])
    return np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]


def _pooled(counts, total, random):
    """Shapes (G, S) of the Beta laws of the shares, the pooling drawn from its posterior."""
    n_draws = counts.shape[1]
    mu = np.repeat(expit(_LOGITS), len(_ROOTS))
    kappa = np.tile(1 / _ROOTS**2 - 1, len(_LOGITS))
    a, b = mu * kappa, (1 - mu) * kappa
    # Flat in mu and in the correlation, the square of the root.
    log_prior = np.log(mu * (1 - mu)) + np.log(np.tile(_ROOTS, len(_LOGITS)))
    node = np.empty(n_draws, dtype=int)
    length = n_draws // _STRETCHES
    for start in range(0, n_draws, length):
        log_prob = log_prior + _log_evidence(counts[:, start + length // 2], total, a, b)
        reached = np.cumsum(np.exp(log_prob - log_prob.max()))
        u = (random.permutation(length) + 0.5) / length
        node[start : start + length] = np.searchsorted(reached, u * reached[-1])
    rest = np.maximum(total[:, None] - counts, 0.0)
    return a[node] + counts, b[node] + rest


def _log_evidence(count, total, a, b):
    """Log Beta-binomial likelihood of the counts (G,) at each node (M,); like groups once."""
    pairs, often = np.unique(np.column_stack([count, total]), axis=0, return_counts=True)
    evidence = -often.sum() * betaln(a, b)
    for (k, n), times in zip(pairs, often, strict=True):
        evidence += times * betaln(a + k, b + max(n - k, 0.0))
    return evidence


def _above_others(draws, total):
    """P(share of a group > share of the other groups together), shape (G,)."""
    if len(total) == 1:
        return np.array([np.nan])
    outside = total @ draws
    others = total.sum() - total
    with np.errstate(invalid="ignore", divide="ignore"):
        rest = (outside - total[:, None] * draws) / others[:, None]
        # Sums of zeros round to a little more than zero.
        return np.mean(draws > rest + 1e-12, axis=1)
