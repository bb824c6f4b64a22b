"""scikit-learn's own checks for the three meta-estimators.

A few settings that differ in draws, ensembles, inference, rule and covariance type; many more are
in ``examples/studies/check_settings.py``.
"""

import pytest
from sklearn.base import is_outlier_detector
from sklearn.exceptions import SkipTestWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

from skholder import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    OutlierAuditor,
    OutlierRejector,
)

# As by default, but for the number of draws: examples/studies/check_settings.py has all of them.
FULL = HolderBayesDensity(n_draws=200)
DENSITY = OutlierAuditor(
    HolderBayesDensity("efficiency", n_draws=200, n_ensembles=2, covariance_type="diag")
)
LAPLACE = HolderBayesDensity(n_draws=400, inference="laplace")
REGRESSION = OutlierAuditor(
    HolderBayesRegressor(0.5, leverage="ignore", n_draws=400, inference="laplace")
)


class PairedAuditor(OutlierAuditor):
    """An auditor of y given X for tools that know X alone: they get the labels of expected y.

    scikit-learn's checks ask for them, and pass the auditor itself by; everything else about it is
    checked here.
    """

    def score_samples(self, X, y=None):
        check_is_fitted(self)
        return super().score_samples(X, self.estimator_.predict(X) if y is None else y)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags._skip_test = False
        return tags


@pytest.fixture(autouse=True)
def array_api(monkeypatch):
    # scikit-learn skips its array API check where this is not set.
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:Every row of class:UserWarning")
@parametrize_with_checks(
    [
        OutlierAuditor(FULL),
        OutlierAuditor(LAPLACE, rule="upper"),
        AuditedEstimator(Ridge(), auditor=REGRESSION),
        AuditedEstimator(Ridge(), auditor=REGRESSION, mode="weight"),
        AuditedEstimator(LogisticRegression(), auditor=DENSITY),
        OutlierRejector(DENSITY),
        PairedAuditor(
            HolderBayesRegressor(0.5, leverage="ignore", inference="laplace", n_draws=400)
        ),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_an_auditor_of_y_given_x_tells_scikit_learn_what_it_is():
    auditor = OutlierAuditor(HolderBayesRegressor())
    assert get_tags(auditor).target_tags.required
    assert not is_outlier_detector(auditor)
    assert is_outlier_detector(OutlierAuditor())
    # Its predict needs y, which the checks never pass: none of them may fail for that.
    with pytest.warns(SkipTestWarning):
        check_estimator(auditor)
    assert not get_tags(OutlierAuditor())._skip_test
