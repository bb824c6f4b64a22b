"""What the Hölder-Bayes estimators share: parameters, attributes, the audit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._sklearn import HasMethods, Interval, StrOptions, threadpool_controller
from ..audit import Audit, detect, outlier_counts
from ..divergences import KullbackLeibler, check_divergence
from ..inference import Settings, warn_of
from ..posterior import AlphaPrior
from ..rows import RowBlocks
from ..summaries.arviz_export import to_arviz
from .record import FitRecord

__all__ = ["HolderBayesEstimator", "PosteriorMode", "fitting"]

_NEED_ALPHA = (
    "epsilon_posterior_",
    "epsilon_",
    "epsilon_interval_",
    "outlier_count_posterior_",
    "fod_scores_",
    "offset_",
)


@dataclass(frozen=True, repr=False)
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

    def __repr__(self):
        return f"PosteriorMode({', '.join(self.parameters)}; log_prob={self.log_prob:.2f})"

    @classmethod
    def of(cls, mode, model, units):
        """From a mode on the computing scale."""
        named = model.to_units(mode.theta[None], units)
        return cls(mode.log_prob, {name: draws[0] for name, draws in named.items()})


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


class HolderBayesEstimator(BaseEstimator, ABC):
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

    @abstractmethod
    def fit(self, X, y=None, sample_weight=None):
        """Sample the posterior and audit the training rows."""

    @abstractmethod
    def audit_scores(self, X, y=None):
        """Posterior-mean log density and FoD of rows, two arrays of shape (m,)."""

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

    def _conclude(self, result, rows, distinct, member, *, lost="", n_lost=0, **kept):
        """Audit the rows, in the user's order, keep the record and set the shared attributes.

        Parameters
        ----------
        result : Inference
        rows : ndarray of shape (n, q)
            On the computing scale.
        distinct : RowBlocks
            The rows of the inference.
        member : ndarray of int, shape (n,)
            Which of them each row is; see :class:`~skholder.rows.RowSet`.
        lost : str
            A sentence about the ``n_lost`` directions that the rows do not determine.
        **kept : dict
            Fields of the :class:`FitRecord`.
        """
        draws = result.draws
        blocks = RowBlocks(rows, kept["weight"])
        counts = None
        if draws.alpha is not None:
            counts = outlier_counts(1 - draws.alpha, blocks.total_weight)
        found = detect(draws.model, blocks, draws.theta, counts, distinct, member)
        for name in _NEED_ALPHA:
            vars(self).pop(name, None)
        n_chains = self.n_ensembles if self.inference == "mcmc" else 1
        self.record_ = FitRecord(draws=draws, threshold=found.threshold, n_chains=n_chains, **kept)
        units = kept["units"]
        self.posterior_ = draws.model.to_units(draws.theta, units)
        if draws.alpha is not None:
            self.posterior_ = self.posterior_.with_alpha(draws.alpha)
            self.epsilon_posterior_ = 1 - draws.alpha
            self.epsilon_ = float(np.mean(self.epsilon_posterior_))
            self.epsilon_interval_ = np.quantile(self.epsilon_posterior_, [0.025, 0.975])
            self.outlier_count_posterior_ = counts
            self.fod_scores_ = found.fod
        self.log_density_ = found.log_density - units.log_volume
        self.temperature_, self.gamma_ = result.temperature, draws.gamma
        self.modes_ = [PosteriorMode.of(mode, draws.model, units) for mode in result.modes]
        self.diagnostics_ = replace(result.diagnostics, n_lost=n_lost, lost=lost)
        warn_of(self.diagnostics_.checks)

    def __getattr__(self, name):
        # Only called where the attribute is missing: a posterior without alpha has none of these.
        if name in _NEED_ALPHA and "record_" in vars(self):
            raise AttributeError(
                f"{type(self).__name__}(divergence={self.divergence!r}) has no {name!r}: this "
                "divergence does not infer the inlier share alpha. Use divergence='dpd', "
                "'expsat' or 'ratsat'."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_is_fitted__(self):
        return "record_" in vars(self)

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
            weight=self.record_.weight,
            index=self.record_.index,
            evidence=self.record_.evidence,
            library=self.record_.library,
        )

    def to_arviz(self):
        """The posterior as ArviZ data, one chain for each ensemble (ArviZ 0.x and 1.x)."""
        check_is_fitted(self)
        fit = self.record_
        return to_arviz(self.posterior_, fit.n_chains, fit.columns, fit.units.names(fit.columns))
