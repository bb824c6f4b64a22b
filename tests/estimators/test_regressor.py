"""What a fit reports: against the truth, against closed forms, against brute force."""

import pickle

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skholder import HolderBayesRegressor
from skholder.models import StudentTNoise
from skholder.rows import RowBlocks

# Few draws are enough for most statements here, and the estimator says so.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

NEED_ALPHA = [
    "epsilon_posterior_",
    "epsilon_",
    "epsilon_interval_",
    "outlier_count_posterior_",
    "fod_scores_",
]


def make(**kwargs):
    return HolderBayesRegressor(**{"n_draws": 400, "random_state": 0, **kwargs})


@pytest.fixture(scope="module")
def data(contaminated):
    X, y, outlier, coef = contaminated(200, 2, 0.15)
    # Units far from the computing scale, so that a forgotten transformation shows.
    return X * [10.0, 0.2] + [3.0, -40.0], 5 * y + 100, outlier, 5 * coef / [10.0, 0.2]


@pytest.fixture(scope="module")
def fitted(data):
    X, y, *_ = data
    return HolderBayesRegressor(random_state=0).fit(X, y)


def draws_of(model, X):
    """Location (m, S) and scale (S,) of the predictive of each row and draw, in user units."""
    draws = model.posterior_
    return draws["intercept"] + X @ draws["coef"].T, draws["scale"]


class TestTruth:
    @pytest.mark.parametrize("divergence", ["dpd", "expsat", "ratsat"])
    def test_contaminated_rows_are_found(self, contaminated, divergence):
        X, y, outlier, coef = contaminated(400, 2, 0.15, seed=1)
        model = make(divergence=divergence).fit(X, y)
        assert abs(model.epsilon_ - 0.15) < 0.03
        assert model.epsilon_interval_[0] < 0.15 < model.epsilon_interval_[1]
        assert average_precision_score(outlier, model.fod_scores_) > 0.97
        np.testing.assert_allclose(model.coef_, coef, atol=0.25)
        np.testing.assert_allclose(model.intercept_, 0.5, atol=0.25)
        np.testing.assert_allclose(model.scale_, 1.0, atol=0.15)

    @pytest.mark.parametrize("kwargs", [{"divergence": "gamma"}, {"noise": "student_t"}])
    def test_other_robust_fits(self, contaminated, kwargs):
        X, y, _, coef = contaminated(400, 2, 0.15, seed=1)
        np.testing.assert_allclose(make(**kwargs).fit(X, y).coef_, coef, atol=0.25)

    def test_leverage_outliers_are_flagged(self, contaminated):
        X, y, outlier, coef = contaminated(200, 3, 0.15, leverage=6.0, shift=9.0)
        model = make().fit(X, y)
        assert average_precision_score(outlier, model.fod_scores_) > 0.99
        assert np.sum(model.audit().mask != outlier) <= 3
        np.testing.assert_allclose(model.coef_, coef, atol=0.35)
        # Least squares is led astray, so the data are a test of something.
        ols = np.linalg.lstsq(np.column_stack([np.ones(200), X]), y, rcond=None)[0]
        assert np.abs(ols[1:] - coef).max() > 1

    def test_clean_data_have_few_outliers(self, contaminated):
        X, y, *_ = contaminated(400, 2, 0.0)
        model = make().fit(X, y)
        assert model.epsilon_ < 0.06
        assert model.epsilon_interval_[0] < 0.005


