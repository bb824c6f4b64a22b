import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logsumexp

import skholder.rows.blocks
from skholder.models import LinearModel, NormalNoise, StudentTNoise
from skholder.rows import RowBlocks, canonical, quantile_rows


def linear(noise=None, n_coef=3):
    return LinearModel(
        noise or NormalNoise(),
        n_coef,
        coef_prior_scale=2.5,
        log_scale_prior_scale=1.0,
        min_scale=1e-3,
    )


def make_rows(n, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack([np.ones(n), rng.normal(size=(n, 2)), rng.normal(size=n)])


def make_thetas(n_thetas, seed=1):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.normal(size=(n_thetas, 3)), rng.uniform(-1, 1, n_thetas)])


def brute_power_mean(rows, theta, gamma, weight=None):
    location = rows[:, :-1] @ theta[:-1]
    log_p = stats.norm.logpdf(rows[:, -1], loc=location, scale=np.exp(theta[-1]))
    if gamma == 0:
        return np.average(log_p, weights=weight)
    weight = np.ones(len(rows)) if weight is None else weight
    return logsumexp(gamma * log_p, b=weight / weight.sum()) / gamma


class TestPowerMean:
    @pytest.mark.parametrize("gamma", [0.0, 0.01, 0.5, 1.5])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_brute_force(self, gamma, weighted):
        # More rows and thetas than fit one block, and neither a whole number of blocks.
        rows, thetas = make_rows(1300), make_thetas(101)
        weight = np.random.default_rng(2).uniform(0, 3, 1300) if weighted else None
        found = RowBlocks(rows, weight).log_mean(linear(), thetas, gamma)
        expected = [brute_power_mean(rows, theta, gamma, weight) for theta in thetas]
        np.testing.assert_allclose(found, expected, rtol=1e-10)

    def test_student_noise(self):
        rows, thetas = make_rows(60), make_thetas(5)
        found = RowBlocks(rows).log_mean(linear(StudentTNoise()), thetas, 0.5)
        expected = []
        for theta in thetas:
            log_p = stats.t.logpdf(
                rows[:, -1], 4, loc=rows[:, :-1] @ theta[:-1], scale=np.exp(theta[-1])
            )
            expected.append(2 * np.log(np.mean(np.exp(0.5 * log_p))))
        np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_no_thetas(self):
        assert RowBlocks(make_rows(10)).log_mean(linear(), np.empty((0, 4)), 0.5).shape == (0,)

    @pytest.mark.parametrize("gamma", [0.0, 0.5])
    def test_weights_are_repeats(self, gamma):
        rows, thetas = make_rows(70), make_thetas(4)
        repeats = np.arange(70) % 4
        weighted = RowBlocks(rows, repeats.astype(float))
        written = RowBlocks(np.repeat(rows, repeats, axis=0))
        assert weighted.total_weight == written.total_weight == repeats.sum()
        np.testing.assert_allclose(
            weighted.log_mean(linear(), thetas, gamma),
            written.log_mean(linear(), thetas, gamma),
            rtol=1e-13,
        )

    @pytest.mark.parametrize("weighted", [False, True])
    def test_far_from_the_data(self, weighted):
        rows = make_rows(700)
        theta = np.array([[1e4, 0.0, 0.0, 0.0]])
        weight = np.ones(700)
        weight[:350] = 0
        log_p = stats.norm.logpdf(rows[:, -1], loc=1e4)
        kept = log_p[350:] if weighted else log_p
        found = RowBlocks(rows, weight if weighted else None).log_mean(linear(), theta, 0.5)[0]
        # The plain sum of p^gamma is exactly zero here.
        assert np.sum(np.exp(0.5 * log_p)) == 0
        expected = 2 * (np.max(0.5 * kept) + np.log(np.mean(np.exp(0.5 * (kept - kept.max())))))
        np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_density_without_a_bound(self):
        class Spike:
            """A model whose log density is the row's number itself, with no peak given."""

            def log_peak(self, theta):
                return np.zeros(len(theta))

            def log_kernel(self, theta, rows, power):
                return power * np.repeat(rows, len(theta), axis=1)

        found = RowBlocks(np.array([[2000.0], [1.0]])).log_mean(Spike(), np.zeros((1, 1)), 0.5)
        np.testing.assert_allclose(found, 2000 - np.log(2) / 0.5, rtol=1e-14)

    def test_every_density_zero(self):
        class Nothing:
            def log_peak(self, theta):
                return np.zeros(len(theta))

            def log_kernel(self, theta, rows, power):
                return np.full((len(rows), len(theta)), -np.inf)

        assert RowBlocks(np.ones((3, 1))).log_mean(Nothing(), np.zeros((1, 1)), 0.5) == -np.inf

    def test_threads_change_no_bit(self, monkeypatch):
        rows, thetas = RowBlocks(make_rows(2300), np.linspace(0.1, 2, 2300)), make_thetas(100)
        results = {}
        for n_threads in (1, 3):
            monkeypatch.setattr(skholder.rows.blocks, "effective_n_threads", lambda n=n_threads: n)
            monkeypatch.setattr(skholder.rows.blocks, "_THREAD_FROM", 1)
            monkeypatch.setattr(skholder.rows.blocks, "_THREAD_DERIVATIVES_FROM", 1)
            monkeypatch.setattr(skholder.rows.blocks, "_THREAD_DERIVATIVES_FROM", 1)
            results[n_threads] = (
                rows.log_mean(linear(), thetas, 0.5),
                *rows.score_sums(linear(), thetas[0], 0.5, 0.0),
            )
        for one, three in zip(results[1], results[3], strict=True):
            np.testing.assert_array_equal(one, three)

    @pytest.mark.parametrize("nested", [False, True])
    def test_threads_are_used_unless_the_caller_is_one(self, monkeypatch, nested):
        seen = set()

        class Watched(LinearModel):
            def log_kernel(self, theta, rows, power):
                seen.add(threading.get_ident())
                return super().log_kernel(theta, rows, power)

        watched = Watched(
            NormalNoise(), 3, coef_prior_scale=1, log_scale_prior_scale=1, min_scale=1e-3
        )
        monkeypatch.setattr(skholder.rows.blocks, "effective_n_threads", lambda: 2)
        monkeypatch.setattr(skholder.rows.blocks, "_THREAD_FROM", 1)
        rows, thetas = RowBlocks(make_rows(9000)), make_thetas(3)
        if nested:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(rows.log_mean, watched, thetas, 0.5).result()
            assert len(seen) == 1
        else:
            rows.log_mean(watched, thetas, 0.5)
            assert len(seen) == 2

    def test_kept_threads_are_started_once_and_end_with_the_rows(self, monkeypatch):
        monkeypatch.setattr(skholder.rows.blocks, "effective_n_threads", lambda: 2)
        monkeypatch.setattr(skholder.rows.blocks, "_THREAD_FROM", 1)
        plain, thetas = make_rows(9000), make_thetas(3)
        rows, seen = RowBlocks(plain, keep_threads=True), set()

        def block(part, weight):
            if threading.current_thread() is not threading.main_thread():
                seen.add(threading.current_thread())
            return (len(part),)

        for _ in range(3):
            assert rows.sums(block, len(thetas)) == [9000]
        (worker,) = seen
        assert worker.is_alive()
        del rows
        worker.join(timeout=10)
        assert not worker.is_alive()


