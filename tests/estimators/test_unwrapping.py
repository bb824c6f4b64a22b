"""unwrap(): the Hölder-Bayes fit inside whatever was fitted."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skholder import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    OutlierAuditor,
    OutlierRejector,
)
from skholder.estimators.unwrapping import unwrap

QUICK = {"n_draws": 100, "inference": "laplace", "random_state": 0}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
y = X @ [1.0, 2.0] + RNG.normal(size=60)


def test_a_fit_is_itself():
    fitted = HolderBayesRegressor(**QUICK).fit(X, y)
    found = unwrap(fitted, "who")
    assert found.fitted is fitted
    assert found.auditor is None
    assert found.owner is None


def test_auditor():
    auditor = OutlierAuditor(HolderBayesDensity(**QUICK)).fit(X)
    found = unwrap(auditor, "who", need_epsilon=True)
    assert found.fitted is auditor.estimator_
    assert found.auditor is found.owner is auditor


def test_cleaning_estimators():
    audited = AuditedEstimator(Ridge(), auditor=OutlierAuditor(HolderBayesRegressor(**QUICK)))
    rejector = OutlierRejector(OutlierAuditor(HolderBayesDensity(**QUICK)))
    for owner in (audited.fit(X, y), rejector.fit(X, y)):
        found = unwrap(owner, "who")
        assert found.owner is owner
        assert found.auditor is owner.auditor_
        assert found.fitted is owner.auditor_.estimator_


@pytest.mark.parametrize(
    "estimator",
    [
        HolderBayesRegressor(),
        OutlierAuditor(),
        OutlierRejector(),
        AuditedEstimator(Ridge()),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_unfitted(estimator):
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        unwrap(estimator, "who")


def test_others_are_refused():
    with pytest.raises(TypeError, match=r"^Picture needs a fitted .*, got Ridge"):
        unwrap(Ridge(), "Picture")
    steps = make_pipeline(StandardScaler(), HolderBayesDensity(**QUICK)).fit(X)
    with pytest.raises(TypeError, match=r"got Pipeline. Of a Pipeline pass .*pipeline\[-1\]"):
        unwrap(steps, "Picture")
    assert unwrap(steps[-1], "Picture").fitted is steps[-1]


def test_epsilon_where_it_is_needed():
    fitted = HolderBayesRegressor(divergence="gamma", **QUICK).fit(X, y)
    assert unwrap(fitted, "who").fitted is fitted
    with pytest.raises(ValueError, match=r"who needs the posterior of epsilon.*'gamma'.*'dpd'"):
        unwrap(fitted, "who", need_epsilon=True)
