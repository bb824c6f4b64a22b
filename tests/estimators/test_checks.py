"""scikit-learn's own checks for the regressor.

All settings with all draws are ``examples/studies/check_settings.py``.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from slow_checks import quicker

from skholder import HolderBayesRegressor


def quick(**kwargs):
    return HolderBayesRegressor(0.5, leverage="ignore", n_draws=200, n_ensembles=2, **kwargs)


ESTIMATORS = [
    HolderBayesRegressor(n_draws=800),
    *(quick(divergence=name) for name in ("expsat", "kl")),
    HolderBayesRegressor(0.4, inference="laplace", n_draws=100, noise="student_t"),
    HolderBayesRegressor(inference="laplace", leverage="guard", n_draws=400),
    HolderBayesRegressor(2.0, inference="laplace", leverage="ignore", n_draws=400),
]


@pytest.fixture(autouse=True)
def array_api(monkeypatch):
    # scikit-learn skips its array API check where this is not set.
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


# The checks fit a few rows with few draws: what the package warns of there is rightly said.
@pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(quicker(estimator, check))