class TestClosedForm:
    def test_standard_bayes(self, contaminated):
        X, y, *_ = contaminated(40, 2, 0.0, seed=2)
        model = HolderBayesRegressor(divergence="kl", n_draws=8000, random_state=0).fit(X, y)
        Z, t = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()
        design = np.column_stack([np.ones(40), Z])
        # Given sigma the coefficients are normal; log sigma is integrated on a grid.
        grid = np.linspace(-2.5, 1.5, 801)
        log_mass, means, spreads = [], [], []
        for log_sigma in grid:
            variance = np.exp(2 * log_sigma)
            precision = design.T @ design / variance + np.eye(3) / 2.5**2
            means.append(np.linalg.solve(precision, design.T @ t / variance))
            spreads.append(np.linalg.inv(precision))
            marginal = variance * np.eye(40) + 2.5**2 * design @ design.T
            log_mass.append(stats.multivariate_normal(np.zeros(40), marginal).logpdf(t))
        log_mass = np.array(log_mass) + stats.norm.logpdf(grid)
        mass = np.exp(log_mass - log_mass.max())
        mass /= mass.sum()
        mean = mass @ np.array(means)
        variance = mass @ np.array([np.diag(s) for s in spreads])
        variance += mass @ (np.array(means) - mean) ** 2
        unit = y.std() / X.std(axis=0)
        expected_mean, expected_sd = mean[1:] * unit, np.sqrt(variance[1:]) * unit
        found = model.posterior_["coef"]
        n_effective = min(model.diagnostics_.ess_bulk.values())
        error = expected_sd / np.sqrt(n_effective)
        assert np.all(np.abs(found.mean(axis=0) - expected_mean) < 4 * error)
        np.testing.assert_allclose(found.std(axis=0), expected_sd, rtol=0.04)
        scale_mean = mass @ np.exp(grid) * y.std()
        scale_sd = np.sqrt(mass @ (np.exp(grid) * y.std()) ** 2 - scale_mean**2)
        scale = model.posterior_["scale"]
        assert abs(scale.mean() - scale_mean) < 4 * scale_sd / np.sqrt(n_effective)
        np.testing.assert_allclose(scale.std(), scale_sd, rtol=0.06)
        assert model.temperature_ == 1.0

    def test_small_gamma_is_standard_bayes(self, contaminated):
        X, y, *_ = contaminated(500, 3, 0.0, seed=3)
        pair = [
            HolderBayesRegressor(gamma, divergence=name, n_draws=16_000, random_state=0).fit(X, y)
            for gamma, name in ((0.01, "dpd"), (0.5, "kl"))
        ]
        for name in ("coef", "intercept", "scale"):
            small, standard = (model.posterior_[name] for model in pair)
            np.testing.assert_allclose(small.mean(axis=0), standard.mean(axis=0), rtol=0.02)
            np.testing.assert_allclose(small.std(axis=0), standard.std(axis=0), rtol=0.02)

    @pytest.mark.parametrize("gamma", [0.3, 1.0])
    def test_calibrated_temperature(self, contaminated, gamma):
        X, y, *_ = contaminated(200, 1, 0.15)
        Z, t = (X[:, 0] - X.mean()) / X.std(), (y - y.mean()) / y.std()

        def profile(theta):
            sigma = np.exp(theta[2])
            s = np.mean(stats.norm.pdf(t, theta[0] + theta[1] * Z, sigma) ** gamma)
            c = (2 * np.pi) ** (-gamma / 2) * sigma**-gamma / np.sqrt(1 + gamma)
            alpha = np.clip(s / c, 0.5, 1)
            return (gamma - (1 + gamma) * s / (alpha * c)) * alpha ** (1 + gamma) * c, alpha

        start = [-0.3, 0.3, -1.0]
        best = minimize(lambda x: profile(x)[0], start, method="Nelder-Mead", tol=1e-10)
        constant = (2 * np.pi) ** (gamma / 2) * (1 + 2 * gamma) ** 1.5
        constant /= gamma * (1 + gamma) ** 2.5
        expected = constant * np.exp(gamma * best.x[2]) / profile(best.x)[1] ** gamma
        model = make(gamma=gamma).fit(X, y)
        np.testing.assert_allclose(model.temperature_, expected, rtol=1e-4)
        assert model.gamma_ == gamma

    def test_temperature_rules(self, data):
        X, y, *_ = data
        assert make(temperature=0.7).fit(X, y).temperature_ == 0.7
        # The response has variance one on the computing scale.
        np.testing.assert_allclose(make(temperature="covdet").fit(X, y).temperature_, 1.0)
        raw = make(temperature="covdet", standardize=False, coef_prior_scale=100.0)
        Z, t = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / 10
        raw.fit(Z, t)
        np.testing.assert_allclose(raw.temperature_, t.var() ** (raw.gamma_ / 2))
        joint = np.corrcoef(np.column_stack([X, y]).T)
        found = make(temperature="joint-covdet").fit(X, y)
        np.testing.assert_allclose(found.temperature_, np.linalg.det(joint) ** found.gamma_)

    def test_laplace_is_close_for_many_rows(self, contaminated):
        X, y, *_ = contaminated(800, 2, 0.15)
        exact = HolderBayesRegressor(random_state=0).fit(X, y)
        quick = HolderBayesRegressor(random_state=0, inference="laplace").fit(X, y)
        for name in ("coef", "intercept", "scale", "alpha"):
            a, b = exact.posterior_[name], quick.posterior_[name]
            assert np.all(np.abs(a.mean(axis=0) - b.mean(axis=0)) < 0.25 * a.std(axis=0))
            np.testing.assert_allclose(b.std(axis=0), a.std(axis=0), rtol=0.12)
        np.testing.assert_allclose(quick.fod_scores_, exact.fod_scores_, atol=0.1)


