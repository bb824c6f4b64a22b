import datetime

import numpy as np
import pytest

from skholder.cli.tables.dates import read_dates


def day(*date):
    return (datetime.date(*date) - datetime.date(1970, 1, 1)).days


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("2023-11-05", day(2023, 11, 5)),
        ("2023/1/5", day(2023, 1, 5)),
        ("1969-12-31", -1),
        ("5.11.2023", day(2023, 11, 5)),
        ("13/11/2023", day(2023, 11, 13)),
        ("11/13/2023", day(2023, 11, 13)),
        ("11/11/2023", day(2023, 11, 11)),
        ("5 Nov 2023", day(2023, 11, 5)),
        ("5-nov-2023", day(2023, 11, 5)),
        ("November 5, 2023", day(2023, 11, 5)),
        ("2023-11-05 12:00", day(2023, 11, 5) + 0.5),
        ("2023-11-05T06:00:00Z", day(2023, 11, 5) + 0.25),
        ("2023-11-05T00:00:43.2", day(2023, 11, 5) + 0.0005),
        ("2023-11-05T01:00:00+01:00", day(2023, 11, 5)),
        ("5.11.2023 18:00", day(2023, 11, 5) + 0.75),
    ],
)
def test_dates_are_days(cell, value):
    found = read_dates([cell])
    np.testing.assert_allclose(found.days, [value], rtol=0, atol=1e-9)
    assert found.undecided == []


@pytest.mark.parametrize(
    "cell", ["2023-02-30", "31.4.2023", "2023", "11.5", "5 Nix 2023", "2023-11", "1/2/23", "x", ""]
)
def test_what_is_no_date(cell):
    assert np.isnan(read_dates([cell]).days[0])


def test_the_column_says_whether_the_day_comes_first():
    np.testing.assert_array_equal(
        read_dates(["3/4/2023", "25/4/2023"]).days, [day(2023, 4, 3), day(2023, 4, 25)]
    )
    np.testing.assert_array_equal(
        read_dates(["3/4/2023", "4/25/2023"]).days, [day(2023, 3, 4), day(2023, 4, 25)]
    )


def test_dates_that_leave_it_open_are_asked_about():
    assert read_dates(["3/4/2023", "5/6/2023"]).undecided == ["3/4/2023", "5/6/2023"]
    assert read_dates(["3/4/2023", "25/4/2023", "4/25/2023"]).undecided == ["3/4/2023"]
    assert read_dates(["3.4.2023"]).undecided == []
