"""What agents say about their tools, read without believing that it is well formed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agents.acp.tool_call import MOST_PATHS, ToolCall, is_reporting, read_tool_call


def test_paths_come_from_locations_differences_and_the_tools_input() -> None:
    call = read_tool_call(
        {
            "toolCallId": "1",
            "title": "Edit",
            "kind": "edit",
            "status": "pending",
            "locations": [{"path": "/v/a", "line": 3}],
            "content": [{"type": "diff", "path": "/v/b", "newText": ""}, {"type": "content"}],
            "rawInput": {
                "filePath": "c",
                "paths": ["d", "e"],
                "changes": {"f": {}},
                "edits": [{"file_path": "g"}],
                "text": "/h",
            },
        }
    )
    assert set(call.paths) == {"/v/a", "/v/b", "c", "d", "e", "f", "g"}
    assert (call.kinds, call.unreadable) == (frozenset({"edit"}), False)


@pytest.mark.parametrize(
    "name",
    ["file_path", "filePath", "absolutePath", "notebook_path", "cwd", "workdir", "old_path", "uri"],
)
def test_programs_name_paths_in_many_ways(name: str) -> None:
    assert read_tool_call({"toolCallId": "1", "rawInput": {name: "/x"}}).paths == ("/x",)


@pytest.mark.parametrize(
    "raw",
    [
        {"locations": [{"path": 7}]},
        {"locations": ["/x"]},
        {"locations": {"path": "/x"}},
        {"locations": [{}]},
        {"locations": [{"path": ""}]},
        {"locations": [{"path": "a\0b"}]},
        {"locations": [{"path": "x" * 5000}]},
        {"locations": [{"path": str(n)} for n in range(MOST_PATHS + 1)]},
        {"rawInput": {"file_path": 7}},
        {"rawInput": {"paths": ["a", None]}},
        {"content": [{"type": "diff"}]},
    ],
)
def test_a_path_that_cannot_be_read_is_never_just_left_out(raw: dict[str, Any]) -> None:
    assert read_tool_call({"toolCallId": "1", **raw}).unreadable


@pytest.mark.parametrize("raw", [None, 7, "x", [], [{"path": "/x"}]])
def test_what_is_no_tool_call_is_unreadable(raw: Any) -> None:
    assert read_tool_call(raw).unreadable
    assert read_tool_call(raw, ToolCall("1", "read")).unreadable


def test_later_words_add_paths_and_never_take_one_away() -> None:
    first = read_tool_call({"toolCallId": "1", "kind": "read", "locations": [{"path": "/outside"}]})
    then = read_tool_call(
        {"toolCallId": "1", "status": "in_progress", "locations": [{"path": "/v/a"}]}, first
    )
    assert set(then.paths) == {"/outside", "/v/a"}
    assert (then.kind, then.status) == ("read", "in_progress")


@pytest.mark.parametrize(
    ("raw", "kinds"),
    [
        ({"kind": "read", "rawInput": {"command": "rm -rf /"}}, {"read", "execute"}),
        ({"kind": "read", "rawInput": {"cmd": ["rm", "-rf"]}}, {"read", "execute"}),
        ({"kind": "read", "content": [{"type": "diff", "path": "a"}]}, {"read", "edit"}),
        ({"kind": "edit", "rawInput": {"command": "create", "path": "a"}}, {"edit"}),
        ({"rawInput": {"command": "make"}}, {"execute"}),
        ({}, set()),
        ({"kind": ["read"]}, set()),
    ],
)
def test_what_it_carries_shows_its_kind_whatever_it_calls_itself(
    raw: dict[str, Any], kinds: set[str]
) -> None:
    assert read_tool_call({"toolCallId": "1", **raw}).kinds == kinds


def _as_text(given: Any, **more: Any) -> dict[str, Any]:
    said = given if isinstance(given, str) else json.dumps(given)
    return {
        "toolCallId": "1",
        "content": [{"type": "content", "content": {"type": "text", "text": said}}],
        **more,
    }


def test_an_input_that_is_told_as_text_names_paths_and_commands_where_that_is_known() -> None:
    told = _as_text({"path": "/v/a.txt", "content": "x"}, kind="edit", status="in_progress")
    written = read_tool_call(told, writes_out=True)
    assert (written.paths, written.kinds) == (("/v/a.txt",), {"edit"})
    assert read_tool_call(
        _as_text({"command": "rm -rf /"}, kind="read"), writes_out=True
    ).kinds == {"read", "execute"}
    assert read_tool_call(told).paths == ()


@pytest.mark.parametrize(
    "said",
    ['{"path": "/v/a', "Requesting approval to write /v/a", "[1]", "[" * 100_000, {"path": ""}],
)
def test_half_an_input_and_words_for_people_name_none(said: Any) -> None:
    call = read_tool_call(_as_text(said, kind="edit"), writes_out=True)
    assert (call.paths, call.command) == ((), "")


def test_what_a_call_came_to_is_not_its_input() -> None:
    result = _as_text({"path": "/etc/passwd", "command": "x"})
    assert (
        read_tool_call({**result, "kind": "read", "status": "completed"}, writes_out=True).paths
        == ()
    )
    ended = read_tool_call({"toolCallId": "1", "kind": "read", "status": "failed"})
    assert read_tool_call(result, ended, writes_out=True).paths == ()
    begun = read_tool_call(
        {"toolCallId": "1", "kind": "execute", "rawInput": {"command": "cat t.json"}}
    )
    assert read_tool_call(result, begun, writes_out=True).command == "cat t.json"


def test_a_reporting_tool_is_also_known_by_the_name_beside_its_title() -> None:
    asked = {
        "toolCallId": "1",
        "title": '{"status":"done"}',
        "kind": "other",
        "rawInput": {"status": "done"},
    }
    assert not read_tool_call(asked).reporting
    assert read_tool_call({**asked, "_meta": {"toolName": "mcp__podium__report"}}).reporting
    assert not read_tool_call(
        {**asked, "_meta": {"toolName": "mcp__podium__report"}, "rawInput": {"command": "make"}}
    ).reporting
    assert not read_tool_call({**asked, "_meta": ["mcp__podium__report"]}).reporting


@pytest.mark.parametrize(
    "title",
    [
        "mcp__podium__report",
        "mcp__podium__ask",
        "podium_report",
        "podium/ask",
        "Tool: podium/report",
        "mcp.podium.report",
        "report (podium MCP Server)",
    ],
)
def test_the_reporting_tools_are_known_by_the_names_that_clients_give_them(title: str) -> None:
    assert is_reporting(title)
    call = read_tool_call(
        {"toolCallId": "1", "title": title, "rawInput": {"files": [{"path": "/anywhere"}]}}
    )
    assert call.paths == ()


CODEX = {"server": "podium", "tool": "report", "arguments": {"status": "done"}}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"title": "mcp__podium__report", "kind": "other"}, True),
        ({"title": "mcp__podium__report"}, True),
        ({"title": "mcp.podium.report", "kind": "execute", "rawInput": CODEX}, True),
        ({"title": "mcp.podium.report", "kind": "execute"}, False),
        (
            {
                "title": "mcp.podium.report",
                "kind": "execute",
                "rawInput": {**CODEX, "server": "evil"},
            },
            False,
        ),
        (
            {"title": "podium_report", "kind": "execute", "rawInput": {"command": "podium_report"}},
            False,
        ),
        (
            {"title": "podium_report", "kind": "other", "rawInput": {"command": "podium_report"}},
            False,
        ),
        (
            {"title": "podium_report", "kind": "edit", "content": [{"type": "diff", "path": "a"}]},
            False,
        ),
        ({"title": "make", "kind": "execute", "rawInput": CODEX}, False),
    ],
)
def test_a_command_that_is_called_like_the_tool_is_not_the_tool(
    raw: dict[str, Any], expected: bool
) -> None:
    assert read_tool_call({"toolCallId": "1", **raw}).reporting == expected


@pytest.mark.parametrize(
    "title",
    ["report", "podium", "rm -rf / # podium_report", "podium_report; rm", "mcp__evil__report", ""],
)
def test_nothing_else_is(title: str) -> None:
    assert not is_reporting(title)


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "path",
                    "locations",
                    "content",
                    "rawInput",
                    "type",
                    "kind",
                    "command",
                    "changes",
                    "diff",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(ANY)
def test_anything_at_all_can_be_read(raw: Any) -> None:
    call = read_tool_call(raw)
    assert all(isinstance(each, str) and each for each in call.paths)
