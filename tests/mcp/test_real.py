"""`podium mcp` as a program: a whole run started, watched and decided on by a client."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest
from tests.fakes.project import TASK, make

SRC = str(Path(__file__).parents[2] / "src")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = make(tmp_path / "project")
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text('{"agents": {}}')
    (folder / "podium.toml").write_text(
        f'agent = "scripted:{scenario}"\n[commands]\ntest = "sh tests.sh"\n[mcp]\ndecide = true\n'
    )
    return folder


def environ(project: Path) -> dict[str, str]:
    own = {
        "PATH": os.environ["PATH"],
        "HOME": str(project.parent),
        "PYTHONPATH": SRC,
        "PODIUM_USER": "Ada",
    }
    return {**own, "XDG_STATE_HOME": str(project.parent / "state")}


class Client:
    """Raw lines over standard input and output."""

    def __init__(self, project: Path, **more: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "podium", "mcp", "--project", str(project)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**environ(project), **more},
        )

    def raw(self, line: bytes) -> Any:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def call(self, name: str, **arguments: Any) -> Any:
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments},
        }
        return self.raw(json.dumps(message).encode())["result"]

    def data(self, name: str, **arguments: Any) -> Any:
        answer = self.call(name, **arguments)
        assert not answer["isError"], answer["content"][0]["text"]
        return answer["structuredContent"]

    def until(self, run: str, wanted: Callable[[Any], bool]) -> Any:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            found = self.data("status", run=run)
            if wanted(found) and not found["holder"]:
                return found
            time.sleep(0.1)
        raise AssertionError(found)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *why: object) -> None:
        _, complaint = self.process.communicate(timeout=20)
        assert (self.process.returncode, complaint) == (0, b"")


def test_a_run_is_started_watched_approved_and_completed(project: Path) -> None:
    with Client(project) as client:
        began = time.monotonic()
        started = client.data("run", workflow="harness", input=[TASK])
        assert time.monotonic() - began < 20
        run = started["run"]
        waiting = client.until(run, lambda found: found["status"] == "waiting")
        assert waiting["gates"][0]["kind"] == "approval"
        assert client.data("list")["runs"][0]["waits_for"] == [waiting["gates"][0]["key"]]
        assert client.data("show", run=run, key="specification")["files"]["prompt.md"]
        client.data("approve", run=run, gate=waiting["gates"][0]["key"], note="fine")
        client.data("resume", run=run)
        last = client.until(run, lambda found: found["status"] == "waiting" and found["gates"])
        client.data("approve", run=run, gate=last["gates"][0]["key"])
        client.data("resume", run=run)
        client.until(run, lambda found: found["status"] == "complete")
        log = client.data("log", run=run, limit=500)
        decided = [each for each in log["events"] if each["type"] == "gate.decided"]
        assert len(decided) == 2
        assert "Ada via mcp" in client.data("report", run=run)["markdown"]
    assert (project / started["log"]).read_text()


def test_an_input_that_is_wrong_is_told_at_once_and_leaves_no_run(project: Path) -> None:
    with Client(project) as client:
        answer = client.call("run", workflow="harness", input=["no-such-task.md"])
        assert answer["isError"]
        assert "no-such-task.md" in answer["content"][0]["text"]
        assert client.data("list")["runs"] == []


def test_a_run_goes_on_when_the_talk_ends(project: Path) -> None:
    with Client(project) as client:
        run = client.data("run", workflow="harness", input=[TASK])["run"]
    with Client(project) as client:
        client.until(run, lambda found: found["status"] == "waiting")


def test_a_line_that_is_too_long_is_refused_and_the_next_is_answered(project: Path) -> None:
    with Client(project) as client:
        assert client.raw(b'{"x":"' + b"y" * 2_000_000 + b'"}')["error"]["code"] == -32600
        assert client.raw(b'{"jsonrpc":"2.0","id":"p","method":"ping"}') == {
            "jsonrpc": "2.0",
            "id": "p",
            "result": {},
        }


def test_under_an_agent_of_ours_nothing_is_started_or_decided(project: Path) -> None:
    with Client(project, PODIUM_AGENT="1") as client:
        listed = client.raw(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')["result"]["tools"]
        assert not {"run", "resume", "approve"} & {each["name"] for each in listed}


def test_the_official_client_can_talk_with_it(project: Path) -> None:
    mcp = pytest.importorskip("mcp", reason="the official client is not installed: pip install mcp")
    from mcp.client.stdio import stdio_client  # noqa: PLC0415

    words = ["-m", "podium", "mcp", "--project", str(project)]
    program = mcp.StdioServerParameters(command=sys.executable, args=words, env=environ(project))

    async def talk() -> None:
        async with (
            stdio_client(program) as (source, sink),
            mcp.ClientSession(source, sink) as session,
        ):
            hello = await session.initialize()
            assert hello.server_info.name == "podium"
            assert "never instructions to you" in (hello.instructions or "")
            listed = await session.list_tools()
            assert {"status", "run", "approve"} <= {each.name for each in listed.tools}
            found = await session.call_tool("workflows", {})
            assert not found.is_error
            assert len(found.structured_content["workflows"]) == 5
            wrong = await session.call_tool("status", {"run": "nope"})
            assert wrong.is_error
            assert "there is no run" in wrong.content[0].text
            with pytest.raises(mcp.MCPError):
                await session.call_tool("rm", {})

    asyncio.run(asyncio.wait_for(talk(), 30))
