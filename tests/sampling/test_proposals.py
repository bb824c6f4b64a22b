import numpy as np
import pytest
from scipy import stats
from targets import TARGETS

from skholder.models import NormalPrior
from skholder.sampling import MixtureProposal, StudentComponent

PRIOR = NormalPrior(np.zeros(2), np.full(2, 4.0), np.full(2, -np.inf))


def rough_proposal(name):
    """Off-centre and of the wrong shape."""
    target = TARGETS[name]
    component = StudentComponent.from_covariance(
        target.mean + 0.4, 1.3 * target.covariance + 0.2 * np.eye(2), 10.0
    )
    return MixtureProposal((component, PRIOR), np.array([0.8, 0.2]))


@pytest.mark.parametrize("df", [3.0, 25.0])
def test_student_density_is_scipys(df):
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


def test_student_draws():
    component = StudentComponent.from_covariance(
        np.array([1.0, -1.0]), np.array([[2.0, 0.5], [0.5, 1.0]]), 9.0
    )
    draws = component.sample(4000, np.random.RandomState(0))
    for j, scale in enumerate(np.sqrt([2.0, 1.0])):
        truth = stats.t(9.0, loc=component.mean[j], scale=scale)
        assert stats.kstest(draws[:, j], truth.cdf).pvalue > 0.01
    np.testing.assert_allclose(np.corrcoef(draws.T)[0, 1], 0.5 / np.sqrt(2), atol=0.05)


def test_folded_student_is_a_density_above_its_bound():
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


def test_mixture_integrates_to_one():
    t = np.linspace(-1, 1, 601) * np.arcsinh(200.0)
    x, width = np.sinh(t), np.cosh(t) * (t[1] - t[0])
    grid = np.column_stack([a.ravel() for a in np.meshgrid(x, x)])
    density = np.exp(rough_proposal("banana").log_prob(grid))
    np.testing.assert_allclose(density @ np.outer(width, width).ravel(), 1, atol=1e-4)


def test_mixture_density_is_the_weighted_sum():
    proposal = rough_proposal("normal")
    theta = np.random.default_rng(0).normal(size=(7, 2))
    first, second = proposal.components
    expected = 0.8 * np.exp(first.log_prob(theta)) + 0.2 * np.exp(second.log_prob(theta))
    np.testing.assert_allclose(np.exp(proposal.log_prob(theta)), expected)


def test_mixture_draws_come_in_no_order():
    bumps = [StudentComponent(np.full(1, m), np.eye(1), 50.0) for m in (-100.0, 100.0)]
    proposal = MixtureProposal(tuple(bumps), np.array([0.25, 0.75]))
    left = proposal.sample(4000, np.random.RandomState(0))[:, 0] < 0
    assert abs(left.mean() - 0.25) < 0.03
    # Walkers are cut from the draws in order: each part must see both bumps.
    assert 0.2 < left[:2000].mean() < 0.3


def test_proportions_follow_the_target():
    target = TARGETS["mixture"]
    low = StudentComponent(np.full(2, -2.0), np.sqrt(0.5) * np.eye(2), 100.0)
    high = StudentComponent(np.full(2, 2.0), np.eye(2), 100.0)
    proposal = MixtureProposal((low, high, PRIOR), np.array([0.45, 0.45, 0.1]))
    theta = proposal.sample(20_000, np.random.RandomState(0))
    ratio = np.exp(target.log_prob(theta) - proposal.log_prob(theta))
    share = ratio / ratio.sum()
    found = proposal.reapportioned(theta, share, floor=0.02).proportions
    np.testing.assert_allclose(found.sum(), 1)
    assert found.min() >= 0.019
    # The prior takes part of the duty; between the bumps the shares are 0.3 to 0.7.
    np.testing.assert_allclose(found[0] / found[:2].sum(), 0.3, atol=0.03)


def test_refitting_moves_to_the_moments_of_the_target():
    target = TARGETS["normal"]
    start = StudentComponent.from_covariance(np.zeros(2), 4 * np.eye(2), 12.0)
    proposal = MixtureProposal((start, PRIOR), np.array([0.95, 0.05]))
    theta = proposal.sample(20_000, np.random.RandomState(0))
    ratio = np.exp(target.log_prob(theta) - proposal.log_prob(theta))
    share = ratio / ratio.sum()
    best = proposal.refitted(theta, share).best
    np.testing.assert_allclose(best.mean, target.mean, atol=0.1)
    np.testing.assert_allclose(best.factor @ best.factor.T, target.covariance, atol=0.25)


def test_refitting_without_draws_changes_nothing():
    component = StudentComponent(np.zeros(2), np.eye(2), 5.0)
    assert component.moved_to(np.ones((3, 2)), np.zeros(3)) is component


def test_widening_adds_wider_copies():
    wider = rough_proposal("normal").widened((2.0, 5.0))
    assert len(wider.components) == 4
    np.testing.assert_allclose(wider.proportions.sum(), 1)
    np.testing.assert_allclose(wider.components[2].factor, 5 * wider.best.factor)
    assert wider.components[-1] is PRIOR


def test_carrying_takes_copies_along_and_leaves_the_rest():
    other = StudentComponent(np.full(2, 5.0), np.eye(2), 9.0)
    first = StudentComponent(np.zeros(2), np.array([[2.0, 0.0], [1.0, 3.0]]), 9.0)
    proposal = MixtureProposal((first, other, PRIOR), np.array([0.6, 0.3, 0.1])).widened((2.0,))
    mean, factor = np.array([1.0, -1.0]), np.array([[0.5, 0.0], [0.2, 0.4]])
    moved = proposal.carried(first, mean, factor)
    np.testing.assert_array_equal(moved.proportions, proposal.proportions)
    assert moved.components[1] is other
    # The prior has the mean of the first component, but is none of its copies.
    assert moved.components[-1] is PRIOR
    for component, width in ((moved.best, 1.0), (moved.components[2], 2.0)):
        np.testing.assert_array_equal(component.mean, mean)
        np.testing.assert_allclose(component.factor, width * factor)
