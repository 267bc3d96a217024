"""What a parcel says about files in the store, read back strictly, and the files themselves put
into their places.
"""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.digest import digest
from podium.core.errors import Halted
from podium.fleet.store.folder import FolderStore
from podium.fleet.store.large_files import Keeper, Pointer, read, restore, written
from podium.fleet.store.store import Damaged, Missing

ONE = Pointer("project", "data/model.bin", digest("x"), 1, "100644")


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    (tmp_path / "shared").mkdir()
    return FolderStore(tmp_path / "shared")


NAMES = st.text(
    st.characters(blacklist_characters="/\0", blacklist_categories=["Cs"]), min_size=1
).filter(lambda name: name not in {".", ".."} and name.lower() != ".git")
POINTERS = st.builds(
    Pointer,
    st.sampled_from(["project", "run"]),
    st.lists(NAMES, min_size=1, max_size=3).map("/".join),
    st.binary(max_size=3).map(digest),
    st.integers(0, 2**50),
    st.sampled_from(["100644", "100755"]),
)


@settings(max_examples=60)
@given(st.lists(POINTERS, max_size=4))
def test_what_was_written_is_read_back_in_one_order(pointers: list[Pointer]) -> None:
    assert list(read(written(pointers))) == sorted(pointers)
    assert written(reversed(pointers)) == written(pointers)


@pytest.mark.parametrize(
    "change",
    [
        {"path": "../outside"},
        {"path": "/etc/passwd"},
        {"path": "a//b"},
        {"path": ""},
        {"path": ".git/config"},
        {"path": "a/.GIT/hooks/x"},
        {"path": "a\0b"},
        {"path": 7},
        {"where": "home"},
        {"mode": "120000"},
        {"mode": "100777"},
        {"size": -1},
        {"size": "1"},
        {"size": True},
        {"digest": "sha256:../x"},
        {"digest": None},
        {"more": 1},
    ],
    ids=str,
)
def test_a_pointer_that_is_not_as_written_is_refused(change: dict[str, object]) -> None:
    told = json.loads(written([ONE]))
    told["files"][0].update(change)
    with pytest.raises(Halted, match="damaged"):
        read(json.dumps(told))


@pytest.mark.parametrize(
    "text",
    [
        '{"format": 1, "files": [], "more": 1}',
        '{"format": 1, "files": [], "files": []}',
        "[]",
        "[" * 9999,
    ],
)
def test_a_list_that_is_not_as_written_is_refused(text: str) -> None:
    with pytest.raises(Halted, match="damaged"):
        read(text)


def test_a_newer_format_is_left_to_newer_workers() -> None:
    with pytest.raises(Halted, match=r"format 9.*update this worker"):
        read('{"format": 9, "files": [], "more": 1}')


def kept(store: FolderStore, tmp_path: Path, data: bytes = b"large") -> Pointer:
    (tmp_path / "from").mkdir(exist_ok=True)
    (tmp_path / "from" / "a.bin").write_bytes(data)
    found = Keeper(store, tmp_path / "aside", 0).pointer("project", tmp_path / "from", "a.bin")
    assert found is not None
    return found


def test_a_file_arrives_with_its_mode_over_whatever_was_there(
    store: FolderStore, tmp_path: Path
) -> None:
    (tmp_path / "from").mkdir()
    (tmp_path / "from" / "a.bin").write_bytes(b"large")
    (tmp_path / "from" / "a.bin").chmod(0o755)
    pointer = kept(store, tmp_path)
    assert pointer == Pointer("project", "a.bin", digest("large"), 5, "100755")
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "a.bin").write_bytes(b"as committed")
    restore(
        store,
        [pointer, Pointer("run", "b", digest("not wanted"), 1, "100644")],
        {"project": tmp_path / "to"},
        0,
    )
    assert (tmp_path / "to" / "a.bin").read_bytes() == b"large"
    assert os.access(tmp_path / "to" / "a.bin", os.X_OK)


def test_without_a_store_nobody_pretends_that_the_files_are_there(tmp_path: Path) -> None:
    with pytest.raises(Halted, match=r"set \[fleet\] store"):
        restore(None, [ONE], {"project": tmp_path}, 0)
    restore(None, [ONE], {"run": tmp_path}, 0)


def test_missing_and_damaged_objects_stop_the_unpacking(store: FolderStore, tmp_path: Path) -> None:
    pointer = kept(store, tmp_path)
    place = tmp_path / "shared" / "sha256" / pointer.digest[7:9] / pointer.digest[7:]
    place.chmod(0o644)
    place.write_bytes(b"LARGE")
    with pytest.raises(Damaged):
        restore(store, [pointer], {"project": tmp_path / "to"}, 0)
    place.unlink()
    with pytest.raises(Missing):
        restore(store, [pointer], {"project": tmp_path / "to"}, 0)
    assert not (tmp_path / "to" / "a.bin").exists()


def test_nothing_is_written_through_a_link(store: FolderStore, tmp_path: Path) -> None:
    pointer = kept(store, tmp_path)
    (tmp_path / "to").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "to" / "dir").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "to" / "a.bin").symlink_to(tmp_path / "elsewhere" / "a.bin")
    for path in ("dir/a.bin", "a.bin"):
        with pytest.raises(Halted, match="cannot be put back"):
            restore(
                store,
                [Pointer("project", path, pointer.digest, 5, "100644")],
                {"project": tmp_path / "to"},
                0,
            )
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_only_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    class Counting(FolderStore):
        asked = 0

        def has(self, digest: str, size: int) -> bool:
            self.asked += 1
            return super().has(digest, size)

    (tmp_path / "shared").mkdir()
    store = Counting(tmp_path / "shared")
    keeper, file = Keeper(store, tmp_path / "aside", 0), tmp_path / "a.bin"
    file.write_bytes(b"one")
    os.utime(file, (1_000_000_000, 1_000_000_000))
    first = keeper.pointer("project", tmp_path, "a.bin")
    assert keeper.pointer("project", tmp_path, "a.bin") == first
    assert store.asked == 1
    file.write_bytes(b"two")
    os.utime(
        file, (1_000_000_000, 1_000_000_000)
    )  # the same size and time: the inode's own time tells
    second = keeper.pointer("project", tmp_path, "a.bin")
    assert second is not None
    assert second.digest == digest("two")
    file.unlink()
    assert keeper.pointer("project", tmp_path, "a.bin") is None


def test_a_file_as_young_as_its_reading_is_not_believed_to_stay(
    tmp_path: Path, store: FolderStore
) -> None:
    keeper, file = Keeper(store, tmp_path / "aside", 0), tmp_path / "a.bin"
    file.write_bytes(b"one")
    keeper.pointer("project", tmp_path, "a.bin")
    assert keeper._known == {}
