"""Below a folder that an agent had in hand nothing is read, written or made through a link."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from podium.state.inside import (
    facts_inside,
    hindrance,
    listed,
    make_inside,
    read_inside,
    write_inside,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a file, a link to a folder outside, and links to the file and to nowhere."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("secret")
    made = tmp_path / "root"
    (made / "a/b").mkdir(parents=True)
    (made / "a/b/file").write_text("text")
    (made / "out").symlink_to(tmp_path / "outside")
    (made / "a/link").symlink_to("b/file")
    (made / "nowhere").symlink_to("none")
    return made


def test_a_file_is_read_and_one_behind_a_link_is_not(root: Path) -> None:
    assert read_inside(root, "a/b/file", 100) == b"text"
    assert read_inside(root, "a/b/file", 2) == b"te"
    for path in ("out/secret", "a/link", "a/b", "none", "a/b/file/below"):
        assert read_inside(root, path, 100) is None


def test_a_pipe_hangs_no_reader(root: Path) -> None:
    os.mkfifo(root / "pipe")
    assert read_inside(root, "pipe", 100) is None


def test_what_stands_there_is_seen_and_nothing_behind_a_link(root: Path) -> None:
    link = facts_inside(root, "out")
    assert link is not None
    assert stat.S_ISLNK(link.st_mode)
    assert facts_inside(root, "out/secret") is None
    assert [
        hindrance(root, path) for path in ("out/secret", "a/b/file", "a/b/file/x/y", "new/x")
    ] == ["out", "", "a/b/file", ""]


def test_a_file_is_written_in_the_place_of_links_and_not_through_them(root: Path) -> None:
    for path in ("out/secret", "a/link", "nowhere/deep/file", "a/b/file/now/below", "fresh"):
        assert write_inside(root, path, b"mine")
        assert (root / path).read_bytes() == b"mine"
        assert not (root / path).is_symlink()
    assert (root.parent / "outside/secret").read_text() == "secret"
    assert not (root / "none").exists()


def test_a_file_takes_the_place_of_a_folder(root: Path) -> None:
    assert write_inside(root, "a/b", b"mine")
    assert (root / "a/b").read_bytes() == b"mine"


def test_a_link_on_the_way_can_be_left_and_then_nothing_is_written(root: Path) -> None:
    assert not write_inside(root, "out/secret", b"mine", replace=False)
    assert (root / "out").is_symlink()
    assert (root.parent / "outside/secret").read_text() == "secret"


def test_a_file_with_a_second_name_is_made_anew(root: Path) -> None:
    os.link(root.parent / "outside/secret", root / "twice")
    assert write_inside(root, "twice", b"mine")
    assert (root.parent / "outside/secret").read_text() == "secret"


def test_no_folder_is_made_behind_a_link(root: Path) -> None:
    make_inside(root, "out/new")
    make_inside(root, "a/new/er")
    assert not (root.parent / "outside/new").exists()
    assert (root / "a/new/er").is_dir()


@pytest.mark.parametrize("path", ["../outside/secret", "", "a/../../outside/secret"])
def test_a_path_that_leads_up_is_refused(root: Path, path: str) -> None:
    with pytest.raises(ValueError, match="not a path below"):
        read_inside(root, path, 100)


def test_a_closed_folder_is_opened_and_listed_in_order(root: Path) -> None:
    (root / "a").chmod(0)
    assert [each.name for each in listed(root / "a")] == ["b", "link"]
    assert (root / "a").stat().st_mode & stat.S_IRWXU == stat.S_IRWXU
