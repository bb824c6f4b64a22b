"""Modes of the posterior: damped Newton from robust starts, and their Laplace approximations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dposv, dpotrf
from scipy.special import softmax

__all__ = [
    "Mode",
    "at_floor",
    "by_draws",
    "by_evidence",
    "distinct",
    "evidence_share",
    "find_modes",
    "maximise",
    "mode_share",
    "ripples",
    "spike_guard",
]

# A climb that shrinks a scale by more than exp(3) = 20 is on its way into a spike.
_SPIKE_DROP = 3.0
# Modes closer than this many standard deviations are one.
_RIPPLE = 3.0
# So are those with no valley this deep, in nats, at so many points between them.
_VALLEY, _N_WAY = 1.0, 11
_LOG_2PI = np.log(2 * np.pi)
# No finite curvature needs its diagonal lifted further than this many times.
_MOST_EXTRA = 1e20
# Curvatures this much smaller than the largest, in units of the diagonal, are rounding.
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Mode:
    """A local maximum of the log posterior on the computing scale.

    Attributes
    ----------
    theta : ndarray of shape (d,)
    log_prob : float
    covariance : ndarray of shape (d, d)
        Inverse of the negative Hessian.
    bound : ndarray of bool, shape (d,)
        Coordinates that sit on their lower bound.
    """

    theta: np.ndarray
    log_prob: float
    covariance: np.ndarray
    bound: np.ndarray

    @property
    def at_floor(self):
        """Whether a scale sits on its lower bound.

        Such a mode is a spike: the density would grow without limit around a few tied rows if the
        bound did not stop it. It is not a fit of the data.
        """
        return bool(np.any(self.bound))

    @property
    def log_evidence(self):
        """Laplace approximation of the log of the mass around the mode."""
        _, log_det = np.linalg.slogdet(self.covariance)
        return self.log_prob + 0.5 * (len(self.theta) * _LOG_2PI + log_det)


def maximise(curve, theta, lower, n_steps=60, tolerance=1e-7, state=None):
    """Levenberg-damped Newton ascent inside ``theta >= lower``.

    Parameters
    ----------
    curve : callable
        theta (d,) -> object with ``value``, ``gradient`` (d,) and ``hessian`` (d, d).
    tolerance : float
        A step that promises less than this, in nats, is the last one: it is taken unseen.
    state : object or None
        The curve at the start, where it is known.

    Returns
    -------
    theta : ndarray of shape (d,)
    state : the curve there, up to that last step
    """
    theta = np.maximum(theta, lower)
    state = curve(theta) if state is None else state
    damping = 0.0
    for _ in range(n_steps):
        free = ~((theta <= lower) & (state.gradient <= 0))
        step, gain = _newton_step(theta, state, free, damping)
        new = np.maximum(theta + step, lower)
        if gain < tolerance:
            return new, state
        trial = curve(new)
        if np.isfinite(trial.value) and trial.value >= state.value - 1e-12 * abs(state.value):
            theta, state = new, trial
            damping = damping / 10 if damping > 1e-6 else 0.0
        elif gain < 1e-9:
            break
        else:
            damping = max(10 * damping, 1e-3)
            if damping > 1e12:
                break
    return theta, state


def _newton_step(theta, state, free, damping):
    """Step and promised gain of (-Hessian + damping * D) step = gradient on free coordinates."""
    step = np.zeros(len(free))
    if not np.any(free):
        return step, 0.0
    gradient = state.gradient[free]
    matrix = -state.hessian[np.ix_(free, free)]
    scale = np.maximum(np.abs(np.diag(matrix)), 1e-10)
    step[free] = _solved(matrix, damping * np.diag(scale), np.diag(scale), gradient)
    # On the computing scale no honest step is longer than a few units, or a few times theta.
    longest = np.max(np.abs(step) / np.maximum(1.0, np.abs(theta)))
    if longest > 3:
        step *= 3 / longest
    return step, float(gradient @ step[free]) / 2


def _solved(matrix, start, scale, right):
    """(matrix + start + 2 k * scale)^-1 right, with the first k = 0, 1e-3, ... that works.

    Twice, because what barely works is nearly singular, and its step far too long.
    """
    extra = 0.0
    while extra < _MOST_EXTRA:
        # LAPACK itself: a climb solves hundreds of small systems.
        _, solution, failure = dposv(matrix + start + extra * scale, right)
        if failure == 0 and np.all(np.isfinite(solution)):
            if extra > 0:
                _, solution, _ = dposv(matrix + start + 2 * extra * scale, right)
            return solution
        extra = max(4 * extra, 1e-3)
    raise np.linalg.LinAlgError("The curvature of the log posterior is not finite.")


def spike_guard(start, lower, spiky):
    """Lower bounds for a climb: a scale may fall to a twentieth of its start, not further.

    Starting values are robust, so a scale that falls further has left the data for a few tied or
    interpolated rows, where the density has no bound.
    """
    return np.where(spiky, np.maximum(lower, start - _SPIKE_DROP), lower)


def at_floor(theta, lower):
    """Coordinates that sit on their lower bound."""
    return theta <= lower + 0.05


def laplace(posterior, theta, state, lower):
    """The :class:`Mode` at a maximum found by :func:`maximise` above ``lower``."""
    bound = at_floor(theta, lower)
    matrix = -state.hessian
    if np.any(bound):
        # Against a bound the density falls off exponentially, at the rate of its gradient.
        matrix = matrix.copy()
        matrix[bound, :] = matrix[:, bound] = 0.0
        matrix[bound, bound] = np.clip(np.abs(state.gradient[bound]), 1.0, 1e6) ** 2
    scale = np.diag(np.maximum(np.abs(np.diag(matrix)), 1e-10))
    covariance = _solved(matrix, 0 * scale, scale, np.eye(len(theta)))
    covariance = (covariance + covariance.T) / 2
    if dpotrf(covariance)[1] != 0:
        covariance = _resolved_inverse(matrix, np.sqrt(np.diag(scale)))
    return Mode(np.where(bound, lower, theta), state.value, covariance, bound)


def _resolved_inverse(matrix, unit):
    """The inverse of a matrix (d, d) in units (d,), positive definite in floats.

    Directions that differ from none by rounding only are as wide as digits can tell.
    """
    value, vector = np.linalg.eigh(matrix / np.outer(unit, unit))
    root = vector / np.sqrt(np.maximum(value, _ROUNDING * value[-1])) / unit[:, None]
    return root @ root.T


def distinct(points, values, scale, tolerance):
    """Indices of the distinct points, best value first.

    Parameters
    ----------
    points : ndarray of shape (M, d)
    values : ndarray of shape (M,)
    scale : ndarray of shape (M, d)
        Typical widths; two points are one if they agree to ``tolerance`` of the better one's.
    """
    kept = []
    for i in np.argsort(-np.asarray(values), kind="stable"):
        near = (np.max(np.abs(points[i] - points[j]) / scale[j]) < tolerance for j in kept)
        if not any(near):
            kept.append(i)
    return kept


def find_modes(posterior, starts, guarded=True):
    """All distinct modes reached from the starts, best first; floor modes only if no other.

    Parameters
    ----------
    posterior : HolderPosterior
    starts : iterable of ndarray of shape (d,)
    guarded : bool
        Whether the starts are robust: climbs are then kept from spikes.

    Returns
    -------
    list of Mode
    """
    lower = posterior.model.prior.lower
    found = []
    for start in starts:
        guard = spike_guard(start, lower, posterior.model.spiky) if guarded else lower
        theta, state = maximise(posterior.curve, start, guard)
        if np.isfinite(state.value):
            found.append(laplace(posterior, theta, state, guard))
    proper = [mode for mode in found if not mode.at_floor] or found
    points = np.array([mode.theta for mode in proper])
    widths = np.sqrt([np.diag(mode.covariance) for mode in proper])
    values = np.array([mode.log_prob for mode in proper])
    return [proper[i] for i in distinct(points, values, widths, tolerance=0.1)]


def mode_share(modes: list[Mode], theta: NDArray[np.float64], log_prob=None) -> float:
    """Share of the draws (S, d) that lie closest to the first mode, each in its own metric.

    Its :func:`ripples` count as the first mode.

    Parameters
    ----------
    modes : list of Mode
    theta : ndarray of shape (S, d)
    log_prob : callable or None
        As of :func:`ripples`.
    """
    near = ripples(modes, log_prob)
    if np.all(near):
        return 1.0
    roots = [np.linalg.cholesky(mode.covariance) for mode in modes]
    # Minus twice the log density of the normal at each mode, up to a constant that all share.
    distance = [
        _squared(root, theta - mode.theta) + 2 * np.sum(np.log(np.diag(root)))
        for root, mode in zip(roots, modes, strict=True)
    ]
    return float(np.mean(near[np.argmin(distance, axis=0)]))


def ripples(modes: list[Mode], log_prob: Any = None) -> NDArray[np.bool_]:
    """Which modes are ripples on the first one, not answers of their own, shape (M,).

    They lie within three of its standard deviations, or there is no valley on the way to it.

    Parameters
    ----------
    modes : list of Mode
    log_prob : callable or None
        Log posterior (T, d) -> (T,), to look for valleys; where the log density has kinks, standard
        deviations at a mode say little.
    """
    root = np.linalg.cholesky(modes[0].covariance)
    steps = np.array([mode.theta - modes[0].theta for mode in modes])
    near = _squared(root, steps) < _RIPPLE**2
    if log_prob is not None and not np.all(near):
        near |= [_no_valley(log_prob, mode.theta, modes[0].theta) for mode in modes]
    return near


def _squared(root, steps):
    """Squared lengths (S,) of steps (S, d), in standard deviations."""
    return np.sum(solve_triangular(root, steps.T, lower=True) ** 2, axis=0)


def by_draws(
    modes: list[Mode], theta: NDArray[np.float64], log_prob: Any = None
) -> tuple[list[Mode], float]:
    """The modes with the one first that most draws (S, d) lie around, and its :func:`mode_share`.

    The highest mode is not always the one that holds the posterior: it may be narrow.
    """
    share = mode_share(modes, theta, log_prob)
    if share >= 0.5:
        return modes, share
    turned = [_with_first(modes, m) for m in range(len(modes))]
    shares = [share, *(mode_share(one, theta, log_prob) for one in turned[1:])]
    most = int(np.argmax(shares))
    return turned[most], shares[most]


def by_evidence(modes: list[Mode]) -> list[Mode]:
    """The modes with the one first that has the largest mass around it, by Laplace."""
    if any(mode.at_floor for mode in modes):
        # The mass of a spike is no normal's.
        return modes
    return _with_first(modes, int(np.argmax([mode.log_evidence for mode in modes])))


def evidence_share(modes: list[Mode], log_prob: Any = None) -> float:
    """Share of the mass around all modes that belongs to the first and its :func:`ripples`."""
    if any(mode.at_floor for mode in modes):
        return 1.0
    share = softmax([mode.log_evidence for mode in modes])
    return float(share[ripples(modes, log_prob)].sum())


def _with_first(modes, m):
    """The modes with the m-th put first."""
    return [modes[m], *modes[:m], *modes[m + 1 :]]


def _no_valley(log_prob, mode, best):
    """Whether the log density falls by less than a nat on the straight way between two modes."""
    way = np.linspace(0, 1, _N_WAY)[:, None]
    heights = log_prob(mode + way * (best - mode))
    return bool(heights.min() > heights[[0, -1]].min() - _VALLEY)
