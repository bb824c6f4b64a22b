"""One estimator on one table: what goes wrong, in words."""

from __future__ import annotations

import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import LeaveOneOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeRegressor

from skholder import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    ModelAuditor,
    OutlierAuditor,
    OutlierRejector,
)
from skholder.exceptions import HolderBayesWarning

__all__ = ["FAULTS", "SETTINGS", "examine", "refusal"]

#: What can go wrong.
FAULTS = ("crash", "non-finite", "out of range", "foreign warning", "repeat", "order", "seed")
#: Answers between 0 and 1.
SHARES = (
    "tail_probability_",
    "tail_probability",
    "fod_scores_",
    "fod",
    "epsilon_posterior_",
    "epsilon_",
)
QUICK = {"n_draws": 200, "n_ensembles": 2, "random_state": 0}
UNSET = {"n_draws": 4000, "n_ensembles": 4}
# They stand for any model of others, and neither overflows on its own account: trees compute in
# single precision, and see angles.
OTHERS = {
    "median": DummyRegressor(strategy="median"),
    "tree": make_pipeline(
        FunctionTransformer(np.arctan), DecisionTreeRegressor(max_depth=3, random_state=0)
    ),
}


def _settings():
    for gamma in ("auto", 0.5):
        for inference in ("mcmc", "laplace"):
            both = {"gamma": gamma, "inference": inference, **QUICK}
            yield HolderBayesRegressor(**both)
            yield HolderBayesDensity(**both)
            yield HolderBayesDensity(covariance_type="diag", **both)
    for divergence in ("expsat", "ratsat", "gamma", "kl"):
        yield HolderBayesRegressor(divergence=divergence, **QUICK)
        yield HolderBayesDensity(divergence=divergence, **QUICK)
    yield HolderBayesRegressor(noise="student_t", **QUICK)
    yield HolderBayesRegressor(leverage="guard", **QUICK)
    yield HolderBayesRegressor(count="holder", **QUICK)
    yield HolderBayesRegressor(fit_intercept=False, **QUICK)
    yield HolderBayesRegressor(standardize=False, **QUICK)
    yield HolderBayesRegressor(standardize=False, gamma=0.5, **QUICK)
    yield HolderBayesRegressor(standardize=False, inference="laplace", **QUICK)
    yield HolderBayesDensity(model="student_t", **QUICK)
    yield HolderBayesDensity(model="laplace", **QUICK)
    yield HolderBayesDensity(count="holder", **QUICK)
    yield HolderBayesDensity(covariance_type="full", **QUICK)
    yield HolderBayesDensity(covariance_type="full", gamma=0.5, inference="laplace", **QUICK)
    yield HolderBayesDensity(standardize=False, **QUICK)
    yield OutlierAuditor(HolderBayesRegressor(**QUICK))
    yield OutlierAuditor(HolderBayesDensity(**QUICK))
    for estimator in OTHERS.values():
        for scale in ("constant", "fitted"):
            # Folds of one row each do not hang on the order of the rows.
            yield ModelAuditor(
                estimator, cv=LeaveOneOut(), scale=scale, n_draws=200, random_state=0
            )
    for mode in ("drop", "weight"):
        yield AuditedEstimator(OTHERS["median"], auditor=HolderBayesRegressor(**QUICK), mode=mode)
    yield OutlierRejector(HolderBayesDensity(**QUICK))


def _name(estimator):
    kind = type(estimator).__name__.removeprefix("HolderBayes")
    if isinstance(estimator, OutlierAuditor | OutlierRejector):
        (inner,) = (value for value in estimator.get_params(deep=False).values() if _fits(value))
        return f"{kind}({_name(inner)})"
    if isinstance(estimator, ModelAuditor):
        (other,) = (name for name, one in OTHERS.items() if one is estimator.estimator)
        return f"{kind}({other}, scale={estimator.scale})"
    if isinstance(estimator, AuditedEstimator):
        return f"{kind}(mode={estimator.mode})"
    quick = type(estimator)(**QUICK).get_params()
    parts = [f"{k}={v}" for k, v in estimator.get_params().items() if v != quick[k]]
    return f"{kind}({', '.join(parts)})"


