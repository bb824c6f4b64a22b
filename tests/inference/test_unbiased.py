"""The sampler has no bias of its own: a run that the data do not enter returns the prior."""

import numpy as np
import pytest
from scipy import stats

from skholder import HolderBayesRegressor
from skholder.divergences import check_divergence
from skholder.inference import Settings, infer
from skholder.models import LinearModel, NormalNoise
from skholder.posterior import AlphaPrior, HolderPosterior
from skholder.rows import RowBlocks

GAMMA, LOWER = 0.5, 0.4
# So little that a table of a hundred rows says nothing.
NO_DATA = 1e-10


def settings(temperature, prior, n_draws=4000):
    return Settings(
        check_divergence("dpd", GAMMA),
        GAMMA,
        temperature=temperature,
        alpha_prior=prior,
        n_draws=n_draws,
        inference="mcmc",
    )


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = rng.normal(0.3, 0.8, size=100)
    y[:10] += 6.0
    return RowBlocks(np.column_stack([np.ones(100), y]))


def location_scale():
    return LinearModel(
        NormalNoise(), 1, coef_prior_scale=2.5, log_scale_prior_scale=1.0, min_scale=0.2
    )


@pytest.mark.parametrize("shapes", [(1.0, 1.0), (3.0, 2.0)])
@pytest.mark.parametrize("seed", [0, 1])
def test_without_data_the_posterior_is_the_prior(rows, shapes, seed):
    prior = AlphaPrior(*shapes, LOWER)
    draws = infer(
        location_scale(), rows, settings(NO_DATA, prior), np.random.RandomState(seed)
    ).draws
    beta = stats.beta(*shapes)
    mass = 1 - beta.cdf(LOWER)
    floor = np.log(0.2)
    laws = {
        "location": (draws.theta[:, 0], stats.norm(0, 2.5).cdf),
        "log scale": (draws.theta[:, 1], stats.truncnorm(floor, np.inf).cdf),
        "alpha": (draws.alpha, lambda a: (beta.cdf(a) - beta.cdf(LOWER)) / mass),
    }
    for name, (found, law) in laws.items():
        # Half as many independent draws at the least; one in ten thousand such runs is further.
        assert stats.kstest(found, law).statistic < 2.2 / np.sqrt(2000), name


def test_the_share_has_its_mean_over_the_joint_posterior(rows):
    prior, temperature = AlphaPrior(2.0, 1.0, LOWER), 1.0
    chosen = settings(temperature, prior)
    result = infer(location_scale(), rows, chosen, np.random.RandomState(0))
    posterior = HolderPosterior(
        result.draws.model, rows, chosen.divergence, GAMMA, temperature, prior
    )
    location, log_scale = np.linspace(-8, 8, 161), np.linspace(np.log(0.2), 4, 121)
    grid = np.stack(np.meshgrid(location, log_scale, indexing="ij"), axis=-1).reshape(-1, 2)
    log_prob, log_mean = posterior.log_prob(grid).T
    weight = np.exp(log_prob - log_prob.max())
    weight /= weight.sum()
    # alpha given theta by plain sums over a fine grid, not by the conditional's own nodes.
    alpha = LOWER + (1 - LOWER) * (np.arange(2000) + 0.5) / 2000
    log_c = result.draws.model.log_power(grid, GAMMA)
    kept = np.flatnonzero(weight > 1e-9)
    log_alpha = np.log(alpha)[None]
    z = np.exp(GAMMA * log_mean[kept, None] - log_c[kept, None] - log_alpha)
    risk = (GAMMA - (1 + GAMMA) * z) * np.exp((1 + GAMMA) * log_alpha + log_c[kept, None])
    density = np.exp(-100 * temperature * (risk - risk.min(axis=1, keepdims=True)))
    density *= stats.beta(2.0, 1.0).pdf(alpha)
    mean = weight[kept] @ (density @ alpha / density.sum(axis=1)) / weight[kept].sum()
    square = weight[kept] @ (density @ alpha**2 / density.sum(axis=1)) / weight[kept].sum()
    sd = np.sqrt(square - mean**2)
    assert result.draws.alpha.mean() == pytest.approx(mean, abs=5 * sd / np.sqrt(2000))
    assert result.draws.alpha.std() == pytest.approx(sd, rel=0.1)


def test_calibrated_counts_cover():
    # A small version of examples/studies/counts.py.
    n, n_tables, bad = 80, 30, [0, 4, 12]
    covered, error, width = [], [], []
    for seed in range(n_tables):
        rng = np.random.default_rng(seed)
        k = bad[seed % 3]
        X = rng.normal(size=(n, 1))
        y = X[:, 0] + rng.normal(size=n)
        y[:k] += rng.choice([-5.0, 5.0], size=k)
        model = HolderBayesRegressor(
            0.5, leverage="ignore", inference="laplace", n_draws=400, random_state=seed
        ).fit(X, y)
        counts = model.outlier_count_posterior_
        low, high = np.quantile(counts, [0.025, 0.975])
        covered.append(low <= k <= high)
        error.append(counts.mean() - k)
        width.append(high - low)
    # With a third of the standard deviation 22 are covered, with a K-hat two rows too small 26.
    assert np.sum(covered) >= 27
    assert abs(np.mean(error)) < 0.6
    assert np.mean(width) < 3
