import pytest
from hypothesis import given
from hypothesis import strategies as st

from skholder.audit.wording import (
    chance_in_brief,
    chance_in_words,
    count_range,
    number,
    percent,
    probable,
    rounded,
    share_range,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, "0"),
        (-0.0, "0"),
        (431.0, "431"),
        (152.34567, "152.3"),
        (-1.5, "-1.5"),
        (0.00012345, "0.0001234"),
        (9.99996, "10"),
        (12345.678, "12,346"),
        (9_999_999, "9,999,999"),
        (12_345_678, "1.23e7"),
        (1e20, "1e20"),
        (-3.2e150, "-3.2e150"),
        (5e-324, "4.94e-324"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
    ],
)
def test_number(value, expected):
    assert number(value) == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_number_keeps_three_digits(value):
    read = float(number(value).replace(",", ""))
    assert read == pytest.approx(value, rel=5.1e-3, abs=1e-323)


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (146.06, 58.0, "146"),
        (-0.01, 58.0, "0"),
        (1234.567, 0.8, "1,234.57"),
        (5.0, 0.8, "5"),
        (-2.349, 3.0, "-2.3"),
        (1e150, 3.0, "1e150"),
        (2.5, 0.0, "2.5"),
        (2.5, float("nan"), "2.5"),
        (float("inf"), 1.0, "inf"),
    ],
)
def test_rounded(value, unit, expected):
    assert rounded(value, unit) == expected


@given(st.floats(-1e6, 1e6), st.floats(1e-5, 1e6))
def test_rounding_is_small_beside_the_unit(value, unit):
    read = float(rounded(value, unit).replace(",", ""))
    # Units above ten have no decimals left to drop.
    assert abs(read - value) <= max(0.051 * unit, 1e-9) or abs(read - value) <= 0.5


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0, "0%"), (0.0012, "0.12%"), (0.043, "4.3%"), (0.206, "20.6%"), (0.9999, "100%")],
)
def test_percent(share, expected):
    assert percent(share) == expected


@pytest.mark.parametrize(
    ("expected", "words", "brief"),
    [
        (49.2, "about 49 such rows are expected among 400 clean ones", "about 49 rows"),
        (1.4, "one such row is expected among 400 clean ones", "one row"),
        (0.7, "one such row is expected among 400 clean ones", "one row"),
        (0.3, "among 400 clean rows the chance of such a row is about 1 in 3", "1 in 3"),
        (0.00432, "among 400 clean rows the chance of such a row is about 1 in 230", "1 in 230"),
        (
            1e-7,
            "among 400 clean rows the chance of such a row is less than one in a million",
            "less than one in a million",
        ),
        (
            0.0,
            "among 400 clean rows the chance of such a row is less than one in a million",
            "less than one in a million",
        ),
    ],
)
def test_chance(expected, words, brief):
    assert chance_in_words(expected, 400.0) == words
    assert chance_in_brief(expected) == brief


def test_ranges():
    assert count_range(3, 1_200, 0.95) == "95% between 3 and 1,200"
    assert count_range(5, 5, 0.9) == "90% exactly 5"
    assert share_range(0.031, 0.072) == "95% between 3.1% and 7.2%"
    assert share_range(0.0, 0.00009) == "95% below 0.01%"


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, "below 0.1%"), (0.001, "0.10%"), (0.25, "25.0%"), (0.999, "99.9%"), (1, "over 99.9%")],
)
def test_probable(value, expected):
    assert probable(value) == expected
