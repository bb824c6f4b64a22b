"""scikit-learn's own checks for the three meta-estimators.

A few settings that differ in draws, ensembles, inference, rule and covariance type; many more are
in ``examples/studies/check_settings.py``.
"""

import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from skholder import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    OutlierAuditor,
    OutlierRejector,
)

FULL = HolderBayesDensity(n_draws=400)
DENSITY = OutlierAuditor(
    HolderBayesDensity("efficiency", n_draws=200, n_ensembles=2, covariance_type="diag")
)
LAPLACE = HolderBayesDensity(n_draws=400, inference="laplace")
REGRESSION = OutlierAuditor(HolderBayesRegressor(0.5, leverage="ignore", n_draws=400))


@pytest.fixture(autouse=True)
def array_api(monkeypatch):
    # scikit-learn skips its array API check where this is not set.
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:Every row of class:UserWarning")
@parametrize_with_checks(
    [
        OutlierAuditor(),
        OutlierAuditor(FULL),
        OutlierAuditor(LAPLACE, rule="upper"),
        AuditedEstimator(Ridge(), auditor=REGRESSION),
        AuditedEstimator(Ridge(), auditor=REGRESSION, mode="weight"),
        AuditedEstimator(LogisticRegression(), auditor=DENSITY),
        OutlierRejector(DENSITY),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
