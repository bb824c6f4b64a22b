"""Robust distances: a cluster stands out, honest rows do not."""

import numpy as np
import pytest
from scipy.stats import chi2

from skholder.models.starts import robust_distances


def excess(X, weight=None, seed=0):
    weight = np.ones(len(X)) if weight is None else weight
    return robust_distances(X, weight, np.random.RandomState(seed)).excess


def cluster(n=400, k=4, share=0.3, shift=6.0, seed=0):
    """Normal rows of which the first share sits together, in the direction of no axis."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, k))
    far = np.arange(n) < share * n
    X[far] = shift / np.sqrt(k) * np.resize([1, -1], k) * 1.5 + 0.2 * X[far]
    return X, far


@pytest.mark.parametrize("share", [0.1, 0.3])
@pytest.mark.parametrize("k", [2, 5])
def test_a_tight_cluster_stands_out(share, k):
    X, far = cluster(k=k, share=share)
    found = excess(X)
    assert found[far].min() > 1.5
    assert np.mean(found[~far] > 1) < 0.1
    assert np.mean(found[~far] > 2) < 0.02


@pytest.mark.parametrize("k", [1, 3, 8])
def test_clean_rows_exceed_as_often_as_they_should(k):
    X = np.random.default_rng(1).normal(size=(2000, k))
    # The larger of two distances, each beyond its limit in one row of forty.
    assert 0.015 < np.mean(excess(X) > 1) < 0.09


def test_joint_distance_is_mahalanobis_at_the_normal():
    rng = np.random.default_rng(2)
    mix = np.array([[2.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 0.1]])
    Z = rng.normal(size=(500, 3))
    found = excess(Z @ mix + 7.0)
    joint = np.sum(Z**2, axis=1) / chi2(3).ppf(0.975)
    X = Z @ mix
    own = np.max(X**2 / np.diag(mix.T @ mix), axis=1) / chi2(1).ppf(1 - 0.025 / 3)
    truth = np.maximum(joint, own)
    assert np.corrcoef(found, truth)[0, 1] > 0.97
    assert np.median(found / truth) == pytest.approx(1.0, abs=0.2)


def test_units_and_directions_hardly_matter():
    X, far = cluster(k=3)
    rng = np.random.default_rng(3)
    one = excess(X)
    np.testing.assert_allclose(excess(X * [1e-6, 1.0, 1e5] + [3.0, -1e3, 0.0]), one, rtol=1e-6)
    turned = excess(X @ np.linalg.qr(rng.normal(size=(3, 3)))[0])
    assert np.all(turned[far] > 1)
    assert np.mean((turned > 1) == (one > 1)) > 0.95


def test_discrete_columns_have_no_distance():
    rng = np.random.default_rng(4)
    dummies = (rng.random((300, 3)) < 0.05).astype(float)
    np.testing.assert_array_equal(excess(dummies), 0.0)
    np.testing.assert_array_equal(excess(np.ones((50, 2))), 0.0)
    x = rng.normal(size=(300, 1))
    np.testing.assert_array_equal(excess(np.hstack([dummies, x])), excess(x))


def test_few_rows_have_no_distance():
    X = np.random.default_rng(5).normal(size=(8, 4))
    np.testing.assert_array_equal(excess(X), 0.0)


def test_weights_are_repeats():
    X, _ = cluster(n=120, k=2, share=0.2)
    X = X[np.lexsort(X.T)]
    weight = np.random.default_rng(6).integers(1, 4, len(X))
    again = np.repeat(np.arange(len(X)), weight)
    np.testing.assert_allclose(excess(X, weight.astype(float))[again], excess(X[again]))


def test_gross_values_do_not_overflow():
    X, _ = cluster(k=2)
    X[0] = 1e200
    found = excess(X)
    assert found[0] == np.inf or found[0] > 1e100
    assert np.all(np.isfinite(found[1:]))


def test_collinear_columns():
    x = np.random.default_rng(7).normal(size=(200, 1))
    found = excess(np.hstack([x, 2 * x]))
    assert np.all(np.isfinite(found))
    assert np.mean(found > 1) < 0.1


def test_the_farthest_row_of_a_normal_design_is_expected():
    far = 0
    for seed in range(20):
        X = np.random.default_rng(seed).normal(size=(4000, 6))
        found = robust_distances(X, np.ones(4000), np.random.RandomState(0))
        far += found.excess.max() > found.by_chance
    assert far <= 2
    X[0] = 9.0
    found = robust_distances(X, np.ones(4000), np.random.RandomState(0))
    assert found.excess[0] > 2 * found.by_chance


@pytest.mark.parametrize(("n", "k"), [(60, 1), (400, 3), (4000, 6)])
def test_chance_is_that_of_the_farthest_row(n, k):
    X = np.random.default_rng(0).normal(size=(n, k))
    found = robust_distances(X, np.ones(n), np.random.RandomState(0)).by_chance
    joint = chi2.isf(0.05 / n, k) / chi2.ppf(0.975, k)
    own = chi2.isf(0.05 / n / k, 1) / chi2.isf(0.025 / k, 1)
    assert found == pytest.approx(1.15 * max(joint, own), rel=1e-9)
