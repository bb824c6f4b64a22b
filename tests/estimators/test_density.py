import pickle
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import average_precision_score

from skholder import HolderBayesDensity
from skholder.estimators.density import efficient_gamma
from skholder.exceptions import ConvergenceWarning, IdentifiabilityWarning, VacuousPosteriorWarning
from skholder.models import NormalRadial, StudentTRadial

# 400 draws are enough for a test but not for the sampler's own standards.
pytestmark = pytest.mark.filterwarnings("ignore::skholder.exceptions.ConvergenceWarning")

MODELS = ("normal", "student_t", "laplace", "exponential", "gamma", "lognormal", "poisson")
N, N_OUT = 400, 40


def quick(**kwargs):
    return HolderBayesDensity(**{"n_draws": 400, "random_state": 0, **kwargs})


def sample_of(model, seed=0):
    """Rows (400, 2) of a family, the first forty moved far away."""
    rng = np.random.default_rng(seed)
    make = {
        "normal": lambda: rng.normal(2, 3, size=(N, 2)),
        "student_t": lambda: 5 + rng.standard_t(4, size=(N, 2)),
        "laplace": lambda: rng.laplace(-1, 2, size=(N, 2)),
        "exponential": lambda: rng.exponential(20, size=(N, 2)),
        "gamma": lambda: rng.gamma(5, 2, size=(N, 2)),
        "lognormal": lambda: rng.lognormal(1, 0.5, size=(N, 2)),
        "poisson": lambda: rng.poisson(8, size=(N, 2)).astype(float),
    }
    X = make[model]()
    X[:N_OUT] = np.rint(4 * np.max(X)) + rng.integers(0, 9, size=(N_OUT, 2))
    return X


