"""What bad or odd input gets: an error that says what is wrong, or a finite fit with a warning."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import InvalidParameterError

from skholder import HolderBayesDensity, HolderBayesRegressor
from skholder.exceptions import (
    HolderBayesWarning,
    IdentifiabilityWarning,
    ScaleFloorWarning,
    VacuousPosteriorWarning,
)


def make(**kwargs):
    return HolderBayesRegressor(**{"n_draws": 400, "random_state": 0, **kwargs})


@pytest.fixture(scope="module")
def data(contaminated):
    X, y, *_ = contaminated(60, 2, 0.1)
    return X, y


def fit(X, y, expected=(), **kwargs):
    """Fit, assert that everything reported is finite and that just these warnings came."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = make(**kwargs).fit(X, y)
    own = {w.category for w in caught if issubclass(w.category, HolderBayesWarning)}
    other = [w for w in caught if not issubclass(w.category, HolderBayesWarning)]
    assert own == set(expected)
    assert all(w.category is ConvergenceWarning for w in other), [str(w.message) for w in other]
    for name, draws in model.posterior_.items():
        assert np.all(np.isfinite(draws)), name
    mean, sd = model.predict(X, return_std=True)
    for values in (mean, sd, model.log_density_, model.score_samples(X, y), model.score_samples(X)):
        assert np.all(np.isfinite(values))
    assert np.all(np.isfinite(model.predict_interval(X)))
    return model


class TestErrors:
    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("where", ["X", "y"])
    def test_missing_and_infinite_values(self, data, bad, where):
        X, y = (a.copy() for a in data)
        if where == "X":
            X[3, 1] = bad
        else:
            y[3] = bad
        with pytest.raises(ValueError, match="NaN" if np.isnan(bad) else "infinity"):
            make().fit(X, y)

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_missing_and_infinite_weights(self, data, bad):
        weight = np.ones(60)
        weight[3] = bad
        with pytest.raises(ValueError, match=r"sample_weight contains (NaN|infinity)"):
            make().fit(*data, sample_weight=weight)

    def test_one_row(self):
        with pytest.raises(ValueError, match=r"1 sample.*minimum of 2 is required"):
            make().fit([[1.0]], [1.0])

    def test_no_weight(self, data):
        # Newer versions of scikit-learn have their own words for it.
        with pytest.raises(ValueError, match=r"sums to zero: no row|at least one non-zero"):
            make().fit(*data, sample_weight=np.zeros(60))

    def test_weight_on_one_row(self, data):
        weight = np.zeros(60)
        weight[7] = 5
        with pytest.raises(ValueError, match="1 sample with positive weight; 2 are needed"):
            make().fit(*data, sample_weight=weight)

    def test_negative_weight(self, data):
        weight = np.ones(60)
        weight[7] = -1
        with pytest.raises(ValueError, match="sample_weight must not be negative"):
            make().fit(*data, sample_weight=weight)

    def test_wrong_number_of_weights(self, data):
        with pytest.raises(ValueError, match=r"sample_weight.shape == \(3,\), expected \(60,\)"):
            make().fit(*data, sample_weight=np.ones(3))

    def test_wrong_shapes(self, data):
        X, y = data
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            make().fit(X, y[:-1])
        with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
            make().fit(X[:, 0], y)
        with pytest.raises(ValueError, match="y should be a 1d array"):
            make().fit(X, np.column_stack([y, y]))

    def test_complex_and_text(self, data):
        X, y = data
        with pytest.raises(ValueError, match="Complex data not supported"):
            make().fit(X * (1 + 1j), y)
        with pytest.raises(ValueError, match="could not convert string to float"):
            make().fit(np.full((60, 1), "a"), y)
        with pytest.raises(ValueError, match="could not convert string to float"):
            make().fit(X, np.full(60, "a"))

    def test_other_features_than_in_fit(self, data):
        X, y = data
        model = make(inference="laplace").fit(X, y)
        for call in (model.predict, model.sample_y, model.score_samples):
            with pytest.raises(ValueError, match=r"3 features.*expecting 2 features"):
                call(np.ones((4, 3)))
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            model.fod(X, y[:-1])

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("gamma", 0.0),
            ("gamma", -1.0),
            ("gamma", np.inf),
            ("gamma", 51.0),
            ("gamma", 1e-300),
            ("gamma", "efficiency"),
            ("divergence", "hellinger"),
            ("divergence", 3),
            ("kappa", -0.5),
            ("kappa", 1e3),
            ("noise", "cauchy"),
            ("noise", 2.0),
            ("temperature", 0.0),
            ("temperature", 1e300),
            ("temperature", "hot"),
            ("alpha_prior", "flat"),
            ("max_contamination", 0.0),
            ("max_contamination", 1.1),
            ("coef_prior_scale", 0.0),
            ("coef_prior_scale", 1e-300),
            ("coef_prior_scale", 1e300),
            ("log_scale_prior_scale", -1.0),
            ("log_scale_prior_scale", 1e-300),
            ("min_scale", 0.0),
            ("min_scale", 1.0),
            ("fit_intercept", "yes"),
            ("standardize", 2),
            ("inference", "variational"),
            ("n_draws", 0),
            ("n_draws", 10.5),
            ("n_walkers", 2),
            ("n_ensembles", 0),
            ("n_jobs", 1.5),
            ("random_state", "x"),
            ("verbose", -1),
        ],
    )
    def test_parameter_out_of_range(self, data, name, value):
        with pytest.raises(InvalidParameterError, match=f"The '{name}' parameter of HolderBayes"):
            make(**{name: value}).fit(*data)

    @pytest.mark.parametrize(
        "prior", [(0.0, 1.0), (1.0, -2.0), (1.0,), (1.0, 1.0, 1.0), [1, np.inf]]
    )
    def test_alpha_prior_out_of_range(self, data, prior):
        with pytest.raises(ValueError, match=r"alpha_prior must be two positive numbers \(a, b\)"):
            make(alpha_prior=prior).fit(*data)

    def test_alpha_prior_without_mass(self, data):
        with pytest.raises(ValueError, match=r"has no mass above 1 - max_contamination = 0\.9"):
            make(alpha_prior=(1, 5000), max_contamination=0.1).fit(*data)

    def test_draws_not_a_multiple_of_ensembles(self, data):
        with pytest.raises(ValueError, match=r"n_draws=401 must be a multiple of n_ensembles=4"):
            make(n_draws=401).fit(*data)

    def test_kappa_that_does_not_fit_the_family(self, data):
        with pytest.raises(ValueError, match=r"kappa must lie in \(0, 1\) for 'ratsat'"):
            make(divergence="ratsat", kappa=1.5).fit(*data)
        with pytest.raises(ValueError, match="divergence='dpd' takes no kappa"):
            make(kappa=0.5).fit(*data)

    def test_divergence_object_that_breaks_a_condition(self, data):
        class Broken:
            def phi(self, z, gamma):
                return -z

        with pytest.raises(ValueError, match=r"breaks the condition .*divergence is proper"):
            make(divergence=Broken()).fit(*data)

    @pytest.mark.parametrize("rule", ["covdet", "joint-covdet"])
    def test_temperature_rule_without_covariance(self, data, rule):
        X, _ = data
        with pytest.raises(ValueError, match=r"singular.*use temperature='calibrated'"):
            make(temperature=rule).fit(X, np.ones(60))

    def test_audit_arguments(self, data):
        model = make(inference="laplace").fit(*data)
        with pytest.raises(ValueError, match="rule must be one of 'mean'"):
            model.audit(rule="most")
        with pytest.raises(ValueError, match="rank must be 'fod'"):
            model.audit(rank="x")
        with pytest.raises(ValueError, match=r"level must lie in \(0, 1\)"):
            model.audit(level=2)


