"""Rows in the order of their log density, with the posterior of how many do not belong."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..estimators.unwrapping import unwrap
from ._axes import BLUE, GREY, ORANGE, VERMILION, display_text, pyplot, single_axes

__all__ = ["AuditRankingDisplay"]

# Deeper tails than this many times the upper half's reach are drawn on a logarithmic scale.
_DEEP = 200


class AuditRankingDisplay:
    """Log density against rank, worst row first, with thresholds from the posterior count.

    The rows left of the three vertical lines are the cautious, the central and the strict audit
    set: the quantiles of the posterior of the count K.

    Parameters
    ----------
    log_density : ndarray of shape (n,)
        Posterior-mean log density of each row.
    counts : ndarray of shape (S,)
        Draws of K.
    level : float, default=0.95
        The outer thresholds are the ends of the central interval of this level.
    weight : ndarray of shape (n,) or None, default=None
        Rows that a row stands for; ranks count them.
    index : sequence of length n or None, default=None
        Row labels; None numbers the rows from 0.
    outliers : ndarray of bool, shape (n,), or None, default=None
        Known outliers, marked at the foot.

    Attributes
    ----------
    thresholds_ : ndarray of shape (3,)
        Lower end, median and upper end of the posterior of K.
    points_ : list of three Line2D
        Rows flagged by every threshold, by some, by none.
    threshold_lines_ : list of three Line2D
    outlier_points_ : Line2D or None
    text_ : Text or None
        The labels of the lowest rows.
    ax_, figure_ : Axes, Figure

    Examples
    --------
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.datasets import make_contaminated_regression
    >>> from skholder.inspection import AuditRankingDisplay
    >>> X, y, outliers = make_contaminated_regression(200, random_state=0)
    >>> model = HolderBayesRegressor(inference="laplace", random_state=0).fit(X, y)
    >>> display = AuditRankingDisplay.from_estimator(model, outliers=outliers)
    >>> lower, median, upper = display.thresholds_
    >>> bool(lower <= median <= upper)
    True
    """

    def __init__(
        self,
        log_density: ArrayLike,
        counts: ArrayLike,
        *,
        level: float = 0.95,
        weight: ArrayLike | None = None,
        index: Any = None,
        outliers: ArrayLike | None = None,
    ) -> None:
        self.log_density = log_density
        self.counts = counts
        self.level = level
        self.weight = weight
        self.index = index
        self.outliers = outliers

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        *,
        level: float = 0.95,
        outliers: ArrayLike | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the ranking of the training rows of a fitted estimator.

        Parameters
        ----------
        estimator : HolderBayesRegressor, HolderBayesDensity or OutlierAuditor
            Fitted; also an AuditedEstimator or OutlierRejector, for the audit inside.
        level : float in (0, 1), default=0.95
            The outer thresholds are the ends of the central interval of this level.
        outliers : array-like of bool, shape (n,), or None, default=None
            Known outliers, marked.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For :meth:`plot`.

        Returns
        -------
        AuditRankingDisplay
        """
        pyplot(cls.__name__)
        fitted = unwrap(estimator, cls.__name__, need_epsilon=True).fitted
        display = cls(
            fitted.log_density_,
            fitted.outlier_count_posterior_,
            level=level,
            weight=fitted.record_.weight,
            index=fitted.record_.index,
            outliers=outliers,
        )
        return display.plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, n_labels: int = 5, yscale: str = "auto", **kwargs: Any
    ) -> Self:
        """Draw on ``ax`` or on a new figure.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        n_labels : int, default=5
            How many of the lowest rows to name.
        yscale : {"auto", "linear", "symlog"}, default="auto"
            ``"auto"`` is logarithmic where a few rows lie very deep.
        **kwargs : dict
            For the points.

        Returns
        -------
        self
        """
        figure, ax = single_axes(pyplot(type(self).__name__), ax)
        log_density = np.asarray(self.log_density)
        order = np.argsort(log_density, kind="stable")
        height = log_density[order]
        weight = np.ones(len(order)) if self.weight is None else np.asarray(self.weight)[order]
        rank = np.cumsum(weight)
        tail = (1 - self.level) / 2
        levels = [tail, 0.5, 1 - tail]
        self.thresholds_ = np.rint(np.quantile(np.asarray(self.counts), levels)).astype(int)
        self.points_ = _draw_bands(ax, rank, height, self.thresholds_, kwargs)
        ink = ax.spines["bottom"].get_edgecolor()
        self.threshold_lines_ = [
            ax.axvline(k, color=ink, lw=1, ls=style, label=f"count, {100 * q:g}%: {k:,} rows")
            for k, q, style in zip(self.thresholds_, levels, (":", "-", "--"), strict=True)
        ]
        known = None if self.outliers is None else np.asarray(self.outliers, dtype=bool)[order]
        self.outlier_points_ = None if known is None else _draw_rug(ax, rank[known])
        _scale_heights(ax, height, yscale)
        ax.set(
            xlabel=f"Rank, worst row first (of {rank[-1]:,.10g})",
            ylabel="Posterior-mean log density",
        )
        self.text_ = self._name_lowest(ax, order[:n_labels]) if n_labels else None
        ax.legend(loc="lower right", framealpha=0.85, edgecolor="none")
        self.ax_, self.figure_ = ax, figure
        return self

    def _name_lowest(self, ax, rows):
        labels = rows if self.index is None else [self.index[row] for row in rows]
        return ax.set_title(
            "Lowest rows: " + ", ".join(display_text(label, 12) for label in labels),
            fontsize="medium",
            loc="left",
        )


def _draw_bands(ax, rank, height, thresholds, kwargs):
    """Points in three colours: within the lower threshold, up to the upper one, beyond."""
    inside, outside = rank <= thresholds[0], rank > thresholds[2]
    lines = []
    for rows, colour in (
        (inside, VERMILION),
        (~inside & ~outside, ORANGE),
        (outside, BLUE),
    ):
        style = {"ls": "none", "marker": ".", "ms": 4, "color": colour, **kwargs}
        lines.extend(ax.plot(rank[rows], height[rows], **style))
    return lines


def _draw_rug(ax, rank):
    """Ticks at the foot of the axes."""
    (rug,) = ax.plot(
        rank,
        np.full(len(rank), 0.02),
        "|",
        ms=6,
        mew=0.6,
        color=GREY,
        transform=ax.get_xaxis_transform(),
        label="known outliers",
    )
    return rug


def _scale_heights(ax, height, yscale):
    """Set the scale of the y axis; sorted ``height`` (n,) decides what ``"auto"`` is."""
    middle = np.median(height)
    if yscale == "auto":
        deep = middle - height[0] > _DEEP * max(height[-1] - middle, 1.0)
        yscale = "symlog" if deep else "linear"
    if yscale == "symlog":
        # A power of ten, so that no two ticks come to lie on top of each other.
        ax.set_yscale("symlog", linthresh=10 ** np.ceil(np.log10(max(1.0, 2 * abs(middle)))))
        # The usual margins would be several empty decades.
        ax.set_ylim(3 * height[0], max(0.0, 3 * height[-1]))
    else:
        ax.set_yscale(yscale)
