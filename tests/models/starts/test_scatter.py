import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skholder.models import EllipticalModel, NormalRadial
from skholder.models.starts.scatter import minimum_covariance_determinant, scatter_starts


def contaminated(n, k, share, *, shift=10.0, seed=0):
    """Correlated rows of which the first share was moved away."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, k)) @ np.linalg.cholesky(0.5 * np.eye(k) + 0.5).T
    rows[: round(share * n)] = shift + rng.normal(size=(round(share * n), k))
    return rows, np.arange(n) >= round(share * n)


def distance(pair, location, scatter):
    """Largest error of a pair, in standard deviations and in relative variance."""
    sd = np.sqrt(np.diag(scatter))
    off = np.max(np.abs(pair[0] - location) / sd)
    return max(off, np.max(np.abs(pair[1] - scatter) / np.outer(sd, sd)))


@pytest.mark.parametrize(("k", "share"), [(1, 0.3), (2, 0.35), (5, 0.25), (10, 0.2)])
def test_some_start_fits_the_clean_rows(k, share):
    rows, clean = contaminated(400, k, share)
    scatter = np.cov(rows[clean], rowvar=False).reshape(k, k)
    pairs = scatter_starts(rows, None, np.random.RandomState(0), 1e-4)
    errors = [distance(pair, rows[clean].mean(axis=0), scatter) for pair in pairs]
    assert min(errors) < 0.5


def test_wide_data_start_from_a_diagonal_scatter():
    # Too wide for the minimum covariance determinant; the concentration steps must do.
    rows, clean = contaminated(400, 60, 0.3)
    pairs = scatter_starts(rows, None, np.random.RandomState(0), 1e-4)
    middle, spread = rows[clean].mean(axis=0), rows[clean].var(axis=0)
    near = [
        np.max(np.abs(location - middle)) < 0.5
        and np.all(np.abs(np.log(np.diag(scatter) / spread)) < 0.7)
        for location, scatter in pairs
    ]
    assert any(near)


def test_moments_come_first():
    rows, _ = contaminated(100, 3, 0.1)
    location, scatter = scatter_starts(rows, None, np.random.RandomState(0), 1e-4)[0]
    np.testing.assert_allclose(location, rows.mean(axis=0))
    np.testing.assert_allclose(scatter, np.cov(rows, rowvar=False, ddof=0))


@settings(max_examples=5)
@given(seed=st.integers(0, 1000))
def test_weights_are_repeats(seed):
    rows, _ = contaminated(60, 2, 0.1, seed=seed)
    repeats = np.random.default_rng(seed).integers(1, 4, size=60)
    weighted = scatter_starts(rows, repeats.astype(float), np.random.RandomState(0), 1e-4)
    written = scatter_starts(np.repeat(rows, repeats, axis=0), None, np.random.RandomState(0), 1e-4)
    # The moments agree to rounding; the others see a sample of as many rows as there are.
    for found, expected in zip(weighted[0], written[0], strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    for (one, _), (two, _) in zip(weighted, written, strict=True):
        np.testing.assert_allclose(one, two, atol=0.6)


def test_rows_without_weight_are_not_seen():
    rows, clean = contaminated(300, 2, 0.4)
    weight = clean.astype(float)
    pairs = scatter_starts(rows, weight, np.random.RandomState(0), 1e-4)
    for location, _ in pairs:
        assert np.max(np.abs(location - rows[clean].mean(axis=0))) < 0.5


@pytest.mark.parametrize("kind", ["constant", "collinear", "tied", "huge"])
def test_scatters_have_a_theta(kind):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 3))
    if kind == "constant":
        rows[:, 1] = 0.0
    elif kind == "collinear":
        rows[:, 1] = rows[:, 0] - rows[:, 2]
    elif kind == "tied":
        rows[:60] = 0.0
    else:
        # A few rows so far out along a line that all other directions drown in rounding.
        rows[:5] += 1e9
    model = EllipticalModel(
        3,
        NormalRadial(),
        full=True,
        location_prior_scale=2.5,
        log_scale_prior_scale=1.0,
        min_scale=1e-3,
    )
    for location, scatter in scatter_starts(rows, None, np.random.RandomState(0), 1e-4):
        theta = model.theta_of(location, scatter)
        assert np.all(np.isfinite(theta))
        found = model.scatter(theta[None])[0]
        np.testing.assert_allclose(found, scatter, atol=1e-3 * np.max(scatter))
        assert np.linalg.eigvalsh(scatter)[0] > 0.5e-4


class TestMinimumCovarianceDeterminant:
    def test_same_seed_same_result(self):
        rows, _ = contaminated(200, 3, 0.3)
        one = minimum_covariance_determinant(rows, np.random.RandomState(3))
        two = minimum_covariance_determinant(rows, np.random.RandomState(3))
        np.testing.assert_array_equal(one[1], two[1])

    def test_global_state_is_left_alone(self):
        rows, _ = contaminated(200, 3, 0.3)
        before = np.random.get_state()[1].copy()
        minimum_covariance_determinant(rows, np.random.RandomState(3))
        np.testing.assert_array_equal(np.random.get_state()[1], before)

    def test_many_rows_are_thinned_evenly(self):
        # Rows in sorted order: the first five hundred alone would tell nothing of the rest.
        rows, _ = contaminated(5000, 2, 0.2)
        rows = rows[np.argsort(rows[:, 0])]
        location, _ = minimum_covariance_determinant(rows, np.random.RandomState(0))
        assert np.max(np.abs(location)) < 0.3

    def test_nothing_where_it_fails(self):
        assert minimum_covariance_determinant(np.zeros((1, 2)), np.random.RandomState(0)) is None


def test_no_start_is_owned_by_far_rows_of_three_tenths_of_the_weight():
    rows = np.random.default_rng(0).normal(size=(20, 3))
    rows[:2, 1:] = 1e70
    weight = np.append([4.0, 4.0], np.ones(18))
    for location, scatter in scatter_starts(rows, weight, np.random.RandomState(0), 1e-4):
        assert np.max(np.abs(location)) < 1e5
        assert np.max(np.abs(scatter)) < 1e10


def test_far_rows_among_tied_ones_are_drawn_in():
    # More than half of the rows are equal, which leaves no width but that of the quartiles.
    rows = np.zeros((12, 1))
    rows[8:, 0] = [0.5, 1.0, 1.0, -1e51]
    for location, scatter in scatter_starts(rows, None, np.random.RandomState(0), 1e-6):
        assert np.all(np.abs(location) < 1e5)
        assert np.all(scatter < 1e10)
