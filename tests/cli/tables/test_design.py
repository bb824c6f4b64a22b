import numpy as np
import pytest

from skholder.cli.tables import CsvFile, InputError, build_design, choose_columns


def design(text, target=None, columns=None, exclude=(), **options):
    file = CsvFile(text.encode(), "t.csv")
    chosen, _ = choose_columns(file, target, columns, exclude)
    return build_design(file.read(file.names), chosen, target, **options)


def column(name, cells):
    return f"{name},z\n" + "".join(f"{cell},{0.1 * i}\n" for i, cell in enumerate(cells))


def test_numbers_pass_through():
    found = design("a,b,y\n1,2.5,7\n3,4,8\n0,1,9\n", "y")
    np.testing.assert_array_equal(found.X, [[1, 2.5], [3, 4], [0, 1]])
    np.testing.assert_array_equal(found.y, [7, 8, 9])
    assert found.names == ["a", "b"]
    assert found.notes == []


def test_levels_are_against_the_most_frequent_one():
    found = design(column("c", ["red", "blue", "red", "green", "blue", "red"]), columns=["c"])
    assert found.names == ["c=blue", "c=green"]
    assert found.baselines == {"c": "red"}
    np.testing.assert_array_equal(found.X[:, 0], [0, 1, 0, 0, 1, 0])
    np.testing.assert_array_equal(found.X[:, 1], [0, 0, 0, 1, 0, 0])
    rare, unlike_normal = found.notes
    assert "only line 5 has the value 'green'" in rare
    assert "text columns ('c') are far from normal" in unlike_normal


def test_text_beside_a_target_is_no_reason_to_worry():
    text = "c,y\n" + "".join(f"{c},{i}\n" for i, c in enumerate("abaabb"))
    assert design(text, "y").notes == []


def test_a_constant_target_is_refused():
    with pytest.raises(InputError, match="the target 'y' is constant"):
        design("a,y\n1,5\n2,5\n3,5\n", "y")


def test_equally_frequent_levels_go_by_name():
    found = design(column("c", ["b", "a", "c", "a", "b", "c"]), columns=["c"])
    assert found.names == ["c=b", "c=c"]


def test_levels_are_those_of_complete_rows():
    text = "c,z\nred,1\nblue,2\nred,3\nblue,4\nodd,\n"
    found = design(text, drop_missing=True)
    assert found.names == ["c=red", "z"]
    np.testing.assert_array_equal(found.rows, [0, 1, 2, 3])


def test_text_of_one_level_is_left_out():
    found = design(column("c", ["x"] * 4))
    assert found.names == ["z"]
    assert found.notes == ["column 'c' is always 'x' and was left out"]
    with pytest.raises(InputError, match="constant text"):
        design(column("c", ["x"] * 4), columns=["c"])


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["1", "2", "x", "4"], r"numbers but for a text: 'x' \(line 4\); mend"),
        (["1", "2", "?", "n.a."], r"2 texts: '\?' \(line 4\), 'n.a.' \(line 5\)"),
        (["x", "2", "y", "z"], "too many"),
        ([f"level {i % 31}" for i in range(100)], "31 different values, too many"),
        (["Ann", "Bob", "Cid", "Dee"], r"'Ann' \(line 2\), 'Bob' \(line 3\), .* and 1 more"),
        (["1", "inf", "3", "4"], r"an infinite value \(line 3\)"),
        (["1", "1e999", "3", "4"], r"column 'c' .*\(line 3\)"),
    ],
)
def test_cells_that_cannot_be_used(cells, message):
    with pytest.raises(InputError, match=message):
        design(column("c", cells), columns=["c"])


def test_thirty_levels_are_categories():
    found = design(column("c", [f"level {i % 30}" for i in range(100)]), columns=["c"])
    assert found.X.shape == (100, 29)


def test_the_remedy_can_be_pasted_into_a_shell():
    with pytest.raises(InputError, match=r"""--exclude '"it, too"'$"""):
        design('"it, too",b\nx,1\ny,2\n')


def test_missing_values_are_counted_by_column():
    text = "a,b,y\n1,,7\n,NA,8\n0,1,9\n2,3,nan\n5,6,7\n"
    with pytest.raises(
        InputError, match=r"in 3 of 5 rows \('a' 1, 'b' 2, 'y' 1\); .*--drop-missing"
    ):
        design(text, "y")
    found = design(text, "y", drop_missing=True)
    np.testing.assert_array_equal(found.rows, [2, 4])
    np.testing.assert_array_equal(found.X, [[0, 1], [5, 6]])
    assert found.left_out_note == (
        "3 of 5 rows were left out because of missing values ('a' 1, 'b' 2, 'y' 1)"
    )


