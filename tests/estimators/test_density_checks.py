"""All of scikit-learn's estimator checks, outlier-detector checks included; no exceptions."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from skholder import HolderBayesDensity


# The checks fit tiny, tied and random data, of which skholder rightly complains.
@pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        HolderBayesDensity(),
        HolderBayesDensity(n_draws=400),
        HolderBayesDensity(covariance_type="diag"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
