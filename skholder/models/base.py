"""The contract between a working model and everything above it.

A *row* is one line of the matrix ``rows`` of shape (m, q) that the model itself lays out; a batch
of parameters ``theta`` has shape (T, d). Rows come in blocks, so nothing here may depend on a
row's neighbours.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri_exp

from .named_draws import ColumnMoments, NamedDraws

__all__ = ["LinearDistanceModel", "NormalPrior", "WorkingModel"]

# Rows drawn to learn the tail of a model that has no closed form, always the same ones.
_TAIL_DRAWS, _TAIL_SEED = 50_000, 0
# Share of them from which the rate beyond the last one is learnt.
_TAIL_SHARE = 0.01


@dataclass(frozen=True)
class NormalPrior:
    """Independent normals truncated below: theta_j ~ N(mean_j, scale_j^2) on [lower_j, inf).

    Attributes
    ----------
    mean, scale, lower : ndarray of shape (d,)
    """

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    lower: NDArray[np.float64]

    def log_prob(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Normalised log density of a batch (T, d) -> (T,); -inf below ``lower``."""
        z = (theta - self.mean) / self.scale
        value = -0.5 * np.sum(z * z, axis=1) - self._log_norm
        return np.where(np.all(theta >= self.lower, axis=1), value, -np.inf)

    def derivatives(
        self, theta: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Gradient (d,) and Hessian (d, d) of the log density at one theta (d,)."""
        precision = self.scale**-2.0
        return -(theta - self.mean) * precision, -np.diag(precision)

    def with_lower(self, lower: NDArray[np.float64]) -> NormalPrior:
        """The same normals truncated at another bound."""
        return replace(self, lower=lower)

    def sample(self, size: int, random: np.random.RandomState) -> NDArray[np.float64]:
        """``size`` draws, shape (size, d)."""
        start = (self.lower - self.mean) / self.scale
        # By the upper tail, which keeps its digits where the bound is far out.
        tail = np.maximum(random.uniform(size=(size, len(self.mean))), 2.0**-54)
        return self.mean - self.scale * ndtri_exp(np.log1p(-tail) + log_ndtr(-start))

    @cached_property
    def _log_norm(self):
        kept = log_ndtr(-(self.lower - self.mean) / self.scale)
        return np.sum(np.log(self.scale) + 0.5 * np.log(2 * np.pi) + kept)


class WorkingModel(ABC):
    """A parametric family p_theta on the computing scale.

    Attributes
    ----------
    prior : object with ``log_prob``, ``derivatives``, ``sample`` and ``lower``
        The prior of theta; :class:`NormalPrior` unless the model needs another.
    parameter_names : tuple of str
        One name for each coordinate of theta.
    """

    prior: Any
    parameter_names: tuple[str, ...]
    #: rows drawn from each theta of a batch; a regression needs a design too
    sample: Callable[..., NDArray[np.float64]]

    @abstractmethod
    def log_peak(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """An upper bound of log p_theta, shape (T,); zero where the density has none."""

    @abstractmethod
    def log_kernel(
        self, theta: NDArray[np.float64], rows: NDArray[np.float64], power: float
    ) -> NDArray[np.float64]:
        """power * (log p_theta(row) - log_peak(theta)), a fresh array of shape (m, T)."""

    def log_kernel_at(
        self, theta: NDArray[np.float64], power: float
    ) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        """rows -> ``log_kernel(theta, rows, power)``, for many blocks of rows."""
        return lambda rows: self.log_kernel(theta, rows, power)

    def log_density(
        self, theta: NDArray[np.float64], rows: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """log p_theta(row), shape (m, T)."""
        return self.log_kernel(theta, rows, 1.0) + self.log_peak(theta)

    @abstractmethod
    def log_power(self, theta: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        """log C(theta) = log of the integral of p_theta^(1 + gamma), shape (T,)."""

    @abstractmethod
    def log_power_derivatives(
        self, theta: NDArray[np.float64], gamma: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Gradient (d,) and Hessian (d, d) of log C at one theta of shape (d,)."""

    @abstractmethod
    def scores(self, theta: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Gradients of log p by theta at one theta (d,), one for each row, shape (m, d)."""

    @abstractmethod
    def score_sums(
        self, theta: NDArray[np.float64], rows: NDArray[np.float64], weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Weighted sums over rows of grad, Hessian and grad grad' of log p at one theta (d,).

        Returns
        -------
        gradient : ndarray of shape (d,)
        hessian, outer : ndarray of shape (d, d)
        """

    def curvature_sums(
        self,
        theta: NDArray[np.float64],
        rows: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        power: float,
        shift: float,
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """Sums over rows that a climb needs at one theta (d,), in one go where a model can do that.

        With omega = weight * exp(log_kernel + shift): the sums of omega, of omega * grad, and of
        omega * (Hessian + power * grad grad').
        """
        omega = np.exp(self.log_kernel(theta[None], rows, power)[:, 0] + shift)
        if weight is not None:
            omega *= weight
        gradient, hessian, outer = self.score_sums(theta, rows, omega)
        return omega.sum(), gradient, hessian + power * outer

    def tail(self, theta: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """P_theta(p_theta <= p_theta(row)), shape (m, T): how likely a row this unlikely is.

        From rows drawn from the model, unless a model knows better. Beyond the least likely row
        drawn, log densities are taken to fall off exponentially, at the rate of the lowest ones.
        """
        log_density = self.log_density(theta, rows)
        out = np.empty_like(log_density)
        for t, one in enumerate(theta):
            random = np.random.RandomState(_TAIL_SEED)
            drawn = self.sample(np.broadcast_to(one, (_TAIL_DRAWS, len(one))), random)
            out[:, t] = _empirical_tail(log_density[:, t], self.log_density(one[None], drawn)[:, 0])
        return out

    def count_bias(self, gamma: float) -> float:
        """Rows by which n (1 - rho) is too large on average, for clean rows; 0 if not known."""
        return 0.0

    def shape(self, theta: NDArray[np.float64], rows: NDArray[np.float64], units: Any) -> Any:
        """Rows (m, q) as standardised residuals at one theta (d,); None unless the model is normal.

        Returns
        -------
        Shape or None
        """
        return None

    #: how many thetas :meth:`tail` is worth averaging over
    n_tail_thetas = 1

    def path_units(self, rows: NDArray[np.float64], weight: NDArray[np.float64] | None) -> Any:
        """What :meth:`path_coordinates` needs to know of rows (m, q) of weight (m,) or None."""
        return None

    def path_coordinates(
        self, theta: NDArray[np.float64], pilot: NDArray[np.float64], units: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Numbers (q,) in which estimates at two powers gamma are compared, and their Jacobian.

        Parameters
        ----------
        theta, pilot : ndarray of shape (d,)
            An estimate, and the one that sets the scale.
        units : object
            From :meth:`path_units`.

        Returns
        -------
        values : ndarray of shape (q,)
        jacobian : ndarray of shape (q, d)
        """
        return theta, np.eye(len(theta))

    @abstractmethod
    def starts(
        self,
        rows: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        random: np.random.RandomState,
    ) -> NDArray[np.float64]:
        """Robust starting values, shape (M, d). ``weight`` is None or of shape (m,)."""

    def calibration(self, theta: NDArray[np.float64], gamma: float, alpha: float) -> float | None:
        """The calibrated temperature in closed form, or None if the general rule must do."""
        return None

    @property
    def spiky(self) -> NDArray[np.bool_]:
        """Which coordinates (d,) make the density grow without limit as they fall, as bool.

        These are the log scales, for which the prior therefore sets a floor.
        """
        return np.isfinite(self.prior.lower)

    def with_floor(self, start: NDArray[np.float64]) -> WorkingModel:
        """The same model with its scales kept above a tenth of those of ``start`` (d,).

        For data that offer spikes only: rows tied in such numbers that the density grows without
        bound as a scale shrinks.
        """
        lower = self.prior.lower
        raised = np.where(self.spiky, np.maximum(lower, start - np.log(10.0)), lower)
        other = copy(self)
        other.prior = self.prior.with_lower(raised)
        return other

    @abstractmethod
    def in_words(self, columns: str, target: str | None = None) -> str:
        """The model in a few words.

        Parameters
        ----------
        columns : str
            What to call its columns, e.g. ``"3 columns"``.
        target : str or None
            The name of the response of a regression.
        """

    @abstractmethod
    def to_units(self, theta: NDArray[np.float64], units: Any) -> NamedDraws:
        """Draws (S, d) as named draws in the user's units.

        Parameters
        ----------
        theta : ndarray of shape (S, d)
        units : object
            The map between the user's columns and the computing scale that the rows went through.

        Returns
        -------
        NamedDraws
        """

    def moments(self, theta: NDArray[np.float64], units: Any) -> ColumnMoments | None:
        """Draws of the columns' means and standard deviations; None for a model without them.

        Returns
        -------
        ColumnMoments or None
        """
        return None

    #: whether log p has two derivatives by the row everywhere, with no jump, kink or edge
    is_smooth = True

    #: whether the model is normal, for which some integrals have closed forms
    is_normal = False

    #: whether rows can be ranked by the distance of a :class:`LinearDistanceModel`
    has_linear_distance = False

    def mean_log_kernel(
        self, theta: NDArray[np.float64]
    ) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
        """A function rows -> mean over draws of ``log_kernel(theta, rows, 1)``, shape (m,).

        None for a model that has no short cut to it.
        """
        return None

    def contributions(self, theta: NDArray[np.float64], forward: NDArray[np.float64]) -> Any:
        """What explains rows ``(x - centre) @ forward`` by the columns of x, given draws (S, d).

        None for a model that does not split into columns; see :mod:`.contributions`.
        """
        return None

    @property
    def defence(self) -> Any:
        """A wide, normalised density that the sampler proposes from now and then: the prior.

        It covers all of the parameter space, so that a walker in a far corner always gets away.
        """
        return self.prior

    @property
    @abstractmethod
    def n_modelled(self) -> int:
        """Number of columns whose joint density this is; 1 for a regression."""

    @property
    def n_params(self) -> int:
        return len(self.parameter_names)


class LinearDistanceModel(WorkingModel):
    """A model that ranks rows by a distance which is linear in features of the row.

    The distance is ``distance_features(rows) @ distance_coef(theta)'``, or its absolute value; the
    log density falls as it grows.
    """

    #: whether it is the absolute value of the product that counts
    distance_is_folded = False

    @abstractmethod
    def distance_features(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Features (m, q) of rows, of their precision."""

    @abstractmethod
    def distance_coef(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Coefficients (T, q) of the features: the larger the product, the less likely a row."""

    @abstractmethod
    def log_kernel_of_distance(
        self, theta: NDArray[np.float64], distance: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """log_kernel(theta, row, 1) of a row at that distance, one for each theta, (T,)."""

    @abstractmethod
    def log_kernel_product(
        self, theta: NDArray[np.float64], power: float
    ) -> tuple[NDArray[np.float64], Callable[[NDArray[np.float64]], NDArray[np.float64]]]:
        """Coefficients (T, q) and a function with log_kernel' = finish(coef @ features').

        ``finish`` may work in place and keeps single precision.
        """

    def kernel_series(
        self, product: NDArray[np.float64], power: float, degree: int
    ) -> NDArray[np.float64] | None:
        """Taylor coefficients of exp(finish(.)) of :meth:`log_kernel_product` at products (m,).

        Returns
        -------
        ndarray of shape (degree + 1, m) or None
            h, h', h'' / 2, ...; None for a model that does not know them.
        """
        return None

    @abstractmethod
    def shift(self, origin: NDArray[np.float64]) -> NDArray[np.float64]:
        """What ``origin`` (d,) takes off a theta.

        ``log_kernel(theta - shift(origin), moved(rows, origin)) = log_kernel(theta, rows)``.
        """

    @abstractmethod
    def moved(self, rows: NDArray[np.float64], origin: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rows (m, q) as seen from ``origin``; see :meth:`shift`."""

    def log_kernel(
        self, theta: NDArray[np.float64], rows: NDArray[np.float64], power: float
    ) -> NDArray[np.float64]:
        return self.log_kernel_at(theta, power)(rows)

    def log_kernel_at(
        self, theta: NDArray[np.float64], power: float
    ) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        coef, finish = self.log_kernel_product(theta, power)
        return lambda rows: finish(coef @ self.distance_features(rows).T).T


def _empirical_tail(values, drawn):
    """P(D <= value) for values (m,) from draws D (N,), continued exponentially below the lowest."""
    drawn = np.sort(drawn)
    n_low = max(2, int(_TAIL_SHARE * len(drawn)))
    level = drawn[n_low - 1]
    rate = max(level - np.mean(drawn[: n_low - 1]), 1e-12)
    share = np.searchsorted(drawn, values, side="right") / len(drawn)
    beyond = n_low / len(drawn) * np.exp(np.minimum((values - level) / rate, 0.0))
    return np.where(values < level, beyond, share)
