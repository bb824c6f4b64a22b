import emcee
import numpy as np
import pytest
from scipy import stats
from targets import TARGETS

from skholder.models import NormalPrior
from skholder.sampling import (
    CrankNicolsonMove,
    IndependenceMove,
    MixtureProposal,
    StudentComponent,
)

each_target = pytest.mark.parametrize("name", TARGETS)
N_WALKERS = 6000
PRIOR = NormalPrior(np.zeros(2), np.full(2, 4.0), np.full(2, -np.inf))


def rough_proposal(name):
    """Off-centre and of the wrong shape, so that accepting and refusing both matter."""
    target = TARGETS[name]
    component = StudentComponent.from_covariance(
        target.mean + 0.4, 1.3 * target.covariance + 0.2 * np.eye(2), 10.0
    )
    return MixtureProposal((component, PRIOR), np.array([0.8, 0.2]))


def rough_component(name):
    target = TARGETS[name]
    return StudentComponent.from_covariance(target.mean - 0.3, 0.8 * target.covariance, 10.0)


MOVES = {
    "independence": lambda name: IndependenceMove(rough_proposal(name)),
    "crank-nicolson": lambda name: CrankNicolsonMove(rough_component(name), step=0.7),
    "full step": lambda name: CrankNicolsonMove(rough_component(name), step=1.0),
}


def run(move, target, start, n_steps, seed=0):
    sampler = emcee.EnsembleSampler(len(start), 2, target.log_prob, moves=move, vectorize=True)
    state = emcee.State(start, random_state=np.random.RandomState(seed).get_state())
    state = sampler.run_mcmc(state, n_steps, skip_initial_state_check=True)
    return state.coords, sampler


def moments(draws):
    """Functions of the draws that see location, spread, dependence and shape."""
    x, y = draws.T
    return np.column_stack([x, y, x * x, y * y, x * y, np.abs(x), np.tanh(y), x > 1, y > 1])


@each_target
@pytest.mark.parametrize("kind", MOVES)
def test_target_is_invariant(name, kind):
    # These moves do not couple walkers, so exact draws stay independent exact draws.
    target = TARGETS[name]
    rng = np.random.default_rng(1)
    start = target.sample(N_WALKERS, rng)
    end, sampler = run(MOVES[kind](name), target, start, 6)
    assert 0.1 < np.mean(sampler.acceptance_fraction) < 0.95
    reference = moments(target.sample(200_000, rng))
    found = moments(end)
    error = reference.std(axis=0) * np.sqrt(1 / N_WALKERS + 1 / len(reference))
    z = (found.mean(axis=0) - reference.mean(axis=0)) / error
    assert np.all(np.abs(z) < 4), z


@each_target
@pytest.mark.parametrize("kind", ["independence", "crank-nicolson"])
def test_target_is_reached_from_elsewhere(name, kind):
    target = TARGETS[name]
    start = target.mean + np.random.RandomState(0).standard_normal((1000, 2))
    # Two separate bumps, or a bent tail, take a local move longer.
    n_steps = 60 if kind == "independence" or name in ("normal", "student") else 400
    end, _ = run(MOVES[kind](name), target, start, n_steps)
    error = np.sqrt(np.diag(target.covariance) / len(end))
    assert np.all(np.abs(end.mean(axis=0) - target.mean) < 4.5 * error)
    np.testing.assert_allclose(end.std(axis=0), np.sqrt(np.diag(target.covariance)), rtol=0.16)


def test_independence_from_the_target_is_always_accepted():
    target = TARGETS["student"]
    exact = StudentComponent.from_covariance(target.mean, target.covariance * 5 / 7, 7.0)
    _, sampler = run(
        IndependenceMove(MixtureProposal((exact,), np.ones(1))),
        target,
        target.sample(200, np.random.default_rng(0)),
        5,
    )
    assert np.all(sampler.acceptance_fraction == 1)