class TestOddData:
    @pytest.mark.parametrize("value", [0.0, 3.0])
    @pytest.mark.parametrize("divergence", ["dpd", "kl"])
    def test_constant_response(self, data, value, divergence):
        X, _ = data
        model = fit(X, np.full(60, value), [ScaleFloorWarning], divergence=divergence)
        np.testing.assert_allclose(model.predict(X), value, atol=0.01)

    def test_constant_column(self, data):
        X, y = data
        model = fit(np.column_stack([X, np.full(60, 7.0)]), y, [IdentifiabilityWarning])
        np.testing.assert_allclose(model.coef_[:2], make_quiet().fit(X, y).coef_, atol=0.25)

    def test_constant_column_is_named(self, data):
        pd = pytest.importorskip("pandas")
        X, y = data
        frame = pd.DataFrame(X, columns=["a", "b"]).assign(level=7.0)
        with pytest.warns(IdentifiabilityWarning, match="level.* constant"):
            make_quiet().fit(frame, y)

    def test_zero_column_without_intercept(self, data):
        X, y = data
        fit(np.column_stack([X, np.zeros(60)]), y, [IdentifiabilityWarning], fit_intercept=False)

    def test_collinear_columns(self, data):
        X, y = data
        model = fit(np.column_stack([X, 2 * X[:, 0]]), y, [IdentifiabilityWarning])
        # Only the sum is known, and known it is.
        total = model.coef_[0] + 2 * model.coef_[2]
        np.testing.assert_allclose(total, make_quiet().fit(X, y).coef_[0], atol=0.25)

    @pytest.mark.parametrize("divergence", ["dpd", "gamma"])
    def test_more_columns_than_rows(self, divergence):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(10, 15)), rng.normal(size=10)
        fit(X, y, [IdentifiabilityWarning, VacuousPosteriorWarning], divergence=divergence)

    def test_duplicated_rows(self, data):
        X, y = data
        model = fit(np.repeat(X, 3, axis=0), np.repeat(y, 3))
        np.testing.assert_allclose(model.coef_, make_quiet().fit(X, y).coef_, atol=0.2)

    def test_all_rows_equal(self):
        fit(np.ones((10, 2)), np.ones(10), [IdentifiabilityWarning, VacuousPosteriorWarning])

    def test_two_rows(self, data):
        X, y = data
        fit(X[:2], y[:2], [IdentifiabilityWarning, VacuousPosteriorWarning])

    def test_integer_and_boolean_columns(self, data):
        X, y = data
        whole = np.rint(10 * X).astype(int)
        np.testing.assert_array_equal(
            fit(whole, y).predict(whole), fit(whole.astype(float), y).predict(whole)
        )
        model = fit(X > 0, np.rint(y).astype(int))
        np.testing.assert_array_equal(model.coef_, fit((X > 0).astype(float), np.rint(y)).coef_)

    @pytest.mark.parametrize(("a", "c"), [(1e-150, 1), (1e150, 1), (1, 1e-150), (1, 1e150)])
    def test_very_small_and_very_large_values(self, data, a, c):
        X, y = data
        plain, scaled = fit(X, y), fit(a * X, c * y)
        np.testing.assert_allclose(scaled.epsilon_, plain.epsilon_, rtol=1e-6)
        np.testing.assert_allclose(scaled.coef_ * a / c, plain.coef_, rtol=1e-5)

    @pytest.mark.parametrize("typo", [1e9, 1e30, 1e150])
    @pytest.mark.parametrize("where", ["X", "y"])
    def test_one_absurd_value(self, data, typo, where):
        X, y = (a.copy() for a in data)
        clean = make_quiet().fit(X[1:], y[1:]).coef_
        if where == "X":
            X[0, 0] = typo
        else:
            y[0] = typo
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = make().fit(X, y)
        np.testing.assert_allclose(model.coef_, clean, atol=0.3)
        assert model.fod_scores_[0] > 0.9

    def test_columns_of_very_different_size_are_no_reason_to_warn(self, data):
        X, y = data
        fit(X * [1e-6, 1e6], y, standardize=False, coef_prior_scale=1e7)

    @pytest.mark.parametrize(
        "noise",
        [stats.logistic(), stats.laplace(), stats.gumbel_r()],
        ids=["logistic", "laplace", "gumbel"],
    )
    def test_scipy_noise(self, data, noise):
        fit(*data, noise=noise)

    @pytest.mark.parametrize(
        "noise", [stats.expon(), stats.uniform(-1, 2)], ids=["expon", "uniform"]
    )
    def test_noise_with_an_end_is_refused(self, data, noise):
        with pytest.raises(ValueError, match="whole line"):
            make(noise=noise).fit(*data)