@pytest.mark.parametrize("gamma", [0.0, 0.6])
@pytest.mark.parametrize("noise", [NormalNoise(), StudentTNoise()], ids=["normal", "student"])
def test_power_mean_terms_are_derivatives(gradient, gamma, noise):
    rows = RowBlocks(make_rows(600), np.linspace(0, 2, 600))
    model, theta = linear(noise), np.array([0.3, -0.2, 0.1, -0.4])
    terms = rows.log_mean_terms(model, theta, gamma)

    def value(t):
        return rows.log_mean(model, t[None], gamma)[0]

    np.testing.assert_allclose(terms.value, value(theta))
    np.testing.assert_allclose(terms.gradient, gradient(value, theta), rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(
        terms.hessian,
        gradient(lambda t: rows.log_mean_terms(model, t, gamma).gradient, theta),
        rtol=1e-7,
        atol=1e-8,
    )


def test_score_sums_are_relative_to_the_level():
    rows, model, theta = make_rows(50), linear(), np.array([0.3, -0.2, 0.1, -0.4])
    level = -1.2
    log_p = model.log_density(theta[None], rows)[:, 0]
    weight = np.exp(0.8 * (log_p - level))
    expected = model.score_sums(theta, rows, weight)
    found = RowBlocks(rows).score_sums(model, theta, 0.8, level)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b / 50, rtol=1e-12)


class TestSubsample:
    def test_small_data_are_kept_whole(self):
        rows = RowBlocks(make_rows(20))
        assert rows.subsample(20) is rows

    def test_rows_spread_over_the_weight(self):
        few = RowBlocks(np.arange(1000.0)[:, None]).subsample(10)
        np.testing.assert_array_equal(few.rows[:, 0], np.arange(50, 1000, 100))
        assert few.total_weight == 10

    def test_heavy_rows_come_often(self):
        weight = np.ones(1000)
        weight[7] = 999.0
        few = RowBlocks(np.arange(1000.0)[:, None], weight).subsample(100)
        assert 48 <= np.sum(few.rows[:, 0] == 7) <= 52


