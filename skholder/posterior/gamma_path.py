"""The power gamma, chosen from the data along a path of risk minimisers.

At every power of a grid the risk has a minimiser, and the estimates of a larger power are less
biased by outliers and noisier. With T the estimates in comparable units (coefficients or location
in the pilot's scale, log scales, four times epsilon), the choice minimises the estimated mean
squared error against a pilot at a large power (Warwick and Jones 2005, iterated as in Basak, Basu
and Jones 2021)::

    AMSE(gamma) = |T(gamma) - T(pilot)|^2 + tr Cov T(gamma)

then the pilot moves there, until it stays. Covariances are sandwiches of influence values. If
outliers go uncounted there that a larger power surely counts, the next power is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..divergences import PseudoSpherical
from .collapsed import ProfileRisk
from .dominance import dominant_mode
from .influence_values import InfluenceValues, influence_values
from .minimisers import free_minimiser, minimise_from
from .search import search_random

__all__ = ["GammaPath", "efficient_gamma", "gamma_path", "single_power"]

# Efficiencies of a normal location at the powers of the grid.
_EFFICIENCIES = (0.96, 0.92, 0.87, 0.80, 0.72, 0.63, 0.54, 0.47, 0.41)
# The pilot's efficiency by rows per parameter: with few rows a large power is all noise.
_PILOTS = ((100, 0.41), (25, 0.56), (10, 0.75), (0, 0.84))
# The path is found on at most this many rows, or this many for each parameter if that is more, and
# its estimates are refined on more of them: with many rows a bias weighs more than a variance.
_PATH_ROWS, _PATH_ROWS_EACH, _REFINE_ROWS = 1000, 25, 4000
_MAX_MODES = 3
# Where a climb stops, in nats, and where one that starts close to its end does.
_ACCURACY, _SETTLED = 1e-3, 0.1
# Powers further beyond the pilot's than this are not looked at.
_BEYOND_PILOT = 1.7
# rho this many standard errors above 1, with rows flatter than a normal by this much excess
# kurtosis, is the mark of a wide fit laid over two groups.
_ABOVE, _FLAT = 3.0, -0.6
# A share of inliers above that of a larger power by so many standard deviations of the difference
# is biased.
_HIDDEN = 2.0
# An error of epsilon counts this many times an error of a coefficient in units of sigma.
_EPSILON_UNIT = 4.0


def efficient_gamma(n_columns, efficiency=0.8):
    """The gamma that leaves a k-variate normal location this asymptotic efficiency.

    ((1 + 2 gamma) / (1 + gamma)^2)^(k/2 + 1) = efficiency, solved for gamma.
    """
    q = np.sqrt(1 - efficiency ** (1 / (n_columns / 2 + 1)))
    return float(q / (1 - q))


@dataclass(frozen=True)
class GammaPath:
    """Estimates along a grid of powers, and the power chosen.

    Attributes
    ----------
    gamma : ndarray of shape (G,)
        Ascending.
    criterion : ndarray of shape (G,)
        Estimated mean squared error against the last pilot; infinite where the fit has broken down.
    epsilon : ndarray of shape (G,)
        Share of rows outside the model, clipped at 0.
    theta : ndarray of shape (G, d)
        Estimates on the computing scale.
    modes : tuple of ndarray of shape (M, d)
        All minimisers of the risk found at each power.
    chosen, pilot : int
        Positions of the power chosen, and of the first pilot.
    n_rows : int
        Rows that the path was found on.
    """

    gamma: NDArray[np.float64]
    criterion: NDArray[np.float64]
    epsilon: NDArray[np.float64]
    theta: NDArray[np.float64]
    modes: tuple[NDArray[np.float64], ...]
    chosen: int
    pilot: int
    n_rows: int

    @property
    def best(self) -> float:
        """The power chosen."""
        return float(self.gamma[self.chosen])

    def descending(self) -> list[tuple[float, GammaPath]]:
        """(gamma, path) of the power chosen and of every smaller one, largest first.

        A large power may leave a posterior of few rows vacuous where a smaller one does not.
        """
        return [(float(self.gamma[g]), replace(self, chosen=g)) for g in range(self.chosen, -1, -1)]

    def ascending(self) -> list[tuple[float, GammaPath]]:
        """(gamma, path) of every power above the one chosen, up to the pilot's, smallest first.

        A small power may have a mode that a larger one has not, a wide fit over all rows.
        """
        larger = range(self.chosen + 1, self.pilot + 1)
        return [(float(self.gamma[g]), replace(self, chosen=g)) for g in larger]

    @property
    def starts(self) -> NDArray[np.float64] | None:
        """The minimisers at the power chosen (M, d), where a fit may start; None without any."""
        return self.modes[self.chosen] if self.modes else None

    def to_frame(self) -> Any:
        """A pandas DataFrame with one line for each power."""
        import pandas as pd

        columns = {"gamma": self.gamma, "criterion": self.criterion, "epsilon": self.epsilon}
        frame = pd.DataFrame(columns)
        frame["chosen"] = frame.index == self.chosen
        return frame

    def __repr__(self) -> str:
        ends = f"{self.gamma[0]:.2f} to {self.gamma[-1]:.2f}"
        return f"GammaPath(chosen {self.best:.2f} of {len(self.gamma)} powers, {ends})"


def gamma_path(model, rows, lower, random):
    """Choose gamma for a model on its rows.

    Parameters
    ----------
    model : WorkingModel
    rows : RowBlocks
    lower : float
        Smallest inlier share allowed, 1 - max_contamination.
    random : numpy.random.RandomState

    Returns
    -------
    GammaPath
    """
    random = search_random(random, len(rows), model.n_params)
    few = rows.subsample(max(_PATH_ROWS, _PATH_ROWS_EACH * model.n_params))
    grid = np.array([efficient_gamma(model.n_modelled, e) for e in _EFFICIENCIES])
    top = _pilot_gamma(rows.total_weight / (model.n_params + 1), model.n_modelled)
    grid = grid[grid <= _BEYOND_PILOT * top]
    modes = _modes_along(model, few, grid, model.starts(few.rows, few.weight, random))
    found = [
        dominant_mode(model, few, g, points, lower) for g, points in zip(grid, modes, strict=True)
    ]
    known = [g for g, one in enumerate(found) if one is not None]
    if not known:
        # Spikes only: the efficiency rule must do.
        return single_power(model, len(few))
    more = rows.subsample(max(len(few), _REFINE_ROWS))
    candidates = [found[g] for g in known]
    if len(more) > len(few):
        candidates = _settled(model, more, candidates)
    sane = [j for j, one in enumerate(candidates) if not _broken_down(one, few)] or list(
        range(len(candidates))
    )
    # The largest sound power that this many rows per parameter can afford.
    pilot = max((j for j in sane if candidates[j].gamma <= top), default=sane[0])
    units = model.path_units(few.rows, few.weight)
    chosen, criterion = _warwick_jones(model, candidates, sane, pilot, units)
    later = [j for j in sane if chosen < j <= pilot]
    if _hides_rows(candidates[chosen], [candidates[j] for j in later], more.weight):
        # One step and no more: a chance finding must not lead far from the best power.
        chosen = later[0]
    return GammaPath(
        gamma=np.array([one.gamma for one in candidates]),
        criterion=criterion,
        epsilon=np.array([max(1 - one.rho, 0.0) for one in candidates]),
        theta=np.array([one.theta for one in candidates]),
        modes=tuple(np.array(modes[g]) for g in known),
        chosen=chosen,
        pilot=pilot,
        n_rows=len(few),
    )


def _settled(model, rows, candidates):
    """The candidates settled on more rows."""
    settled, step = [], np.zeros(model.n_params)
    for one in candidates:
        # What more rows did to the estimate at one power they nearly do at the next one too.
        theta = free_minimiser(model, rows, one.gamma, one.theta + step, _SETTLED)
        step = theta - one.theta
        settled.append(influence_values(model, rows, theta, one.gamma))
    return settled


def single_power(model, n_rows):
    """A :class:`GammaPath` of one power, the one that keeps 80% efficiency."""
    gamma = efficient_gamma(model.n_modelled)
    nothing = np.full((1, model.n_params), np.nan)
    none = np.array([np.nan])
    return GammaPath(np.array([gamma]), none, none, nothing, (), 0, 0, n_rows)


def _modes_along(model, rows, grid, starts):
    """Minimisers (M, d) at every power: from the starts at both ends, then from neighbours."""

    def risk(g, multiplier=1.0):
        return ProfileRisk(model, rows, PseudoSpherical(), grid[g], 0.0, multiplier)

    def climb(g, points):
        risk_times = partial(risk, g)
        return minimise_from(np.asarray(points), risk_times, tolerance=_ACCURACY)[:_MAX_MODES]

    last = len(grid) - 1
    modes = [climb(last, starts)]
    for g in range(last - 1, -1, -1):
        points = modes[0] if len(modes[0]) else starts
        if len(modes) > 1 and len(modes[0]) == len(modes[1]) == 1:
            # A mode moves along with the power: it goes on as it went.
            pace = (grid[g] - grid[g + 1]) / (grid[g + 1] - grid[g + 2])
            points = points + pace * (modes[0] - modes[1])
        modes.insert(0, climb(g, points))
    # Modes that only small powers have are followed upwards as far as they go.
    order = np.argsort([-risk(0).height(start) for start in starts], kind="stable")
    news = climb(0, starts[order[:_MAX_MODES]])
    for g in range(len(grid)):
        news = climb(g, news) if g else news
        before = len(modes[g])
        modes[g] = _merged(modes[g], news)
        news = modes[g][before:]
        if not len(news):
            break
    return modes


def _merged(first, second):
    """Two sets of points (M, d) as one, without repeats."""
    kept = list(first)
    for point in second:
        if not any(np.max(np.abs(point - other)) < 1e-3 for other in kept):
            kept.append(point)
    return kept


def _broken_down(one: InfluenceValues, rows):
    """Whether the fit is a wide one over two groups: S / C lies far above what a share can be."""
    sd = max(np.sqrt(one.rho_variance), 1e-12)
    kurtosis = -8 * (one.rho - 1) * ((1 + one.gamma) / one.gamma) ** 2
    return (one.rho - 1) / sd > _ABOVE and kurtosis < _FLAT


def _hides_rows(one: InfluenceValues, larger, weight):
    """Whether one of the larger powers finds more outliers, by more than chance.

    Errors of many coefficients outweigh that of the one share in the criterion, and the count of
    rows would be too small.
    """

    def surely_more(other):
        square = (one.b - other.b) ** 2
        total = len(square) if weight is None else weight.sum()
        sd = np.sqrt(square.sum() if weight is None else weight @ square) / total
        return one.rho - other.rho > _HIDDEN * sd

    return any(surely_more(other) for other in larger)


def _pilot_gamma(rows_per_parameter, n_modelled):
    """The largest power for a pilot: with few rows per parameter a larger one is all noise."""
    efficiency = next(e for least, e in _PILOTS if rows_per_parameter >= least)
    return efficient_gamma(n_modelled, efficiency) * 1.001


def _warwick_jones(model, candidates, sane, pilot, units):
    """The position chosen, and the criterion (G,) of the last round."""
    seen = set()
    while True:
        criterion = np.full(len(candidates), np.inf)
        aim, _ = model.path_coordinates(candidates[pilot].theta, candidates[pilot].theta, units)
        for j in sane:
            criterion[j] = _amse(model, candidates[j], candidates[pilot], aim, units)
        best = int(np.argmin(criterion))
        if best == pilot or best in seen:
            return best, criterion
        seen.add(best)
        pilot = best


def _amse(model, one, pilot, aim, units):
    """Estimated mean squared error against a pilot, which has ``aim`` for coordinates."""
    values, jacobian = model.path_coordinates(one.theta, pilot.theta, units)
    step = np.append(values - aim, _EPSILON_UNIT * (pilot.rho - one.rho))
    variance = np.sum(jacobian @ one.covariance * jacobian) + _EPSILON_UNIT**2 * one.rho_variance
    return float(step @ step + variance)