class TestAttributes:
    def test_shapes_and_summaries(self, data, fitted):
        *_, coef = data
        draws = fitted.posterior_
        assert draws["coef"].shape == (4000, 2)
        for name in ("intercept", "scale", "alpha"):
            assert draws[name].shape == (4000,)
        np.testing.assert_allclose(fitted.coef_, draws["coef"].mean(axis=0))
        np.testing.assert_allclose(fitted.intercept_, draws["intercept"].mean())
        np.testing.assert_allclose(fitted.scale_, draws["scale"].mean())
        np.testing.assert_array_equal(fitted.epsilon_posterior_, 1 - draws["alpha"])
        np.testing.assert_allclose(fitted.epsilon_, fitted.epsilon_posterior_.mean())
        np.testing.assert_allclose(
            fitted.epsilon_interval_, np.quantile(fitted.epsilon_posterior_, [0.025, 0.975])
        )
        assert fitted.outlier_count_posterior_.dtype.kind == "i"
        assert fitted.tail_probability_.shape == (200,)
        assert 0 <= fitted.clean_probability_ <= 1
        assert fitted.gamma_ == fitted.gamma_path_.best
        assert fitted.fod_scores_.shape == fitted.log_density_.shape == (200,)
        np.testing.assert_allclose(fitted.coef_, coef, rtol=0.25)
        np.testing.assert_allclose(fitted.scale_, 5.0, rtol=0.15)

    def test_fod_sums_to_the_mean_count(self, fitted):
        np.testing.assert_allclose(
            fitted.fod_scores_.sum(), fitted.outlier_count_posterior_.mean(), rtol=1e-12
        )

    def test_fod_and_log_density_by_brute_force(self, data, fitted):
        X, y, *_ = data
        log_p = stats.norm.logpdf(y[:, None], *draws_of(fitted, X))
        np.testing.assert_allclose(fitted.log_density_, log_p.mean(axis=1), rtol=1e-8)
        rank = np.argsort(np.argsort(log_p, axis=0, kind="stable"), axis=0, kind="stable")
        expected = np.mean(rank < fitted.outlier_count_posterior_, axis=1)
        np.testing.assert_allclose(fitted.fod_scores_, expected, atol=1e-3)

    def test_modes_are_in_user_units(self, fitted):
        best = fitted.modes_[0]
        assert set(best.parameters) == {"coef", "intercept", "scale"}
        sd = fitted.posterior_["coef"].std(axis=0)
        assert np.all(np.abs(best.parameters["coef"] - fitted.coef_) < 0.5 * sd)
        values = [mode.log_prob for mode in fitted.modes_]
        assert values == sorted(values, reverse=True)

    def test_diagnostics(self, fitted):
        report = fitted.diagnostics_
        names = ["intercept", "coef[0]", "coef[1]", "log_scale", "epsilon"]
        for table in (report.r_hat, report.ess_bulk, report.ess_tail):
            assert list(table) == names
        assert max(report.r_hat.values()) < 1.01
        assert min(report.ess_bulk.values()) > 1000
        assert 0.5 < report.acceptance <= 1
        # Every kept draw costs an evaluation, and some more go into warm-up.
        assert 4000 < report.n_evaluations < 8000
        assert report.vacuous_share < 0.01
        assert {"modes", "sampling"} <= set(report.seconds)

    def test_draws_come_ensemble_by_ensemble(self, data):
        # An ensemble of another seed shares no draw: so the first quarter tells its seed.
        X, y, *_ = data
        model = make(n_draws=80, n_ensembles=4).fit(X, y)
        chains = model.posterior_["scale"].reshape(4, -1)
        for a, b in ((0, 1), (1, 2), (2, 3)):
            assert not np.intersect1d(chains[a], chains[b]).size

    @pytest.mark.parametrize("n_draws", [4, 40, 100, 1000])
    def test_number_of_draws(self, data, n_draws):
        X, y, *_ = data
        assert make(n_draws=n_draws).fit(X, y).epsilon_posterior_.shape == (n_draws,)

    def test_own_walkers_and_ensembles(self, data):
        X, y, *_ = data
        model = make(n_draws=300, n_ensembles=3, n_walkers=10).fit(X, y)
        assert model.posterior_["coef"].shape == (300, 2)
        assert abs(model.epsilon_ - 0.15) < 0.04


