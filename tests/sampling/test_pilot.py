"""Fitting a proposal, and where the walkers start."""

from types import SimpleNamespace

import numpy as np
import pytest
from targets import TARGETS, RegressionLike

from skholder.models import NormalPrior
from skholder.sampling import (
    FittedProposal,
    MixtureProposal,
    StudentComponent,
    fit_proposal,
    nearest_normal,
)

PRIOR = NormalPrior(np.zeros(2), np.full(2, 4.0), np.full(2, -np.inf))


def proposal_at(mean, covariance):
    bump = StudentComponent.from_covariance(np.array(mean), np.array(covariance), 22.0)
    return MixtureProposal((bump, PRIOR), np.array([0.95, 0.05]))


def test_target_that_is_zero_everywhere():
    def nothing(theta):
        return np.column_stack([np.full(len(theta), -np.inf), theta[:, 0]])

    with pytest.raises(ValueError, match="too far apart in size"):
        fit_proposal(nothing, proposal_at([0.0, 0.0], np.eye(2)), 50, np.random.RandomState(0))


def test_expected_acceptance_is_that_of_independence_steps():
    # For a normal target and a normal-like proposal it can be had by brute force over pairs.
    target = TARGETS["normal"]
    fitted = fit_proposal(
        target.with_blob,
        proposal_at(target.mean, 1.5 * target.covariance),
        3000,
        np.random.RandomState(0),
        n_rounds=1,
    )
    rng = np.random.RandomState(1)
    start = proposal_at(target.mean, 1.5 * target.covariance)
    at = target.sample(20_000, np.random.default_rng(0))
    new = start.sample(20_000, rng)
    log_ratio = target.log_prob(new) - start.log_prob(new)
    log_ratio -= target.log_prob(at) - start.log_prob(at)
    expected = np.mean(np.minimum(1, np.exp(log_ratio)))
    np.testing.assert_allclose(fitted.acceptance, expected, atol=0.03)


class TestCurvature:
    """A target in many dimensions whose mass lies far from its mode."""

    target = RegressionLike(n_rows=180, n_coef=60)

    def fitted(self, curve, n_pilot=500, **kwargs):
        return fit_proposal(
            self.target.with_blob,
            self.target.laplace_proposal(),
            n_pilot,
            np.random.RandomState(0),
            curve=curve,
            **kwargs,
        )

    def test_the_normal_at_the_mode_is_useless(self):
        assert self.fitted(None, n_rounds=1).acceptance < 0.1

    def test_the_nearest_normal_fits(self):
        fitted = self.fitted(self.target.curve)
        assert fitted.acceptance > 0.5
        # Two pilots and 40 curvatures.
        assert fitted.n_evaluations == 2 * 500 + 40

    def test_wider_copies_move_along(self):
        fitted = self.fitted(self.target.curve)
        best, wide = fitted.proposal.components[0], fitted.proposal.components[2]
        np.testing.assert_array_equal(wide.mean, best.mean)
        np.testing.assert_allclose(wide.factor, 3.0 * best.factor)

    def test_curvatures_are_asked_for_only_where_the_fit_is_poor(self):
        def never(theta):
            raise AssertionError("a good proposal needs no curvature")

        target = TARGETS["normal"]
        start = proposal_at(target.mean, target.covariance)
        fitted = fit_proposal(target.with_blob, start, 200, np.random.RandomState(0), curve=never)
        assert fitted.n_evaluations == 200

    def test_a_component_against_its_bound_is_left_there(self):
        folded = StudentComponent(np.zeros(1), np.eye(1), 9.0, np.array([True]))
        prior = NormalPrior(np.zeros(1), np.ones(1), np.zeros(1))
        proposal = MixtureProposal((folded, prior), np.array([0.95, 0.05]))

        def narrow(theta):
            return np.column_stack([np.where(theta >= 0, -50 * theta, -np.inf), theta])

        def never(theta):
            raise AssertionError("curvature says nothing at a bound")

        random = np.random.RandomState(0)
        fitted = fit_proposal(narrow, proposal, 400, random, curve=never)
        assert fitted.proposal.best.mean == 0
        assert fitted.acceptance > 0.5


def misleading(theta):
    """The curvature of another density, far away."""
    step = theta - 50.0
    return SimpleNamespace(value=0.0, gradient=-step, hessian=-np.eye(2))


def test_the_best_round_counts():
    target = TARGETS["normal"]
    start = proposal_at(target.mean + 1.5, 2 * target.covariance)
    random = np.random.RandomState(0)
    first = fit_proposal(target.with_blob, start, 300, random, n_rounds=1)
    assert first.acceptance < 0.5
    led_astray = fit_proposal(
        target.with_blob, start, 300, np.random.RandomState(0), curve=misleading, n_rounds=2
    )
    assert led_astray.acceptance == first.acceptance
    assert led_astray.n_evaluations == 640


def test_few_draws_do_not_move_many_dimensions():
    # Moments of 500 weighted draws in 61 dimensions would only blur the proposal.
    target = RegressionLike(n_rows=70, n_coef=60)
    asked = []

    def counting(theta):
        asked.append(len(theta))
        return target.with_blob(theta)

    fitted = fit_proposal(
        counting,
        target.laplace_proposal(),
        500,
        np.random.RandomState(0),
        curve=target.curve,
    )
    assert fitted.acceptance < 0.5
    assert asked == [500, 500]


def pilot(acceptance, share=(0, 0, 0.25, 0, 0, 0.75, 0, 0)):
    """Eight pilot draws, of which the target knows draws 2 and 5 only, 5 three times as well."""
    theta = np.arange(8.0)[:, None]
    values = np.zeros((8, 1))
    return FittedProposal(None, acceptance, theta, values, np.array(share), n_evaluations=8)


@pytest.mark.parametrize("acceptance", [0.9, 0.5, 0.1])
def test_walkers_start_at_resampled_draws(acceptance):
    theta, values = pilot(acceptance).starts(0, 1, 8)
    np.testing.assert_array_equal(np.sort(theta[:, 0]), [2, 2, 5, 5, 5, 5, 5, 5])
    assert values.shape == (8, 1)
    # Each ensemble has a part of its own: the odd draws know only 5.
    np.testing.assert_array_equal(pilot(acceptance).starts(1, 2, 3)[0][:, 0], [5, 5, 5])


def test_an_ensemble_whose_part_knows_nothing_shares_the_pilot():
    theta, _ = pilot(0.9).starts(0, 8, 4)
    np.testing.assert_array_equal(np.sort(theta[:, 0]), [2, 5, 5, 5])


def test_one_heavy_draw_does_not_start_every_walker():
    share = np.array([0.99] + [0.01 / 7] * 7)
    started, _ = pilot(0.1, share).starts(0, 1, 8)
    assert len(np.unique(started)) >= 4
    # A pilot that knows the target is taken at its word.
    np.testing.assert_array_equal(pilot(0.9, share).starts(0, 1, 8)[0][:, 0], np.zeros(8))


def test_nearest_normal_is_what_the_pilot_uses():
    target = RegressionLike(n_rows=180, n_coef=60)
    start = target.laplace_proposal()
    fitted = fit_proposal(
        target.with_blob, start, 500, np.random.RandomState(0), curve=target.curve
    )
    fit = nearest_normal(
        target.curve, start.best.mean, start.best.factor, np.random.RandomState(1), n_pairs=100
    )
    scale = np.sqrt(np.sum(fit.factor**2, axis=1))
    assert np.max(np.abs(fitted.proposal.best.mean - fit.mean) / scale) < 0.6
