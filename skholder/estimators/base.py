"""What the Hölder-Bayes estimators share: parameters, attributes, the audit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from .._sklearn import HasMethods, Interval, StrOptions, fit_context
from ..audit import (
    Audit,
    count_rows,
    detect,
    judge_adequacy,
    minimiser_values,
    tail_probabilities,
)
from ..divergences import KullbackLeibler, check_divergence
from ..inference import Diagnostics, Settings, infer, warn_of
from ..inference.health import MAX_SHARE, at_ceiling
from ..models import NamedDraws
from ..posterior import AlphaPrior, GammaPath, Mode, gamma_path, single_power
from ..rows import RowBlocks
from ..summaries.arviz_export import to_arviz
from .blas import one_blas_thread
from .prepared import Prepared
from .record import FitRecord
from .restoring import restored_on_error

__all__ = ["HolderBayesEstimator", "PosteriorMode", "fitting"]

_NEED_ALPHA = (
    "clean_probability_",
    "epsilon_posterior_",
    "epsilon_",
    "epsilon_interval_",
    "outlier_count_posterior_",
    "fod_scores_",
    "offset_",
    "decision_function",
    "predict",
    "fit_predict",
)


@dataclass(frozen=True, repr=False)
class PosteriorMode:
    """A mode of the posterior, in the user's units.

    Attributes
    ----------
    log_prob : float
        Log posterior density (alpha integrated out), up to a constant.
    parameters : dict of str to ndarray
        The value of each parameter, named as in ``posterior_``.
    """

    log_prob: float
    parameters: dict[str, NDArray[np.float64]]

    def __repr__(self):
        return f"PosteriorMode({', '.join(self.parameters)}; log_prob={self.log_prob:.2f})"

    @classmethod
    def of(cls, mode: Mode, model: Any, units: Any) -> PosteriorMode:
        """From a mode on the computing scale."""
        named = model.to_units(mode.theta[None], units)
        return cls(mode.log_prob, {name: draws[0] for name, draws in named.items()})


@contextmanager
def fitting(estimator: BaseEstimator) -> Iterator[None]:
    """One BLAS thread (row blocks have their own); on any error the estimator is as before."""
    estimator.check_combinations()
    with restored_on_error(estimator), one_blas_thread():
        yield


class HolderBayesEstimator(BaseEstimator, ABC):
    """Base of the Hölder-Bayes estimators; not for direct use."""

    _parameter_constraints = {
        "divergence": [
            StrOptions({"dpd", "expsat", "ratsat", "gamma", "kl"}),
            HasMethods("phi"),
        ],
        "count": [StrOptions({"calibrated", "holder"})],
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

    epsilon_posterior_: NDArray[np.float64]
    epsilon_: float
    epsilon_interval_: NDArray[np.float64]
    outlier_count_posterior_: NDArray[np.int64]
    fod_scores_: NDArray[np.float64]
    log_density_: NDArray[np.float64]
    posterior_: NamedDraws
    temperature_: float
    gamma_: float
    modes_: list[PosteriorMode]
    diagnostics_: Diagnostics
    record_: FitRecord
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    @abstractmethod
    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Sample the posterior and audit the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or None, default=None
            The response of a regression.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of 2 equals the row written twice.

        Returns
        -------
        self
        """

    @abstractmethod
    def audit_scores(
        self, X: ArrayLike, y: ArrayLike | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Posterior-mean log density and FoD of rows.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        y : array-like of shape (m,) or None, default=None
            The response of a regression.

        Returns
        -------
        log_density, fod : ndarray of shape (m,)
        """

    @abstractmethod
    def _prepared(self, X, y, sample_weight) -> Prepared:
        """Validate, and lay out what the inference works on."""

    def trace_gamma(
        self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> GammaPath:
        """The path by which ``gamma="auto"`` chooses its power for these rows, without sampling.

        :func:`skholder.model_selection.select_gamma` calls it. The estimator stays as it is.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or None, default=None
            The response of a regression.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            A weight of 2 equals the row written twice.

        Returns
        -------
        GammaPath
        """
        return clone(self).set_params(gamma="auto")._traced(X, y, sample_weight)

    @fit_context(prefer_skip_nested_validation=True)
    def _traced(self, X, y, sample_weight):
        with fitting(self):
            start = self._prepared(X, y, sample_weight)
            _, path = self._power(start)
        if isinstance(check_divergence(self.divergence, 1.0, self.kappa), KullbackLeibler):
            raise ValueError(
                f"divergence={self.divergence!r} has no power gamma to choose. Use 'dpd', "
                "'expsat', 'ratsat' or 'gamma'."
            )
        return single_power(start.model, len(start.table.rows)) if path is None else path

    def check_combinations(self) -> None:
        """Raise ValueError where parameters that are each in range do not go together."""
        if self.n_draws % self.n_ensembles:
            raise ValueError(
                f"n_draws={self.n_draws} must be a multiple of n_ensembles={self.n_ensembles}."
            )
        if len(self.alpha_prior) != 2 or not all(
            isinstance(shape, Real) and 0 < float(shape) < np.inf for shape in self.alpha_prior
        ):
            raise ValueError(
                f"alpha_prior must be two positive numbers (a, b), got {self.alpha_prior!r}."
            )
        self._alpha_prior.log_norm  # noqa: B018  raises if the prior has no mass on its support
        check_divergence(
            self.divergence, 1.0 if isinstance(self.gamma, str) else self.gamma, self.kappa
        )

    def _settings(self, gamma, temperature):
        """The validated :class:`Settings`; ``temperature(rule, gamma)`` computes a named rule."""
        divergence = check_divergence(self.divergence, gamma, self.kappa)
        gamma = 0.0 if isinstance(divergence, KullbackLeibler) else float(gamma)
        beta = self.temperature
        if isinstance(beta, str):
            beta = None if beta == "calibrated" else temperature(beta, gamma)
        return Settings(
            divergence=divergence,
            gamma=gamma,
            temperature=beta,
            alpha_prior=self._alpha_prior,
            inference=self.inference,
            n_draws=self.n_draws,
            n_walkers=self.n_walkers,
            n_ensembles=self.n_ensembles,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    @property
    def _alpha_prior(self):
        a, b = (float(shape) for shape in self.alpha_prior)
        return AlphaPrior(a, b, 1.0 - float(self.max_contamination))

    def _power(self, start):
        """gamma, and the :class:`GammaPath` that chose it or None."""
        if self.gamma != "auto":
            return float(self.gamma), None
        if isinstance(check_divergence(self.divergence, 1.0, self.kappa), KullbackLeibler):
            return 1.0, None
        lower = 1.0 - float(self.max_contamination)
        path = gamma_path(start.model, start.table.fitted_rows, lower, start.random)
        return path.best, path

    def _sampled(self, model, rows, path, gamma, temperature, random):
        """Infer at gamma, or at the next smaller power of the path that is not vacuous.

        Returns
        -------
        result : Inference
        path : GammaPath or None
            With the power that was used.
        """
        powers = [(gamma, path)] if path is None else path.descending()
        for power, trail in powers:
            last = trail is powers[-1][1]
            starts = None if trail is None else trail.starts
            settings = replace(self._settings(power, temperature), refuse_vacuous=not last)
            result = infer(model, rows, settings, random, starts)
            if last or (result is not None and result.diagnostics.vacuous_share <= MAX_SHARE):
                return result, trail

    def _conclude(self, result, rows, table, random, *, lost="", n_lost=0, path=None, **kept):
        """Audit the rows, in the user's order, keep the record and set the shared attributes.

        Parameters
        ----------
        result : Inference
        rows : ndarray of shape (n, q)
            On the computing scale.
        table : AuditedTable
            The weighted set of these rows, by which they are counted.
        random : numpy.random.RandomState
        lost : str
            A sentence about the ``n_lost`` directions that the rows do not determine.
        path : GammaPath or None
        **kept : dict
            Fields of the :class:`FitRecord`.
        """
        draws, units = result.draws, kept["units"]
        tails = tail_probabilities(draws.model, draws.theta, table.rows.rows)
        values = minimiser_values(result, table) if draws.gamma > 0 else None
        found = count_rows(result, table, values, tails, self._alpha_prior, self.count, random)
        blocks = RowBlocks(rows, kept["weight"])
        seen = detect(
            draws.model, blocks, draws.theta, found.counts, table.rows, table.where.member
        )
        for name in (*_NEED_ALPHA, "gamma_path_"):
            vars(self).pop(name, None)
        self.record_ = FitRecord(
            draws=draws,
            threshold=seen.threshold,
            n_chains=self.n_ensembles if self.inference == "mcmc" else 1,
            **kept,
        )
        self.posterior_ = draws.model.to_units(draws.theta, units)
        self.tail_probability_ = table.where.spread(
            tails, lambda spots: tail_probabilities(draws.model, draws.theta, rows[spots])
        )
        diagnostics = replace(result.diagnostics, n_lost=n_lost, lost=lost)
        if found.counts is not None:
            self.posterior_ = self.posterior_.with_alpha(1 - found.epsilon)
            self.epsilon_posterior_ = 1 - self.posterior_["alpha"]
            self.epsilon_ = float(np.mean(self.epsilon_posterior_))
            self.epsilon_interval_ = np.quantile(self.epsilon_posterior_, [0.025, 0.975])
            self.outlier_count_posterior_ = found.counts
            self.clean_probability_ = found.clean_probability
            self.fod_scores_ = seen.fod
            ceiling = at_ceiling(found.epsilon, float(self.max_contamination))
            diagnostics = replace(diagnostics, ceiling_share=ceiling, mode_share=result.mode_share)
        self.adequacy_ = self._adequacy(draws.model, table.rows, values)
        self.log_density_ = seen.log_density - units.log_volume
        self.temperature_, self.gamma_ = result.temperature, draws.gamma
        if path is not None:
            self.gamma_path_ = path
        self.modes_ = [PosteriorMode.of(mode, draws.model, units) for mode in result.modes]
        self.diagnostics_ = diagnostics
        warn_of(diagnostics.checks)

    def _adequacy(self, model, rows, values):
        """Whether the model describes the rows it keeps; None for the Kullback-Leibler loss."""
        if values is None:
            return None
        record = self.record_
        shape = model.shape(values.theta, rows.rows, record.units)
        limit = float(self.max_contamination)
        return judge_adequacy(model, rows, values, shape, record.columns, record.in_words(), limit)

    def __getattr__(self, name):
        # Only called where the attribute is missing: a posterior without alpha has none of these.
        if name in _NEED_ALPHA and ("record_" in vars(self) or not name.endswith("_")):
            raise AttributeError(
                f"{type(self).__name__}(divergence={self.divergence!r}) has no {name!r}: this "
                "divergence does not infer the inlier share alpha. Use divergence='dpd', "
                "'expsat' or 'ratsat'."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_is_fitted__(self):
        return "record_" in vars(self)

    def audit(self, rule: str = "mean", level: float = 0.95, rank: str = "fod") -> Audit:
        """Flag the rows that do not follow the model.

        Parameters
        ----------
        rule : {"mean", "median", "lower", "upper", "fdr", "certain"}, default="mean"
            How many rows: a summary of the posterior of their number K. ``"lower"`` and
            ``"upper"`` are the ends of the central interval of ``level``. ``"fdr"`` and
            ``"certain"`` flag by tail probability: the first so that on average at most a share
            ``1 - level`` of the flags is false (Benjamini and Hochberg), the second only rows of
            which a clean table of this size would have one in twenty times.
        level : float in (0, 1), default=0.95
            Probability inside that interval, and inside ``count_interval`` of the result.
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
            tails=self.tail_probability_,
        )

    def to_arviz(self) -> Any:
        """The posterior as ArviZ data, one chain for each ensemble.

        Returns
        -------
        arviz.InferenceData or xarray.DataTree
            The former with ArviZ 0.x, the latter with 1.x.
        """
        check_is_fitted(self)
        fit = self.record_
        return to_arviz(self.posterior_, fit.n_chains, fit.columns, fit.units.names(fit.columns))
