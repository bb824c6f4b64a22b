from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skholder.divergences import DensityPower
from skholder.estimators.whitening import Whitening
from skholder.models import EllipticalModel, NormalRadial
from skholder.posterior import AlphaPrior, HolderPosterior, covariance_rule
from skholder.rows import RowBlocks

seeds = st.integers(0, 10**6)


def correlated(n=80, k=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, k)) @ rng.normal(size=(k, k)) + rng.normal(scale=5, size=k)


def affine(k, seed):
    """A well conditioned matrix and a shift."""
    rng = np.random.default_rng(seed)
    left, right = (stats.ortho_group.rvs(k, random_state=rng) for _ in range(2))
    return left * np.exp(rng.uniform(-1.5, 1.5, size=k)) @ right, rng.normal(scale=3, size=k)


def full(X, weight=None):
    return Whitening.full(X, weight, np.random.RandomState(0))


class TestFull:
    @given(k=st.integers(2, 6), seed=seeds)
    def test_whitens_and_returns(self, k, seed):
        X = correlated(k=k, seed=seed)
        map_ = full(X)
        z = map_.apply(X)
        np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(np.cov(z, rowvar=False, ddof=0), np.eye(k), atol=1e-7)
        np.testing.assert_allclose(map_.centre + z @ map_.backward, X, rtol=1e-7, atol=1e-7)
        assert map_.n_lost == 0
        _, log_det = np.linalg.slogdet(np.cov(X, rowvar=False, ddof=0))
        np.testing.assert_allclose(map_.log_volume, log_det / 2, atol=1e-6)

    def test_volume_of_columns_of_all_sizes(self):
        map_ = full(correlated(k=3))
        size = np.array([1e-100, 1.0, 1e120])
        stretched = replace(map_, backward=map_.backward * size)
        np.testing.assert_allclose(stretched.log_volume - map_.log_volume, np.log(size).sum())
        padded = replace(stretched, backward=np.insert(stretched.backward, 1, 0.0, axis=1))
        np.testing.assert_allclose(padded.log_volume, stretched.log_volume)

    def test_one_column(self):
        X = correlated(k=1)
        z = full(X).apply(X)
        np.testing.assert_allclose([z.mean(), z.std()], [0, 1], atol=1e-12)

    def test_weights(self):
        X = correlated()
        weight = np.random.default_rng(1).uniform(0, 3, size=len(X))
        z = full(X, weight).apply(X)
        np.testing.assert_allclose(weight @ z, 0, atol=1e-9)
        covariance = np.cov(z, rowvar=False, aweights=weight, ddof=0)
        np.testing.assert_allclose(covariance, np.eye(3), atol=1e-9)

    @given(k=st.integers(2, 5), seed=seeds)
    def test_affine_changes_only_rotate(self, k, seed):
        X = correlated(k=k, seed=seed)
        matrix, shift = affine(k, seed)
        one, two = full(X), full(X @ matrix + shift)
        z, turned = one.apply(X), two.apply(X @ matrix + shift)
        np.testing.assert_allclose(turned @ turned.T, z @ z.T, atol=1e-6)
        _, log_det = np.linalg.slogdet(matrix)
        np.testing.assert_allclose(two.log_volume, one.log_volume + log_det, atol=1e-6)

    @given(seed=seeds, powers=st.tuples(*[st.integers(-30, 30)] * 3))
    def test_changes_of_units_do_nothing(self, seed, powers):
        X = correlated(seed=seed)
        scaled = X * 10.0 ** np.array(powers) + 10.0 ** np.array(powers)
        np.testing.assert_allclose(full(scaled).apply(scaled), full(X).apply(X), atol=1e-8)

    @pytest.mark.parametrize("kind", ["constant", "collinear", "both"])
    def test_directions_without_spread_are_left_out(self, kind):
        X = correlated(k=4)
        if kind in ("constant", "both"):
            X[:, 1] = 7.5
        if kind in ("collinear", "both"):
            X[:, 3] = 2 * X[:, 0] - X[:, 2]
        lost = 2 if kind == "both" else 1
        map_ = full(X)
        assert map_.n_lost == lost
        z = map_.apply(X)
        np.testing.assert_allclose(np.cov(z, rowvar=False, ddof=0), np.eye(4 - lost), atol=1e-7)
        # Nothing of the rows themselves is lost.
        np.testing.assert_allclose(map_.centre + z @ map_.backward, X, atol=1e-7)

    def test_fewer_rows_than_columns(self):
        X = correlated(n=4, k=6)
        map_ = full(X)
        assert map_.n_lost == 3
        np.testing.assert_allclose(map_.centre + map_.apply(X) @ map_.backward, X, atol=1e-7)

    @pytest.mark.parametrize("size", [1e2, 1e6, 1e9])
    @pytest.mark.parametrize("kind", ["cloud", "point", "line"])
    def test_gross_outliers_do_not_squeeze_the_others(self, size, kind):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300, 2)) @ np.array([[1.0, 0.7], [0.0, 0.5]])
        clean = slice(30, None)
        X[:30] = {
            "cloud": size * rng.normal(size=(30, 2)),
            "point": np.array([size, 0.0]) + rng.normal(size=(30, 2)),
            "line": size + rng.normal(size=(30, 2)),
        }[kind]
        map_ = full(X)
        assert map_.n_lost == 0
        z = map_.apply(X[clean])
        assert np.all(np.abs(np.median(z, axis=0)) < 0.5)
        spread = np.linalg.eigvalsh(np.cov(z, rowvar=False))
        assert np.all((spread > 0.05) & (spread < 2))

    def test_mild_outliers_leave_the_covariance_in_charge(self):
        # Replacing it by a robust one would be a matter of taste; only gross ones demand it.
        X = correlated(300)
        X[:30] += 4 * X.std(axis=0)
        covariance = np.cov(full(X).apply(X), rowvar=False, ddof=0)
        np.testing.assert_allclose(covariance, np.eye(3), atol=1e-9)


