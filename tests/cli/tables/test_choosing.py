import pytest

from skholder.cli.tables import CsvFile, InputError, Wishes, choose_columns


def choose(data, **wishes):
    return choose_columns(CsvFile(data, "t.csv"), Wishes(**wishes))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "Wieght"}, "no column 'Wieght'; did you mean 'weight'"),
        ({"target": "AGE"}, "did you mean 'age'"),
        ({"target": "zz"}, "the columns are 'age', 'weight', 'y'"),
        ({"columns": ["age", "hieght"]}, "no column 'hieght'"),
        ({"exclude": ["q"]}, "no column 'q'"),
        ({"id": "q"}, "no column 'q'"),
        ({"target": "y", "columns": ["age", "y"]}, "target 'y' is also in --columns"),
        ({"id": "y", "columns": ["age", "y"]}, "'y' of --id is also in --columns"),
        ({"id": "y", "target": "y"}, "'y' is both --target and --id"),
        ({"target": "y", "exclude": ["y"]}, "'y' is wanted and in --exclude"),
        ({"columns": ["age"], "exclude": ["age"]}, "'age' is wanted and in --exclude"),
        ({"target": "y", "exclude": ["age", "weight"]}, "no columns are left"),
        ({"target": "y", "id": "age", "exclude": ["weight"]}, "no columns are left"),
    ],
)
def test_choices_that_cannot_be_met(options, message):
    with pytest.raises(InputError, match=message):
        choose(b"age,weight,y\n1,2,3\n", **options)


def test_all_unknown_names_are_told_at_once():
    with pytest.raises(InputError) as caught:
        choose(b"age,y\n1,2\n", target="z", exclude=["q", "q"], id="Age")
    assert len(caught.value.problems) == 3


def test_unnamed_columns_must_be_asked_for():
    data = b",a,y\n0,2,3\n"
    assert choose(data, target="y") == (["a"], ["column 1"])
    assert choose(data, target="y", columns=["column 1"]) == (["column 1"], [])
    assert choose(data, target="y", exclude=["column 1"]) == (["a"], [])
    assert choose(data, target="y", id="column 1") == (["a"], [])


def test_asked_columns_come_in_the_order_asked_and_once():
    assert choose(b"a,b,c\n0,2,3\n", columns=["c", "a", "c"])[0] == ["c", "a"]


def test_an_identifier_is_no_input():
    assert choose(b"a,b,c\n0,2,3\n", id="b") == (["a", "c"], [])
