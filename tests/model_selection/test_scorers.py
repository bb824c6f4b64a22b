"""Scorers: their formulas, their robustness, and searches that use them."""

import pickle

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skholder import (
    AuditedEstimator,
    HolderBayesDensity,
    HolderBayesRegressor,
    ModelAuditor,
    OutlierAuditor,
)
from skholder.model_selection import HyvarinenScore, TrimmedLogScore

QUICK = {"inference": "laplace", "n_draws": 400, "random_state": 0}
NORMAL_IQR = 1.3489795003921634


@pytest.fixture(scope="module")
def rows(contaminated):
    return contaminated(400, epsilon=0.2)


@pytest.fixture(scope="module")
def regressor(rows):
    return HolderBayesRegressor(0.5, **QUICK).fit(rows[0], rows[1])


class TestTrimmed:
    def test_is_the_mean_of_the_rows_left(self, regressor, rows):
        X, y, *_ = rows
        scores = np.sort(regressor.score_samples(X[:10], y[:10]))
        assert TrimmedLogScore(0.25)(regressor, X[:10], y[:10]) == np.mean(scores[3:])
        assert TrimmedLogScore(0.0)(regressor, X[:10], y[:10]) == np.mean(scores)
        assert TrimmedLogScore(0.99)(regressor, X[:10], y[:10]) == scores[-1]

    def test_by_default_at_least_the_rows_that_the_fit_calls_outliers(self, regressor, rows):
        X, y, *_ = rows
        upper = regressor.epsilon_interval_[1]
        assert TrimmedLogScore()(regressor, X, y) == TrimmedLogScore(upper)(regressor, X, y)
        assert upper > regressor.epsilon_

    def test_spoiled_rows_do_not_count(self, regressor, rows):
        X, y, outlier, _ = rows
        wild = np.where(outlier, 1e6, y)
        score = TrimmedLogScore(0.3)
        assert score(regressor, X, wild) == pytest.approx(score(regressor, X, y), abs=1e-9)

    def test_density_ignores_y(self, rows):
        X = rows[0]
        density = HolderBayesDensity(**QUICK).fit(X)
        score = TrimmedLogScore(0.1)(density, X, rows[1])
        assert score == TrimmedLogScore(0.1)(density, X)
        assert score == TrimmedLogScore(0.1)(OutlierAuditor(HolderBayesDensity(**QUICK)).fit(X), X)

    @pytest.mark.parametrize("trim", [-0.1, 1.0, "mean", np.nan])
    def test_bad_trim(self, trim):
        with pytest.raises(ValueError, match=r"trim must be 'posterior' or lie in \[0, 1\)"):
            TrimmedLogScore(trim)

    def test_errors_say_what_to_do(self, regressor, rows):
        X, y, *_ = rows
        with pytest.raises(ValueError, match="TrimmedLogScore of a regression requires y"):
            TrimmedLogScore()(regressor, X)
        plain = HolderBayesRegressor(divergence="kl", **QUICK).fit(X, y)
        with pytest.raises(ValueError, match="TrimmedLogScore needs the posterior of epsilon"):
            TrimmedLogScore()(plain, X, y)
        assert np.isfinite(TrimmedLogScore(0.2)(plain, X, y))


