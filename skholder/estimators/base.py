"""What the Hölder-Bayes estimators share: parameters, attributes, the audit."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._sklearn import HasMethods, Interval, StrOptions, check_sample_weight, threadpool_controller
from ..audit.audit_set import Audit, detect, outlier_counts
from ..divergences import KullbackLeibler, check_divergence
from ..inference.infer import Draws, Settings
from ..posterior.alpha import AlphaPrior
from ..rows.blocks import RowBlocks
from ..summaries.arviz_export import to_arviz

__all__ = [
    "HolderBayesEstimator",
    "PosteriorMode",
    "column_names",
    "fitting",
    "private_random_state",
    "row_labels",
    "target_name",
    "usable_weight",
]

_NEED_ALPHA = (
    "epsilon_posterior_",
    "epsilon_",
    "epsilon_interval_",
    "outlier_count_posterior_",
    "fod_scores_",
    "offset_",
)


@dataclass(frozen=True)
class PosteriorMode:
    """A mode of the posterior, in the user's units.

    Attributes
    ----------
    log_prob : float
        Log posterior density (alpha integrated out), up to a constant.
    parameters : dict of str to ndarray
    """

    log_prob: float
    parameters: dict


@contextmanager
def fitting(estimator):
    """One BLAS thread (row blocks have their own); on any error the estimator is as before."""
    before = dict(vars(estimator))
    try:
        with threadpool_controller().limit(limits=1, user_api="blas"):
            yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def private_random_state(random_state):
    """A RandomState that is never NumPy's global one: None draws a fresh seed from the system."""
    return np.random.RandomState() if random_state is None else check_random_state(random_state)


def row_labels(X):
    """The index of a pandas object, or None."""
    return X.index if hasattr(X, "iloc") else None


