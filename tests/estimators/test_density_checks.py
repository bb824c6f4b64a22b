"""All of scikit-learn's estimator checks, outlier-detector checks included; no exceptions."""

import pytest
from sklearn.base import is_outlier_detector
from sklearn.utils.estimator_checks import estimator_checks_generator
from slow_checks import quicker

from skholder import HolderBayesDensity


def checks():
    """Every check of the three estimators, the slow ones with fewer draws."""
    few = {"n_draws": 400, "n_ensembles": 2}
    diagonal = HolderBayesDensity(covariance_type="diag", rule="upper", **few)
    spectral = HolderBayesDensity(covariance_type="spectral", contamination=0.1, **few)
    # They infer no share, so that they are densities but no outlier detectors.
    unlabelled = [
        HolderBayesDensity(0.5, divergence=name, inference="laplace", n_draws=400)
        for name in ("kl", "gamma")
    ]
    for estimator in (HolderBayesDensity(n_draws=800), spectral, diagonal, *unlabelled):
        for one, check in estimator_checks_generator(estimator):
            name = f"{one.divergence}-{one.covariance_type}-{check.func.__name__}"
            yield pytest.param(quicker(one, check), check, id=name)


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


@pytest.mark.parametrize("divergence", ["kl", "gamma"])
def test_a_density_without_epsilon_labels_no_rows_unless_it_is_given_a_share(divergence):
    density = HolderBayesDensity(divergence=divergence)
    assert not is_outlier_detector(density)
    for name in ("predict", "decision_function", "fit_predict"):
        assert not hasattr(density, name)
        assert hasattr(HolderBayesDensity(), name)
    given = HolderBayesDensity(divergence=divergence, contamination=0.1)
    assert is_outlier_detector(given)
    assert hasattr(given, "predict")
