"""A prior of location and scatter that rotations of the data leave as it is."""

from __future__ import annotations

import numpy as np

__all__ = ["ScatterPrior"]

# Eigenvalues further apart than this are lost in the floats' digits.
_CONDITION = 1e13


class ScatterPrior:
    """A prior of location and scatter that rotations of the data leave as it is.

    The location is N(0, s^2 I). Half the matrix logarithm of the scatter is a symmetric matrix
    with density exp(-|.|_F^2 / (2 c^2)): for one column, the log-scale is N(0, c^2). In the
    coordinates (tau, off), with l the logarithms of the eigenvalues, it becomes::

        exp(-sum l_i^2 / (8 c^2)) prod_{i<j} (D_ij / 2) / sinh(D_ij / 2) prod_i L_ii^(1 - i)

    with D_ij = l_i - l_j.
    """

    #: worth an expansion, see :func:`~skholder.models.near_prior.near_prior`
    is_costly = True

    def __init__(self, model, normal):
        self.model, self.normal, self.lower = model, normal, normal.lower
        self.location_scale = normal.scale[0]
        self.log_scale_prior_scale = normal.scale[model.k]

    def log_prob(self, theta):
        """Log density (T, d) -> (T,); -inf below the floor, and where L is singular in floats."""
        k, c = self.model.k, self.log_scale_prior_scale
        inside = np.all(theta >= self.lower, axis=1)
        value = np.full(len(theta), -np.inf)
        theta = theta[inside]
        factor = self.model.factor(theta)
        eigenvalue, sound = _eigenvalues(factor)
        logs = np.log(np.maximum(eigenvalue, 1e-300))
        first, second = np.triu_indices(k, 1)
        log_norm = 0.5 * k * np.log(2 * np.pi * 4 * c**2) - k * np.log(2)
        log_norm += 0.25 * k * (k - 1) * np.log(2 * np.pi * 2 * c**2)
        log_norm += k * np.log(self.location_scale) + 0.5 * k * np.log(2 * np.pi)
        log_prob = (
            -np.sum(logs**2, axis=1) / (8 * c**2)
            - np.sum(_log_sinhc(logs[:, first] - logs[:, second]), axis=1)
            - 0.5 * np.sum(theta[:, :k] ** 2, axis=1) / self.location_scale**2
            + theta[:, k : 2 * k] @ np.arange(k)
            - log_norm
        )
        value[inside] = np.where(sound, log_prob, -np.inf)
        return value

    def with_lower(self, lower):
        """The same prior above another floor."""
        return ScatterPrior(self.model, self.normal.with_lower(lower))

    def sample(self, size, random):
        """Draws (size, d) of the prior without its floor."""
        k = self.model.k
        draws = random.standard_normal((size, k, k)) * self.log_scale_prior_scale * np.sqrt(2)
        value, vector = np.linalg.eigh((draws + np.swapaxes(draws, 1, 2)) / np.sqrt(2))
        precision = (vector * np.exp(value)[:, None, :]) @ np.swapaxes(vector, 1, 2)
        # Eigenvalues further apart than the floats' digits have no Cholesky factor; lift them.
        spots = np.arange(k)
        precision[:, spots, spots] += 1e-13 * np.exp(value[:, -1:])
        factor = np.linalg.cholesky(precision)
        scatter_part = factor[:, self.model.entry_row, self.model.entry_column]
        scatter_part[:, :k] = -np.log(factor[:, spots, spots])
        location = self.location_scale * random.standard_normal((size, k))
        return np.hstack([location, scatter_part])

    def derivatives(self, theta):
        """Exact gradient (d,); a Hessian (d, d) that is exact at the unit scatter.

        Newton steps and Laplace covariances only need the weak prior's curvature roughly.
        """
        model, k = self.model, self.model.k
        factor = model.factor(theta[None])[0]
        value, vector = np.linalg.eigh(factor @ factor.T)
        value = np.maximum(value, 1e-300)
        logs = np.log(value)
        pull = -logs / (4 * self.log_scale_prior_scale**2)
        pull -= np.sum(_log_sinhc_slope(logs[:, None] - logs), axis=1)
        inner = (vector * (pull / value)) @ vector.T
        slope = (2 * inner @ factor)[model.entry_row, model.entry_column]
        slope[:k] = -np.diag(factor) * slope[:k] + np.arange(k)
        gradient = np.append(-theta[:k] / self.location_scale**2, slope)
        curvature = np.full(len(theta), 0.5 / self.log_scale_prior_scale**2 + k / 6)
        curvature[:k] = self.location_scale**-2.0
        curvature[k : 2 * k] = self.log_scale_prior_scale**-2.0 + k / 3
        hessian = -np.diag(curvature)
        hessian[k : 2 * k, k : 2 * k] += 1 / 3
        return gradient, hessian


def _eigenvalues(factor):
    """Eigenvalues (T, k) of L L', ascending, and for which L (T, k, k) they are more than rounding.

    Those far apart are the squares of L's singular values, which have twice the digits.
    """
    eigenvalue = np.linalg.eigvalsh(factor @ np.swapaxes(factor, 1, 2))
    sound = _CONDITION * eigenvalue[:, 0] > eigenvalue[:, -1]
    if not np.all(sound):
        singular = np.linalg.svd(factor[~sound], compute_uv=False)[:, ::-1]
        eigenvalue[~sound] = singular**2
        sound[~sound] = _CONDITION * singular[:, 0] > singular[:, -1]
    return eigenvalue, sound


def _log_sinhc(x):
    """log(sinh(x / 2) / (x / 2)), stable near 0 and far out."""
    half = np.abs(x) / 2
    safe = np.maximum(half, 1e-4)
    far = half + np.log(-np.expm1(-2 * safe)) - np.log(2 * safe)
    return np.where(half < 1e-4, half**2 / 6, far)


def _log_sinhc_slope(x):
    """Derivative of :func:`_log_sinhc`: coth(x / 2) / 2 - 1 / x."""
    safe = np.where(np.abs(x) < 1e-3, 1.0, x)
    return np.where(np.abs(x) < 1e-3, x / 12, 0.5 / np.tanh(safe / 2) - 1 / safe)
