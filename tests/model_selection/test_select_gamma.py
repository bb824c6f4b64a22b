"""select_gamma: the path of a fit, without the fit."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from skholder import HolderBayesDensity, HolderBayesRegressor, OutlierAuditor
from skholder.model_selection import select_gamma

QUICK = {"inference": "laplace", "n_draws": 200, "random_state": 3}


def same(one, other):
    assert one.chosen == other.chosen
    assert one.pilot == other.pilot
    for name in ("gamma", "criterion", "epsilon", "theta"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def cases(contaminated):
    X, y, *_ = contaminated(120)
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    regressor = HolderBayesRegressor(**QUICK)
    density = HolderBayesDensity(**QUICK)
    return {
        "regressor": (regressor, X, y, None),
        "weighted": (regressor, X, y, weight),
        "density": (density, np.column_stack([X, y]), None, weight),
        "auditor": (OutlierAuditor(density), np.column_stack([X, y]), None, None),
        "audited regressor": (OutlierAuditor(regressor), X, y, weight),
    }


@pytest.mark.parametrize(
    "case", ["regressor", "weighted", "density", "auditor", "audited regressor"]
)
def test_is_the_path_of_the_fit(contaminated, case):
    estimator, X, y, weight = cases(contaminated)[case]
    path = select_gamma(estimator, X, y, weight)
    assert not hasattr(estimator, "n_features_in_")
    fitted = clone(estimator).fit(X, y, sample_weight=weight)
    same(path, getattr(fitted, "estimator_", fitted).gamma_path_)


def test_own_gamma_is_not_looked_at(contaminated):
    X, y, *_ = contaminated(80)
    fixed = HolderBayesRegressor(0.3, **QUICK)
    same(select_gamma(fixed, X, y), select_gamma(HolderBayesRegressor(**QUICK), X, y))
    assert fixed.gamma == 0.3


def test_auditor_seeds_its_part(contaminated):
    X, y, *_ = contaminated(80)
    auditor = OutlierAuditor(HolderBayesRegressor(), random_state=3)
    same(select_gamma(auditor, X, y), select_gamma(HolderBayesRegressor(random_state=3), X, y))


def test_validates_as_fit_does(contaminated):
    X, y, *_ = contaminated(40)
    with pytest.raises(ValueError, match="NaN"):
        select_gamma(HolderBayesRegressor(), np.where(X > 2, np.nan, X), y)
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        select_gamma(HolderBayesDensity(), X, sample_weight=-np.ones(len(X)))
    with pytest.raises(ValueError, match="max_contamination"):
        select_gamma(HolderBayesRegressor(max_contamination=2.0), X, y)
    with pytest.raises(ValueError, match="requires y to be passed"):
        select_gamma(HolderBayesRegressor(), X)
    with pytest.raises(ValueError, match="requires y to be passed"):
        select_gamma(OutlierAuditor(HolderBayesRegressor()), X)


def test_no_power_to_choose(contaminated):
    X, y, *_ = contaminated(40)
    with pytest.raises(ValueError, match="divergence='kl' has no power gamma"):
        select_gamma(HolderBayesRegressor(divergence="kl"), X, y)


def test_other_estimators(contaminated):
    X, y, *_ = contaminated(40)
    with pytest.raises(TypeError, match="got LinearRegression"):
        select_gamma(LinearRegression(), X, y)


def test_discrete_columns_have_one_power():
    X = np.random.default_rng(0).integers(0, 4, size=(120, 2)).astype(float)
    path = select_gamma(HolderBayesDensity(**QUICK), X)
    assert path.gamma.tolist() == [HolderBayesDensity("efficiency", **QUICK).fit(X).gamma_]
    assert np.isnan(path.criterion).all()
