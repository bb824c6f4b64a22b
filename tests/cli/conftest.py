"""A small table of text and numbers, with ten rows that do not belong."""

import csv
import io

import numpy as np
import pytest

from skholder.cli import main

OUTLIERS = range(0, 100, 10)


def _pieces():
    """Header and rows as text; endings, quotes and digits are such that a rewrite would show."""
    rng = np.random.default_rng(3)
    x, z, noise = rng.normal(size=(3, 100))
    colour = np.where(np.arange(100) % 3 == 0, "red", "blue")
    y = 1 + 2 * x - 10 * z + 4 * (colour == "red") + noise
    y[OUTLIERS] += 60
    rows = [["name", "x", "z, cm", "colour", "y"]]
    for i in range(100):
        name = f"Ann\n{i}" if i % 25 == 3 else f'"{i}"'
        rows.append([name, f"{x[i]:+.5f}", f"{z[i]:09.4f}", colour[i], f"{y[i]:.4e}"])
    pieces = []
    for row in rows:
        stream = io.StringIO(newline="")
        csv.writer(stream, lineterminator="\r\n").writerow(row)
        pieces.append(stream.getvalue())
    return pieces


@pytest.fixture(scope="session")
def pieces():
    """The text of the header and of each row of ``t.csv``."""
    return _pieces()


@pytest.fixture(scope="session")
def outliers():
    return set(OUTLIERS)


@pytest.fixture
def run(capsys):
    """Run the command in this process: exit code, standard output, lines of standard error."""

    def run(*argv):
        code = main([str(part) for part in argv])
        found = capsys.readouterr()
        return code, found.out, found.err.splitlines()

    return run


@pytest.fixture
def folder(tmp_path, monkeypatch, pieces):
    """The working directory, with ``t.csv`` in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_bytes("".join(pieces).encode())
    return tmp_path
