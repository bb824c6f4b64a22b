"""Linear maps between the user's columns and the computing scale of density models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..models.starts import minimum_covariance_determinant, principal_axes
from .limits import check_columns, check_plain_columns, within_reach
from .scaling import Scaling

__all__ = ["Whitening"]

# Directions with less variance than this, relative to the columns' own, count as degenerate.
_SINGULAR = 1e-10

# Deviations beyond this many of a column's scales would overflow in a product.
_REACH = 1e100
# The least extent of an axis: less than this is 0 to a logarithm.
_LEAST = 1e-300


@dataclass(frozen=True)
class Whitening:
    """z = (x - centre) @ forward, and back x = centre + z @ backward.

    Attributes
    ----------
    centre : ndarray of shape (k,)
    forward : ndarray of shape (k, r)
    backward : ndarray of shape (r, k)
        r < k where some columns are constant or collinear.
    n_own : int
        Leading principal axes with a variance of their own; 0 where z are no such axes.
    """

    centre: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    n_own: int = 0

    @property
    def n_lost(self):
        """Directions without any spread, which the model leaves out."""
        return len(self.centre) - len(self.backward)

    @property
    def log_volume(self):
        """log of the volume of a unit cube of z in the user's units."""
        if len(self.backward) == 0:
            return 0.0
        size = np.max(np.abs(self.backward), axis=0)
        moving = self.backward[:, size > 0]
        if moving.shape[1] > len(moving):
            axes = np.linalg.svd(moving, compute_uv=False)
            return float(np.sum(np.log(np.maximum(axes, _LEAST))))
        # Columns may differ in size by more than a decomposition bears.
        size = size[size > 0]
        _, log_det = np.linalg.slogdet(moving / size)
        return float(max(log_det, np.log(_LEAST)) + np.sum(np.log(size)))

    def apply(self, X):
        """Rows (n, r) on the computing scale; see :mod:`.limits` for those far out."""
        reach = _REACH * np.max(np.abs(self.backward), axis=0, initial=0.0)
        deviation = X - self.centre
        return within_reach(np.clip(deviation, -reach, reach, out=deviation) @ self.forward)

    def names(self, columns):
        """What to call the coordinates of z: the column that each is about, given those before.

        Parameters
        ----------
        columns : sequence, length k

        Returns
        -------
        list, length r
        """
        if self.n_lost == 0:
            return list(columns)
        size = np.abs(self.forward) / np.maximum(np.abs(self.forward).max(axis=1), 1e-300)[:, None]
        return [columns[j] for j in np.argmax(size, axis=0)]

    @classmethod
    def of(cls, kind, X, weight, random, names=None):
        """The map of a kind.

        ``"full"``, ``"spectral"``, ``"standard"``, ``"ratio"`` or ``"none"``. Columns, by their
        ``names``, of numbers beyond what :mod:`.limits` allows are refused.
        """
        if kind == "full":
            found = cls.full(X, weight, random, names)
        elif kind == "spectral":
            found = cls.spectral(X, weight, names)
        else:
            return cls.columns(X, weight, kind, names)
        # Directions across columns of all magnitudes may be longer than any column is wide.
        size = np.max(np.abs(found.backward), axis=0, initial=0.0)
        check_columns(found.centre, size, size == 0, range(len(size)) if names is None else names)
        return found

    @classmethod
    def plain(cls, X, weight, names):
        """The user's own units, where X can be computed with as it is."""
        check_plain_columns(X, weight, names)
        return cls.identity(X.shape[1])

    @classmethod
    def identity(cls, n_columns):
        return cls(np.zeros(n_columns), np.eye(n_columns), np.eye(n_columns))

    @classmethod
    def columns(cls, X, weight, kind="standard", names=None):
        """Column by column: ``"standard"``, ``"ratio"`` (no centring, median 1) or ``"none"``."""
        if kind == "none":
            return cls.identity(X.shape[1])
        if kind == "ratio":
            middle = np.median(X, axis=0)
            with np.errstate(over="ignore"):
                scale = np.where(middle > 0, middle, np.maximum(np.mean(X, axis=0), 1e-300))
            centre, kept = np.zeros(X.shape[1]), np.any(X[:1] != X, axis=0)
        else:
            scaling = Scaling.of(X, weight)
            centre, scale, kept = scaling.centre, scaling.scale, ~scaling.constant
        check_columns(centre, scale, ~kept, range(X.shape[1]) if names is None else names)
        unit = np.eye(X.shape[1])
        return cls(centre, (unit / scale)[:, kept], (unit * scale)[kept])

    @classmethod
    def full(cls, X, weight, random, names=None):
        """By the covariance, so that any affine change of X only rotates z.

        Where gross outliers own the covariance (some direction's honest spread is below a tenth of
        it) the minimum covariance determinant takes its place.
        """
        plain = cls.columns(X, weight, names=names)
        if len(plain.backward) == 0:
            return plain
        z = plain.apply(X)
        # Rows this far out in some column would own the covariance, or make it look singular.
        near = np.max(np.abs(z), axis=1, initial=0.0) < 20
        kept = z[near]
        # A column that only far rows move would be lost with them.
        if 0.5 * len(z) < len(kept) < len(z) and np.all(np.any(kept != kept[0], axis=0)):
            X, z, weight = X[near], kept, None if weight is None else weight[near]
        mean = np.average(z, axis=0, weights=weight)
        covariance = np.atleast_2d(np.cov(z.T, aweights=weight, ddof=0))
        out = plain._then(mean, covariance)
        found = None
        z = out.apply(X)
        if len(X) > 2 * X.shape[1] and _squeezed(z):
            found = minimum_covariance_determinant(z, random)
        if found is not None:
            value = np.linalg.eigvalsh(found[1])
            if _SINGULAR < value[0] < 0.01:
                return out._then(*found)
        return out

    @classmethod
    def spectral(cls, X, weight, names=None):
        """Coordinates along the principal axes of a robust scatter, in units of their spread."""
        plain = cls.columns(X, weight, names=names)
        if len(plain.backward) == 0:
            return plain
        axes = principal_axes(plain.apply(X), weight)
        forward = axes.vector / axes.scale[:, None] / axes.root
        backward = (axes.vector * axes.scale[:, None] * axes.root).T
        centre = plain.centre + axes.centre @ plain.backward
        return cls(centre, plain.forward @ forward, backward @ plain.backward, axes.n_own)

    def _then(self, mean, covariance):
        """This map followed by the whitening of a covariance (r, r) of its result."""
        if len(covariance) == 0:
            return self
        centre = self.centre + mean @ self.backward
        variance = np.diag(covariance)
        scale = np.sqrt(np.where(variance > _LEAST, variance, 1.0))
        value, vector = np.linalg.eigh(covariance / np.outer(scale, scale))
        if value[0] > _SINGULAR:
            # A triangular root makes diagonal changes of units invisible to the last digit.
            root = np.linalg.cholesky(covariance)
            inverse = np.linalg.inv(root)
        else:
            kept = value > _SINGULAR
            size = np.sqrt(value[kept])
            root = scale[:, None] * vector[:, kept] * size
            inverse = (vector[:, kept] / size).T / scale
        return Whitening(centre, self.forward @ inverse.T, root.T @ self.backward)


def _squeezed(z):
    """Whether the half of the rows nearest to the centre has a direction of tiny spread."""
    norm = np.sum(z * z, axis=1)
    near = z[norm <= np.median(norm)]
    return (
        len(near) > z.shape[1]
        and np.linalg.eigvalsh(np.cov(near, rowvar=False).reshape(z.shape[1], z.shape[1]))[0] < 0.03
    )
