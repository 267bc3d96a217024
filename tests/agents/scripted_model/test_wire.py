"""Four wire formats: what an agent sends is read the same from each, and each says the same
cost.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agents.scripted_model.conversation import Declared, Reply, ToolCall, Turn
from podium.agents.scripted_model.scenes import Always, folder
from podium.agents.scripted_model.script import Script, Step, Tokens
from podium.agents.scripted_model.turns import SIDE, Turns
from podium.agents.scripted_model.wire import anthropic, chat, gemini, responses

SCHEMA = {"properties": {"path": {}}}
ASKED: dict[ModuleType, dict[str, Any]] = {
    anthropic: {
        "model": "m",
        "system": [{"type": "text", "text": "cwd: /w"}],
        "tools": [{"name": "Read", "input_schema": SCHEMA}, {"type": "web_search"}],
        "messages": [
            {"role": "user", "content": "go"},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "1", "name": "Read", "input": {}}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "content": [{"type": "text", "text": "seen"}]}],
            },
        ],
    },
    responses: {
        "model": "m",
        "instructions": "cwd: /w",
        "tools": [
            {"type": "function", "name": "Read", "parameters": SCHEMA},
            {"type": "web_search"},
        ],
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "go"}]},
            {"type": "reasoning"},
            {"type": "function_call", "name": "Read", "arguments": "{}"},
            {"type": "function_call_output", "output": "seen"},
        ],
    },
    chat: {
        "model": "m",
        "tools": [{"type": "function", "function": {"name": "Read", "parameters": SCHEMA}}],
        "messages": [
            {"role": "system", "content": "cwd: /w"},
            {"role": "user", "content": [{"type": "text", "text": "go"}]},
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "tool", "content": "seen"},
        ],
    },
    gemini: {
        "systemInstruction": {"parts": [{"text": "cwd: /w"}]},
        "tools": [{"functionDeclarations": [{"name": "Read", "parameters": SCHEMA}]}],
        "contents": [
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": [{"functionCall": {}}]},
            {"role": "user", "parts": [{"functionResponse": {"response": "seen"}}]},
        ],
    },
}
SHAPES = list(ASKED)


@pytest.mark.parametrize("wire", SHAPES)
def test_the_same_conversation_is_read_from_every_format(wire: Any) -> None:
    said = wire.read(ASKED[wire], "m")
    assert (said.model, said.stream, said.tools) == ("m", False, {"Read": Declared("Read", SCHEMA)})
    assert [each.who for each in said.turns] == ["user", "model", "tool"]
    assert said.turns[0] == Turn("user", "go")
    assert "seen" in said.turns[2].text
    assert folder(said) == "/w"


@pytest.mark.parametrize("wire", SHAPES)
def test_streamed_or_not_an_answer_ends_with_the_same_cost(wire: Any) -> None:
    reply = Reply("id", "m", "words", (ToolCall("Read", {"path": "a"}),), Tokens(11, 7))
    events = list(wire.events(reply))
    assert events[-1].said == Tokens(11, 7)
    told = str(wire.whole(reply))
    assert all(part in told for part in ("words", "Read", "11", "7"))


@pytest.mark.parametrize("wire", SHAPES)
@settings(max_examples=200, deadline=None)
@given(
    body=st.dictionaries(
        st.sampled_from(
            [
                "messages",
                "input",
                "contents",
                "tools",
                "system",
                "model",
                "stream",
                "text",
                "generationConfig",
                "response_format",
            ]
        ),
        st.recursive(
            st.none() | st.booleans() | st.text(max_size=5) | st.integers(),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        ["role", "type", "content", "parts", "name", "function", "text", "tools"]
                    ),
                    inner,
                    max_size=3,
                )
            ),
            max_leaves=10,
        ),
    )
)
def test_whatever_an_agent_sends_is_read_and_answered(wire: Any, body: dict[str, Any]) -> None:
    planned = Turns([Always(Script((Step("hi"),)))]).plan(wire.read(body))
    assert list(wire.events(planned.reply))


@pytest.mark.parametrize(
    "told",
    [
        " - Primary working directory: /w/x",
        "<environment_context>\n  <cwd>/w/x</cwd>",
        "Working directory: /w/x\n",
        "- **Workspace Directories:**\n  - /w/x\n",
        "The temporary directory is: /tmp/y\nCurrent directory: `/w/x`.",
        (
            "I'm currently working in the directory: /w/x\nHere is the folder structure of the "
            "current working directories:"
        ),
    ],
)
def test_the_folder_is_found_in_the_words_of_each_agent(told: str) -> None:
    assert folder(chat.read({"messages": [{"role": "system", "content": told}]})) == "/w/x"


def test_tools_in_a_namespace_and_tools_that_take_text_keep_what_they_are() -> None:
    tools = [
        {"type": "namespace", "name": "mcp", "tools": [{"type": "function", "name": "report"}]},
        {"type": "custom", "name": "exec"},
    ]
    said = responses.read({"input": "go", "tools": tools})
    assert said.tools == {
        "report": Declared("report", namespace="mcp"),
        "exec": Declared("exec", freeform=True),
    }
    reply = Reply(
        "id", "m", "", (ToolCall("report", {}, "mcp"), ToolCall("exec", "x")), Tokens(1, 1)
    )
    kinds = [(each["type"], each.get("namespace")) for each in responses.whole(reply)["output"]]
    assert kinds == [("function_call", "mcp"), ("custom_tool_call", None)]


def test_a_check_that_wants_json_gets_some_and_costs_little() -> None:
    said = gemini.read(
        {"contents": [], "generationConfig": {"responseMimeType": "application/json"}}
    )
    planned = Turns([]).plan(said)
    assert planned.reply.text.startswith("{")
    assert planned.reply.tokens == SIDE


@pytest.mark.parametrize(
    ("wire", "path"),
    [(anthropic, ("error", "type")), (chat, ("error", "type")), (gemini, ("error", "status"))],
)
def test_a_refusal_has_the_shape_that_clients_of_the_format_read(
    wire: Any, path: tuple[str, str]
) -> None:
    assert isinstance(wire.refusal(429, "no")[path[0]][path[1]], str)
