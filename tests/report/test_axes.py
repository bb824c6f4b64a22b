import pytest

from skholder.report.axes import asinh_axis, linear_axis, log_axis


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-3.2, 8.9), (1e-9, 5e-9), (2e6, 2.1e6), (-1e150, 1e150)]
)
def test_ticks_are_round_and_inside(low, high):
    axis = linear_axis(low, high, "")
    values = [value for value, _ in axis.ticks]
    assert 2 <= len(values) <= 7
    assert low - 1e-9 * abs(low) <= values[0]
    assert values[-1] <= high + 1e-9 * abs(high)
    assert len({label for _, label in axis.ticks}) == len(values)


def test_no_range():
    for value in (0.0, 3.0, -2.0):
        axis = linear_axis(value, value, "")
        assert axis.low < value < axis.high


def test_places():
    axis = linear_axis(10, 20, "")
    assert [axis.share(value) for value in (10, 15, 20)] == [0, 0.5, 1]
    # What lies outside is drawn at the edge.
    assert [axis.share(value) for value in (-1e9, 1e9)] == [0, 1]


@pytest.mark.parametrize("reach", [1.0, 40.0, 1e3, 1e12, 1e150])
def test_a_bent_axis_has_few_ticks(reach):
    axis = asinh_axis(-reach, reach, "")
    values = [value for value, _ in axis.ticks]
    assert 0.0 in values
    assert 3 <= len(values) <= 11
    assert values == sorted(values)
    assert axis.share(0.0) == pytest.approx(0.5)
    # A value near 0 is not lost beside the largest.
    assert axis.share(1.0) - axis.share(0.0) > 0.001


@pytest.mark.parametrize("low", [1e-6, 1e-5])
@pytest.mark.parametrize("high", [10.0, 400.0, 1000.0, 1e7])
def test_a_logarithmic_axis(low, high):
    axis = log_axis(low, high, "")
    values = [value for value, _ in axis.ticks]
    assert 1.0 in values
    assert 3 <= len(values) <= 8
    assert axis.low == pytest.approx(low)
    assert high <= axis.high < 10 * high
    middle = (axis.low * axis.high) ** 0.5
    assert [axis.share(value) for value in (low, middle, axis.high)] == pytest.approx([0, 0.5, 1])
    # What is smaller, 0 included, is drawn at the foot.
    assert [axis.share(value) for value in (0.0, 1e-200)] == [0, 0]
