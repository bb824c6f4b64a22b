"""What the fuzzer turns and asks for: parameters in and out of range, and methods that read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.dummy import DummyRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from skholder import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    ModelAuditor,
    OutlierAuditor,
)
from skholder.audit import Audit

__all__ = ["KINDS", "Kind", "numbers"]

QUICK = {"gamma": 0.5, "inference": "laplace", "n_draws": 40, "n_ensembles": 2, "random_state": 0}
NOT_POSITIVE = [0.0, -1.0, np.nan, np.inf, "many", None]

# Values that the documentation allows, the extreme among them.
HOLDER = {
    "gamma": ["auto", 0.5, 0.2, 1.0, 3, 1e-6, 40.0],
    "count": ["calibrated", "holder"],
    "divergence": ["dpd", "dpd", "dpd", "expsat", "ratsat", "gamma", "kl"],
    "kappa": [None, None, None, 0.3, 1e-9, 50.0],
    "temperature": ["calibrated", "calibrated", "covdet", 1.0, 1e-9, 1e9],
    "alpha_prior": [(1.0, 1.0), (9, 1), [0.01, 0.01], (1e-3, 1e3), (1e6, 1.0)],
    "max_contamination": [0.5, 0.5, 0.1, 1e-9, 1, 0.999999],
    "log_scale_prior_scale": [1.0, 1e-6, 50.0],
    "min_scale": [1e-3, 1e-12, 0.9],
    "standardize": [True, False],
    "inference": ["laplace", "laplace", "mcmc"],
    "n_draws": [40, 40, 2, 6],
    "n_walkers": [None, None, 4, 30],
    "n_ensembles": [2, 1, 2],
    "n_jobs": [None, 2],
    "random_state": [0, 1],
}
WRONG_HOLDER = {
    "gamma": [0.0, -1.0, np.nan, np.inf, "many", None],
    "count": ["none", None, 3],
    "divergence": ["hellinger", None, 1.0],
    "kappa": [0.0, -1.0, np.nan, "many"],
    "temperature": NOT_POSITIVE,
    "alpha_prior": [(1.0,), (0.0, 1.0), (np.nan, 1.0), ("a", "b"), (np.inf, 1.0), None, 1.0],
    "max_contamination": [0.0, 1.1, np.nan, None],
    "log_scale_prior_scale": [*NOT_POSITIVE, 1e3],
    "min_scale": [0.0, 1.0, np.nan, None],
    "standardize": ["no", 3, None],
    "inference": ["vi", None],
    "n_draws": [0, -2, 1.5, None],
    "n_walkers": [3, 0, 1.5, "many"],
    "n_ensembles": [0, -1, None],
    "random_state": ["seed", -1, 1.5],
}
AUDITOR = {
    "rule": ["mean", "median", "lower", "upper", "fdr", "certain"],
    "level": [0.95, 0.5, 1e-12, 1 - 1e-12],
}
WRONG_AUDITOR = {"rule": ["some", None, 3], "level": [0.0, 1.0, 2.0, -1.0, np.nan, None, "high"]}
SHARES = ["auto", "auto", 0.1, 0.5, 1e-9]
WRONG_SHARES = [0.0, 0.6, np.nan, "some", None]


@dataclass(frozen=True)
class Kind:
    """An estimator to fuzz.

    Attributes
    ----------
    make : callable
        A new estimator.
    right, wrong : dict of str to list
        Values of its parameters that are allowed, and that are not.
    reads : dict of str to callable
        Of (fitted, X, y), methods that must not change the estimator.
    labels : bool
        Whether the response is a class label.
    largest : float
        The largest number in its tables: trees, which stand for any estimator of others, compute
        in single precision.
    """

    make: Callable[[], Any]
    right: dict[str, list[Any]]
    wrong: dict[str, list[Any]]
    reads: dict[str, Callable[[Any, Any, Any], Any]]
    labels: bool = False
    largest: float = np.inf


def numbers(answer):
    """Everything numeric in an answer, as a flat list of arrays."""
    if isinstance(answer, Audit):
        frame = answer.to_frame()
        return [
            answer.mask.astype(float),
            answer.fod,
            answer.log_density,
            np.asarray(answer.count_interval, dtype=float),
            np.array([answer.count, len(frame)], dtype=float),
        ]
    if isinstance(answer, tuple | list):
        return [array for part in answer for array in numbers(part)]
    if hasattr(answer, "risk"):
        return [np.asarray(v, float) for v in vars(answer).values() if isinstance(v, np.ndarray)]
    return [np.asarray(answer, dtype=float)]


def _audits(model, X, y):
    return [
        model.audit(rule, 0.9, rank) for rule in AUDITOR["rule"] for rank in ("fod", "log_density")
    ]


REGRESSOR_READS = {
    "predict": lambda m, X, y: m.predict(X, return_std=True),
    "predict_interval": lambda m, X, y: m.predict_interval(X, 0.9),
    "score_samples": lambda m, X, y: m.score_samples(X, y),
    "expected score": lambda m, X, y: m.score_samples(X),
    "sample_y": lambda m, X, y: m.sample_y(X, 2, random_state=0),
    "fod": lambda m, X, y: m.fod(X, y),
    "tail_probability": lambda m, X, y: m.tail_probability(X, y),
    "audit": _audits,
    "audit_scores": lambda m, X, y: m.audit_scores(X, y),
    "influence": lambda m, X, y: m.influence(X, y),
    "posterior": lambda m, X, y: [m.posterior_[name] for name in m.posterior_],
}
DENSITY_READS = {
    "predict": lambda m, X, y: m.predict(X),
    "decision_function": lambda m, X, y: m.decision_function(X),
    "score_samples": lambda m, X, y: m.score_samples(X),
    "sample": lambda m, X, y: m.sample(3, random_state=0),
    "fod": lambda m, X, y: m.fod(X),
    "tail_probability": lambda m, X, y: m.tail_probability(X),
    "audit": _audits,
    "audit_scores": lambda m, X, y: m.audit_scores(X),
    "influence": lambda m, X, y: m.influence(X),
    "posterior": lambda m, X, y: [m.posterior_[name] for name in m.posterior_],
}
AUDITOR_READS = {
    "predict": lambda m, X, y: m.predict(X, y),
    "predict without y": lambda m, X, y: m.predict(X),
    "decision_function": lambda m, X, y: m.decision_function(X, y),
    "score_samples": lambda m, X, y: m.score_samples(X, y),
    "transform": lambda m, X, y: m.transform(X),
    "names": lambda m, X, y: len(m.get_feature_names_out()),
    "audit": lambda m, X, y: m.audit_,
    "offset": lambda m, X, y: m.offset_,
    "fod": lambda m, X, y: m.fod_scores_,
    "epsilon": lambda m, X, y: m.epsilon_posterior_,
}
AUDITED_READS = {
    "predict": lambda m, X, y: m.predict(X),
    "predict_proba": lambda m, X, y: m.predict_proba(X),
    "audit": lambda m, X, y: m.audit_,
}
MODEL_AUDITOR_READS = {
    "predict": lambda m, X, y: m.predict(X),
    "fod": lambda m, X, y: m.fod(X, y),
    "tail_probability": lambda m, X, y: m.tail_probability(X, y),
    "audit": lambda m, X, y: [m.audit_, *_audits(m, X, y)],
    "residuals": lambda m, X, y: m.residuals_,
    "epsilon": lambda m, X, y: m.epsilon_posterior_,
}


def _inside(values, names=("gamma", "divergence", "inference", "n_draws", "count")):
    return {f"estimator__{name}": values[name] for name in names if name in values}


TREE, MEAN = DecisionTreeRegressor(max_depth=2, random_state=0), DummyRegressor()
REGRESSOR_RIGHT = HOLDER | {
    "leverage": ["auto", "guard", "ignore"],
    "noise": ["normal", "normal", "student_t"],
    "coef_prior_scale": [2.5, 1e-6, 1e6],
    "fit_intercept": [True, False],
    "temperature": [*HOLDER["temperature"], "joint-covdet"],
}
REGRESSOR_WRONG = WRONG_HOLDER | {
    "leverage": ["yes", None],
    "noise": ["cauchy", None, 1.0],
    "coef_prior_scale": NOT_POSITIVE,
    "fit_intercept": ["no", None],
}
DENSITY_RIGHT = HOLDER | {
    "gamma": [*HOLDER["gamma"], "efficiency"],
    "model": ["normal", "normal", "student_t", "laplace", "poisson", "gamma", "lognormal"],
    "covariance_type": ["auto", "full", "spectral", "diag"],
    "location_prior_scale": [2.5, 1e-6, 1e6],
    "contamination": SHARES,
    "rule": AUDITOR["rule"],
}
DENSITY_WRONG = WRONG_HOLDER | {
    "model": ["cauchy", None, 1.0],
    "covariance_type": ["tied", None],
    "location_prior_scale": NOT_POSITIVE,
    "contamination": WRONG_SHARES,
    "rule": ["some", None],
}
#: Every estimator by name.
KINDS = {
    "regressor": Kind(
        lambda: HolderBayesRegressor(**QUICK), REGRESSOR_RIGHT, REGRESSOR_WRONG, REGRESSOR_READS
    ),
    "density": Kind(
        lambda: HolderBayesDensity(**QUICK), DENSITY_RIGHT, DENSITY_WRONG, DENSITY_READS
    ),
    "auditor": Kind(
        lambda: OutlierAuditor(HolderBayesDensity(**QUICK)),
        AUDITOR
        | _inside(DENSITY_RIGHT)
        | {
            "estimator": [HolderBayesDensity(**QUICK), HolderBayesRegressor(**QUICK)],
            "contamination": SHARES,
            "output": ["append", "scores", "passthrough"],
        },
        WRONG_AUDITOR
        | _inside(WRONG_HOLDER)
        | {
            "estimator": ["density", 3, TREE],
            "contamination": WRONG_SHARES,
            "output": ["all", None],
        },
        AUDITOR_READS,
    ),
    "audited": Kind(
        lambda: AuditedEstimator(TREE, auditor=HolderBayesRegressor(**QUICK), random_state=0),
        {
            "estimator": [TREE, MEAN],
            "auditor": [
                HolderBayesRegressor(**QUICK),
                OutlierAuditor(HolderBayesDensity(**QUICK)),
                ModelAuditor(TREE, cv=2, n_draws=40),
            ],
            "mode": ["drop", "weight"],
        },
        {"auditor": ["other", 3], "mode": ["keep", None], "estimator": [3, None]},
        AUDITED_READS,
        largest=1e30,
    ),
    "audited classifier": Kind(
        lambda: AuditedEstimator(
            DecisionTreeClassifier(max_depth=2, random_state=0),
            auditor=HolderBayesDensity(**QUICK),
            random_state=0,
        ),
        {
            "auditor": [
                HolderBayesDensity(**QUICK),
                OutlierAuditor(HolderBayesDensity(**QUICK), contamination=0.2),
            ],
            "mode": ["drop", "weight"],
        },
        {"auditor": ["own", HolderBayesRegressor(**QUICK)], "mode": ["keep", None]},
        AUDITED_READS,
        labels=True,
        largest=1e30,
    ),
    "model auditor": Kind(
        lambda: ModelAuditor(TREE, cv=2, n_draws=40, random_state=0),
        AUDITOR
        | {
            "estimator": [TREE, MEAN],
            "cv": [2, 5, 3],
            "scale": ["constant", "fitted"],
            "noise": ["normal", "student_t"],
            "refit": [True, False],
            "n_draws": [40, 4],
        },
        WRONG_AUDITOR
        | {
            "estimator": [3, None, DecisionTreeClassifier()],
            "cv": [1, 0, -2, "five", 1.5],
            "scale": ["free", None],
            "noise": ["cauchy", None],
            "refit": ["no", None],
            "n_draws": [0, 2.5, None],
        },
        MODEL_AUDITOR_READS,
        largest=1e30,
    ),
}
