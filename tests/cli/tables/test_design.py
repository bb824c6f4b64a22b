import numpy as np
import pytest

from skholder.cli.tables import (
    MAX_LEVELS,
    CsvFile,
    InputError,
    Wishes,
    build_design,
    input_design,
    understand,
)


def understood(text, target=None, model="linear", **wishes):
    file = CsvFile(text.encode(), "t.csv")
    return understand(file, Wishes(target, **wishes), MAX_LEVELS[model])


def design(text, target=None, drop_missing=False, model="linear", **wishes):
    return build_design(understood(text, target, model, **wishes), drop_missing, model)


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
    text = "c,z\nred,1\nblue,2\nred,3.5\nblue,4\nodd,\nred,\n"
    found = design(text, drop_missing=True, columns=["c", "z"])
    assert found.names == ["c=red", "z"]
    np.testing.assert_array_equal(found.rows, [0, 1, 2, 3])


def test_text_of_one_level_among_complete_rows_is_left_out():
    found = design("c,z,y\nx,1,3\nx,2.5,4\nw,,4\nw,,6\n", "y", drop_missing=True)
    assert found.names == ["z"]
    assert found.notes == ["column 'c' is always 'x': it was left out"]


def test_thirty_levels_are_categories():
    found = design(column("c", [f"level {i % 30}" for i in range(100)]), columns=["c"])
    assert found.X.shape == (100, 29)


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
        ",".join(names)
        + "\n"
        + ",".join("NA" for _ in names)
        + "\n"
        + "1,2,3,4,5,6,7,8,9,0\n2,2,3,4,5,6,7,8,9,0\n"
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


def test_a_level_may_not_pose_as_a_column():
    with pytest.raises(InputError, match="rename"):
        design("c,c=b,y\na,1,2\nb,2,4\na,3,3\nb,5,2\n", "y")


TREES = "c,z,y\nred,1,3\nblue,,4\n,2.5,6\nred,7,9\nblue,1.5,2\n"


def test_trees_take_levels_as_codes_and_missing_inputs_as_they_are():
    found = design(TREES, "y", model="trees")
    assert (found.names, found.categories) == (["c", "z"], {"c": ["blue", "red"]})
    np.testing.assert_array_equal(found.X[:, 0], [1, 0, np.nan, 1, 0])
    np.testing.assert_array_equal(found.X[:, 1], [1, np.nan, 2.5, 7, 1.5])
    np.testing.assert_array_equal(found.rows, range(5))
    assert found.left_out_note == ""


def test_trees_need_a_target_in_every_row():
    text = TREES.replace("7,9", "7,")
    with pytest.raises(InputError, match=r"in 1 of 5 rows \('y' 1\); drop those rows with"):
        design(text, "y", model="trees")
    found = design(text, "y", model="trees", drop_missing=True)
    np.testing.assert_array_equal(found.rows, [0, 1, 2, 4])


def test_missing_inputs_of_a_linear_model_can_go_to_trees():
    with pytest.raises(InputError, match="as they are with --model trees"):
        design(TREES, "y")
    with pytest.raises(InputError) as caught:
        design("a,y\n1,2\n3,\n4,5\n", "y")
    assert "trees" not in str(caught.value)


def test_all_problems_of_a_table_come_at_once():
    text = "a,b,c,y\n1,x,inf,7\n2,3,4,\n3.5,5,6,7\n,5,6,7\n"
    with pytest.raises(InputError) as caught:
        design(text, "y")
    stray, infinite, missing, constant = caught.value.problems
    assert stray.startswith("column 'b' is numbers but for a text: 'x' (line 2)")
    assert infinite.startswith("column 'c' has an infinite value (line 2)")
    assert missing.startswith("missing values in 2 of 4 rows ('a' 1, 'y' 1)")
    assert constant.startswith("the target 'y' is constant")
    for problem in caught.value.problems[:3]:
        assert "--exclude" in problem


def test_inputs_are_the_numbers_of_rows_that_have_them_all():
    text = "c,z,gaps,y\nred,1,4,3\nblue,,,4\n,2.5,,6\nred,7,,9\nblue,1.5,,2\n"
    found = input_design(understood(text, "y", "trees"))
    assert found.names == ["z"]
    np.testing.assert_array_equal(found.rows, [0, 2, 3, 4])
    np.testing.assert_array_equal(found.X[:, 0], [1, 2.5, 7, 1.5])
    assert found.y is None
    assert found.notes == ["not among the audited inputs: 'c', 'gaps'"]
    assert found.left_out_note.startswith("1 of 5 rows was left out")


def test_inputs_must_be_numbers():
    with pytest.raises(InputError, match="--inputs: no input is a column of numbers"):
        input_design(understood("c,y\na,1\nb,3\na,2\nb,5\n", "y"))
