"""Tables that break estimators: degenerate shapes, ties, huge and tiny numbers, odd arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from tempfile import TemporaryFile

import numpy as np

__all__ = ["TABLES", "Table"]

N = 30
HUGE = (1e6, 1e12, 1e50, 1e100, 1e150, 1e200, 1e300, 1.7e308)
OFFSETS = (1e6, 1e9, 1e12, 1e15)
SCALES = (1e-320, 1e-300, 1e-200, 1e-150, 1e-100, 1e100, 1e150, 1e200, 1e300)


@dataclass(frozen=True)
class Table:
    """X (n, p), y (n,) and weights (n,) or None."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None = None


def plain(n=N, p=2, seed=0):
    """A clean linear table with two outliers at its end."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X @ np.linspace(1, -1, p) + rng.normal(size=n)
    y[-2:] += 8
    X[-2:] += 6
    return X, y


def _shapes() -> Iterator[tuple[str, Callable[[], Table]]]:
    for n, p in (
        (2, 1),
        (2, 4),
        (3, 1),
        (3, 3),
        (5, 2),
        (5, 10),
        (10, 10),
        (10, 20),
        (20, 19),
        (20, 20),
        (50, 1),
        (50, 49),
        (50, 100),
    ):
        yield f"shape {n}x{p}", lambda n=n, p=p: Table(*plain(n, p, seed=n + p))


def _columns() -> Iterator[tuple[str, Callable[[], Table]]]:
    def edit(change):
        X, y = plain(p=3)
        change(X, y)
        return Table(X, y)

    def onto(X, y, column, values):
        X[:, column] = values

    def all_equal(X, y):
        X[:], y[:] = 1.5, -2.0

    def nearly_equal(X, y):
        X[:] = 1.5 + 1e-15 * np.round(X)
        y[:] = -2.0 + 1e-15 * np.round(y)

    def constant(X, y):
        X[:] = 3.0

    def constant_both(X, y):
        X[:], y[:] = 3.0, 7.0
        y[0] = 8.0

    def linear(X, y):
        y[:] = X @ [1.0, 2.0, 3.0] + 4

    def linear_but_one(X, y):
        linear(X, y)
        y[0] += 100

    def rounded(X, y):
        X[:], y[:] = np.round(X), np.round(y)

    def one_hot(X, y):
        X[:] = np.eye(3)[np.arange(len(X)) % 3]

    def clusters(X, y):
        X[: len(X) // 2] += 1e4
        y[: len(X) // 2] -= 1e4

    def half_bad(X, y):
        y[: len(X) // 2] += 20
        X[: len(X) // 2] += 10

    def cauchy(X, y):
        rng = np.random.default_rng(1)
        X[:], y[:] = rng.standard_cauchy(X.shape), rng.standard_cauchy(len(y))

    def sizes(X, y):
        # One cell each is large, and that of the second column by far: found by fuzzing.
        X[:] = 1e-245
        X[5, 0], X[7, 1], X[9, 2] = 1e8, 1e100, -1e9

    def fifth_huge(X, y):
        # Damaged pages of a file look like this.
        X[::5, 0] *= 1e180

    def constant_response(X, y):
        y[:] = 5.0

    def binary_response(X, y):
        y[:] = y > 0

    edits = {
        "constant column": lambda X, y: onto(X, y, 0, 2.0),
        "duplicated column": lambda X, y: onto(X, y, 0, X[:, 1]),
        "collinear columns": lambda X, y: onto(X, y, 0, 2 * X[:, 1] - X[:, 2]),
        "nearly collinear": lambda X, y: onto(X, y, 0, X[:, 1] + 1e-9 * X[:, 0]),
        "barely collinear": lambda X, y: onto(X, y, 0, X[:, 1] + 1e-14 * X[:, 0]),
        "zero inflated": lambda X, y: onto(X, y, 0, np.where(X[:, 0] > 1, X[:, 0], 0.0)),
        "zero inflated y": lambda X, y: np.copyto(y, 0.0, where=y < 1),
        "all rows equal": all_equal,
        "nearly equal": nearly_equal,
        "constant X": constant,
        "constant y": constant_response,
        "binary y": binary_response,
        "constant but one": constant_both,
        "exact line": linear,
        "exact line but one": linear_but_one,
        "rounded": rounded,
        "one-hot": one_hot,
        "two clusters": clusters,
        "half bad": half_bad,
        "cauchy": cauchy,
        "columns of all sizes": sizes,
        "a fifth huge": fifth_huge,
    }
    for name, change in edits.items():
        yield name, lambda change=change: edit(change)

    def odd_row_of_little_weight():
        # One row moves the first column, and weighs little: found by fuzzing.
        X, y = plain(p=3)
        X[:, 0] = -2e8
        X[12, 0] = 0.0
        weight = np.ones(len(X))
        weight[12] = 1e-3
        return Table(X, y, weight)

    yield "odd row of little weight", odd_row_of_little_weight


def _extremes() -> Iterator[tuple[str, Callable[[], Table]]]:
    def cell(value, in_x):
        X, y = plain()
        if in_x:
            X[3, 0] = value
        else:
            y[3] = value
        return Table(X, y)

    def affine(scale, offset, what):
        X, y = plain()
        if "x" in what:
            X = X * scale + offset
        if "1" in what:
            X[:, 0] = X[:, 0] * scale + offset
        if "y" in what:
            y = y * scale + offset
        return Table(X, y)

    for value in HUGE:
        yield f"one x {value:g}", lambda v=value: cell(v, True)
        yield f"one x {-value:g}", lambda v=-value: cell(v, True)
        yield f"one y {value:g}", lambda v=value: cell(v, False)

    def both_ends():
        X, y = plain()
        X[3:5, 0] = y[3:5] = 1.7e308, -1.7e308
        return Table(X, y)

    yield "both ends", both_ends
    for scale in SCALES:
        for what in ("x", "1", "y", "xy"):
            yield f"scale {scale:g} {what}", lambda s=scale, w=what: affine(s, 0.0, w)
    for offset in OFFSETS:
        for what in ("x", "y", "xy"):
            yield f"offset {offset:g} {what}", lambda o=offset, w=what: affine(1.0, o, w)


def _arrays() -> Iterator[tuple[str, Callable[[], Table]]]:
    X, y = plain()

    def read_only(array):
        array = array.copy()
        array.setflags(write=False)
        return array

    yield "integer", lambda: Table(np.rint(3 * X).astype(int), np.rint(3 * y).astype(int))
    yield "boolean", lambda: Table(X > 0, y > 0)
    yield "float32", lambda: Table(X.astype(np.float32), y.astype(np.float32))
    yield "float16", lambda: Table(X.astype(np.float16), y.astype(np.float16))
    yield "fortran", lambda: Table(np.asfortranarray(X), y)
    yield "non-contiguous", lambda: Table(np.repeat(X, 2, axis=1)[:, ::2], np.repeat(y, 2)[::2])
    yield "read-only", lambda: Table(read_only(X), read_only(y))
    yield "memory-mapped", lambda: Table(_mapped(X), _mapped(y))
    yield "big-endian", lambda: Table(X.astype(">f8"), y.astype(">f8"))


def _mapped(array):
    with TemporaryFile() as file:
        mapped = np.memmap(file, dtype=float, mode="w+", shape=array.shape)
    mapped[:] = array
    return mapped


def _weights() -> Iterator[tuple[str, Callable[[], Table]]]:
    X, y = plain()
    rng = np.random.default_rng(2)
    weights = {
        "zeros": rng.integers(0, 2, N).astype(float),
        "non-integer": rng.gamma(1.0, 1.0, N),
        "huge 1e12": np.full(N, 1e12),
        "huge 1e15": np.full(N, 1e15),
        "huge 1e300": np.full(N, 1e300),
        "one huge": np.append(np.ones(N - 1), 1e12),
        "one 1e300": np.append(np.ones(N - 1), 1e300),
        "one denormal": np.append(5e-324, np.full(N - 1, 70.0)),
        "tiny 1e-6": np.full(N, 1e-6),
        "tiny 1e-300": np.full(N, 1e-300),
        "denormal": np.full(N, 5e-324),
        "spread": 10.0 ** np.linspace(-8, 4, N),
    }
    for name, weight in weights.items():
        yield f"weights {name}", lambda w=weight: Table(X, y, w)
    yield "every row 100 times", lambda: Table(np.repeat(X, 100, axis=0), np.repeat(y, 100))

    def heavy_far_row():
        # Fewer rows than parameters, and a far one with a sixth of the weight: found by fuzzing.
        X = np.array(
            [
                [-0.46, 3.6, 0.6, -4.0],
                [-0.51, -1.4, 2.5, 1.7],
                [-0.05, 0.7, 0.001, 0.6],
                [-2.9, 1.9, -0.4, -0.1],
                [-1.4, 3.0, 0.9, 0.6],
                [0.5, 0.4, 6.0, -0.07],
                [-0.3, -9.4, 1e300, -10.0],
                [-4.5, -2.6, -2.8, -1.7],
            ]
        )
        return Table(X, X[:, 0] - X[:, 1], np.array([8, 21, 18, 57, 11, 6, 24, 0.3]) / 100)

    yield "heavy far row", heavy_far_row


#: Every table by name; a call makes it.
TABLES: dict[str, Callable[[], Table]] = {
    name: make
    for family in (_shapes, _columns, _extremes, _arrays, _weights)
    for name, make in family()
}
