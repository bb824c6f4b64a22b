"""The audit set: the rows that a rule flags, worst first, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .counts import TAIL_RULES, check_level, choose_count
from .evidence import DensityEvidence, RegressionEvidence
from .explanation import Explanation, row_position
from .gate import Gate
from .groups import share_groups
from .stored_labels import StoredLabels

__all__ = ["Audit", "worst_first"]


# Rows that a printed audit shows.
_PRINTED = 10


def worst_first(
    fod: NDArray[np.float64],
    log_density: NDArray[np.float64],
    rank: str = "fod",
    weight: NDArray[np.float64] | None = None,
    tails: NDArray[np.float64] | None = None,
) -> NDArray[np.intp]:
    """The order of rows from the most to the least suspicious.

    Parameters
    ----------
    fod, log_density : ndarray of shape (n,)
    rank : {"fod", "log_density", "tail"}, default="fod"
        By FoD, highest first, ties by log density; by log density alone, lowest first; or by tail
        probability, lowest first.
    weight : ndarray of shape (n,) or None, default=None
        Rows of weight 0 are no part of the data: they come last.
    tails : ndarray of shape (n,) or None, default=None
        Tail probabilities.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    if rank == "fod":
        order = np.lexsort((log_density, -fod))
    elif rank == "log_density":
        order = np.argsort(log_density, kind="stable")
    elif rank == "tail":
        order = np.lexsort((log_density, tails))  # type: ignore[arg-type]  # "tail" needs them
    else:
        raise ValueError(f"rank must be 'fod', 'log_density' or 'tail', got {rank!r}.")
    if weight is None:
        return order
    counted = weight[order] > 0
    return np.concatenate([order[counted], order[~counted]])


