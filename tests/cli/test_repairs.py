import numpy as np
import pytest

from skholder.cli.repairs import column_repairs, repairs_in_words, target_repairs

NAMES = ["height", "weight", "age"]
LOCATION = np.array([170.0, 70.0, 50.0])
COVARIANCE = np.array([[80.0, 40.0, 0.0], [40.0, 100.0, 0.0], [0.0, 0.0, 300.0]])
SUSPECTS = np.array([[0, 1, 2]])


@pytest.mark.parametrize(
    ("row", "repair"),
    [
        ([1690, 69, 40], "height divided by 10"),
        ([17.2, 69, 40], "height times 10"),
        ([172, 158, 40], "weight divided by 2.2046 (pounds for kilograms?)"),
        ([67, 69, 40], "height times 2.54 (inches for centimetres?)"),
        ([69, 171, 40], "height and weight in each other's place"),
        ([172, 69, -40], "age with the other sign"),
        ([5000, 69, 40], ""),
        ([1690, 700, 40], ""),
    ],
)
def test_what_happened_to_a_row(row, repair):
    X = np.array([row], dtype=float)
    assert column_repairs(X, NAMES, SUSPECTS, LOCATION, COVARIANCE) == [repair]


def test_columns_above_suspicion_are_left_alone():
    X = np.array([[1690.0, 69.0, 40.0]])
    assert column_repairs(X, NAMES, np.array([[1, 2]]), LOCATION, COVARIANCE) == [""]


def test_of_two_changes_the_one_that_mends_more_rows_is_named():
    # 158 is 72 kg in pounds and, nearer to the middle, 70 degrees Celsius in Fahrenheit; 100 and
    # 215 together are ordinary numbers of pounds only.
    X = np.array([[172.0, weight, 40.0] for weight in (158, 158.5, 100, 215)])
    repairs = column_repairs(X, NAMES, np.repeat(SUSPECTS, 4, axis=0), LOCATION, COVARIANCE)
    assert set(repairs) == {"weight divided by 2.2046 (pounds for kilograms?)"}


def test_what_happened_to_a_response():
    observed, fitted, sd = np.array([200.0, 2.1, 77.0]), np.array([19.5, 20.0, 20.0]), np.ones(3)
    repairs = target_repairs("y", observed, fitted, sd)
    assert repairs == ["y divided by 10", "y times 10", ""]
    assert target_repairs("y", *np.empty((3, 0))) == []


def test_repairs_are_counted():
    repairs = ["a times 10", "", "b times 10", "a times 10", "a times 10", "a times 10"]
    assert repairs_in_words(repairs, list("UVWXYZ")) == [
        "a times 10: 4 rows (U, X, Y and 1 more)",
        "b times 10: 1 row (W)",
    ]
    assert repairs_in_words([], []) == []


def test_columns_that_are_copies_of_each_other_do_no_harm():
    covariance = np.array([[80.0, 80.0], [80.0, 80.0]])
    X = np.array([[1690.0, 169.0]])
    repairs = column_repairs(
        X, ["a", "b"], np.array([[0, 1]]), np.array([170.0, 170.0]), covariance
    )
    assert repairs == ["a divided by 10"]


def test_noise_that_hides_the_change_tells_nothing():
    # 450 with an expected 170 +- 60 fits after many a change: none is told.
    assert target_repairs("y", np.array([450.0]), np.array([170.0]), np.array([60.0])) == [""]
    assert target_repairs("y", np.array([450.0]), np.array([45.5]), np.array([2.0])) == [
        "y divided by 10"
    ]