class TestHyvarinen:
    @pytest.mark.parametrize("gamma", [0.2, 0.5, 1.0])
    def test_is_the_efficiency_where_the_model_holds(self, gamma):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(4000, 1))
        y = rng.normal(0, 3.0, size=4000)
        model = HolderBayesRegressor(gamma, leverage="ignore", **QUICK).fit(X, y)
        efficiency = ((1 + 2 * gamma) / (1 + gamma) ** 2) ** 1.5
        # Sigma is the spread of y here, the unit of the derivatives.
        assert HyvarinenScore()(model, X, y) == pytest.approx(efficiency, rel=0.06)

    def test_one_draw_is_the_closed_form(self, rows):
        X, y, *_ = rows
        model = HolderBayesRegressor(
            0.5, inference="laplace", n_draws=1, n_ensembles=1, random_state=0
        ).fit(X, y)
        (coef,), (b0,), (sigma,) = (model.posterior_[k] for k in ("coef", "intercept", "scale"))
        spread = np.subtract(*np.quantile(y, [0.75, 0.25])) / NORMAL_IQR
        r = (y - b0 - X @ coef) / sigma
        u = np.exp(-0.25 * r**2)
        # S / C of this draw, and beta on the scale on which the fit was computed.
        a = min(u.mean() * np.sqrt(1.5), 1.0)
        peak = (2 * np.pi) ** -0.5 * y.std() / sigma
        pull = 0.5 * model.temperature_ * 1.5 * (a * peak) ** 0.5 * u
        slope, bend = -r * spread / sigma, -((spread / sigma) ** 2)
        value = 2 * pull * (bend + 0.5 * slope**2) + (pull * slope) ** 2
        # The power mean of a fit is computed in single precision.
        assert HyvarinenScore()(model, X, y) == pytest.approx(-np.mean(value), rel=1e-4)

    def test_kl_is_the_score_of_the_log_predictive(self, rows):
        X, y, *_ = rows
        model = HolderBayesRegressor(
            divergence="kl", inference="laplace", n_draws=200, random_state=0
        ).fit(X, y)
        spread = np.subtract(*np.quantile(y, [0.75, 0.25])) / NORMAL_IQR
        h = 1e-3 * spread
        low, here, high = (model.score_samples(X, y + s * h) for s in (-1, 0, 1))
        slope, bend = (high - low) / 2e-3, (high - 2 * here + low) / 1e-6
        expected = -np.mean(2 * bend + slope**2)
        assert HyvarinenScore()(model, X, y) == pytest.approx(expected, rel=1e-3)

    def test_far_rows_add_nothing(self, regressor, rows):
        X, y, outlier, _ = rows
        far = np.where(outlier, 1e3, y)
        farther = np.where(outlier, 1e6, y)
        score = HyvarinenScore()
        assert score(regressor, X, far) == pytest.approx(score(regressor, X, farther), rel=1e-12)

    @pytest.mark.parametrize("scale", [1e-3, 1e4])
    def test_units_do_not_matter(self, rows, scale):
        X = rows[0]
        units = np.array([scale, 1.0])
        one = HolderBayesDensity(0.4, **QUICK).fit(X)
        other = HolderBayesDensity(0.4, **QUICK).fit(X * units)
        score = HyvarinenScore()
        assert score(other, X * units) == pytest.approx(score(one, X), rel=0.02)

    def test_density_is_the_efficiency_of_its_columns(self):
        X = np.random.default_rng(0).normal(size=(4000, 2)) @ [[1.0, 0.6], [0.0, 0.8]]
        model = HolderBayesDensity(0.4, **QUICK).fit(X)
        precision = np.linalg.inv(np.cov(X.T))
        efficiency = ((1 + 2 * 0.4) / 1.4**2) ** 2
        expected = efficiency * np.trace(precision * np.diag(X.var(axis=0)))
        assert HyvarinenScore()(model, X) == pytest.approx(expected, rel=0.06)

    @pytest.mark.parametrize("name", ["poisson", "laplace", "exponential", "gamma", "lognormal"])
    def test_rough_densities_have_none(self, name):
        X = np.random.default_rng(0).poisson(6.0, size=(60, 1)) + 1.0
        model = HolderBayesDensity(0.3, model=name, **QUICK).fit(X)
        with pytest.raises(ValueError, match=r"smooth everywhere.*Use TrimmedLogScore"):
            HyvarinenScore()(model, X)
        assert np.isfinite(TrimmedLogScore(0.1)(model, X))

    def test_noise_with_a_kink_has_none_either(self, contaminated):
        X, y, *_ = contaminated(60)
        for noise in (stats.laplace(), stats.laplace_asymmetric(2)):
            model = HolderBayesRegressor(0.3, noise=noise, **QUICK).fit(X, y)
            with pytest.raises(ValueError, match=r"laplace.*Use TrimmedLogScore"):
                HyvarinenScore()(model, X, y)
        model = HolderBayesRegressor(0.3, noise=stats.logistic(), **QUICK).fit(X, y)
        assert np.isfinite(HyvarinenScore()(model, X, y))


@pytest.mark.parametrize("score", [TrimmedLogScore(), TrimmedLogScore(0.3), HyvarinenScore()])
class TestInSearches:
    def test_they_leave_a_fit_that_follows_spoiled_rows(self, contaminated, score):
        X, y, *_ = contaminated(200, epsilon=0.3, shift=7.0)
        search = GridSearchCV(
            HolderBayesRegressor(**QUICK), {"gamma": [0.01, 0.6]}, scoring=score, cv=3
        )
        # The outliers come first in the table: folds must be mixed.
        order = np.random.default_rng(0).permutation(len(y))
        assert search.fit(X[order], y[order]).best_params_["gamma"] == 0.6

    def test_pipeline_is_its_last_step_on_what_that_sees(self, rows, score):
        X, y, *_ = rows
        pipeline = make_pipeline(StandardScaler(), HolderBayesRegressor(0.5, **QUICK)).fit(X, y)
        seen = pipeline[0].transform(X)
        assert score(pipeline, X, y) == score(pipeline[-1], seen, y)
        alone = make_pipeline(pipeline[-1])
        assert score(alone, seen, y) == score(pipeline[-1], seen, y)

    def test_residuals_of_another_model_have_no_such_score(self, rows, score):
        X, y, *_ = rows
        model = ModelAuditor(LinearRegression(), random_state=0)
        cleaned = AuditedEstimator(LinearRegression(), auditor=model)
        for fitted in (model.fit(X, y), cleaned.fit(X, y)):
            match = rf"{type(score).__name__} scores .*{type(fitted).__name__}.*scoring='neg"
            with pytest.raises(TypeError, match=match):
                score(fitted, X, y)

    def test_survives_pickling(self, score):
        assert pickle.loads(pickle.dumps(score)) == score
