from __future__ import annotations

import os
from pathlib import Path

import pytest

from podium.core.digest import MISSING, digest
from podium.web import files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("secret")
    made = tmp_path / "root"
    (made / "in").mkdir(parents=True)
    (made / "in" / "a.md").write_text("grüße")
    os.symlink(tmp_path / "secret", made / "link")
    os.symlink(tmp_path, made / "up")
    os.mkfifo(made / "pipe")
    return made


def test_a_file_is_read_with_the_digest_of_all_its_bytes(root: Path) -> None:
    found = files.head(root, "in/a.md")
    assert found is not None
    assert (found.text, found.size, found.cut) == ("grüße", 7, False)
    assert found.digest == digest("grüße")


def test_of_a_long_file_the_beginning_is_kept_and_the_whole_is_counted(root: Path) -> None:
    found = files.head(root, "in/a.md", 3)
    assert found is not None
    assert (found.text, found.size, found.cut) == ("gr", 7, True)
    assert found.digest == digest("grüße")


def test_what_is_no_text_has_none(root: Path) -> None:
    (root / "in" / "b").write_bytes(b"\0\1")
    found = files.head(root, "in/b")
    assert found is not None
    assert found.text is None


@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "in/../../secret",
        "link",
        "up/secret",
        "/etc/passwd",
        "in//a.md",
        "./in/a.md",
        "in/a.md/",
        "",
        "in",
        "pipe",
        "in/a.md\0",
        "nothing",
        "a" * 5000,
    ],
)
def test_nothing_outside_and_no_link_or_pipe_is_read(root: Path, path: str) -> None:
    assert files.head(root, path) is None
    assert files.duplicate(root, path) is None


def test_what_is_not_there_and_what_is_no_file_have_words_for_digests(root: Path) -> None:
    assert files.absent(root, "nothing") == MISSING
    assert files.absent(root, "link") == files.UNREADABLE


def test_a_file_is_given_piece_by_piece_and_closed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "CHUNK", 3)
    opened = files.duplicate(root, "in/a.md")
    assert opened is not None
    assert [len(each) for each in files.chunks(opened)] == [3, 3, 1]
    with pytest.raises(OSError):
        os.fstat(opened)
