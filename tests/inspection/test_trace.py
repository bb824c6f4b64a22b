"""TraceDisplay: the artists' data."""

import numpy as np
import pytest

from skholder import HolderBayesRegressor
from skholder.inspection import TraceDisplay
from skholder.sampling import ess_bulk, r_hat

pytest.importorskip("matplotlib")


def test_draws_by_ensemble(regressor):
    display = TraceDisplay.from_estimator(regressor, parameters=["coef[age]", "epsilon"])
    expected = regressor.posterior_["coef"][:, 1].reshape(4, 100)
    assert len(display.lines_[0]) == 4
    for line, chain in zip(display.lines_[0], expected, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, 101))
        np.testing.assert_array_equal(line.get_ydata(), chain)
    np.testing.assert_array_equal(
        display.lines_[1][3].get_ydata(), regressor.epsilon_posterior_[300:]
    )
    assert [ax.get_xlabel() for ax in display.axes_[:, 0]] == ["coef[age]", "epsilon"]
    assert len({line.get_color() for line in display.lines_[0]}) == 4


def test_densities_by_ensemble(regressor):
    display = TraceDisplay.from_estimator(regressor, parameters=["scale"])
    for line, chain in zip(
        display.density_lines_[0], regressor.posterior_["scale"].reshape(4, -1), strict=True
    ):
        grid, density = line.get_data()
        mean = np.sum(grid * density) / np.sum(density)
        assert mean == pytest.approx(chain.mean(), abs=0.2 * chain.std())


def test_diagnostics_of_the_fit(regressor):
    display = TraceDisplay.from_estimator(regressor, parameters=["coef[age]", "scale", "epsilon"])
    known = regressor.diagnostics_
    coordinates = ["coef[age]", "log_scale", "epsilon"]
    assert display.r_hat == [known.r_hat[name] for name in coordinates]
    assert display.ess_bulk == [known.ess_bulk[name] for name in coordinates]
    assert display.ess_tail == [known.ess_tail[name] for name in coordinates]
    title = display.axes_[0, 1].get_title(loc="right")
    assert f"R-hat {known.r_hat['coef[age]']:.3f}" in title
    assert f"ESS {known.ess_bulk['coef[age]']:,.0f}" in title


def test_parameters_that_were_not_sampled_have_their_own_diagnostics(density, regressor):
    display = TraceDisplay.from_estimator(density, parameters=["location[1]"])
    chains = density.posterior_["location"][:, 1].reshape(4, 1, -1)
    assert display.r_hat == [r_hat(chains)]
    assert display.ess_bulk == [ess_bulk(chains)]
    intercept = TraceDisplay.from_estimator(regressor, parameters=["intercept"])
    assert intercept.r_hat == [r_hat(regressor.posterior_["intercept"].reshape(4, 1, -1))]


def test_laplace_draws_have_no_diagnostics(table):
    model = HolderBayesRegressor(inference="laplace", n_draws=200, random_state=0)
    display = TraceDisplay.from_estimator(model.fit(table.X, table.y), parameters=["scale"])
    assert display.r_hat is None
    assert len(display.lines_[0]) == 1
    assert display.axes_[0, 1].get_title(loc="right") == ""
    assert display.ax_.get_legend() is None


def test_plain_arrays():
    draws = np.random.default_rng(0).normal(size=(8, 50, 1))
    display = TraceDisplay(draws, ["theta"], r_hat=[1.2345]).plot(lw=2)
    assert display.axes_[0, 1].get_title(loc="right") == "R-hat 1.234"
    assert len(display.lines_[0]) == 8
    assert display.lines_[0][0].get_linewidth() == 2


def test_densities_stay_within_their_support():
    draws = np.abs(np.random.default_rng(0).normal(0, 0.1, size=(2, 300, 1)))
    display = TraceDisplay(draws, ["epsilon"], supports=[(0.0, 0.5)]).plot()
    assert all(line.get_xdata().min() >= 0 for line in display.density_lines_[0])
