"""HolderBayesDensity: a parametric density when some rows do not belong to it."""

from __future__ import annotations

from numbers import Real

import numpy as np
from sklearn.base import DensityMixin, OutlierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .._sklearn import HasMethods, Interval, StrOptions, fit_context
from ..audit import choose_count, score_threshold
from ..audit.evidence import density_evidence
from ..inference import infer
from ..models import DENSITY_NAMES, check_density
from ..posterior import covariance_rule
from ..rows import RowBlocks, canonical
from ..summaries.baselines import PlainMoments
from ..summaries.influence import influence
from ..summaries.predictive import log_predictive, lowest_predictive, mean_log_density
from .base import HolderBayesEstimator, fitting
from .inputs import naming_columns, private_random_state, usable_weight
from .naming import column_names, frame_library, row_labels
from .whitening import Whitening
from .width import check_width

__all__ = ["HolderBayesDensity", "efficient_gamma"]


def efficient_gamma(n_columns, efficiency=0.8):
    """The gamma that leaves a k-variate normal location this asymptotic efficiency.

    ((1 + 2 gamma) / (1 + gamma)^2)^(k/2 + 1) = efficiency, solved for gamma.
    """
    q = np.sqrt(1 - efficiency ** (1 / (n_columns / 2 + 1)))
    return float(q / (1 - q))


