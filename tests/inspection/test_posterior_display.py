"""PosteriorDisplay: the artists' data."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

from skholder.inspection import PosteriorDisplay

pytest.importorskip("matplotlib")


def names(display):
    return [ax.get_xlabel() for ax in display.axes_[-1]]


def test_parameters_under_the_users_names(regressor):
    display = PosteriorDisplay.from_estimator(
        regressor, parameters=["coef[age]", "coef[0]", "scale", "epsilon"]
    )
    assert names(display) == ["coef[age]", "coef[bmi (kg/m2)]", "scale", "epsilon"]
    assert [ax.get_ylabel() for ax in display.axes_[1:, 0]] == names(display)[1:]
    posterior = regressor.posterior_
    expected = np.column_stack(
        [
            posterior["coef"][:, 1],
            posterior["coef"][:, 0],
            posterior["scale"],
            1 - posterior["alpha"],
        ]
    )
    np.testing.assert_array_equal(display.draws, expected)


def test_marginal_densities(regressor):
    display = PosteriorDisplay.from_estimator(regressor, parameters=["coef[age]", "scale"])
    for line, draws in zip(display.lines_, np.asarray(display.draws).T, strict=True):
        grid, density = line.get_data()
        assert trapezoid(density, grid) == pytest.approx(1.0, abs=0.02)
        assert trapezoid(grid * density, grid) == pytest.approx(draws.mean(), abs=0.1 * draws.std())


def test_contours_hold_their_share_of_the_draws():
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    draws = np.column_stack([x, 10 + 0.8 * x + 0.6 * rng.normal(size=4000)])
    display = PosteriorDisplay(draws, ["a", "b"]).plot(masses=(0.9, 0.5))
    contours = display.contours_[1, 0]
    for path, share in zip(contours.get_paths(), (0.9, 0.5), strict=True):
        inside = path.contains_points(draws)
        assert inside.mean() == pytest.approx(share, abs=0.03)
    # The region of a bivariate normal, whose radius is known: smoothing must not widen it.
    centred = draws[:, 0], (draws[:, 1] - 10 - 0.8 * draws[:, 0]) / 0.6
    near = centred[0] ** 2 + centred[1] ** 2 < -2 * np.log(1 - 0.9)
    assert np.mean(contours.get_paths()[0].contains_points(draws) == near) > 0.96


def test_only_the_lower_triangle(density):
    display = PosteriorDisplay.from_estimator(density, parameters=["location", "epsilon"])
    assert display.axes_.shape == (3, 3)
    for i in range(3):
        for j in range(3):
            assert display.axes_[i, j].axison == (j <= i)
    assert set(display.contours_) == {(1, 0), (2, 0), (2, 1)}


def test_columns_share_their_limits(density):
    axes = PosteriorDisplay.from_estimator(density).axes_
    assert axes[2, 0].get_xlim() == axes[0, 0].get_xlim()
    assert axes[2, 1].get_ylim() == axes[2, 2].get_xlim()


def test_truth(regressor):
    display = PosteriorDisplay.from_estimator(
        regressor, parameters=["scale", "coef[age]", "epsilon"], truth={"coef[1]": 0.7}
    )
    np.testing.assert_array_equal(display.truth, [np.nan, 0.7, np.nan])
    assert [line.get_xdata()[0] for line in display.axes_[1, 1].lines[1:]] == [0.7]
    assert [line.get_ydata()[0] for line in display.axes_[1, 0].lines] == [0.7]
    assert not display.axes_[2, 0].lines


def test_defaults(regressor, density, ordinary):
    shown = names(PosteriorDisplay.from_estimator(regressor))
    assert shown[0] == "coef[bmi (kg/m2)]"
    assert shown[2:] == [r"coef[cost \$x_\$]", "intercept", "scale", "epsilon"]
    assert names(PosteriorDisplay.from_estimator(density)) == [
        "location[x0]",
        "location[x1]",
        "epsilon",
    ]
    assert names(PosteriorDisplay.from_estimator(ordinary))[-1] == "scale"


def test_unknown_parameter(regressor):
    with pytest.raises(ValueError, match=r"no parameter 'beta' among 'coef\[bmi"):
        PosteriorDisplay.from_estimator(regressor, parameters=["beta"])


def test_one_parameter(regressor):
    display = PosteriorDisplay.from_estimator(regressor, parameters=["epsilon"])
    assert display.axes_.shape == (1, 1)
    assert not display.contours_


def test_epsilon_stays_within_its_support(regressor):
    grid, _ = (
        PosteriorDisplay.from_estimator(regressor, parameters=["epsilon"]).lines_[0].get_data()
    )
    assert grid.min() >= 0
    assert grid.max() <= 0.5
