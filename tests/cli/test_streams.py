"""Pipes that nobody reads, full disks and closed streams; lines without end."""

import os
import subprocess
import sys

import numpy as np
import pytest

from skholder.cli import main
from skholder.cli.streams import plain, say

AUDIT = ["audit", "t.csv", "--target", "y", "--draws", "200"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    x = rng.normal(size=50)
    y = x + rng.normal(size=50)
    y[7] = 60
    rows = "".join(f"{a},{b}\n" for a, b in zip(x, y, strict=True))
    (tmp_path / "t.csv").write_text("x,y\n" + rows)
    return tmp_path


@pytest.fixture
def full(monkeypatch):
    """A function that lets a stream of this name go to a full disk."""
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    opened = []

    def fill(name):
        opened.append(open("/dev/full", "w"))  # noqa: SIM115
        monkeypatch.setattr(sys, name, opened[-1])

    yield fill
    monkeypatch.undo()
    for stream in opened:
        # What was discarded flushes without a word.
        stream.close()


def test_a_full_disk_under_the_output_is_one_line(here, capsys, full):
    full("stdout")
    assert main([*AUDIT, "--scores", "s.csv"]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "skholder: error: cannot write to standard output: No space left on device"
    assert (here / "s.csv").exists()


def test_a_full_disk_under_the_warnings_stops_nothing(here, capsys, full):
    full("stderr")
    assert main(AUDIT) == 0
    assert capsys.readouterr().out.startswith("t.csv: 50 rows")


def test_the_gate_is_told_to_a_pipe_that_nobody_reads(here, monkeypatch):
    streams = []
    for name in ("stdout", "stderr"):
        reader, writer = os.pipe()
        os.close(reader)
        streams.append(os.fdopen(writer, "w"))
        monkeypatch.setattr(sys, name, streams[-1])
    options = ["--scores", "s.csv", "--fail-above", "0.0001", "--probability", "0.5"]
    code = main([*AUDIT, *options])
    monkeypatch.undo()
    for stream in streams:
        stream.close()
    assert code == 3
    assert (here / "s.csv").exists()


def test_an_output_beyond_the_limit_leaves_all_as_it_was(here, run):
    resource = pytest.importorskip("resource")
    for name in ("c.csv", "r.html", "s.csv"):
        (here / name).write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    outputs = ["--scores", "s.csv", "--report", "r.html", "--clean", "c.csv", "--force"]
    # The report is longer than this, the others are not.
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        code, out, err = run(*AUDIT, *outputs)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (code, out) == (2, "")
    assert err[-1].startswith("skholder: error: cannot write 'r.html': ")
    assert sorted(os.listdir(here)) == ["c.csv", "r.html", "s.csv", "t.csv"]
    assert {(here / name).read_text() for name in ("c.csv", "r.html", "s.csv")} == {"old"}


def test_streams_that_the_shell_has_closed(here):
    command = [sys.executable, "-m", "skholder", *AUDIT, "--scores", "s.csv"]
    found = subprocess.run(["bash", "-c", '"$@" >&- 2>&-', "bash", *command])
    assert found.returncode == 0
    assert (here / "s.csv").exists()


def test_a_line_keeps_its_start_and_its_end(capsys):
    say(f"start {'x' * 10_000} end")
    line = capsys.readouterr().err.rstrip("\n")
    assert line.startswith("start xxx")
    assert line.endswith("xxx end")
    assert len(line) < 2_100


def test_control_characters_are_not_printed(capsys):
    say("a\nb\x1b[2J\u202ec")
    assert capsys.readouterr().err == "a b?[2J?c\n"
    assert plain("abc\tdef", 5) == "abc?…"