def test_one_row_left_out_and_none():
    found = design("a,y\n1,7\n,8\n0,9\n", "y", drop_missing=True)
    note = "1 of 3 rows was left out because of missing values ('a' 1)"
    assert (found.left_out_note, found.notes) == (note, [])
    assert design("a,y\n1,7\n2,8\n0,9\n", "y", drop_missing=True).left_out_note == ""


def test_a_note_names_eight_columns():
    names = "abcdefghij"
    text = (
        ",".join(names) + "\n" + ",".join("NA" for _ in names) + "\n" + "1,2,3,4,5,6,7,8,9,0\n" * 2
    )
    note = design(text, drop_missing=True).left_out_note
    assert note.endswith(
        "('a' 1, 'b' 1, 'c' 1, 'd' 1, 'e' 1, 'f' 1, 'g' 1, 'h' 1 and 2 more columns)"
    )


def test_flags_are_categories():
    found = design(
        "c,y\n" + "".join(f"{c},{i}\n" for i, c in enumerate(["TRUE", "FALSE"] * 3)), "y"
    )
    assert (found.names, found.baselines) == (["c=TRUE"], {"c": "FALSE"})


def test_missing_values_of_other_columns_do_not_matter():
    assert len(design("a,b\n1,\n2,\n", exclude=["b"]).X) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [("a,b\n1,2\n", "has 1 row;"), ("a,b\n1,\n,2\n1,3\n", "has 1 complete row;")],
)
def test_too_few_rows(text, message):
    with pytest.raises(InputError, match=message):
        design(text, drop_missing=True)


@pytest.mark.parametrize(
    ("name", "cells", "told"),
    [
        ("t", [5, 6, 7, 8], True),
        ("t", [5, 6, 8, 7], False),
        ("patient_id", [52, 17, 99, 4], True),
        ("PassengerId", [52, 17, 99, 4], True),
        ("patient_id", [52, 17, 17, 4], False),
        ("acid", [52, 17, 99, 4], False),
        ("id", [0.5, 1.5, 2.5, 3.5], False),
    ],
)
def test_identifiers_draw_a_note_and_stay(name, cells, told):
    found = design(column(name, cells))
    assert found.names == [name, "z"]
    assert bool(found.notes) == told


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "Wieght"}, "no column 'Wieght'; did you mean 'weight'"),
        ({"target": "AGE"}, "did you mean 'age'"),
        ({"target": "zz"}, "the columns are 'age', 'weight', 'y'"),
        ({"columns": ["age", "hieght"]}, "no column 'hieght'"),
        ({"exclude": ["q"]}, "no column 'q'"),
        ({"target": "y", "columns": ["age", "y"]}, "target 'y' is also in --columns"),
        ({"target": "y", "exclude": ["y"]}, "'y' is wanted and in --exclude"),
        ({"columns": ["age"], "exclude": ["age"]}, "'age' is wanted and in --exclude"),
        ({"target": "y", "exclude": ["age", "weight"]}, "no columns are left"),
    ],
)
def test_choices_that_cannot_be_met(options, message):
    file = CsvFile(b"age,weight,y\n1,2,3\n", "t.csv")
    with pytest.raises(InputError, match=message):
        choose_columns(file, **options)


def test_unnamed_columns_must_be_asked_for():
    file = CsvFile(b",a,y\n0,2,3\n", "t.csv")
    assert choose_columns(file, "y") == (["a"], ["column 1"])
    assert choose_columns(file, "y", ["column 1"]) == (["column 1"], [])
    assert choose_columns(file, "y", exclude=["column 1"]) == (["a"], [])


def test_asked_columns_come_in_the_order_asked_and_once():
    file = CsvFile(b"a,b,c\n0,2,3\n", "t.csv")
    assert choose_columns(file, columns=["c", "a", "c"])[0] == ["c", "a"]


def test_a_level_may_not_pose_as_a_column():
    with pytest.raises(InputError, match="rename"):
        design("c,c=b\na,1\nb,2\na,3\nb,5\n")
