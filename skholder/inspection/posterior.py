"""Joint posteriors of chosen parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..estimators.unwrapping import unwrap
from ..summaries.smoothing import smooth_density, smooth_density_2d
from ._axes import BLUE, VERMILION, display_text, panel_axes, pyplot
from ._fitted import choose_parameters

__all__ = ["PosteriorDisplay"]


class PosteriorDisplay:
    """Marginal densities on the diagonal, credible regions of each pair below it.

    Parameters
    ----------
    draws : ndarray of shape (S, d)
        Posterior draws of d parameters.
    names : sequence of str, length d
        Axis labels.
    supports : sequence of (float, float), length d, or None, default=None
        Intervals that the parameters cannot leave.
    truth : sequence of float, length d, or None, default=None
        True values, where they are known; NaN for those that are not.

    Attributes
    ----------
    lines_ : list of Line2D
        The marginal densities.
    contours_ : dict of (int, int) to ContourSet
        By row and column of the panel.
    axes_ : ndarray of Axes, shape (d, d)
        Panels above the diagonal are switched off.
    ax_, figure_ : Axes of the first panel, Figure

    Examples
    --------
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.datasets import make_contaminated_regression
    >>> from skholder.inspection import PosteriorDisplay
    >>> X, y, outliers = make_contaminated_regression(200, random_state=0)
    >>> model = HolderBayesRegressor(inference="laplace", random_state=0).fit(X, y)
    >>> display = PosteriorDisplay.from_estimator(model, parameters=["coef", "epsilon"])
    >>> display.axes_.shape
    (3, 3)
    """

    def __init__(
        self,
        draws: ArrayLike,
        names: Sequence[str],
        *,
        supports: Sequence[tuple[float, float]] | None = None,
        truth: Sequence[float] | None = None,
    ) -> None:
        self.draws = draws
        self.names = names
        self.supports = supports
        self.truth = truth

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        *,
        parameters: Sequence[str] | None = None,
        feature_names: Sequence[str] | None = None,
        truth: Mapping[str, float] | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the posterior of parameters of a fitted estimator, in the user's units.

        Parameters
        ----------
        estimator : HolderBayesRegressor, HolderBayesDensity or OutlierAuditor
            Fitted; also an AuditedEstimator or OutlierRejector, for the audit inside.
        parameters : list of str or None, default=None
            Such as ``"coef[bmi]"``, ``"coef[2]"``, ``"scale"``, ``"covariance[a, b]"``,
            ``"epsilon"``, or ``"coef"`` for all of them. None takes the first three of each
            vector and the scalars, six in all.
        feature_names : list of str or None, default=None
            Labels of the columns; None takes those of the fitted table.
        truth : mapping of str to float or None, default=None
            True values by the names of ``parameters``.
        ax : Axes, array of Axes or None, default=None
            Where to draw: one Axes is divided into panels, an array holds a panel each, None makes
            a figure.
        **kwargs : dict
            For :meth:`plot`.

        Returns
        -------
        PosteriorDisplay
        """
        pyplot(cls.__name__)
        fitted = unwrap(estimator, cls.__name__).fitted
        chosen = choose_parameters(fitted, parameters, feature_names)
        true_values = None
        if truth is not None:
            known = {
                choose_parameters(fitted, [name], feature_names)[0]: value
                for name, value in truth.items()
            }
            true_values = [known.get(parameter, np.nan) for parameter in chosen]
        display = cls(
            np.column_stack([p.of(fitted.posterior_[p.key]) for p in chosen]),
            [parameter.name for parameter in chosen],
            supports=[parameter.support(fitted) for parameter in chosen],
            truth=true_values,
        )
        return display.plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, masses: Sequence[float] = (0.95, 0.5), color: Any = BLUE
    ) -> Self:
        """Draw on ``ax`` (one Axes is divided, an array holds a panel each) or on a new figure.

        Parameters
        ----------
        ax : Axes, array of Axes or None, default=None
            Where to draw: one Axes is divided into panels, an array holds a panel each, None makes
            a figure.
        masses : sequence of float, default=(0.95, 0.5)
            Share of the draws inside each contour.
        color : color, default="#0072B2"
            Of the densities and the contours.

        Returns
        -------
        self
        """
        plt = pyplot(type(self).__name__)
        draws = np.asarray(self.draws)
        d = draws.shape[1]
        figure, axes = panel_axes(plt, ax, (d, d), (2.0, 1.8) if d > 1 else (5.0, 3.6))
        supports = self.supports or [(-np.inf, np.inf)] * d
        truth = np.full(d, np.nan) if self.truth is None else np.asarray(self.truth, dtype=float)
        self.lines_, self.contours_ = [], {}
        for i in range(d):
            grid, density = smooth_density(draws[:, i], supports[i])
            self.lines_ += axes[i, i].plot(grid, density, color=color)
            axes[i, i].set_ylim(0, None)
            axes[i, i].set_yticks([])
            for j in range(i):
                self.contours_[i, j] = _contours(
                    axes[i, j], draws[:, j], draws[:, i], supports[j], supports[i], masses, color
                )
                _mark(axes[i, j].axhline, truth[i])
            for j in range(i + 1):
                _mark(axes[i, j].axvline, truth[j])
            for j in range(i + 1, d):
                axes[i, j].set_axis_off()
        _tidy(axes, self.names)
        figure.align_xlabels(axes[-1])
        figure.align_ylabels(axes[:, 0])
        self.axes_, self.ax_, self.figure_ = axes, axes[0, 0], figure
        return self


def _contours(ax, x, y, x_support, y_support, masses, color):
    """Filled credible regions of a pair, the smallest one darkest."""
    x_grid, y_grid, density, heights = smooth_density_2d(x, y, masses, x_support, y_support)
    levels = np.unique(heights)
    tints = np.linspace(0.25, 0.6, len(levels))
    for low, tint in zip(levels, tints, strict=True):
        ax.contourf(x_grid, y_grid, density, [low, np.inf], colors=[color], alpha=tint)
    return ax.contour(x_grid, y_grid, density, levels, colors=[color], linewidths=1)


def _mark(line, value):
    if np.isfinite(value):
        line(value, color=VERMILION, ls=":", lw=1.5)


def _tidy(axes, names):
    """Names on the outer panels only, and the same x limits down each column."""
    d = len(axes)
    for i in range(d):
        for j in range(i + 1):
            panel = axes[i, j]
            panel.set_xlim(axes[j, j].get_xlim())
            if i > j:
                panel.set_ylim(axes[i, i].get_xlim())
            panel.locator_params(axis="x", nbins=4)
            panel.tick_params(axis="x", rotation=35)
            if i < d - 1:
                panel.tick_params(labelbottom=False)
            else:
                panel.set_xlabel(display_text(names[j]))
            if i > j:
                panel.locator_params(axis="y", nbins=4)
                panel.tick_params(labelleft=j == 0)
                if j == 0:
                    panel.set_ylabel(display_text(names[i]))
