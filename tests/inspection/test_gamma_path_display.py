"""GammaPathDisplay: the artists' data."""

import numpy as np
import pytest

from skholder.inspection import GammaPathDisplay

pytest.importorskip("matplotlib")


def test_criterion_epsilon_and_marks(regressor):
    path = regressor.gamma_path_
    display = GammaPathDisplay.from_estimator(regressor)
    assert display.axes_.shape == (2, 1)
    criterion, epsilon = display.lines_
    np.testing.assert_array_equal(criterion.get_xdata(), path.gamma)
    finite = np.isfinite(path.criterion)
    np.testing.assert_array_equal(criterion.get_ydata()[finite], path.criterion[finite])
    np.testing.assert_array_equal(epsilon.get_ydata(), path.epsilon)
    assert [line.get_xdata()[0] for line in display.chosen_lines_] == [path.best] * 2
    assert [line.get_xdata()[0] for line in display.pilot_lines_] == [path.gamma[path.pilot]] * 2
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == [f"chosen: {path.best:.2f}", f"first pilot: {path.gamma[path.pilot]:.2f}"]


def test_estimates_are_in_the_users_units(regressor):
    display = GammaPathDisplay.from_estimator(
        regressor, parameters=["coef[age]", "scale", "epsilon"]
    )
    assert [ax.get_ylabel() for ax in display.axes_[:, 0]] == [
        "Criterion",
        "Epsilon",
        "coef[age]",
        "scale",
    ]
    chosen = regressor.gamma_path_.chosen
    coef, scale = (line.get_ydata()[chosen] for line in display.lines_[2:])
    sd = regressor.posterior_["coef"][:, 1].std()
    assert coef == pytest.approx(regressor.coef_[1], abs=2 * sd)
    assert scale == pytest.approx(regressor.scale_, rel=0.2)


def test_densities(density):
    display = GammaPathDisplay.from_estimator(density, parameters=["location"])
    assert len(display.lines_) == 4
    middle = [line.get_ydata()[density.gamma_path_.chosen] for line in display.lines_[2:]]
    np.testing.assert_allclose(middle, density.location_, atol=0.2)


def test_plain_arrays_and_fits_that_broke_down():
    display = GammaPathDisplay(
        [0.2, 0.5, 1.0], [np.inf, 0.3, 0.4], [0.0, 0.2, 0.2], chosen=1, estimates=np.eye(3)[:, :2]
    ).plot(color="C4")
    np.testing.assert_array_equal(display.lines_[0].get_ydata(), [np.nan, 0.3, 0.4])
    assert display.pilot_lines_ == []
    assert display.lines_[0].get_color() == "C4"
    assert display.axes_[3, 0].get_ylabel() == "estimate 1"
    assert display.axes_[-1, 0].get_xlabel() == "Power gamma"