@dataclass(frozen=True, repr=False)
class Audit(StoredLabels):
    """A set of flagged rows with the posterior that says how many.

    ``audit()`` of a fitted estimator makes one. Its arrays are read-only.

    Attributes
    ----------
    mask : ndarray of bool, shape (n,)
        Which rows are flagged.
    indices : ndarray of int
        Positions of the flagged rows, worst first.
    count : int
        How many rows the rule flags.
    count_interval : ndarray of shape (2,)
        Central interval of the posterior of K, the number of rows that do not follow the model.
    fod, log_density : ndarray of shape (n,)
        Frequency of Detection, between 0 and 1, and posterior-mean log density of each row.
    order : ndarray of int, shape (n,)
        All rows, worst first.
    index : pandas.Index or None
        Row labels of the data frame that was fitted.
    evidence : RegressionEvidence, DensityEvidence or None
        What explains each row.
    weight : ndarray of shape (n,) or None
        Row weights, where the fit had any.
    library : {"pandas", "polars"}
        What :meth:`to_frame` returns.
    tails : ndarray of shape (n,) or None
        Tail probability of each row: how likely a row this unlikely is, if it follows the model.
    epsilon_draws : ndarray of shape (S,) or None
        Draws of the share outside the model in the population that the rows come from.

    Examples
    --------
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.datasets import make_contaminated_regression
    >>> X, y, outliers = make_contaminated_regression(200, contamination=0.1, random_state=0)
    >>> model = HolderBayesRegressor(inference="laplace", random_state=0).fit(X, y)
    >>> audit = model.audit()
    >>> bool(abs(audit.count - outliers.sum()) < 5)
    True
    >>> print(audit.explain(position=int(audit.indices[0])))
    Row 90 is flagged (FoD 1.00): y is 6.954, ... sd above its prediction of ...
    """

    mask: NDArray[np.bool_]
    indices: NDArray[np.intp]
    count: int
    count_interval: NDArray[np.int_]
    fod: NDArray[np.float64]
    log_density: NDArray[np.float64]
    order: NDArray[np.intp]
    index: Any = None
    evidence: RegressionEvidence | DensityEvidence | None = None
    weight: NDArray[np.float64] | None = None
    library: str = "pandas"
    tails: np.ndarray | None = None
    epsilon_draws: np.ndarray | None = None

    def __post_init__(self) -> None:
        # The scores are the estimator's own: views, which nobody can write to.
        for name, values in vars(self).items():
            if isinstance(values, np.ndarray):
                view = values.view()
                view.flags.writeable = False
                object.__setattr__(self, name, view)

    @classmethod
    def from_posterior(
        cls,
        counts: NDArray[np.int_],
        fod: NDArray[np.float64],
        log_density: NDArray[np.float64],
        *,
        rule: str = "mean",
        level: float = 0.95,
        rank: str = "fod",
        weight: NDArray[np.float64] | None = None,
        index: Any = None,
        evidence: Any = None,
        count: int | None = None,
        library: str = "pandas",
        tails: NDArray[np.float64] | None = None,
        epsilon_draws: NDArray[np.float64] | None = None,
    ) -> Audit:
        """Apply a count rule (or a given ``count``) and a ranking to the scores of a fit.

        Parameters
        ----------
        counts : ndarray of int, shape (S,)
            Draws of K, the number of rows that do not follow the model.
        fod, log_density : ndarray of shape (n,)
            Frequency of Detection and posterior-mean log density of each row.
        rule : {"mean", "median", "lower", "upper", "fdr", "certain"}, default="mean"
            What says how many rows to flag; see :func:`choose_count`.
        level : float in (0, 1), default=0.95
            Probability inside the central interval of K.
        rank : {"fod", "log_density"}, default="fod"
            Which rows: those of highest FoD, or of lowest log density.
        weight : ndarray of shape (n,) or None, default=None
            Rows that a row stands for.
        index : pandas.Index or None, default=None
            Row labels.
        evidence : RegressionEvidence, DensityEvidence or None, default=None
            What explains each row.
        count : int or None, default=None
            A number of rows to flag in place of the rule, in units of weight.
        library : {"pandas", "polars"}, default="pandas"
            What :meth:`to_frame` returns.
        tails : ndarray of shape (n,) or None, default=None
            Tail probabilities, which the rules ``"fdr"`` and ``"certain"`` need.
        epsilon_draws : ndarray of shape (S,) or None, default=None
            Draws of the share outside the model in the population.

        Returns
        -------
        Audit
        """
        check_level(level)
        if count is None:
            count = choose_count(counts, rule, level, tails, weight)
            rank = "tail" if rule in TAIL_RULES else rank
        order = worst_first(fod, log_density, rank, weight, tails)
        reached = np.arange(1, len(fod) + 1) if weight is None else np.cumsum(weight[order])
        step = 1 if weight is None else weight[order]
        # A row of weight w is in the set if more than half of it fits the count.
        inside = (reached - step / 2 < count) & (np.asarray(step) > 0)
        mask = np.zeros(len(fod), dtype=bool)
        mask[order[inside]] = True
        tail = (1 - level) / 2
        interval = np.rint(np.quantile(counts, [tail, 1 - tail])).astype(int)
        return cls(
            mask=mask,
            indices=order[inside],
            count=int(count),
            count_interval=interval,
            fod=fod,
            log_density=log_density,
            order=order,
            index=index,
            evidence=evidence,
            weight=weight,
            library=library,
            tails=tails,
            epsilon_draws=epsilon_draws,
        )

    def to_frame(self) -> Any:
        """A data frame of all rows, worst first: pandas, or polars where that was fitted.

        Its columns are ``flagged``, ``fod``, ``log_density``, ``row`` (the position) and, for the
        audit of a fit, ``tail_probability``, ``expected_by_chance`` (how many of as many clean rows
        would be at least as unlikely) and ``reason``: why, in a few words; ``weight`` where rows
        had weights. A pandas frame has the index of the fitted one.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
        """
        return self._frame(self.order)

    def by(self, groups: Any, *, level: float = 0.95) -> Any:
        """Which group of rows spoils the table: a data frame with a row for each, worst first.

        Its columns are ``rows`` and ``flagged``; ``outliers``, how many rows of the group are
        outside the model, with an interval; ``share``, their share in the population that the
        group comes from, with an interval; and ``above_others``, the probability that this share
        is above that of all other groups together. ``weight`` stands beside ``rows`` where rows
        have weights; outliers and shares are by weight. Shares are partially pooled over the
        groups (:mod:`skholder.audit.groups`): a small group has a wide interval and leans on the
        others.

        Parameters
        ----------
        groups : array-like of shape (n,)
            The group of each row, in the order of the rows fitted. Missing labels are a group.
        level : float in (0, 1), default=0.95
            Probability inside the intervals.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            With the groups as index; polars, where that was fitted, has them in the first column.
        """
        return share_groups(self, groups, level).to_frame(self.library)

    def gate(self, above: float = 0.05, probability: float = 0.9) -> Gate:
        """Whether the share outside the model is too large, with enough probability.

        Parameters
        ----------
        above : float in [0, 1), default=0.05
            The share in the population, epsilon, that must not be exceeded.
        probability : float in (0, 1), default=0.9
            The gate is closed when P(epsilon > above) exceeds this.

        Returns
        -------
        Gate
        """
        return Gate.of(self.posterior_of_epsilon(), above, probability)

    def posterior_of_epsilon(self) -> NDArray[np.float64]:
        """``epsilon_draws``; an error for an audit that has none.

        Returns
        -------
        ndarray of shape (S,)
        """
        if self.epsilon_draws is None:
            raise ValueError(
                "This audit has no posterior of epsilon; audit() of a fitted estimator has one."
            )
        return self.epsilon_draws

    @property
    def total_weight(self) -> float:
        """Number of rows, in units of weight."""
        return float(len(self.mask) if self.weight is None else self.weight.sum())

    def _frame(self, positions):
        columns = {
            "flagged": self.mask[positions],
            "fod": self.fod[positions],
            "log_density": self.log_density[positions],
            "row": positions,
        }
        if self.tails is not None:
            columns["tail_probability"] = self.tails[positions]
            columns["expected_by_chance"] = self.total_weight * self.tails[positions]
        if self.weight is not None:
            columns["weight"] = self.weight[positions]
        if self.evidence is not None:
            columns["reason"] = self._reasons(positions)
        if self.library == "polars":
            import polars

            return polars.DataFrame(columns)
        import pandas as pd

        labels = positions if self.index is None else self.index[positions]
        return pd.DataFrame(columns, index=labels)

    def _reasons(self, positions):
        reasons = self.evidence.reasons(positions)
        if self.weight is None:
            return reasons
        return [
            reason if self.weight[row] > 0 else f"not audited, its weight is 0; {reason}"
            for row, reason in zip(positions, reasons, strict=True)
        ]

    def __repr__(self) -> str:
        low, high = self.count_interval
        return (
            f"Audit({self.mask.sum():,} of {len(self.mask):,} rows flagged; posterior count "
            f"between {low:,} and {high:,})"
        )

    def _repr_html_(self) -> str:
        """What :func:`repr` says, and the worst rows."""
        from html import escape

        table = self._frame(self.order[:_PRINTED])
        return f"<p>{escape(repr(self))}</p>{table._repr_html_()}"

    def explain(self, row: object | None = None, *, position: int | None = None) -> Explanation:
        """Why a row is flagged, or why it is not.

        Parameters
        ----------
        row : object
            The row's label in the index of the data frame that was fitted, or a part of it, such
            as the day of a time, that only one row has; without a frame, its position.
        position : int
            The position, whatever the index; given in place of ``row``.

        Returns
        -------
        Explanation
            Print it for a sentence; ``to_dict()`` has the numbers.

        Raises
        ------
        KeyError
            If the index has no such label, or has it more than once.
        IndexError
            If there is no such position.
        """
        spot = row_position(self.index, len(self.mask), row, position)
        known = self.evidence
        return Explanation(
            row=spot,
            label=spot if self.index is None else self.index[spot],
            flagged=bool(self.mask[spot]),
            fod=float(self.fod[spot]),
            log_density=float(self.log_density[spot]),
            reason="" if known is None else self._reasons(np.array([spot]))[0],
            residual=None if known is None else known.residual(spot),
            contributions=() if known is None else known.contributions(spot),
            tail_probability=None if self.tails is None else float(self.tails[spot]),
            n_rows=self.total_weight,
        )