def column_names(estimator):
    """Names of the columns that were fitted, as texts; ``x0``, ``x1``, ... without a frame."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return tuple(f"x{j}" for j in range(estimator.n_features_in_))
    return tuple(str(name) for name in names)


def target_name(y):
    """The name of a response that is a named column, or ``y``."""
    name = getattr(y, "name", None)
    if name is None and len(getattr(y, "columns", ())) == 1:
        name = y.columns[0]
    return "y" if name is None or name == "" else str(name)


def usable_weight(sample_weight, X):
    """Row weights as a float array, or None; an error where no two rows carry weight."""
    if sample_weight is None:
        return None
    weight = check_sample_weight(sample_weight, X, dtype=np.float64)
    if np.any(weight < 0):
        raise ValueError("sample_weight must not be negative.")
    if not weight.sum() > 0:
        raise ValueError("sample_weight sums to zero: no row carries any weight.")
    if np.sum(weight > 0) < 2:
        raise ValueError("sample_weight leaves 1 sample with positive weight; 2 are needed.")
    return None if np.all(weight == 1) else weight


class HolderBayesEstimator(BaseEstimator):
    """Base of the Hölder-Bayes estimators; not for direct use."""

    _parameter_constraints = {
        "divergence": [
            StrOptions({"dpd", "expsat", "ratsat", "gamma", "kl"}),
            HasMethods("phi"),
        ],
        "kappa": [None, Interval(Real, 0, None, closed="neither")],
        "temperature": [
            StrOptions({"calibrated", "covdet", "joint-covdet"}),
            Interval(Real, 0, None, closed="neither"),
        ],
        "alpha_prior": [tuple, list],
        "max_contamination": [Interval(Real, 0, 1, closed="right")],
        "log_scale_prior_scale": [Interval(Real, 0, None, closed="neither")],
        "min_scale": [Interval(Real, 0, 1, closed="neither")],
        "standardize": ["boolean"],
        "inference": [StrOptions({"mcmc", "laplace"})],
        "n_draws": [Interval(Integral, 1, None, closed="left")],
        "n_walkers": [None, Interval(Integral, 4, None, closed="left")],
        "n_ensembles": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def _settings(self, gamma, temperature):
        """The validated :class:`Settings`; ``temperature(rule, gamma)`` computes a named rule."""
        divergence = check_divergence(self.divergence, gamma, self.kappa)
        gamma = 0.0 if isinstance(divergence, KullbackLeibler) else float(gamma)
        if self.n_draws % self.n_ensembles:
            raise ValueError(
                f"n_draws={self.n_draws} must be a multiple of n_ensembles={self.n_ensembles}."
            )
        if len(self.alpha_prior) != 2 or not all(
            isinstance(shape, Real) and 0 < shape < np.inf for shape in self.alpha_prior
        ):
            raise ValueError(
                f"alpha_prior must be two positive numbers (a, b), got {self.alpha_prior!r}."
            )
        beta = self.temperature
        if isinstance(beta, str):
            beta = None if beta == "calibrated" else temperature(beta, gamma)
        a, b = (float(shape) for shape in self.alpha_prior)
        prior = AlphaPrior(a, b, 1.0 - float(self.max_contamination))
        prior.log_norm  # noqa: B018  raises now if the prior has no mass on its support
        return Settings(
            divergence=divergence,
            gamma=gamma,
            temperature=beta,
            alpha_prior=prior,
            inference=self.inference,
            n_draws=self.n_draws,
            n_walkers=self.n_walkers,
            n_ensembles=self.n_ensembles,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def _conclude(self, result, rows, weight):
        """Audit the rows, in the user's order, and set the attributes all estimators share."""
        draws: Draws = result.draws
        blocks = RowBlocks(rows, weight)
        counts = None
        if draws.alpha is not None:
            counts = outlier_counts(1 - draws.alpha, blocks.total_weight)
        found = detect(draws.model, blocks, draws.theta, counts)
        for name in _NEED_ALPHA:
            vars(self).pop(name, None)
        self._draws, self._threshold, self._weight = draws, found.threshold, weight
        self._n_chains = self.n_ensembles if self.inference == "mcmc" else 1
        self.posterior_ = self._to_units(draws.theta)
        if draws.alpha is not None:
            self.posterior_ = self.posterior_.with_alpha(draws.alpha)
            self.epsilon_posterior_ = 1 - draws.alpha
            self.epsilon_ = float(np.mean(self.epsilon_posterior_))
            self.epsilon_interval_ = np.quantile(self.epsilon_posterior_, [0.025, 0.975])
            self.outlier_count_posterior_ = counts
            self.fod_scores_ = found.fod
        self.log_density_ = found.log_density - self._log_volume
        self.temperature_, self.gamma_ = result.temperature, draws.gamma
        self.modes_ = [
            PosteriorMode(
                mode.log_prob, {k: v[0] for k, v in self._to_units(mode.theta[None]).items()}
            )
            for mode in result.modes
        ]
        self.diagnostics_ = result.diagnostics
        return self

    def __getattr__(self, name):
        # Only called where the attribute is missing: a posterior without alpha has none of these.
        if name in _NEED_ALPHA and "_draws" in vars(self):
            raise AttributeError(
                f"{type(self).__name__}(divergence={self.divergence!r}) has no {name!r}: this "
                "divergence does not infer the inlier share alpha. Use divergence='dpd', "
                "'expsat' or 'ratsat'."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_is_fitted__(self):
        return "_draws" in vars(self)

    def audit(self, rule="mean", level=0.95, rank="fod"):
        """Flag the rows that do not follow the model.

        Parameters
        ----------
        rule : {"mean", "median", "lower", "upper"}, default="mean"
            How many rows: a summary of the posterior of their number K. ``"lower"`` and
            ``"upper"`` are the ends of the central interval of ``level``.
        level : float, default=0.95
        rank : {"fod", "log_density"}, default="fod"
            Which rows: those of highest FoD, or of lowest posterior-mean log density.

        Returns
        -------
        Audit
        """
        check_is_fitted(self)
        return Audit.from_posterior(
            self.outlier_count_posterior_,
            self.fod_scores_,
            self.log_density_,
            rule=rule,
            level=level,
            rank=rank,
            weight=self._weight,
            index=self._index,
            evidence=self._evidence,
        )

    def to_arviz(self):
        """The posterior as ArviZ data, one chain for each ensemble (ArviZ 0.x and 1.x)."""
        check_is_fitted(self)
        return to_arviz(self.posterior_, self._n_chains)