class HolderBayesDensity(OutlierMixin, DensityMixin, HolderBayesEstimator):
    """A parametric density with a posterior for the share of rows that do not belong to it.

    Parameters
    ----------
    gamma : "efficiency" or float, default="efficiency"
        Power of the density; ``"efficiency"`` solves for 80% efficiency of a normal location.
    model : str or object, default="normal"
        ``"normal"``, ``"student_t"``, ``"laplace"``, ``"exponential"``, ``"gamma"``,
        ``"lognormal"``, ``"poisson"`` (the last five with independent columns), or an object with
        ``parameter_names``, ``log_density(theta, X)`` and ``starts(X)``; see
        :mod:`skholder.models.custom`.
    covariance_type : {"full", "diag"}, default="full"
        Of the normal and the Student-t: ``"full"`` is computed on whitened data, ``"diag"`` on
        standardised columns.
    divergence, kappa, temperature, alpha_prior, max_contamination : see HolderBayesRegressor
    location_prior_scale, log_scale_prior_scale : float, default=2.5, 1.0
        Prior scales on the computing scale.
    min_scale : float, default=1e-3
    standardize : bool, default=True
    contamination : "auto" or float in (0, 0.5], default="auto"
        Share of training rows that ``predict`` calls outliers; ``"auto"`` takes the posterior's
        own count.
    rule : {"mean", "median", "lower", "upper"}, default="mean"
        Which summary of the posterior count ``"auto"`` takes.
    inference, n_draws, n_walkers, n_ensembles, n_jobs, random_state, verbose : see
        HolderBayesRegressor

    Attributes
    ----------
    location_, covariance_ : ndarray of shape (n_features,), (n_features, n_features)
        Posterior means in the user's units; other families have one attribute for each parameter.
    epsilon_, epsilon_interval_, epsilon_posterior_, outlier_count_posterior_, fod_scores_,
    log_density_, posterior_, temperature_, gamma_, modes_, diagnostics_ : as HolderBayesRegressor
    offset_ : float
        ``decision_function = score_samples - offset_``.

    Examples
    --------
    >>> import numpy as np
    >>> from skholder import HolderBayesDensity
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(size=(270, 2)), rng.normal(6, 1, size=(30, 2))])
    >>> model = HolderBayesDensity(random_state=0).fit(X)
    >>> bool(abs(model.epsilon_ - 0.1) < 0.05)
    True
    """

    _parameter_constraints = {
        **HolderBayesEstimator._parameter_constraints,
        "gamma": [StrOptions({"efficiency"}), Interval(Real, 0, None, closed="neither")],
        "model": [
            StrOptions(set(DENSITY_NAMES)),
            HasMethods("log_density"),
            HasMethods(["log_kernel", "log_power", "tail"]),
        ],
        "covariance_type": [StrOptions({"full", "diag"})],
        "temperature": [
            StrOptions({"calibrated", "covdet"}),
            Interval(Real, 0, None, closed="neither"),
        ],
        "location_prior_scale": [Interval(Real, 0, None, closed="neither")],
        "contamination": [StrOptions({"auto"}), Interval(Real, 0, 0.5, closed="right")],
        "rule": [StrOptions({"mean", "median", "lower", "upper"})],
    }

    def __init__(
        self,
        gamma="efficiency",
        *,
        model="normal",
        covariance_type="full",
        divergence="dpd",
        kappa=None,
        temperature="calibrated",
        alpha_prior=(1.0, 1.0),
        max_contamination=0.5,
        location_prior_scale=2.5,
        log_scale_prior_scale=1.0,
        min_scale=1e-3,
        standardize=True,
        contamination="auto",
        rule="mean",
        inference="mcmc",
        n_draws=4000,
        n_walkers=None,
        n_ensembles=4,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.gamma = gamma
        self.model = model
        self.covariance_type = covariance_type
        self.divergence = divergence
        self.kappa = kappa
        self.temperature = temperature
        self.alpha_prior = alpha_prior
        self.max_contamination = max_contamination
        self.location_prior_scale = location_prior_scale
        self.log_scale_prior_scale = log_scale_prior_scale
        self.min_scale = min_scale
        self.standardize = standardize
        self.contamination = contamination
        self.rule = rule
        self.inference = inference
        self.n_draws = n_draws
        self.n_walkers = n_walkers
        self.n_ensembles = n_ensembles
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Sample the posterior and audit the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None
            A weight of 2 equals the row written twice.

        Returns
        -------
        self
        """
        with fitting(self):
            labels = {"index": row_labels(X), "library": frame_library(X), "target": None}
            with naming_columns(X):
                X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
            weight = usable_weight(sample_weight, X)
            kind = check_density(self.model)
            kind.check_support(X)
            random = private_random_state(self.random_state)
            table = canonical(X, weight=weight)
            chosen, merged = table.chosen, table.weight
            units = self._units(kind, X[chosen], merged, random)
            distinct = RowBlocks(units.apply(X[chosen]), merged)
            names = units.names(getattr(self, "feature_names_in_", range(X.shape[1])))
            model = kind.build(distinct.rows, self.covariance_type, names, **self._priors())
            settings = self._settings(
                self._gamma(distinct.rows.shape[1]),
                lambda rule, gamma: covariance_rule(distinct.rows, merged, gamma / 2),
            )
            result = infer(model, distinct, settings, random)
            rows = units.apply(X)
            contributions = result.draws.model.contributions(result.draws.theta, units.forward)
            self._conclude(
                result,
                rows,
                distinct,
                table.member,
                **_lost(units),
                units=units,
                weight=weight,
                columns=column_names(self),
                evidence=density_evidence(column_names(self), X, rows, contributions),
                baseline=PlainMoments.of(X, weight),
                **labels,
            )
            for name, mean in self.posterior_.means():
                setattr(self, f"{name}_", mean)
            if self.contamination != "auto" or result.draws.alpha is not None:
                self.offset_ = self._training_offset(distinct, self.log_density_[chosen])
        return self

    def _gamma(self, n_columns):
        return efficient_gamma(n_columns) if self.gamma == "efficiency" else float(self.gamma)

    def _priors(self):
        return {
            "location_prior_scale": self.location_prior_scale,
            "log_scale_prior_scale": self.log_scale_prior_scale,
            "min_scale": self.min_scale,
        }

    def _units(self, kind, X, weight, random):
        """The map to the computing scale."""
        scaling = kind.scaling(self.covariance_type)
        units = Whitening.of(scaling if self.standardize else "none", X, weight, random)
        if len(units.backward) == 0:
            raise ValueError("Every column of X is constant: there is no density to fit.")
        check_width(len(units.backward), scaling == "full", self.inference)
        return units

    def _check_rows(self, X):
        check_is_fitted(self)
        with naming_columns(X):
            X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.record_.units.apply(X)

    def _log_predictive(self, rows):
        fit = self.record_
        return log_predictive(fit.model, fit.theta, rows) - fit.units.log_volume

    def score_samples(self, X):
        """Log predictive density of each row, ``log mean_s p(x | theta_s)``."""
        return self._log_predictive(self._check_rows(X))

    def score(self, X, y=None):
        """Mean log predictive density of the rows."""
        return float(np.mean(self.score_samples(X)))

    def _training_offset(self, distinct, log_density):
        """Threshold on ``score_samples`` that calls the wanted number of training rows outliers.

        ``distinct`` are the rows of the inference, ``log_density`` their posterior means.
        """
        if self.contamination == "auto":
            count = choose_count(self.outlier_count_posterior_, self.rule)
        else:
            count = int(np.rint(self.contamination * distinct.total_weight))
        weight = np.ones(len(distinct)) if distinct.weight is None else distinct.weight
        if weight.min() < 1:
            return score_threshold(self._log_predictive(distinct.rows), weight, count)
        fit, log_volume = self.record_, self.record_.units.log_volume
        # Where no row weighs less than 1, so many hold the count and the row above it.
        lowest, scores = lowest_predictive(
            fit.model, fit.theta, distinct.rows, log_density + log_volume, count + 1
        )
        return score_threshold(scores, weight[lowest], count) - log_volume

    def decision_function(self, X):
        """``score_samples(X) - offset_``: negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X):
        """+1 for inliers and -1 for outliers, shape (m,)."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def sample(self, n_samples=1, random_state=None):
        """Rows from the posterior predictive, shape (n_samples, n_features)."""
        check_is_fitted(self)
        random = private_random_state(random_state)
        fit = self.record_
        theta = fit.theta[random.randint(len(fit.theta), size=n_samples)]
        return fit.units.centre + fit.model.sample(theta, random) @ fit.units.backward

    def fod(self, X):
        """FoD of new rows: the share of draws whose audit would flag them, shape (m,)."""
        return self.audit_scores(X)[1]

    def audit_scores(self, X):
        """Posterior-mean log density and FoD of rows, two arrays of shape (m,)."""
        rows = self._check_rows(X)
        self.fod_scores_  # noqa: B018  raises where the divergence has no epsilon
        fit = self.record_
        log_density, fod = mean_log_density(fit.model, fit.theta, rows, fit.threshold)
        return log_density - fit.units.log_volume, fod

    def influence(self, X):
        """Influence of rows on the risk and on the posterior means.

        Returns
        -------
        Influence
        """
        rows = self._check_rows(X)
        return influence(self.record_.draws, rows, self.posterior_)


def _lost(units):
    """How many directions of X have no spread, and a sentence about them."""
    if not units.n_lost:
        return {}
    return {
        "n_lost": units.n_lost,
        "lost": f"{units.n_lost} of the {len(units.centre)} directions of X have no spread "
        "(constant or collinear columns): the density is that of the others. Drop those columns.",
    }
