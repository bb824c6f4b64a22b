"""How far each row pulls the posterior means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_regressor
from sklearn.utils import check_array, column_or_1d

from ..estimators.naming import column_names, row_labels
from ..estimators.naming import target_name as target_text
from ..estimators.unwrapping import unwrap
from ._axes import (
    BLUE,
    display_text,
    edge_label,
    grid_shape,
    mark_rows,
    panel_axes,
    point_style,
    pyplot,
    within_frame,
)
from ._fitted import choose_parameters

__all__ = ["InfluenceDisplay"]


class InfluenceDisplay:
    """Change of each posterior mean were one more row like this one added, row by row.

    Rows that follow the model pull in proportion to their distance; rows far from it hardly at
    all, which is what makes the fit robust.

    Parameters
    ----------
    x : ndarray of shape (n, d)
        Where to draw each row, parameter by parameter.
    change : ndarray of shape (n, d)
        Change of each parameter's posterior mean.
    names : sequence of str, length d
        Of the parameters.
    x_names : sequence of str, length d
        Labels of the x axes.
    fod : ndarray of shape (n,) or None, default=None
        Colours the rows by their frequency of detection.
    index : sequence of length n or None, default=None
        Row labels; None numbers the rows from 0.

    Attributes
    ----------
    points_ : list of PathCollection
        One for each panel, rows in order of FoD, highest on top.
    marked_ : list of list of Line2D
        Rings around the rows of largest influence in each panel, labelled.
    colorbar_ : Colorbar or None
    axes_ : ndarray of Axes
    ax_, figure_ : Axes of the first panel, Figure

    Examples
    --------
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.datasets import make_contaminated_regression
    >>> from skholder.inspection import InfluenceDisplay
    >>> X, y, outliers = make_contaminated_regression(200, random_state=0)
    >>> model = HolderBayesRegressor(inference="laplace", random_state=0).fit(X, y)
    >>> display = InfluenceDisplay.from_estimator(model, X, y, parameters=["coef[0]"])
    >>> display.ax_.get_ylabel()
    'Change of coef[x0]'
    """

    def __init__(
        self,
        x: ArrayLike,
        change: ArrayLike,
        names: Sequence[str],
        x_names: Sequence[str],
        *,
        fod: ArrayLike | None = None,
        index: Any = None,
    ) -> None:
        self.x = x
        self.change = change
        self.names = names
        self.x_names = x_names
        self.fod = fod
        self.index = index

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        parameters: Sequence[str] | None = None,
        feature_names: Sequence[str] | None = None,
        target_name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the influence of rows, the training rows or others, on posterior means.

        A regressor's panels have residuals on the x axis; a density's the column that the
        parameter belongs to, or the log predictive density where it belongs to several.

        Parameters
        ----------
        estimator : HolderBayesRegressor, HolderBayesDensity or OutlierAuditor
            Fitted; also an AuditedEstimator or OutlierRejector, for the audit inside.
        X : array-like of shape (n, n_features)
            The rows to draw.
        y : array-like of shape (n,) or None, default=None
            Needed by a regressor.
        parameters : list of str or None, default=None
            Such as ``"coef[bmi]"``, ``"scale"``, ``"epsilon"``, or ``"coef"`` for all of them, one
            panel each. None takes the first three of each vector and the scalars, six in all.
        feature_names : list of str or None, default=None
            Labels of the columns, units included; None takes those of the fitted table.
        target_name : str or None, default=None
            Label of y; None takes its own name, if it has one.
        ax : Axes, array of Axes or None, default=None
            Where to draw: one Axes is divided into panels, an array holds a panel each, None makes
            a figure.
        **kwargs : dict
            For :meth:`plot`.

        Returns
        -------
        InfluenceDisplay
        """
        pyplot(cls.__name__)
        found = unwrap(estimator, cls.__name__)
        fitted = found.fitted
        chosen = choose_parameters(fitted, parameters, feature_names)
        regression = is_regressor(fitted)
        if regression and y is None:
            raise ValueError("This estimator models y given X: pass y too.")
        args = found.inputs(X, y)
        moved = fitted.influence(*args).parameters
        change = (
            np.column_stack([p.change_of(moved[p.key]) for p in chosen])
            / fitted.record_.total_weight
        )
        if regression:
            residual = column_or_1d(y).astype(np.float64) - found.prediction(X, y)
            x = np.repeat(residual[:, None], len(chosen), axis=1)
            x_names = [f"Residual of {target_text(y, target_name)}"] * len(chosen)
        else:
            x, x_names = _own_columns(fitted, X, chosen, column_names(fitted, feature_names))
        display = cls(
            x,
            change,
            [parameter.name for parameter in chosen],
            x_names,
            fod=fitted.fod(*args) if hasattr(fitted, "fod_scores_") else None,
            index=row_labels(X),
        )
        return display.plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, n_labels: int = 2, cmap: Any = "viridis_r", **kwargs: Any
    ) -> Self:
        """Draw on ``ax`` (one Axes is divided, an array holds a panel each) or on a new figure.

        Where wild rows (more than 40 interquartile ranges beyond the quartiles of x) would squeeze
        the others into a dot they are drawn at the edge, and the axis says how many.

        Parameters
        ----------
        ax : Axes, array of Axes or None, default=None
            Where to draw: one Axes is divided into panels, an array holds a panel each, None makes
            a figure.
        n_labels : int, default=2
            How many of the rows of largest influence to ring and name in each panel.
        cmap : str or Colormap, default="viridis_r"
            Colours for FoD from 0 to 1.
        **kwargs : dict
            For ``scatter``.

        Returns
        -------
        self
        """
        plt = pyplot(type(self).__name__)
        x, change = np.asarray(self.x), np.asarray(self.change)
        n, d = change.shape
        size = (5.6, 4.2) if d == 1 else (3.8, 3.0)
        figure, axes = panel_axes(plt, ax, grid_shape(d), size)
        order = np.arange(n) if self.fod is None else np.argsort(self.fod, kind="stable")
        style = {**point_style(n), **kwargs}
        if self.fod is None:
            style = {"color": BLUE, **style}
        else:
            style.update(c=np.asarray(self.fod)[order], cmap=cmap, vmin=0, vmax=1)
        self.points_: list[Any] = []
        self.marked_: list[list[Any]] = []
        for j, panel in enumerate(axes.flat[:d]):
            panel.axhline(0, color="0.6", lw=1, zorder=0)
            across, wild = within_frame(x[:, j])
            self.points_.append(panel.scatter(across[order], change[order, j], **style))
            panel.set(
                xlabel=edge_label(self.x_names[j], wild),
                ylabel=f"Change of {display_text(self.names[j])}",
            )
            panel.ticklabel_format(axis="y", scilimits=(-3, 4))
            largest = np.argsort(-np.abs(change[:, j]), kind="stable")[:n_labels]
            labels = largest if self.index is None else [self.index[row] for row in largest]
            self.marked_.append(mark_rows(panel, across[largest], change[largest, j], labels))
        for panel in axes.flat[d:]:
            panel.set_axis_off()
        self.colorbar_ = None
        if self.fod is not None:
            self.colorbar_ = figure.colorbar(
                self.points_[0], ax=axes.ravel().tolist(), label="Frequency of detection (FoD)"
            )
        self.axes_, self.ax_, self.figure_ = axes, axes.flat[0], figure
        return self


def _own_columns(fitted, X, chosen, names):
    """What a density's panels have on the x axis, shape (n, d), and its labels."""
    data = check_array(X, dtype=np.float64)
    log_density = None
    if any(parameter.column is None for parameter in chosen):
        log_density = fitted.score_samples(X)
    x = [log_density if p.column is None else data[:, p.column] for p in chosen]
    labels = ["Log predictive density" if p.column is None else names[p.column] for p in chosen]
    return np.column_stack(x), labels
