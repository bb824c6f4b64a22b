"""Row sources: the same rows in every pass, and errors that name the block."""

import numpy as np
import pytest

from skholder.rows import ArraySource, BlockSource, ParquetSource, RowBlock, Sketch

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def rows_of(source):
    return np.concatenate([np.column_stack([block.X, block.y]) for block in source])


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal(size=(5000, 3)), rng.normal(size=5000)


def written(folder, X, y, n_files=3):
    for k, part in enumerate(np.array_split(np.arange(len(X)), n_files)):
        columns = {f"x{j}": X[part, j] for j in range(X.shape[1])} | {"y": y[part]}
        pq.write_table(pa.table(columns), folder / f"part-{k}.parquet", row_group_size=700)
    return folder


def test_all_kinds_give_the_same_rows(table, tmp_path):
    X, y = table
    mapped = tmp_path / "X.npy"
    np.save(mapped, X)
    sources = [
        ArraySource(X, y),
        ArraySource(np.load(mapped, mmap_mode="r"), y),
        BlockSource(lambda: ((X[i : i + 999], y[i : i + 999]) for i in range(0, len(X), 999))),
        BlockSource([(X[:10], y[:10]), (X[10:], y[10:])]),
        ParquetSource(written(tmp_path, X, y), target="y"),
    ]
    for source in sources:
        np.testing.assert_array_equal(rows_of(source), np.column_stack([X, y]))
        assert sum(source.map(len)) == len(X)
        np.testing.assert_array_equal(rows_of(source), np.column_stack([X, y]))
    assert sources[-1].columns == ("x0", "x1", "x2")
    assert sources[-1].n_rows == len(X)


def test_an_iterator_cannot_be_walked_over_twice(table):
    with pytest.raises(ValueError, match="once only"):
        BlockSource(iter([table]))


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ((np.ones((3, 2)), np.ones(2)), "block 1: 3 rows of X but 2 responses"),
        ((np.ones(3), np.ones(3)), "block 1: X must have two dimensions"),
        ((np.ones((3, 2)), ["a", "b", "c"]), "y of block 1 must be numbers"),
        ((np.ones((3, 2)), np.ones(3), -np.ones(3)), "block 1: a row's weight is negative"),
        ((np.ones((3, 4)), np.ones(3)), "block 1 has 4 columns, block 0 has 2"),
        ((np.ones((3, 2)),), "block 1 has no response"),
        ((np.ones((3, 2)), np.ones(3), np.ones(3)), "Only one of block 0 and block 1 has weights"),
        ((np.array([[1, np.nan]]), np.ones(1)), "block 1: column 1 of X holds nan in its row 0"),
        ((np.ones((2, 2)), np.array([1, np.inf])), "block 1: y holds inf in its row 1"),
    ],
)
def test_bad_blocks_are_named(block, message):
    source = BlockSource([(np.ones((5, 2)), np.ones(5)), block])
    with pytest.raises(ValueError, match=message):
        Sketch.of(source, with_response=True)


def test_no_rows_and_no_weight():
    for blocks in ([], [(np.ones((1, 2)), np.ones(1))]):
        with pytest.raises(ValueError, match="row source has"):
            Sketch.of(BlockSource(blocks), with_response=True)
    with pytest.raises(ValueError, match="sum to zero"):
        Sketch.of(ArraySource(np.ones((4, 2)), None, np.zeros(4)), with_response=False)


def test_arrays_of_different_lengths():
    with pytest.raises(ValueError, match="X has 4 rows and y has 3"):
        ArraySource(np.ones((4, 2)), np.ones(3))