def make_quiet():
    """For fits that are not themselves under test: few draws, but no warning about them."""
    return make(inference="laplace", n_draws=2000)


def stackloss_like(seed=0):
    """Twenty-one rows, three correlated covariates, four outliers."""
    rng = np.random.default_rng(seed)
    air = 62 + 9 * rng.normal(size=21)
    X = np.column_stack([air, 0.3 * air + 2 * rng.normal(size=21), 86 + 5 * rng.normal(size=21)])
    y = X @ [0.8, 0.6, -0.1] - 40 + 1.5 * rng.normal(size=21)
    y[[0, 2, 3]] += 7
    y[20] -= 9
    return X, y


class TestSmallData:
    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    def test_vacuous_posterior_is_not_hidden(self):
        with pytest.warns(VacuousPosteriorWarning, match=r"vacuous: .*try a smaller gamma"):
            model = make(gamma=0.5).fit(*stackloss_like())
        share = model.diagnostics_.vacuous_share
        assert share > 0.5
        assert any(check.value == f"{share:.0%} vacuous" for check in model.diagnostics_.checks)

    def test_smaller_gamma_helps(self):
        X, y = stackloss_like()
        model = fit(X, y, gamma=0.3, n_draws=2000)
        assert model.diagnostics_.vacuous_share < 0.01
        assert len({0, 2, 3, 20} & set(model.audit().order[:4])) >= 3

    def test_prior_that_nothing_updates_is_vacuous_too(self, data):
        # With hardly any weight the draws are those of the prior.
        X, y = data
        with pytest.warns(VacuousPosteriorWarning):
            make(n_draws=4000).fit(X, y, sample_weight=np.full(60, 1e-9))

    def test_tied_responses_reach_the_floor(self, data):
        X, y = data
        tied = np.where(np.arange(60) < 42, 0.0, y)
        with pytest.warns(ScaleFloorWarning, match="'log_scale' lie at the floor.*raise min_scale"):
            make(gamma=0.5, n_draws=4000).fit(X, tied)

    def test_wider_floor_helps(self, data):
        X, y = data
        # Rounded responses: ties, but no spike once the floor is at their resolution.
        fit(X, np.rint(2 * y) / 2, min_scale=0.1)

    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    def test_leverage_points_like_hawkins_bradu_kass(self):
        # 75 rows: ten bad leverage points, then four good ones, then the bulk.
        rng = np.random.default_rng(0)
        X = rng.uniform(0, 3.5, size=(75, 3))
        X[:14] += [10.0, 20.0, 28.0]
        y = 0.1 * rng.normal(size=75)
        y[:10] += 10.0
        model = make(gamma=0.3).fit(X, y)
        assert np.all(model.fod_scores_[:10] > 0.5)
        assert np.all(model.fod_scores_[10:14] < 0.5)
        assert set(model.audit(rank="log_density").order[:10]) == set(range(10))

    @pytest.mark.parametrize("n_draws", [40, 400])
    def test_too_few_draws_are_said_so(self, data, n_draws):
        message = r"(R-hat|Fewer than 400 effective draws) of '(coef|intercept|log_scale|epsilon)"
        with pytest.warns(ConvergenceWarning, match=message) as caught:
            make(n_draws=n_draws).fit(*data)
        assert "Increase n_draws" in str(caught[0].message)

    @pytest.mark.filterwarnings("error")
    def test_enough_draws_are_silent(self, data):
        make(n_draws=4000).fit(*data)


