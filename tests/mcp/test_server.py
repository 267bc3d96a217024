"""What a chat agent may look at, start and decide, and what it may not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import app as fake
from tests.fakes.app import RUN
from tests.fakes.evidence import evidence

from podium.core.chain import FIRST, seal
from podium.core.errors import InputError
from podium.mcp.server import McpServer
from podium.mcp.starting import Starter
from podium.mcp.tools import DECIDE, INPUTS, LOOK, OUTPUTS, START
from podium.settings.values import Mcp, Settings


def sealed(*facts: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for seq, fact in enumerate(facts, 1):
        stamped = {"run": RUN, "ts": f"2026-01-15T10:00:0{seq}.000Z", **fact}
        found.append(seal(stamped, seq, found[-1]["hash"] if found else FIRST)[0])
    return found


def gate(key: str, kind: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "gate.opened",
        "key": key,
        "step": key,
        "kind": kind,
        "prompt": "Sure?",
        "choices": ["approved"],
        "subject": {},
        **more,
    }


class App(fake.App):
    """The facade with one gate of each kind, the risky one of a child run that works beside
    others.
    """

    mcp = Mcp()

    @property
    def settings(self) -> Settings:
        return Settings(mcp=type(self).mcp)

    def events(self, run: str) -> Any:
        kinds = [
            gate("approve-build", "approval"),
            gate("ask", "question"),
            gate("drifted", "drift"),
        ]
        below = [
            {**each, "run": f"{RUN}/phase/1"} for each in sealed(gate("phase/1/risk", "high_risk"))
        ]
        return [*sealed(fake.FACTS[0], *kinds), *below]


def server(app: type[App], **environ: str) -> McpServer:
    made = lambda: app(Path("/nowhere"))  # noqa: E731
    return McpServer(made, Starter(Path("/nowhere"), environ), lambda: "Ada")


@pytest.fixture
def app() -> type[App]:
    return type("Fresh", (App,), {"calls": []})


def ask(talk: McpServer, method: str, **params: Any) -> Any:
    return talk.answer(
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    )


def call(talk: McpServer, name: str, **arguments: Any) -> Any:
    return ask(talk, "tools/call", name=name, arguments=arguments)


def names(talk: McpServer) -> list[str]:
    return [each["name"] for each in ask(talk, "tools/list")["result"]["tools"]]


@pytest.mark.parametrize(
    ("mcp", "environ", "known"),
    [
        (Mcp(), {}, [*LOOK, *START]),
        (Mcp(start=False), {}, [*LOOK]),
        (Mcp(decide="true"), {}, [*LOOK, *START, *DECIDE]),
        (Mcp(start=False, decide="all"), {}, [*LOOK, *DECIDE]),
        (Mcp(decide="all"), {"PODIUM_AGENT": "1"}, [*LOOK]),
        (Mcp(decide="all"), {"PODIUM_DISPATCH": "x"}, [*LOOK]),
    ],
)
def test_the_tools_are_those_that_were_allowed(
    app: type[App], mcp: Mcp, environ: dict[str, str], known: list[str]
) -> None:
    app.mcp = mcp
    assert names(server(app, **environ)) == known


@pytest.mark.parametrize("name", DECIDE)
def test_a_decision_that_is_not_allowed_is_no_tool_at_all(app: type[App], name: str) -> None:
    answer = call(server(app), name, run=RUN, gate="approve-build", note="x")
    assert answer["error"]["code"] == -32602
    app.mcp = Mcp(decide="all")
    assert "error" in call(
        server(app, PODIUM_AGENT="1"), name, run=RUN, gate="approve-build", note="x"
    )
    assert app.calls == []


def test_settings_that_cannot_be_read_allow_nothing_but_looking(app: type[App]) -> None:
    def broken(self: Any) -> Any:
        raise InputError([])

    app.settings = property(broken)  # type: ignore[assignment,method-assign]
    assert names(server(app)) == list(LOOK)


def test_a_decision_is_recorded_in_the_persons_name_via_mcp(app: type[App]) -> None:
    app.mcp = Mcp(decide="true")
    answer = call(server(app), "approve", run="@", gate="approve-build", note="looks good")[
        "result"
    ]
    assert not answer["isError"]
    assert app.calls == [
        (
            "approve",
            {"run": RUN, "gate": "approve-build", "note": "looks good", "by": "Ada via mcp"},
        )
    ]
    assert "resume" in answer["content"][0]["text"]
    call(server(app), "reject", run=RUN, gate="approve-build", note="no tests", to="design")
    assert app.calls[-1] == (
        "reject",
        {
            "run": RUN,
            "gate": "approve-build",
            "note": "no tests",
            "to": "design",
            "by": "Ada via mcp",
        },
    )
    call(server(app), "answer", run=RUN, gate="ask", choice="a")
    assert app.calls[-1][1]["by"] == "Ada via mcp"


@pytest.mark.parametrize("key", ["phase/1/risk", "drifted"])
@pytest.mark.parametrize("name", DECIDE)
def test_a_grave_gate_is_for_a_person_at_a_terminal_unless_all_are_allowed(
    app: type[App], key: str, name: str
) -> None:
    app.mcp = Mcp(decide="true")
    answer = call(server(app), name, run=RUN, gate=key, note="x")["result"]
    assert answer["isError"]
    assert "a person decides at a terminal" in answer["content"][0]["text"]
    assert app.calls == []
    app.mcp = Mcp(decide="all")
    assert not call(server(app), name, run=RUN, gate=key, note="x")["result"]["isError"]
    assert len(app.calls) == 1


def test_a_gate_that_is_not_open_is_refused_before_anything_is_recorded(app: type[App]) -> None:
    app.mcp = Mcp(decide="all")
    assert (
        "no open gate"
        in call(server(app), "approve", run=RUN, gate="risk")["result"]["content"][0]["text"]
    )
    assert app.calls == []


def test_every_tool_that_looks_answers_with_data_and_words(app: type[App]) -> None:
    for name in LOOK:
        answer = call(server(app), name)["result"]
        assert not answer["isError"], answer
        assert answer["content"][0]["text"]
        assert set(OUTPUTS[name]["required"]) <= set(answer["structuredContent"])


def test_the_log_goes_on_where_it_was_left(app: type[App]) -> None:
    first = call(server(app), "log", limit=2)["result"]["structuredContent"]
    rest = call(server(app), "log", since=first["next"])["result"]["structuredContent"]
    assert [each["n"] for each in first["events"]] == [1, 2]
    assert [each["n"] for each in rest["events"]] == [3, 4, 5]
    again = call(server(app), "log", since=rest["next"])["result"]
    assert (again["structuredContent"]["events"], again["content"][0]["text"]) == (
        [],
        "Nothing new.",
    )
    assert (
        call(server(app), "log", since=-5, limit=0)["result"]["structuredContent"]["events"][0]["n"]
        == 1
    )


def test_a_gate_begins_with_what_is_proven_and_its_question_is_whole(app: type[App]) -> None:
    files = [{"path": "src/a.py", "status": "M", "added": 2, "removed": 1, "kind": "code"}]
    told = {"evidence": (evidence(),), "changes": {"files": files, "total": 1}}
    prompt = "\n".join(f"line {number}" for number in range(150))
    app.summarised = replace(fake.SUMMARY, gates=({**fake.GATE, **told, "prompt": prompt},))
    lines = call(server(app), "status")["result"]["content"][0]["text"].splitlines()
    at = lines.index("test: passed")
    assert lines[at + 1 : at + 4] == [
        "1 file changed, +2 −1",
        "M src/a.py +2 −1",
        "gate approve-build (approval): line 0",
    ]
    assert "line 149" in lines


def test_an_end_that_nothing_proves_is_called_so(app: type[App]) -> None:
    app.summarised = replace(
        fake.SUMMARY, status="complete", step="done", gates=(), outcome="complete_unproven"
    )
    answer = call(server(app), "status")["result"]
    assert "complete, unproven at done" in answer["content"][0]["text"]
    assert answer["structuredContent"]["outcome"] == "complete_unproven"


def test_a_gate_shows_its_question_and_choices(app: type[App]) -> None:
    app.summarised = replace(fake.SUMMARY, gates=({**fake.GATE, "prompt": "Start \x1b[2J Build?"},))
    answer = call(server(app), "status")["result"]
    assert "gate approve-build (approval): Start" in answer["content"][0]["text"]
    assert "\x1b" not in answer["content"][0]["text"]
    assert answer["structuredContent"]["gates"][0]["choices"] == ["approved"]


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("status", {"run": 5}, "run must be a text"),
        ("status", {"rum": "@"}, "did you mean run?"),
        ("log", {"since": "1"}, "since must be a whole number"),
        ("log", {"since": True}, "since must be a whole number"),
        ("status", {"run": "x" * 301}, "longer than 300"),
        ("run", {"workflow": "harnes", "input": []}, "must be one of feature, governed, harness"),
        ("run", {"workflow": "harness"}, "input is missing"),
        ("run", {"workflow": "harness", "input": ["x"] * 21}, "at most 20"),
        ("status", [], "the object must be an object"),
        ("status", {"run": "nope"}, "there is no run 'nope'"),
        ("show", {"key": "nope"}, "has no step 'nope'"),
    ],
)
def test_a_wrong_argument_is_a_tool_error_that_says_what_is_right(
    app: type[App], name: str, arguments: Any, words: str
) -> None:
    answer = ask(server(app), "tools/call", name=name, arguments=arguments)["result"]
    assert answer["isError"]
    assert words in answer["content"][0]["text"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"\xff", -32700),
        (b'{"a":1,"a":2}', -32700),
        (b"[" * 100_000, -32700),
        (b"NaN", -32700),
        (b"7", -32600),
        (b"[]", -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600),
        (None, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/list"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', -32602),
    ],
)
def test_a_message_that_is_none_is_answered_as_the_protocol_says(
    app: type[App], line: bytes | None, code: int
) -> None:
    assert server(app).answer(line)["error"]["code"] == code


def test_a_bug_is_a_tool_error_and_the_talk_goes_on(app: type[App]) -> None:
    app.summary = lambda self, run: 1 / 0  # type: ignore[method-assign,assignment,return-value]
    talk = server(app)
    assert (
        "a bug in Podium: ZeroDivisionError" in call(talk, "status")["result"]["content"][0]["text"]
    )
    assert ask(talk, "ping")["result"] == {}


def test_a_word_that_would_be_an_option_is_never_handed_on(app: type[App]) -> None:
    for bad in (
        {"input": ["--yes-i-approve-all-gates"]},
        {"input": ["x"], "agent": "-x"},
        {"input": ["a\0b"]},
    ):
        answer = call(server(app), "run", workflow="feature", **bad)["result"]
        assert answer["isError"]
        assert "would be read as an option" in answer["content"][0]["text"]


def test_a_chat_agent_brings_no_scenario_which_would_run_its_commands(tmp_path: Path) -> None:
    from tests.fakes.project import TASK, Project  # noqa: PLC0415

    project = Project.at(tmp_path)
    scenario = project.scenario({"po-spec": [{"run": f"touch {tmp_path}/ran", "behave": "well"}]})
    talk = McpServer(lambda: project.app, Starter(project.root, project.environ), lambda: "Ada")
    answer = call(talk, "run", workflow="harness", input=[TASK], agent=scenario)["result"]
    assert answer["isError"]
    assert "agent is" in answer["content"][0]["text"]
    assert not project.app.list()
    assert not (tmp_path / "ran").exists()


def test_every_tool_has_schemas_that_schemas_can_read() -> None:
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    for name in (*LOOK, *START, *DECIDE):
        Draft202012Validator.check_schema(INPUTS[name])
        Draft202012Validator.check_schema(OUTPUTS[name])


def test_a_file_that_changed_since_the_gate_opened_is_decided_on_at_a_terminal(
    tmp_path: Path,
) -> None:
    from tests.fakes.project import PLAN, Project  # noqa: PLC0415

    project = Project.at(tmp_path)
    project.write("podium.toml", '[commands]\ntest = "sh tests.sh"\n[mcp]\ndecide = true\n')
    project.run()
    talk = McpServer(lambda: project.app, Starter(project.root, {}), lambda: "Ada")
    whole = project.text(PLAN)
    project.write(PLAN, "another plan\n")
    answer = call(talk, "approve", run=project.run_id, gate="approve-build")["result"]
    assert answer["isError"]
    assert "changed since it was shown; nothing was decided" in answer["content"][0]["text"]
    project.write(PLAN, whole)
    assert not call(talk, "approve", run=project.run_id, gate="approve-build")["result"]["isError"]
    assert project.event("gate.decided")["by"] == "Ada via mcp"
