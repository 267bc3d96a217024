"""The note by which a broken session goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from podium.agents.headless.session_note import NAME, forget, keep, kept


def test_a_session_goes_on_with_the_prompt_it_began_with_and_no_other(tmp_path: Path) -> None:
    keep(tmp_path, "0a1b-2c3d", "the task")
    assert kept(tmp_path, "the task") == "0a1b-2c3d"
    assert kept(tmp_path, "another task") == ""
    forget(tmp_path)
    assert kept(tmp_path, "the task") == ""
    forget(tmp_path)


@pytest.mark.parametrize("name", ["--dangerous", "a b", "../x", "", "x" * 200, "a\nb"])
def test_what_could_be_read_as_an_option_or_a_path_is_no_session(tmp_path: Path, name: str) -> None:
    keep(tmp_path, name, "p")
    assert kept(tmp_path, "p") == ""
    keep(tmp_path, "good", "p")
    note = json.loads((tmp_path / NAME).read_text())
    (tmp_path / NAME).write_text(json.dumps({**note, "session": name}))
    assert kept(tmp_path, "p") == ""


@pytest.mark.parametrize("text", ["", "[]", "{}", "no json", '{"session": 7, "prompt": 8}'])
def test_a_note_that_somebody_spoiled_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)
    assert kept(tmp_path, "p") == ""


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("{}")
    (tmp_path / NAME).symlink_to(tmp_path / "real")
    assert kept(tmp_path, "p") == ""
    keep(tmp_path, "good", "p")
    assert (tmp_path / "real").read_text() == "{}"
    assert kept(tmp_path, "p") == "good"
