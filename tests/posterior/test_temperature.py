import numpy as np
import pytest
from scipy import stats

from skholder.divergences import check_divergence
from skholder.models import LinearModel, NormalNoise, ScipyNoise, StudentTNoise
from skholder.posterior import ProfileRisk, calibrated, covariance_rule, trace_rule
from skholder.posterior.modes import maximise
from skholder.rows import RowBlocks


def risk_of(noise, rows, family="dpd", gamma=0.5, weight=1.0):
    model = LinearModel(
        noise,
        rows.rows.shape[1] - 1,
        coef_prior_scale=2.5,
        log_scale_prior_scale=1.0,
        min_scale=1e-3,
    )
    return ProfileRisk(model, rows, check_divergence(family, gamma), gamma, 0.5, weight)


def minimiser(risk, start):
    steep = ProfileRisk(
        risk.model, risk.rows, risk.divergence, risk.gamma, 0.5, risk.rows.total_weight
    )
    return maximise(steep.curve, start, risk.model.prior.lower)[0]


@pytest.fixture(scope="module")
def clean():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 5))
    y = X @ np.arange(1, 6) + 1.4 * rng.normal(size=20_000)
    return RowBlocks(np.column_stack([X, y]))


START = np.r_[np.arange(1.0, 6.0), np.log(1.4)]


@pytest.mark.parametrize("gamma", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("family", ["dpd", "expsat", "gamma"])
def test_closed_form_agrees_with_the_trace_rule(clean, family, gamma):
    risk = risk_of(NormalNoise(), clean, family, gamma)
    theta = minimiser(risk, START)
    alpha = risk.alpha(theta)
    located = trace_rule(risk, theta, alpha, coordinates=slice(0, -1))
    np.testing.assert_allclose(calibrated(risk, theta), located, rtol=0.01)
    # The closed form is the location's; the scale's own ratio moves the trace a little.
    np.testing.assert_allclose(calibrated(risk, theta), trace_rule(risk, theta, alpha), rtol=0.05)


def test_trace_rule_is_its_definition():
    # J and K from numerical derivatives of the per-row loss, alpha held, location coordinates.
    rng = np.random.default_rng(1)
    rows = RowBlocks(np.column_stack([rng.normal(size=(4000, 2)), rng.normal(size=4000)]))
    risk, gamma = risk_of(NormalNoise(), rows, gamma=0.6), 0.6
    theta = minimiser(risk, np.zeros(3))
    alpha = risk.alpha(theta)

    def loss(t):
        """gamma alpha^(1+gamma) C - (1+gamma) alpha^gamma p^gamma of each row."""
        c = np.exp(risk.model.log_power(t[None], gamma)[0])
        p = np.exp(gamma * risk.model.log_density(t[None], rows.rows)[:, 0])
        return gamma * alpha ** (1 + gamma) * c - (1 + gamma) * alpha**gamma * p

    h, d = 1e-4, 2
    steps = h * np.eye(3)[:d]
    slopes = np.array([(loss(theta + e) - loss(theta - e)) / (2 * h) for e in steps])
    spread = slopes @ slopes.T / 4000
    mean_loss = np.array(
        [
            [
                np.mean(loss(theta + e + f) - loss(theta + e - f))
                - np.mean(loss(theta - e + f) - loss(theta - e - f))
                for f in steps
            ]
            for e in steps
        ]
    )
    expected = d / np.trace(np.linalg.solve(mean_loss / (4 * h * h), spread))
    found = trace_rule(risk, theta, alpha, coordinates=slice(0, -1))
    np.testing.assert_allclose(found, expected, rtol=0.05)


@pytest.mark.parametrize("noise", [StudentTNoise(), "logistic"], ids=["student", "logistic"])
def test_other_noise_agrees_with_the_trace_rule(noise):
    rng = np.random.default_rng(2)
    if noise == "logistic":
        noise, e = ScipyNoise(stats.logistic()), rng.logistic(size=20_000)
    else:
        e = rng.standard_t(4, size=20_000)
    X = rng.choice([-1.0, 1.0], size=(20_000, 2))
    rows = RowBlocks(np.column_stack([X, X @ [1.0, 2.0] + e]))
    risk = risk_of(noise, rows)
    theta = minimiser(risk, np.array([1.0, 2.0, 0.0]))
    alpha = risk.alpha(theta)
    np.testing.assert_allclose(calibrated(risk, theta), trace_rule(risk, theta, alpha), rtol=0.05)


def test_outliers_hardly_move_the_trace_rule(clean):
    rng = np.random.default_rng(3)
    spoiled = clean.rows.copy()
    spoiled[:2000, -1] += 1e3 * rng.uniform(1, 2, size=2000)
    values = []
    for rows in (clean, RowBlocks(spoiled)):
        risk = risk_of(NormalNoise(), rows)
        theta = minimiser(risk, START)
        alpha = risk.alpha(theta)
        values.append(trace_rule(risk, theta, alpha, coordinates=slice(0, -1)) * alpha**0.5)
    np.testing.assert_allclose(*values, rtol=0.05)


def test_standard_bayes_has_temperature_one(clean):
    risk = risk_of(NormalNoise(), clean, "kl")
    assert calibrated(risk, START) == 1.0


class TestCovarianceRule:
    def test_determinant_of_the_population_covariance(self):
        rng = np.random.default_rng(0)
        data = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 3))
        expected = np.linalg.det(np.cov(data.T, ddof=0)) ** 0.25
        np.testing.assert_allclose(covariance_rule(data, None, 0.25), expected)
        np.testing.assert_allclose(
            covariance_rule(data[:, :1], None, 0.5), data[:, 0].std(), rtol=1e-12
        )

    def test_weights_are_repeats(self):
        data = np.random.default_rng(0).normal(size=(30, 2))
        repeats = np.arange(30) % 3 + 1
        np.testing.assert_allclose(
            covariance_rule(data, repeats.astype(float), 0.5),
            covariance_rule(np.repeat(data, repeats, axis=0), None, 0.5),
        )

    @pytest.mark.parametrize(
        "data",
        [np.ones((10, 1)), np.column_stack([np.arange(10.0), 2 * np.arange(10.0)])],
        ids=["constant", "collinear"],
    )
    def test_singular_covariance(self, data):
        with pytest.raises(
            ValueError, match=r"singular .*use temperature='calibrated' or a number"
        ):
            covariance_rule(data, None, 0.5)
