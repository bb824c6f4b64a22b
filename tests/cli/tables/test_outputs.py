import os

import pytest

from skholder.cli.tables import InputError, check_outputs, replacing


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


def test_a_full_disk_names_the_file_and_keeps_the_old_one(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")

    def fill():
        with replacing(path) as draft:
            draft.write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match=r"cannot write '.*out.csv': No space left"):
        fill()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_permissions_are_kept_and_drafts_unforeseeable(tmp_path):
    path = tmp_path / "out.csv.gz"
    path.write_text("old")
    path.chmod(0o640)
    with replacing(path) as draft, replacing(path) as other:
        assert draft.suffix == ".gz"
        assert draft != other
        draft.write_text("new")
        other.write_text("other")
    assert path.stat().st_mode & 0o777 == 0o640


def test_names_as_long_as_the_disk_takes(source, tmp_path):
    path = tmp_path / ("n" * 251 + ".csv")
    check_outputs(source, {"--clean": path})
    with replacing(path) as draft:
        draft.write_text("new")
    assert path.read_text() == "new"


def test_a_file_is_replaced_at_the_end(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")
    with replacing(path) as draft:
        draft.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_failure_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")

    def fail():
        with replacing(path) as draft:
            draft.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    with replacing(tmp_path / "link.csv") as draft:
        draft.write_text("new")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"
