"""All of scikit-learn's estimator checks, outlier-detector checks included; no exceptions."""

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

from skholder import HolderBayesDensity

# They fit wide tables with few rows again and again, which costs seconds with many draws.
SLOW = {
    "check_array_api_input",
    "check_dtype_object",
    "check_estimators_dtypes",
    "check_estimators_nan_inf",
    "check_n_features_in_after_fitting",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weights_not_overwritten",
}


def checks():
    """Every check of the three estimators, the slow ones with fewer draws."""
    diagonal = HolderBayesDensity(covariance_type="diag", rule="upper", n_ensembles=2)
    spectral = HolderBayesDensity(covariance_type="spectral", contamination=0.1, n_ensembles=2)
    for estimator in (HolderBayesDensity(), spectral, diagonal):
        for one, check in estimator_checks_generator(estimator):
            slow = check.func.__name__ in SLOW or one.covariance_type != "auto"
            used = clone(one).set_params(n_draws=400) if slow else one
            yield pytest.param(used, check, id=f"{one.covariance_type}-{check.func.__name__}")


@pytest.fixture(autouse=True)
def array_api(monkeypatch):
    # scikit-learn skips its array API check where this is not set.
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


# The checks fit tiny, tied and random data: what the package warns of there is rightly said.
@pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learn_check(estimator, check):
    check(estimator)