def test_parquet_errors_name_the_file(table, tmp_path):
    X, y = table
    with pytest.raises(FileNotFoundError, match="a folder without Parquet files"):
        ParquetSource(tmp_path, target="y")
    folder = written(tmp_path, X, y)
    with pytest.raises(ValueError, match=r"part-0.parquet has no numeric column 'z'"):
        ParquetSource(folder, target="z")
    pq.write_table(pa.table({"x0": ["a"], "y": [1.0]}), folder / "part-9.parquet")
    with pytest.raises(ValueError, match=r"part-9.parquet has no numeric column 'x0'"):
        ParquetSource(folder, target="y")
    (folder / "part-9.parquet").write_bytes(b"PAR1 is not a table")
    with pytest.raises(ValueError, match=r"part-9.parquet cannot be read"):
        ParquetSource(folder, target="y")
    hole = pa.table({f"x{j}": [1.0, None] for j in range(3)} | {"y": [1.0, 2.0]})
    pq.write_table(hole, folder / "part-9.parquet")
    with pytest.raises(ValueError, match=r"'x0' of part-9.parquet, batch 0 has 1 missing"):
        Sketch.of(ParquetSource(folder, target="y"), with_response=True)


def test_the_sample_hangs_on_the_rows_only():
    rng = np.random.default_rng(0)
    blocks = [(rng.normal(size=(60_000, 1)),) for _ in range(4)]
    some = Sketch.of(BlockSource(blocks), with_response=False)
    same = Sketch.of(BlockSource(blocks[::-1]), with_response=False)
    assert some.n_rows == 240_000
    assert abs(len(some.X) - 100_000) < 2000
    np.testing.assert_array_equal(np.sort(some.X, axis=0), np.sort(same.X, axis=0))
    assert abs(some.X.mean()) < 0.02


def test_a_block_says_what_it_is():
    block = RowBlock.of([[1, 2]], [3], None, "block 0")
    assert repr(block) == "RowBlock(block 0: 1 rows)"
    assert block.X.dtype == block.y.dtype == np.float64


def test_other_names_and_numbers_of_columns():
    X = np.ones((4, 2))
    with pytest.raises(ValueError, match="block 0 has 2 columns, the source's list of columns has"):
        Sketch.of(BlockSource([X], columns=["a"]), with_response=False)
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["a", "b"])
    assert Sketch.of(ArraySource(frame), with_response=False).columns == ("a", "b")
    with pytest.raises(ValueError, match="Column 0 of block 1 is 'b', that of block 0 is 'a'"):
        Sketch.of(BlockSource([frame, frame[["b", "a"]]]), with_response=False)


@pytest.mark.parametrize("X", [np.ones(4), np.ones((1, 4, 2)), 3.0])
def test_an_array_source_has_two_dimensions(X):
    with pytest.raises(ValueError, match="X must have two dimensions, got shape"):
        ArraySource(X)


@pytest.mark.parametrize("kind", ["complex128", "datetime64[D]", "timedelta64[D]"])
def test_cells_that_are_no_real_numbers(kind):
    with pytest.raises(ValueError, match=r"X of block 0 holds .* Turn them into real numbers"):
        RowBlock.of(np.ones((3, 2), dtype=int).astype(kind), None, None, "block 0")


def test_a_walk_that_cannot_be_repeated(table):
    once = iter([table])
    with pytest.raises(ValueError, match="5000 rows at first and 0 in a later pass"):
        Sketch.of(BlockSource(lambda: once), with_response=True)


def test_a_block_has_three_parts_at_most(table):
    with pytest.raises(ValueError, match="block 0 has 4 parts"):
        list(BlockSource([(*table, None, None)]))


def test_errors_of_parquet_name_the_file_and_the_column(tmp_path):
    path = tmp_path / "0.parquet"
    pq.write_table(pa.table([[1.0], [2.0], [3.0]], names=["a", "a", "y"]), path)
    with pytest.raises(ValueError, match=r"0.parquet has more than one column named 'a'"):
        ParquetSource(path, target="y")
    for name, columns in (("a", {"a": [np.nan], "y": [1.0]}), ("y", {"a": [1.0], "y": [np.nan]})):
        pq.write_table(pa.table(columns), path)
        with pytest.raises(ValueError, match=rf"batch 0: column '{name}' holds nan in its row 0"):
            Sketch.of(ParquetSource(path, target="y"), with_response=True)
    numbers = np.random.default_rng(0).normal(size=1000)
    pq.write_table(pa.table({"a": numbers, "y": numbers}), path, compression="gzip")
    data = bytearray(path.read_bytes())
    data[len(data) // 4 : len(data) // 4 + 50] = bytes(50)
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"0.parquet cannot be read as Parquet: "):
        list(ParquetSource(path, target="y"))
