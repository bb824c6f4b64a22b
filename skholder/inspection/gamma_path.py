"""The path along which the power gamma was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..estimators.unwrapping import unwrap
from ._axes import BLUE, GREY, VERMILION, display_text, panel_axes, pyplot
from ._fitted import choose_parameters

__all__ = ["GammaPathDisplay"]


class GammaPathDisplay:
    """Why this gamma: the criterion, epsilon and estimates against the power, one panel each.

    Parameters
    ----------
    gamma : ndarray of shape (G,)
        The powers tried, ascending.
    criterion : ndarray of shape (G,)
        Estimated mean squared error at each; infinite where the fit has broken down.
    epsilon : ndarray of shape (G,)
        Share of rows outside the model at each.
    chosen : int
        Position of the power chosen.
    pilot : int or None, default=None
        Position of the first pilot, the power that the others were compared with.
    estimates : ndarray of shape (G, q) or None, default=None
        Estimates at each power, a panel each.
    names : sequence of str, length q, or None, default=None
        Axis labels of the estimates; None numbers them.

    Attributes
    ----------
    lines_ : list of Line2D
        The criterion, epsilon and the estimates.
    chosen_lines_, pilot_lines_ : list of Line2D
        The power chosen and the pilot, one line in each panel; no pilot, no lines.
    axes_ : ndarray of Axes, shape (2 + q, 1)
    ax_, figure_ : Axes of the first panel, Figure

    Examples
    --------
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.datasets import make_contaminated_regression
    >>> from skholder.inspection import GammaPathDisplay
    >>> X, y, outliers = make_contaminated_regression(200, random_state=0)
    >>> model = HolderBayesRegressor(inference="laplace", random_state=0).fit(X, y)
    >>> display = GammaPathDisplay.from_estimator(model, parameters=["scale"])
    >>> display.axes_.shape
    (3, 1)
    """

    def __init__(
        self,
        gamma: ArrayLike,
        criterion: ArrayLike,
        epsilon: ArrayLike,
        *,
        chosen: int,
        pilot: int | None = None,
        estimates: ArrayLike | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.gamma = gamma
        self.criterion = criterion
        self.epsilon = epsilon
        self.chosen = chosen
        self.pilot = pilot
        self.estimates = estimates
        self.names = names

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        *,
        parameters: Sequence[str] | None = None,
        feature_names: Sequence[str] | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the path of a fitted estimator whose ``gamma`` was ``"auto"``.

        Parameters
        ----------
        estimator : HolderBayesRegressor, HolderBayesDensity or OutlierAuditor
            Fitted; also an AuditedEstimator or OutlierRejector, for the audit inside.
        parameters : list of str or None, default=None
            Estimates to show in the user's units, such as ``"coef[bmi]"``, ``"scale"``, or
            ``"coef"`` for all of them; None shows none.
        feature_names : list of str or None, default=None
            Labels of the columns; None takes those of the fitted table.
        ax : Axes, array of Axes or None, default=None
            Where to draw: one Axes is divided into panels, an array holds a panel each, None makes
            a figure.
        **kwargs : dict
            For the lines.

        Returns
        -------
        GammaPathDisplay
        """
        pyplot(cls.__name__)
        fitted = unwrap(estimator, cls.__name__).fitted
        path = getattr(fitted, "gamma_path_", None)
        if path is None:
            raise ValueError(
                f"{cls.__name__} needs the path of gamma='auto'; this fit has gamma="
                f"{fitted.gamma!r} and divergence={fitted.divergence!r}. See "
                "skholder.model_selection.select_gamma for the path without a fit."
            )
        wanted = [] if parameters is None else parameters
        chosen = choose_parameters(fitted, wanted, feature_names)
        # Epsilon has its panel already.
        chosen = [parameter for parameter in chosen if parameter.key != "alpha"]
        along = fitted.record_.model.to_units(path.theta, fitted.record_.units)
        display = cls(
            path.gamma,
            path.criterion,
            path.epsilon,
            chosen=path.chosen,
            pilot=path.pilot,
            estimates=np.column_stack([p.of(along[p.key]) for p in chosen]) if chosen else None,
            names=[parameter.name for parameter in chosen],
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on ``ax`` or on a new figure.

        Parameters
        ----------
        ax : Axes, array of Axes or None, default=None
            Where to draw: one Axes is divided into panels, an array holds 2 + q of them, None makes
            a figure.
        **kwargs : dict
            For the lines.

        Returns
        -------
        self
        """
        plt = pyplot(type(self).__name__)
        gamma = np.asarray(self.gamma, float)
        panels = self._panels(len(gamma))
        figure, axes = panel_axes(plt, ax, (len(panels), 1), (6.4, 1.9))
        self.lines_: list[Any] = []
        self.chosen_lines_: list[Any] = []
        self.pilot_lines_: list[Any] = []
        for panel, (name, values) in zip(axes[:, 0], panels, strict=True):
            # matplotlib has no place for infinity: a fit that broke down is a gap.
            shown = np.where(np.isfinite(values), values, np.nan)
            style = {"color": BLUE, "marker": "o", "ms": 4, **kwargs}
            self.lines_ += panel.plot(gamma, shown, **style)
            at = float(gamma[self.chosen])
            self.chosen_lines_.append(
                panel.axvline(at, color=VERMILION, ls="--", label=f"chosen: {at:.2f}")
            )
            if self.pilot is not None:
                at = float(gamma[self.pilot])
                self.pilot_lines_.append(
                    panel.axvline(at, color=GREY, ls=":", lw=2, label=f"first pilot: {at:.2f}")
                )
            panel.set_ylabel(display_text(name))
            panel.label_outer()
        axes[1, 0].set_ylim(bottom=0)
        axes[-1, 0].set_xlabel("Power gamma")
        axes[0, 0].legend(
            handles=[*self.chosen_lines_[:1], *self.pilot_lines_[:1]],
            ncols=2,
            frameon=False,
            loc="lower right",
            bbox_to_anchor=(1, 1),
            borderaxespad=0.2,
        )
        figure.align_ylabels(axes[:, 0])
        self.axes_, self.ax_, self.figure_ = axes, axes[0, 0], figure
        return self

    def _panels(self, size):
        """(name, values (G,)) of each panel."""
        panels = [("Criterion", self.criterion), ("Epsilon", self.epsilon)]
        if self.estimates is not None:
            columns = np.asarray(self.estimates, float).reshape(size, -1).T
            names = self.names or [f"estimate {j}" for j in range(len(columns))]
            panels += list(zip(names, columns, strict=True))
        return [(name, np.asarray(values, float)) for name, values in panels]
