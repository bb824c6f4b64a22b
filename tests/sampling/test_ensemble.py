import numpy as np
import pytest
from sklearn.utils import check_random_state
from targets import TARGETS, RegressionLike

from skholder.models import NormalPrior
from skholder.sampling import (
    MixtureProposal,
    StudentComponent,
    default_walkers,
    ess_mean,
    fit_proposal,
    r_hat,
    sample,
)

PRIOR = NormalPrior(np.zeros(2), np.full(2, 4.0), np.full(2, -np.inf))


def proposal_at(mean, covariance, *more):
    bumps = [StudentComponent.from_covariance(np.array(mean), np.array(covariance), 22.0), *more]
    proportions = np.append(np.full(len(bumps), 0.95 / len(bumps)), 0.05)
    return MixtureProposal((*bumps, PRIOR), proportions)


def fitted_for(name, seed=0):
    target = TARGETS[name]
    if name == "mixture":
        other = StudentComponent(np.full(2, -2.0), np.eye(2), 22.0)
        start = proposal_at([2.0, 2.0], np.eye(2), other)
    else:
        start = proposal_at(target.mean, target.covariance)
    return fit_proposal(target.with_blob, start, 400, np.random.RandomState(seed))


SEEDS = [11, 12, 13, 14]


@pytest.mark.parametrize("name", TARGETS)
def test_moments_of_closed_form_targets(name):
    target = TARGETS[name]
    samples = sample(
        target.with_blob, fitted_for(name), n_per_ensemble=4000, n_walkers=40, seeds=SEEDS
    )
    assert samples.theta.shape == (4, 40, 100, 2)
    assert samples.kept.shape == (4, 40, 100, 1)
    for j in range(2):
        draws = samples.theta[..., j]
        sd = np.sqrt(target.covariance[j, j])
        assert abs(draws.mean() - target.mean[j]) < 4 * sd / np.sqrt(ess_mean(draws))
        # Few draws of the bent tail carry much of its variance.
        np.testing.assert_allclose(draws.std(), sd, rtol=0.15 if name == "banana" else 0.05)
        assert r_hat(draws) < 1.01
    product = np.prod(samples.theta - target.mean, axis=-1)
    error = product.std() / np.sqrt(ess_mean(product))
    assert error < 0.1
    assert abs(product.mean() - target.covariance[0, 1]) < 4 * error


def test_values_belong_to_their_draws():
    target = TARGETS["banana"]
    samples = sample(
        target.with_blob, fitted_for("banana"), n_per_ensemble=200, n_walkers=10, seeds=SEEDS
    )
    flat = samples.theta.reshape(-1, 2)
    np.testing.assert_allclose(samples.log_prob.ravel(), target.log_prob(flat), rtol=1e-9)
    np.testing.assert_allclose(samples.kept.ravel(), flat.sum(axis=1), rtol=1e-9, atol=1e-9)


def test_values_belong_to_draws_of_modes_of_very_different_widths():
    # Seen from the narrow mode, the other one is 1e70 standard deviations away.
    sd = np.array([1e-70, 1.0])
    narrow = StudentComponent.from_covariance(
        np.zeros(2), np.outer(sd, sd) * [[1.0, 0.9], [0.9, 1.0]], 22.0
    )
    wide = StudentComponent(np.array([1.0, 3.0]), np.eye(2), 22.0)
    law = MixtureProposal((narrow, wide), np.array([0.5, 0.5]))

    def target(theta):
        return np.column_stack([law.log_prob(theta), theta[:, 1]])

    start = MixtureProposal((narrow, wide, PRIOR), np.array([0.48, 0.48, 0.04]))
    fitted = fit_proposal(target, start, 400, np.random.RandomState(0))
    samples = sample(target, fitted, n_per_ensemble=2000, n_walkers=40, seeds=SEEDS)
    np.testing.assert_allclose(samples.kept[..., 0], samples.theta[..., 1], atol=1e-9)
    near = np.abs(samples.theta[..., 0]) < 1e-60
    assert near.mean() == pytest.approx(0.5, abs=0.05)
    assert samples.theta[..., 1].mean() == pytest.approx(1.5, abs=0.1)
    assert samples.theta[near][:, 1].std() == pytest.approx(1.0, abs=0.1)


