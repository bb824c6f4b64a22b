import numpy as np
import pytest

from skholder.rows import RowBlocks
from skholder.summaries.baselines import LeastSquares, PlainMoments


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    design = np.column_stack([np.ones(1200), rng.normal(size=(1200, 3)) * [1, 5, 0.1]])
    return design, design @ [2.0, 1.0, -0.5, 3.0] + rng.normal(size=1200)


def fit(design, y, weight=None):
    return LeastSquares.of(RowBlocks(np.column_stack([design, y]), weight))


def hat(design, weight=None):
    """Diagonal of X (X' W X)^+ X'."""
    weight = np.ones(len(design)) if weight is None else weight
    gram = design.T @ (design * weight[:, None])
    return np.einsum("ij,jk,ik->i", design, np.linalg.pinv(gram), design)


class TestLeastSquares:
    def test_against_lstsq(self, data):
        design, y = data
        found = fit(design, y)
        coef, squares, rank, _ = np.linalg.lstsq(design, y, rcond=None)
        np.testing.assert_allclose(found.coef, coef, rtol=1e-10)
        assert found.scale == pytest.approx(np.sqrt(squares[0] / (1200 - 4)))
        assert found.rank == rank == 4

    def test_rounding_errors_of_a_constant_column_are_no_column(self, data):
        design, y = data
        noise = np.column_stack([design, 1e-310 * np.sign(design[:, 1])])
        found = fit(noise, y)
        assert found.rank == 4
        assert np.all(np.isfinite(found.coef))

    def test_leverage(self, data):
        design, y = data
        found = fit(design, y)
        leverage = found.leverage(design)
        np.testing.assert_allclose(leverage, hat(design), rtol=1e-9)
        assert leverage.sum() == pytest.approx(4)
        assert leverage.mean() == pytest.approx(found.mean_leverage)

    def test_a_weight_is_a_number_of_copies(self, data):
        design, y = data
        weight = np.random.default_rng(1).integers(0, 4, 1200)
        weighted = fit(design, y, weight.astype(float))
        copies = np.repeat(np.arange(1200), weight)
        repeated = fit(design[copies], y[copies])
        np.testing.assert_allclose(weighted.coef, repeated.coef, rtol=1e-10)
        assert weighted.scale == pytest.approx(repeated.scale)
        np.testing.assert_allclose(
            weighted.leverage(design), hat(design, weight.astype(float)), rtol=1e-9
        )
        np.testing.assert_allclose(
            weighted.leverage(design)[copies], repeated.leverage(design[copies]), rtol=1e-9
        )

    def test_collinear_columns(self, data):
        design, y = data
        wide = np.column_stack([design, design[:, 1] + design[:, 2], np.zeros(1200)])
        found = fit(wide, y)
        assert found.rank == 4
        np.testing.assert_allclose(wide @ found.coef, design @ fit(design, y).coef, rtol=1e-8)
        np.testing.assert_allclose(found.leverage(wide), hat(design), rtol=1e-8)

    def test_more_columns_than_rows(self):
        rng = np.random.default_rng(2)
        design, y = rng.normal(size=(4, 9)), rng.normal(size=4)
        found = fit(design, y)
        assert found.rank == 4
        np.testing.assert_allclose(design @ found.coef, y, rtol=1e-6)
        np.testing.assert_allclose(found.leverage(design), 1.0, rtol=1e-8)
        assert np.isnan(found.scale)

    def test_no_columns(self):
        found = fit(np.empty((5, 0)), np.arange(5.0))
        assert found.rank == 0
        assert found.scale == pytest.approx(np.sqrt(np.mean(np.arange(5.0) ** 2)))

    @pytest.mark.parametrize("size", [1e-150, 1e150, 1e300])
    def test_numbers_of_any_size(self, data, size):
        design, y = data
        plain, found = fit(design, y), fit(design * size, y)
        np.testing.assert_allclose(found.coef * size, plain.coef, rtol=1e-9)
        np.testing.assert_allclose(found.leverage(design * size), plain.leverage(design), rtol=1e-9)
        # A single huge value has all the leverage and makes no square overflow.
        spoiled = design.copy()
        spoiled[7, 1] = max(size, 1e10)
        assert fit(spoiled, y * size).leverage(spoiled)[7] == pytest.approx(1)


class TestPlainMoments:
    def test_against_numpy(self):
        rng = np.random.default_rng(3)
        X, weight = rng.normal(5, 2, size=(50, 3)), rng.integers(0, 3, 50)
        X[:, 2] = 7.0
        found = PlainMoments.of(X)
        np.testing.assert_allclose(found.mean, X.mean(axis=0))
        np.testing.assert_allclose(found.sd, X.std(axis=0), atol=1e-14)
        weighted, repeated = PlainMoments.of(X, weight), np.repeat(X, weight, axis=0)
        np.testing.assert_allclose(weighted.mean, repeated.mean(axis=0))
        np.testing.assert_allclose(weighted.sd, repeated.std(axis=0), atol=1e-14)

    def test_large_numbers_and_zeros(self):
        X = np.column_stack([np.array([1.0, 3.0]) * 1e300, np.zeros(2), [-2.0, -4.0]])
        found = PlainMoments.of(X)
        np.testing.assert_allclose(found.mean, [2e300, 0, -3])
        np.testing.assert_allclose(found.sd, [1e300, 0, 1])
