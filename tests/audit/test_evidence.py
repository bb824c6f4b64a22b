from types import SimpleNamespace

import numpy as np
import pytest

import skholder.audit.evidence
from skholder.audit.column_values import ColumnValues
from skholder.audit.evidence import density_evidence, regression_evidence
from skholder.models import NormalNoise, ScipyNoise, StudentTNoise
from skholder.rows import RowBlocks
from skholder.summaries.baselines import LeastSquares


class Listed:
    """Contributions that are read off the rows: nats are squares, the excess is the row."""

    def of(self, rows):
        return rows**2, rows


NAMES = ("a", "b", "c", "d")
ANYTHING = ColumnValues(np.full(4, -np.inf), np.full(4, np.inf), np.zeros(4, dtype=bool), {})


def rows_of(n=500, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 4))


class TestDensity:
    def test_keeps_the_worst_columns_in_order(self):
        rows = rows_of()
        X = 100 + 7 * rows
        found = density_evidence(NAMES, X, rows, Listed())
        order = np.argsort(-(rows**2), axis=1)[:, :3]
        np.testing.assert_array_equal(found.column, order)
        np.testing.assert_array_equal(found.nats, np.take_along_axis(rows**2, order, axis=1))
        np.testing.assert_array_equal(found.observed, np.take_along_axis(X, order, axis=1))
        np.testing.assert_allclose(
            found.expected, np.take_along_axis(X - rows, order, axis=1), rtol=1e-13
        )

    def test_blocks(self, monkeypatch):
        rows = rows_of()
        whole = density_evidence(NAMES, rows, rows, Listed())
        monkeypatch.setattr(skholder.audit.evidence, "_BLOCK", 64)
        parts = density_evidence(NAMES, rows, rows, Listed())
        for name in ("column", "nats", "observed", "expected"):
            np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))

    def test_reasons(self):
        rows = np.array([[0.1, -3.0, 1.0, 0.0], [0.0, 0.0, 0.1, 0.0], [200.0, 0.0, 0.0, -2.0]])
        found = density_evidence(NAMES, rows, rows, Listed(), ANYTHING)
        assert found.reasons(np.arange(3)) == [
            "b is -3, 4.2 sd below the expected 0; c is 1, 1.4 sd above the expected 0",
            "no column stands out by itself",
            "a is 200, 282.8 sd above the expected 0",
        ]
        assert found.reasons(np.array([2])) == ["a is 200, 282.8 sd above the expected 0"]

    def test_expected_values_are_possible_ones(self):
        rows = np.array([[0.5, 2.0], [-0.25, 1.0], [8.0, -20.0], [0.1, 0.0]] * 3)
        X = np.column_stack([rows[:, 0] + 3, [1.0, 0.0, 1.0, 0.0] * 3])
        X[0, 0] = -4
        kept = np.array([False, True, False, True] * 3)
        found = density_evidence("ab", X, rows, Listed(), ColumnValues.of(X, kept))
        # The most likely values are 3 in a, or -4.5, and 21 in b, which is 0 or 1.
        third = {part.column: part for part in found.contributions(2)}
        assert (third["a"].expected, third["b"].expected) == (3.0, 1.0)
        assert not third["b"].tells
        first = {part.column: part for part in found.contributions(0)}
        assert first["a"].expected == 2.75
        assert (first["b"].expected, first["b"].share) == (0.0, 0.5)
        assert first["a"].share is None

    def test_contributions_of_a_row(self):
        rows = np.array([[0.1, -3.0, 1.0, 0.0]])
        first, second, third = density_evidence(
            NAMES, rows, rows, Listed(), ANYTHING
        ).contributions(0)
        assert (first.column, first.observed, first.expected, first.nats) == ("b", -3.0, 0.0, 9.0)
        assert (first.direction, second.direction) == ("below", "above")
        assert third.column == "a"
        assert type(first.nats) is float

    def test_fewer_columns_than_are_kept(self):
        rows = rows_of()[:, :2]
        found = density_evidence(("a", "b"), rows, rows, Listed())
        assert found.column.shape == (500, 2)
        assert len(found.contributions(3)) == 2

    def test_a_model_without_columns(self):
        rows = rows_of()
        found = density_evidence(NAMES, rows, rows, None)
        assert found.reasons(np.arange(2)) == ["the model does not split into columns"] * 2
        assert found.contributions(0) == ()

    def test_other_names(self):
        rows = np.array([[0.1, -3.0, 1.0, 0.0]])
        found = density_evidence(NAMES, rows, rows, Listed(), ANYTHING)
        found = found.renamed(["w", "x", "y", "z"])
        assert found.reasons(np.array([0])) == [
            "x is -3, 4.2 sd below the expected 0; y is 1, 1.4 sd above the expected 0"
        ]