def test_jobs_change_no_bit():
    target, fitted = TARGETS["banana"], fitted_for("banana")
    one, two = (
        sample(
            target.with_blob, fitted, n_per_ensemble=200, n_walkers=10, seeds=SEEDS, n_jobs=n_jobs
        )
        for n_jobs in (1, 2)
    )
    for name in ("theta", "kept", "log_prob", "acceptance", "n_evaluations"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_ensembles_differ_and_seeds_decide():
    target, fitted = TARGETS["normal"], fitted_for("normal")
    kwargs = {"n_per_ensemble": 40, "n_walkers": 8}
    first = sample(target.with_blob, fitted, seeds=[1, 2], **kwargs).theta
    again = sample(target.with_blob, fitted, seeds=[1, 2], **kwargs).theta
    other = sample(target.with_blob, fitted, seeds=[3, 4], **kwargs).theta
    np.testing.assert_array_equal(first, again)
    assert not np.any(first[0] == first[1])
    assert not np.all(first == other)


def test_global_random_state_is_left_alone():
    shared = check_random_state(None)
    before = shared.get_state()
    sample(
        TARGETS["normal"].with_blob,
        fitted_for("normal"),
        n_per_ensemble=40,
        n_walkers=8,
        seeds=SEEDS,
    )
    after = shared.get_state()
    np.testing.assert_array_equal(after[1], before[1])
    assert after[2:] == before[2:]


class Counting:
    """A target that counts the points it is asked for."""

    def __init__(self, target):
        self.target, self.count = target, 0

    def __call__(self, theta):
        self.count += len(theta)
        return self.target.with_blob(theta)


@pytest.mark.parametrize("far", [False, True], ids=["good proposal", "poor proposal"])
def test_evaluations_are_counted(far):
    counting = Counting(TARGETS["normal"])
    start = proposal_at([6.0, 6.0], 0.01 * np.eye(2)) if far else None
    target = TARGETS["normal"]
    start = start or proposal_at(target.mean, target.covariance)
    fitted = fit_proposal(counting, start, 100, np.random.RandomState(0), n_rounds=2)
    assert fitted.n_evaluations == counting.count
    counting.count = 0
    samples = sample(counting, fitted, n_per_ensemble=60, n_walkers=6, seeds=[1, 2])
    assert samples.n_evaluations == counting.count


@pytest.mark.filterwarnings("error")
def test_poor_proposal_still_finds_the_target():
    # One narrow bump far out: the pilot must widen and move it.
    target = TARGETS["banana"]
    fitted = fit_proposal(
        target.with_blob,
        proposal_at([3.0, -3.0], 0.05 * np.eye(2)),
        400,
        np.random.RandomState(0),
    )
    samples = sample(target.with_blob, fitted, n_per_ensemble=4000, n_walkers=40, seeds=SEEDS)
    for j in range(2):
        draws, sd = samples.theta[..., j], np.sqrt(target.covariance[j, j])
        assert abs(draws.mean() - target.mean[j]) < 4 * sd / np.sqrt(ess_mean(draws))
        np.testing.assert_allclose(draws.std(), sd, rtol=0.08)


def test_local_moves_join_where_independence_steps_are_refused():
    # A target much narrower than anything proposed, with no pilot rounds to adapt.
    target, narrow = TARGETS["normal"], 0.02

    def tight(theta):
        log_prob = target.log_prob(target.mean + (theta - 1.0) / narrow)
        return np.column_stack([log_prob, theta[:, 0]])

    fitted = fit_proposal(
        tight, proposal_at([0.0, 0.0], np.eye(2)), 800, np.random.RandomState(0), n_rounds=1
    )
    assert fitted.acceptance < 0.05
    samples = sample(tight, fitted, n_per_ensemble=4000, n_walkers=40, seeds=SEEDS)
    for j in range(2):
        draws, sd = samples.theta[..., j], narrow * np.sqrt(target.covariance[j, j])
        assert abs(draws.mean() - 1.0) < 4 * sd / np.sqrt(ess_mean(draws))
        np.testing.assert_allclose(draws.std(), sd, rtol=0.1)


def test_walkers_start_inside_the_support():
    def half_plane(theta):
        log_prob = np.where(theta[:, 0] > 0.5, TARGETS["normal"].log_prob(theta), -np.inf)
        return np.column_stack([log_prob, theta[:, 0]])

    start = proposal_at([0.5, -1.0], TARGETS["normal"].covariance)
    fitted = fit_proposal(half_plane, start, 200, np.random.RandomState(0))
    samples = sample(half_plane, fitted, n_per_ensemble=400, n_walkers=20, seeds=SEEDS)
    assert np.all(samples.theta[..., 0] > 0.5)
    assert np.all(np.isfinite(samples.log_prob))


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_a_target_that_fails_is_heard_of_by_its_error_alone(error, together, capfd):
    fitted = fitted_for("normal")

    def broken(theta):
        raise error

    with pytest.raises(error):
        sample(broken, fitted, n_per_ensemble=100, n_walkers=40, seeds=SEEDS, together=together)
    assert capfd.readouterr() == ("", "")


def test_progress_reaches_its_total():
    calls = []
    sample(
        TARGETS["normal"].with_blob,
        fitted_for("normal"),
        n_per_ensemble=40,
        n_walkers=8,
        seeds=[1, 2],
        progress=lambda steps, total: calls.append((steps, total)),
    )
    assert sum(steps for steps, _ in calls) == calls[0][1]


def test_default_walkers():
    assert default_walkers(3, 1000) == 100
    assert default_walkers(3, 250) == 40
    assert default_walkers(3, 1000, many=False) == 40
    # Steps matter more than walkers there, in many dimensions too.
    assert default_walkers(100, 16_000, many=False) == 40
    assert default_walkers(30, 250) == 62
    # Few draws wanted: no more walkers than draws, but enough for the stretch move.
    assert default_walkers(3, 12) == 12
    assert default_walkers(3, 2) == default_walkers(3, 2, many=False) == 8


class TestMassFarFromTheMode:
    """Many coefficients and few rows: the scale's mass lies sds above the mode."""

    def drawn(self, target, n_per_ensemble, **kwargs):
        fitted = fit_proposal(
            target.with_blob, target.laplace_proposal(), 824, np.random.RandomState(0), **kwargs
        )
        samples = sample(
            target.with_blob, fitted, n_per_ensemble=n_per_ensemble, n_walkers=None, seeds=SEEDS
        )
        return fitted, samples

    @pytest.mark.parametrize("n_per_ensemble", [1000, 4000])
    def test_ensembles_agree_on_the_truth(self, n_per_ensemble):
        target = RegressionLike(n_rows=300, n_coef=100)
        fitted, samples = self.drawn(target, n_per_ensemble, curve=target.curve)
        assert np.max(r_hat(samples.theta)) < 1.01
        log_scale = samples.theta[..., -1]
        error = log_scale.std() / np.sqrt(ess_mean(log_scale))
        assert error < 0.05 * log_scale.std()
        assert abs(log_scale.mean() - target.mean_log_scale) < 4 * error
        # Less than four evaluations for each of the four ensembles' draws.
        assert fitted.n_evaluations + samples.n_evaluations < 4 * 4 * n_per_ensemble

    def test_a_longer_run_is_never_worse_without_curvature(self):
        # The proposal is useless then, and local steps must do: slowly, but to the same end.
        target, found = RegressionLike(n_rows=150, n_coef=50), []
        for n_per_ensemble in (600, 2400):
            fitted, samples = self.drawn(target, n_per_ensemble, n_rounds=1)
            assert fitted.acceptance < 0.1
            log_scale = samples.theta[..., -1]
            bias = log_scale.mean() - target.mean_log_scale
            found.append((r_hat(log_scale), abs(bias) / log_scale.std()))
        short, long = found
        assert long[0] < min(short[0], 1.01)
        assert long[1] < 0.1