@pytest.fixture(scope="module")
def X():
    """Correlated normal rows around (3, -2), the first forty of four hundred outliers."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 2)) @ np.array([[1.0, 0.5], [0.0, 0.8]]) + [3, -2]
    X[:N_OUT] = rng.normal([10, 6], 1, size=(N_OUT, 2))
    return X


@pytest.fixture(scope="module")
def fits(X):
    """Fits of X by covariance type."""
    return {kind: quick(covariance_type=kind).fit(X) for kind in ("full", "diag")}


@pytest.fixture(scope="module")
def fitted(fits):
    return fits["full"]


@cache
def family_fit(model):
    """The fit of a family to its own sample, shared by the tests that only look at it."""
    return quick(model=model).fit(sample_of(model))


each_type = pytest.mark.parametrize("covariance_type", ["full", "diag"])


class TestFamilies:
    @pytest.mark.parametrize("model", MODELS)
    def test_share_of_outliers(self, model):
        found = family_fit(model)
        assert abs(found.epsilon_ - 0.1) < 0.035
        low, high = found.epsilon_interval_
        assert low < 0.1 < high
        # The outliers are the rows that come first in any ranking.
        outlier = np.arange(N) < N_OUT
        assert found.fod_scores_[outlier].min() >= found.fod_scores_[~outlier].max()
        assert found.log_density_[outlier].max() < found.log_density_[~outlier].min()

    @pytest.mark.parametrize(
        ("model", "expected"),
        [
            ("laplace", {"location": -1, "scale": 2}),
            ("exponential", {"scale": 20}),
            ("gamma", {"shape": 5, "scale": 2}),
            ("lognormal", {"mean_of_log": 1, "sd_of_log": 0.5}),
            ("poisson", {"rate": 8}),
        ],
    )
    def test_parameters_in_the_users_units(self, model, expected):
        found = family_fit(model)
        assert set(found.posterior_) == {*expected, "alpha"}
        for name, value in expected.items():
            draws = found.posterior_[name]
            assert draws.shape == (400, 2)
            mean = getattr(found, f"{name}_")
            np.testing.assert_allclose(mean, draws.mean(axis=0))
            assert np.all(np.abs(mean - value) < 4 * draws.std(axis=0) + 1e-12)

    @each_type
    def test_location_and_covariance(self, X, fits, covariance_type):
        found = fits[covariance_type]
        clean = X[N_OUT:]
        assert found.posterior_["location"].shape == (400, 2)
        assert found.posterior_["covariance"].shape == (400, 2, 2)
        np.testing.assert_allclose(found.location_, clean.mean(axis=0), atol=0.12)
        expected = np.cov(clean, rowvar=False)
        if covariance_type == "diag":
            expected = np.diag(np.diag(expected))
        np.testing.assert_allclose(found.covariance_, expected, atol=0.15)

    @pytest.mark.parametrize(
        ("model", "value", "message"),
        [
            ("gamma", -1.0, "model='gamma' needs positive values"),
            ("lognormal", 0.0, "model='lognormal' needs positive values"),
            ("exponential", -0.1, "model='exponential' needs non-negative values"),
            ("poisson", 1.5, "model='poisson' needs counts"),
        ],
    )
    def test_values_outside_the_support(self, model, value, message):
        X = np.ones((20, 2))
        X[3, 1] = value
        with pytest.raises(ValueError, match=message):
            quick(model=model).fit(X)

    def test_model_objects(self, X, fitted):
        same = quick(model=NormalRadial()).fit(X)
        np.testing.assert_array_equal(same.epsilon_posterior_, fitted.epsilon_posterior_)
        wide = quick(model=StudentTRadial(1e6)).fit(X)
        assert abs(wide.epsilon_ - fitted.epsilon_) < 0.01

    @pytest.mark.parametrize("shape", [0.7, 1.0])
    def test_gamma_columns_that_start_at_their_mode(self, shape):
        # Where the shape is small the power of the density may have no integral at all.
        X = np.random.default_rng(0).gamma(shape, 2, size=(300, 2))
        found = quick(model="gamma").fit(X)
        np.testing.assert_allclose(found.shape_, shape, rtol=0.25)


class TestDensity:
    @pytest.mark.parametrize(
        ("model", "unit"),
        [("normal", 1), ("normal", 100), ("student_t", 100), ("laplace", 100), ("gamma", 100)],
    )
    def test_integrates_to_one(self, model, unit):
        X = unit * sample_of(model)[:, :1]
        found = quick(model=model, gamma=0.3).fit(X)
        # Nodes on both sides of the centre, dense there and far out in the tails.
        middle, spread = np.median(X), np.subtract(*np.quantile(X, [0.75, 0.25]))
        t, step = np.linspace(-9, 9, 3001, retstep=True)
        x = middle + spread * np.sinh(t)
        if model == "gamma":
            t, step = np.linspace(-12, 8, 3001, retstep=True)
            x = middle * np.exp(t)
        jacobian = x if model == "gamma" else spread * np.cosh(t)
        mass = step * np.sum(jacobian * np.exp(found.score_samples(x[:, None])))
        np.testing.assert_allclose(mass, 1, atol=2e-3)

    def test_counts_sum_to_one(self):
        found = quick(model="poisson").fit(sample_of("poisson")[:, :1])
        counts = np.arange(200.0)[:, None]
        np.testing.assert_allclose(np.exp(found.score_samples(counts)).sum(), 1, atol=1e-8)

    @each_type
    def test_is_the_mean_over_draws(self, X, covariance_type):
        found = quick(covariance_type=covariance_type, n_draws=40).fit(X)
        location, covariance = found.posterior_["location"], found.posterior_["covariance"]
        each = [
            multivariate_normal.logpdf(X, m, v) for m, v in zip(location, covariance, strict=True)
        ]
        expected = np.log(np.mean(np.exp(each), axis=0))
        near = expected > -300
        np.testing.assert_allclose(found.score_samples(X)[near], expected[near], rtol=1e-6)
        np.testing.assert_allclose(found.log_density_, np.mean(each, axis=0), rtol=1e-6)

    def test_score_is_the_mean(self, X, fitted):
        np.testing.assert_allclose(fitted.score(X), fitted.score_samples(X).mean())

    def test_draws_have_the_moments_of_the_fit(self, fitted):
        draws = fitted.sample(20_000, random_state=1)
        np.testing.assert_allclose(draws.mean(axis=0), fitted.location_, atol=0.04)
        np.testing.assert_allclose(np.cov(draws, rowvar=False), fitted.covariance_, atol=0.06)
        np.testing.assert_array_equal(draws, fitted.sample(20_000, random_state=1))
        assert fitted.sample().shape == (1, 2)

    @pytest.mark.parametrize("n_samples", [None, -1, 2.5])
    def test_number_of_draws_that_cannot_be(self, fitted, n_samples):
        with pytest.raises(ValueError, match="n_samples must be a whole number, 0 or more, got"):
            fitted.sample(n_samples)

    @pytest.mark.parametrize("model", ["laplace", "exponential", "gamma", "lognormal", "poisson"])
    def test_draws_of_other_families(self, model):
        X = sample_of(model)
        draws = family_fit(model).sample(4000, random_state=0)
        clean = X[N_OUT:]
        np.testing.assert_allclose(draws.mean(axis=0), clean.mean(axis=0), atol=0.2 * clean.std())
        correlation = np.corrcoef(draws, rowvar=False)[0, 1]
        assert abs(correlation) < 0.1


class TestDetector:
    def test_signs(self, X, fitted):
        label, decision = fitted.predict(X), fitted.decision_function(X)
        assert set(label) == {-1, 1}
        np.testing.assert_array_equal(label == -1, decision < 0)
        np.testing.assert_allclose(decision, fitted.score_samples(X) - fitted.offset_)

    @pytest.mark.parametrize("rule", ["mean", "median", "lower", "upper"])
    def test_count_follows_the_rule(self, X, rule):
        found = quick(rule=rule).fit(X)
        counts = found.outlier_count_posterior_
        expected = {
            "mean": np.rint(np.mean(counts)),
            "median": np.rint(np.median(counts)),
            "lower": np.rint(np.quantile(counts, 0.025)),
            "upper": np.rint(np.quantile(counts, 0.975)),
        }[rule]
        flagged = found.predict(X) == -1
        assert flagged.sum() == expected == found.audit(rule=rule).count
        # Those flagged are the rows of lowest score.
        scores = found.score_samples(X)
        assert scores[flagged].max() < scores[~flagged].min()

    @pytest.mark.parametrize("contamination", [0.05, 0.1234, 0.5])
    def test_contamination_flags_that_share(self, X, fitted, contamination):
        found = quick(contamination=contamination).fit(X)
        assert np.sum(found.predict(X) == -1) == round(contamination * N)
        # The posterior is what it was.
        np.testing.assert_array_equal(found.epsilon_posterior_, fitted.epsilon_posterior_)

    @pytest.mark.parametrize("model", MODELS[1:-1])
    def test_count_of_other_families(self, model):
        found = family_fit(model)
        flagged = np.sum(found.predict(sample_of(model)) == -1)
        assert flagged == found.audit().count

    def test_weighted_share(self, X):
        weight = np.where(np.arange(N) % 2, 3.0, 1.0)
        found = quick(contamination=0.1).fit(X, sample_weight=weight)
        flagged = weight[found.predict(X) == -1].sum()
        assert abs(flagged - 0.1 * weight.sum()) <= 3

    def test_no_outliers_in_clean_data(self):
        X = np.random.default_rng(0).normal(size=(500, 2))
        found = quick(rule="lower").fit(X)
        assert found.epsilon_interval_[0] < 0.01
        assert np.mean(found.predict(X) == -1) < 0.01

    def test_fit_predict(self, X, fitted):
        np.testing.assert_array_equal(quick().fit_predict(X), fitted.predict(X))

    def test_far_rows_are_outliers(self, fitted):
        new = np.array([[3.0, -2.0], [1e3, -1e3], [1e8, 1e8], [-1e150, 0.0]])
        assert list(fitted.predict(new)) == [1, -1, -1, -1]


class TestAudit:
    def test_training_rows_as_new_rows(self, X, fitted):
        np.testing.assert_allclose(fitted.fod(X), fitted.fod_scores_, atol=1e-12)

    @pytest.mark.parametrize("size", [5.0, 1e9])
    @pytest.mark.parametrize("model", ["normal", "student_t", "gamma"])
    def test_scores_are_counted_row_by_row(self, model, size):
        # Against ranking every row in every draw; the package looks at few of them.
        rng = np.random.default_rng(2)
        X = rng.gamma(9, 1, size=(150, 3))
        X[:15] += size
        found = quick(model=model, n_draws=100).fit(X)
        fit = found.record_
        log_density = fit.model.log_density(fit.theta, fit.units.apply(X))
        rank = np.argsort(np.argsort(log_density, axis=0, kind="stable"), axis=0)
        expected = np.mean(rank < found.outlier_count_posterior_, axis=1)
        np.testing.assert_allclose(found.fod_scores_, expected, atol=1e-12)

    def test_scores_add_up_to_the_mean_count(self, fitted):
        total = fitted.fod_scores_.sum()
        np.testing.assert_allclose(total, fitted.outlier_count_posterior_.mean())

    def test_counts_of_the_holder_conditional(self, X):
        found = quick(count="holder").fit(X)
        expected = np.rint(N * found.epsilon_posterior_)
        np.testing.assert_array_equal(found.outlier_count_posterior_, expected)
        assert np.isnan(found.clean_probability_)

    def test_new_rows(self, fitted):
        centre, outlier, far = fitted.fod(np.array([[3.0, -2.0], [10.0, 6.0], [1e6, 1e6]]))
        assert centre == 0
        assert 0.5 < outlier <= far
        # Beyond every training row: flagged whenever anything is.
        assert far == np.mean(fitted.outlier_count_posterior_ > 0)

    def test_flagged_rows(self, fitted):
        audit = fitted.audit()
        assert audit.mask.sum() == audit.count == len(audit.indices)
        assert audit.mask[:N_OUT].mean() > 0.85
        assert audit.mask[N_OUT:].mean() < 0.02
        assert fitted.audit(rule="lower").count <= audit.count <= fitted.audit(rule="upper").count
        assert fitted.audit(rule="certain").count <= fitted.audit(rule="fdr").count
        by_density = fitted.audit(rank="log_density")
        np.testing.assert_array_equal(by_density.order, np.argsort(fitted.log_density_))

    def test_row_labels_of_a_data_frame(self, X):
        frame = pd.DataFrame(X, columns=["a", "b"], index=[f"row {i}" for i in range(N)])
        found = quick().fit(frame)
        table = found.audit().to_frame()
        assert len(table) == N
        worst = table.index[0]
        assert int(worst.split()[1]) < N_OUT
        np.testing.assert_allclose(table["fod"].to_numpy(), found.fod_scores_[table["row"]])
        assert list(table.index) == [f"row {i}" for i in table["row"]]
        np.testing.assert_array_equal(found.feature_names_in_, ["a", "b"])


class TestInfluence:
    def test_is_bounded(self, fitted):
        far = np.array([[1e2, 1e2], [1e4, -1e4], [1e8, 1e8]])
        found = fitted.influence(far)
        # However far the row, its pull is the same.
        np.testing.assert_allclose(found.risk, found.risk[0], rtol=1e-10)
        for name in ("location", "covariance", "alpha"):
            values = found.parameters[name]
            assert values.shape == (3, *fitted.posterior_[name].shape[1:])
            np.testing.assert_allclose(values, values[:1].repeat(3, axis=0), rtol=1e-9)

    def test_signs(self, fitted):
        centre, outlier = fitted.location_, fitted.location_ + 50
        found = fitted.influence(np.array([centre, outlier]))
        # A row at the centre lowers the risk; one far out raises it, and the share of outliers.
        assert found.risk[0] < 0 < found.risk[1]
        assert found.parameters["alpha"][1] < found.parameters["alpha"][0]

    def test_predicts_the_effect_of_a_row(self, X):
        # One more row near the edge moves the location as the influence says.
        row = np.array([[4.5, -2.0]])
        settings = {"n_draws": 4000, "temperature": 1.5, "gamma": 0.5, "random_state": 0}
        base = HolderBayesDensity(covariance_type="diag", **settings).fit(X)
        more = 12
        moved = HolderBayesDensity(covariance_type="diag", **settings).fit(
            np.vstack([X, np.repeat(row, more, axis=0)])
        )
        predicted = base.influence(row).parameters["location"][0] * more / N
        found = moved.location_ - base.location_
        assert predicted[0] > 0.01
        np.testing.assert_allclose(found[0], predicted[0], rtol=0.35)


def test_to_arviz(fitted):
    pytest.importorskip("arviz")
    posterior = fitted.to_arviz()["posterior"]
    assert posterior["location"].shape == (4, 100, 2)
    assert posterior["covariance"].shape == (4, 100, 2, 2)
    chains = fitted.epsilon_posterior_.reshape(4, 100)
    np.testing.assert_array_equal(1 - posterior["alpha"].to_numpy(), chains)


def test_to_arviz_of_fewer_draws_than_chains():
    pytest.importorskip("arviz")
    model = HolderBayesDensity(0.5, n_draws=8, random_state=0)
    with pytest.warns(ConvergenceWarning):
        model.fit(sample_of("normal"))
    posterior = model.to_arviz()["posterior"]
    assert posterior["location"].shape == (4, 2, 2)
    chains = model.posterior_["location"].reshape(4, 2, 2)
    np.testing.assert_array_equal(posterior["location"].to_numpy(), chains)


def test_a_fit_leaves_nothing_of_another_models():
    X = sample_of("normal")
    model = quick(inference="laplace").fit(X)
    model.set_params(model="laplace").fit(X)
    assert not hasattr(model, "covariance_")
    assert vars(model).keys() == vars(quick(inference="laplace", model="laplace").fit(X)).keys()


@pytest.mark.parametrize("inference", ["laplace", "mcmc"])
@pytest.mark.parametrize(
    "extreme",
    [
        {"gamma": 1e-12},
        {"gamma": 50},
        {"temperature": 1e-12},
        {"temperature": 1e30},
        {"location_prior_scale": 1e-50},
        {"location_prior_scale": 1e12},
        {"log_scale_prior_scale": 1e-12},
        {"divergence": "expsat", "kappa": 100},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning")
@pytest.mark.filterwarnings("ignore::skholder.exceptions.ConvergenceWarning")
def test_ends_of_parameter_ranges(extreme, inference):
    model = quick(**{"inference": inference, **extreme}).fit(sample_of("normal"))
    assert all(np.all(np.isfinite(draws)) for draws in model.posterior_.values())


def test_powers_beyond_the_floats_are_refused():
    X = np.random.default_rng(0).normal(size=(60, 10))
    with pytest.raises(ValueError, match=r"gamma=41 is too large .* 10 columns.* 400 / 10 = 40"):
        HolderBayesDensity(41).fit(X)


class TestLaws:
    @pytest.mark.parametrize("model", ["normal", "student_t", "laplace", "gamma"])
    def test_weights_are_repeats(self, model):
        X = np.abs(sample_of(model)) + 0.1
        repeats = np.random.default_rng(0).integers(0, 4, size=N)
        weighted = quick(model=model).fit(X, sample_weight=repeats)
        written = quick(model=model).fit(np.repeat(X, repeats, axis=0))
        np.testing.assert_array_equal(weighted.epsilon_posterior_, written.epsilon_posterior_)
        np.testing.assert_array_equal(weighted.score_samples(X), written.score_samples(X))
        owner = np.repeat(np.arange(N), repeats)
        np.testing.assert_array_equal(weighted.log_density_[owner], written.log_density_)
        assert weighted.offset_ == written.offset_
        np.testing.assert_allclose(
            weighted.fod_scores_ @ repeats, written.fod_scores_.sum(), rtol=1e-9
        )

    @each_type
    def test_permuted_rows_permute_the_scores(self, X, fits, covariance_type):
        order = np.random.default_rng(0).permutation(N)
        one = fits[covariance_type]
        two = quick(covariance_type=covariance_type).fit(X[order])
        np.testing.assert_array_equal(two.epsilon_posterior_, one.epsilon_posterior_)
        np.testing.assert_array_equal(two.fod_scores_, one.fod_scores_[order])

    @pytest.mark.parametrize("model", ["normal", "poisson"])
    def test_threads_change_nothing(self, model):
        X = sample_of(model)
        one, two = family_fit(model), quick(model=model, n_jobs=2).fit(X)
        np.testing.assert_array_equal(two.epsilon_posterior_, one.epsilon_posterior_)
        np.testing.assert_array_equal(two.fod_scores_, one.fod_scores_)
        np.testing.assert_array_equal(two.score_samples(X), one.score_samples(X))

    def test_global_random_state_is_left_alone(self, X):
        before = np.random.get_state()[1].copy()
        quick(random_state=None).fit(X).sample(3)
        np.testing.assert_array_equal(np.random.get_state()[1], before)

    @each_type
    def test_changes_of_units_do_nothing(self, X, fits, covariance_type):
        scale, shift = np.array([1e-3, 250.0]), np.array([5.0, -1e4])
        one = fits[covariance_type]
        two = quick(covariance_type=covariance_type).fit(X * scale + shift)
        np.testing.assert_allclose(two.epsilon_posterior_, one.epsilon_posterior_, atol=1e-8)
        np.testing.assert_allclose(two.fod_scores_, one.fod_scores_, atol=1e-12)
        np.testing.assert_allclose(two.location_, one.location_ * scale + shift, rtol=1e-7)
        np.testing.assert_allclose(two.covariance_ / np.outer(scale, scale), one.covariance_)
        volume = np.log(scale).sum()
        np.testing.assert_allclose(
            two.score_samples(X * scale + shift), one.score_samples(X) - volume
        )

    def test_any_affine_change_agrees_to_monte_carlo_error(self, X):
        matrix, shift = np.array([[2.0, -1.5], [0.3, 0.1]]), np.array([100.0, 0.0])
        one = quick(n_draws=4000).fit(X)
        two = quick(n_draws=4000, random_state=1).fit(X @ matrix + shift)
        sd = np.std(one.epsilon_posterior_)
        error = sd * np.sqrt(2 / min(one.diagnostics_.ess_bulk["epsilon"], 4000))
        assert abs(two.epsilon_ - one.epsilon_) < 4 * error
        np.testing.assert_allclose(two.fod_scores_, one.fod_scores_, atol=0.05)
        np.testing.assert_allclose(two.temperature_, one.temperature_, rtol=1e-6)
        location, covariance = one.location_ @ matrix + shift, matrix.T @ one.covariance_ @ matrix
        width = np.sqrt(np.diag(covariance))
        assert np.all(np.abs(two.location_ - location) < 0.01 * width)
        difference = (two.covariance_ - covariance) / np.outer(width, width)
        np.testing.assert_allclose(difference, 0, atol=0.02)

    def test_pickle_and_clone(self, X, fitted):
        again = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
        np.testing.assert_array_equal(again.covariance_, fitted.covariance_)
        fresh = clone(fitted)
        assert fresh.get_params() == fitted.get_params()
        with pytest.raises(NotFittedError):
            fresh.predict(X)


class TestGammaAndTemperature:
    @pytest.mark.parametrize(("k", "expected"), [(2, 0.48), (10, 0.24), (20, 0.165)])
    def test_efficiency(self, k, expected):
        gamma = efficient_gamma(k)
        assert abs(gamma - expected) < 0.005
        efficiency = ((1 + 2 * gamma) / (1 + gamma) ** 2) ** (k / 2 + 1)
        np.testing.assert_allclose(efficiency, 0.8)

    def test_efficiency_counts_the_columns_modelled(self, X, fitted):
        assert quick(gamma="efficiency").fit(X).gamma_ == efficient_gamma(2)
        constant = np.column_stack([X, np.ones(N)])
        with pytest.warns(IdentifiabilityWarning):
            assert quick(gamma="efficiency").fit(constant).gamma_ == efficient_gamma(2)
        assert quick(gamma=0.7).fit(X).gamma_ == 0.7

    def test_calibrated_is_the_stated_rule(self, X):
        # At the minimiser of the risk; with this much data the best mode is close to it.
        found = quick(gamma=0.5).fit(X)
        mode = found.modes_[0].parameters
        covariance = np.cov(X, rowvar=False, ddof=0)
        relative = np.linalg.det(mode["covariance"]) / np.linalg.det(covariance)
        constant = (2 * np.pi) ** 0.5 * 2**2 / (0.5 * 1.5**3)
        expected = constant * relative**0.25 / 0.9**0.5
        np.testing.assert_allclose(found.temperature_, expected, rtol=0.05)

    def test_standard_bayes_is_the_limit(self):
        X = np.random.default_rng(0).normal(size=(200, 2))
        tiny = quick(gamma=1e-4, n_draws=4000, max_contamination=1e-6).fit(X)
        plain = quick(divergence="kl", n_draws=4000).fit(X)
        np.testing.assert_allclose(tiny.temperature_, 1e4, rtol=1e-2)
        sd = plain.posterior_["location"].std(axis=0)
        assert np.all(np.abs(tiny.location_ - plain.location_) < 0.1 * sd)
        np.testing.assert_allclose(tiny.posterior_["location"].std(axis=0), sd, rtol=0.06)

    def test_other_rules(self, X):
        assert quick(temperature=2.5).fit(X).temperature_ == 2.5
        # On whitened rows the sample covariance is the unit matrix.
        np.testing.assert_allclose(quick(temperature="covdet").fit(X).temperature_, 1)
        raw = quick(temperature="covdet", standardize=False, gamma=0.4).fit(X)
        expected = np.linalg.det(np.cov(X, rowvar=False, ddof=0)) ** 0.2
        np.testing.assert_allclose(raw.temperature_, expected)


class TestWithoutEpsilon:
    @pytest.mark.parametrize("divergence", ["gamma", "kl"])
    def test_says_what_to_do(self, X, divergence):
        found = quick(divergence=divergence).fit(X)
        message = "does not infer the inlier share alpha. Use divergence='dpd'"
        for name in ("epsilon_", "epsilon_posterior_", "fod_scores_", "outlier_count_posterior_"):
            with pytest.raises(AttributeError, match=message):
                getattr(found, name)
        for name in ("predict", "decision_function", "fod"):
            with pytest.raises(AttributeError, match=message):
                getattr(found, name)(X)
        with pytest.raises(AttributeError, match=message):
            found.audit()
        assert "alpha" not in found.posterior_
        assert np.all(np.isfinite(found.score_samples(X)))

    @pytest.mark.parametrize("divergence", ["gamma", "kl"])
    def test_a_given_share_needs_no_epsilon(self, X, divergence):
        found = quick(divergence=divergence, contamination=0.1)
        flagged = found.fit_predict(X) == -1
        assert flagged.sum() == N_OUT
        if divergence == "gamma":
            assert flagged[:N_OUT].all()

    @pytest.mark.parametrize("divergence", ["expsat", "ratsat"])
    def test_saturated_families_have_one(self, X, divergence):
        assert abs(quick(divergence=divergence).fit(X).epsilon_ - 0.1) < 0.03


class TestLaplace:
    def test_is_close_to_sampling(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(2000, 2)) @ np.array([[1.0, 0.5], [0.0, 0.8]])
        X[:200] += 9
        exact = quick(n_draws=4000).fit(X)
        rough = quick(n_draws=4000, inference="laplace").fit(X)
        sd = exact.posterior_["location"].std(axis=0)
        assert np.all(np.abs(rough.location_ - exact.location_) < 0.15 * sd)
        np.testing.assert_allclose(rough.posterior_["location"].std(axis=0), sd, rtol=0.06)
        np.testing.assert_allclose(rough.covariance_, exact.covariance_, rtol=0.02, atol=0.01)
        assert abs(rough.epsilon_ - exact.epsilon_) < 0.15 * exact.epsilon_posterior_.std()
        np.testing.assert_allclose(
            rough.epsilon_posterior_.std(), exact.epsilon_posterior_.std(), rtol=0.06
        )
        assert rough.diagnostics_.r_hat == {}

    def test_exports_one_chain(self, X):
        pytest.importorskip("arviz")
        posterior = quick(inference="laplace").fit(X).to_arviz()["posterior"]
        assert posterior["location"].shape == (1, 400, 2)


class TestOddInput:
    @pytest.mark.parametrize(
        ("model", "covariance_type"),
        [("normal", "full"), ("normal", "diag"), ("student_t", "full"), ("laplace", "full")],
    )
    def test_constant_column(self, X, model, covariance_type):
        wide = np.insert(X, 1, 4.2, axis=1)
        with pytest.warns(IdentifiabilityWarning, match="1 of the 3 directions"):
            found = quick(model=model, covariance_type=covariance_type).fit(wide)
        alone = quick(model=model, covariance_type=covariance_type).fit(X)
        np.testing.assert_allclose(found.epsilon_, alone.epsilon_, rtol=1e-9)
        np.testing.assert_allclose(found.score_samples(wide), alone.score_samples(X))
        np.testing.assert_allclose(found.sample(5, random_state=0)[:, 1], 4.2)
        if model == "normal":
            np.testing.assert_allclose(found.location_[1], 4.2)
            np.testing.assert_allclose(found.covariance_[1], 0, atol=1e-12)

    @pytest.mark.parametrize("model", ["exponential", "gamma", "lognormal"])
    def test_constant_positive_column(self, model):
        wide = np.insert(sample_of(model), 1, 4.2, axis=1)
        with pytest.warns(IdentifiabilityWarning, match="1 of the 3 directions"):
            found = quick(model=model).fit(wide)
        assert abs(found.epsilon_ - 0.1) < 0.035

    def test_constant_counts_are_counts(self):
        wide = np.insert(sample_of("poisson"), 1, 0.0, axis=1)
        found = quick(model="poisson").fit(wide)
        np.testing.assert_allclose(found.rate_[[0, 2]], 8, rtol=0.1)
        assert found.rate_[1] < 0.1

    def test_collinear_columns(self, X):
        wide = np.column_stack([X, X[:, 0] - 2 * X[:, 1]])
        with pytest.warns(IdentifiabilityWarning, match="1 of the 3 directions"):
            found = quick().fit(wide)
        assert np.all(np.isfinite(found.score_samples(wide)))
        np.testing.assert_allclose(found.location_[2], found.location_ @ [1, -2, 0], rtol=1e-6)
        assert np.linalg.matrix_rank(found.covariance_, tol=1e-6) == 2
        assert abs(found.epsilon_ - 0.1) < 0.03

    @each_type
    @pytest.mark.parametrize("model", [name for name in MODELS if name != "poisson"])
    def test_all_constant(self, model, covariance_type):
        with pytest.raises(ValueError, match="Every column of X is constant"):
            quick(model=model, covariance_type=covariance_type).fit(np.full((30, 2), 3.0))

    @pytest.mark.parametrize("count", [3.0, 1000.0])
    def test_all_counts_the_same(self, count):
        # A count has a distribution even so: its mean is its variance.
        found = quick(model="poisson").fit(np.full((30, 2), count))
        np.testing.assert_allclose(found.rate_, count, rtol=0.1)
        sd = found.posterior_["rate"].std(axis=0)
        np.testing.assert_allclose(sd, np.sqrt(count / 30), rtol=0.5)

    def test_too_many_columns(self):
        X = np.random.default_rng(0).normal(size=(60, 25))
        with pytest.raises(ValueError, match=r"'spectral'.*'laplace'"):
            quick(covariance_type="full").fit(X)
        wide = quick(covariance_type="full", inference="laplace")
        with pytest.raises(ValueError, match="'spectral'"):
            wide.fit(np.random.default_rng(0).normal(size=(99, 41)))
        with pytest.raises(ValueError, match="1001 columns are too many"):
            quick().fit(np.random.default_rng(0).normal(size=(9, 1001)))
        with pytest.raises(ValueError, match="'laplace'"):
            quick(covariance_type="diag").fit(np.random.default_rng(0).normal(size=(9, 201)))

    @each_type
    @pytest.mark.parametrize(
        ("size", "kind"), [(1e6, "cloud"), (1e9, "cloud"), (1e6, "point"), (1e9, "line")]
    )
    def test_gross_outliers(self, X, covariance_type, size, kind):
        rng = np.random.default_rng(1)
        dirty = X.copy()
        dirty[:N_OUT] = {
            "cloud": size * rng.normal(size=(N_OUT, 2)),
            "point": [size, 0.0],
            "line": size + rng.normal(size=(N_OUT, 2)),
        }[kind]
        found = quick(covariance_type=covariance_type).fit(dirty)
        clean = X[N_OUT:]
        np.testing.assert_allclose(found.location_, clean.mean(axis=0), atol=0.12)
        expected = np.cov(clean, rowvar=False)
        if covariance_type == "diag":
            expected = np.diag(np.diag(expected))
        np.testing.assert_allclose(found.covariance_, expected, atol=0.15)
        assert abs(found.epsilon_ - 0.1) < 0.03

    @pytest.mark.parametrize("order", [[0, 1, 2, 3], [0, 3, 1, 2]])
    def test_levels_of_a_category_are_no_outliers(self, order):
        # Most rows share the zeros of a column of zeros and ones: the tightest half is a tie.
        rng = np.random.default_rng(0)
        a, level = rng.normal(size=200), rng.choice(3, 200, p=[0.31, 0.315, 0.375])
        y = a + rng.normal(size=200) + 10.0 * (np.arange(200) < 20)
        X = np.column_stack([a, level == 1, level == 2, y]).astype(float)[:, order]
        model = HolderBayesDensity(random_state=0).fit(X)
        assert np.sum(model.audit().mask[:20]) >= 15
        assert np.sum(model.audit().mask[20:]) == 0
        assert np.min(np.sqrt(np.diag(model.covariance_))) > 0.4

    @pytest.mark.parametrize("typo", [1e60, 1e150, 1e250])
    @pytest.mark.parametrize("kind", ["full", "diag"])
    def test_one_wild_value(self, kind, typo):
        X = np.random.default_rng(0).normal(size=(200, 3))
        X[7, 1] = typo
        model = quick(covariance_type=kind).fit(X)
        assert np.all(np.isfinite(model.log_density_))
        assert np.argmin(model.log_density_) == np.argmax(model.fod_scores_) == 7
        assert np.max(np.abs(model.location_)) < 0.5

    @pytest.mark.parametrize("size", [1e-150, 1e150, [1e-150, 1e150]])
    @each_type
    def test_numbers_of_any_size(self, X, fits, covariance_type, size):
        one = fits[covariance_type]
        two = quick(covariance_type=covariance_type).fit(X * size)
        np.testing.assert_allclose(two.epsilon_, one.epsilon_, rtol=1e-6)
        np.testing.assert_allclose(two.location_ / size, one.location_, rtol=1e-6)
        assert np.all(np.isfinite(two.score_samples(X * size)))

    def test_a_few_rows(self):
        # Little can be learnt from them, but there is a fit.
        X = np.random.default_rng(0).normal(size=(4, 2))
        with pytest.warns(VacuousPosteriorWarning, match="try a smaller gamma"):
            found = quick(gamma=0.5).fit(X)
        assert 0 <= found.epsilon_ <= 0.5
        assert np.all(np.isfinite(found.score_samples(X)))

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"gamma": 0.0}, "'gamma' parameter"),
            ({"gamma": "best"}, "'gamma' parameter"),
            ({"covariance_type": "tied"}, "'covariance_type' parameter"),
            ({"contamination": 0.6}, "'contamination' parameter"),
            ({"rule": "mode"}, "'rule' parameter"),
            ({"temperature": "joint-covdet"}, "'temperature' parameter"),
            ({"location_prior_scale": 0.0}, "'location_prior_scale' parameter"),
            ({"n_draws": 401}, "must be a multiple of n_ensembles"),
        ],
    )
    def test_parameters_out_of_range(self, X, parameters, message):
        with pytest.raises(ValueError, match=message):
            quick(**parameters).fit(X)

    def test_failed_fit_leaves_the_last_one(self, X):
        found = quick().fit(X)
        before = found.score_samples(X)
        with pytest.raises(ValueError, match="constant"):
            found.fit(np.ones((30, 2)))
        np.testing.assert_array_equal(found.score_samples(X), before)


# The size the design was made for: the sampler must meet its own standards here.
@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_twenty_correlated_columns():
    rng = np.random.default_rng(0)
    k, n, n_out = 20, 2000, 200
    covariance = 0.6 ** np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    X = rng.normal(size=(n, k)) @ np.linalg.cholesky(covariance).T
    outlier = np.arange(n) < n_out
    X[outlier] = rng.normal(5, 1, size=(n_out, k))
    found = HolderBayesDensity(random_state=0).fit(X)
    assert abs(found.epsilon_ - 0.1) <= 0.02
    assert average_precision_score(outlier, found.fod_scores_) >= 0.98
    clean_error = np.linalg.norm(np.cov(X[~outlier], rowvar=False) - covariance)
    assert np.linalg.norm(found.covariance_ - covariance) < 1.5 * clean_error
    report = found.diagnostics_
    assert min(report.ess_bulk.values()) / report.n_evaluations >= 0.15
    assert max(report.r_hat.values()) <= 1.01
