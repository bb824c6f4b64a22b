"""Laws of a fit: units, order, weights and threads do not matter."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils import check_random_state

from skholder import HolderBayesRegressor
from skholder.rows import blocks

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def fit(X, y, weight=None, **kwargs):
    model = HolderBayesRegressor(**{"n_draws": 400, "random_state": 0, **kwargs})
    return model.fit(X, y, sample_weight=weight)


@pytest.fixture(scope="module")
def data(contaminated):
    X, y, *_ = contaminated(60, 2, 0.15)
    return X, y


@pytest.fixture(scope="module")
def fitted(data):
    return fit(*data)


def assert_same_draws(one, two):
    assert one.posterior_.keys() == two.posterior_.keys()
    for name, draws in one.posterior_.items():
        np.testing.assert_array_equal(draws, two.posterior_[name], err_msg=name)
    assert one.temperature_ == two.temperature_


positive = st.floats(-3, 3).map(lambda x: 10.0**x)


@settings(max_examples=6)
@given(
    a=st.tuples(positive, positive),
    b=st.tuples(st.floats(-100, 100), st.floats(-100, 100)),
    c=positive,
    d=st.floats(-1e3, 1e3),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_units_do_not_matter(data, fitted, a, b, c, d):
    X, y = data
    other = fit(X * a + b, c * y + d)
    np.testing.assert_allclose(other.epsilon_, fitted.epsilon_, rtol=1e-6)
    np.testing.assert_allclose(other.fod_scores_, fitted.fod_scores_, atol=0.006)
    np.testing.assert_allclose(other.temperature_, fitted.temperature_, rtol=1e-6)
    np.testing.assert_allclose(
        (other.predict(X * a + b) - d) / c, fitted.predict(X), rtol=1e-5, atol=1e-5
    )
    np.testing.assert_allclose(other.coef_ * a / c, fitted.coef_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        other.log_density_ + np.log(c), fitted.log_density_, rtol=1e-5, atol=1e-5
    )
    _, sd = other.predict(X * a + b, return_std=True)
    np.testing.assert_allclose(sd / c, fitted.predict(X, return_std=True)[1], rtol=1e-5)


@pytest.mark.parametrize("kwargs", [{}, {"divergence": "gamma"}, {"noise": "student_t"}])
def test_order_does_not_matter(data, kwargs):
    X, y = data
    order = np.random.default_rng(0).permutation(len(X))
    plain, moved = fit(X, y, **kwargs), fit(X[order], y[order], **kwargs)
    assert_same_draws(plain, moved)
    np.testing.assert_array_equal(moved.log_density_, plain.log_density_[order])
    if "alpha" in plain.posterior_:
        np.testing.assert_array_equal(moved.fod_scores_, plain.fod_scores_[order])


@settings(max_examples=4)
@given(st.lists(st.integers(0, 3), min_size=60, max_size=60).filter(lambda k: sum(k) > 50))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::skholder.exceptions.HolderBayesWarning")
def test_weights_are_repeats(data, repeats):
    X, y = data
    repeats = np.array(repeats)
    weighted = fit(X, y, repeats.astype(float))
    written = fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))
    assert_same_draws(weighted, written)
    np.testing.assert_array_equal(
        weighted.outlier_count_posterior_, written.outlier_count_posterior_
    )
    owner = np.repeat(np.arange(60), repeats)
    np.testing.assert_array_equal(weighted.log_density_[owner], written.log_density_)
    averaged = np.bincount(owner, written.fod_scores_, minlength=60)[repeats > 0]
    np.testing.assert_allclose(
        weighted.fod_scores_[repeats > 0], averaged / repeats[repeats > 0], atol=1e-9
    )


@pytest.mark.parametrize("kwargs", [{"divergence": "kl"}, {"inference": "laplace"}])
def test_weights_are_repeats_in_other_fits(data, kwargs):
    X, y = data
    repeats = np.arange(60) % 3 + 1
    weighted = fit(X, y, repeats.astype(float), **kwargs)
    assert_same_draws(weighted, fit(np.repeat(X, repeats, axis=0), np.repeat(y, repeats), **kwargs))


def test_rows_without_weight_are_as_if_absent(data):
    X, y = data
    weight = np.ones(60)
    weight[::4] = 0
    assert_same_draws(fit(X, y, weight), fit(X[weight > 0], y[weight > 0]))


def test_unit_weights_change_no_bit(data, fitted):
    assert_same_draws(fit(*data, np.ones(60)), fitted)


class Pools:
    """Stands for ThreadPoolExecutor and counts how often row blocks asked for one."""

    def __init__(self):
        self.made = 0

    def __call__(self, n_threads):
        self.made += 1
        return ThreadPoolExecutor(n_threads)


def test_jobs_and_threads_change_no_bit(contaminated, monkeypatch):
    # With one job, row blocks have threads of their own; with two, each ensemble has one.
    X, y, *_ = contaminated(3000, 2, 0.1)
    plain = fit(X, y, n_draws=80)
    monkeypatch.setattr(blocks, "_THREAD_FROM", 10_000)
    monkeypatch.setattr(blocks, "effective_n_threads", lambda: 3)
    for n_jobs in (1, 2):
        pools = Pools()
        monkeypatch.setattr(blocks, "ThreadPoolExecutor", pools)
        found = fit(X, y, n_jobs=n_jobs, n_draws=80)
        assert pools.made > 0
        assert_same_draws(found, plain)
        np.testing.assert_array_equal(found.fod_scores_, plain.fod_scores_)
        np.testing.assert_array_equal(found.log_density_, plain.log_density_)


def test_random_state_decides(data, fitted):
    assert_same_draws(fit(*data), fitted)
    other = fit(*data, random_state=1)
    assert not np.any(other.posterior_["scale"] == fitted.posterior_["scale"])


def test_global_random_state_is_left_alone(data):
    shared = check_random_state(None)
    before = shared.get_state()
    model = fit(*data)
    model.sample_y(data[0], random_state=0)
    after = shared.get_state()
    np.testing.assert_array_equal(after[1], before[1])
    assert after[2:] == before[2:]


def test_data_are_left_alone(data):
    X, y = data
    kept = X.copy(), y.copy()
    fit(X, y)
    np.testing.assert_array_equal(X, kept[0])
    np.testing.assert_array_equal(y, kept[1])
