"""Fits that are stored by skops and loaded again: no code runs that was not asked for."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skholder import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    ModelAuditor,
    OutlierAuditor,
)

skops_io = pytest.importorskip("skops.io")

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning"),
]
QUICK = {"n_draws": 200, "random_state": 0}
REGRESSORS = {
    "regressor": HolderBayesRegressor(**QUICK),
    "student noise": HolderBayesRegressor(noise="student_t", inference="laplace", **QUICK),
    "pipeline": make_pipeline(StandardScaler(), HolderBayesRegressor(inference="laplace", **QUICK)),
    "audited": AuditedEstimator(Ridge(), auditor=OutlierAuditor(HolderBayesRegressor(**QUICK))),
    "model auditor": ModelAuditor(Ridge(), **QUICK),
}
DENSITIES = {
    "full": HolderBayesDensity(**QUICK),
    "student": HolderBayesDensity(model="student_t", inference="laplace", **QUICK),
    "diagonal": HolderBayesDensity(covariance_type="diag", inference="laplace", **QUICK),
    "auditor": OutlierAuditor(HolderBayesDensity(**QUICK)),
}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X @ [1.0, 2.0] + rng.normal(size=60)
    y[:5] += 9
    return X, y


def loaded(estimator):
    """The estimator after a round trip, with the types of this package trusted."""
    data = skops_io.dumps(estimator)
    unknown = skops_io.get_untrusted_types(data=data)
    assert all(name.startswith("skholder.") for name in unknown)
    return skops_io.loads(data, trusted=unknown)


@pytest.mark.parametrize("kind", REGRESSORS)
def test_regressors(kind, table):
    X, y = table
    model = REGRESSORS[kind].fit(X, y)
    again = loaded(model)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    last = again[-1] if kind == "pipeline" else again
    audit = last.audit_ if hasattr(last, "audit_") else last.audit()
    assert len(audit.fod) == 60


@pytest.mark.parametrize("kind", DENSITIES)
def test_densities(kind, table):
    X, _ = table
    model = DENSITIES[kind].fit(X)
    again = loaded(model)
    np.testing.assert_array_equal(again.score_samples(X), model.score_samples(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


LABELS = {
    "range": None,
    "text": [f"row {i}" for i in range(60)],
    "whole": range(5, 65),
    "real": np.arange(60) / 4,
}


@pytest.mark.parametrize("kind", LABELS)
def test_row_labels(kind, table):
    X = pd.DataFrame(table[0], columns=["a", "b"])
    X.index = X.index if LABELS[kind] is None else pd.Index(list(LABELS[kind]), name="who")
    model = HolderBayesDensity(inference="laplace", **QUICK).fit(X)
    pickled = pickle.loads(pickle.dumps(model))
    for audit in (loaded(model).audit(), loaded(model.audit()), pickled.audit()):
        pd.testing.assert_index_equal(audit.index, X.index, exact=True)


def test_row_labels_of_models_that_are_audited(table):
    X = pd.DataFrame(table[0], index=[f"row {i}" for i in range(60)], columns=["a", "b"])
    y = pd.Series(table[1], X.index, name="y")
    model = AuditedEstimator(Ridge(), auditor="own").fit(X, y)
    pd.testing.assert_index_equal(loaded(model).audit_.index, X.index)


@pytest.mark.parametrize(
    "labels",
    [
        pd.date_range("2024-01-01", periods=60),
        pd.MultiIndex.from_product([range(6), range(10)]),
        pd.CategoricalIndex(["a", "b"] * 30),
        pd.Index([1, "a"] * 30, dtype=object),
        pd.Index(range(60), name=("a", 1)),
    ],
    ids=lambda labels: type(labels).__name__,
)
def test_any_row_labels_are_pickled(labels, table):
    X = pd.DataFrame(table[0], index=labels, columns=["a", "b"])
    model = HolderBayesDensity(inference="laplace", **QUICK).fit(X)
    again = pickle.loads(pickle.dumps(model))
    pd.testing.assert_index_equal(again.audit().index, labels, exact=True)


def test_types_that_are_not_named_are_not_loaded(table):
    data = skops_io.dumps(HolderBayesDensity(**QUICK).fit(table[0]))
    with pytest.raises(TypeError, match=r"[Uu]ntrusted"):
        skops_io.loads(data)
