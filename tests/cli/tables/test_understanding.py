import numpy as np
import pytest

from skholder.cli.tables import MAX_LEVELS, CsvFile, Wishes, understand


def understood(text, target=None, model="linear", **wishes):
    file = CsvFile(text.encode(), "t.csv")
    return understand(file, Wishes(target, **wishes), MAX_LEVELS[model])


def column(name, cells, mark=";"):
    """A table of these cells beside numbers that are no counter."""
    lines = [f"{cell}{mark}{0.1 * i * i}\n" for i, cell in enumerate(cells)]
    return f"{name}{mark}z\n" + "".join(lines)


def test_plain_numbers_draw_no_note():
    found = understood("a;b\n1.5;2\n2;7\n3;4\n")
    assert (found.inputs, found.notes, found.problems) == (["a", "b"], (), ())


@pytest.mark.parametrize(
    ("cells", "values", "note"),
    [
        (
            ["0,5", "1", "0,25"],
            [0.5, 1, 0.25],
            "column 'c': decimal commas are read as decimal points in 2 cells ('0,5' is 0.5)",
        ),
        (
            ["1,234.5", "1,234", "7"],
            [1234.5, 1234, 7],
            "column 'c': separators of thousands are taken out in 2 cells ('1,234.5' is 1234.5)",
        ),
        (
            ["12%", "7.5 %", "11%"],
            [12, 7.5, 11],
            "column 'c': percent signs are taken off in 3 cells ('12%' is 12)",
        ),
        (
            ["12%", "7%", "0.11"],
            [12, 7, 0.11],
            "column 'c': percent signs are taken off in 2 cells ('12%' is 12); 1 cell without "
            "one, such as '0.11', is taken as percent too",
        ),
        (
            ["1970-01-02", "", "1970-01-11"],
            [1, np.nan, 10],
            "column 'c' is dates, read as numbers of days since 1970-01-01",
        ),
    ],
)
def test_cells_become_numbers_with_a_note(cells, values, note):
    found = understood(column("c", cells))
    np.testing.assert_array_equal(found.table.columns["c"].numbers, values)
    assert (found.notes, found.problems) == ((note,), ())
    assert found.inputs == ["c", "z"]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            ["1", "2.5", "x", "4"],
            "column 'c' is numbers but for a text: 'x' (line 4); mend it, call it missing with "
            "--missing=x, or leave the column out with --exclude c",
        ),
        (
            ["1", "2", "?", "n.a."],
            "column 'c' is numbers but for 2 texts: '?' (line 4), 'n.a.' (line 5); mend them, call "
            "them missing with --missing='?,n.a.', or leave the column out with --exclude c",
        ),
        (
            ["2020-01-01", "2020-02-30", "2020-01-03"],
            "column 'c' is dates but for a text: '2020-02-30' (line 3); mend it, call it missing "
            "with --missing=2020-02-30, or leave the column out with --exclude c",
        ),
        (
            ["1,234", "2,500", "3"],
            "column 'c' has 2 cells such as '1,234' (line 2), which is 1234 or 1.234; say which "
            "with --decimal . or --decimal ,",
        ),
        (
            ["3/4/2020", "5/6/2020", "1/2/2020"],
            "column 'c' has dates such as '3/4/2020' (line 2) with the day or the month first; "
            "write them as 2023-12-31, or leave the column out with --exclude c",
        ),
        (
            ["1", "inf", "3.5", "4"],
            "column 'c' has an infinite value (line 3); mend the cells, call them missing with "
            "--missing=inf,-inf, or leave the column out with --exclude c",
        ),
        (["1", "1e999", "3.5", "4"], "column 'c' has an infinite value (line 3); "),
        (["1", "inf", "3,5", "4"], "column 'c' has an infinite value (line 3); "),
    ],
)
def test_problems_come_with_remedies(cells, message):
    (problem,) = understood(column("c", cells)).problems
    assert problem.startswith(message)


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        (["1", "?", "3.5"], ["?"]),
        (["1", "-999", "3.5"], ["-999"]),
        (["1", "-999.0", "3.5"], ["-999"]),
        (["1", "inf", "3.5"], ["inf"]),
        (["1,5", "unknown", "3,5"], ["unknown", "?"]),
        (["1970-01-01", "-", "1970-01-03"], ["-"]),
    ],
)
def test_cells_that_are_called_missing(cells, codes):
    found = understood(column("c", cells), missing=codes)
    assert found.problems == ()
    np.testing.assert_array_equal(found.table.columns["c"].missing, [False, True, False])
    assert np.isnan(found.table.columns["c"].numbers[1])
    assert found.notes[0] == "column 'c': 1 cell is taken as missing, as asked"


def test_numbers_with_points_in_a_table_with_decimal_commas():
    text = "a;b;c\n0,5;1.234;0.5\n0,25;2.500;1.234\n0,75;1.111;2.5\n"
    (problem,) = understood(text).problems
    assert problem.startswith("column 'b' has 3 cells such as '1.234' (line 2), which is 1234 or")
    found = understood(text, decimal=",")
    assert found.problems == ()
    np.testing.assert_array_equal(found.table.columns["b"].numbers, [1234, 2500, 1111])
    # What the column itself says goes first.
    np.testing.assert_array_equal(found.table.columns["c"].numbers, [0.5, 1.234, 2.5])
    found = understood(text, decimal=".")
    np.testing.assert_array_equal(found.table.columns["b"].numbers, [1.234, 2.5, 1.111])


def test_text_beside_a_target_is_a_category():
    text = "c,y\n" + "".join(f"{c},{i * i}\n" for i, c in enumerate("abaabb"))
    found = understood(text, "y")
    assert (found.inputs, found.notes, found.problems) == (["c"], (), ())


