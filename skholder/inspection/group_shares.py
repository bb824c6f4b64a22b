"""The share outside the model by group: which site, operator or batch spoils the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..audit import share_groups
from ..estimators.unwrapping import unwrap
from ._axes import BLUE, GREY, VERMILION, display_text, pyplot, single_axes

__all__ = ["GroupSharesDisplay"]

# A group whose share is above that of the others with more than this probability stands out.
_SURE = 0.95


class GroupSharesDisplay:
    """A posterior share with its interval for each group of rows, the worst group on top.

    Groups whose share is above that of all others together with a probability of more than 95% are
    drawn in another colour.

    Parameters
    ----------
    labels : sequence of length G
        The groups, in the order they are drawn in from the top.
    share : ndarray of shape (G,)
        Posterior mean of the share outside the model in each.
    share_interval : ndarray of shape (G, 2)
        Its interval.
    above_others : ndarray of shape (G,) or None, default=None
        Probability that a group's share is above that of the others; None marks no group.
    flagged, rows : ndarray of int, shape (G,), or None, default=None
        Flagged rows and all rows of each group, written beside its name.
    overall : float or None, default=None
        The share in the whole table, marked by a line.
    level : float, default=0.95
        Probability inside the intervals.
    name : str, default="group"
        What the groups are called.

    Attributes
    ----------
    points_ : list of two Line2D
        The shares of groups that do not stand out, and of those that do.
    intervals_ : LineCollection
    overall_line_ : Line2D or None
    ax_, figure_ : Axes, Figure

    Examples
    --------
    >>> import numpy as np
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.datasets import make_contaminated_regression
    >>> from skholder.inspection import GroupSharesDisplay
    >>> X, y, outliers = make_contaminated_regression(200, random_state=0)
    >>> site = np.where(outliers, "north", np.arange(200) % 3)
    >>> model = HolderBayesRegressor(inference="laplace", random_state=0).fit(X, y)
    >>> display = GroupSharesDisplay.from_estimator(model, site)
    >>> display.labels[0]
    'north'
    """

    def __init__(
        self,
        labels: Sequence[Any],
        share: ArrayLike,
        share_interval: ArrayLike,
        *,
        above_others: ArrayLike | None = None,
        flagged: ArrayLike | None = None,
        rows: ArrayLike | None = None,
        overall: float | None = None,
        level: float = 0.95,
        name: str = "group",
    ) -> None:
        self.labels = labels
        self.share = share
        self.share_interval = share_interval
        self.above_others = above_others
        self.flagged = flagged
        self.rows = rows
        self.overall = overall
        self.level = level
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        groups: ArrayLike,
        *,
        level: float = 0.95,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the groups of the training rows of a fitted estimator.

        Parameters
        ----------
        estimator : HolderBayesRegressor, HolderBayesDensity or OutlierAuditor
            Fitted; also an AuditedEstimator or OutlierRejector, for the audit inside.
        groups : array-like of shape (n,)
            The group of each training row.
        level : float in (0, 1), default=0.95
            Probability inside the intervals.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For :meth:`plot`.

        Returns
        -------
        GroupSharesDisplay
        """
        pyplot(cls.__name__)
        found = unwrap(estimator, cls.__name__, need_epsilon=True)
        owner: Any = found.owner
        audit = found.fitted.audit() if owner is None else owner.audit_
        shares = share_groups(audit, groups, level)
        display = cls(
            shares.labels,
            shares.share,
            shares.share_interval,
            above_others=shares.above_others,
            flagged=shares.flagged,
            rows=shares.rows,
            overall=found.fitted.epsilon_,
            level=level,
            name=shares.name,
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax: Any = None, *, max_groups: int = 25, **kwargs: Any) -> Self:
        """Draw on ``ax`` or on a new figure.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        max_groups : int, default=25
            How many groups to draw at most, from the first; the label of the axis counts the rest.
        **kwargs : dict
            For the points.

        Returns
        -------
        self
        """
        size = min(len(self.labels), max_groups)
        plt = pyplot(type(self).__name__)
        figure, ax = single_axes(plt, ax, (6.4, max(2.2, 1.2 + 0.28 * size)))
        place, share = np.arange(size), np.asarray(self.share, float)[:size]
        low, high = np.asarray(self.share_interval, float)[:size].T
        above = np.zeros(size) if self.above_others is None else np.asarray(self.above_others)
        stands_out = above[:size] > _SURE
        colours = np.where(stands_out, VERMILION, BLUE)
        self.intervals_ = ax.hlines(place, low, high, colors=colours, lw=2)
        self.points_: list[Any] = []
        for chosen, colour, label in (
            (~stands_out, BLUE, f"share and {self.level:.0%} interval"),
            (stands_out, VERMILION, "above the others"),
        ):
            style = {"ls": "none", "marker": "o", "ms": 6, "color": colour, **kwargs}
            shown = label if chosen.any() else "_nolegend_"
            self.points_ += ax.plot(share[chosen], place[chosen], label=shown, **style)
        self.overall_line_ = None
        if self.overall is not None:
            told = f"whole table: {100 * self.overall:.1f}%"
            self.overall_line_ = ax.axvline(self.overall, color=GREY, ls="--", label=told)
        rest = len(self.labels) - size
        more = f" (and {rest:,} more)" if rest else ""
        ax.set_yticks(place, self._names(size))
        ax.set(
            ylim=(size - 0.5, -0.5),
            xlim=(0, min(1.0, 1.05 * max(high.max(), self.overall or 0.0, 0.01))),
            xlabel="Share of rows outside the model",
            ylabel=f"{display_text(self.name)}{more}",
        )
        ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.3g}%")
        ax.legend(
            loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False, borderaxespad=0.2
        )
        self.ax_, self.figure_ = ax, figure
        return self

    def _names(self, size):
        names = [display_text(label) for label in self.labels[:size]]
        if self.flagged is None or self.rows is None:
            return names
        counts = zip(names, np.asarray(self.flagged), np.asarray(self.rows), strict=False)
        return [f"{name} ({flagged:,} of {rows:,})" for name, flagged, rows in counts]
