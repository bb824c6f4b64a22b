"""HolderBayesDensity: a parametric density when some rows do not belong to it."""

from __future__ import annotations

from numbers import Real
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from .._sklearn import HasMethods, Interval, StrOptions, fit_context
from ..audit import RULES, AuditedTable, choose_count, score_threshold
from ..models import DENSITY_NAMES, check_density
from ..posterior import covariance_rule, efficient_gamma, search_random
from ..rows import RowBlocks, RowSource, canonical
from ..summaries.baselines import PlainMoments
from ..summaries.predictive import lowest_predictive
from .base import POWERS, PRIOR_SCALES, TEMPERATURES, HolderBayesEstimator, fitting
from .density_predictions import DensityPredictions
from .density_rows import evidence_of, is_discrete, lost_directions
from .inputs import as_source, naming_columns, private_random_state, usable_weight
from .limits import check_trusted
from .naming import column_names, frame_library, row_labels
from .prepared import Prepared
from .whitening import Whitening
from .width import check_power, check_width, covariance_for

__all__ = ["HolderBayesDensity"]

# Efficiency of the power that is taken where rows are fewer than columns.
_FEW_ROWS_EFFICIENCY = 0.96


class HolderBayesDensity(DensityPredictions):
    """A parametric density with a posterior for the share of rows that do not belong to it.

    The Hölder posterior is proportional to ``exp(-beta n H(theta, alpha)) prior(theta, alpha)``,
    ``theta`` the parameters of the density, ``alpha`` the inlier share. It is computed on whitened
    or standardised columns, the *computing scale* on which priors are meant; everything reported is
    in the user's units.

    Parameters
    ----------
    gamma : "auto", "efficiency" or float in [1e-12, 50], default="auto"
        Power of the density: larger is more robust and less efficient. ``"auto"`` chooses it from
        the data, by the estimated error along a path of powers (``gamma_path_``);
        ``"efficiency"`` solves for 80% efficiency of a normal location. Times the number of
        columns, a float may be at most 400.
    count : {"calibrated", "holder"}, default="calibrated"
        Where the numbers of bad rows come from: ``"calibrated"`` takes the sampling error of the
        fit, ``"holder"`` the conditional posterior of alpha of the paper, which is several times
        wider whatever the data.
    model : str or object, default="normal"
        ``"normal"``, ``"student_t"``, ``"laplace"``, ``"exponential"``, ``"gamma"``,
        ``"lognormal"``, ``"poisson"`` (the last five with independent columns), a
        :class:`skholder.models.Radial` law or :class:`skholder.models.ColumnFamily`, or an object
        with ``parameter_names``, ``log_density(theta, X)`` and ``starts(X)``; see
        :mod:`skholder.models.custom`.
    covariance_type : {"auto", "full", "spectral", "diag"}, default="auto"
        Of the normal and the Student-t: ``"full"`` lets columns be correlated and is computed on
        whitened data. ``"spectral"`` takes the principal axes of a robust, shrunken scatter as they
        are and infers location and scales along them, for tables of up to 1000 columns.
        ``"diag"`` has independent columns and is computed on standardised ones. ``"auto"`` is full
        up to 20 columns, if there are at most 6 of them or 5 rows for each parameter, and
        spectral otherwise; the model in words says which.
    divergence : {"dpd", "expsat", "ratsat", "gamma", "kl"} or object, default="dpd"
        The family of functions phi that defines the risk H: the density power divergence, two that
        saturate (they give well-fitting rows less say), and the comparators: the gamma-divergence
        and Kullback-Leibler (ordinary Bayes), which have no epsilon and so no audit. An object
        needs ``phi(z, gamma)``, see :class:`skholder.divergences.Divergence`.
    kappa : float or None, default=None
        How strongly ``"expsat"`` (up to 100) and ``"ratsat"`` (between 0 and 1) saturate;
        None takes 0.5 and 0.25. No other family takes one.
    temperature : {"calibrated", "covdet"} or float, default="calibrated"
        The factor beta that says how much a row counts. ``"calibrated"`` makes credible regions
        match sampling variability; ``"covdet"`` is a power of the determinant of the covariance of
        the columns; a number in [1e-12, 1e30] is taken as it is. A larger beta gives narrower
        posteriors.
    alpha_prior : (float, float), default=(1.0, 1.0)
        Shapes a and b of the Beta prior of the inlier share alpha = 1 - epsilon. (1, 1) is flat;
        a larger a expects fewer outliers. It is truncated to ``[1 - max_contamination, 1]``.
    max_contamination : float in (0, 1], default=0.5
        The largest epsilon, as a share of the rows, that the posterior may consider.
    location_prior_scale : float in [1e-50, 1e12], default=2.5
        Standard deviation of the normal priors of locations, centred at 0, on the computing scale.
    log_scale_prior_scale : float in [1e-12, 50], default=1.0
        Prior standard deviation of the log of scales, on the computing scale:
        with 1, a scale e times the standard deviation of all rows is one prior deviation away.
    min_scale : float in (0, 1), default=1e-3
        Smallest scale allowed, on the computing scale. It keeps tied values from
        attracting the fit; raise it to the resolution of the data.
    standardize : bool, default=True
        Whether to whiten or standardise columns first; False takes the user's units as the
        computing scale. A spectral covariance is computed along its axes in any case.
    contamination : "auto" or float in (0, 0.5], default="auto"
        Share of the training rows that ``predict`` calls outliers; ``"auto"`` takes the posterior's
        own count. It moves ``offset_`` only, not the posterior.
    rule : {"mean", "median", "lower", "upper"}, default="mean"
        Which summary of the posterior count ``"auto"`` takes: its mean, its median, or an end of
        its central 95% interval, ``"lower"`` flagging the fewest rows.
    inference : {"mcmc", "laplace"}, default="mcmc"
        ``"mcmc"`` samples the posterior; ``"laplace"`` draws from a normal at its best
        mode, which is quicker, approximate, and has no convergence diagnostics.
    n_draws : int, default=4000
        Number of posterior draws kept in all, a multiple of ``n_ensembles``. More draws make
        intervals and FoD scores smoother, in proportion to the time spent.
    n_walkers : int or None, default=None
        Walkers (coupled chains) of each ensemble, at least 4; None chooses by the number of
        parameters and draws.
    n_ensembles : int, default=4
        Independent ensembles: the chains that R-hat and the effective sample sizes compare;
        draws are stored ensemble by ensemble.
    n_jobs : int or None, default=None
        Ensembles sampled at a time, in threads; None is 1 and -1 all processors. It never changes a
        result.
    random_state : int, RandomState or None, default=None
        Seed of starting values and sampler: the same integer gives the same bits. None draws
        a fresh seed; NumPy's global state is never used.
    verbose : int, default=0
        1 shows a progress bar on the standard error stream.

    Attributes
    ----------
    location_, covariance_ : ndarray of shape (n_features,), (n_features, n_features)
        Posterior means of the normal's and the Student-t's parameters in the user's units; other
        families have one attribute for each of theirs, named as in ``posterior_``.
    offset_ : float
        ``decision_function = score_samples - offset_``: rows below it are called outliers.
    epsilon_ : float
        Posterior mean of the share of rows that do not follow the model.
    epsilon_interval_ : ndarray of shape (2,)
        Its central 95% interval.
    epsilon_posterior_ : ndarray of shape (n_draws,)
        Its draws.
    outlier_count_posterior_ : ndarray of int, shape (n_draws,)
        Draws of K, the number of rows (in units of weight) that do not follow the model.
    fod_scores_ : ndarray of shape (n_samples,)
        Frequency of Detection: the share of draws in which a training row is among the K least
        likely ones.
    log_density_ : ndarray of shape (n_samples,)
        Log density of each training row averaged over draws, in nats and the user's units.
    tail_probability_ : ndarray of shape (n_samples,)
        How likely a row at least as unlikely as each training row is, if that follows the model.
    clean_probability_ : float
        Probability that no row is outside the model, with prior odds 1; NaN where counts are the
        paper's, with ``count="holder"`` or if the posterior lies around several modes, and where a
        scale leans on its floor.
    adequacy_ : Adequacy
        Whether the model describes the rows it keeps, with a verdict in words.
    gamma_path_ : GammaPath
        The path that chose gamma, for ``gamma="auto"``.
    posterior_ : mapping of str to ndarray
        Draws in the user's units, ensemble by ensemble: ``location``, ``covariance``, ``alpha``.
    temperature_, gamma_ : float
        The beta and the gamma that were used.
    modes_ : list of PosteriorMode
        The modes that were found, in the user's units: first the one that holds the posterior,
        then the others by log posterior.
    diagnostics_ : Diagnostics
        R-hat and effective sample sizes, and ``checks``: what can go wrong, with what was seen.
    record_ : FitRecord
        Everything else that the fit left behind, for tools built on it.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Names of the columns, where X was a data frame.

    References
    ----------
    Fujisawa, Adachi and Matsubara, "Generalised Robust Bayes for Joint Inference of Model and
    Contamination".

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

    location_: NDArray[np.float64]
    covariance_: NDArray[np.float64]

    _parameter_constraints = {
        **HolderBayesEstimator._parameter_constraints,
        "gamma": [StrOptions({"auto", "efficiency"}), POWERS],
        "model": [
            StrOptions(set(DENSITY_NAMES)),
            HasMethods("log_density"),
            HasMethods(["log_kernel", "log_power", "tail"]),
        ],
        "covariance_type": [StrOptions({"auto", "full", "spectral", "diag"})],
        "temperature": [StrOptions({"calibrated", "covdet"}), TEMPERATURES],
        "location_prior_scale": [PRIOR_SCALES],
        "contamination": [StrOptions({"auto"}), Interval(Real, 0, 0.5, closed="right")],
        "rule": [StrOptions(set(RULES))],
    }

    def __init__(
        self,
        gamma: str | float = "auto",
        *,
        count: str = "calibrated",
        model: str | object = "normal",
        covariance_type: str = "auto",
        divergence: str | object = "dpd",
        kappa: float | None = None,
        temperature: str | float = "calibrated",
        alpha_prior: tuple[float, float] = (1.0, 1.0),
        max_contamination: float = 0.5,
        location_prior_scale: float = 2.5,
        log_scale_prior_scale: float = 1.0,
        min_scale: float = 1e-3,
        standardize: bool = True,
        contamination: str | float = "auto",
        rule: str = "mean",
        inference: str = "mcmc",
        n_draws: int = 4000,
        n_walkers: int | None = None,
        n_ensembles: int = 4,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.gamma = gamma
        self.count = count
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
    def fit(
        self,
        X: ArrayLike | RowSource,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Sample the posterior and audit the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of 2 equals the row written twice.

        Returns
        -------
        self
        """
        with fitting(self):
            if (source := as_source(X, None, sample_weight)) is not None:
                return self._fit_streamed(source, with_response=False)
            start = self._prepared(X, y, sample_weight)
            model, table, units, random = start.model, start.table, start.units, start.random
            gamma, path = self._power(start)
            rule = self._temperature_rule(start)
            result, path = self._sampled(model, table.rows, path, gamma, rule, random)
            rows = units.apply(start.data)
            self._conclude(
                result,
                rows,
                table,
                random,
                **lost_directions(units),
                path=path,
                units=units,
                weight=start.weight,
                columns=column_names(self),
                evidence=evidence_of(column_names(self), result, start, rows),
                baseline=PlainMoments.of(start.data, start.weight),
                **start.labels,
            )
            if self.contamination != "auto" or result.draws.alpha is not None:
                distinct = self.log_density_[table.where.chosen]
                self.offset_ = self._training_offset(table.rows, distinct)
        return self

    def _prepared(self, X, y, sample_weight):
        labels = {"index": row_labels(X), "library": frame_library(X), "target": None}
        with naming_columns(X):
            data = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        weight = usable_weight(sample_weight, data)
        kind = check_density(self.model)
        kind.check_support(data)
        random = private_random_state(self.random_state)
        where = canonical(data, weight=weight)
        distinct, k = data[where.chosen], data.shape[1]
        covariance_type = covariance_for(self.covariance_type, distinct, where.weight)
        search = search_random(random, len(distinct), k * (k + 3) // 2)
        units = self._units(kind.scaling(covariance_type), distinct, where.weight, search)
        table = AuditedTable(RowBlocks(units.apply(distinct), where.weight), where)
        if self._trusts_all:
            check_trusted(table.rows.rows)
        names = units.names(getattr(self, "feature_names_in_", range(data.shape[1])))
        model = kind.build(
            table.rows.rows, covariance_type, names, n_own=units.n_own, **self._priors()
        )
        return Prepared(model, table, units, data, None, weight, labels, random)

    def _power(self, start):
        if self.gamma == "auto" and start.table.rows.total_weight < start.model.n_modelled:
            # Differences between powers are all noise here; a small one still sees gross rows.
            return efficient_gamma(start.model.n_modelled, _FEW_ROWS_EFFICIENCY), None
        # Tied values make narrow modes, to which a search over powers would be drawn.
        discrete = start.model.is_normal and is_discrete(start.data, start.table.where.chosen)
        if self.gamma == "efficiency" or (self.gamma == "auto" and discrete):
            return efficient_gamma(start.model.n_modelled), None
        return super()._power(start)

    def _temperature_rule(self, start):
        rows = start.table.rows
        return lambda rule, gamma: covariance_rule(rows.rows, rows.weight, gamma / 2)

    @staticmethod
    def _rows_of(units, X, y):
        return units.apply(X)

    def _priors(self):
        return {
            "location_prior_scale": self.location_prior_scale,
            "log_scale_prior_scale": self.log_scale_prior_scale,
            "min_scale": self.min_scale,
        }

    def _units(self, scaling, X, weight, random):
        """The map to the computing scale."""
        names = [f"Column {name!r}" for name in column_names(self)]
        if self.standardize or scaling not in ("full", "standard"):
            kind = scaling if self.standardize or scaling == "spectral" else "none"
            units = Whitening.of(kind, X, weight, random, names)
        else:
            units = Whitening.plain(X, weight, names)
        if len(units.backward) == 0:
            raise ValueError("Every column of X is constant: there is no density to fit.")
        check_width(len(units.backward), scaling, self.inference)
        if not self._trusts_all:
            check_power(len(units.backward), self.gamma)
        return units

    def _training_offset(self, distinct, log_density):
        """Threshold on ``score_samples`` that calls the wanted number of training rows outliers.

        ``distinct`` are the rows of the inference, ``log_density`` their posterior means.
        """
        if self.contamination == "auto":
            count = choose_count(
                self.outlier_count_posterior_,
                self.rule,
                tails=self.tail_probability_,
                weight=self.record_.weight,
            )
        else:
            count = int(np.rint(float(self.contamination) * distinct.total_weight))
        weight = np.ones(len(distinct)) if distinct.weight is None else distinct.weight
        if weight.min() < 1:
            return score_threshold(self._log_predictive(distinct.rows), weight, count)
        fit, log_volume = self.record_, self.record_.units.log_volume
        # Where no row weighs less than 1, so many hold the count and the row above it.
        lowest, scores = lowest_predictive(
            fit.model, fit.theta, distinct.rows, log_density + log_volume, count + 1
        )
        return score_threshold(scores, weight[lowest], count) - log_volume
