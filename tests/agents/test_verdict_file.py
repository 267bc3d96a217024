"""A verdict file is one small JSON object in a regular file, or a fault by name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from podium.agents.verdict_file import LARGEST, BadFile, read_verdict


def test_no_file_is_no_verdict(tmp_path: Path) -> None:
    assert read_verdict(tmp_path / "verdict.json") is None


def test_an_object_is_read(tmp_path: Path) -> None:
    path = tmp_path / "verdict.json"
    path.write_text('{"status": "dönë", "n": [1, 2.5, null]}', encoding="utf-8")
    assert read_verdict(path) == {"status": "dönë", "n": [1, 2.5, None]}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON"),
        (b"[1]", "holds list, not an object"),
        (b'{"a": 1, "a": 2}', "stands twice"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": 1e999}', "too large a number"),
        (b'{"a": "\xff"}', "not JSON"),
        (b'{"a": 1} tail', "not JSON"),
        (b"[" * 200_000, "not JSON"),
        (b'{"a": "' + b"x" * LARGEST + b'"}', "larger than"),
    ],
)
def test_anything_else_is_refused_by_name(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "verdict.json"
    path.write_bytes(content)
    with pytest.raises(BadFile, match=said):
        read_verdict(path)


def test_neither_links_nor_pipes_nor_folders_are_followed(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("{}")
    (tmp_path / "link").symlink_to("real.json")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, said in {
        "link": "a symbolic link",
        "pipe": "not a regular file",
        "folder": "not a regular",
    }.items():
        with pytest.raises(BadFile, match=said):
            read_verdict(tmp_path / name)
