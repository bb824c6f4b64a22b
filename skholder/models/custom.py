"""Densities of the user's own: C by quadrature or Monte Carlo, derivatives by differences.

The object needs

- ``parameter_names``: a sequence of d different Python identifiers, none of which is a name that
  every fit has, such as ``epsilon``, ``alpha`` or ``gamma``;
- ``log_density(theta, X)``: theta of shape (T, d) and X of shape (m, k) -> float64 (m, T), the
  density normalised to integrate to 1;
- ``starts(X)``: starting values of shape (M, d);

and may have ``prior_mean``, ``prior_scale`` and ``lower`` (each of length d; 0, 2.5 and -inf by
default) and ``sample(theta, random)``, one row for each row of theta (T, d) -> (T, k), which more
than one column needs. ``sample`` should transform random numbers smoothly in theta. What methods
return at the starting values is checked before a fit does any work.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import NormalPrior, WorkingModel
from .checking import check_outputs, check_user_model, per_parameter
from .named_draws import NamedDraws

__all__ = ["UserModel"]

_N_MONTE_CARLO = 4000
_N_QUADRATURE = 2001


class UserModel(WorkingModel):
    """A user's object on the working-model contract.

    Parameters
    ----------
    wrapped : object
    X : ndarray of shape (n, k)
        Training rows on the computing scale; one column is integrated around their range.
    seed : int
        Seed of the common random numbers that make the Monte Carlo C smooth in theta.
    """

    def __init__(self, wrapped: Any, X: NDArray[np.float64], seed: int = 0) -> None:
        check_user_model(wrapped)
        self.wrapped, self.k, self.seed = wrapped, X.shape[1], seed
        self.parameter_names = tuple(wrapped.parameter_names)
        self.prior = NormalPrior(
            per_parameter(wrapped, "prior_mean", 0.0),
            per_parameter(wrapped, "prior_scale", 2.5),
            per_parameter(wrapped, "lower", -np.inf),
        )
        if self.k == 1:
            middle, width = np.median(X), max(np.ptp(np.quantile(X, [0.1, 0.9])), 1e-3)
            # sinh spacing: fine in the middle of the data, and far out in the tails.
            t, self._step = np.linspace(-10, 10, _N_QUADRATURE, retstep=True)
            self._nodes = (middle + width * np.sinh(t))[:, None]
            self._log_weight = np.log(width * np.cosh(t))
        elif not hasattr(wrapped, "sample"):
            raise ValueError("A working-model object for several columns needs 'sample'.")

    def check_on(self, rows: NDArray[np.float64]) -> None:
        """Raise ValueError where the object's answers for rows (m, k) will not do."""
        if self.k == 1:
            check_outputs(self.wrapped, rows, self._nodes, self._log_weight + np.log(self._step))
        else:
            check_outputs(self.wrapped, rows)

    def log_peak(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.zeros(len(theta))

    def log_kernel(
        self, theta: NDArray[np.float64], rows: NDArray[np.float64], power: float
    ) -> NDArray[np.float64]:
        return power * np.asarray(self.wrapped.log_density(theta, rows), dtype=float)

    def log_power(self, theta: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
        if self.k == 1:
            log_p = np.asarray(self.wrapped.log_density(theta, self._nodes), dtype=float)
            terms = (1 + gamma) * log_p + self._log_weight[:, None]
            return np.logaddexp.reduce(terms, axis=0) + np.log(self._step)
        # C = E[p(Y)^gamma] for Y from the model, with the same random numbers for every theta.
        out = np.empty(len(theta))
        for t, one in enumerate(theta):
            random = np.random.RandomState(self.seed)
            draws = self.wrapped.sample(np.broadcast_to(one, (_N_MONTE_CARLO, len(one))), random)
            log_p = np.asarray(self.wrapped.log_density(one[None], draws), dtype=float)[:, 0]
            out[t] = np.logaddexp.reduce(gamma * log_p) - np.log(len(draws))
        return out

    def log_power_derivatives(
        self, theta: NDArray[np.float64], gamma: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        values = self.log_power(_stencil(theta), gamma)
        return _gradient(values, theta), _hessian(values, theta)

    def tail(self, theta: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.k > 1:
            return super().tail(theta, rows)
        nodes = np.asarray(self.wrapped.log_density(theta, self._nodes), dtype=float)
        values = np.asarray(self.wrapped.log_density(theta, rows), dtype=float)
        mass = np.exp(nodes + self._log_weight[:, None]) * self._step
        out = np.empty_like(values)
        for t in range(len(theta)):
            order = np.argsort(nodes[:, t], kind="stable")
            reached = np.cumsum(mass[order, t])
            out[:, t] = np.interp(values[:, t], nodes[order, t], reached / reached[-1])
        return out

    @property
    def n_modelled(self) -> int:
        return self.k

    def scores(self, theta: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
        steps = np.diag(_steps(theta))
        ends = np.vstack([theta + steps, theta - steps])
        values = np.asarray(self.wrapped.log_density(ends, rows), dtype=float)
        above, below = np.split(values, 2, axis=1)
        return (above - below) / (2 * _steps(theta))

    def score_sums(
        self, theta: NDArray[np.float64], rows: NDArray[np.float64], weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        values = np.asarray(self.wrapped.log_density(_stencil(theta), rows), dtype=float)
        score = _gradient(values.T, theta).T
        hessian = _hessian(weight @ values, theta)
        return weight @ score, hessian, (score * weight[:, None]).T @ score

    def starts(
        self,
        rows: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        random: np.random.RandomState,
    ) -> NDArray[np.float64]:
        return np.maximum(np.atleast_2d(self.wrapped.starts(rows)), self.prior.lower + 1e-2)

    def in_words(self, columns: str, target: str | None = None) -> str:
        return f"density {type(self.wrapped).__name__} of {columns}"

    def to_units(self, theta: NDArray[np.float64], units: Any) -> NamedDraws:
        """Draws (S,) of each parameter, as the user's object has them."""
        return NamedDraws({name: theta[:, j] for j, name in enumerate(self.parameter_names)})

    def sample(
        self, theta: NDArray[np.float64], random: np.random.RandomState
    ) -> NDArray[np.float64]:
        if not hasattr(self.wrapped, "sample"):
            raise ValueError("This working-model object has no 'sample'.")
        return np.asarray(self.wrapped.sample(theta, random), dtype=float)


def _steps(theta):
    return 1e-4 * np.maximum(1.0, np.abs(theta))


def _stencil(theta):
    """theta; theta +- h_i e_i; theta + h_i e_i + h_j e_j and its mirror image for i < j."""
    h = np.diag(_steps(theta))
    i, j = np.triu_indices(len(theta), 1)
    return np.vstack([theta[None], theta + h, theta - h, theta + h[i] + h[j], theta - h[i] - h[j]])


def _gradient(values, theta):
    d = len(theta)
    steps = _steps(theta).reshape(-1, *[1] * (values.ndim - 1))
    return (values[1 : d + 1] - values[d + 1 : 2 * d + 1]) / (2 * steps)


def _hessian(values, theta):
    d, h = len(theta), _steps(theta)
    here, up, down = values[0], values[1 : d + 1], values[d + 1 : 2 * d + 1]
    hessian = np.diag((up - 2 * here + down) / h**2)
    i, j = np.triu_indices(d, 1)
    both_up, both_down = np.split(values[2 * d + 1 :], 2)
    mixed = both_up - up[i] - up[j] + 2 * here - down[i] - down[j] + both_down
    hessian[i, j] = hessian[j, i] = mixed / (2 * h[i] * h[j])
    return hessian