def regression(noise, n=300, seed=1):
    """Evidence of y = 2 + x, with a predictive sd that grows with |x|, in other units."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    rows = np.column_stack([np.ones(n), x, x + rng.normal(size=n)])

    def moments(theta, design, variance):
        return design[:, 1], np.sqrt(variance) * (1 + np.abs(design[:, 1]))

    y = 10 + 3 * rows[:, -1]
    trusting = LeastSquares.of(RowBlocks(rows))
    draws = SimpleNamespace(
        model=SimpleNamespace(noise=noise, predictive_moments=moments), theta=None
    )
    scaling = SimpleNamespace(centre=[10.0], scale=[3.0])
    return x, y, regression_evidence("price", y, rows, draws, scaling, trusting)


class TestRegression:
    def test_units(self):
        x, y, found = regression(NormalNoise())
        np.testing.assert_array_equal(found.observed, y)
        np.testing.assert_allclose(found.fitted, 10 + 3 * x)
        np.testing.assert_allclose(found.sd, 3 * (1 + np.abs(x)))
        np.testing.assert_allclose(found.standardised, (y - 10 - 3 * x) / found.sd)
        assert found.leverage.sum() == pytest.approx(2)

    def test_the_response_is_copied(self):
        _, y, found = regression(NormalNoise())
        first = y[0]
        y[0] = 1e9
        assert found.observed[0] == first

    def test_blocks(self, monkeypatch):
        _, _, whole = regression(NormalNoise())
        monkeypatch.setattr(skholder.audit.evidence, "_BLOCK", 7)
        _, _, parts = regression(NormalNoise())
        for name in ("fitted", "sd", "leverage"):
            np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-14)

    @pytest.mark.parametrize(
        ("noise", "ends"),
        [
            (NormalNoise(), (-1.959964, 1.959964)),
            # The t quantile over the t's standard deviation, sqrt(2).
            (StudentTNoise(4.0), (-2.7764451 / 2**0.5, 2.7764451 / 2**0.5)),
            # Without a variance, in units of the scale.
            (StudentTNoise(2.0), (-4.302653, 4.302653)),
        ],
    )
    def test_interval(self, noise, ends):
        _, _, found = regression(noise)
        np.testing.assert_allclose(found.quantiles, ends, rtol=1e-6)
        row = found.residual(5)
        np.testing.assert_allclose(row.interval, row.fitted + row.sd * np.array(ends), rtol=1e-6)

    def test_skewed_noise(self):
        stats = pytest.importorskip("scipy.stats")
        noise = ScipyNoise(stats.gumbel_r())
        _, _, found = regression(noise)
        expected = stats.gumbel_r.ppf([0.025, 0.975]) / stats.gumbel_r.std()
        np.testing.assert_allclose(found.quantiles, expected, rtol=1e-6)

    def test_reasons(self):
        _, _, found = regression(NormalNoise())
        z, high = found.standardised, found.leverage > 3 * found.mean_leverage
        assert high.any()
        assert not high.all()
        for row, reason in enumerate(found.reasons(np.arange(300))):
            side = "above" if z[row] >= 0 else "below"
            tail = ", at high leverage" if high[row] else ""
            assert reason == f"price is {abs(z[row]):.1f} sd {side} its prediction{tail}"
