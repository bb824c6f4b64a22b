"""Draws of each ensemble, with the numbers that say whether they agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..estimators.unwrapping import unwrap
from ..sampling import ess_bulk, ess_tail, r_hat
from ..summaries.smoothing import smooth_density
from ._axes import PALETTE, display_text, panel_axes, pyplot
from ._fitted import choose_parameters

__all__ = ["TraceDisplay"]

_STYLES = ("-", "--", "-.", ":")


class TraceDisplay:
    """One line of panels for each parameter: densities by ensemble, and the draws in order.

    Parameters
    ----------
    draws : ndarray of shape (n_ensembles, n, d)
        n draws of d parameters from each ensemble.
    names : sequence of str, length d
        Axis labels.
    r_hat, ess_bulk, ess_tail : sequence of float, length d, or None, default=None
        R-hat and effective sample sizes of the bulk and the tails, written above the draws.
    supports : sequence of (float, float), length d, or None, default=None
        Intervals that the parameters cannot leave.

    Attributes
    ----------
    lines_ : list of list of Line2D
        The draws, by parameter and ensemble; ``density_lines_`` the densities.
    density_lines_ : list of list of Line2D
    axes_ : ndarray of Axes, shape (d, 2)
    ax_, figure_ : Axes of the first panel, Figure

    Examples
    --------
    >>> from skholder import HolderBayesRegressor
    >>> from skholder.datasets import make_contaminated_regression
    >>> from skholder.inspection import TraceDisplay
    >>> X, y, outliers = make_contaminated_regression(200, random_state=0)
    >>> model = HolderBayesRegressor(inference="laplace", random_state=0).fit(X, y)
    >>> display = TraceDisplay.from_estimator(model, parameters=["coef", "epsilon"])
    >>> display.axes_.shape
    (3, 2)
    """

    def __init__(
        self,
        draws: ArrayLike,
        names: Sequence[str],
        *,
        r_hat: Sequence[float] | None = None,
        ess_bulk: Sequence[float] | None = None,
        ess_tail: Sequence[float] | None = None,
        supports: Sequence[tuple[float, float]] | None = None,
    ) -> None:
        self.draws = draws
        self.names = names
        self.r_hat = r_hat
        self.ess_bulk = ess_bulk
        self.ess_tail = ess_tail
        self.supports = supports

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
        """Draw the trace of parameters of a fitted estimator, in the user's units.

        R-hat and effective sizes are those of ``diagnostics_``. Parameters that are no coordinate
        of the sampler (an intercept, the location of a full normal, in the user's units) get their
        own, from the draws shown. Laplace draws are independent and have none.

        Parameters
        ----------
        estimator : HolderBayesRegressor, HolderBayesDensity or OutlierAuditor
            Fitted; also an AuditedEstimator or OutlierRejector, for the audit inside.
        parameters : list of str or None, default=None
            Such as ``"coef[bmi]"``, ``"scale"``, ``"epsilon"``, or ``"coef"`` for all of them, one
            line of panels each. None takes the first three of each vector and the scalars, six in
            all.
        feature_names : list of str or None, default=None
            Labels of the columns; None takes those of the fitted table.
        ax : Axes, array of Axes or None, default=None
            Where to draw: one Axes is divided into panels, an array holds a panel each, None makes
            a figure.
        **kwargs : dict
            For :meth:`plot`.

        Returns
        -------
        TraceDisplay
        """
        pyplot(cls.__name__)
        fitted = unwrap(estimator, cls.__name__).fitted
        chosen = choose_parameters(fitted, parameters, feature_names)
        chains = [
            p.of(fitted.posterior_[p.key]).reshape(fitted.record_.n_chains, -1) for p in chosen
        ]
        diagnostics = {}
        if fitted.diagnostics_.r_hat:
            for name, compute in (("r_hat", r_hat), ("ess_bulk", ess_bulk), ("ess_tail", ess_tail)):
                known = getattr(fitted.diagnostics_, name)
                diagnostics[name] = [
                    known[p.coordinate] if p.coordinate in known else compute(chain[:, None])
                    for p, chain in zip(chosen, chains, strict=True)
                ]
        display = cls(
            np.stack(chains, axis=-1),
            [parameter.name for parameter in chosen],
            supports=[parameter.support(fitted) for parameter in chosen],
            **diagnostics,
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on ``ax`` or on a new figure.

        Parameters
        ----------
        ax : Axes, array of Axes or None, default=None
            Where to draw: one Axes is divided into panels, an array holds d x 2 of them, None makes
            a figure.
        **kwargs : dict
            For the lines of the draws.

        Returns
        -------
        self
        """
        plt = pyplot(type(self).__name__)
        draws = np.asarray(self.draws)
        n_chains, _, d = draws.shape
        figure, axes = panel_axes(plt, ax, (d, 2), (4.6, 1.7))
        supports = self.supports or [(-np.inf, np.inf)] * d
        self.lines_: list[list[Any]] = []
        self.density_lines_: list[list[Any]] = []
        for j, (left, right) in enumerate(axes):
            self.lines_.append([])
            self.density_lines_.append([])
            for k in range(n_chains):
                colour = PALETTE[k % len(PALETTE)]
                chain = draws[k, :, j]
                self.density_lines_[j] += left.plot(
                    *smooth_density(chain, supports[j]),
                    color=colour,
                    ls=_STYLES[k % len(_STYLES)],
                    label=f"{k + 1}" if k else "Ensemble 1",
                )
                style = {"lw": 0.5, "alpha": 0.8, "color": colour, **kwargs}
                self.lines_[j] += right.plot(np.arange(1, len(chain) + 1), chain, **style)
            left.set(xlabel=display_text(self.names[j]), yticks=[], ylim=(0, None))
            right.set_ylabel(display_text(self.names[j]))
            right.set_title(self._summary(j), fontsize="medium", loc="right")
            right.margins(x=0)
        axes[-1, 1].set_xlabel("Draw, walker by walker")
        if n_chains > 1:
            axes[0, 0].legend(
                frameon=False,
                fontsize="small",
                ncols=min(n_chains, 6),
                loc="lower left",
                bbox_to_anchor=(0, 1),
                borderaxespad=0.2,
            )
        figure.align_ylabels(axes[:, 1])
        self.axes_, self.ax_, self.figure_ = axes, axes[0, 0], figure
        return self

    def _summary(self, j):
        """R-hat and effective numbers of draws of a parameter, as far as they are known."""
        parts = []
        if self.r_hat is not None:
            parts.append(f"R-hat {self.r_hat[j]:.3f}")
        if self.ess_bulk is not None:
            parts.append(f"ESS {self.ess_bulk[j]:,.0f}")
        if self.ess_tail is not None:
            parts.append(f"tail ESS {self.ess_tail[j]:,.0f}")
        return ", ".join(parts)