tables = st.integers(2, 12).flatmap(
    lambda n: st.tuples(
        st.lists(
            st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3)),
            min_size=n,
            max_size=n,
        ),
        st.lists(st.integers(1, 3), min_size=n, max_size=n),
        st.permutations(range(n)),
    )
)


class TestCanonical:
    @given(tables)
    def test_order_and_repeats_do_not_matter(self, table):
        cells, repeats, order = table
        data, repeats, order = np.array(cells, float), np.array(repeats), np.array(order)
        X, y = data[:, :2], data[:, 2]

        def weighted_set(X, y, weight):
            found = canonical(X, y, weight)
            merged = np.ones(len(found.chosen)) if found.weight is None else found.weight
            # Every row that carries weight is the row of the set that it is said to be.
            counted = found.member >= 0
            np.testing.assert_array_equal(counted, True if weight is None else weight > 0)
            owner = found.chosen[found.member[counted]]
            np.testing.assert_array_equal(X[owner], X[counted])
            np.testing.assert_array_equal(y[owner], y[counted])
            return np.column_stack([X[found.chosen], y[found.chosen], merged])

        plain = weighted_set(X, y, repeats.astype(float))
        moved = weighted_set(X[order], y[order], repeats[order].astype(float))
        written = weighted_set(np.repeat(X, repeats, axis=0), np.repeat(y, repeats), None)
        np.testing.assert_array_equal(plain, moved)
        np.testing.assert_array_equal(plain, written)
        # Independent count of the distinct rows and of their weights.
        counts = {}
        for row, k in zip(map(tuple, data), repeats, strict=True):
            counts[row] = counts.get(row, 0) + k
        assert {tuple(r[:3]): r[3] for r in plain} == counts

    def test_order_does_not_matter_for_weights_that_round(self):
        # 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 in floating point.
        X, y = np.array([[0.0], [0.0], [0.0], [1.0]]), np.zeros(4)
        weight = np.array([0.1, 0.2, 0.3, 1.0])
        order = [2, 1, 0, 3]
        np.testing.assert_array_equal(
            canonical(X, y, weight).weight, canonical(X[order], y[order], weight[order]).weight
        )

    def test_rows_without_weight_are_dropped(self):
        X, y = np.arange(4.0)[:, None], np.array([3.0, 1.0, 2.0, 0.0])
        found = canonical(X, y, np.array([1.0, 0.0, 2.5, 1.0]))
        np.testing.assert_array_equal(found.chosen, [3, 2, 0])
        np.testing.assert_array_equal(found.weight, [1.0, 2.5, 1.0])
        np.testing.assert_array_equal(found.member, [2, -1, 1, 0])

    def test_distinct_rows_have_no_weight(self):
        found = canonical(np.array([[1.0], [0.0]]), np.array([5.0, 5.0]))
        np.testing.assert_array_equal(found.chosen, [1, 0])
        assert found.weight is None

    def test_without_response(self):
        X = np.array([[1.0, 2.0], [0.0, 9.0], [1.0, 2.0], [0.0, 3.0]])
        found = canonical(X)
        np.testing.assert_array_equal(X[found.chosen], [[0, 3], [0, 9], [1, 2]])
        np.testing.assert_array_equal(found.weight, [1, 1, 2])
        np.testing.assert_array_equal(found.member, [2, 1, 2, 0])

    def test_all_rows_equal(self):
        found = canonical(np.ones((5, 2)), np.ones(5))
        assert len(found.chosen) == 1
        np.testing.assert_array_equal(found.weight, [5])


@given(
    repeats=st.lists(st.integers(0, 4), min_size=1, max_size=10).filter(any),
    levels=st.lists(st.floats(0.001, 0.999), min_size=1, max_size=5),
)
def test_quantile_rows_counts_repeats(repeats, levels):
    written = np.repeat(np.arange(len(repeats)), repeats)
    expected = written[np.floor(np.array(levels) * len(written)).astype(int)]
    np.testing.assert_array_equal(quantile_rows(np.array(repeats, float), levels), expected)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_results_of_blocks_do_not_pile_up(monkeypatch, n_threads):
    monkeypatch.setattr(skholder.rows.blocks, "effective_n_threads", lambda: n_threads)

    class Result:
        alive = most = 0

        def __init__(self):
            Result.alive += 1
            Result.most = max(Result.most, Result.alive)

        def __del__(self):
            Result.alive -= 1

    rows, n_thetas = RowBlocks(np.zeros((300 * 512, 1))), 128
    n_blocks = len(list(rows.blocks(n_thetas)))
    rows.fold(lambda rows, w: (Result(),), n_thetas, lambda a, b: a, thread_from=1)
    assert 0 < Result.most < 0.6 * n_blocks