class TestMethods:
    def test_predict(self, data, fitted):
        X, *_ = data
        location, scale = draws_of(fitted, X)
        mean, sd = fitted.predict(X, return_std=True)
        np.testing.assert_allclose(mean, location.mean(axis=1), rtol=1e-9)
        np.testing.assert_array_equal(fitted.predict(X), mean)
        np.testing.assert_allclose(sd, np.sqrt(location.var(axis=1) + np.mean(scale**2)))

    def test_predict_std_of_student_noise(self, data):
        X, y, *_ = data
        model = make(noise="student_t").fit(X, y)
        location, scale = draws_of(model, X)
        expected = np.sqrt(location.var(axis=1) + 2 * np.mean(scale**2))
        np.testing.assert_allclose(model.predict(X, return_std=True)[1], expected)
        heavy = make(noise=StudentTNoise(1.5)).fit(X, y)
        assert np.all(heavy.predict(X[:3], return_std=True)[1] == np.inf)
        assert np.all(np.isfinite(heavy.score_samples(X[:3])))

    @pytest.mark.parametrize("level", [0.5, 0.95])
    def test_interval_has_its_level(self, data, fitted, level):
        X, *_ = data
        ends = fitted.predict_interval(X[:20], level=level)
        assert ends.shape == (20, 2)
        location, scale = draws_of(fitted, X[:20])
        for end, p in zip(ends.T, [(1 - level) / 2, (1 + level) / 2], strict=True):
            reached = stats.norm.cdf(end[:, None], location, scale).mean(axis=1)
            np.testing.assert_allclose(reached, p, atol=1e-6)

    def test_interval_covers_clean_rows(self, contaminated):
        X, y, *_ = contaminated(300, 2, 0.15, seed=4)
        new_X, new_y, *_ = contaminated(2000, 2, 0.0, seed=5)
        ends = make().fit(X, y).predict_interval(new_X, level=0.9)
        inside = (new_y > ends[:, 0]) & (new_y < ends[:, 1])
        assert abs(inside.mean() - 0.9) < 0.03

    def test_sample_y_has_the_predictive_moments(self, data, fitted):
        X, *_ = data
        mean, sd = fitted.predict(X[:5], return_std=True)
        draws = fitted.sample_y(X[:5], n_samples=8000, random_state=1)
        assert draws.shape == (5, 8000)
        np.testing.assert_allclose(draws.mean(axis=1), mean, atol=5 * sd.max() / np.sqrt(8000))
        np.testing.assert_allclose(draws.std(axis=1), sd, rtol=0.05)
        again = fitted.sample_y(X[:5], n_samples=8000, random_state=1)
        np.testing.assert_array_equal(draws, again)
        # The rows of one draw share their coefficients, but not their noise.
        assert abs(np.corrcoef(draws)[0, 1]) < 0.1

    def test_score_samples_of_rows(self, data, fitted):
        X, y, *_ = data
        density = stats.norm.pdf(y[:, None], *draws_of(fitted, X)).mean(axis=1)
        np.testing.assert_allclose(fitted.score_samples(X, y), np.log(density), rtol=1e-6)

    def test_score_samples_without_response(self, data, fitted):
        X, *_ = data
        rows = X[:3]
        drawn = fitted.sample_y(rows, n_samples=800, random_state=0)
        expected = [
            np.mean(fitted.score_samples(np.repeat(rows[i : i + 1], 800, axis=0), drawn[i]))
            for i in range(3)
        ]
        # The log density of a normal row has variance 1/2.
        np.testing.assert_allclose(
            fitted.score_samples(rows), expected, atol=4 * np.sqrt(0.5 / 800)
        )

    def test_fod_of_training_rows(self, data, fitted):
        X, y, *_ = data
        np.testing.assert_allclose(fitted.fod(X, y), fitted.fod_scores_, atol=1e-12)

    def test_fod_of_new_rows(self, data):
        X, y, *_ = data
        fitted = make(gamma=0.5, count="holder", n_draws=4000).fit(X, y)
        line = fitted.predict(X[:3])
        np.testing.assert_array_equal(fitted.fod(X[:3], line), 0)
        some = np.mean(fitted.outlier_count_posterior_ > 0)
        np.testing.assert_allclose(fitted.fod(X[:3], line + 1e6), some)
        # A row is flagged where it lies at or below the K-th smallest training density.
        log_p = np.sort(stats.norm.logpdf(y[:, None], *draws_of(fitted, X)), axis=0)
        counts = fitted.outlier_count_posterior_
        cut = np.where(counts > 0, log_p[np.maximum(counts - 1, 0), np.arange(4000)], -np.inf)
        new_y = line + np.array([8.0, 11.0, 14.0])
        new = stats.norm.logpdf(new_y[:, None], *draws_of(fitted, X[:3]))
        expected = np.mean(new <= cut, axis=1)
        assert 0.01 < expected[0] < expected[-1] or 0.01 < expected[1] < 1
        np.testing.assert_allclose(fitted.fod(X[:3], new_y), expected, atol=1e-3)

    def test_audit(self, data, fitted):
        *_, outlier, _ = data
        counts = fitted.outlier_count_posterior_
        audit = fitted.audit()
        assert audit.count == audit.mask.sum() == round(counts.mean())
        lower, upper = np.quantile(counts, [0.025, 0.975])
        assert fitted.audit("lower").count == round(lower)
        assert fitted.audit("upper").count == round(upper)
        np.testing.assert_array_equal(audit.count_interval, np.rint([lower, upper]))
        assert set(audit.indices) == set(np.flatnonzero(audit.mask))
        ranked = fitted.audit(rank="log_density")
        np.testing.assert_array_equal(
            ranked.indices, np.argsort(fitted.log_density_)[: ranked.count]
        )
        assert np.mean(outlier[audit.indices]) > 0.9

    def test_influence(self, contaminated):
        # On the computing scale itself the draws tell everything.
        X, y, *_ = contaminated(100, 1, 0.1)
        model = make(gamma=0.5, count="holder", standardize=False).fit(X, y)
        location, scale = draws_of(model, X)
        alpha, beta = model.posterior_["alpha"], model.temperature_
        powers = stats.norm.pdf(y[:, None], location, scale) ** 0.5
        new_X, new_y = np.array([[0.3], [-1.0]]), np.array([2.0, 50.0])
        at_new = stats.norm.pdf(new_y[:, None], *draws_of(model, new_X)) ** 0.5
        # For dpd, IF = -(1 + gamma) alpha^gamma (p(z)^gamma - S).
        rate = -1.5 * np.sqrt(alpha) * (at_new - powers.mean(axis=0))
        found = model.influence(new_X, new_y)
        np.testing.assert_allclose(found.risk, rate.mean(axis=1), rtol=1e-8)
        for name in ("coef", "intercept", "scale", "alpha"):
            draws = model.posterior_[name].reshape(400, -1)
            centred = draws - draws.mean(axis=0)
            expected = -100 * beta * rate @ centred / 400
            shaped = found.parameters[name].reshape(2, -1)
            np.testing.assert_allclose(shaped, expected, rtol=1e-6, atol=1e-9)

    def test_to_arviz(self, fitted):
        pytest.importorskip("arviz")
        posterior = fitted.to_arviz()["posterior"]
        assert posterior["coef"].shape == (4, 1000, 2)
        assert posterior["alpha"].shape == (4, 1000)
        np.testing.assert_array_equal(posterior["scale"].values.ravel(), fitted.posterior_["scale"])

    def test_to_arviz_of_laplace_has_one_chain(self, data):
        pytest.importorskip("arviz")
        X, y, *_ = data
        model = make(inference="laplace").fit(X, y)
        assert model.to_arviz()["posterior"]["coef"].shape == (1, 400, 2)

    def test_score_is_r_squared(self, data, fitted):
        X, y, *_ = data
        gap = y - fitted.predict(X)
        np.testing.assert_allclose(
            fitted.score(X, y), 1 - np.sum(gap**2) / np.sum((y - y.mean()) ** 2)
        )

    @pytest.mark.parametrize(
        ("method", "needs_y"),
        [
            ("predict", False),
            ("predict_interval", False),
            ("sample_y", False),
            ("score_samples", False),
            ("score_samples", True),
            ("fod", True),
            ("influence", True),
        ],
    )
    def test_unfitted(self, data, method, needs_y):
        X, y, *_ = data
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            getattr(HolderBayesRegressor(), method)(X, *([y] if needs_y else []))

    @pytest.mark.parametrize("method", ["audit", "to_arviz"])
    def test_unfitted_without_arguments(self, method):
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            getattr(HolderBayesRegressor(), method)()

    @pytest.mark.parametrize("n_samples", [None, -1, 2.5])
    def test_number_of_draws_that_cannot_be(self, data, fitted, n_samples):
        with pytest.raises(ValueError, match="n_samples must be a whole number, 0 or more, got"):
            fitted.sample_y(data[0], n_samples=n_samples)

    @pytest.mark.parametrize("level", [0, 1, 95, None, "a"])
    def test_interval_level_out_of_range(self, data, fitted, level):
        with pytest.raises(ValueError, match=r"level must lie in \(0, 1\)"):
            fitted.predict_interval(data[0], level=level)


