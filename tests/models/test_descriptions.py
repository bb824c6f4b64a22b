"""What models say of themselves: words, units, moments, floors and samples."""

import numpy as np
import pytest
from scipy import stats

from skholder.estimators.scaling import RegressionUnits
from skholder.estimators.whitening import Whitening
from skholder.models import (
    EllipticalModel,
    GammaFamily,
    IndependentColumns,
    LaplaceFamily,
    LinearModel,
    NormalNoise,
    NormalRadial,
    PoissonFamily,
    ScipyNoise,
    StudentTNoise,
    StudentTRadial,
)

PRIORS = {"location_prior_scale": 2.5, "log_scale_prior_scale": 1.0, "min_scale": 1e-3}
RNG = np.random.default_rng(0)
X = RNG.normal([3.0, -50.0], [2.0, 30.0], size=(40, 2))
Y = 7.0 + 4.0 * RNG.normal(size=40)


def linear(noise=None, n_coef=3):
    return LinearModel(
        noise or NormalNoise(),
        n_coef,
        coef_prior_scale=2.5,
        log_scale_prior_scale=1.0,
        min_scale=1e-3,
    )


def elliptical(radial=None, full=True, k=2):
    return EllipticalModel(k, radial or NormalRadial(), full=full, **PRIORS)


class TestWords:
    @pytest.mark.parametrize(
        ("noise", "words"),
        [
            (NormalNoise(), "normal noise"),
            (StudentTNoise(), "Student-t noise (4 degrees of freedom)"),
            (ScipyNoise(stats.logistic()), "logistic noise"),
        ],
        ids=["normal", "t", "scipy"],
    )
    def test_regression(self, noise, words):
        expected = f"linear regression of price on 3 columns with {words}"
        assert linear(noise).in_words("3 columns", "price") == expected

    @pytest.mark.parametrize(("full", "kind"), [(True, "full"), (False, "diagonal")])
    def test_elliptical(self, full, kind):
        assert elliptical(full=full).in_words("2 columns") == (
            f"normal density of 2 columns with a {kind} covariance"
        )
        assert (
            elliptical(StudentTRadial(3.0), full)
            .in_words("2 columns")
            .startswith("Student-t (3 degrees of freedom) density")
        )

    def test_columns(self):
        model = IndependentColumns(2, PoissonFamily(), **PRIORS)
        assert (
            model.in_words("2 columns") == "product of independent poisson densities of 2 columns"
        )


class TestRegressionUnits:
    @pytest.mark.parametrize("fit_intercept", [True, False])
    @pytest.mark.parametrize("standardize", [True, False])
    def test_fits_agree_on_both_scales(self, fit_intercept, standardize):
        units = RegressionUnits.of(X, Y, None, fit_intercept, standardize)
        start = int(fit_intercept)
        theta = RNG.normal(size=(5, 3 + start))
        rows = units.rows(X, Y)
        assert rows.shape == (40, 3 + start)
        np.testing.assert_array_equal(units.design(X), rows[:, :-1])
        named = linear(n_coef=2 + start).to_units(theta, units)
        fitted = units.response(units.design(X) @ theta[:, :-1].T)
        np.testing.assert_allclose(named["coef"] @ X.T + named["intercept"][:, None], fitted.T)
        # Residuals over their scale are the same numbers on both scales.
        residual = (rows[:, -1:] - rows[:, :-1] @ theta[:, :-1].T) / np.exp(theta[:, -1])
        np.testing.assert_allclose((Y[:, None] - fitted) / named["scale"], residual)

    def test_volume_and_names(self):
        units = RegressionUnits.of(X, Y, None, True, True)
        np.testing.assert_allclose(units.log_volume, np.log(Y.std()))
        assert units.names(("a", "b")) == ["a", "b"]
        assert RegressionUnits.of(X, Y, None, True, False).log_volume == 0

    def test_weights_are_repeats(self):
        repeats = np.arange(40) % 3 + 1
        weighted = RegressionUnits.of(X, Y, repeats.astype(float), True, True)
        written = RegressionUnits.of(
            np.repeat(X, repeats, axis=0), np.repeat(Y, repeats), None, True, True
        )
        np.testing.assert_allclose(weighted.x.scale, written.x.scale)
        np.testing.assert_allclose(weighted.y.centre, written.y.centre)


