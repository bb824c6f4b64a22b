"""EpsilonPosteriorDisplay: the artists' data."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

from skholder.inspection import EpsilonPosteriorDisplay

pytest.importorskip("matplotlib")


def test_density_mean_and_interval(regressor):
    display = EpsilonPosteriorDisplay.from_estimator(regressor)
    grid, density = display.line_.get_data()
    assert np.all(density >= 0)
    assert trapezoid(density, grid) == pytest.approx(1.0, abs=0.02)
    assert trapezoid(grid * density, grid) == pytest.approx(regressor.epsilon_, abs=2e-3)
    assert display.mean_line_.get_xdata()[0] == pytest.approx(regressor.epsilon_)
    ends = display.interval_.get_paths()[0].get_extents()
    np.testing.assert_allclose([ends.x0, ends.x1], regressor.epsilon_interval_)
    assert display.truth_line_ is None


def test_level_and_truth(regressor):
    display = EpsilonPosteriorDisplay.from_estimator(regressor, level=0.5, truth=0.2)
    ends = display.interval_.get_paths()[0].get_extents()
    quartiles = np.quantile(regressor.epsilon_posterior_, [0.25, 0.75])
    np.testing.assert_allclose([ends.x0, ends.x1], quartiles)
    assert display.truth_line_.get_xdata()[0] == 0.2
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert any(label.startswith("50% interval") for label in labels)
    assert "truth: 0.200" in labels


def test_no_mass_below_zero_or_above_the_largest_epsilon():
    rng = np.random.default_rng(0)
    for epsilon in (np.abs(rng.normal(0, 0.02, 2000)), 0.5 - np.abs(rng.normal(0, 0.02, 2000))):
        display = EpsilonPosteriorDisplay(epsilon, upper=0.5).plot()
        grid, density = display.line_.get_data()
        assert grid.min() >= 0
        assert grid.max() <= 0.5
        assert trapezoid(density, grid) == pytest.approx(1.0, abs=0.02)
        # A half-normal has its mode at the end; mass leaking over it would halve the curve there.
        edge = density[0] if epsilon.mean() < 0.25 else density[-1]
        assert edge == pytest.approx(2 / (0.02 * np.sqrt(2 * np.pi)), rel=0.15)


def test_axis_of_rows(regressor, table):
    display = EpsilonPosteriorDisplay.from_estimator(regressor)
    (above,) = display.ax_.child_axes
    display.figure_.draw_without_rendering()
    np.testing.assert_allclose(
        above.get_xlim(), np.multiply(display.ax_.get_xlim(), len(table.y)), rtol=1e-6
    )
    assert above.get_xlabel() == "Rows outside the model to expect in 120"
    assert not EpsilonPosteriorDisplay([0.1, 0.2, 0.3]).plot().ax_.child_axes


def test_style_goes_to_the_line(regressor):
    display = EpsilonPosteriorDisplay.from_estimator(regressor, color="C4", lw=3)
    assert display.line_.get_color() == "C4"
    assert display.line_.get_linewidth() == 3


def test_constant_draws():
    display = EpsilonPosteriorDisplay(np.full(100, 0.1)).plot()
    grid, density = display.line_.get_data()
    assert np.all(np.isfinite(density))
    assert grid[np.argmax(density)] == pytest.approx(0.1, abs=1e-3)
