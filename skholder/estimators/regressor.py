"""HolderBayesRegressor: linear regression when some rows do not belong to it."""

from __future__ import annotations

import warnings
from numbers import Real

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .._sklearn import HasMethods, Interval, StrOptions, fit_context
from ..audit.evidence import regression_evidence
from ..exceptions import IdentifiabilityWarning
from ..inference.infer import infer
from ..models import LinearModel, check_noise
from ..posterior.temperature import covariance_rule
from ..rows.blocks import RowBlocks, canonical
from ..summaries.baselines import LeastSquares
from ..summaries.influence import influence
from ..summaries.predictive import (
    expected_log_predictive,
    log_predictive,
    mean_log_density,
    mixture_interval,
)
from .base import (
    HolderBayesEstimator,
    fitting,
    private_random_state,
    row_labels,
    target_name,
    usable_weight,
)
from .draws import NamedDraws
from .scaling import Scaling

__all__ = ["HolderBayesRegressor"]

# Draws used where a row needs an integral over its own predictive density.
_THINNED = 256


class HolderBayesRegressor(RegressorMixin, HolderBayesEstimator):
    """Linear regression with a posterior for the share of rows that do not belong to it.

    The Hölder posterior is proportional to ``exp(-beta n H(theta, alpha)) prior(theta, alpha)``,
    ``theta`` the coefficients and the noise scale, ``alpha`` the inlier share.

    Parameters
    ----------
    gamma : float, default=0.5
        Power of the density: larger is more robust and less efficient.
    divergence : {"dpd", "expsat", "ratsat", "gamma", "kl"} or object, default="dpd"
        The phi family; ``"gamma"`` and ``"kl"`` have no epsilon. An object needs
        ``phi(z, gamma)``.
    kappa : float or None, default=None
        Saturation of ``"expsat"`` (0.5) and ``"ratsat"`` (0.25).
    noise : {"normal", "student_t"} or object, default="normal"
        Working noise: Student-t has 4 degrees of freedom; a ``NoiseModel`` or a frozen SciPy
        distribution serves too.
    temperature : {"calibrated", "covdet", "joint-covdet"} or float, default="calibrated"
        The rule for beta.
    alpha_prior : (float, float), default=(1.0, 1.0)
        Beta prior of alpha, truncated to ``[1 - max_contamination, 1]``.
    max_contamination : float, default=0.5
    coef_prior_scale, log_scale_prior_scale : float, default=2.5, 1.0
        Normal prior scales on the computing scale.
    min_scale : float, default=1e-3
        Smallest noise scale on the computing scale.
    fit_intercept, standardize : bool, default=True
    inference : {"mcmc", "laplace"}, default="mcmc"
        ``"laplace"`` draws from a normal at the best mode: quicker, approximate.
    n_draws : int, default=4000
        Posterior draws in all; a multiple of ``n_ensembles``.
    n_walkers : int or None, default=None
        Walkers of each ensemble.
    n_ensembles : int, default=4
        Independent ensembles, the chains of the diagnostics.
    n_jobs : int or None, default=None
        Threads over ensembles; never changes a result.
    random_state : int, RandomState or None, default=None
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_, scale_ : float
        Posterior means in the user's units.
    epsilon_ : float
        Posterior mean of the contamination; ``epsilon_posterior_`` its draws,
        ``epsilon_interval_`` its central 95% interval.
    outlier_count_posterior_ : ndarray of int, shape (n_draws,)
    fod_scores_, log_density_ : ndarray of shape (n_samples,)
        Frequency of detection and posterior-mean log density of each training row.
    posterior_ : dict of str to ndarray
        Draws of ``coef``, ``intercept``, ``scale`` and ``alpha``, ensemble by ensemble.
    temperature_, gamma_ : float
    modes_ : list of PosteriorMode
    diagnostics_ : Diagnostics

    Examples
    --------
    >>> import numpy as np
    >>> from skholder import HolderBayesRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = X @ [1.0, -2.0] + rng.normal(size=300)
    >>> y[:45] += 8
    >>> model = HolderBayesRegressor(random_state=0).fit(X, y)
    >>> bool(abs(model.epsilon_ - 0.15) < 0.05)
    True
    """

    _parameter_constraints = {
        **HolderBayesEstimator._parameter_constraints,
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "noise": [
            StrOptions({"normal", "student_t"}),
            HasMethods(["rho", "log_power"]),
            HasMethods(["logpdf", "rvs"]),
        ],
        "coef_prior_scale": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        gamma=0.5,
        *,
        divergence="dpd",
        kappa=None,
        noise="normal",
        temperature="calibrated",
        alpha_prior=(1.0, 1.0),
        max_contamination=0.5,
        coef_prior_scale=2.5,
        log_scale_prior_scale=1.0,
        min_scale=1e-3,
        fit_intercept=True,
        standardize=True,
        inference="mcmc",
        n_draws=4000,
        n_walkers=None,
        n_ensembles=4,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.gamma = gamma
        self.divergence = divergence
        self.kappa = kappa
        self.noise = noise
        self.temperature = temperature
        self.alpha_prior = alpha_prior
        self.max_contamination = max_contamination
        self.coef_prior_scale = coef_prior_scale
        self.log_scale_prior_scale = log_scale_prior_scale
        self.min_scale = min_scale
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.inference = inference
        self.n_draws = n_draws
        self.n_walkers = n_walkers
        self.n_ensembles = n_ensembles
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Sample the posterior and audit the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None
            A weight of 2 equals the row written twice.

        Returns
        -------
        self
        """
        with fitting(self):
            self._index, target = row_labels(X), target_name(y)
            X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
            y = y.astype(np.float64, copy=False)
            weight = usable_weight(sample_weight, X)
            model = self._model(check_noise(self.noise))
            chosen, merged = canonical(X, y, weight)
            self._x_scaling, self._y_scaling = self._scalings(X[chosen], y[chosen], merged)
            rows = self._rows(X[chosen], y[chosen])
            settings = self._settings(
                self.gamma, lambda *rule: self._covariance_temperature(*rule, rows, merged)
            )
            plain = LeastSquares.of(RowBlocks(rows, merged))
            self._warn_rank(plain)
            random = private_random_state(self.random_state)
            result = infer(model, RowBlocks(rows, merged), settings, random)
            rows = self._rows(X, y)
            self._conclude(result, rows, weight)
            self._explain(target, y, rows, plain)
            self.coef_ = self.posterior_["coef"].mean(axis=0)
            self.intercept_ = float(self.posterior_["intercept"].mean())
            self.scale_ = float(self.posterior_["scale"].mean())
        return self

    def _scalings(self, X, y, weight):
        if not self.standardize:
            return Scaling.identity(X.shape[1]), Scaling.identity(1)
        centre = self.fit_intercept
        return Scaling.of(X, weight, centre), Scaling.of(y[:, None], weight, centre)

    def _rows(self, X, y):
        """(1,) X, y on the computing scale, side by side."""
        start = int(self.fit_intercept)
        rows = np.empty((len(X), start + X.shape[1] + 1))
        rows[:, :start] = 1.0
        rows[:, start:-1] = self._x_scaling.apply(X)
        rows[:, -1] = self._y_scaling.apply(y[:, None])[:, 0]
        return rows

    def _model(self, noise):
        features = getattr(self, "feature_names_in_", range(self.n_features_in_))
        names = ["intercept"] * self.fit_intercept + [f"coef[{name}]" for name in features]
        return LinearModel(
            noise,
            len(names),
            coef_prior_scale=self.coef_prior_scale,
            log_scale_prior_scale=self.log_scale_prior_scale,
            min_scale=self.min_scale,
            names=names,
        )

    def _covariance_temperature(self, rule, gamma, rows, weight):
        if rule == "covdet":
            return covariance_rule(rows[:, -1:], weight, gamma / 2)
        return covariance_rule(rows[:, int(self.fit_intercept) :], weight, gamma)

    def _warn_rank(self, plain):
        """Warn where the design does not determine the coefficients."""
        if plain.rank == len(plain.coef):
            return
        constant = np.flatnonzero(self._x_scaling.constant)
        names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_))
        which = f"columns {names[constant].tolist()} are constant" if len(constant) else "collinear"
        warnings.warn(
            f"X has fewer independent columns than coefficients ({which}, or too few rows): the "
            "data do not identify all of them, so the prior decides. Drop columns, or read "
            "predictions only.",
            IdentifiabilityWarning,
            stacklevel=3,
        )

    def _explain(self, target, y, rows, plain):
        """Keep what explains the rows, and the least squares fit in the user's units."""
        to_units = self._y_scaling.centre[0], self._y_scaling.scale[0]
        noise = self._draws.model.noise
        self._evidence = regression_evidence(target, y, rows, self._moments, to_units, noise, plain)
        self._n_lost = len(plain.coef) - plain.rank
        with np.errstate(divide="ignore"):
            self._plain = self._to_units(np.append(plain.coef, np.log(plain.scale))[None])

    @property
    def _log_volume(self):
        """log of the response's scale: densities are reported in the user's units."""
        return float(np.log(self._y_scaling.scale[0]))

    def _to_units(self, theta):
        """Draws on the computing scale -> draws of named parameters in the user's units."""
        unit, start = self._y_scaling.scale[0], int(self.fit_intercept)
        coef = theta[:, start:-1] * (unit / self._x_scaling.scale)
        intercept = self._y_scaling.centre[0] - coef @ self._x_scaling.centre
        if self.fit_intercept:
            intercept = intercept + unit * theta[:, 0]
        scale = unit * np.exp(theta[:, -1])
        return NamedDraws({"coef": coef, "intercept": intercept, "scale": scale})

    def _check_rows(self, X, y):
        check_is_fitted(self)
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, reset=False)
        return self._rows(X, y.astype(np.float64, copy=False))

    def _check_design(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._rows(X, np.broadcast_to(self._y_scaling.centre, len(X)))[:, :-1]

    def _moments(self, design, noise_variance=None):
        """Predictive mean and standard deviation on the computing scale, each (m,)."""
        coef, scale = self._draws.theta[:, :-1], np.exp(self._draws.theta[:, -1])
        mean = design @ coef.mean(axis=0)
        spread = np.atleast_2d(np.cov(coef, rowvar=False, ddof=0))
        fit = np.sum((design @ spread) * design, axis=1)
        if noise_variance is None:
            noise_variance = self._draws.model.noise.variance
        return mean, np.sqrt(np.maximum(fit, 0) + noise_variance * np.mean(scale**2))

    def predict(self, X, return_std=False):
        """Posterior predictive mean, and with ``return_std`` its standard deviation.

        The standard deviation includes coefficient and noise uncertainty.
        """
        mean, sd = self._moments(self._check_design(X))
        unit, centre = self._y_scaling.scale[0], self._y_scaling.centre[0]
        if return_std:
            return centre + unit * mean, unit * sd
        return centre + unit * mean

    def predict_interval(self, X, level=0.95):
        """Central posterior predictive interval of each row, shape (m, 2)."""
        if not 0 < level < 1:
            raise ValueError(f"level must lie in (0, 1), got {level!r}.")
        design = self._check_design(X)
        ends = mixture_interval(self._draws.model.noise.cdf, design, self._draws.theta, level)
        return self._y_scaling.centre[0] + self._y_scaling.scale[0] * ends

    def score_samples(self, X, y=None):
        """Log predictive density of each row, ``log mean_s p(y | x, theta_s)``.

        Without ``y``, its expectation over the predictive itself (from at most 256 draws), so
        that tools that know only ``score_samples(X)`` can call it.
        """
        if y is not None:
            rows = self._check_rows(X, y)
            return log_predictive(self._draws.model, self._draws.theta, rows) - self._log_volume
        design = self._check_design(X)
        theta = self._draws.theta[:: max(1, len(self._draws.theta) // _THINNED)]
        centre, sd = self._moments(design)
        spread = np.where(np.isfinite(sd), sd, np.exp(theta[:, -1]).mean())

        def log_density(y):
            return log_predictive(self._draws.model, theta, np.column_stack([design, y]))

        return expected_log_predictive(log_density, centre, spread) - self._log_volume

    def sample_y(self, X, n_samples=1, random_state=None):
        """Draws of the response from the posterior predictive, shape (m, n_samples)."""
        design, random = self._check_design(X), private_random_state(random_state)
        theta = self._draws.theta[random.randint(len(self._draws.theta), size=n_samples)]
        noise = self._draws.model.noise.sample((len(design), n_samples), random)
        y = design @ theta[:, :-1].T + np.exp(theta[:, -1]) * noise
        return self._y_scaling.centre[0] + self._y_scaling.scale[0] * y

    def fod(self, X, y):
        """FoD of new rows: the share of draws whose audit would flag them, shape (m,)."""
        return self.audit_scores(X, y)[1]

    def audit_scores(self, X, y):
        """Posterior-mean log density and FoD of rows, two arrays of shape (m,)."""
        rows = self._check_rows(X, y)
        self.fod_scores_  # noqa: B018  raises where the divergence has no epsilon
        score, fod = mean_log_density(self._draws.model, self._draws.theta, rows, self._threshold)
        return score - self._log_volume, fod

    def influence(self, X, y):
        """Influence of rows on the risk and on the posterior means.

        Returns
        -------
        Influence
        """
        rows = self._check_rows(X, y)
        return influence(self._draws, rows, self.posterior_)