@pytest.mark.parametrize("divergence", ["gamma", "kl"])
class TestWithoutAlpha:
    @pytest.fixture
    def model(self, data, divergence):
        X, y, *_ = data
        return make(divergence=divergence).fit(X, y)

    def test_attributes_say_why_they_are_missing(self, model, divergence):
        for name in NEED_ALPHA:
            assert not hasattr(model, name)
            with pytest.raises(AttributeError, match=f"'{divergence}'.*no '{name}'.*Use diverg"):
                getattr(model, name)

    def test_methods_say_so_too(self, data, model, divergence):
        X, y, *_ = data
        with pytest.raises(AttributeError, match="does not infer the inlier share"):
            model.fod(X, y)
        with pytest.raises(AttributeError, match="does not infer the inlier share"):
            model.audit()

    def test_the_rest_works(self, data, model, divergence):
        X, y, *_ = data
        assert "alpha" not in model.posterior_
        assert np.all(np.isfinite(model.predict(X)))
        assert np.all(np.isfinite(model.influence(X, y).risk))
        assert "epsilon" not in model.diagnostics_.r_hat
        assert (model.gamma_ == 0.0) == (divergence == "kl")

    def test_refit_forgets_the_old_epsilon(self, data, divergence):
        X, y, *_ = data
        model = make().fit(X, y)
        model.set_params(divergence=divergence).fit(X, y)
        for name in NEED_ALPHA:
            assert not hasattr(model, name)


