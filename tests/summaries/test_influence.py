import numpy as np
import pytest

from skholder.divergences import check_divergence
from skholder.inference import Draws
from skholder.models import LinearModel, NormalNoise
from skholder.summaries.influence import influence, risk_influence

GAMMA, BETA = 0.5, 1.9
FAMILIES = ["dpd", "expsat", "ratsat", "gamma", "kl"]
S_OF_Z = {
    "dpd": lambda z: z,
    "expsat": lambda z: 1 + (1 - np.exp(-0.5 * (z - 1))) / 0.5,
    "ratsat": lambda z: 1 + (z - 1) / (1 + 0.25 * (z - 1)),
}


def make_rows(n=40):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    return np.column_stack([np.ones(n), x, 1 + x + rng.normal(size=n)])


def log_density(theta, rows):
    """Normal regression, (m, S)."""
    sigma = np.exp(theta[:, -1])
    r = (rows[:, -1:] - rows[:, :-1] @ theta[:, :-1].T) / sigma
    return -0.5 * r * r - np.log(sigma) - 0.5 * np.log(2 * np.pi)


def make_draws(family, n_draws=500):
    """Any draws will do: influence is a property of the draws, whatever made them."""
    rng = np.random.default_rng(1)
    theta = np.array([1.0, 1.0, 0.0]) + 0.2 * rng.normal(size=(n_draws, 3))
    divergence = check_divergence(family, GAMMA)
    gamma = 0.0 if family == "kl" else GAMMA
    rows = make_rows()
    log_p = log_density(theta, rows)
    mean = log_p.mean(axis=0) if gamma == 0 else np.log(np.exp(gamma * log_p).mean(axis=0)) / gamma
    model = LinearModel(
        NormalNoise(), 2, coef_prior_scale=1, log_scale_prior_scale=1, min_scale=1e-3
    )
    alpha = rng.uniform(0.7, 1, n_draws) if divergence.has_alpha else None
    return Draws(model, divergence, gamma, BETA * len(rows), theta, mean, alpha)


def joint_risk(family, theta, alpha, rows, point=None, mass=0.0):
    """H of each draw with a mass of the data put at a point, from its definition."""
    log_p = log_density(theta, rows)
    if family == "kl":
        value = log_p.mean(axis=0)
        if mass:
            value = (1 - mass) * value + mass * log_density(theta, point)[0]
        return -value
    s = np.exp(GAMMA * log_p).mean(axis=0)
    if mass:
        s = (1 - mass) * s + mass * np.exp(GAMMA * log_density(theta, point)[0])
    c = (2 * np.pi) ** (-GAMMA / 2) * np.exp(-GAMMA * theta[:, -1]) / np.sqrt(1 + GAMMA)
    if family == "gamma":
        return -(s ** (1 + GAMMA)) / c**GAMMA
    phi = GAMMA - (1 + GAMMA) * S_OF_Z[family](s / (alpha * c))
    return phi * alpha ** (1 + GAMMA) * c


POINTS = np.array([[1.0, 0.3, 0.5], [1.0, -1.0, 3.0], [1.0, 2.0, 9.0]])


@pytest.mark.parametrize("family", FAMILIES)
def test_risk_influence_is_a_derivative(family):
    draws, rows = make_draws(family), make_rows()
    log_c = draws.model.log_power(draws.theta, draws.gamma)
    found = risk_influence(
        draws.divergence,
        draws.gamma,
        log_density(draws.theta, POINTS),
        draws.log_mean,
        log_c,
        draws.alpha,
    )
    for i, point in enumerate(POINTS):
        h = 1e-6
        up, down = (
            joint_risk(family, draws.theta, draws.alpha, rows, point[None], m) for m in (h, -h)
        )
        np.testing.assert_allclose(found[i], (up - down) / (2 * h), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("family", FAMILIES)
def test_posterior_influence_is_a_reweighting(family):
    draws, rows = make_draws(family), make_rows()
    parameters = {"coef": draws.theta[:, 1:2], "intercept": draws.theta[:, 0]}
    found = influence(draws, POINTS, parameters)
    assert found.parameters["coef"].shape == (3, 1)
    assert found.parameters["intercept"].shape == (3,)
    plain = joint_risk(family, draws.theta, draws.alpha, rows)
    mass = 1e-7
    for i, point in enumerate(POINTS):
        moved = joint_risk(family, draws.theta, draws.alpha, rows, point[None], mass)
        np.testing.assert_allclose(found.risk[i], np.mean(moved - plain) / mass, rtol=1e-4)
        weight = np.exp(-BETA * len(rows) * (moved - plain))
        shift = np.average(draws.theta, axis=0, weights=weight) - draws.theta.mean(axis=0)
        np.testing.assert_allclose(
            found.parameters["intercept"][i], shift[0] / mass, rtol=1e-3, atol=1e-5
        )
        np.testing.assert_allclose(
            found.parameters["coef"][i, 0], shift[1] / mass, rtol=1e-3, atol=1e-5
        )


def far_points(*distances):
    return np.array([[1.0, 0.0, d] for d in distances])


@pytest.mark.parametrize("family", ["dpd", "expsat", "ratsat", "gamma"])
def test_influence_tends_to_its_limit(family):
    draws = make_draws(family)
    log_c = draws.model.log_power(draws.theta, GAMMA)
    s = np.exp(GAMMA * draws.log_mean)
    if family == "gamma":
        limit = (1 + GAMMA) * (s / np.exp(log_c)) ** GAMMA * s
    else:
        z = s / (draws.alpha * np.exp(log_c))
        h = 1e-6
        slope = -(1 + GAMMA) * (S_OF_Z[family](z + h) - S_OF_Z[family](z - h)) / (2 * h)
        # As the density at z vanishes, IF tends to -alpha^gamma phi' S.
        limit = -(draws.alpha**GAMMA) * slope * s
    parameters = {"intercept": draws.theta[:, 0]}
    found = influence(draws, far_points(5.0, 50.0, 5e3), parameters)
    np.testing.assert_allclose(found.risk[1:], limit.mean(), rtol=1e-6)
    assert abs(found.risk[0] - limit.mean()) > 1e-4 * abs(limit.mean())
    # So the pull on the posterior is the same for every far point.
    np.testing.assert_allclose(*found.parameters["intercept"][1:], rtol=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_steep_draws_of_a_large_gamma_stay_finite(family):
    draws = make_draws(family)
    steep = np.full(len(draws.theta), 30.0)
    found = risk_influence(draws.divergence, 40.0, steep + 1, steep, 0 * steep, draws.alpha)
    assert np.all(np.isfinite(found))


def test_standard_bayes_has_no_bound():
    draws = make_draws("kl")
    found = influence(draws, far_points(1e2, 1e3, 1e4), {"intercept": draws.theta[:, 0]})
    ratios = found.risk[1:] / found.risk[:-1]
    np.testing.assert_allclose(ratios, 100, rtol=0.05)
    pull = np.abs(found.parameters["intercept"])
    assert pull[1] > 5 * pull[0]
    assert pull[2] > 5 * pull[1]


def test_blocks_of_rows(monkeypatch):
    import skholder.rows.memory

    draws = make_draws("dpd")
    points = np.repeat(POINTS, 4, axis=0)
    whole = influence(draws, points, {"x": draws.theta})
    monkeypatch.setattr(skholder.rows.memory, "HELD_NUMBERS", 1200)
    parts = influence(draws, points, {"x": draws.theta})
    np.testing.assert_allclose(parts.risk, whole.risk)
    np.testing.assert_allclose(parts.parameters["x"], whole.parameters["x"])
