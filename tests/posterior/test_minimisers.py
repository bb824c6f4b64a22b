"""Minimisers of the risk: where the search for modes starts."""

import numpy as np
import pytest

from skholder.divergences import check_divergence
from skholder.models import LinearModel, NormalNoise
from skholder.posterior import Minimisers, ProfileRisk, risk_minimisers
from skholder.posterior import minimisers as module
from skholder.rows import RowBlocks

GAMMA = 0.5


def linear(n_coef=2, **kwargs):
    options = {"coef_prior_scale": 2.5, "log_scale_prior_scale": 1.0, "min_scale": 1e-3}
    return LinearModel(NormalNoise(), n_coef, **{**options, **kwargs})


def find(model, rows, divergence="dpd"):
    gamma = 0.0 if divergence == "kl" else GAMMA
    return risk_minimisers(
        model, rows, check_divergence(divergence, gamma), gamma, 0.5, np.random.RandomState(0)
    )


def rows_of(contaminated, n, **kwargs):
    X, y, *_ = contaminated(n, 1, 0.15, **kwargs)
    return RowBlocks(np.column_stack([np.ones(n), X, (y - y.mean()) / y.std()]))


@pytest.mark.parametrize("divergence", ["dpd", "expsat", "gamma", "kl"])
def test_every_point_is_a_minimum_and_the_best_is_first(contaminated, gradient, divergence):
    rows, model = rows_of(contaminated, 200), linear()
    found = find(model, rows, divergence)
    assert isinstance(found, Minimisers)
    assert found.model is model
    gamma = 0.0 if divergence == "kl" else GAMMA
    risk = ProfileRisk(model, rows, check_divergence(divergence, gamma), gamma, 0.5, 1.0)
    heights = [risk.height(theta) for theta in found.theta]
    assert heights == sorted(heights, reverse=True)
    for theta in found.theta:
        np.testing.assert_allclose(gradient(risk.height, theta), 0, atol=1e-5)
        assert np.all(np.linalg.eigvalsh(risk.curve(theta).hessian) < 0)


def test_standard_bayes_is_least_squares(contaminated):
    rows = rows_of(contaminated, 200)
    coef, *_ = np.linalg.lstsq(rows.rows[:, :-1], rows.rows[:, -1], rcond=None)
    residual = rows.rows[:, -1] - rows.rows[:, :-1] @ coef
    expected = np.append(coef, np.log(residual.std()))
    np.testing.assert_allclose(find(linear(), rows, "kl").theta[0], expected, atol=1e-6)


def test_many_rows_are_searched_in_part_and_refined_on_all(contaminated, monkeypatch):
    rows = rows_of(contaminated, 600)
    whole = find(linear(), rows).theta[0]
    monkeypatch.setattr(module, "_SEARCH_ROWS", 150)
    np.testing.assert_allclose(find(linear(), rows).theta[0], whole, atol=1e-5)


def test_a_basin_is_climbed_to_its_top_once(contaminated, monkeypatch):
    rows, model = rows_of(contaminated, 400), linear()
    best = find(model, rows).theta[0]
    starts = best + 0.3 * np.random.default_rng(0).normal(size=(8, len(best)))

    def climbed():
        n_seen = []

        class Watched(ProfileRisk):
            def curve(self, theta):
                n_seen.append(theta)
                return super().curve(theta)

        found = module.minimise_from(
            starts, lambda m: Watched(model, rows, check_divergence("dpd", 0.5), 0.5, 0.5, m)
        )
        np.testing.assert_allclose(found, best[None], atol=1e-6)
        return len(n_seen)

    quick = climbed()
    monkeypatch.setattr(module, "_SAME_BASIN", 0.0)
    assert quick <= climbed() - 7


def test_spikes_only_give_a_model_with_a_higher_floor():
    # Most rows are tied, so that the risk falls without end as the scale shrinks.
    rng = np.random.default_rng(0)
    y = np.where(np.arange(80) < 72, 0.0, rng.normal(size=80))
    model = linear(1)
    found = find(model, RowBlocks(np.column_stack([np.ones(80), y])))
    assert found.model is not model
    assert found.model.prior.lower[-1] > model.prior.lower[-1] == np.log(1e-3)
    assert np.all(found.theta >= found.model.prior.lower)
