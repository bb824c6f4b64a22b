"""All of scikit-learn's estimator checks, outlier-detector checks included; no exceptions."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from skholder import HolderBayesDensity


@pytest.fixture(autouse=True)
def array_api(monkeypatch):
    # scikit-learn skips its array API check where this is not set.
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


# The checks fit tiny, tied and random data: what the package warns of there is rightly said.
@pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [HolderBayesDensity(), HolderBayesDensity(covariance_type="diag", n_draws=400)]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
