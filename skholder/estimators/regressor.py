"""HolderBayesRegressor: linear regression when some rows do not belong to it."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from .._sklearn import HasMethods, StrOptions, fit_context
from ..audit import AuditedTable
from ..audit.evidence import regression_evidence
from ..models import LinearModel, check_noise
from ..posterior import covariance_rule, design_weights
from ..rows import RowBlocks, RowSource, canonical
from ..summaries.baselines import LeastSquares
from .base import POWERS, PRIOR_SCALES, HolderBayesEstimator, fitting
from .inputs import as_source, naming_columns, private_random_state, usable_weight
from .limits import check_trusted
from .naming import column_names, frame_library, row_labels, target_name
from .prepared import Prepared
from .regression_predictions import RegressionPredictions
from .scaling import RegressionUnits

__all__ = ["HolderBayesRegressor"]


class HolderBayesRegressor(RegressionPredictions):
    """Linear regression with a posterior for the share of rows that do not belong to it.

    The Hölder posterior is proportional to ``exp(-beta n H(theta, alpha)) prior(theta, alpha)``,
    ``theta`` the coefficients and the noise scale, ``alpha`` the inlier share.

    Columns and response are standardised first (mean 0, standard deviation 1) unless
    ``standardize=False``; this is the *computing scale* on which priors are meant. Everything
    reported is in the user's units.

    Parameters
    ----------
    gamma : "auto" or float in [1e-12, 50], default="auto"
        Power of the density: larger is more robust and less efficient. ``"auto"`` chooses it from
        the data, by the estimated error along a path of powers (``gamma_path_``).
    count : {"calibrated", "holder"}, default="calibrated"
        Where the numbers of bad rows come from: ``"calibrated"`` takes the sampling error of the
        fit, ``"holder"`` the conditional posterior of alpha of the paper, which is several times
        wider whatever the data.
    leverage : {"auto", "guard", "ignore"}, default="auto"
        Whether rows far out in X are held back from the fit, so that they cannot tilt it:
        ``"auto"`` where they would otherwise hide, ``"guard"`` always, ``"ignore"`` never. They are
        audited all the same.
    divergence : {"dpd", "expsat", "ratsat", "gamma", "kl"} or object, default="dpd"
        The family of functions phi that defines the risk H: the density power divergence, two that
        saturate (they give well-fitting rows less say), and the comparators: the gamma-divergence
        and Kullback-Leibler (ordinary Bayes), which have no epsilon and so no audit. An object
        needs ``phi(z, gamma)``, see :class:`skholder.divergences.Divergence`.
    kappa : float or None, default=None
        How strongly ``"expsat"`` (up to 100) and ``"ratsat"`` (between 0 and 1) saturate;
        None takes 0.5 and 0.25. No other family takes one.
    noise : {"normal", "student_t"} or object, default="normal"
        Law of the noise of the rows that do belong. ``"student_t"`` has 4 degrees of freedom; a
        :class:`skholder.models.NoiseModel` or a frozen SciPy distribution with its median near 0
        and a spread near 1 serves too.
    temperature : {"calibrated", "covdet", "joint-covdet"} or float, default="calibrated"
        The factor beta that says how much a row counts. ``"calibrated"`` makes credible regions of
        the coefficients match their sampling variability; ``"covdet"`` and ``"joint-covdet"`` are
        powers of the determinant of a covariance, that of the response or of covariates and
        response; a number in [1e-12, 1e30] is taken as it is. A larger beta gives narrower
        posteriors.
    alpha_prior : (float, float), default=(1.0, 1.0)
        Shapes a and b of the Beta prior of the inlier share alpha = 1 - epsilon. (1, 1) is flat;
        a larger a expects fewer outliers. It is truncated to ``[1 - max_contamination, 1]``.
    max_contamination : float in (0, 1], default=0.5
        The largest epsilon, as a share of the rows, that the posterior may consider.
    coef_prior_scale : float in [1e-50, 1e12], default=2.5
        Standard deviation of the normal priors of coefficients and intercept, centred at 0, on the
        computing scale. A smaller one shrinks coefficients and helps with few rows.
    log_scale_prior_scale : float in [1e-12, 50], default=1.0
        Prior standard deviation of the log of the noise scale, on the computing scale:
        with 1, a scale e times the standard deviation of all rows is one prior deviation away.
    min_scale : float in (0, 1), default=1e-3
        Smallest noise scale allowed, on the computing scale. It keeps tied values from
        attracting the fit; raise it to the resolution of the data.
    fit_intercept : bool, default=True
        Whether the model has an intercept; without one columns are scaled but not centred.
    standardize : bool, default=True
        Whether to compute on standardised columns and response; False takes the user's units as the
        computing scale.
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
    coef_ : ndarray of shape (n_features,)
        Posterior mean of the coefficients, in units of y for each unit of the column.
    intercept_, scale_ : float
        Posterior means of the intercept and of the noise scale, in units of y.
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
        How likely a row at least as unlikely as each training row is, if it follows the model.
    clean_probability_ : float
        Probability that no row is outside the model, with prior odds 1; NaN where counts are the
        paper's, with ``count="holder"`` or if the posterior lies around several modes, and where a
        scale leans on its floor.
    gamma_path_ : GammaPath
        The path that chose gamma, for ``gamma="auto"``.
    posterior_ : mapping of str to ndarray
        Draws in the user's units, by ensemble: ``coef``, ``intercept``, ``scale``, ``alpha``.
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
    >>> from skholder import HolderBayesRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = X @ [1.0, -2.0] + rng.normal(size=300)
    >>> y[:45] += 8
    >>> model = HolderBayesRegressor(random_state=0).fit(X, y)
    >>> bool(abs(model.epsilon_ - 0.15) < 0.05)
    True
    """

    coef_: NDArray[np.float64]
    intercept_: float
    scale_: float

    _parameter_constraints = {
        **HolderBayesEstimator._parameter_constraints,
        "gamma": [StrOptions({"auto"}), POWERS],
        "leverage": [StrOptions({"auto", "guard", "ignore"})],
        "noise": [
            StrOptions({"normal", "student_t"}),
            HasMethods(["rho", "log_power"]),
            HasMethods(["logpdf", "rvs"]),
        ],
        "coef_prior_scale": [PRIOR_SCALES],
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        gamma: str | float = "auto",
        *,
        count: str = "calibrated",
        leverage: str = "auto",
        divergence: str | object = "dpd",
        kappa: float | None = None,
        noise: str | object = "normal",
        temperature: str | float = "calibrated",
        alpha_prior: tuple[float, float] = (1.0, 1.0),
        max_contamination: float = 0.5,
        coef_prior_scale: float = 2.5,
        log_scale_prior_scale: float = 1.0,
        min_scale: float = 1e-3,
        fit_intercept: bool = True,
        standardize: bool = True,
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
        self.leverage = leverage
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
    def fit(
        self,
        X: ArrayLike | RowSource,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Sample the posterior and audit the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), RowSource or Dask collection
            A :class:`~skholder.rows.RowSource` brings its own response and weights.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of 2 equals the row written twice.

        Returns
        -------
        self
        """
        with fitting(self):
            if (source := as_source(X, y, sample_weight)) is not None:
                return self._fit_streamed(source, with_response=True)
            start = self._prepared(X, y, sample_weight)
            model, table, units, random = start.model, start.table, start.units, start.random
            trusting = LeastSquares.of(table.rows)
            gamma, path = self._power(start)
            result, path = self._sampled(
                model,
                table.fitted_rows,
                path,
                gamma,
                self._temperature_rule(start),
                random,
            )
            rows = units.rows(start.data, start.response)
            self._conclude(
                result,
                rows,
                table,
                random,
                **self._lost(trusting, units.x.constant),
                path=path,
                units=units,
                weight=start.weight,
                columns=column_names(self),
                evidence=regression_evidence(
                    start.labels["target"], start.response, rows, result.draws, units.y, trusting
                ),
                baseline=_in_units(trusting, model, units),
                **start.labels,
            )
        return self

    def _prepared(self, X, y, sample_weight):
        labels = {"index": row_labels(X), "library": frame_library(X), "target": target_name(y)}
        with naming_columns(X, y):
            data, response = validate_data(
                self,
                X,
                y,
                dtype=np.float64,
                y_numeric=True,
                ensure_min_samples=2,
                ensure_min_features=self.n_columns_needed,
            )
        response = response.astype(np.float64, copy=False)
        weight = usable_weight(sample_weight, data)
        model = self._model(check_noise(self.noise))
        where = canonical(data, response, weight)
        kept = data[where.chosen], response[where.chosen]
        units = RegressionUnits.of(
            *kept,
            where.weight,
            self.fit_intercept,
            self.standardize,
            column_names(self),
            labels["target"],
        )
        blocks = RowBlocks(units.rows(*kept), where.weight)
        if self._trusts_all:
            check_trusted(blocks.rows)
        del kept  # A copy of the table, which large ones have no room for.
        random = private_random_state(self.random_state)
        table = AuditedTable(blocks, where, self._design_weight(model, blocks, random))
        return Prepared(model, table, units, data, response, weight, labels, random)

    def _design_weight(self, model, rows, random):
        """Factors that hold rows of bad leverage back from the fit, or None."""
        if self.leverage == "ignore":
            return None
        return design_weights(model, rows, always=self.leverage == "guard", random=random)

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

    def _temperature_rule(self, start):
        rows = start.table.rows

        def temperature(rule, gamma):
            if rule == "covdet":
                return covariance_rule(rows.rows[:, -1:], rows.weight, gamma / 2)
            return covariance_rule(rows.rows[:, int(self.fit_intercept) :], rows.weight, gamma)

        return temperature

    @staticmethod
    def _rows_of(units, X, y):
        return units.rows(X, y)

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


def _in_units(trusting, model, units):
    """The least squares fit in the user's units, as draws of one."""
    with np.errstate(divide="ignore"):
        return model.to_units(np.append(trusting.coef, np.log(trusting.scale))[None], units)
