"""ModelAuditor: any regressor, its rows audited by its out-of-fold residuals."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from .._sklearn import HasMethods, Interval, StrOptions, fit_context, method_params, safe_indexing
from ..audit import RULES, Adequacy
from ..models import NoiseModel, check_noise
from ..sampling.progress import ProgressBar
from .flagging import flagged_count, flagged_rows
from .inputs import needs_memory, private_random_state, usable_weight
from .naming import copy_columns, frame_library, row_labels, target_name
from .out_of_fold import (
    ResidualSize,
    absolute_size,
    check_residuals,
    out_of_fold,
    relative_size,
    split_rows,
)
from .residual_audit import ResidualAudit, rows_and_response
from .residual_noise import residual_noise
from .residual_posterior import ResidualPosterior, ResidualTable
from .routing import routed_fit_and_split

__all__ = ["ModelAuditor"]

# What the posterior of the residuals says of the training rows.
_FINDINGS = (
    "adequacy_",
    "clean_probability_",
    "epsilon_",
    "epsilon_interval_",
    "epsilon_posterior_",
    "fod_scores_",
    "gamma_",
    "log_density_",
    "outlier_count_posterior_",
    "tail_probability_",
)


class ModelAuditor(ResidualAudit):
    """Audit a table by any regressor: which responses does the model you trust not explain?

    Every row is predicted by a clone of the estimator that was trained without it. What is left,
    the out-of-fold residuals, gets a Hölder posterior: of their location and scale, of the share of
    rows that do not belong, and of how many rows of this table that is. The posterior does not
    contain the estimator's own uncertainty: where the estimator is poor, the noise is large, and
    small errors in the response stay hidden.

    Parameters
    ----------
    estimator : object
        Any scikit-learn regressor, or a Pipeline that ends in one. X is passed to it as it comes.
        It learns from the spoiled rows too: one that shrugs at outliers, such as trees with
        ``loss="absolute_error"``, finds more of them.
    cv : int, splitter or iterable, default=5
        Folds. An integer shuffles the rows first, by ``random_state``, so that sorted tables do no
        harm. A splitter must predict every row; where it does so several times, predictions are
        averaged. For rows that belong together (one patient, one day, exact copies) use
        ``GroupKFold`` and pass ``groups`` to ``fit``.
    scale : {"constant", "fitted"}, default="constant"
        ``"fitted"`` divides residuals by the cube root of their usual size at that x, which
        another clone of the estimator learns from their absolute values, out of fold: for noise
        that differs over the table. It doubles the time.
    noise : {"normal", "student_t", "auto"} or object, default="normal"
        Law of the residuals of rows that do belong, as in HolderBayesRegressor. ``"auto"`` takes
        Student's t with as heavy tails as the residuals near the middle surely show, or normal
        noise where they show none: for the share of tables whose honest residuals have tails.
    rule : {"mean", "median", "lower", "upper", "fdr", "certain"}, default="mean"
        How many training rows to flag, see :meth:`audit`. It may be changed with ``set_params``
        after fitting: ``audit_`` follows at once, ``estimator_`` does not.
    level : float in (0, 1), default=0.95
        Probability inside the interval whose ends are ``"lower"`` and ``"upper"``; for ``"fdr"``,
        one less the share of false flags.
    refit : bool, default=True
        Whether ``estimator_`` is trained without the flagged rows, half of all rows at the most;
        False trains it on all.
    n_draws : int, default=4000
        Number of posterior draws kept, a multiple of 4.
    n_jobs : int or None, default=None
        Folds fitted at a time; None is 1 and -1 all processors.
    random_state : int, RandomState or None, default=None
        Seed of the folds and of the posterior; the estimator keeps its own.
    verbose : int, default=0
        1 shows progress bars on the standard error stream.

    Attributes
    ----------
    estimator_ : object
        The estimator, trained without the flagged rows (or, with ``refit=False``, on all).
    residuals_ : ndarray of shape (n_samples,)
        Response less out-of-fold prediction, in units of y.
    audit_ : Audit
        The training rows flagged by the current rule.
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
        Log density of each residual (with ``scale="fitted"``: divided by its size), averaged over
        draws.
    tail_probability_ : ndarray of shape (n_samples,)
        How likely a residual at least as large as that of each training row is, if the row
        follows the model.
    clean_probability_ : float
        Probability that no row is outside the model, with prior odds 1; NaN if the posterior lies
        around several modes, or the scale leans on its floor.
    adequacy_ : Adequacy
        Whether the noise describes the residuals of the rows it keeps, with a verdict in words.
    gamma_ : float
        The power of the density that was used.
    residual_posterior_ : ResidualPosterior
        The fit to the residuals: a HolderBayesRegressor on no columns.
    noise_ : NoiseModel
        The law of the residuals that was used.
    residual_size_ : ResidualSize or None
        For ``scale="fitted"``, what predicts the size of the residuals of new rows.
    n_features_in_ : int
        Number of columns of X, where the estimator says it.
    feature_names_in_ : ndarray of str
        Names of the columns, where the estimator says them.

    References
    ----------
    Fujisawa, Adachi and Matsubara, "Generalised Robust Bayes for Joint Inference of Model and
    Contamination".

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import HistGradientBoostingRegressor
    >>> from skholder import ModelAuditor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, size=(500, 2))
    >>> y = np.sin(X[:, 0]) * X[:, 1] + 0.1 * rng.normal(size=500)
    >>> y[:25] += 2
    >>> trees = HistGradientBoostingRegressor(loss="absolute_error", random_state=0)
    >>> auditor = ModelAuditor(trees, random_state=0).fit(X, y)
    >>> bool(auditor.audit_.mask[:25].mean() > 0.9)
    True
    >>> print(auditor.audit_.explain(position=3).reason)
    y is ... sd above what the model predicts without having seen it
    """

    estimator_: Any
    residuals_: NDArray[np.float64]
    residual_posterior_: ResidualPosterior
    residual_size_: ResidualSize | None
    noise_: NoiseModel
    adequacy_: Adequacy
    clean_probability_: float
    epsilon_: float
    epsilon_interval_: NDArray[np.float64]
    epsilon_posterior_: NDArray[np.float64]
    fod_scores_: NDArray[np.float64]
    gamma_: float
    log_density_: NDArray[np.float64]
    outlier_count_posterior_: NDArray[np.int64]
    tail_probability_: NDArray[np.float64]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"])],
        "cv": ["cv_object"],
        "scale": [StrOptions({"constant", "fitted"})],
        "noise": [
            StrOptions({"normal", "student_t", "auto"}),
            HasMethods(["rho", "log_power"]),
            HasMethods(["logpdf", "rvs"]),
        ],
        "rule": [StrOptions(set(RULES))],
        "level": [Interval(Real, 0, 1, closed="neither")],
        "refit": ["boolean"],
        "n_draws": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator: Any,
        *,
        cv: Any = 5,
        scale: str = "constant",
        noise: str | object = "normal",
        rule: str = "mean",
        level: float = 0.95,
        refit: bool = True,
        n_draws: int = 4000,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.scale = scale
        self.noise = noise
        self.rule = rule
        self.level = level
        self.refit = refit
        self.n_draws = n_draws
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Predict every row out of fold, audit the residuals, train the estimator.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Whatever the estimator takes.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of 2 counts as two rows in the posterior; an estimator whose ``fit`` takes
            weights gets them too.
        **fit_params : dict
            ``groups`` for the splitter; anything else for the estimator's ``fit``.

        Returns
        -------
        self
        """
        _refuse_others(self.estimator)
        self._check_posterior()
        needs_memory("ModelAuditor", X)
        labels = {"index": row_labels(X), "library": frame_library(X), "target": target_name(y)}
        X, response = rows_and_response(X, y)
        random = private_random_state(self.random_state)
        weight = usable_weight(sample_weight, response[:, None])
        params, split = routed_fit_and_split(self, sample_weight, fit_params)
        folds = split_rows(self.cv, X, response, split, random.randint(2**31 - 1))
        prediction = self._predicted("folds", X, response, folds, params, weight)
        residuals = response - prediction
        check_residuals(residuals, response)
        size, residual_size = self._sizes(X, residuals, folds, params, weight)
        name = _name(self.estimator)
        table = ResidualTable(response, prediction, size, predictor=name, **labels)
        posterior = ResidualPosterior(
            noise=residual_noise(self.noise, table, weight),
            leverage="ignore",
            n_draws=self.n_draws,
            random_state=random,
            verbose=self.verbose,
        ).fit_residuals(table, weight)
        kept = np.flatnonzero(self._kept(posterior))
        fitted = clone(self.estimator).fit(
            safe_indexing(X, kept), response[kept], **method_params(X, params, kept)
        )
        self._keep(fitted, posterior, residuals, residual_size)
        return self

    def _check_posterior(self):
        """Refuse, before any fold is fitted, what the posterior of the residuals would refuse."""
        chains = ResidualPosterior().n_ensembles
        if self.n_draws % chains:
            raise ValueError(f"n_draws={self.n_draws} must be a multiple of {chains}.")
        if not (isinstance(self.noise, str) and self.noise == "auto"):
            check_noise(self.noise)

    def _predicted(self, label, X, y, folds, params, weight):
        """Out-of-fold predictions (n,), with a progress bar where it is asked for."""
        progress = ProgressBar(label) if self.verbose else _silent
        return out_of_fold(self.estimator, X, y, folds, params, weight, self.n_jobs, progress)

    def _sizes(self, X, residuals, folds, params, weight):
        """The size of each residual in units of the usual one, and what predicts it elsewhere."""
        if self.scale == "constant":
            return np.ones(len(residuals)), None
        absolute = absolute_size(residuals, weight)
        size = self._predicted("sizes", X, absolute, folds, params, weight)
        # In units of the largest, whose sum with others may be no float.
        largest = absolute.max()
        usual = float(largest * np.average(absolute / largest, weights=weight))
        fitted = clone(self.estimator).fit(X, absolute, **params)
        return relative_size(size, usual), ResidualSize(fitted, usual)

    def _kept(self, posterior):
        """Which rows train the estimator: those of positive weight that are not flagged."""
        weight = posterior.record_.row_weight
        if not self.refit:
            return weight > 0
        count = flagged_count(posterior, self.rule, self.level)
        count = min(count, int(weight.sum() // 2))
        return (weight > 0) & ~flagged_rows(posterior, count, self.level).mask

    def _keep(self, fitted, posterior, residuals, residual_size):
        """Set what the fit leaves behind."""
        self.estimator_, self.residual_posterior_ = fitted, posterior
        self.residuals_, self.residual_size_ = residuals, residual_size
        self.noise_ = posterior.record_.model.noise
        for name in _FINDINGS:
            setattr(self, name, getattr(posterior, name))
        copy_columns(self, fitted)

    def get_metadata_routing(self) -> MetadataRouter:
        """Route the metadata of ``fit`` to the estimator's ``fit`` and the splitter's ``split``."""
        return (
            MetadataRouter(owner=type(self).__name__)
            .add_self_request(self)
            .add(
                estimator=self.estimator,
                method_mapping=MethodMapping().add(caller="fit", callee="fit"),
            )
            .add(
                splitter=check_cv(self.cv),
                method_mapping=MethodMapping().add(caller="fit", callee="split"),
            )
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        if inner.regressor_tags is not None:
            tags.regressor_tags.poor_score = inner.regressor_tags.poor_score
        tags.non_deterministic = inner.non_deterministic
        return tags


def _refuse_others(estimator):
    """Raise where the estimator is known to be no regressor."""
    kind = get_tags(estimator).estimator_type
    if kind not in (None, "regressor"):
        raise ValueError(
            f"ModelAuditor audits numeric responses by the residuals of a regressor; "
            f"{_name(estimator)} is a {kind.replace('_', ' ')}, which has none. Wrong labels of a "
            "classifier are another problem: see 'Mislabelled rows' in the user guide."
        )


def _name(estimator):
    """What to call an estimator: of a pipeline, its last step."""
    steps = getattr(estimator, "steps", None)
    return type(steps[-1][1] if steps else estimator).__name__


def _silent(steps, total):
    """No progress bar."""
