"""One estimator on one table: what goes wrong, in words."""

from __future__ import annotations

import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.exceptions import ConvergenceWarning

from skholder import HolderBayesDensity, HolderBayesRegressor, OutlierAuditor
from skholder.exceptions import HolderBayesWarning

__all__ = ["FAULTS", "SETTINGS", "examine", "refusal"]

#: What can go wrong.
FAULTS = ("crash", "non-finite", "out of range", "foreign warning", "repeat", "order", "seed")
QUICK = {"n_draws": 200, "n_ensembles": 2, "random_state": 0}


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


def _name(estimator):
    if isinstance(estimator, OutlierAuditor):
        return f"OutlierAuditor({_name(estimator.estimator)})"
    quick = type(estimator)(**QUICK).get_params()
    parts = [f"{k}={v}" for k, v in estimator.get_params().items() if v != quick[k]]
    return f"{type(estimator).__name__.removeprefix('HolderBayes')}({', '.join(parts)})"


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


def _fitted(estimator, table, **params):
    return clone(estimator).set_params(**params).fit(table.X, table.y, sample_weight=table.weight)


def _core(estimator):
    return getattr(estimator, "estimator_", estimator)


def _output_faults(fitted, table):
    core, X, y = _core(fitted), table.X, table.y
    outputs = {f"posterior {name}": draws for name, draws in core.posterior_.items()}
    for name, value in vars(core).items():
        if name.endswith("_") and isinstance(value, float | np.ndarray) and name[:1] != "_":
            outputs[name] = value
    shares = ["tail_probability_"]
    if core.record_.draws.alpha is not None:
        shares += ["fod_scores_", "epsilon_posterior_", "epsilon_"]
    # It has no value where the counts are not calibrated.
    outputs.pop("clean_probability_", None)
    fitted_core, both = _core(fitted), (X, y) if is_regressor(_core(fitted)) else (X,)
    if is_regressor(fitted_core):
        mean, sd = fitted_core.predict(X, return_std=True)
        outputs |= {"predict": mean, "predict sd": sd}
        outputs["interval"] = fitted_core.predict_interval(X)
        outputs["score_samples(X)"] = fitted_core.score_samples(X)
        outputs["sample_y"] = fitted_core.sample_y(X, 2, random_state=0)
        # R^2 is scikit-learn's, which squares y.
        small = np.max(np.abs(np.asarray(y, dtype=float))) < 1e150
        outputs["score"] = fitted_core.score(X, y) if small else 0.0
    else:
        outputs["sample"] = fitted_core.sample(3, random_state=0)
        outputs["score"] = fitted_core.score(X)
    outputs["score_samples"] = fitted_core.score_samples(*both)
    outputs["tail_probability"] = fitted_core.tail_probability(*both)
    influence = fitted_core.influence(*both)
    outputs["influence"] = np.concatenate(
        [np.ravel(v) for v in vars(influence).values() if isinstance(v, np.ndarray)]
    )
    shares.append("tail_probability")
    if fitted_core.record_.draws.alpha is not None:
        outputs["fod"] = fitted_core.fod(*both)
        outputs["audit"] = fitted_core.audit().log_density
        fitted_core.audit(rule="fdr").to_frame()
        shares.append("fod")
    faults = [
        ("non-finite", name)
        for name, value in outputs.items()
        if not np.all(np.isfinite(np.asarray(value, dtype=float)))
    ]
    for name in shares:
        value = np.asarray(outputs[name])
        if not np.all((value >= -1e-12) & (value <= 1 + 1e-9)):
            faults.append(("out of range", name))
    return faults


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
    moved = _core(_fitted(estimator, type(table)(table.X[order], table.y[order], weight)))
    shift = np.max(np.abs(moved.fod_scores_ - core.fod_scores_[order]))
    if not shift <= 0.01:
        faults.append(("order", f"FoD moves by {shift:.2f}"))
    inner = "estimator__" if core is not first else ""
    seeds = [_core(_fitted(estimator, table, **{f"{inner}random_state": s})) for s in (1, 2)]
    epsilons = [core.epsilon_, *(one.epsilon_ for one in seeds)]
    sd = max(core.epsilon_posterior_.std(), 1e-3)
    if np.ptp(epsilons) > max(0.06, 1.0 * sd):
        faults.append(("seed", f"epsilon {', '.join(f'{e:.2f}' for e in epsilons)}"))
    return faults