class TestRowsThatDoNotCount:
    """Neither rows of weight 0 nor the order of the table decide whether columns are discrete."""

    @pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning")
    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    def test_weight_zero(self):
        X = np.random.default_rng(0).normal(size=(8, 2))
        weight = np.array([0, 0, 0, 1, 1, 1, 1, 1.0])
        model = HolderBayesDensity(n_draws=200, n_ensembles=2, random_state=0)
        with_them = clone(model).fit(X, sample_weight=weight)
        without = clone(model).fit(X[3:])
        assert with_them.gamma_ == without.gamma_
        np.testing.assert_array_equal(with_them.epsilon_posterior_, without.epsilon_posterior_)

    def test_order(self):
        rng = np.random.default_rng(0)
        X = np.column_stack([rng.integers(0, 2, 2000).astype(float), rng.normal(size=2000)])
        X[[1, 3, 5, 7], 0] = [2, 3, 4, 5]
        model = HolderBayesDensity(inference="laplace", n_draws=200, random_state=0)
        powers = {clone(model).fit(one).gamma_ for one in (X, np.roll(X, -1, axis=0))}
        assert len(powers) == 1


def test_weights_are_kept_as_they_were():
    X, y = np.random.default_rng(0).normal(size=(2, 60, 2))
    weight = np.full(60, 2.0)
    model = HolderBayesRegressor(inference="laplace", n_draws=200, random_state=0)
    model.fit(X, y[:, 0], sample_weight=weight)
    weight[:] = 0
    assert model.record_.total_weight == 120


def test_columns_may_have_the_names_of_attributes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 2)), columns=["column_names", "columns"])
    model = HolderBayesRegressor(0.5, inference="laplace", n_draws=40, random_state=0)
    model.fit(X, rng.normal(size=40))
    assert list(model.feature_names_in_) == list(X.columns)


def test_a_pyarrow_table_is_a_table():
    pa = pytest.importorskip("pyarrow")
    X, y = np.random.default_rng(0).normal(size=(2, 60, 2))
    table = pa.table({"age": X[:, 0], "dose": X[:, 1]})
    model = HolderBayesRegressor(inference="laplace", n_draws=200, random_state=0)
    named = clone(model).fit(table, y[:, 0])
    assert list(named.feature_names_in_) == ["age", "dose"]
    np.testing.assert_array_equal(named.predict(table), clone(model).fit(X, y[:, 0]).predict(X))
    with pytest.raises(ValueError, match="Column 'age' holds 'old', which is not a number"):
        model.fit(pa.table({"age": ["old"] * 60}), y[:, 0])


def test_a_lazy_frame_is_asked_to_be_collected():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"a": np.arange(10.0)}).lazy()
    with pytest.raises(ValueError, match=r"pass X\.collect\(\)"):
        HolderBayesDensity().fit(frame)
