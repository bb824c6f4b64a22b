"""Row sources answer hostile tables as memory does, or refuse them in the same words.

All tables with all settings are ``examples/studies/hostile.py --sources``.
"""

import pytest
from hostile_tables import TABLES
from source_cases import SOURCE_SETTINGS, compare

NAMES = (
    "shape 2x1",
    "shape 5x10",
    "duplicated column",
    "one x 1e+12",
    "one x 1.7e+308",
    "one y 1e+300",
    "scale 1e-300 x",
    "scale 1e+150 xy",
    "offset 1e+15 x",
    "weights zeros",
    "weights one 1e300",
)
SETTINGS = ("regression", "regression as it comes", "diagonal", "full, laplace")


@pytest.mark.parametrize(
    ("setting", "name"), [("regression", "a fifth huge"), ("regression, laplace", "cauchy")]
)
def test_all_modes_of_a_small_source_are_found(setting, name):
    assert compare(SOURCE_SETTINGS[setting], TABLES[name]()) == []


# Two settings for each table, so that each meets half of them.
@pytest.mark.parametrize(
    ("setting", "name"),
    [
        (SETTINGS[(number + shift) % len(SETTINGS)], name)
        for number, name in enumerate(NAMES)
        for shift in (0, 2)
    ],
)
def test_the_answer_of_memory(setting, name):
    assert compare(SOURCE_SETTINGS[setting], TABLES[name]()) == []