def test_crank_nicolson_on_its_own_normal_is_always_accepted():
    target = TARGETS["normal"]
    own = StudentComponent.from_covariance(target.mean, target.covariance, 30.0)
    start = target.sample(200, np.random.default_rng(0))
    _, sampler = run(CrankNicolsonMove(own, step=0.3), target, start, 5)
    assert np.all(sampler.acceptance_fraction == 1)


def test_points_of_no_density_are_never_accepted():
    def half_plane(theta):
        return np.where(theta[:, 0] > 0, TARGETS["normal"].log_prob(theta), -np.inf)

    proposal = rough_proposal("normal")
    start = np.abs(TARGETS["normal"].sample(300, np.random.default_rng(0)))
    sampler = emcee.EnsembleSampler(
        300, 2, half_plane, moves=IndependenceMove(proposal), vectorize=True
    )
    sampler.run_mcmc(start, 20, skip_initial_state_check=True)
    assert np.all(sampler.get_chain()[..., 0] > 0)


class TestTuning:
    def test_step_shrinks_when_refused_and_grows_when_accepted(self):
        move = CrankNicolsonMove(rough_component("normal"), step=0.5)
        move.tune(None, np.zeros(10, dtype=bool))
        shrunk = move.step
        assert shrunk < 0.5
        for _ in range(50):
            move.tune(None, np.ones(10, dtype=bool))
        assert shrunk < move.step <= 1.0

    def test_step_stays_in_its_range(self):
        move = CrankNicolsonMove(rough_component("normal"))
        for _ in range(2000):
            move.tune(None, np.zeros(10, dtype=bool))
        assert move.step >= 1e-3


