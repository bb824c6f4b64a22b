"""Rows where they lie, coloured by their frequency of detection."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_regressor
from sklearn.utils import check_array, column_or_1d

from ..estimators.naming import column_names, row_labels
from ..estimators.naming import target_name as target_text
from ..estimators.unwrapping import unwrap
from ._axes import (
    edge_label,
    grid_shape,
    mark_rows,
    panel_axes,
    point_style,
    pyplot,
    within_frame,
)
from ._fitted import column_positions

__all__ = ["FoDDisplay"]

_MOST_COLUMNS = 4


class FoDDisplay:
    """Rows in data or residual space, coloured by FoD: which to distrust, and where they are.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Columns to draw.
    fod : ndarray of shape (n,)
        Frequency of detection of each row.
    names : sequence of str, length d
        Axis labels.
    pairs : sequence of (int, int)
        One panel each: the columns of ``values`` on the x and the y axis.
    log_density : ndarray of shape (n,) or None, default=None
        Picks the rows to name, lowest first; None picks by ``fod``.
    index : sequence of length n or None, default=None
        Row labels; None numbers the rows from 0.
    zero_line : bool, default=False
        Draw a line at y = 0, for residuals.

    Attributes
    ----------
    points_ : list of PathCollection
        One for each panel; rows are drawn in order of FoD, highest on top.
    marked_ : list of list of Line2D
        Rings around the worst rows of each panel, labelled; named above the first one.
    colorbar_ : Colorbar
    axes_ : ndarray of Axes
    ax_, figure_ : Axes of the first panel, Figure

    Examples
    --------
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.datasets import make_contaminated_regression
    >>> from skholder.inspection import FoDDisplay
    >>> X, y, outliers = make_contaminated_regression(200, random_state=0)
    >>> model = HolderBayesRegressor(inference="laplace", random_state=0).fit(X, y)
    >>> display = FoDDisplay.from_estimator(model, X, y)
    >>> display.ax_.get_ylabel()
    'Residual of y'
    """

    def __init__(
        self,
        values: ArrayLike,
        fod: ArrayLike,
        names: Sequence[str],
        pairs: Sequence[tuple[int, int]],
        *,
        log_density: ArrayLike | None = None,
        index: Any = None,
        zero_line: bool = False,
    ) -> None:
        self.values = values
        self.fod = fod
        self.names = names
        self.pairs = pairs
        self.log_density = log_density
        self.index = index
        self.zero_line = zero_line

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        space: str = "auto",
        columns: Sequence[str | int] | None = None,
        feature_names: Sequence[str] | None = None,
        target_name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw rows, the training rows or others, coloured by their FoD.

        Parameters
        ----------
        estimator : HolderBayesRegressor, HolderBayesDensity or OutlierAuditor
            Fitted; also an AuditedEstimator or OutlierRejector, for the audit inside.
        X : array-like of shape (n, n_features)
            The rows to draw.
        y : array-like of shape (n,) or None, default=None
            Needed by a regressor.
        space : {"auto", "data", "residual"}, default="auto"
            ``"residual"``, the default of a regressor, draws residuals against fitted values or
            against ``columns``. ``"data"`` draws pairs of columns, or for a regressor y against
            each of them.
        columns : list of str or int, or None, default=None
            None takes all columns, or of more than four those in which flagged rows lie farthest
            from the middle.
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
        FoDDisplay
        """
        pyplot(cls.__name__)
        found = unwrap(estimator, cls.__name__, need_epsilon=True)
        fitted = found.fitted
        _check_space(space, fitted, y)
        names = column_names(found.table, feature_names)
        chosen = None if columns is None else column_positions(found.table, columns, names)
        residual = is_regressor(fitted) and space != "data"
        # A picture of residuals against predictions needs no numbers from X.
        plain = chosen is None and residual
        data = np.empty((0, 0)) if plain else check_array(X, dtype=np.float64)
        log_density, fod = fitted.audit_scores(*found.inputs(X, y))
        if chosen is None and not residual:
            chosen = _telling_columns(data, fod)
        values = [data[:, j] for j in chosen or []]
        labels = [names[j] for j in chosen or []]
        if is_regressor(fitted):
            what = target_text(y, target_name)
            target = column_or_1d(y).astype(np.float64)
            prediction = found.prediction(X, y)
            if not values:
                values, labels = [prediction], [f"Fitted {what}"]
            values.append(target - prediction if residual else target)
            labels.append(f"Residual of {what}" if residual else what)
        elif len(values) == 1:
            values.insert(0, np.arange(len(data)))
            labels.insert(0, "Row number")
        d = len(values)
        against_last = [(j, d - 1) for j in range(d - 1)]
        display = cls(
            np.column_stack(values),
            fod,
            labels,
            against_last if is_regressor(fitted) else list(combinations(range(d), 2)),
            log_density=log_density,
            index=row_labels(X),
            zero_line=residual,
        )
        return display.plot(ax, **kwargs)

    def plot(
        self, ax: Any = None, *, n_labels: int = 3, cmap: Any = "viridis_r", **kwargs: Any
    ) -> Self:
        """Draw on ``ax`` (one Axes is divided, an array holds a panel each) or on a new figure.

        Where wild rows (more than 40 interquartile ranges beyond the quartiles) would squeeze the
        others into a dot they are drawn at the edge, and the axis says how many.

        Parameters
        ----------
        ax : Axes, array of Axes or None, default=None
            Where to draw: one Axes is divided into panels, an array holds a panel each, None makes
            a figure.
        n_labels : int, default=3
            How many of the worst rows to ring and name.
        cmap : str or Colormap, default="viridis_r"
            Colours for FoD from 0 to 1.
        **kwargs : dict
            For ``scatter``.

        Returns
        -------
        self
        """
        plt = pyplot(type(self).__name__)
        size = (5.6, 4.2) if len(self.pairs) == 1 else (3.6, 3.2)
        figure, axes = panel_axes(plt, ax, grid_shape(len(self.pairs)), size)
        values, fod = np.asarray(self.values), np.asarray(self.fod)
        order = np.argsort(fod, kind="stable")
        worst = np.argsort(-fod if self.log_density is None else self.log_density, kind="stable")
        worst = worst[:n_labels]
        labels = worst if self.index is None else [self.index[row] for row in worst]
        style = {**point_style(len(fod)), **kwargs}
        self.points_: list[Any] = []
        self.marked_: list[list[Any]] = []
        for panel, (i, j) in zip(axes.flat, self.pairs, strict=False):
            (x, far), (y, deep) = within_frame(values[:, i]), within_frame(values[:, j])
            if self.zero_line:
                panel.axhline(0, color="0.6", lw=1, zorder=0)
            self.points_.append(
                panel.scatter(x[order], y[order], c=fod[order], cmap=cmap, vmin=0, vmax=1, **style)
            )
            panel.set(xlabel=edge_label(self.names[i], far), ylabel=edge_label(self.names[j], deep))
            self.marked_.append(
                mark_rows(panel, x[worst], y[worst], labels, legend=not self.marked_)
            )
        for panel in axes.flat[len(self.pairs) :]:
            panel.set_axis_off()
        self.colorbar_ = figure.colorbar(
            self.points_[0], ax=axes.ravel().tolist(), label="Frequency of detection (FoD)"
        )
        self.axes_, self.ax_, self.figure_ = axes, axes.flat[0], figure
        return self


def _check_space(space, fitted, y):
    if space not in ("auto", "data", "residual"):
        raise ValueError(f"space must be 'auto', 'data' or 'residual', got {space!r}.")
    if is_regressor(fitted):
        if y is None:
            raise ValueError("This estimator audits y given X: pass y too.")
    elif space == "residual":
        raise ValueError("space='residual' needs a regressor; a density has no residuals.")


def _telling_columns(data, fod, most=_MOST_COLUMNS):
    """At most four columns, those in which rows of high FoD lie farthest from the middle."""
    if data.shape[1] <= most:
        return list(range(data.shape[1]))
    middle = np.median(data, axis=0)
    spread = np.median(np.abs(data - middle), axis=0)
    spread = np.where(spread > 0, spread, np.std(data, axis=0))
    distance = np.abs(data - middle) / np.where(spread > 0, spread, 1.0)
    # Capped, so that one wild cell does not outvote many odd ones.
    score = fod @ np.minimum(distance, 10.0)
    return sorted(np.argsort(-score, kind="stable")[:most].tolist())
