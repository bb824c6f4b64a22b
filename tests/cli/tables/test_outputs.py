import os
from pathlib import Path

import pytest

from skholder.cli.tables import (
    InputError,
    check_new_folder,
    check_outputs,
    new_folder,
    write_outputs,
)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a\n1\n")
    return path


def test_free_paths_pass(source, tmp_path):
    check_outputs(source, {"--report": tmp_path / "r.html", "--clean": tmp_path / "c.csv"})


def test_refused_paths(source, tmp_path):
    (tmp_path / "link.csv").symlink_to(source)
    os.link(source, tmp_path / "hard.csv")
    for path in (source, tmp_path / "link.csv", tmp_path / "hard.csv"):
        with pytest.raises(InputError, match="is the input"):
            check_outputs(source, {"--clean": path})
    with pytest.raises(InputError, match="also the file of --report"):
        check_outputs(source, {"--report": tmp_path / "o", "--scores": tmp_path / "." / "o"})
    with pytest.raises(InputError, match="is a folder"):
        check_outputs(source, {"--report": tmp_path})
    with pytest.raises(InputError, match="there is no folder"):
        check_outputs(source, {"--report": tmp_path / "no" / "r.html"})
    with pytest.raises(InputError, match="not a regular file"):
        check_outputs(source, {"--report": type(tmp_path)(os.devnull)})


def test_existing_files_are_refused_unless_forced(source, tmp_path):
    path = tmp_path / "old.csv"
    path.write_text("old")
    with pytest.raises(InputError, match=r"--clean: '.*old.csv' exists already; --force replaces"):
        check_outputs(source, {"--clean": path})
    check_outputs(source, {"--clean": path}, force=True)
    with pytest.raises(InputError, match="is the input"):
        check_outputs(source, {"--clean": source}, force=True)
    assert path.read_text() == "old"


def test_folders_that_take_no_files_are_refused(source, tmp_path, monkeypatch):
    def refuse(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(tmp_path), "touch", refuse)
    with pytest.raises(InputError, match=r"--scores: the folder .* cannot be written to: Permiss"):
        check_outputs(source, {"--scores": tmp_path / "s.csv"})


def test_checking_leaves_nothing_behind(source, tmp_path):
    check_outputs(source, {"--report": tmp_path / "r.html"})
    assert os.listdir(tmp_path) == ["in.csv"]


def writer(text, error=None):
    def write(draft):
        draft.write_text(text)
        if error is not None:
            raise error

    return write


def put(writers, force=False):
    """Check the outputs as before a fit, and write them."""
    write_outputs(writers, leading(writers), force)


def leading(paths):
    return {path: Path(os.path.realpath(path)) for path in paths}


