"""Files are replaced whole, published once, and nothing is left half done under its name."""

import os
import stat
from pathlib import Path

import pytest
from tests.fakes.disk import CrashingDisk, every_cut

from podium.state import disk as disk_module
from podium.state.disk import Disk


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_saved_file_replaces_the_old_one_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    for text in (b"old", b"new"):
        Disk().save(path, text)
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["state.json"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600


@pytest.mark.parametrize(("sync", "left"), [(False, {b"old"}), (True, {b"old", b"new"})])
def test_a_save_that_is_cut_anywhere_leaves_the_old_file_or_the_new_one(
    tmp_path: Path, sync: bool, left: set[bytes]
) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(b"old")
    seen = set()
    for _ in every_cut(lambda disk: disk.save(path, b"new", sync=sync)):
        seen.add(path.read_bytes())
        path.write_bytes(b"old")
    assert path.read_bytes() == b"new"
    assert seen == left


def test_only_a_synced_save_waits_for_the_disk(tmp_path: Path) -> None:
    quick, careful = CrashingDisk(), CrashingDisk()
    quick.save(tmp_path / "a", b"x")
    careful.save(tmp_path / "a", b"x", sync=True)
    assert quick.done == ["write_file", "replace"]
    assert careful.done == ["write_file", "sync", "replace", "sync_dir"]


def test_the_first_to_publish_a_name_wins(tmp_path: Path) -> None:
    path = tmp_path / "message.json"
    assert Disk().publish(path, b"first") is True
    assert Disk().publish(path, b"second") is False
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["message.json"]


def test_of_two_that_publish_at_once_the_second_to_name_its_file_loses(tmp_path: Path) -> None:
    path = tmp_path / "message.json"

    class Overtaken(Disk):
        def link(self, source: disk_module.StrPath, target: disk_module.StrPath) -> None:
            path.write_bytes(b"first")
            super().link(source, target)

    assert Overtaken().publish(path, b"second") is False
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["message.json"]


def test_a_publication_that_is_cut_anywhere_shows_the_whole_file_or_none(tmp_path: Path) -> None:
    path = tmp_path / "message.json"
    for _ in every_cut(lambda disk: disk.publish(path, b"all of it")):
        assert not path.exists() or path.read_bytes() == b"all of it"
        path.unlink(missing_ok=True)
    assert path.read_bytes() == b"all of it"


def test_a_leftover_that_shares_the_published_file_is_never_written_through(tmp_path: Path) -> None:
    """Cut between link and unlink, then a process of the same number publishes another file of
    that name.
    """
    path = tmp_path / "message.json"
    for _ in every_cut(lambda disk: disk.publish(path, b"published")):
        if path.exists():
            os.rename(path, tmp_path / "kept")
    assert (tmp_path / "kept").read_bytes() == b"published"
    assert Disk().publish(path, b"another") is False
    path.unlink()
    assert Disk().publish(path, b"another") is True
    assert (tmp_path / "kept").read_bytes() == b"published"


def test_folders_are_made_with_their_parents_and_again_without_complaint(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "c"
    for _ in range(2):
        Disk().make_dirs(target)
    assert target.is_dir()


def test_where_a_mount_knows_no_links_publishing_still_refuses_a_taken_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(source: str, target: str) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    path = tmp_path / "message.json"
    assert [Disk().publish(path, b"first"), Disk().publish(path, b"second")] == [True, False]
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["message.json"]


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:3]))
    Disk().write_file(tmp_path / "a", b"0123456789")
    fd = os.open(tmp_path / "a", os.O_WRONLY | os.O_APPEND)
    Disk().append(fd, b"abcdefgh")
    os.close(fd)
    assert (tmp_path / "a").read_bytes() == b"0123456789abcdefgh"