class TestProposals:
    @pytest.mark.parametrize("df", [3.0, 25.0])
    def test_student_density_is_scipys(self, df):
        covariance = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, -0.2], [0.1, -0.2, 0.5]])
        mean = np.array([1.0, 2.0, -1.0])
        component = StudentComponent.from_covariance(mean, covariance, df)
        theta = np.random.default_rng(0).normal(size=(20, 3)) * 3
        np.testing.assert_allclose(
            component.log_prob(theta), stats.multivariate_t(mean, covariance, df).logpdf(theta)
        )
        np.testing.assert_allclose(
            np.sum(component.whiten(theta) ** 2, axis=1),
            [(t - mean) @ np.linalg.solve(covariance, t - mean) for t in theta],
        )

    def test_student_draws(self):
        component = StudentComponent.from_covariance(
            np.array([1.0, -1.0]), np.array([[2.0, 0.5], [0.5, 1.0]]), 9.0
        )
        draws = component.sample(4000, np.random.RandomState(0))
        for j, scale in enumerate(np.sqrt([2.0, 1.0])):
            truth = stats.t(9.0, loc=component.mean[j], scale=scale)
            assert stats.kstest(draws[:, j], truth.cdf).pvalue > 0.01
        np.testing.assert_allclose(np.corrcoef(draws.T)[0, 1], 0.5 / np.sqrt(2), atol=0.05)

    def test_folded_student_is_a_density_above_its_bound(self):
        folded = np.array([False, True])
        component = StudentComponent.from_covariance(
            np.array([0.5, -1.0]), np.array([[1.0, 0.4], [0.4, 0.3]]), 8.0, folded
        )
        t = np.linspace(-1, 1, 601) * np.arcsinh(100.0)
        x, width = np.sinh(t), np.cosh(t) * (t[1] - t[0])
        # The second coordinate starts at its bound, so that the grid meets the edge exactly.
        y = -1.0 + np.sinh((t + t[-1]) / 2)
        edge = np.cosh((t + t[-1]) / 2) * (t[1] - t[0]) / 2
        edge[0] /= 2
        grid = np.column_stack([a.ravel() for a in np.meshgrid(x, y, indexing="ij")])
        mass = np.exp(component.log_prob(grid)) * np.outer(width, edge).ravel()
        np.testing.assert_allclose(mass.sum(), 1, atol=1e-3)
        assert component.log_prob(np.array([[0.5, -1.001]])) == -np.inf
        draws = component.sample(4000, np.random.RandomState(0))
        assert np.all(draws[:, 1] >= -1)
        half = stats.t(8.0, loc=-1.0, scale=np.sqrt(0.3))
        assert stats.kstest(draws[:, 1], lambda v: 2 * half.cdf(v) - 1).pvalue > 0.01

    def test_mixture_integrates_to_one(self):
        t = np.linspace(-1, 1, 601) * np.arcsinh(200.0)
        x, width = np.sinh(t), np.cosh(t) * (t[1] - t[0])
        grid = np.column_stack([a.ravel() for a in np.meshgrid(x, x)])
        density = np.exp(rough_proposal("banana").log_prob(grid))
        np.testing.assert_allclose(density @ np.outer(width, width).ravel(), 1, atol=1e-4)

    def test_mixture_density_is_the_weighted_sum(self):
        proposal = rough_proposal("normal")
        theta = np.random.default_rng(0).normal(size=(7, 2))
        first, second = proposal.components
        expected = 0.8 * np.exp(first.log_prob(theta)) + 0.2 * np.exp(second.log_prob(theta))
        np.testing.assert_allclose(np.exp(proposal.log_prob(theta)), expected)

    def test_mixture_draws_come_in_no_order(self):
        bumps = [StudentComponent(np.full(1, m), np.eye(1), 50.0) for m in (-100.0, 100.0)]
        proposal = MixtureProposal(tuple(bumps), np.array([0.25, 0.75]))
        left = proposal.sample(4000, np.random.RandomState(0))[:, 0] < 0
        assert abs(left.mean() - 0.25) < 0.03
        # Walkers are cut from the draws in order: each part must see both bumps.
        assert 0.2 < left[:2000].mean() < 0.3

    def test_reweighting_finds_the_shares_of_the_target(self):
        target = TARGETS["mixture"]
        low = StudentComponent(np.full(2, -2.0), np.sqrt(0.5) * np.eye(2), 100.0)
        high = StudentComponent(np.full(2, 2.0), np.eye(2), 100.0)
        proposal = MixtureProposal((low, high, PRIOR), np.array([0.45, 0.45, 0.1]))
        theta = proposal.sample(20_000, np.random.RandomState(0))
        log_weight = target.log_prob(theta) - proposal.log_prob(theta)
        share = np.exp(log_weight) / np.exp(log_weight).sum()
        weight = proposal.reweighted(theta, share, floor=0.02).weight
        np.testing.assert_allclose(weight.sum(), 1)
        assert weight.min() >= 0.019
        # The prior takes part of the duty; between the bumps the shares are 0.3 to 0.7.
        np.testing.assert_allclose(weight[0] / weight[:2].sum(), 0.3, atol=0.03)

    def test_refitting_moves_to_the_moments_of_the_target(self):
        target = TARGETS["normal"]
        start = StudentComponent.from_covariance(np.zeros(2), 4 * np.eye(2), 12.0)
        proposal = MixtureProposal((start, PRIOR), np.array([0.95, 0.05]))
        theta = proposal.sample(20_000, np.random.RandomState(0))
        log_weight = target.log_prob(theta) - proposal.log_prob(theta)
        share = np.exp(log_weight) / np.exp(log_weight).sum()
        best = proposal.refitted(theta, share).best
        np.testing.assert_allclose(best.mean, target.mean, atol=0.1)
        np.testing.assert_allclose(best.factor @ best.factor.T, target.covariance, atol=0.25)

    def test_refitting_without_draws_changes_nothing(self):
        component = StudentComponent(np.zeros(2), np.eye(2), 5.0)
        assert component.moved_to(np.ones((3, 2)), np.zeros(3)) is component

    def test_widening_adds_wider_copies(self):
        wider = rough_proposal("normal").widened((2.0, 5.0))
        assert len(wider.components) == 4
        np.testing.assert_allclose(wider.weight.sum(), 1)
        np.testing.assert_allclose(wider.components[2].factor, 5 * wider.best.factor)
        assert wider.components[-1] is PRIOR
