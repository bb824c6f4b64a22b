from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from skholder import HolderBayesDensity, HolderBayesRegressor
from skholder.exceptions import IdentifiabilityWarning
from skholder.report.estimates import compare

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

QUICK = {"n_draws": 400, "random_state": 0}


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_least_squares_in_the_users_units(contaminated, standardize, fit_intercept):
    X, y, *_ = contaminated(120, 2, 0.15)
    X, y = X * [2.0, 0.5] + [1.0, -1.0], 3 * y
    model = HolderBayesRegressor(standardize=standardize, fit_intercept=fit_intercept, **QUICK)
    found = compare(model.fit(X, y), ("a", "b"))
    plain = LinearRegression(fit_intercept=fit_intercept).fit(X, y)
    rows = {row.name: row for row in found.estimates}
    assert ("intercept" in rows) == fit_intercept
    assert rows["a"].plain == pytest.approx(plain.coef_[0])
    assert rows["b"].plain == pytest.approx(plain.coef_[1])
    assert rows["b"].value == pytest.approx(model.coef_[1])
    residual = y - plain.predict(X)
    freedom = 120 - 2 - fit_intercept
    assert rows["noise scale"].plain == pytest.approx(np.sqrt(residual @ residual / freedom))
    if fit_intercept:
        assert rows["intercept"].plain == pytest.approx(plain.intercept_)
    draws = model.posterior_["coef"][:, 0]
    assert rows["a"].shift == pytest.approx((plain.coef_[0] - draws.mean()) / draws.std())
    assert (rows["a"].low, rows["a"].high) == pytest.approx(np.quantile(draws, [0.025, 0.975]))
    assert found.plain_name == "Least squares"


@pytest.mark.parametrize("covariance_type", ["full", "diag"])
@pytest.mark.parametrize("model", ["normal", "student_t"])
def test_elliptical_densities(contaminated, covariance_type, model):
    X = contaminated(120, 2, 0.15)[0] @ np.array([[2.0, 1.0], [0.0, 0.5]]) + [5.0, -7.0]
    fitted = HolderBayesDensity(model=model, covariance_type=covariance_type, **QUICK).fit(X)
    rows = {row.name: row for row in compare(fitted, ("a", "b")).estimates}
    assert list(rows) == ["mean of a", "sd of a", "mean of b", "sd of b"]
    assert rows["mean of b"].plain == pytest.approx(X[:, 1].mean())
    assert rows["sd of b"].plain == pytest.approx(X[:, 1].std())
    assert rows["mean of a"].value == pytest.approx(fitted.location_[0])
    sd = np.sqrt(fitted.posterior_["covariance"][:, 1, 1])
    assert rows["sd of b"].value == pytest.approx(sd.mean())
    assert rows["sd of b"].high == pytest.approx(np.quantile(sd, 0.975))


MEANS = {
    "laplace": lambda draws: draws["location"],
    "exponential": lambda draws: draws["scale"],
    "gamma": lambda draws: draws["shape"] * draws["scale"],
    "lognormal": lambda draws: np.exp(draws["mean_of_log"] + draws["sd_of_log"] ** 2 / 2),
    "poisson": lambda draws: draws["rate"],
}


@pytest.mark.parametrize("model", MEANS)
def test_families(model):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.poisson(9, 200), np.full(200, 4.0), rng.poisson(30, 200)]) + 1.0
    fitted = HolderBayesDensity(model=model, inference="laplace", **QUICK)
    # The constant column is left out by all but the counts, and the fit says so.
    lost = model != "poisson"
    with pytest.warns(IdentifiabilityWarning, match="1 of the 3") if lost else nullcontext():
        fitted.fit(X)
    rows = {row.name: row for row in compare(fitted, ("a", "b", "c")).estimates}
    assert ("mean of b" in rows) != lost
    assert rows["mean of c"].plain == pytest.approx(X[:, 2].mean())
    draws = MEANS[model](fitted.posterior_)[:, -1]
    assert rows["mean of c"].value == pytest.approx(draws.mean())
    assert rows["mean of c"].low == pytest.approx(np.quantile(draws, 0.025))


def test_parameters_of_the_users_own(contaminated):
    class Line:
        parameter_names = ("middle", "log_width")
        lower = (-np.inf, -4.0)

        def log_density(self, theta, X):
            middle, log_width = theta.T
            return -np.abs(X - middle) * np.exp(-log_width) - log_width - np.log(2)

        def starts(self, X):
            return [[np.median(X), 0.0]]

    X = contaminated(80, 1, 0.1)[0]
    fitted = HolderBayesDensity(model=Line(), inference="laplace", **QUICK).fit(X)
    found = compare(fitted, ("a",))
    assert found.plain_name is None
    assert [row.name for row in found.estimates] == ["middle", "log_width"]
    assert all(row.plain is None and row.shift is None for row in found.estimates)
