"""The posterior of the share of rows outside the model."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..estimators.unwrapping import unwrap
from ..summaries.smoothing import smooth_density
from ._axes import BLUE, VERMILION, pyplot, single_axes

__all__ = ["EpsilonPosteriorDisplay"]


class EpsilonPosteriorDisplay:
    """Which share of rows does not belong: the density of epsilon with its mean and interval.

    Epsilon is a share of the population that the rows come from. The number of such rows in the
    table at hand is known more sharply: see ``outlier_count_posterior_`` and
    :class:`AuditRankingDisplay`.

    Parameters
    ----------
    epsilon : ndarray of shape (S,)
        Posterior draws.
    level : float in (0, 1), default=0.95
        Probability inside the central interval that is shaded.
    upper : float, default=1.0
        Largest epsilon that the prior allows; the density ends there.
    truth : float or None, default=None
        The true share, where it is known, drawn as a line.
    n_rows : float or None, default=None
        Size of a table; adds an axis with the number of such rows to expect in it.

    Attributes
    ----------
    line_, mean_line_, interval_, truth_line_ : artists
        ``truth_line_`` is None without ``truth``.
    ax_, figure_ : Axes, Figure

    Examples
    --------
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.datasets import make_contaminated_regression
    >>> from skholder.inspection import EpsilonPosteriorDisplay
    >>> X, y, outliers = make_contaminated_regression(200, random_state=0)
    >>> model = HolderBayesRegressor(inference="laplace", random_state=0).fit(X, y)
    >>> display = EpsilonPosteriorDisplay.from_estimator(model, truth=outliers.mean())
    >>> display.ax_.get_xlabel()
    'Contamination epsilon (share of rows)'
    """

    def __init__(
        self,
        epsilon: ArrayLike,
        *,
        level: float = 0.95,
        upper: float = 1.0,
        truth: float | None = None,
        n_rows: float | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.level = level
        self.upper = upper
        self.truth = truth
        self.n_rows = n_rows

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        *,
        level: float = 0.95,
        truth: float | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the posterior of epsilon of a fitted estimator.

        Parameters
        ----------
        estimator : HolderBayesRegressor, HolderBayesDensity or OutlierAuditor
            Fitted; also an AuditedEstimator or OutlierRejector, for the audit inside.
        level : float in (0, 1), default=0.95
            Probability inside the central interval that is shaded.
        truth : float or None, default=None
            The true share, where it is known, drawn as a line.
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For the line of the density.

        Returns
        -------
        EpsilonPosteriorDisplay
        """
        pyplot(cls.__name__)
        fitted = unwrap(estimator, cls.__name__, need_epsilon=True).fitted
        display = cls(
            fitted.epsilon_posterior_,
            level=level,
            upper=float(fitted.max_contamination),
            truth=truth,
            n_rows=fitted.record_.total_weight,
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on ``ax`` or on a new figure.

        Parameters
        ----------
        ax : Axes or None, default=None
            Where to draw; None makes a figure.
        **kwargs : dict
            For the line of the density.

        Returns
        -------
        self
        """
        figure, ax = single_axes(pyplot(type(self).__name__), ax)
        epsilon = np.asarray(self.epsilon)
        mean, tail = np.mean(epsilon), (1 - self.level) / 2
        low, high = np.quantile(epsilon, [tail, 1 - tail])
        grid, density = smooth_density(epsilon, (0.0, self.upper))
        (self.line_,) = ax.plot(grid, density, **{"color": BLUE, **kwargs})
        inside = np.linspace(low, high, 200)
        self.interval_ = ax.fill_between(
            inside,
            np.interp(inside, grid, density),
            color=self.line_.get_color(),
            alpha=0.25,
            lw=0,
            label=f"{100 * self.level:g}% interval: {low:.3f} to {high:.3f}",
        )
        self.mean_line_ = ax.axvline(
            mean, color=self.line_.get_color(), ls="--", label=f"mean: {mean:.3f}"
        )
        self.truth_line_ = None
        if self.truth is not None:
            self.truth_line_ = ax.axvline(
                self.truth, color=VERMILION, ls=":", lw=2, label=f"truth: {self.truth:.3f}"
            )
        ax.set(xlabel="Contamination epsilon (share of rows)", ylabel="Posterior density")
        ax.set_ylim(0, 1.35 * density.max())
        ax.margins(x=0.02)
        if self.n_rows is not None:
            n = self.n_rows
            above = ax.secondary_xaxis("top", functions=(lambda e: e * n, lambda k: k / n))
            above.set_xlabel(f"Rows outside the model to expect in {n:,.10g}")
        ax.legend(loc="upper right", framealpha=0.85, edgecolor="none")
        self.ax_, self.figure_ = ax, figure
        return self