def _fits(value):
    return hasattr(value, "fit")


#: Every setting by name.
SETTINGS = {_name(one): one for one in _settings()}


def refusal(error):
    """Whether an error is a documented ValueError of the checks of input, before any work."""
    if not isinstance(error, ValueError) or isinstance(error, np.linalg.LinAlgError):
        return False
    where = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
    # Families check their support.
    return where.parent.name == "families" or where.parts[-2:] in {
        ("estimators", "limits.py"),
        ("estimators", "inputs.py"),
        ("estimators", "density.py"),
        ("estimators", "width.py"),
        # What another model leaves is known when it is fitted.
        ("estimators", "out_of_fold.py"),
        ("utils", "validation.py"),
    }


def examine(estimator, table, *, deep=True):
    """Faults of an estimator on a table.

    Parameters
    ----------
    estimator : estimator
    table : Table
    deep : bool
        Whether to fit again: the same seed, permuted rows, another seed.

    Returns
    -------
    list of (str, str)
        Kind and detail.
    """
    faults = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            first = _fitted(estimator, table)
            faults += _output_faults(first, table)
            if deep:
                faults += _repeat_faults(estimator, table, first)
        except Exception as error:
            if not refusal(error):
                last = traceback.extract_tb(error.__traceback__)[-1]
                where = f"{Path(last.filename).name}:{last.lineno}"
                faults.append(("crash", f"{type(error).__name__}: {str(error)[:90]} ({where})"))
    ours = (HolderBayesWarning, ConvergenceWarning)
    foreign = Counter(
        f"{w.category.__name__}: {w.message} ({Path(w.filename).name}:{w.lineno})"
        for w in caught
        if not issubclass(w.category, ours)
    )
    faults += [("foreign warning", text[:140]) for text in foreign]
    return faults


def _fitted(estimator, table, **settings):
    """A fitted copy, with these settings wherever it or an auditor inside it has them."""
    made = clone(estimator)
    # Another model keeps its own.
    names = made.get_params(deep=not isinstance(made, ModelAuditor))
    for last, value in settings.items():
        made.set_params(**{name: value for name in names if name.rpartition("__")[2] == last})
    weight = {} if isinstance(made, OutlierRejector) else {"sample_weight": table.weight}
    return made.fit(table.X, table.y, **weight)


def _core(estimator):
    """The Hölder-Bayes estimator inside a fitted one."""
    for name in ("auditor_", "residual_posterior_"):
        if hasattr(estimator, name):
            return _core(getattr(estimator, name))
    return estimator.estimator_ if isinstance(estimator, OutlierAuditor) else estimator


def _wrapper_outputs(fitted, X, y):
    """What an estimator around others says, by name."""
    if isinstance(fitted, ModelAuditor):
        return {
            "residuals_": fitted.residuals_,
            "predict": fitted.predict(X),
            "fod": fitted.fod(X, y),
            "tail_probability": fitted.tail_probability(X, y),
            "audit_": fitted.audit_.log_density,
        }
    if isinstance(fitted, AuditedEstimator):
        return {"predict": fitted.predict(X), "audit_": fitted.audit_.log_density}
    if isinstance(fitted, OutlierRejector):
        return {"sample_indices_": fitted.sample_indices_, "audit_": fitted.audit_.fod}
    both = (X, y) if is_regressor(fitted.estimator_) else (X,)
    return {
        "offset_": fitted.offset_,
        "decision_function": fitted.decision_function(*both),
        "predict": fitted.predict(*both),
        "transform": fitted.transform(X),
        "audit_": fitted.audit_.log_density,
    }


