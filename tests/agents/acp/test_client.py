"""Our side of a talk: what it answers, what it writes down, what it does not let pass."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.agents.jobs import Stage

from podium.agents.acp.client import Client, Request, Rules, relative
from podium.agents.acp.permission import Scope
from podium.agents.acp.telling import Telling
from podium.agents.acp.wire import Refused
from podium.agents.activity import Activity
from podium.agents.profiles.profile import Habits
from podium.agents.protocol import Usage

OPTIONS = [
    {"optionId": "always", "kind": "allow_always", "name": "a"},
    {"optionId": "yes", "kind": "allow_once", "name": "b"},
    {"optionId": "no", "kind": "reject_once", "name": "c"},
]


class Side:
    """A client in a turn of the session `s`."""

    def __init__(
        self,
        root: Path,
        *,
        ask: bool = False,
        granted: Request | None = None,
        scope: Scope | None = None,
    ) -> None:
        self.stage = Stage(root)
        folder = os.path.realpath(self.stage.job().folder)
        rules = Rules(
            folder, scope or Scope(outputs=("docs/spec.md",)), frozenset({"auto"}), ask, granted
        )
        self.client = Client(rules, Telling(Activity(self.stage.job())))
        self.client.session, self.client.mode = "s", "default"
        self.client.begin()

    def update(self, session: str = "s", **update: Any) -> None:
        asyncio.run(self.client.handle("session/update", {"sessionId": session, "update": update}))

    def permit(self, **call: Any) -> Mapping[str, Any]:
        params = {"sessionId": "s", "toolCall": {"toolCallId": "1", **call}, "options": OPTIONS}
        answer = asyncio.run(self.client.handle("session/request_permission", params))
        assert answer is not None
        return dict(answer["outcome"])


@pytest.fixture
def side(tmp_path: Path) -> Side:
    return Side(tmp_path)


@pytest.mark.parametrize(
    "method",
    [
        "fs/read_text_file",
        "fs/write_text_file",
        "terminal/create",
        "terminal/output",
        "terminal/kill",
        "elicitation/create",
        "mcp/connect",
        "_own/method",
        "x" * 500,
    ],
)
def test_files_terminals_and_all_else_are_refused(side: Side, method: str) -> None:
    with pytest.raises(Refused) as refused:
        asyncio.run(side.client.handle(method, {"sessionId": "s", "path": "/etc/passwd"}))
    assert refused.value.code == -32601


def _said(side: Side, *texts: str) -> None:
    for each in texts:
        side.update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": each})


def test_remarks_of_the_program_are_shown_and_are_not_its_models_words(side: Side) -> None:
    side.client.rules.habits = Habits(notices="Info: (?:Operation cancelled by user|/.*)")
    _said(side, "Info: /view/a.txt", "Info: Operation cancelled by user")
    assert not side.client.telling.spoke
    assert side.client.telling.message == ""
    assert [each["text"] for each in side.stage.acts("text")] == [
        "Info: /view/a.txt",
        "Info: Operation cancelled by user",
    ]
    _said(side, "Info: I am done.", " See ", "Info: /view/a.txt")
    assert side.client.telling.message == "Info: I am done. See Info: /view/a.txt"


def test_what_the_program_says_of_its_model_stays_what_was_said(side: Side) -> None:
    side.client.rules.habits = Habits(complaints="Error: .*")
    _said(side, "The log says ", "Error: 429 in line 3")
    assert side.client.complaint == ""
    _said(side, "\n", "Error: 429 " + "x" * 1000)
    assert side.client.complaint.startswith("Error: 429 x")
    assert len(side.client.complaint) == 500
    assert side.client.telling.message.endswith("x" * 1000)


@pytest.mark.parametrize(
    "after",
    [
        {"sessionUpdate": "tool_call", "toolCallId": "1"},
        {"sessionUpdate": "agent_message_chunk", "content": {"text": "\nDone."}},
    ],
)
def test_a_complaint_that_it_got_over_is_none(side: Side, after: dict[str, Any]) -> None:
    side.client.rules.habits = Habits(complaints="Error: .*")
    _said(side, "Error: 529 overloaded")
    side.update(**after)
    assert side.client.complaint == ""


def test_a_text_for_people_says_nothing_about_files(side: Side) -> None:
    shown = [{"type": "content", "content": {"type": "text", "text": '{"path": "docs/spec.md"}'}}]
    assert side.permit(kind="edit", title="Write src/app.json", content=shown) == {
        "outcome": "selected",
        "optionId": "no",
    }
    side.client.rules.habits = Habits(writes_out=True)
    assert side.permit(toolCallId="2", kind="edit", title="Write", content=shown) == {
        "outcome": "selected",
        "optionId": "yes",
    }


def test_a_mode_is_forbidden_by_its_name_whatever_stands_before_it(side: Side) -> None:
    side.client.live = False
    side.update(sessionUpdate="current_mode_update", currentModeId="https://example.org/modes#auto")
    assert "#auto" in side.client.violation


def test_an_attempt_to_reach_files_through_us_is_told(side: Side) -> None:
    with pytest.raises(Refused):
        asyncio.run(side.client.handle("fs/write_text_file", {}))
    assert side.stage.acts("tool") == [
        {"tool": "other", "status": "refused", "name": "fs/write_text_file"}
    ]


def test_only_the_option_for_this_once_is_taken(side: Side) -> None:
    assert side.permit(kind="edit", locations=[{"path": "docs/spec.md"}]) == {
        "outcome": "selected",
        "optionId": "yes",
    }
    assert side.permit(toolCallId="2", kind="edit", locations=[{"path": "x"}]) == {
        "outcome": "selected",
        "optionId": "no",
    }
    assert [each["decision"] for each in side.stage.acts("permission")] == ["allowed", "refused"]


def test_a_path_that_was_named_earlier_still_counts(side: Side) -> None:
    side.update(
        sessionUpdate="tool_call", toolCallId="1", kind="edit", locations=[{"path": "/etc/passwd"}]
    )
    assert side.permit(kind="edit", locations=[{"path": "docs/spec.md"}])["optionId"] == "no"


def test_a_path_known_from_an_update_is_enough(side: Side) -> None:
    side.update(
        sessionUpdate="tool_call", toolCallId="1", kind="edit", locations=[{"path": "docs/spec.md"}]
    )
    assert side.permit()["optionId"] == "yes"


def test_a_link_that_leads_outside_is_outside(side: Side, tmp_path: Path) -> None:
    (side.stage.folder / "docs").mkdir()
    (tmp_path / "treasure").write_text("mine")
    (side.stage.folder / "docs/spec.md").symlink_to(tmp_path / "treasure")
    assert side.permit(kind="edit", locations=[{"path": "docs/spec.md"}])["optionId"] == "no"


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "..",
        "../x",
        "a/../../x",
        "~/x",
        "~root/x",
        "$HOME/x",
        "file:///etc/passwd",
        "view/../../x",
        "\0",
    ],
)
def test_a_path_that_leads_elsewhere_is_none_of_ours(path: str, tmp_path: Path) -> None:
    assert relative(os.path.realpath(tmp_path), path) is None


def test_a_path_in_the_folder_is_told_from_there(tmp_path: Path) -> None:
    folder = os.path.realpath(tmp_path)
    assert relative(folder, "a/../b") == "b"
    assert relative(folder, f"{folder}/a/b") == "a/b"
    assert relative(folder, ".") == ""
    assert relative(folder, f"{folder}x/b") is None


def test_without_a_person_to_ask_what_is_not_known_is_refused(side: Side) -> None:
    assert side.permit(kind="fetch")["optionId"] == "no"
    assert side.permit(toolCallId="2", kind="edit")["optionId"] == "no"
    assert side.client.waiting is None


def test_where_a_person_may_be_asked_the_request_waits_and_is_cancelled(tmp_path: Path) -> None:
    side = Side(tmp_path, ask=True)

    async def wait() -> Mapping[str, Any] | None:
        params = {
            "sessionId": "s",
            "toolCall": {"toolCallId": "1", "kind": "fetch", "title": "Get x"},
            "options": OPTIONS,
        }
        pending = asyncio.ensure_future(side.client.handle("session/request_permission", params))
        await asyncio.wait_for(side.client.attention.wait(), 5)
        assert not pending.done()
        side.client.stop()
        return await pending

    assert asyncio.run(wait()) == {"outcome": {"outcome": "cancelled"}}
    assert side.client.waiting == Request(("fetch",), (), "Get x")
    assert side.client.waiting.told() == "fetch: Get x"


def test_a_person_is_never_asked_to_widen_the_contract(tmp_path: Path) -> None:
    side = Side(tmp_path, ask=True)
    assert side.permit(kind="edit", locations=[{"path": "/etc/passwd"}])["optionId"] == "no"
    assert (
        side.permit(toolCallId="2", kind="execute", rawInput={"command": "make"})["optionId"]
        == "no"
    )
    assert side.client.waiting is None


def test_what_a_person_allowed_is_allowed_once_and_nothing_else(tmp_path: Path) -> None:
    side = Side(tmp_path, granted=Request(("fetch",), (), "Get x"))
    assert side.permit(kind="fetch", title="Get y")["optionId"] == "no"
    assert side.permit(toolCallId="2", kind="fetch", title="Get x")["optionId"] == "yes"
    assert side.permit(toolCallId="3", kind="fetch", title="Get x")["optionId"] == "no"


def test_a_person_s_word_does_not_open_what_the_contract_closes(tmp_path: Path) -> None:
    side = Side(tmp_path, granted=Request(("edit",), ("/etc/passwd",), "Edit"))
    assert (
        side.permit(kind="edit", title="Edit", locations=[{"path": "/etc/passwd"}])["optionId"]
        == "no"
    )


@pytest.mark.parametrize("params", [None, [], {"sessionId": "other"}, {}, {"sessionId": ["s"]}])
def test_a_permission_for_no_session_of_ours_is_an_error(side: Side, params: Any) -> None:
    with pytest.raises(Refused):
        asyncio.run(side.client.handle("session/request_permission", params))


@pytest.mark.parametrize(
    "call", [None, [], 7, {}, {"toolCallId": 7}, {"toolCallId": "1", "kind": {}}]
)
@pytest.mark.parametrize(
    "options", [None, {}, [], [None, 7, {"optionId": {}, "kind": "allow_once"}], OPTIONS]
)
def test_a_request_that_cannot_be_read_is_refused_or_cancelled(
    side: Side, call: Any, options: Any
) -> None:
    params = {"sessionId": "s", "toolCall": call, "options": options}
    answer = asyncio.run(side.client.handle("session/request_permission", params))
    assert answer is not None
    assert answer["outcome"].get("optionId") in {None, "no"}


def test_outside_a_turn_nothing_counts(side: Side) -> None:
    side.client.end()
    side.update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "DONE: late"})
    side.update(sessionUpdate="tool_call", toolCallId="9", title="late")
    assert side.permit(kind="edit", locations=[{"path": "docs/spec.md"}]) == {
        "outcome": "cancelled"
    }
    assert side.client.telling.message == ""
    assert side.stage.said == []


def test_another_session_s_words_do_not_count(side: Side) -> None:
    side.update(
        "other", sessionUpdate="agent_message_chunk", content={"type": "text", "text": "DONE: all"}
    )
    assert side.client.telling.message == ""


def test_a_change_of_mode_in_a_turn_is_a_violation(side: Side) -> None:
    side.update(sessionUpdate="current_mode_update", currentModeId="default")
    assert not side.client.violation
    side.update(sessionUpdate="current_mode_update", currentModeId="auto")
    assert "'auto'" in side.client.violation
    assert side.client.attention.is_set()


def test_a_change_of_mode_by_a_configuration_option_is_one_too(side: Side) -> None:
    options = [
        {"id": "model", "currentValue": "x"},
        {"id": "m", "category": "mode", "currentValue": "yolo"},
        {"id": {}},
        7,
    ]
    side.update(sessionUpdate="config_option_update", configOptions=options)
    assert "'yolo'" in side.client.violation


def test_between_turns_a_mode_may_be_told_but_not_a_forbidden_one(side: Side) -> None:
    side.client.end()
    side.update(sessionUpdate="current_mode_update", currentModeId="plan")
    assert not side.client.violation
    side.update(sessionUpdate="current_mode_update", currentModeId="auto")
    assert side.client.violation


def test_claims_of_usage_add_up_and_nonsense_does_not(side: Side) -> None:
    side.client.used({"inputTokens": 10, "outputTokens": 2})
    side.client.used({"inputTokens": 5, "outputTokens": -7})
    side.client.used({"inputTokens": True, "outputTokens": "many"})
    side.client.used(None)
    side.update(sessionUpdate="usage_update", cost={"amount": 0.25, "currency": "USD"})
    side.update(sessionUpdate="usage_update", cost={"amount": float("nan"), "currency": "USD"})
    side.update(sessionUpdate="usage_update", cost={"amount": 9, "currency": "EUR"})
    assert side.client.usage == Usage(15, 2, 0.25)


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("s"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "sessionId",
                    "update",
                    "sessionUpdate",
                    "content",
                    "text",
                    "toolCall",
                    "toolCallId",
                    "locations",
                    "configOptions",
                    "currentModeId",
                    "options",
                    "cost",
                    "id",
                    "category",
                    "currentValue",
                    "kind",
                    "rawInput",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)
UPDATES = st.sampled_from(
    [
        "agent_message_chunk",
        "tool_call",
        "tool_call_update",
        "usage_update",
        "current_mode_update",
        "config_option_update",
        "plan",
        7,
        None,
        [],
        {},
    ]
)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(ANY, UPDATES, ANY)
def test_no_message_at_all_breaks_the_talk(
    tmp_path: Path, params: Any, kind: Any, more: Any
) -> None:
    side = Side(tmp_path)
    update = {**(more if isinstance(more, dict) else {}), "sessionUpdate": kind}
    for each in (params, {"sessionId": "s", "update": update}):
        asyncio.run(side.client.handle("session/update", each))
        try:
            answer = asyncio.run(side.client.handle("session/request_permission", each))
        except Refused:
            continue
        assert answer is not None
        assert answer["outcome"]["outcome"] in {"selected", "cancelled"}
