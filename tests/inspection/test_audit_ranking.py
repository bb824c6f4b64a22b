"""AuditRankingDisplay: the artists' data."""

import numpy as np
import pandas as pd
import pytest

from skholder import HolderBayesDensity, HolderBayesRegressor
from skholder.inspection import AuditRankingDisplay

pytest.importorskip("matplotlib")


def drawn(display):
    """All points, left to right."""
    return np.concatenate([line.get_xydata() for line in display.points_])


def test_rows_are_ranked_worst_first(regressor, table):
    display = AuditRankingDisplay.from_estimator(regressor)
    points = drawn(display)
    np.testing.assert_array_equal(points[:, 0], np.arange(1, len(table.y) + 1))
    np.testing.assert_array_equal(points[:, 1], np.sort(regressor.log_density_))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_thresholds_are_quantiles_of_the_count(table):
    # The count of the paper leaves much doubt.
    options = {"gamma": 0.5, "count": "holder", "leverage": "ignore"}
    regressor = HolderBayesRegressor(n_draws=400, random_state=0, **options).fit(table.X, table.y)
    display = AuditRankingDisplay.from_estimator(regressor)
    expected = [regressor.audit(rule=rule).count for rule in ("lower", "median", "upper")]
    np.testing.assert_array_equal(display.thresholds_, expected)
    np.testing.assert_array_equal(
        [line.get_xdata()[0] for line in display.threshold_lines_], expected
    )
    assert expected[0] < expected[2]


def test_bands(regressor):
    display = AuditRankingDisplay.from_estimator(regressor, level=0.8)
    low, _, high = np.rint(np.quantile(regressor.outlier_count_posterior_, [0.1, 0.5, 0.9]))
    n = len(regressor.log_density_)
    assert [len(line.get_xdata()) for line in display.points_] == [low, high - low, n - high]
    assert len({line.get_color() for line in display.points_}) == 3


def test_lowest_rows_are_named_by_their_index(regressor, table):
    worst = table.X.index[np.argsort(regressor.log_density_)]
    text = AuditRankingDisplay.from_estimator(regressor, n_labels=2).text_.get_text()
    assert text == f"Lowest rows: {worst[0]}, {worst[1]}"
    assert AuditRankingDisplay.from_estimator(regressor, n_labels=0).text_ is None
    plain = AuditRankingDisplay(regressor.log_density_, [5, 6]).plot(n_labels=1)
    assert plain.text_.get_text() == f"Lowest rows: {np.argmin(regressor.log_density_)}"


def test_integer_index_is_a_label_not_a_position():
    display = AuditRankingDisplay([-1.0, -9.0, -2.0], [1], index=pd.Index([30, 10, 20]))
    assert display.plot(n_labels=1).text_.get_text() == "Lowest rows: 10"


def test_known_outliers_are_marked_at_their_rank(regressor, table):
    display = AuditRankingDisplay.from_estimator(regressor, outliers=table.outliers)
    rank = np.empty(len(table.y))
    rank[np.argsort(regressor.log_density_)] = np.arange(1, len(table.y) + 1)
    np.testing.assert_array_equal(
        display.outlier_points_.get_xdata(), np.sort(rank[table.outliers])
    )
    assert AuditRankingDisplay.from_estimator(regressor).outlier_points_ is None


def test_weights_count_as_rows():
    display = AuditRankingDisplay([-5.0, -1.0, -3.0], [2], weight=[1.0, 4.0, 2.0]).plot()
    np.testing.assert_array_equal(drawn(display), [[1, -5], [3, -3], [7, -1]])


def test_weights_of_a_fit(blobs):
    X = blobs[0]
    weight = np.where(np.arange(len(X)) < 20, 2.0, 1.0)
    model = HolderBayesDensity(inference="laplace", n_draws=200, random_state=0)
    display = AuditRankingDisplay.from_estimator(model.fit(X, sample_weight=weight))
    assert drawn(display)[-1, 0] == weight.sum()


def test_deep_rows_get_a_logarithmic_scale(regressor):
    shallow = AuditRankingDisplay.from_estimator(regressor)
    assert shallow.ax_.get_yscale() == "linear"
    deep = AuditRankingDisplay(np.append(regressor.log_density_, -1e6), [5, 6])
    assert deep.plot().ax_.get_yscale() == "symlog"
    assert deep.plot(yscale="linear").ax_.get_yscale() == "linear"
    bottom, top = deep.plot().ax_.get_ylim()
    assert bottom < -1e6
    assert top >= regressor.log_density_.max()
