"""HolderBayesRegressor: linear regression when some rows do not belong to it."""

from __future__ import annotations

from numbers import Real

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .._sklearn import HasMethods, Interval, StrOptions, fit_context
from ..audit.evidence import regression_evidence
from ..inference import infer
from ..models import LinearModel, check_noise
from ..posterior import covariance_rule
from ..rows import RowBlocks, canonical
from ..summaries.baselines import LeastSquares
from ..summaries.influence import influence
from ..summaries.predictive import (
    expected_log_predictive,
    log_predictive,
    mean_log_density,
    mixture_interval,
)
from .base import HolderBayesEstimator, fitting
from .inputs import naming_columns, private_random_state, usable_weight
from .naming import column_names, frame_library, row_labels, target_name
from .scaling import RegressionUnits

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
            labels = {"index": row_labels(X), "library": frame_library(X), "target": target_name(y)}
            with naming_columns(X, y):
                X, y = validate_data(
                    self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2
                )
            y = y.astype(np.float64, copy=False)
            weight = usable_weight(sample_weight, X)
            model = self._model(check_noise(self.noise))
            table = canonical(X, y, weight)
            chosen, merged = table.chosen, table.weight
            units = RegressionUnits.of(
                X[chosen], y[chosen], merged, self.fit_intercept, self.standardize
            )
            distinct = RowBlocks(units.rows(X[chosen], y[chosen]), merged)
            settings = self._settings(
                self.gamma, lambda *rule: self._covariance_temperature(*rule, distinct)
            )
            trusting = LeastSquares.of(distinct)
            result = infer(model, distinct, settings, private_random_state(self.random_state))
            rows = units.rows(X, y)
            self._conclude(
                result,
                rows,
                distinct,
                table.member,
                **self._lost(trusting, units.x.constant),
                units=units,
                weight=weight,
                columns=column_names(self),
                evidence=regression_evidence(
                    labels["target"], y, rows, result.draws, units.y, trusting
                ),
                baseline=_in_units(trusting, model, units),
                **labels,
            )
            for name, mean in self.posterior_.means():
                setattr(self, f"{name}_", mean)
        return self

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

    def _covariance_temperature(self, rule, gamma, rows):
        if rule == "covdet":
            return covariance_rule(rows.rows[:, -1:], rows.weight, gamma / 2)
        return covariance_rule(rows.rows[:, int(self.fit_intercept) :], rows.weight, gamma)

    def _lost(self, trusting, constant):
        """How many coefficients the design leaves open, and a sentence about them."""
        n_lost = len(trusting.coef) - trusting.rank
        if not n_lost:
            return {}
        names = [name for name, is_so in zip(column_names(self), constant, strict=True) if is_so]
        which = f"columns {names} are constant" if names else "collinear"
        return {
            "n_lost": n_lost,
            "lost": f"X has fewer independent columns than coefficients ({which}, or too few "
            "rows): the data do not identify all of them, so the prior decides. Drop columns, or "
            "read predictions only.",
        }

    def _check_rows(self, X, y):
        check_is_fitted(self)
        with naming_columns(X, y):
            X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True, reset=False)
        return self.record_.units.rows(X, y.astype(np.float64, copy=False))

    def _check_design(self, X):
        check_is_fitted(self)
        with naming_columns(X):
            X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.record_.units.design(X)

    def predict(self, X, return_std=False):
        """Posterior predictive mean, and with ``return_std`` its standard deviation.

        The standard deviation includes coefficient and noise uncertainty.
        """
        design, fit = self._check_design(X), self.record_
        mean, sd = fit.model.predictive_moments(fit.theta, design)
        if return_std:
            return fit.units.response(mean), fit.units.y.scale[0] * sd
        return fit.units.response(mean)

    def predict_interval(self, X, level=0.95):
        """Central posterior predictive interval of each row, shape (m, 2)."""
        if not 0 < level < 1:
            raise ValueError(f"level must lie in (0, 1), got {level!r}.")
        design = self._check_design(X)
        fit = self.record_
        return fit.units.response(mixture_interval(fit.model.noise.cdf, design, fit.theta, level))

    def score_samples(self, X, y=None):
        """Log predictive density of each row, ``log mean_s p(y | x, theta_s)``.

        Without ``y``, its expectation over the predictive itself (from at most 256 draws), so
        that tools that know only ``score_samples(X)`` can call it.
        """
        if y is not None:
            rows, fit = self._check_rows(X, y), self.record_
            return log_predictive(fit.model, fit.theta, rows) - fit.units.log_volume
        design, fit = self._check_design(X), self.record_
        theta = fit.theta[:: max(1, len(fit.theta) // _THINNED)]
        centre, sd = fit.model.predictive_moments(fit.theta, design)
        spread = np.where(np.isfinite(sd), sd, np.exp(theta[:, -1]).mean())

        def log_density(y):
            return log_predictive(fit.model, theta, np.column_stack([design, y]))

        return expected_log_predictive(log_density, centre, spread) - fit.units.log_volume

    def sample_y(self, X, n_samples=1, random_state=None):
        """Draws of the response from the posterior predictive, shape (m, n_samples)."""
        design, random = self._check_design(X), private_random_state(random_state)
        fit = self.record_
        theta = fit.theta[random.randint(len(fit.theta), size=n_samples)]
        return fit.units.response(fit.model.sample(theta, random, design))

    def fod(self, X, y):
        """FoD of new rows: the share of draws whose audit would flag them, shape (m,)."""
        return self.audit_scores(X, y)[1]

    def audit_scores(self, X, y):
        """Posterior-mean log density and FoD of rows, two arrays of shape (m,)."""
        rows = self._check_rows(X, y)
        self.fod_scores_  # noqa: B018  raises where the divergence has no epsilon
        fit = self.record_
        log_density, fod = mean_log_density(fit.model, fit.theta, rows, fit.threshold)
        return log_density - fit.units.log_volume, fod

    def influence(self, X, y):
        """Influence of rows on the risk and on the posterior means.

        Returns
        -------
        Influence
        """
        rows = self._check_rows(X, y)
        return influence(self.record_.draws, rows, self.posterior_)


def _in_units(trusting, model, units):
    """The least squares fit in the user's units, as draws of one."""
    with np.errstate(divide="ignore"):
        return model.to_units(np.append(trusting.coef, np.log(trusting.scale))[None], units)