def test_missing_attribute_is_the_usual_error():
    with pytest.raises(AttributeError, match="has no attribute 'nonsense_'"):
        HolderBayesRegressor().nonsense_  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'epsilon_'"):
        HolderBayesRegressor().epsilon_  # noqa: B018


class TestOptions:
    def test_user_divergence_object(self, data):
        class Mine:
            def phi(self, z, gamma):
                return gamma - (1 + gamma) * z

        X, y, *_ = data
        mine, own = make(divergence=Mine()).fit(X, y), make().fit(X, y)
        np.testing.assert_allclose(mine.coef_, own.coef_, rtol=1e-4)
        np.testing.assert_allclose(mine.epsilon_, own.epsilon_, rtol=1e-3)

    def test_scipy_noise(self, data):
        X, y, *_ = data
        model = make(gamma=0.5, noise=stats.t(4)).fit(X, y)
        named = make(gamma=0.5, noise="student_t").fit(X, y)
        # The same density by two roads: only derivatives by differences differ.
        np.testing.assert_allclose(model.temperature_, named.temperature_, rtol=1e-4)
        np.testing.assert_allclose(model.coef_, named.coef_, rtol=0.02)
        np.testing.assert_allclose(model.epsilon_, named.epsilon_, atol=0.01)

    def test_without_intercept(self, contaminated):
        X, y, outlier, coef = contaminated(200, 2, 0.1)
        model = make(fit_intercept=False).fit(X, y - 0.5)
        assert model.intercept_ == 0
        np.testing.assert_array_equal(model.posterior_["intercept"], 0)
        np.testing.assert_allclose(model.coef_, coef, atol=0.3)
        np.testing.assert_allclose(model.predict(np.zeros((1, 2))), 0)
        assert average_precision_score(outlier, model.fod_scores_) > 0.95

    def test_without_standardising(self, contaminated):
        X, y, *_ = contaminated(200, 2, 0.15)
        model = make(standardize=False).fit(X, y)
        np.testing.assert_allclose(model.coef_, make().fit(X, y).coef_, rtol=0.05)

    def test_prior_scale_matters(self, contaminated):
        X, y, *_ = contaminated(60, 2, 0.0)
        assert np.linalg.norm(make(coef_prior_scale=0.05).fit(X, y).coef_) < 0.7 * np.linalg.norm(
            make().fit(X, y).coef_
        )

    def test_contamination_stays_below_its_bound(self, contaminated):
        X, y, *_ = contaminated(200, 2, 0.15)
        model = make(max_contamination=0.12).fit(X, y)
        assert np.all(model.epsilon_posterior_ <= 0.12)
        assert model.epsilon_interval_[1] > 0.11

    def test_alpha_prior_matters(self, contaminated):
        X, y, *_ = contaminated(60, 2, 0.15)
        strong = make(alpha_prior=(200.0, 2.0)).fit(X, y)
        assert strong.epsilon_ < make().fit(X, y).epsilon_ - 0.03

    def test_grid_search_in_a_pipeline(self, data):
        X, y, *_ = data
        pipeline = make_pipeline(StandardScaler(), make(inference="laplace", n_draws=100))
        grid = {"holderbayesregressor__gamma": [0.2, 0.5]}
        search = GridSearchCV(pipeline, grid, cv=2).fit(X, y)
        assert (
            search.best_estimator_[-1].gamma_ == search.best_params_["holderbayesregressor__gamma"]
        )

    def test_weights_are_routed(self, data):
        X, y, *_ = data
        weight = np.where(np.arange(200) < 30, 0.0, 1.0)
        with config_context(enable_metadata_routing=True):
            step = make(inference="laplace").set_fit_request(sample_weight=True)
            scaler = StandardScaler().set_fit_request(sample_weight=False)
            model = make_pipeline(scaler, step).fit(X, y, sample_weight=weight)
        # Without the outliers, which come first, nothing is left to find.
        assert model[-1].epsilon_ < 0.06

    def test_verbose_draws_a_bar(self, data, capsys):
        X, y, *_ = data
        make(verbose=1).fit(X, y)
        shown = capsys.readouterr()
        assert "sampling [" in shown.err
        assert "100%\n" in shown.err
        assert shown.out == ""

    def test_silent_by_default(self, data, capsys):
        X, y, *_ = data
        make().fit(X, y)
        assert capsys.readouterr() == ("", "")


