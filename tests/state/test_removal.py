"""Whatever an agent made can be removed, and nothing behind it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from podium.state.removal import remove_all


def nested(folder: Path, depth: int) -> None:
    """Folders one in the other, deeper than a path can say."""
    folder.mkdir()
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d" * 20, dir_fd=here)
        below = os.open("d" * 20, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


@pytest.mark.parametrize("depth", [0, 500, 3000])
def test_folders_of_any_depth_are_removed(tmp_path: Path, depth: int) -> None:
    nested(tmp_path / "deep", depth)
    remove_all(tmp_path / "deep")
    assert list(tmp_path.iterdir()) == []


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/file").touch()
    nested(tmp_path / "deep", 1500)
    (tmp_path / "deep/link").symlink_to(tmp_path / "kept")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    os.mkfifo(tmp_path / "deep/pipe")
    for name in ("deep", "link", "none"):
        remove_all(tmp_path / name)
    assert [each.name for each in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept/file").exists()


def test_a_folder_that_its_owner_may_not_enter_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nested(tmp_path / "closed", 3)
    (tmp_path / "closed").chmod(0)

    def refused(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr("podium.state.removal.shutil.rmtree", refused)
    remove_all(tmp_path / "closed")
    assert list(tmp_path.iterdir()) == []
