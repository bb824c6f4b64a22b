import emcee
import numpy as np
import pytest
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


@pytest.mark.parametrize("step", [0.3, 1.0])
def test_crank_nicolson_leaves_the_scale_free_density_alone(step):
    # |z|^-d is no probability density, but a step in either direction is as likely under it.
    component = rough_component("normal")
    start = component.mean + np.random.default_rng(0).normal(size=(200, 2))

    def log_prob(theta):
        return -2 * np.log(np.linalg.norm(component.whiten(theta), axis=1))

    move = CrankNicolsonMove(component, step=step)
    sampler = emcee.EnsembleSampler(200, 2, log_prob, moves=move, vectorize=True)
    sampler.run_mcmc(start, 5, skip_initial_state_check=True)
    assert np.all(sampler.acceptance_fraction == 1)


def test_crank_nicolson_is_as_good_where_the_target_is_wider():
    # In 50 dimensions walkers of a target twice as wide as the component lie far out of it.
    component = StudentComponent(np.zeros(50), np.eye(50), 70.0)
    accepted = []
    for width in (1.0, 2.0):
        start = width * np.random.default_rng(0).normal(size=(100, 50))
        sampler = emcee.EnsembleSampler(
            100,
            50,
            lambda theta, width=width: -0.5 * np.sum((theta / width) ** 2, axis=1),
            moves=CrankNicolsonMove(component, step=0.5),
            vectorize=True,
        )
        state = emcee.State(start, random_state=np.random.RandomState(0).get_state())
        sampler.run_mcmc(state, 40, skip_initial_state_check=True)
        accepted.append(np.mean(sampler.acceptance_fraction))
    assert accepted[0] > 0.5
    np.testing.assert_allclose(accepted[1], accepted[0], atol=0.03)


def test_crank_nicolson_is_finite_at_the_centre():
    component = rough_component("normal")
    start = np.tile(component.mean, (4, 1))
    state = emcee.State(start, random_state=np.random.RandomState(0).get_state())
    sampler = emcee.EnsembleSampler(
        4, 2, TARGETS["normal"].log_prob, moves=CrankNicolsonMove(component), vectorize=True
    )
    end = sampler.run_mcmc(state, 3, skip_initial_state_check=True)
    assert np.all(np.isfinite(end.coords))


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


class Leaky:
    """Draws on both sides of zero, and calls those below it impossible."""

    def sample(self, size, random):
        return random.standard_normal((size, 2))

    def log_prob(self, theta):
        return np.where(theta[:, 0] > 0, -0.5 * np.sum(theta**2, axis=1), -np.inf)


def test_draws_that_their_proposal_rules_out_are_refused():
    proposal = Leaky()
    start = np.abs(np.random.default_rng(0).normal(size=(200, 2)))
    sampler = emcee.EnsembleSampler(
        200, 2, proposal.log_prob, moves=IndependenceMove(proposal), vectorize=True
    )
    sampler.run_mcmc(start, 5, skip_initial_state_check=True)
    assert np.all(sampler.get_chain()[..., 0] > 0)
    # Every draw on the right side is taken.
    np.testing.assert_allclose(np.mean(sampler.acceptance_fraction), 0.5, atol=0.07)


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
