"""FoDDisplay: the artists' data."""

import numpy as np
import polars as pl
import pytest

from skholder.inspection import FoDDisplay

pytest.importorskip("matplotlib")


def panel(display, k=0):
    """x, y and colour of the points of a panel, sorted."""
    points = display.points_[k]
    rows = np.column_stack([points.get_offsets(), points.get_array()])
    return rows[np.lexsort(rows.T)]


def sorted_rows(*columns):
    rows = np.column_stack(columns)
    return rows[np.lexsort(rows.T)]


def labels(display):
    return [(ax.get_xlabel(), ax.get_ylabel()) for ax in display.axes_.flat if ax.axison]


def test_residuals_against_fitted_values(regressor, table):
    display = FoDDisplay.from_estimator(regressor, table.X, table.y)
    fitted = regressor.predict(table.X)
    expected = sorted_rows(fitted, table.y - fitted, regressor.fod(table.X, table.y))
    np.testing.assert_allclose(panel(display), expected)
    assert labels(display) == [("Fitted yield (t)", "Residual of yield (t)")]


def test_residuals_against_columns(regressor, table):
    display = FoDDisplay.from_estimator(regressor, table.X, table.y, columns=["age", 0])
    assert labels(display) == [
        ("age", "Residual of yield (t)"),
        ("bmi (kg/m2)", "Residual of yield (t)"),
    ]
    residual = table.y - regressor.predict(table.X)
    fod = regressor.fod(table.X, table.y)
    np.testing.assert_allclose(panel(display, 0), sorted_rows(table.X["age"], residual, fod))
    np.testing.assert_allclose(panel(display, 1), sorted_rows(table.X.iloc[:, 0], residual, fod))


def test_regression_in_data_space(regressor, table):
    display = FoDDisplay.from_estimator(regressor, table.X, table.y, space="data", target_name="t")
    assert [pair[1] for pair in labels(display)] == ["t"] * 3
    fod = regressor.fod(table.X, table.y)
    for k in range(3):
        expected = sorted_rows(table.X.iloc[:, k], table.y, fod)
        np.testing.assert_allclose(panel(display, k), expected)


def test_density_of_two_columns(density, blobs):
    display = FoDDisplay.from_estimator(density, blobs[0])
    np.testing.assert_allclose(panel(display), sorted_rows(*blobs[0].T, density.fod(blobs[0])))
    assert labels(display) == [("x0", "x1")]
    named = FoDDisplay.from_estimator(density, blobs[0], feature_names=["a (mm)", "b (s)"])
    assert labels(named) == [("a (mm)", "b (s)")]


def test_rows_that_were_not_fitted(density):
    X = np.array([[0.0, 0.0], [9.0, 9.0]])
    _, _, fod = panel(FoDDisplay.from_estimator(density, X)).T
    assert fod[0] < 0.1
    assert fod[1] > 0.9


def test_one_column_against_row_number(density, blobs):
    display = FoDDisplay.from_estimator(density, blobs[0], columns=["x1"])
    assert labels(display) == [("Row number", "x1")]
    x, y, _ = panel(display).T
    np.testing.assert_array_equal(np.sort(x), np.arange(150))
    np.testing.assert_allclose(np.sort(y), np.sort(blobs[0][:, 1]))


def test_wide_data_show_the_telling_columns_in_pairs(wide):
    model, X = wide
    display = FoDDisplay.from_estimator(model, X)
    assert len(display.points_) == 6
    shown = {name for pair in labels(display) for name in pair}
    assert len(shown) == 4
    assert {"x1", "x4"} <= shown
    chosen = FoDDisplay.from_estimator(model, X, columns=["x0", 2, "x5"])
    assert labels(chosen) == [("x0", "x2"), ("x0", "x5"), ("x2", "x5")]


def test_suspicious_rows_lie_on_top(density, blobs):
    display = FoDDisplay.from_estimator(density, blobs[0])
    assert np.all(np.diff(display.points_[0].get_array()) >= 0)
    assert display.colorbar_.vmin == 0
    assert display.colorbar_.vmax == 1


