import numpy as np
import pytest

from skholder.inspection import GroupSharesDisplay

pytest.importorskip("matplotlib")


def display(**kwargs):
    return GroupSharesDisplay(
        ["c", "$a", "b"],
        [0.5, 0.1, 0.05],
        [[0.3, 0.7], [0.02, 0.2], [0.0, 0.15]],
        above_others=[0.99, 0.2, 0.1],
        flagged=[20, 3, 1],
        rows=[40, 30, 20],
        overall=0.2,
        name="site",
        **kwargs,
    ).plot()


def test_worst_on_top_with_counts():
    drawn = display()
    names = [tick.get_text() for tick in drawn.ax_.get_yticklabels()]
    assert names == ["c (20 of 40)", r"\$a (3 of 30)", "b (1 of 20)"]
    top, bottom = drawn.ax_.get_ylim()[::-1]
    assert top < 0 < 2 < bottom
    assert drawn.ax_.get_ylabel() == "site"


def test_shares_and_intervals():
    drawn = display()
    quiet, loud = drawn.points_
    np.testing.assert_array_equal(quiet.get_xydata(), [[0.1, 1], [0.05, 2]])
    np.testing.assert_array_equal(loud.get_xydata(), [[0.5, 0]])
    ends = [segment[:, 0].tolist() for segment in drawn.intervals_.get_segments()]
    assert ends == [[0.3, 0.7], [0.02, 0.2], [0.0, 0.15]]
    assert drawn.overall_line_.get_xdata() == [0.2, 0.2]


def test_the_worst_of_many():
    size = 40
    drawn = GroupSharesDisplay(range(size), np.linspace(0.9, 0, size), np.ones((size, 2)))
    drawn.plot(max_groups=10)
    assert len(drawn.ax_.get_yticks()) == 10
    assert drawn.ax_.get_ylabel() == "group (and 30 more)"
    assert drawn.overall_line_ is None
    assert len(drawn.points_[1].get_xdata()) == 0


def test_from_a_fit(regressor, table):
    groups = np.where(regressor.fod_scores_ > 0.5, "bad", "good")
    drawn = GroupSharesDisplay.from_estimator(regressor, groups, level=0.8)
    assert drawn.labels == ("bad", "good")
    assert drawn.overall == regressor.epsilon_
    assert len(drawn.points_[1].get_xdata()) == 1
    assert drawn.ax_.get_legend().get_texts()[0].get_text() == "share and 80% interval"


def test_groups_must_fit_the_rows(regressor):
    with pytest.raises(ValueError, match="an entry for each"):
        GroupSharesDisplay.from_estimator(regressor, [1, 2])
