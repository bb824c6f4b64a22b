"""What the Hölder-Bayes estimators share: parameters, attributes, the audit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from .._sklearn import HasMethods, Interval, StrOptions, fit_context
from ..audit import Audit
from ..divergences import MOST_KAPPA, KullbackLeibler, check_divergence
from ..inference import Diagnostics, Settings, infer
from ..inference.health import MAX_SHARE
from ..models import NamedDraws
from ..posterior import AlphaPrior, GammaPath, gamma_path, single_power
from ..rows import RowSource
from ..summaries.arviz_export import to_arviz
from .blas import one_blas_thread
from .conclusions import NEED_ALPHA, ROW_RESULTS, Conclusions, PosteriorMode
from .gentle_path import gentle_path
from .prepared import Prepared
from .record import FitRecord, StreamedRecord
from .restoring import restored_on_error
from .streaming import StreamedFit

__all__ = [
    "POWERS",
    "PRIOR_SCALES",
    "TEMPERATURES",
    "HolderBayesEstimator",
    "PosteriorMode",
    "fitting",
]

# Beyond these, powers and products of what are ordinary numbers would leave the floats.
POWERS = Interval(Real, 1e-12, 50, closed="both")
TEMPERATURES = Interval(Real, 1e-12, 1e30, closed="both")
PRIOR_SCALES = Interval(Real, 1e-50, 1e12, closed="both")
# Powers tried above the one chosen where that has several modes.
_MOST_LARGER = 2


@contextmanager
def fitting(estimator: BaseEstimator) -> Iterator[None]:
    """One BLAS thread (row blocks have their own); on any error the estimator is as before."""
    estimator.check_combinations()
    with restored_on_error(estimator), one_blas_thread():
        yield


class HolderBayesEstimator(StreamedFit, Conclusions, BaseEstimator, ABC):
    """Base of the Hölder-Bayes estimators; not for direct use."""

    _parameter_constraints = {
        "divergence": [
            StrOptions({"dpd", "expsat", "ratsat", "gamma", "kl"}),
            HasMethods("phi"),
        ],
        "count": [StrOptions({"calibrated", "holder"})],
        "kappa": [None, Interval(Real, 0, MOST_KAPPA, closed="right")],
        "temperature": [StrOptions({"calibrated", "covdet", "joint-covdet"}), TEMPERATURES],
        "alpha_prior": [tuple, list],
        "max_contamination": [Interval(Real, 0, 1, closed="right")],
        # Scales of a wider prior would leave the floats where the rows say nothing.
        "log_scale_prior_scale": [Interval(Real, 1e-12, 50, closed="both")],
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

    @staticmethod
    @abstractmethod
    def _rows_of(units, X, y):
        """Rows of the working model, on the computing scale."""

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
        if isinstance(X, RowSource):
            raise ValueError(
                f"trace_gamma needs its rows in memory, got a {type(X).__name__}. Fit the row "
                "source with gamma='auto': gamma_path_ is then its path."
            )
        return clone(self).set_params(gamma="auto")._traced(X, y, sample_weight)

    @fit_context(prefer_skip_nested_validation=True)
    def _traced(self, X, y, sample_weight):
        with fitting(self):
            start = self._prepared(X, y, sample_weight)
            _, path = self._power(start)
        if self._trusts_all:
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
    def _trusts_all(self):
        """Whether this is ordinary Bayes, in which no row is ever an outlier."""
        return isinstance(check_divergence(self.divergence, 1.0, self.kappa), KullbackLeibler)

    @property
    def _alpha_prior(self):
        a, b = (float(shape) for shape in self.alpha_prior)
        return AlphaPrior(a, b, 1.0 - float(self.max_contamination))

    def _power(self, start):
        """gamma, and the :class:`GammaPath` that chose it or None."""
        if self.gamma != "auto":
            return float(self.gamma), None
        if self._trusts_all:
            return 1.0, None
        lower = 1.0 - float(self.max_contamination)
        path = gamma_path(start.model, start.table.fitted_rows, lower, start.random)
        path = gentle_path(path, start)
        return path.best, path

    def _sampled(self, model, rows, path, gamma, temperature, random):
        """Infer at gamma, or at the next smaller power of the path that is not vacuous.

        Where several modes share the posterior, or the highest does not hold it, the next larger
        powers are tried.

        Returns
        -------
        result : Inference
        path : GammaPath or None
            With the power that was used.
        """

        def inferred(power, trail, refuse):
            starts = None if trail is None else trail.starts
            settings = replace(self._settings(power, temperature), refuse_vacuous=refuse)
            result = infer(model, rows, settings, random, starts)
            sound = result is not None and result.diagnostics.vacuous_share <= MAX_SHARE
            return result, sound

        powers = [(gamma, path)] if path is None else path.descending()
        for power, trail in powers:
            last = trail is powers[-1][1]
            result, sound = inferred(power, trail, not last)
            if last or sound:
                break
        if trail is not None and sound and not result.undivided:
            for power, larger in trail.ascending()[:_MOST_LARGER]:
                other, sound = inferred(power, larger, True)
                if sound and other.undivided:
                    return other, larger
        return result, trail

    def __getattr__(self, name):
        # Only called where the attribute is missing: a posterior without alpha has none of these.
        if name in ROW_RESULTS and isinstance(vars(self).get("record_"), StreamedRecord):
            raise AttributeError(
                f"{type(self).__name__} was fitted on a row source and has no {name!r}: its rows "
                "may be beyond memory. Use audit_blocks(source), which goes through them in blocks."
            )
        if name in NEED_ALPHA and ("record_" in vars(self) or not name.endswith("_")):
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
            epsilon_draws=self.epsilon_posterior_,
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