def test_worst_rows_are_ringed_and_named(regressor, table):
    display = FoDDisplay.from_estimator(
        regressor, table.X, table.y, columns=["age", "bmi (kg/m2)"], n_labels=2
    )
    worst = np.argsort(regressor.log_density_)[:2]
    for rings, column in zip(display.marked_, ("age", "bmi (kg/m2)"), strict=True):
        assert [ring.get_label() for ring in rings] == [f"row row-{i}" for i in worst]
        np.testing.assert_allclose(
            [ring.get_xdata()[0] for ring in rings], table.X[column].iloc[worst]
        )
    assert len({ring.get_marker() for ring in display.marked_[0]}) == 2
    # One legend serves all panels: they ring the same rows.
    assert [ax.get_legend() is not None for ax in display.axes_.flat] == [True, False]
    assert FoDDisplay.from_estimator(regressor, table.X, table.y, n_labels=0).marked_ == [[]]


def test_polars(regressor, table):
    X, y = pl.from_pandas(table.X), pl.Series("yield (t)", table.y.to_numpy())
    display = FoDDisplay.from_estimator(regressor, X, y)
    pandas = FoDDisplay.from_estimator(regressor, table.X, table.y)
    np.testing.assert_array_equal(panel(display), panel(pandas))
    assert labels(display) == labels(pandas)


def test_plain_arrays():
    values = np.arange(12.0).reshape(4, 3)
    display = FoDDisplay(values, [0.0, 1.0, 0.5, 0.2], ["a", "b", "c"], [(0, 2), (1, 0)]).plot()
    assert labels(display) == [("a", "c"), ("b", "a")]
    assert display.marked_[0][0].get_label() == "row 1"
    np.testing.assert_array_equal(display.points_[1].get_offsets()[-1], [4, 3])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"space": "phase"}, "space must be"),
        ({"columns": ["weight"]}, "no column 'weight' among 'bmi"),
        ({"columns": [3]}, "no column 3"),
        ({"columns": []}, "columns is empty"),
        ({"y": None}, "pass y too"),
    ],
)
def test_errors_of_a_regressor(regressor, table, options, message):
    y = options.pop("y", table.y)
    with pytest.raises(ValueError, match=message):
        FoDDisplay.from_estimator(regressor, table.X, y, **options)


def test_densities_have_no_residuals(density, blobs):
    with pytest.raises(ValueError, match="needs a regressor"):
        FoDDisplay.from_estimator(density, blobs[0], space="residual")


def test_dollar_signs_stay_text(regressor, table):
    display = FoDDisplay.from_estimator(regressor, table.X, table.y, columns=["cost $x_$"])
    assert display.ax_.get_xlabel() == r"cost \$x_\$"
    display.figure_.draw_without_rendering()


def test_long_names_are_shortened():
    name = "a very long name of a column that would not fit below a panel (kg)"
    display = FoDDisplay(np.zeros((2, 2)), [0.1, 0.2], [name, "b"], [(0, 1)]).plot()
    shown = display.ax_.get_xlabel()
    assert len(shown) == 28
    assert shown.startswith("a very long name")
    assert shown.endswith("(kg)")


def test_wild_rows_are_drawn_at_the_edge():
    values = np.random.default_rng(0).normal(size=(100, 2))
    values[7] = [1e9, 0.0]
    values[8] = [0.0, -1e9]
    display = FoDDisplay(values, np.linspace(0, 1, 100), ["a", "b"], [(0, 1)]).plot()
    points = np.asarray(display.points_[0].get_offsets())
    assert np.ptp(points, axis=0).max() < 10
    assert points[7, 0] > points[np.arange(100) != 7, 0].max()
    assert points[8, 1] < points[np.arange(100) != 8, 1].min()
    np.testing.assert_array_equal(np.delete(points, [7, 8], axis=0), np.delete(values, [7, 8], 0))
    assert labels(display) == [("a (1 beyond the edge)", "b (1 beyond the edge)")]


def test_columns_of_few_values_are_drawn_as_they_are():
    values = np.zeros((100, 2))
    values[:10, 0] = 1e6
    display = FoDDisplay(values, np.linspace(0, 1, 100), ["a", "b"], [(0, 1)]).plot()
    np.testing.assert_array_equal(display.points_[0].get_offsets(), values)
    assert labels(display) == [("a", "b")]