class TestColumns:
    def test_standard(self):
        X = correlated()
        map_ = Whitening.columns(X, None)
        np.testing.assert_allclose(map_.apply(X), stats.zscore(X), atol=1e-12)
        np.testing.assert_allclose(map_.log_volume, np.log(X.std(axis=0)).sum())

    def test_constant_column_is_left_out(self):
        X = correlated()
        X[:, 0] = -3.0
        map_ = Whitening.columns(X, None)
        assert map_.n_lost == 1
        np.testing.assert_allclose(map_.apply(X), stats.zscore(X[:, 1:]), atol=1e-12)
        np.testing.assert_allclose(map_.centre + map_.apply(X) @ map_.backward, X, atol=1e-9)

    def test_ratio_has_median_one_and_keeps_zero(self):
        X = np.random.default_rng(0).gamma(2, 3, size=(50, 2)) * [1, 1e6]
        map_ = Whitening.columns(X, None, "ratio")
        np.testing.assert_allclose(np.median(map_.apply(X), axis=0), 1)
        np.testing.assert_array_equal(map_.apply(np.zeros((1, 2))), 0)

    def test_ratio_of_mostly_zeros(self):
        X = np.zeros((50, 1))
        X[:10] = 5.0
        z = Whitening.columns(X, None, "ratio").apply(X)
        np.testing.assert_allclose(z.mean(), 1)

    def test_none(self):
        X = correlated()
        map_ = Whitening.columns(X, None, "none")
        np.testing.assert_array_equal(map_.apply(X), X)
        assert map_.log_volume == 0


def log_posterior(model, map_, X, gamma):
    """Log posterior of (location, covariance) of X with respect to the invariant measure."""
    rows = map_.apply(X)
    beta = covariance_rule(rows, None, gamma / 2)
    posterior = HolderPosterior(
        model, RowBlocks(rows), DensityPower(), gamma, beta, AlphaPrior(1.0, 1.0, 0.5)
    )

    def evaluate(location, covariance):
        theta = model.theta_of(
            map_.apply(location[None])[0], map_.forward.T @ covariance @ map_.forward
        )
        measure = np.arange(model.k) @ theta[model.k : 2 * model.k]
        calibrated = model.calibration(theta, gamma, 0.9)
        return posterior.log_prob(theta[None])[0, 0] - measure, calibrated

    return evaluate


@given(k=st.integers(2, 4), seed=seeds, gamma=st.floats(0.1, 1.0))
def test_collapsed_posterior_is_affine_equivariant(k, seed, gamma):
    X = correlated(n=60, k=k, seed=seed)
    X[:6] += 6 * X.std(axis=0)
    matrix, shift = affine(k, seed + 1)
    changed = X @ matrix + shift
    model = EllipticalModel(
        k,
        NormalRadial(),
        full=True,
        location_prior_scale=2.5,
        log_scale_prior_scale=1.0,
        min_scale=1e-3,
    )
    here = log_posterior(model, full(X), X, gamma)
    there = log_posterior(model, full(changed), changed, gamma)
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(4):
        location = X.mean(axis=0) + 0.3 * X.std(axis=0) * rng.normal(size=k)
        tilt = np.eye(k) + 0.2 * rng.normal(size=(k, k))
        covariance = tilt.T @ np.cov(X, rowvar=False) @ tilt
        one = here(location, covariance)
        two = there(location @ matrix + shift, matrix.T @ covariance @ matrix)
        found.append([*one, *two])
    value, beta, value_changed, beta_changed = np.transpose(found)
    assert np.ptp(value) > 0.1
    np.testing.assert_allclose(value_changed - value_changed[0], value - value[0], atol=1e-6)
    np.testing.assert_allclose(beta_changed, beta, rtol=1e-7)