def test_text_without_a_target_is_left_out():
    found = understood(column("c", ["a", "b"] * 4))
    assert found.inputs == ["z"]
    (note,) = found.notes
    assert note.startswith("column 'c' is text, which is far from normal: without a --target it")
    found = understood(column("c", ["a", "b"] * 4), columns=["c", "z"])
    assert (found.inputs, found.notes) == (["c", "z"], ())


def test_text_of_many_levels_is_left_out_or_a_problem_where_it_is_asked_for():
    names = column("c", ["Ann", "Bob", "Cid", "Dee"])
    found = understood(names)
    assert found.inputs == ["z"]
    (note,) = found.notes
    assert note == (
        "column 'c' is text with 4 different values, too many to be categories (at most 30, and "
        "two rows each on average): 'Ann', 'Bob', 'Cid' and 1 more; it was left out"
    )
    (problem,) = understood(names, columns=["c"]).problems
    assert problem.endswith("; leave it out with --exclude c")


def test_trees_take_more_levels():
    text = column("c", [f"level {i % 40}" for i in range(100)])
    assert understood(text, "z").inputs == []
    assert understood(text, "z", "trees").inputs == ["c"]


def test_constant_text():
    found = understood(column("c", ["x"] * 4))
    assert (found.inputs, found.notes) == (["z"], ("column 'c' is always 'x': it was left out",))
    (problem,) = understood(column("c", ["x"] * 4), columns=["c"]).problems
    assert problem == "column 'c' is always 'x': leave it out with --exclude c"


def test_the_remedy_can_be_pasted_into_a_shell():
    (problem,) = understood('"it, too",b\nx,1\ny,2.5\n', columns=["it, too", "b"]).problems
    assert problem.endswith("""--exclude '"it, too"'""")


def test_identifiers_are_left_out_unless_asked_for():
    text = "patient_id,a,b\n1,2.5,3\n2,4,1\n3,7,8\n"
    found = understood(text, "b")
    assert found.inputs == ["a"]
    (note,) = found.notes
    assert note == (
        "column 'patient_id' only counts or names the rows and was left out; --id patient_id shows "
        "it beside each row, --columns takes it as a measurement"
    )
    found = understood(text, "b", columns=["patient_id", "a"])
    assert found.inputs == ["patient_id", "a"]
    assert "is an input all the same" in found.notes[0]


def test_a_lone_counter_explains_a_target():
    found = understood("t,y\n1,2.5\n2,4\n3,7\n", "y")
    assert found.inputs == ["t"]


def test_ids_are_kept_as_they_are_spelled():
    found = understood("who,a,y\n007,2.5,3\n,4,1\n007,7,8\n", "y", id="who")
    assert found.table.ids == ["007", "", "007"]
    assert found.inputs == ["a"]
    assert found.notes == ("1 row has an identifier 'who' of an earlier row (line 4)",)
    names = found.table.names_of(np.array([0, 2]))
    assert names == ["007 (row 0, line 2)", "007 (row 2, line 4)"]


def test_duplicates_do_not_mind_identifiers():
    text = "id,a,y\n1,2.5,3\n2,4,1\n3,2.5,3\n"
    for wishes in ({"id": "id"}, {}):
        note = understood(text, "y", **wishes).notes[-1]
        assert note.startswith("1 row repeats an earlier one exactly, but for 'id' (line 4 as line")


def test_codes_are_pointed_out_in_inputs_and_target():
    rows = [f"{w},{w * 2}\n" for w in np.linspace(50, 90, 60)] + ["-999,9999\n"] * 3
    found = understood("a,y\n" + "".join(rows), "y")
    assert [note.split(" in ")[0] for note in found.notes[:2]] == [
        "column 'a' is -999",
        "column 'y' is 9999",
    ]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            ["x", "1", "2"],
            "the target 'c' must be numbers but has a text: 'x' (line 2); mend it, call it missing "
            "with --missing=x, or choose another --target",
        ),
        (
            ["x", "y", "x"],
            "the target 'c' must be numbers but has 3 texts: 'x' (line 2), 'y' (line 3), 'x' (line "
            "4); choose another --target",
        ),
    ],
)
def test_a_target_must_be_numbers(cells, message):
    (problem,) = understood(column("c", cells), "c").problems
    assert problem.startswith(message)


def test_nothing_is_left():
    (problem,) = understood("c,d\na,b\nb,b\na,a\nb,a\n").problems
    assert problem.startswith("no columns are left to audit: column 'c' is text, which is far")
    assert "; column 'd' is text" in problem


def test_a_long_column_of_names_is_text_and_one_of_rare_numbers_too():
    names = [f"name {i}" for i in range(3000)]
    assert understood(column("c", names), "z").inputs == []
    # Most rows repeat one number; the different cells are mostly text.
    cells = [*(f"x{i}" for i in range(300)), *["7,5"] * 900]
    (problem,) = understood(column("c", cells), "z").problems
    assert problem.startswith("column 'c' is numbers but for 300 texts: 'x0' (line 2)")


def test_an_empty_column_is_left_out():
    text = "a,g,y\n1.5,,2\n3,NA,5\n4,,7\n"
    found = understood(text, "y")
    assert (found.inputs, found.notes) == (["a"], ("column 'g' is empty: it was left out",))
    (problem,) = understood(text, "y", columns=["a", "g"]).problems
    assert problem == "column 'g' is empty: leave it out with --exclude g"


def test_a_date_a_day_is_no_identifier():
    found = understood("d,a,y\n2020-01-01,2.5,3\n2020-01-02,4,1\n2020-01-03,7,8\n", "y")
    assert found.inputs == ["d", "a"]
