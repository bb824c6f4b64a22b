"""Calibrated counts: identities, the mixture's parts, and when the Hölder conditional stays."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import skholder.audit.calibrated_counts
from skholder import HolderBayesRegressor
from skholder.audit import count_rows, outlier_counts
from skholder.audit.calibrated_counts import calibrated_counts
from skholder.audit.row_tally import RowTally
from skholder.posterior import AlphaPrior, InfluenceValues

FLAT = AlphaPrior(1.0, 1.0, 0.5)
# Modes whose scale leans on its floor of exp(-7).
SPIKES = (
    SimpleNamespace(at_floor=True, theta=np.array([0.0, -6.5])),
    SimpleNamespace(at_floor=False, theta=np.array([0.0, -6.7])),
)


def values_of(rho, b, d=2):
    """Influence values with a given rho and b; theta has nothing to do with rho."""
    n = len(b)
    return InfluenceValues(
        theta=np.zeros(d),
        gamma=0.5,
        value=0.0,
        rho=rho,
        b=b,
        a=None,
        rho_variance=float(b @ b) / n**2,
        covariance=np.eye(d) / n,
        cross=np.zeros(d),
        log_det_curvature=0.0,
    )


def counted(k_hat, sd, n=400, tails=None, certain=0, prior=FLAT, bias=0.0, size=4000, **kwargs):
    """Counts of n rows whose K-hat and its sd are these; the first ``certain`` rows are sure."""
    tails = (np.arange(n) + 0.5) / n if tails is None else tails
    tails = np.sort(tails)[::-1].copy()
    is_certain = np.arange(n) < certain
    tails[:certain] = 1e-12
    # b + z - mean z has this sum of squares.
    noise = np.resize([1.0, -1.0], n) * sd / np.sqrt(n)
    b = noise - is_certain + certain / n
    return calibrated_counts(
        SimpleNamespace(count_bias=lambda gamma: bias),
        values_of(1 - (k_hat + bias) / n, b),
        RowTally.of(b, kwargs.get("weight", np.ones(n)), tails, float(n)),
        None,
        np.random.default_rng(0).normal(size=(size, 2)) / np.sqrt(n),
        prior,
        np.random.RandomState(0),
    )


def test_identities():
    found = counted(40.0, 4.0, bias=3.0)
    assert found.estimate == pytest.approx(40.0)
    assert found.sd == pytest.approx(4.0)
    assert found.certain == 0
    assert found.counts.dtype == np.int64
    assert found.counts.mean() == pytest.approx(40.0, abs=0.2)
    assert found.counts.std() == pytest.approx(4.0, abs=0.2)


def test_counts_follow_theta_whatever_its_units():
    # One coefficient explains all of K; that of a column of huge numbers has tiny ones.
    counts, sd = [], 4.0
    for unit in (1.0, 1e-70):
        scale = np.array([1.0, unit])
        covariance = np.outer(scale, scale) * np.array([[1.0, 0.5], [0.5, 2.0]]) / 400
        values = dataclasses.replace(
            values_of(0.9, np.resize([1.0, -1.0], 400) * sd / 20),
            covariance=covariance,
            cross=covariance @ (np.array([0.0, 0.1]) / scale),
        )
        tally = RowTally.of(values.b, np.ones(400), (np.arange(400)[::-1] + 0.5) / 400, 400.0)
        theta = np.random.default_rng(1).normal(size=(500, 2)) / 20 * scale
        args = (values, tally, None, theta, FLAT, np.random.RandomState(0))
        counts.append(calibrated_counts(SimpleNamespace(count_bias=lambda gamma: 0.0), *args))
        assert np.corrcoef(theta[:, 1] / unit, counts[-1].counts)[0, 1] < -0.3
    np.testing.assert_array_equal(counts[0].counts, counts[1].counts)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (30.0, 2.0)])
def test_share_given_count_is_beta(a, b):
    found = counted(40.0, 4.0, prior=AlphaPrior(a, b, 0.5))
    # Beta(b + K, a + n - K): its mean, and its spread on top of that of K.
    total, k = a + b + 400, found.counts
    assert found.epsilon.mean() == pytest.approx(np.mean((b + k) / total), abs=1e-3)
    inner = stats.beta(b + k.mean(), a + 400 - k.mean()).std()
    assert found.epsilon.std() == pytest.approx(np.hypot(inner, k.std() / total), rel=0.06)


@pytest.mark.parametrize("certain", [3, 30])
def test_rows_that_cannot_be_inliers_are_always_counted(certain):
    found = counted(float(certain), 3.0, certain=certain)
    assert found.certain == certain
    assert found.sd == pytest.approx(3.0)
    assert found.clean_probability < 1e-6
    assert found.counts.min() == certain
    # They alone are an explanation of their own.
    assert np.mean(found.counts == certain) > 0.3


def test_certain_rows_are_counted_by_weight():
    weight = np.ones(400)
    weight[:2] = 3.0
    found = counted(6.0, 3.0, certain=2, weight=weight)
    assert found.certain == 6.0
    assert found.counts.min() == 6


@pytest.mark.parametrize(
    ("k_hat", "low", "high"), [(0.0, 0.7, 1.0), (6.0, 0.2, 1.0), (30.0, 0.0, 1e-6)]
)
def test_clean_probability(k_hat, low, high):
    found = counted(k_hat, 4.0)
    assert low <= found.clean_probability <= high
    assert np.mean(found.counts == 0) == pytest.approx(
        found.clean_probability, abs=0.03 + (1 - found.clean_probability) / 10
    )
    # A clean table has a clean population.
    assert np.mean(found.epsilon == 0) == pytest.approx(found.clean_probability, abs=0.02)


def test_a_crowd_of_unlikely_rows_speaks_against_clean():
    n = 400
    crowd = (np.arange(n) + 0.5) / n
    crowd[:15] = 1.0 / n
    assert counted(2.0, 4.0, tails=crowd).clean_probability < 0.05
    assert counted(2.0, 4.0).clean_probability > 0.5


def test_prior_of_alpha():
    # The slope of the log prior of K moves a normal posterior by sd^2 times itself, at K = 60:
    # 9 / 60 + ... for Beta(1, 10), -99 / 340 for Beta(100, 1).
    flat, many, few = (
        counted(60.0, 8.0, prior=AlphaPrior(*shapes, 0.5)).counts.mean()
        for shapes in ((1.0, 1.0), (1.0, 10.0), (100.0, 1.0))
    )
    assert flat == pytest.approx(60.0, abs=0.3)
    assert many - flat == pytest.approx(64 * 9 / 65, abs=1.5)
    assert few - flat == pytest.approx(-64 * 99 / 350, abs=2.5)


def test_max_contamination_cuts_counts_and_shares():
    found = counted(60.0, 10.0, prior=AlphaPrior(1.0, 1.0, 0.875))
    assert found.counts.max() == 50
    assert found.epsilon.max() <= 0.125
    # Cut, not heaped: shares are drawn below the limit.
    assert len(np.unique(found.epsilon)) > 3900
    above = counted(60.0, 10.0, certain=60, prior=AlphaPrior(1.0, 1.0, 0.875))
    assert np.all(above.counts == 50)


def test_counts_follow_the_draws_as_rho_does():
    n, size = 400, 4000
    theta = np.random.default_rng(0).normal(size=(size, 1)) / np.sqrt(n)
    values = InfluenceValues(
        theta=np.zeros(1),
        gamma=0.5,
        value=0.0,
        rho=0.9,
        b=np.resize([0.2, -0.2], n),
        a=None,
        rho_variance=0.04 / n,
        covariance=np.eye(1) / n,
        cross=np.array([0.16 / n]),
        log_det_curvature=0.0,
    )
    tails = (np.arange(n) + 0.5) / n
    tally = RowTally.of(values.b, np.ones(n), tails, n)
    model = SimpleNamespace(count_bias=lambda gamma: 0.0)
    found = calibrated_counts(model, values, tally, None, theta, FLAT, np.random.RandomState(0))
    # Correlation of rho and theta: 0.16 / 0.2 = 0.8, and K falls where rho rises.
    assert np.corrcoef(found.counts, theta[:, 0])[0, 1] == pytest.approx(-0.8, abs=0.05)


class TestWhichMethod:
    @pytest.fixture(autouse=True)
    def _no_second_fit(self, monkeypatch):
        monkeypatch.setattr(skholder.audit.calibrated_counts, "doubled_power", lambda *args: None)

    def result(self, **kwargs):
        alpha = np.linspace(0.7, 0.9, 50)
        draws = SimpleNamespace(
            alpha=alpha,
            gamma=0.5,
            theta=np.zeros((50, 2)),
            model=SimpleNamespace(
                count_bias=lambda gamma: 0.0,
                prior=SimpleNamespace(lower=np.array([-np.inf, -7.0])),
                spiky=np.array([False, True]),
                parameter_names=("location", "log_scale"),
            ),
        )
        given = {
            "draws": draws,
            "mode_share": 1.0,
            "modes": [SimpleNamespace(at_floor=False, theta=np.array([0.0, -6.5]))],
            **kwargs,
        }
        return SimpleNamespace(**given)

    def counted(self, method="calibrated", rho=0.8, certain=0, tails=None, prior=FLAT, **kwargs):
        n = 100
        rows = SimpleNamespace(total_weight=float(n))
        table = SimpleNamespace(weight=np.ones(n), rows=rows, design_weight=None)
        values = values_of(rho, np.resize([0.2, -0.2], n))
        if tails is None:
            tails = np.where(np.arange(n) < certain, 0.0, (np.arange(n) + 0.5) / n)
        return count_rows(
            self.result(**kwargs), table, values, tails, prior, method, np.random.RandomState(0)
        )

    def test_calibrated_where_one_mode_holds_the_draws(self):
        assert np.isfinite(self.counted().sd)
        assert np.isfinite(self.counted(mode_share=0.95).clean_probability)

    @pytest.mark.parametrize(
        "case",
        [
            {"method": "holder"},
            {"mode_share": 0.94},
            {"mode_share": 0.94, "modes": SPIKES[:1]},
            {"method": "holder", "modes": SPIKES[:1]},
        ],
    )
    def test_the_conditional_of_alpha_where_not(self, case):
        found = self.counted(**case)
        epsilon = 1 - np.linspace(0.7, 0.9, 50)
        np.testing.assert_array_equal(found.epsilon, epsilon)
        np.testing.assert_array_equal(found.counts, outlier_counts(epsilon, 100.0))
        assert np.isnan(found.clean_probability)

    @pytest.mark.parametrize("spike", SPIKES)
    @pytest.mark.parametrize("certain", [0, 1, 15])
    def test_at_the_floor_the_rows_beyond_it_are_counted(self, spike, certain):
        # The scale is held wider than the rows ask for: S / C leaves no room for others.
        found = self.counted(modes=[spike], rho=1.05 - certain / 100, certain=certain)
        np.testing.assert_array_equal(found.counts, certain)
        assert found.epsilon.mean() == pytest.approx((certain + 1) / 102, abs=0.02)
        assert np.isnan(found.clean_probability)

    @pytest.mark.parametrize("certain", [0, 12, 20])
    def test_at_the_floor_with_room_for_others(self, certain):
        found = self.counted(modes=SPIKES[:1], rho=0.2, certain=certain)
        paper = outlier_counts(1 - np.linspace(0.7, 0.9, 50), 100.0)
        assert set(found.counts) <= set(paper)
        assert found.counts.min() >= certain
        assert np.all(found.epsilon <= 0.5)
        if certain == 0:
            np.testing.assert_array_equal(found.counts, paper)

    def test_at_the_floor_rows_next_to_gross_ones_are_undecided(self):
        tails = np.where(np.arange(100) < 5, 0.0, (np.arange(100) - 4.5) / 100)
        found = self.counted(modes=SPIKES[:1], rho=1.0, tails=tails)
        assert set(found.counts) == {5, 6}
        assert 0.1 < np.mean(found.counts == 6) < 0.6

    def test_at_the_floor_no_more_rows_than_the_limit(self):
        narrow = AlphaPrior(1.0, 1.0, 0.9)
        found = self.counted(modes=SPIKES[:1], rho=0.9, certain=12, prior=narrow)
        np.testing.assert_array_equal(found.counts, 10)
        assert found.epsilon.max() <= 0.1

    def test_a_spike_with_many_rows_off_it_is_no_exact_fit(self):
        found = self.counted(modes=SPIKES[:1], rho=0.8, certain=21)
        np.testing.assert_array_equal(found.epsilon, 1 - np.linspace(0.7, 0.9, 50))

    def test_no_alpha_no_counts(self):
        found = self.counted(draws=SimpleNamespace(alpha=None))
        assert found.counts is None
        assert found.epsilon is None


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_of_a_fit(contaminated, epsilon):
    X, y, outlier, _ = contaminated(300, epsilon=epsilon, shift=9.0)
    model = HolderBayesRegressor(inference="laplace", n_draws=1000, random_state=0).fit(X, y)
    low, high = np.quantile(model.outlier_count_posterior_, [0.025, 0.975])
    assert low <= outlier.sum() <= high
    assert high - low < 15
    assert (model.clean_probability_ > 0.5) == (epsilon == 0)


def test_a_band_of_thousands_of_rows_speaks_against_a_clean_table():
    n, full = 20_000, 6_000
    tails = np.append(np.full(full, 2.0 / n), np.linspace(0.01, 1, n - full))
    assert counted(0.0, 5.0, n=n, tails=tails).clean_probability < 1e-6


def test_a_table_of_billions_is_counted_in_steps_without_loss():
    # With K-hat = 0 and a flat prior, the odds of clean fall as 1 / sd: nothing else may change,
    # although the wider law has too many counts to look at each.
    odds = []
    for sd in (1e3, 1e5):
        sums = dict.fromkeys(("certain", "first", "shift", "cross", "square"), 0.0)
        tally = RowTally(total=1e10, near=1.0, band=3.0, second=sd**2, least=1.0, **sums)
        found = calibrated_counts(
            SimpleNamespace(count_bias=lambda gamma: 0.0),
            values_of(1.0, np.zeros(10)),
            tally,
            None,
            np.zeros((400, 2)),
            FLAT,
            np.random.RandomState(0),
        )
        assert found.sd == pytest.approx(sd)
        odds.append((1 - found.clean_probability) / found.clean_probability / sd)
    assert odds[1] == pytest.approx(odds[0], rel=5e-3)
