"""Interruption and concurrency: a fit changes its estimator, when it is done, and nothing else."""

import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.linear_model import Ridge
from threadpoolctl import threadpool_info, threadpool_limits

from skholder import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    ModelAuditor,
    OutlierAuditor,
    OutlierRejector,
)
from skholder.estimators.blas import one_blas_thread

inference = sys.modules["skholder.inference.infer"]
QUICK = {"gamma": 0.5, "n_draws": 200, "n_ensembles": 2, "random_state": 0}
REGRESSOR, DENSITY = HolderBayesRegressor(**QUICK), HolderBayesDensity(**QUICK)
ESTIMATORS = {
    "regressor": REGRESSOR,
    "density": DENSITY,
    "auditor": OutlierAuditor(REGRESSOR),
    "audited": AuditedEstimator(Ridge(), auditor=OutlierAuditor(REGRESSOR)),
    "rejector": OutlierRejector(OutlierAuditor(DENSITY)),
    "model auditor": ModelAuditor(Ridge(), n_draws=200, random_state=0),
}

pytestmark = [
    pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@pytest.fixture(scope="module")
def table(contaminated):
    return contaminated(80)[:2]


def _interrupt(*args, **kwargs):
    raise KeyboardInterrupt


class _Interrupted(Ridge):
    """An estimator at whose fit somebody presses Ctrl-C."""

    def fit(self, X, y, sample_weight=None):
        raise KeyboardInterrupt


# The start, the middle and the end of a fit.
PLACES = [
    (inference, "risk_minimisers"),
    (inference.sampling, "sample"),
    (inference, "_vacuous_share"),
]


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize(("module", "function"), PLACES)
def test_an_interrupted_fit_leaves_the_estimator_as_it_was(
    name, module, function, table, monkeypatch
):
    X, y = table
    fresh, fitted = clone(ESTIMATORS[name]), clone(ESTIMATORS[name]).fit(X, y)
    before = dict(vars(fresh)), dict(vars(fitted))
    with monkeypatch.context() as patch:
        patch.setattr(module, function, _interrupt)
        for estimator in (fresh, fitted):
            with pytest.raises(KeyboardInterrupt):
                estimator.fit(X[:50, :1], y[:50])
    for estimator, old in zip((fresh, fitted), before, strict=True):
        assert vars(estimator).keys() == old.keys()
        assert all(vars(estimator)[key] is value for key, value in old.items())


@pytest.mark.parametrize("name", ["audited", "model auditor"])
def test_an_interrupt_in_the_cleaned_estimator_takes_the_audit_back(name, table):
    X, y = table
    model = clone(ESTIMATORS[name]).fit(X, y)
    before = dict(vars(model))
    model.estimator = before["estimator"] = _Interrupted()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:50, :1], y[:50])
    assert vars(model) == before


def _answer(estimator, X, y):
    """What a fit says of its rows; warnings are left to the caller, as filters are global."""
    fitted = clone(estimator).fit(X, y)
    audit = fitted.audit() if hasattr(fitted, "audit") else fitted.audit_
    draws = getattr(fitted, "posterior_", {})
    return [audit.fod, audit.log_density, *(draws[name] for name in draws)]


def _equal(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_fits_in_threads_give_the_serial_answer(name, contaminated):
    estimator = ESTIMATORS[name]
    tables = [contaminated(400, seed=seed)[:2] for seed in (0, 1)]
    serial = [_answer(estimator, *table) for table in tables]
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(_answer, estimator, *table) for table in tables]
        for job, expected in zip(jobs, serial, strict=True):
            _equal(job.result(), expected)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_fits_in_processes_give_the_serial_answer(name, table):
    serial = _answer(ESTIMATORS[name], *table)
    for found in Parallel(n_jobs=2)(delayed(_quietly)(ESTIMATORS[name], *table) for _ in range(2)):
        _equal(found, serial)


def _quietly(estimator, X, y):
    """As :func:`_answer`, in a process that knows no filters of the test's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _answer(estimator, X, y)


def _global_state():
    kind, keys, *rest = np.random.get_state()
    blas = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    return kind, keys.tolist(), rest, list(warnings.filters), np.geterr(), blas


def _use(estimator, X, y):
    fitted = estimator.fit(X, y)
    if isinstance(fitted, HolderBayesRegressor):
        fitted.predict_interval(X)
        fitted.sample_y(X)
        fitted.score_samples(X)
        fitted.influence(X, y)
    elif isinstance(fitted, HolderBayesDensity):
        fitted.sample(3)
        fitted.score_samples(X)
        fitted.influence(X)
    elif isinstance(fitted, ModelAuditor):
        fitted.fod(X, y)
        fitted.tail_probability(X, y)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_no_call_changes_global_state(name, table):
    with threadpool_limits(2, user_api="blas"):
        before = _global_state()
        _use(clone(ESTIMATORS[name]), *table)
        assert _global_state() == before


@pytest.mark.parametrize(("module", "function"), PLACES)
def test_no_exception_changes_global_state(module, function, table, monkeypatch):
    monkeypatch.setattr(module, function, _interrupt)
    with threadpool_limits(2, user_api="blas"):
        before = _global_state()
        with pytest.raises(KeyboardInterrupt):
            clone(DENSITY).fit(table[0])
        assert _global_state() == before


def test_overlapping_fits_put_the_thread_limit_back():
    def blas_threads():
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert blas_threads() == {1}
        second.__exit__(None, None, None)
        assert blas_threads() == before == {2}


def test_threads_leave_the_warning_filters_alone(contaminated):
    X = contaminated(60)[0]
    before, start = list(warnings.filters), threading.Barrier(4)

    def fit(seed):
        start.wait()
        clone(DENSITY).set_params(inference="laplace", random_state=seed).fit(X)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(fit, range(4)))
    assert list(warnings.filters) == before