class TestPredictive:
    theta = np.column_stack([0.1 * RNG.normal(size=(4000, 3)), RNG.normal(0, 0.1, size=4000)])
    design = np.array([[1.0, 0.0, 0.0], [1.0, 2.0, -1.0]])

    @pytest.mark.parametrize("noise", [NormalNoise(), StudentTNoise(5.0)], ids=["normal", "t"])
    def test_moments_are_those_of_samples(self, noise):
        model = linear(noise)
        mean, sd = model.predictive_moments(self.theta, self.design)
        drawn = model.sample(self.theta, np.random.RandomState(0), self.design)
        assert drawn.shape == (2, 4000)
        np.testing.assert_allclose(drawn.mean(axis=1), mean, atol=4 * sd.max() / np.sqrt(4000))
        np.testing.assert_allclose(drawn.std(axis=1), sd, rtol=0.06)

    def test_another_noise_variance(self):
        _, without = linear().predictive_moments(self.theta, self.design, noise_variance=0.0)
        fitted = self.design @ self.theta[:, :-1].T
        np.testing.assert_allclose(without, fitted.std(axis=1))


class TestMoments:
    @pytest.mark.parametrize("full", [True, False])
    @pytest.mark.parametrize("radial", [NormalRadial(), StudentTRadial(5.0)])
    def test_elliptical_are_those_of_the_named_draws(self, full, radial):
        model = elliptical(radial, full)
        units = Whitening.of("full" if full else "standard", X, None, np.random.RandomState(0))
        theta = 0.3 * RNG.normal(size=(6, model.n_params))
        moments, named = model.moments(theta, units), model.to_units(theta, units)
        np.testing.assert_allclose(moments.mean, named["location"])
        variance = np.diagonal(named["covariance"], axis1=1, axis2=2)
        np.testing.assert_allclose(moments.sd**2, variance)
        assert list(moments.columns) == [0, 1]

    def test_a_student_t_without_a_variance(self):
        model = elliptical(StudentTRadial(1.0))
        moments = model.moments(np.zeros((3, model.n_params)), Whitening.identity(2))
        assert np.all(np.isnan(moments.sd))

    @pytest.mark.parametrize("family", [GammaFamily(), LaplaceFamily()], ids=["gamma", "laplace"])
    def test_columns_without_spread_are_left_out(self, family):
        table = np.column_stack([np.full(40, 2.0), np.abs(X)])
        units = Whitening.of(family.scaling, table, None, np.random.RandomState(0))
        model = IndependentColumns(2, family, **PRIORS)
        theta = 0.3 * RNG.normal(size=(2000, model.n_params))
        moments = model.moments(theta[:1], units)
        assert list(moments.columns) == [1, 2]
        drawn = model.sample(np.repeat(theta[:1], 4000, axis=0), np.random.RandomState(0))
        x = (units.centre + drawn @ units.backward)[:, 1:]
        np.testing.assert_allclose(
            x.mean(axis=0), moments.mean[0], atol=5 * moments.sd.max() / np.sqrt(4000)
        )
        np.testing.assert_allclose(x.std(axis=0), moments.sd[0], rtol=0.1)

    def test_a_regression_has_none(self):
        units = RegressionUnits.of(X, Y, None, True, True)
        assert linear().moments(np.zeros((2, 4)), units) is None


class TestWithFloor:
    @pytest.mark.parametrize(
        "model",
        [
            linear(),
            elliptical(),
            elliptical(full=False),
            IndependentColumns(2, LaplaceFamily(), **PRIORS),
        ],
        ids=["linear", "full", "diag", "columns"],
    )
    def test_another_model_with_higher_bounds(self, model):
        before = model.prior.lower.copy()
        start = np.full(model.n_params, -2.0)
        raised = model.with_floor(start)
        spiky = model.spiky
        assert raised is not model
        np.testing.assert_array_equal(model.prior.lower, before)
        np.testing.assert_allclose(raised.prior.lower[spiky], -2 - np.log(10))
        np.testing.assert_array_equal(raised.prior.lower[~spiky], before[~spiky])
        # Below the new bound there is no mass; above it the density is that of a prior.
        theta = np.where(spiky, -2 - np.log(10), 0.0)[None]
        assert np.isfinite(raised.prior.log_prob(theta + 1e-9)[0])
        assert raised.prior.log_prob(theta - np.where(spiky, 1e-6, 0.0))[0] == -np.inf
        assert np.isfinite(model.prior.log_prob(theta - np.where(spiky, 1e-6, 0.0))[0])

    def test_a_floor_is_never_lowered(self):
        model = linear()
        raised = model.with_floor(np.full(4, -100.0))
        np.testing.assert_array_equal(raised.prior.lower, model.prior.lower)