def test_names_that_cannot_be_made_are_refused(source, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    for check in (
        lambda path: check_outputs(source, {"--scores": path}),
        lambda path: check_new_folder("--scores", path),
    ):
        with pytest.raises(InputError, match=r"--scores: '.*' cannot be made: File name too long"):
            check(tmp_path / ("n" * 300))
        with pytest.raises(InputError, match=r"--scores: '.*loop' is a link that leads to itself"):
            check(tmp_path / "loop")
        with pytest.raises(InputError, match=r"--scores: there is no folder '.*loop'"):
            check(tmp_path / "loop" / "x")
    if os.path.isdir("/proc/self"):
        with pytest.raises(InputError, match="the folder '/proc' cannot be written to"):
            check_new_folder("--scores", Path("/proc/zz"))


def test_a_full_disk_names_the_file_and_keeps_the_old_ones(tmp_path):
    path, other = tmp_path / "out.csv", tmp_path / "other.csv"
    path.write_text("old")
    full = OSError(28, "No space left on device")
    with pytest.raises(InputError, match=r"cannot write '.*out.csv': No space left"):
        put({other: writer("new"), path: writer("half", full)}, force=True)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_permissions_are_kept_and_drafts_unforeseeable(tmp_path):
    path, drafts = tmp_path / "out.csv.gz", []
    path.write_text("old")
    path.chmod(0o640)

    def write(draft):
        drafts.append(draft)
        draft.write_text("new")

    for _ in range(2):
        put({path: write}, force=True)
    assert {draft.suffix for draft in drafts} == {".gz"}
    assert drafts[0] != drafts[1]
    assert path.stat().st_mode & 0o777 == 0o640


def test_names_as_long_as_the_disk_takes(source, tmp_path):
    path = tmp_path / ("n" * 251 + ".csv")
    check_outputs(source, {"--clean": path})
    put({path: writer("new")})
    assert path.read_text() == "new"


def test_a_file_is_replaced_at_the_end(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")

    def write(draft):
        draft.write_text("new")
        assert path.read_text() == "old"

    put({path: write}, force=True)
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_failure_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        put({path: writer("half", KeyboardInterrupt())}, force=True)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    put({tmp_path / "link.csv": writer("new")}, force=True)
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


@pytest.mark.parametrize("links", [True, False])
def test_what_has_appeared_by_then_stays_unless_forced(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"

    def late(draft):
        draft.write_text("new")
        second.write_text("somebody else's")

    message = r"cannot write '.*b.csv': it has appeared during the fit; --force replaces it"
    with pytest.raises(InputError, match=message):
        put({first: writer("new"), second: late})
    assert os.listdir(tmp_path) == ["b.csv"]
    assert second.read_text() == "somebody else's"
    put({first: writer("new"), second: late}, force=True)
    assert first.read_text() == second.read_text() == "new"


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("kind", ["input", "nothing", "pipe"])
def test_links_and_pipes_that_have_appeared_are_left_alone(source, tmp_path, kind, force):
    path, other = tmp_path / "a.csv", tmp_path / "other.csv"

    def late(draft):
        draft.write_text("new")
        if kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to(source if kind == "input" else other)

    finals = check_outputs(source, {"--clean": path}, force)
    assert finals == {path: path}
    with pytest.raises(
        InputError, match=r"cannot write '.*a.csv': it has appeared during the fit$"
    ):
        write_outputs({path: late}, finals, force)
    assert source.read_text() == "a\n1\n"
    assert not other.exists()
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "in.csv"]


@pytest.mark.parametrize("links", [True, False])
def test_all_are_replaced_or_none(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    first, new, held = (tmp_path / name for name in ("a.csv", "b.csv", "c.csv"))
    first.write_text("old")
    held.write_text("held")
    replace = os.replace

    def refuse(draft, final):
        if final == held:
            raise PermissionError(1, "Operation not permitted")
        replace(draft, final)

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(InputError, match=r"cannot write '.*c.csv': Operation not permitted"):
        put(dict.fromkeys((first, new, held), writer("new")), force=True)
    assert (first.read_text(), held.read_text()) == ("old", "held")
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "c.csv"]


def no_links(*_):
    raise PermissionError(1, "Operation not permitted")


@pytest.mark.parametrize("links", [True, False])
def test_what_appears_at_the_last_moment_takes_all_back(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr("skholder.cli.tables.outputs._check_still_free", lambda *_: None)
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    second.write_text("somebody else's")
    with pytest.raises(InputError, match=r"cannot write '.*b.csv': File exists"):
        put({first: writer("new"), second: writer("new")})
    assert os.listdir(tmp_path) == ["b.csv"]
    assert second.read_text() == "somebody else's"
    second.unlink()
    put({first: writer("one"), second: writer("two")})
    assert (first.read_text(), second.read_text()) == ("one", "two")
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "b.csv"]


def test_a_folder_in_the_place_of_a_file_keeps_the_others(tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("old")

    def late(draft):
        draft.write_text("new")
        second.mkdir()

    with pytest.raises(InputError, match=r"cannot write '.*b.csv': it has appeared during the"):
        put({first: writer("new"), second: late}, force=True)
    assert first.read_text() == "old"


def test_a_new_folder_appears_when_it_is_complete(tmp_path):
    path = tmp_path / "scores"
    with new_folder(path) as draft:
        assert draft.name.startswith(".skholder-")
        (draft / "part").write_text("new")
        assert not path.exists()
    assert (path / "part").read_text() == "new"
    assert os.listdir(tmp_path) == ["scores"]


def test_a_folder_that_has_appeared_stays(tmp_path):
    path = tmp_path / "scores"

    def late():
        with new_folder(path) as draft:
            (draft / "part").write_text("new")
            path.mkdir()

    with pytest.raises(InputError, match=r"cannot write '.*scores': it has appeared during the"):
        late()
    assert os.listdir(tmp_path) == ["scores"]
    assert os.listdir(path) == []