class TestState:
    @pytest.mark.parametrize("kwargs", [{}, {"divergence": "kl"}, {"noise": "student_t"}])
    def test_pickle(self, data, kwargs):
        X, y, *_ = data
        model = make(**kwargs).fit(X, y)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))
        np.testing.assert_array_equal(copy.score_samples(X, y), model.score_samples(X, y))

    def test_pickle_with_scipy_noise(self, data):
        X, y, *_ = data
        model = make(gamma=0.5, noise=stats.logistic()).fit(X, y)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(copy.influence(X, y).risk, model.influence(X, y).risk)

    def test_clone_is_unfitted(self, data, fitted):
        copy = clone(fitted)
        assert copy.get_params() == fitted.get_params()
        with pytest.raises(NotFittedError):
            copy.predict(data[0])

    @pytest.mark.parametrize("before", [False, True], ids=["unfitted", "fitted"])
    def test_interrupt_leaves_things_as_they_were(self, data, monkeypatch, before):
        X, y, *_ = data
        model = make()
        if before:
            model.fit(X[:, :1], y)
        state = dict(vars(model))
        calls, log_mean = [], RowBlocks.log_mean

        def interrupted(self, *args):
            calls.append(1)
            if len(calls) > 20:
                raise KeyboardInterrupt
            return log_mean(self, *args)

        monkeypatch.setattr(RowBlocks, "log_mean", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
        assert vars(model).keys() == state.keys()
        assert all(vars(model)[name] is value for name, value in state.items())
        monkeypatch.undo()
        if before:
            assert model.predict(X[:, :1]).shape == (200,)
        else:
            with pytest.raises(NotFittedError):
                model.predict(X)

    def test_failed_validation_leaves_a_fit_alone(self, data):
        X, y, *_ = data
        model = make().fit(X, y)
        with pytest.raises(ValueError, match="NaN"):
            model.fit(np.full((10, 5), np.nan), np.zeros(10))
        assert model.n_features_in_ == 2
        assert model.predict(X).shape == (200,)


class TestFrames:
    def test_pandas(self, data):
        pd = pytest.importorskip("pandas")
        X, y, *_ = data
        index = [f"row{i}" for i in range(200)]
        frame = pd.DataFrame(X, columns=["age", "dose"], index=index)
        model = make().fit(frame, pd.Series(y, index=index))
        assert list(model.feature_names_in_) == ["age", "dose"]
        assert "coef[dose]" in model.diagnostics_.r_hat
        table = model.audit().to_frame()
        assert set(table.index) == set(index)
        worst = table.iloc[0]
        assert table.index[0] == index[int(worst["row"])]
        assert worst["fod"] == model.fod_scores_.max()
        np.testing.assert_array_equal(model.predict(frame), make().fit(X, y).predict(X))
        with pytest.raises(ValueError, match="feature names"):
            model.predict(frame[["dose", "age"]])

    def test_polars(self, data):
        pl = pytest.importorskip("polars")
        pytest.importorskip("pandas")
        X, y, *_ = data
        frame = pl.DataFrame(X, schema=["age", "dose"])
        model = make().fit(frame, pl.Series("y", y))
        assert list(model.feature_names_in_) == ["age", "dose"]
        np.testing.assert_array_equal(model.predict(frame), make().fit(X, y).predict(X))
        assert len(model.audit().to_frame()) == 200

    def test_lists(self, data):
        pytest.importorskip("pandas")
        X, y, *_ = data
        model = make().fit(X.tolist(), y.tolist())
        np.testing.assert_array_equal(
            model.audit().to_frame()["row"], make().fit(X, y).audit().to_frame()["row"]
        )


def test_several_modes_ask_for_a_larger_power(contaminated):
    # At the power of the smallest criterion a wide fit of all rows is a second mode.
    X, y, *_ = contaminated(160, 2, 0.15)
    model = HolderBayesRegressor(n_draws=1000, random_state=0).fit(X, y)
    path = model.gamma_path_
    assert path.chosen == np.argmin(path.criterion) + 1
    assert model.gamma_ == path.best
    assert model.diagnostics_.mode_share > 0.99
