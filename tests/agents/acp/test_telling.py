"""The transcript: whole lines, changes of tools, and an end."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.agents.jobs import Stage

from podium.agents.acp import telling
from podium.agents.acp.telling import Telling
from podium.agents.acp.tool_call import ToolCall
from podium.agents.activity import Activity
from podium.agents.protocol import Usage


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@pytest.fixture
def tale(stage: Stage) -> Telling:
    return Telling(Activity(stage.job()))


def lines(stage: Stage) -> list[str]:
    return [each["text"] for each in stage.acts("text")]


def test_pieces_of_text_become_lines(tale: Telling, stage: Stage) -> None:
    for piece in ("I wi", "ll do", " it.\nTh", "en\n\n", "end"):
        tale.text(piece)
    assert lines(stage) == ["I will do it.", "Then"]
    tale.ended("end_turn", "", Usage())
    assert lines(stage)[-1] == "end"
    assert tale.message == "I will do it.\nThen\n\nend"


def test_the_message_is_what_was_said_after_the_last_tool(tale: Telling) -> None:
    tale.text("I begin.")
    tale.tool(ToolCall("1", "edit", "Write a"))
    tale.text("DONE: a")
    assert tale.message == "DONE: a"
    tale.tool(ToolCall("2", "other", "mcp__podium__report"))
    assert tale.message == "DONE: a"
    tale.text(" \n")
    assert tale.message == "DONE: a"


def test_a_tool_is_told_when_it_changes(tale: Telling, stage: Stage) -> None:
    for status in ("pending", "pending", "in_progress", "completed", "completed", "nonsense"):
        tale.tool(ToolCall("1", "switch_mode", "x", status, ("a",)))
    assert [(each["tool"], each["status"]) for each in stage.acts("tool")] == [
        ("other", "pending"),
        ("other", "running"),
        ("other", "completed"),
        ("other", "pending"),
    ]


def test_words_before_a_tool_are_told_before_it(tale: Telling, stage: Stage) -> None:
    tale.text("half a line")
    tale.tool(ToolCall("1"))
    assert [kind for kind, _ in stage.said] == ["text", "tool"]


def test_whether_it_spoke_after_a_refusal_is_known(tale: Telling) -> None:
    tale.text("words")
    tale.permission(ToolCall("1"), allowed=False, why="no")
    assert not tale.spoke
    tale.text(" ")
    assert not tale.spoke
    tale.text("Then not.")
    assert tale.spoke


def test_claims_of_usage_stand_before_the_end(tale: Telling, stage: Stage) -> None:
    tale.ended("end_turn", "", Usage(tokens_in=1))
    assert [kind for kind, _ in stage.said] == ["usage", "ended"]


def test_a_message_without_end_is_cut(tale: Telling, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "LONGEST_TEXT", 1000)
    for _ in range(100):
        tale.text("x" * 100)
    assert len(tale.message) <= 1100


def test_a_line_without_end_is_told_in_parts(tale: Telling, stage: Stage) -> None:
    for _ in range(10):
        tale.text("y" * 1500)
    assert len(lines(stage)) >= 4
