"""The ordinary posterior of normal linear regression, without sampling.

    y | b, s ~ N(X b, s^2),    b ~ N(0, t^2 I),    log s ~ N(0, 1)

Given s the coefficients are normal; log s has one dimension left, a grid. What StdBayes samples
must agree with this.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp


class ExactBayes:
    """Posterior mean and predictive density of normal regression, by quadrature over log s.

    Parameters
    ----------
    coef_prior_scale : float
    log_scale_prior_scale : float
    n_nodes : int
        Nodes of the grid, eight posterior standard deviations to either side of the mode.
    """

    def __init__(self, coef_prior_scale=10.0, log_scale_prior_scale=1.0, n_nodes=65):
        self.coef_prior_scale = coef_prior_scale
        self.log_scale_prior_scale = log_scale_prior_scale
        self.n_nodes = n_nodes

    def fit(self, X, y):
        design = _design(X)
        self.eigenvalues_, self.basis_ = np.linalg.eigh(design.T @ design)
        self.projection_ = self.basis_.T @ (design.T @ y)
        self.square_, self.n_ = float(y @ y), len(y)
        peak = minimize_scalar(lambda t: -self._log_prob(np.array([t]))[0], bounds=(-10, 10)).x
        reach = 8 / np.sqrt(2 * self.n_)
        log_s = peak + np.linspace(-reach, reach, self.n_nodes)
        log_prob = self._log_prob(log_s)
        self.log_weight_ = log_prob - logsumexp(log_prob)
        self.scales_ = np.exp(log_s)
        weight = np.exp(self.log_weight_)
        self.coef_ = self.basis_ @ (weight @ self._rotated_mean(self.scales_))
        self.scale_ = float(weight @ self.scales_)
        return self

    def _precision(self, s):
        """Eigenvalues of the coefficients' precision at each s, shape (nodes, d)."""
        return self.eigenvalues_ / s[:, None] ** 2 + self.coef_prior_scale**-2

    def _rotated_mean(self, s):
        return self.projection_ / s[:, None] ** 2 / self._precision(s)

    def _log_prob(self, log_s):
        s = np.exp(log_s)
        precision, mean = self._precision(s), self._rotated_mean(s)
        fit = np.sum(precision * mean**2, axis=1) - self.square_ / s**2
        prior = -0.5 * (log_s / self.log_scale_prior_scale) ** 2
        return 0.5 * fit - self.n_ * log_s - 0.5 * np.log(precision).sum(axis=1) + prior

    def predict(self, X):
        return _design(X) @ self.coef_

    def score_samples(self, X, y):
        """Log predictive density of each row: a mixture of normals over the grid, shape (m,)."""
        rotated = _design(X) @ self.basis_
        mean = rotated @ self._rotated_mean(self.scales_).T
        variance = self.scales_**2 + rotated**2 @ (1 / self._precision(self.scales_)).T
        log_density = -0.5 * ((y[:, None] - mean) ** 2 / variance + np.log(2 * np.pi * variance))
        return logsumexp(log_density + self.log_weight_, axis=1)


def _design(X):
    return np.column_stack([np.ones(len(X)), X])
