"""One script serves every agent: what it wants done is done with the tools that were declared."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agents.scripted_model.conversation import Declared, ToolCall
from podium.agents.scripted_model.script import Act, Ending, Json, Read, Run, Tool, Write
from podium.agents.scripted_model.tools import call_for, shell_write


def tool(name: str, *members: str, freeform: bool = False, **more: Any) -> dict[str, Declared]:
    schema = {"properties": {each: {"type": "string"} for each in members}, **more}
    return {name: Declared(name, schema, freeform)}


WRITE = Write("/w/a.txt", "one\ntwo\n")
PATCH = "*** Begin Patch\n*** Add File: /w/a.txt\n+one\n+two\n*** End Patch\n"


@pytest.mark.parametrize(
    ("tools", "arguments"),
    [
        (tool("Write", "file_path", "content"), {"file_path": "/w/a.txt", "content": "one\ntwo\n"}),
        (tool("write", "filePath", "content"), {"filePath": "/w/a.txt", "content": "one\ntwo\n"}),
        (tool("create", "path", "file_text"), {"path": "/w/a.txt", "file_text": "one\ntwo\n"}),
        (
            tool("editor", "command", "path", "file_text"),
            {"path": "/w/a.txt", "file_text": "one\ntwo\n", "command": "create"},
        ),
        (tool("apply_patch", "input"), {"input": PATCH}),
        (tool("apply_patch", freeform=True), PATCH),
    ],
)
def test_a_file_is_written_with_the_tool_there_is(
    tools: dict[str, Declared], arguments: Any
) -> None:
    assert call_for(WRITE, tools) == ToolCall(next(iter(tools)), arguments)


@pytest.mark.parametrize("act", [WRITE, Read("a"), Run("date")])
def test_where_only_a_shell_is_declared_everything_goes_through_it(act: Act) -> None:
    call = call_for(act, tool("bash", "command"))
    assert call is not None
    assert call.name == "bash"


@pytest.mark.parametrize("act", [WRITE, Read("a"), Run("date"), Json({}), Ending("report")])
def test_what_no_declared_tool_can_do_is_no_call(act: Act) -> None:
    assert call_for(act, tool("WebSearch", "query")) is None


def test_a_shell_that_takes_a_list_gets_one_and_one_that_takes_a_program_gets_that() -> None:
    listed = {"shell": Declared("shell", {"properties": {"command": {"type": "array"}}})}
    assert call_for(Run("date"), listed) == ToolCall("shell", {"command": ["bash", "-lc", "date"]})
    call = call_for(Run("echo 'a'"), tool("exec", freeform=True))
    assert call is not None
    assert isinstance(call.arguments, str)
    assert json.dumps({"cmd": "echo 'a'"}) in call.arguments


def test_members_that_a_tool_requires_are_filled_with_something_harmless() -> None:
    members = {
        "a": {"type": "boolean"},
        "b": {"enum": ["x", "y"]},
        "c": {"type": ["integer", "null"]},
        "d": {},
    }
    tools = {
        "Read": Declared(
            "Read",
            {"properties": {"path": {}, **members}, "required": ["path", "a", "b", "c", "d"]},
        )
    }
    call = call_for(Read("f"), tools)
    assert call is not None
    assert call.arguments == {"path": "f", "a": False, "b": "x", "c": 1, "d": "scripted"}


def test_a_tool_by_name_is_called_whether_it_is_there_or_not() -> None:
    assert call_for(Tool("Write", {"x": 1}), {}) == ToolCall("Write", {"x": 1})


def test_a_structured_answer_uses_the_tool_for_it() -> None:
    assert call_for(Json({"a": 1}), tool("StructuredOutput", "a")) == ToolCall(
        "StructuredOutput", {"a": 1}
    )


@settings(max_examples=25, deadline=None)
@given(content=st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")))
def test_a_shell_writes_exactly_the_content(
    tmp_path_factory: pytest.TempPathFactory, content: str
) -> None:
    place: Path = tmp_path_factory.mktemp("shell") / "a folder" / "a'file"
    subprocess.run(["sh", "-c", shell_write(str(place), content)], check=True)
    assert place.read_bytes() == content.encode()
    assert shlex.quote(str(place)) in shell_write(str(place), content)
