"""What is kept for a dispatch that goes on, and that it is read as if the agent had written it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from podium.agents.acp.client import Request
from podium.agents.acp.session_file import NAME, Kept, forget, keep, kept
from podium.agents.prompt import digest_of


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.text(min_size=1, max_size=50),
    st.lists(st.text(max_size=9)),
    st.lists(st.text(max_size=9)),
    st.text(max_size=9),
)
def test_what_was_kept_is_found(
    tmp_path: Path, ident: str, kinds: list[str], paths: list[str], words: str
) -> None:
    said = Kept(ident, digest_of("prompt"), Request(tuple(kinds), tuple(paths), words))
    keep(tmp_path, said)
    assert kept(tmp_path) == said


def test_nothing_is_found_where_nothing_was_kept(tmp_path: Path) -> None:
    assert kept(tmp_path) is None
    forget(tmp_path)
    keep(tmp_path, Kept("a", "b"))
    forget(tmp_path)
    assert kept(tmp_path) is None


@pytest.mark.parametrize(
    "data",
    [
        "{",
        [],
        {},
        {"session": 7, "prompt": "x"},
        {"session": "", "prompt": "x"},
        {"session": "x" * 600, "prompt": "x"},
        {"session": "x"},
    ],
)
def test_what_cannot_be_used_is_nothing(tmp_path: Path, data: Any) -> None:
    (tmp_path / NAME).write_text(data if isinstance(data, str) else json.dumps(data))
    assert kept(tmp_path) is None


@pytest.mark.parametrize(
    "waiting",
    [
        7,
        [],
        {"kinds": "edit", "paths": [], "words": ""},
        {"kinds": [1], "paths": [], "words": ""},
        {"kinds": [], "paths": []},
    ],
)
def test_a_request_that_cannot_be_read_is_none(tmp_path: Path, waiting: Any) -> None:
    (tmp_path / NAME).write_text(json.dumps({"session": "s", "prompt": "p", "waiting": waiting}))
    assert kept(tmp_path) == Kept("s", "p")


def test_a_link_laid_there_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "treasure").write_text("mine")
    (tmp_path / NAME).symlink_to(tmp_path / "treasure")
    assert kept(tmp_path) is None
    keep(tmp_path, Kept("s", "p"))
    assert (tmp_path / "treasure").read_text() == "mine"
    assert kept(tmp_path) == Kept("s", "p")