def _core_outputs(core, X, y):
    """What a Hölder-Bayes estimator holds and says, by name."""
    outputs = {f"posterior {name}": draws for name, draws in core.posterior_.items()}
    for name, value in vars(core).items():
        if name.endswith("_") and isinstance(value, float | np.ndarray) and name[:1] != "_":
            outputs[name] = value
    # It has no value where the counts are not calibrated.
    outputs.pop("clean_probability_", None)
    both = (X, y) if is_regressor(core) else (X,)
    if is_regressor(core):
        mean, sd = core.predict(X, return_std=True)
        outputs |= {"predict": mean, "predict sd": sd}
        outputs["interval"] = core.predict_interval(X)
        outputs["score_samples(X)"] = core.score_samples(X)
        outputs["sample_y"] = core.sample_y(X, 2, random_state=0)
        # R^2 is scikit-learn's, which squares y.
        small = np.max(np.abs(np.asarray(y, dtype=float))) < 1e150
        outputs["score"] = core.score(X, y) if small else 0.0
    else:
        outputs["sample"] = core.sample(3, random_state=0)
        outputs["score"] = core.score(X)
    outputs["score_samples"] = core.score_samples(*both)
    outputs["tail_probability"] = core.tail_probability(*both)
    influence = core.influence(*both)
    outputs["influence"] = np.concatenate(
        [np.ravel(v) for v in vars(influence).values() if isinstance(v, np.ndarray)]
    )
    if core.record_.draws.alpha is not None:
        outputs["fod"] = core.fod(*both)
        outputs["audit"] = core.audit().log_density
        core.audit(rule="fdr").to_frame()
    return outputs


def _output_faults(fitted, table):
    core, X, y = _core(fitted), table.X, table.y
    rows = fitted.shown_residuals(X, y) if isinstance(fitted, ModelAuditor) else (X, y)
    answers = [_core_outputs(core, *rows)]
    if fitted is not core:
        answers.append(_wrapper_outputs(fitted, X, y))
    faults = []
    for name, value in (one for outputs in answers for one in outputs.items()):
        value = np.asarray(value, dtype=float)
        if not np.all(np.isfinite(value)):
            faults.append(("non-finite", name))
        if name in SHARES and not np.all((value >= -1e-12) & (value <= 1 + 1e-9)):
            faults.append(("out of range", name))
    return faults


def _same_predictions(moved, first, order):
    """Whether another model predicts permuted rows as before: equal splits of trees are a toss."""
    if not isinstance(first, ModelAuditor):
        return True
    new, old = (one.residual_posterior_.about_.standardised for one in (moved, first))
    return np.allclose(new, old[order])


def _repeat_faults(estimator, table, first):
    core, faults = _core(first), []
    again = _core(_fitted(estimator, table))
    for name, draws in core.posterior_.items():
        if not np.array_equal(draws, again.posterior_[name], equal_nan=True):
            faults.append(("repeat", name))
    if core.record_.draws.alpha is None:
        return faults
    order = np.random.default_rng(3).permutation(len(table.y))
    weight = None if table.weight is None else table.weight[order]
    moved = _fitted(estimator, type(table)(table.X[order], table.y[order], weight))
    shift = np.max(np.abs(_core(moved).fod_scores_ - core.fod_scores_[order]))
    if not shift <= 0.01 and _same_predictions(moved, first, order):
        faults.append(("order", f"FoD moves by {shift:.2f}"))
    # Two hundred draws know a share at its limit badly: what they say is asked of as many as a
    # user gets who sets nothing.
    epsilons = _by_seed(estimator, table) and _by_seed(estimator, table, **UNSET)
    if epsilons:
        faults.append(("seed", f"epsilon {', '.join(f'{e:.2f}' for e in epsilons)}"))
    return faults


def _by_seed(estimator, table, **settings):
    """Means of epsilon by three seeds where they are not the same, else an empty list."""
    cores = [_core(_fitted(estimator, table, random_state=s, **settings)) for s in (0, 1, 2)]
    epsilons = [one.epsilon_ for one in cores]
    sd = max(cores[0].epsilon_posterior_.std(), 1e-3)
    return epsilons if np.ptp(epsilons) > max(0.06, 1.0 * sd) else []
