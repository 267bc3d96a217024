"""Whether something is there, and what a file holds, whatever somebody put in its place."""

from __future__ import annotations

import os
from pathlib import Path

from podium.state.regular import is_there, read_regular


def test_a_file_a_folder_and_a_link_to_nowhere_are_there(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    assert all(is_there(path) for path in (tmp_path, tmp_path / "file", tmp_path / "link"))


def test_what_has_no_name_is_not_there_and_nothing_is_raised(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert not any(is_there(path) for path in ("", tmp_path / "none", tmp_path / "file" / "below"))


def test_only_a_regular_file_is_read_and_a_pipe_hangs_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"text")
    os.mkfifo(tmp_path / "pipe")
    assert read_regular(tmp_path / "file") == b"text"
    assert [read_regular(path) for path in (tmp_path, tmp_path / "none", tmp_path / "pipe")] == [
        None
    ] * 3
