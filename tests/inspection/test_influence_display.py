"""InfluenceDisplay: the artists' data."""

import numpy as np
import pytest

from skholder.inspection import InfluenceDisplay

pytest.importorskip("matplotlib")


def panel(display, k=0):
    """x and y of the points of a panel, sorted by x."""
    rows = np.asarray(display.points_[k].get_offsets())
    return rows[np.argsort(rows[:, 0], kind="stable")]


def test_change_by_one_row_against_residuals(regressor, table):
    display = InfluenceDisplay.from_estimator(
        regressor, table.X, table.y, parameters=["coef[age]", "epsilon"]
    )
    residual = np.asarray(table.y - regressor.predict(table.X))
    moved = regressor.influence(table.X, table.y).parameters
    order = np.argsort(residual)
    for k, change in enumerate((moved["coef"][:, 1], -moved["alpha"])):
        expected = np.column_stack([residual, change / 120])[order]
        np.testing.assert_allclose(panel(display, k), expected)
    assert display.axes_.flat[0].get_xlabel() == "Residual of yield (t)"
    assert display.axes_.flat[0].get_ylabel() == "Change of coef[age]"
    assert display.axes_.flat[1].get_ylabel() == "Change of epsilon"


def test_outliers_hardly_pull(regressor, table):
    display = InfluenceDisplay.from_estimator(regressor, table.X, table.y, parameters=["coef[age]"])
    pull = np.abs(display.change[:, 0])
    assert pull[table.outliers].mean() < 0.2 * pull[~table.outliers].mean()


def test_density_against_its_own_columns(density, blobs):
    X = blobs[0]
    display = InfluenceDisplay.from_estimator(
        density, X, parameters=["location[x1]", "covariance[x0, x1]", "epsilon"]
    )
    assert [ax.get_xlabel() for ax in display.axes_.flat] == [
        "x1",
        "Log predictive density",
        "Log predictive density",
    ]
    moved = density.influence(X).parameters
    n = len(X)
    order = np.argsort(X[:, 1])
    expected = np.column_stack([X[:, 1], moved["location"][:, 1] / n])[order]
    np.testing.assert_allclose(panel(display, 0), expected)
    score = density.score_samples(X)
    order = np.argsort(score, kind="stable")
    expected = np.column_stack([score, moved["covariance"][:, 0, 1] / n])[order]
    np.testing.assert_allclose(panel(display, 1), expected)


def test_coloured_by_fod(density, blobs, ordinary, table):
    display = InfluenceDisplay.from_estimator(density, blobs[0], parameters=["epsilon"])
    np.testing.assert_allclose(display.points_[0].get_array(), np.sort(density.fod(blobs[0])))
    assert display.colorbar_ is not None
    plain = InfluenceDisplay.from_estimator(ordinary, table.X, table.y, parameters=["scale"])
    assert plain.colorbar_ is None
    assert plain.points_[0].get_array() is None


def test_rows_of_largest_influence_are_ringed(regressor, table):
    display = InfluenceDisplay.from_estimator(
        regressor, table.X, table.y, parameters=["coef[age]", "scale"], n_labels=1
    )
    for k, rings in enumerate(display.marked_):
        row = np.argmax(np.abs(display.change[:, k]))
        assert [ring.get_label() for ring in rings] == [f"row row-{row}"]
        assert rings[0].get_ydata()[0] == display.change[row, k]


def test_regressor_needs_y(regressor, table):
    with pytest.raises(ValueError, match="pass y too"):
        InfluenceDisplay.from_estimator(regressor, table.X)


def test_wild_rows_are_drawn_at_the_edge():
    x = np.linspace(-1, 1, 50)[:, None]
    change = x**2
    x[0], change[0] = 1e9, 5.0
    display = InfluenceDisplay(x, change, ["theta"], ["x"]).plot()
    points = np.asarray(display.points_[0].get_offsets())
    assert 1 < points[0, 0] < 2
    np.testing.assert_array_equal(points[1:], np.column_stack([x, change])[1:])
    np.testing.assert_array_equal(points[:, 1], change[:, 0])
    assert display.ax_.get_xlabel() == "x (1 beyond the edge)"
