"""scikit-learn's own checks for ModelAuditor."""

import pytest
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from skholder import ModelAuditor


@pytest.fixture(autouse=True)
def array_api(monkeypatch):
    # scikit-learn skips its array API check where this is not set.
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        ModelAuditor(Ridge(), n_draws=200),
        ModelAuditor(Ridge(), scale="fitted", cv=3, rule="fdr", refit=False, n_draws=200),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
