"""Two names change places at once, or it is said that they cannot."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest
from tests.fakes.disk import CrashingDisk, every_cut

from podium.state import disk as disk_module
from podium.state import exchange as exchange_module
from podium.state.disk import Disk
from podium.state.exchange import exchange

linux = pytest.mark.skipif(sys.platform != "linux", reason="renameat2 is Linux's")


@linux
def test_two_files_take_each_others_names(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("1")
    other.write_text("2")
    exchange(str(one), str(other))
    assert (one.read_text(), other.read_text()) == ("2", "1")


@linux
def test_a_missing_file_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "one").touch()
    with pytest.raises(FileNotFoundError):
        exchange(str(tmp_path / "one"), str(tmp_path / "other"))


def test_where_the_system_has_no_such_call_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange_module, "_renameat2", lambda: None)
    with pytest.raises(OSError, match="not implemented") as told:
        exchange(str(tmp_path / "one"), str(tmp_path / "other"))
    assert told.value.errno == errno.ENOSYS


def swapped(path: Path, *texts: bytes) -> None:
    for text in texts:
        Disk().swap(path, text)


@linux
def test_a_swapped_file_takes_turns_in_two_files_and_no_third_is_made(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    swapped(path, b"first", b"second")
    inodes = {each.stat().st_ino for each in tmp_path.iterdir()}
    swapped(path, b"a longer third", b"4")
    assert path.read_bytes() == b"4"
    assert {each.stat().st_ino for each in tmp_path.iterdir()} == inodes
    assert len(inodes) == 2


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM])
def test_where_names_cannot_be_exchanged_the_file_is_replaced_as_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refused(_: str, target: str) -> None:
        raise OSError(number, os.strerror(number), target)

    monkeypatch.setattr(disk_module, "exchange", refused)
    path = tmp_path / "state.json"
    swapped(path, b"first", b"second", b"third")
    assert path.read_bytes() == b"third"
    assert os.listdir(tmp_path) == ["state.json"]


def test_a_full_disk_is_told_and_the_old_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.json"
    swapped(path, b"first")

    def full(_: str, target: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), target)

    monkeypatch.setattr(disk_module, "exchange", full)
    with pytest.raises(OSError, match="space"):
        Disk().swap(path, b"second")
    assert path.read_bytes() == b"first"


@pytest.mark.parametrize(
    "before", [(), (b"old",), (b"older", b"old"), (b"oldest", b"much older", b"old")]
)
def test_a_swap_that_is_cut_anywhere_leaves_the_old_file_or_the_new_one(
    tmp_path: Path, before: tuple[bytes, ...]
) -> None:
    path = tmp_path / "state.json"

    def begin() -> None:
        for each in tmp_path.iterdir():
            each.unlink()
        swapped(path, *before)

    begin()
    for _ in every_cut(lambda disk: disk.swap(path, b"the new one")):
        assert (path.read_bytes() if path.exists() else b"") == (before[-1] if before else b"")
        swapped(path, b"mended")  # whatever was left beside it does no harm
        assert path.read_bytes() == b"mended"
        begin()
    assert path.read_bytes() == b"the new one"


@pytest.mark.parametrize("trap", ["symbolic link", "hard link", "pipe"])
def test_what_somebody_put_in_the_place_of_the_spare_is_not_written_to(
    tmp_path: Path, trap: str
) -> None:
    path, victim, spare = (
        tmp_path / "state.json",
        tmp_path / "victim",
        tmp_path / ".state.json.spare",
    )
    swapped(path, b"first", b"second")
    victim.write_text("precious")
    spare.unlink(missing_ok=True)
    if trap == "pipe":
        os.mkfifo(spare)
    else:
        (spare.symlink_to if trap == "symbolic link" else spare.hardlink_to)(victim)
    Disk().swap(path, b"third")
    assert victim.read_text() == "precious"
    assert path.read_bytes() == b"third"


@linux
def test_a_swap_neither_makes_nor_syncs_a_file(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    swapped(path, b"first", b"second")
    disk = CrashingDisk()
    disk.swap(path, b"longer than that")
    assert disk.done == ["rewrite", "truncate", "exchange"]
