import numpy as np
import pytest

from skholder.sampling import ess_bulk, ess_mean, ess_tail, r_hat


def ar1(shape, correlation, seed=0):
    """Stationary AR(1) series of variance one along the last axis."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=shape)
    x = np.empty(shape)
    x[..., 0] = noise[..., 0]
    for t in range(1, shape[-1]):
        x[..., t] = correlation * x[..., t - 1] + np.sqrt(1 - correlation**2) * noise[..., t]
    return x


@pytest.fixture(scope="module")
def arviz():
    return pytest.importorskip("arviz")


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
class TestAgainstArviz:
    def chains(self, correlation):
        return ar1((4, 1, 2000), correlation, seed=3)

    def test_r_hat(self, arviz, correlation):
        draws = self.chains(correlation)
        np.testing.assert_allclose(r_hat(draws), arviz.rhat(draws[:, 0]), atol=1e-3)

    def test_ess_bulk(self, arviz, correlation):
        draws = self.chains(correlation)
        np.testing.assert_allclose(
            ess_bulk(draws), arviz.ess(draws[:, 0], method="bulk"), rtol=0.02
        )

    def test_ess_tail(self, arviz, correlation):
        draws = self.chains(correlation)
        np.testing.assert_allclose(
            ess_tail(draws), arviz.ess(draws[:, 0], method="tail", prob=(0.05, 0.95)), rtol=0.02
        )

    def test_ess_mean(self, arviz, correlation):
        draws = self.chains(correlation)
        np.testing.assert_allclose(
            ess_mean(draws), arviz.ess(draws[:, 0], method="mean"), rtol=0.02
        )


@pytest.mark.parametrize(
    ("figure", "asked"),
    [(ess_bulk, {"method": "bulk"}), (ess_tail, {"method": "tail", "prob": (0.05, 0.95)})],
    ids=["bulk", "tail"],
)
@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_ess_splits_chains_as_arviz_does(arviz, figure, asked, correlation):
    # Short chains: without the split these figures are 1% to 5% off.
    draws = ar1((4, 1, 200), correlation, seed=3)
    np.testing.assert_allclose(figure(draws), arviz.ess(draws[:, 0], **asked), rtol=3e-3)


def test_a_chain_whose_halves_disagree_has_few_effective_draws(arviz):
    draws = ar1((1, 1, 500), 0.3) + (np.arange(500) >= 250)
    assert float(arviz.ess(draws[:, 0], method="bulk")) < 5
    assert ess_bulk(draws) < 10
    # With four walkers that jump at the same step, likewise.
    assert ess_bulk(ar1((1, 4, 100), 0.0) + (np.arange(100) >= 50)) < 20


@pytest.mark.parametrize("n_steps", [1, 2, 3])
def test_ensembles_of_few_steps_are_not_split(n_steps):
    # A half of one step shows no correlation: here every walker stays where it is.
    draws = np.repeat(ar1((4, 50, 1), 0.0), n_steps, axis=2)
    assert 120 < ess_mean(draws) < 220


@pytest.mark.parametrize("n_steps", [4, 5, 10])
def test_ess_of_few_steps_sees_correlation(n_steps):
    replicates = ar1((200, 4, 100, n_steps), 0.5, seed=1)
    honest = 1 / np.mean(replicates.mean(axis=(1, 2, 3)) ** 2)
    # The middle step of an odd number is left out, and two steps see one lag only.
    estimated = np.mean([ess_bulk(draws) for draws in replicates])
    np.testing.assert_allclose(estimated, honest, rtol=0.35 if n_steps < 10 else 0.15)


@pytest.mark.parametrize("correlation", [0.0, 0.4, 0.8])
def test_ess_is_the_variance_of_means(correlation):
    # Many replicates of the layout of a fit: 4 ensembles of 20 walkers and 60 steps.
    replicates = ar1((300, 4, 20, 60), correlation, seed=1)
    means = replicates.mean(axis=(1, 2, 3))
    honest = 1 / np.mean(means**2)
    estimated = np.mean([ess_mean(draws) for draws in replicates])
    np.testing.assert_allclose(estimated, honest, rtol=0.2)


def test_ess_of_antithetic_chains_beats_independence():
    draws = ar1((4, 1, 4000), -0.5, seed=2)
    # tau = (1 - 0.5) / (1 + 0.5) = 1/3.
    np.testing.assert_allclose(ess_mean(draws), 3 * draws.size, rtol=0.1)


def test_ess_is_invariant_to_monotone_maps():
    draws = ar1((4, 5, 200), 0.5)
    np.testing.assert_allclose(ess_bulk(np.exp(3 * draws)), ess_bulk(draws))


def test_ess_tail_is_the_smaller_one():
    # Only the upper tail is sticky: the large values come all at once.
    draws = np.random.default_rng(0).normal(size=(4, 1, 2000))
    draws[:, :, 1000:1080] += 5.0
    upper, lower = ess_tail(draws), ess_tail(-draws)
    assert upper == lower < 0.1 * draws.size


def test_disagreeing_ensembles_have_few_effective_draws():
    draws = ar1((4, 10, 100), 0.0) + np.arange(4)[:, None, None]
    assert ess_mean(draws) < 0.02 * draws.size


class TestRHat:
    def test_shifted_ensemble(self):
        draws = ar1((4, 10, 100), 0.0)
        assert r_hat(draws) < 1.01
        draws[0] += 1.0
        assert r_hat(draws) > 1.05

    def test_wider_ensemble(self):
        # Same centre, other spread: only the folded value can see it.
        draws = ar1((4, 10, 100), 0.0)
        draws[0] *= 4.0
        assert r_hat(draws) > 1.05

    def test_drift_within_ensembles(self):
        draws = ar1((4, 10, 100), 0.0) + np.linspace(-1, 1, 100)
        assert r_hat(draws) > 1.05

    def test_no_limit_on_the_scale(self):
        draws = ar1((4, 10, 100), 0.0)
        np.testing.assert_allclose(r_hat(1e200 * draws), r_hat(draws))
        heavy = np.random.default_rng(0).standard_cauchy((4, 10, 100))
        assert r_hat(heavy) < 1.02

    def test_constant_or_infinite_draws_have_none(self):
        assert np.isnan(r_hat(np.ones((4, 2, 10))))
        draws = ar1((4, 2, 10), 0.0)
        draws[0, 0, 0] = np.inf
        assert np.isnan(r_hat(draws))

    def test_one_step_is_split_over_walkers(self):
        draws = ar1((4, 50, 1), 0.0)
        assert 0.9 < r_hat(draws) < 1.1


def test_constant_draws_count_in_full():
    assert ess_mean(np.ones((4, 3, 10))) == 120


def test_one_draw_for_each_half_has_no_r_hat():
    assert np.isnan(r_hat(np.arange(4.0).reshape(2, 2, 1)))


def test_parameters_together_are_parameters_one_by_one():
    draws = np.stack([ar1((4, 5, 40), r, seed=7) for r in (0.0, 0.6)] + [np.ones((4, 5, 40))], -1)
    for figure in (r_hat, ess_mean, ess_bulk, ess_tail):
        np.testing.assert_allclose(figure(draws), [figure(draws[..., j]) for j in range(3)])
