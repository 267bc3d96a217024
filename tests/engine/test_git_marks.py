"""The mark of a run on its branch is no part of what agents may not change in git's
configuration.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.repository import git

from podium.engine.git.marks import without_marks

PLAIN = (
    b'[core]\n\tbare = false\n[remote "origin"]\n\turl = x\n[branch "main"]\n\tremote = origin\n'
)


@pytest.mark.parametrize("branch", ["fix/AB-1_x", "main", "a.b c"])
def test_a_configuration_is_the_same_with_a_mark_and_without(tmp_path: Path, branch: str) -> None:
    git(tmp_path, "init", "-q")
    config = tmp_path / ".git" / "config"
    config.write_bytes(
        config.read_bytes() + PLAIN.partition(b"\n[remote")[1] + PLAIN.partition(b"\n[remote")[2]
    )
    before = without_marks(config.read_bytes())
    git(tmp_path, "config", f"branch.{branch}.podiumrun", "AB-1-0001")
    assert b"podiumrun" in config.read_bytes()
    assert without_marks(config.read_bytes()) == before


@pytest.mark.parametrize(
    "line",
    [
        b"\thooksPath = /tmp\n",
        b"[alias]\n\tst = !sh\n",
        b'[branch "x"]\n\tremote = evil\n',
        b'[branch "x"]\n\tpodiumrun = r\n\tmerge = y\n',
    ],
)
def test_anything_else_is_seen(line: bytes) -> None:
    assert without_marks(PLAIN + line) != without_marks(PLAIN)


@given(st.binary())
def test_any_bytes_are_taken_and_nothing_is_changed_where_there_is_no_mark(config: bytes) -> None:
    if b"podiumrun" not in config.lower():
        assert without_marks(config) == config
