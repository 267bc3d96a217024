"""What is made of the real words of six agents, and of anything else they might print."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agents.activity import Activity
from podium.agents.headless.ears import Ears, ears_for
from podium.agents.headless.heard import Heard
from podium.agents.profiles.catalog import PROFILES
from podium.agents.protocol import Failure, Usage

SAMPLES = Path(__file__).parent / "samples"
NOW = datetime(2026, 11, 16, 2, 30, tzinfo=UTC)
STREAMS = ("claude", "codex", "gemini", "opencode")
EVERY = (*STREAMS, "copilot", "kimi")
Said = list[tuple[str, dict[str, Any]]]


def ears(agent: str, said: Said | None = None) -> Ears:
    told: Said = [] if said is None else said
    job: Any = SimpleNamespace(say=lambda kind, fields: told.append((kind, dict(fields))))
    return ears_for(PROFILES[agent], Activity(job), lambda: NOW)


def heard(sample: str) -> tuple[Heard, Said]:
    said: Said = []
    listening = ears(sample.partition("-")[0], said)
    listening.feed((SAMPLES / f"{sample}.jsonl").read_bytes())
    listening.end()
    return listening.heard, said


@pytest.mark.parametrize("agent", STREAMS)
def test_each_tells_its_beginning_its_tools_its_words_and_its_tokens(agent: str) -> None:
    found, said = heard(f"{agent}-hello")
    kinds = [kind for kind, _ in said]
    assert kinds[0] == "started"
    assert found.session
    tools = [fields for kind, fields in said if kind == "tool"]
    assert [each["status"] for each in tools] == ["running", "completed"]
    assert tools[0]["tool"] == ("execute" if agent == "codex" else "edit")
    assert found.text == "Done: hello.txt written."
    assert (found.usage.tokens_in, found.usage.tokens_out) == (2100, 101)
    assert found.failure is None
    assert found.calls == 1
    assert found.over == (agent != "opencode")  # which ends with its program


@pytest.mark.parametrize("agent", ["copilot", "kimi"])
def test_two_tell_no_tokens_and_their_session_at_the_end(agent: str) -> None:
    found, said = heard(f"{agent}-hello")
    tools = [fields for kind, fields in said if kind == "tool"]
    assert [(each["tool"], each["status"], each["paths"]) for each in tools] == [
        ("edit", "running", ["/view/hello.txt"]),
        ("edit", "completed", ["/view/hello.txt"]),
    ]
    assert [fields["text"] for kind, fields in said if kind == "text"] == [
        "I will write the file.",
        "All is written.",
    ]
    assert found.text == "All is written."
    assert found.session
    assert (found.usage, found.failure, found.calls) == (Usage(), None, 1)
    assert found.over == (agent == "copilot")  # the other ends with its program


def test_copilot_without_a_permission_says_which_command_it_was() -> None:
    listening = ears("copilot")
    call = {"toolCallId": "1", "toolName": "bash", "arguments": {"command": "make"}}
    ended = {
        "toolCallId": "1",
        "success": False,
        "error": {"code": "denied", "message": "Permission denied"},
    }
    for kind, data in (("tool.execution_start", call), ("tool.execution_complete", ended)):
        listening.feed(json.dumps({"type": kind, "data": data}).encode() + b"\n")
    assert listening.heard.refused == ["make"]


def test_copilot_that_ends_with_a_code_of_its_own_has_failed() -> None:
    listening = ears("copilot")
    listening.feed(b'{"type": "result", "sessionId": "s", "exitCode": 3}\n')
    assert listening.heard.failure == Failure("crash", "it says that it failed, with exit code 3")


def test_copilot_that_got_over_an_error_has_not_failed() -> None:
    listening = ears("copilot")
    lines: list[dict[str, Any]] = [
        {"type": "session.error", "data": {"errorType": "rate_limit", "message": "429"}},
        {"type": "assistant.message", "data": {"content": "Done."}},
        {"type": "result", "sessionId": "s", "exitCode": 0},
    ]
    for line in lines:
        listening.feed(json.dumps(line).encode() + b"\n")
    assert (listening.heard.failure, listening.heard.text, listening.heard.over) == (
        None,
        "Done.",
        True,
    )


def test_what_claude_was_not_allowed_is_told_and_its_commands_are_remembered() -> None:
    found, said = heard("claude-escape")
    denied = [fields for kind, fields in said if kind == "permission"]
    assert [(each["tool"], each["decision"]) for each in denied] == [
        ("edit", "refused"),
        ("execute", "refused"),
    ]
    assert denied[0]["paths"] == ["/view/../escaped.txt"]
    assert found.refused == ["echo escaped > ../escaped-shell.txt; echo rc=$?"]


def test_what_opencode_rejects_by_itself_is_a_refused_permission() -> None:
    found, said = heard("opencode-escape")
    assert [fields["decision"] for kind, fields in said if kind == "permission"] == ["refused"]
    assert found.refused == []  # a file outside, which no person should allow


@pytest.mark.parametrize(
    ("sample", "kind", "words", "retry_after"),
    [
        ("claude-usage-limit", "rate_limit", "limit", 1794809095 - NOW.timestamp()),
        ("claude-busy", "rate_limit", "429", None),
        ("claude-locked", "not_dispatchable", "ANTHROPIC_API_KEY", None),
        ("claude-unpaid", "not_dispatchable", "payment", None),
        ("claude-turns", "timeout", "turn limit", None),
        ("claude-cost", "timeout", "cost limit", None),
        ("copilot-busy", "rate_limit", "429", None),
        ("codex-usage-limit", "rate_limit", "usage limit", 63 * 60.0),
        ("codex-busy", "rate_limit", "429", None),
        ("codex-locked", "not_dispatchable", "OPENAI_API_KEY", None),
        ("codex-unpaid", "not_dispatchable", "payment", None),
    ],
)
def test_the_same_trouble_is_the_same_failure_whoever_tells_it(
    sample: str, kind: str, words: str, retry_after: float | None
) -> None:
    found, _ = heard(sample)
    assert found.failure is not None
    assert found.failure.kind == kind
    assert words in found.failure.detail
    assert found.failure.retry_after == retry_after
    assert found.over


def test_a_key_that_is_not_taken_ends_claude_before_its_ten_tries() -> None:
    lines = (SAMPLES / "claude-locked.jsonl").read_bytes().splitlines(keepends=True)
    listening = ears("claude")
    for line in lines[:3]:
        listening.feed(line)
    assert listening.heard.over


def test_codex_that_connects_anew_goes_on() -> None:
    found, _ = heard("codex-cut")
    assert found.failure is None
    assert found.text == "Done after a cut."


def test_a_schema_output_is_an_object_or_nothing() -> None:
    found, _ = heard("claude-schema")
    assert found.structured == {"verdict": "pass", "files": ["hello.txt"]}
    listening = ears("claude")
    listening.feed(
        json.dumps({"type": "result", "structured_output": ["no"], "result": "x"}).encode() + b"\n"
    )
    assert listening.heard.structured is None


def test_words_of_an_agents_own_agents_are_not_its_message() -> None:
    listening = ears("claude")
    for parent, words in ((None, "mine"), ("toolu_1", "another's")):
        content = [{"type": "text", "text": words}]
        line = {"type": "assistant", "parent_tool_use_id": parent, "message": {"content": content}}
        listening.feed(json.dumps(line).encode() + b"\n")
    assert listening.heard.text == "mine"


def test_after_its_end_a_stream_is_not_listened_to() -> None:
    listening = ears("claude")
    for words in ("the end", "a second end"):
        listening.feed(
            json.dumps({"type": "result", "subtype": "success", "result": words}).encode() + b"\n"
        )
    assert listening.heard.text == "the end"


def test_gemini_says_one_message_in_pieces_until_it_calls_a_tool() -> None:
    listening = ears("gemini")
    lines = [
        {"type": "message", "role": "assistant", "content": "One ", "delta": True},
        {"type": "tool_use", "tool_name": "read_file", "tool_id": "1", "parameters": {}},
        {"type": "message", "role": "assistant", "content": "Two ", "delta": True},
        {"type": "message", "role": "assistant", "content": "parts.", "delta": True},
    ]
    for line in lines:
        listening.feed(json.dumps(line).encode() + b"\n")
    assert listening.heard.text == "Two parts."


# -- hostile streams

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=12,
)


def real_lines(agent: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted(SAMPLES.glob(f"{agent}-*.jsonl"))
        for line in path.read_text().splitlines()
    ]


@st.composite
def damaged(draw: st.DrawFn, agent: str) -> Any:
    """A real line with some of its members replaced by anything."""
    line = json.loads(json.dumps(draw(st.sampled_from(real_lines(agent)))))
    for _ in range(draw(st.integers(0, 3))):
        at = line
        while isinstance(at, dict) and at:
            name = draw(st.sampled_from(sorted(at)))
            if not isinstance(at[name], dict | list) or draw(st.booleans()):
                at[name] = draw(json_values)
                break
            at = at[name] if isinstance(at[name], dict) else (at[name][0] if at[name] else None)
    return line


@pytest.mark.parametrize("agent", EVERY)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_line_makes_a_reader_fail_and_all_it_tells_is_plain(
    agent: str, data: st.DataObject
) -> None:
    said: Said = []
    listening = ears(agent, said)
    lines = data.draw(st.lists(damaged(agent) | json_values, max_size=6))
    for line in lines:
        listening.feed(json.dumps(line).encode() + b"\n")
    listening.end()
    found = listening.heard
    assert found.failure is None or isinstance(found.failure, Failure)
    assert isinstance(found.text, str)
    assert isinstance(found.session, str)
    assert all(each is None or each >= 0 for each in vars(found.usage).values())
    assert (
        found.failure is None
        or found.failure.retry_after is None
        or 0 < found.failure.retry_after <= 8 * 86400
    )
    json.dumps(said)


def test_an_error_that_is_no_word_is_no_error_that_is_known() -> None:
    listening = ears("claude", [])
    retry = {
        "type": "system",
        "subtype": "api_retry",
        "attempt": 2,
        "error": [],
        "error_status": 401,
    }
    listening.feed(json.dumps(retry).encode() + b"\n")
    listening.end()
    assert not listening.heard.over


@pytest.mark.parametrize(
    ("agent", "message", "told"),
    [
        (
            "claude",
            {
                "type": "system",
                "subtype": "api_retry",
                "attempt": 3,
                "max_retries": 10,
                "error_status": 500,
                "error": "server_error",
            },
            "500 server_error (retry 3 of 10)",
        ),
        ("claude", {"type": "system", "subtype": "api_retry", "attempt": []}, "no answer"),
        (
            "codex",
            {"type": "error", "message": "Reconnecting... 1/5 (last status: 500)"},
            "Reconnecting... 1/5 (last status: 500)",
        ),
    ],
)
def test_a_model_that_is_asked_again_is_told_while_it_happens(
    agent: str, message: dict[str, object], told: str
) -> None:
    said: Said = []
    ears(agent, said).feed(json.dumps(message).encode() + b"\n")
    assert said == [("retry", {"detail": told})]


@pytest.mark.parametrize("agent", EVERY)
@settings(max_examples=40, deadline=None)
@given(cuts=st.lists(st.integers(0, 4000), max_size=8), noise=st.binary(max_size=40))
def test_where_a_stream_is_cut_into_pieces_changes_nothing(
    agent: str, cuts: list[int], noise: bytes
) -> None:
    whole = (SAMPLES / f"{agent}-hello.jsonl").read_bytes()
    noise = noise.replace(b"\n", b" ")
    junk = b"" if noise.strip() in {b"", b"{}", b"[]"} else b"\xff" + noise + b"\n"
    once, pieces = ears(agent), ears(agent)
    once.feed(whole)
    data, last = junk + whole, 0
    for at in sorted({min(each, len(data)) for each in cuts}):
        pieces.feed(data[last:at])
        last = at
    pieces.feed(data[last:])
    assert vars(pieces.heard) == vars(once.heard)
    assert bool(pieces.noise) == bool(junk)


@settings(max_examples=60, deadline=None)
@given(size=st.integers(0, 3100))
def test_a_stream_that_breaks_off_anywhere_is_not_at_its_end(size: int) -> None:
    whole = (SAMPLES / "claude-hello.jsonl").read_bytes().rstrip()
    listening = ears("claude")
    listening.feed(whole[:size])
    listening.end()
    assert listening.heard.over == (size >= len(whole))
    assert listening.heard.over or listening.heard.usage == Usage()
