"""scikit-learn's own checks for the three meta-estimators."""

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

DENSITY = OutlierAuditor(HolderBayesDensity(n_draws=400, covariance_type="diag"))
REGRESSION = OutlierAuditor(HolderBayesRegressor(n_draws=400))


@pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:Every row of class:UserWarning")
@parametrize_with_checks(
    [
        OutlierAuditor(),
        AuditedEstimator(Ridge(), auditor=REGRESSION),
        AuditedEstimator(Ridge(), auditor=REGRESSION, mode="weight"),
        AuditedEstimator(LogisticRegression(), auditor=DENSITY),
        OutlierRejector(DENSITY),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
