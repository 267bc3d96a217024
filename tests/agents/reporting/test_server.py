"""The reporting tools as a client sees them: a real process, and every kind of message."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agents.confine.installation import own_python
from podium.agents.reporting import server as reporting
from podium.agents.reporting.injection import SERVER
from podium.agents.reporting.server import LARGEST_MESSAGE, VERSIONS, Server, faults
from podium.workflows.harness.dialects import QA, WORK

GOOD = {"status": "done", "summary": "written"}
ASKED = {
    "question": "Which?",
    "choices": [{"id": "a", "description": "one"}, {"id": "b", "description": "two"}],
    "recommended": "b",
}


class Client:
    """Talks to the server as a program of its own."""

    def __init__(self, folder: Path, schema: Mapping[str, Any] = WORK.schema) -> None:
        self.verdict = folder / "reported.json"
        self.question = folder / "question.json"
        spec = folder / "spec.json"
        spec.write_text(json.dumps({"schema": schema}))
        self.process = subprocess.Popen(
            (own_python()[0], "-I", "-S", str(SERVER), str(spec)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PODIUM_VERDICT": str(self.verdict)},
        )

    def raw(self, line: bytes) -> Any:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def request(self, method: str, params: Any = None, ident: Any = 1) -> Any:
        message = {"jsonrpc": "2.0", "id": ident, "method": method}
        return self.raw(
            json.dumps(message if params is None else {**message, "params": params}).encode()
        )

    def call(self, name: str, arguments: Any) -> tuple[bool, str]:
        result = self.request("tools/call", {"name": name, "arguments": arguments})["result"]
        return not result["isError"], result["content"][0]["text"]

    def notify(self, method: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method}).encode() + b"\n")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    made = Client(tmp_path)
    with made.process:
        yield made
        out, complaint = made.process.communicate(timeout=10)
    assert (out, complaint, made.process.returncode) == (b"", b"", 0)


def test_a_whole_conversation_ends_with_the_verdict_in_the_file(client: Client) -> None:
    hello = client.request("initialize", {"protocolVersion": VERSIONS[1], "capabilities": {}})
    client.notify("notifications/initialized")
    listed = client.request("tools/list", ident="two")
    assert hello["result"]["protocolVersion"] == VERSIONS[1]
    assert hello["result"]["capabilities"] == {"tools": {}}
    assert listed["id"] == "two"
    assert [tool["name"] for tool in listed["result"]["tools"]] == ["report", "ask"]
    assert listed["result"]["tools"][0]["inputSchema"] == WORK.schema
    assert client.request("ping")["result"] == {}
    assert client.call("report", GOOD)[0]
    assert json.loads(client.verdict.read_text()) == GOOD


def test_a_value_outside_the_vocabulary_is_refused_with_the_allowed_ones_and_can_be_corrected(
    client: Client,
) -> None:
    taken, words = client.call("report", {"status": "finished", "summary": 1, "sumary": "x"})
    assert not taken
    assert "status is 'finished'; it must be one of done, blocked, failed" in words
    assert "summary must be a text" in words
    assert "did you mean summary?" in words
    assert not client.verdict.exists()
    assert client.call("report", GOOD)[0]


def test_the_last_report_counts(client: Client) -> None:
    assert client.call("report", GOOD)[0]
    taken, words = client.call("report", {"status": "blocked", "summary": "no tests"})
    assert taken
    assert "replaces" in words
    assert json.loads(client.verdict.read_text())["status"] == "blocked"


def test_a_refused_report_leaves_the_one_before_it(client: Client) -> None:
    assert client.call("report", GOOD)[0]
    assert not client.call("report", {"status": "nonsense", "summary": ""})[0]
    assert json.loads(client.verdict.read_text()) == GOOD


def test_a_question_ends_the_talk(client: Client) -> None:
    assert client.call("report", GOOD)[0]
    taken, words = client.call("ask", ASKED)
    assert taken
    assert "Stop now" in words
    assert json.loads(client.question.read_text()) == ASKED
    for name, arguments in (
        ("report", {"status": "failed", "summary": ""}),
        ("ask", {"question": "And this?"}),
    ):
        taken, words = client.call(name, arguments)
        assert not taken
        assert "asked a person" in words
    assert json.loads(client.question.read_text()) == ASKED
    assert json.loads(client.verdict.read_text()) == GOOD


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "question is missing"),
        ({"question": " \n"}, "question is"),
        ({"question": "x" * 4001}, "longer than 4000"),
        ({"question": "?", "choices": ["a"]}, "choices[0] must be an object"),
        ({"question": "?", "choices": [{"id": "a b", "description": ""}]}, "choices[0].id"),
        ({"question": "?", "choices": [{"id": "a\n", "description": ""}]}, "choices[0].id"),
        ({"question": "?", "choices": [{"id": "a", "description": ""}] * 2}, "the same id"),
        (
            {"question": "?", "choices": [{"id": str(n), "description": ""} for n in range(11)]},
            "at most 10",
        ),
        ({"question": "?", "recommended": "a"}, "the id of a choice"),
        ("?", "must be an object"),
    ],
)
def test_a_question_that_nobody_could_answer_is_refused(
    tmp_path: Path, arguments: Any, said: str
) -> None:
    server = Server({}, str(tmp_path / "v.json"))
    line = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "ask", "arguments": arguments},
        }
    )
    result = server.answer(line.encode())["result"]
    assert result["isError"]
    assert said in result["content"][0]["text"]
    assert os.listdir(tmp_path) == []


def test_a_step_without_a_verdict_offers_no_report(tmp_path: Path) -> None:
    server = Server({}, str(tmp_path / "v.json"))
    assert [tool["name"] for tool in server.tools()] == ["ask"]
    said = server.answer(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report","arguments":{}}}'
    )
    assert said["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("asked", "given"),
    [(each, each) for each in VERSIONS] + [("2099-01-01", VERSIONS[0]), (7, VERSIONS[0])],
)
def test_the_version_asked_for_is_taken_where_it_is_known_and_the_newest_offered_else(
    asked: Any, given: str
) -> None:
    line = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": asked}}
    )
    assert Server({}, "/nowhere/v").answer(line.encode())["result"]["protocolVersion"] == given


@pytest.mark.parametrize(
    ("line", "code", "ident"),
    [
        (b"{", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', -32700, None),
        (b"7", -32600, None),
        (b"[]", -32600, None),
        (b'{"id":1,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":"x","method":"resources/list"}', -32601, "x"),
        (b'{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}', -32602, 5),
        (b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"rm"}}', -32602, 5),
        (b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":["report"]}}', -32602, 5),
        (None, -32600, None),
    ],
)
def test_what_is_no_proper_request_gets_the_protocols_error(
    line: bytes | None, code: int, ident: Any
) -> None:
    said = Server(WORK.schema, "/nowhere/v").answer(line)
    assert said["error"]["code"] == code
    assert said["id"] == ident


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
        (
            b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"report","arguments":'
            b'{"status":"done","summary":""}}}'
        ),
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'[{"jsonrpc":"2.0","method":"notifications/initialized"}]',
    ],
)
def test_a_notification_gets_no_answer_and_does_nothing(line: bytes, tmp_path: Path) -> None:
    assert Server(WORK.schema, str(tmp_path / "v.json")).answer(line) is None
    assert os.listdir(tmp_path) == []


def test_a_batch_is_answered_as_one(client: Client) -> None:
    ping = {"jsonrpc": "2.0", "method": "ping"}
    said = client.raw(json.dumps([{**ping, "id": 1}, ping, {**ping, "id": 2}, 7]).encode())
    assert [each.get("id") for each in said] == [1, 2, None]
    assert client.raw(json.dumps([{**ping, "id": 1}] * 51).encode())["error"]["code"] == -32600


def test_a_message_of_any_size_is_refused_and_the_talk_goes_on(client: Client) -> None:
    huge = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "y" * (4 * LARGEST_MESSAGE)}}
    )
    assert client.raw(huge.encode())["error"]["code"] == -32600
    assert client.request("ping")["result"] == {}
    taken, words = client.call("report", {"status": "done", "summary": "x" * 300_000})
    assert not taken
    assert "longer than" in words
    assert client.call("report", GOOD)[0]


def test_half_a_sign_is_no_text(client: Client) -> None:
    said = client.raw(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report",'
        b'"arguments":{"status":"done","summary":"\\ud800"}}}'
    )
    assert "half a character" in said["result"]["content"][0]["text"]


def test_a_link_at_the_place_of_the_verdict_is_replaced_not_followed(
    client: Client, tmp_path: Path
) -> None:
    treasure = tmp_path / "treasure"
    treasure.write_text("mine")
    client.verdict.symlink_to(treasure)
    assert client.call("report", GOOD)[0]
    assert treasure.read_text() == "mine"
    assert stat.S_ISREG(os.lstat(client.verdict).st_mode)


def test_a_folder_that_cannot_be_written_is_told_as_an_error(tmp_path: Path) -> None:
    line = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "report", "arguments": GOOD},
        }
    )
    said = Server(WORK.schema, str(tmp_path / "gone" / "v.json")).answer(line.encode())
    assert said["error"]["code"] == -32603


@pytest.mark.parametrize("variable", ["", "relative.json"])
def test_without_a_place_for_the_verdict_it_does_not_start(variable: str, tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text('{"schema": {}}')
    ended = subprocess.run(
        (own_python()[0], "-I", "-S", SERVER, spec),
        env={"PODIUM_VERDICT": variable},
        capture_output=True,
        timeout=10,
    )
    assert ended.returncode == 2
    assert b"usage" in ended.stderr


def test_every_fault_is_told_at_once_with_its_place() -> None:
    review = {
        "result": "Passed",
        "criteria": {"AC1": "ok"},
        "issues": [{"description": "", "severity": "High", "blocks": "no"}],
    }
    assert list(faults(QA.schema, review)) == [
        "readiness is missing; one of Awaiting Approval, Back to Build, Blocked",
        "result is 'Passed'; it must be one of Pass, Pass With Minor Issues, Issues Found, Blocked",
        "criteria.AC1 is 'ok'; it must be one of Pass, N/A, Deferred, Warn, Fail",
        "issues[0].description is ''; it must match \\S",
        "issues[0].blocks must be true or false",
    ]


def test_true_is_no_whole_number() -> None:
    assert list(faults({"type": "integer"}, True)) == ["the object must be a whole number"]
    assert not list(faults({"type": "integer"}, 7))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=10,
)


@settings(max_examples=100, deadline=None)
@given(JSON)
def test_any_json_at_all_gets_an_answer_of_the_protocol_or_none(message: Any) -> None:
    said = Server(WORK.schema, "/nowhere/v").answer(json.dumps(message).encode())
    for each in said if isinstance(said, list) else [said] if said is not None else []:
        assert each["jsonrpc"] == "2.0"
        assert ("result" in each) != ("error" in each)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_at_all_get_an_answer_or_none(line: bytes) -> None:
    Server(WORK.schema, "/nowhere/v").answer(line)


def test_lines_are_found_whatever_the_pieces_they_come_in() -> None:
    reads, writes = os.pipe()
    with os.fdopen(writes, "wb") as file:
        file.write(b"one\n\n  \ntw")
        file.flush()
        file.write(b"o\nunfinished")
    assert list(reporting.lines(reads)) == [b"one", b"two"]
    os.close(reads)
