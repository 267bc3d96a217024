"""Version 1 of the protocol on the wire: what is asked, and what is made of any answer to it."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import podium
from podium.agents.acp.wire import Hello, Lost, Malformed, Refused, Session, Turn, Wire
from podium.agents.reporting.injection import Injection

SOURCES = Path(podium.__file__).parent
TOOLS = Injection(
    "/usr/bin/python3", ("-I", "server.py"), {"PODIUM_VERDICT": "/s/reported.json"}, ()
)


class Peer:
    """The other end, in memory: answers each request as it is told to, and then is gone."""

    def __init__(self, *answers: Any) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answered: list[dict[str, Any]] = []
        self._answers = list(answers)
        self._inbox: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    async def send(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self.answered.append(message)
            return
        self.asked.append(message)
        if "id" not in message:
            return
        answer = self._answers.pop(0) if self._answers else None
        if answer is None:
            await self._inbox.put(None)
        elif isinstance(answer, Exception):
            await self._inbox.put(
                {"id": message["id"], "error": {"code": 7, "message": str(answer), "data": [1]}}
            )
        else:
            await self._inbox.put({"id": message["id"], "result": answer})

    async def says(self, message: dict[str, Any]) -> None:
        await self._inbox.put(message)

    async def receive(self) -> dict[str, Any] | None:
        return await self._inbox.get()

    async def close(self) -> None:
        await self._inbox.put(None)


async def nothing(method: str, params: Any) -> None:
    raise Refused(-32601, "no")


def ask(peer: Peer, what: Callable[[Wire], Awaitable[Any]]) -> Any:
    async def whole() -> Any:
        async with Wire(peer, nothing) as wire:
            return await what(wire)

    return asyncio.run(asyncio.wait_for(whole(), 10))


def test_version_one_is_asked_for_and_neither_files_nor_terminals_are_offered() -> None:
    peer = Peer(
        {
            "protocolVersion": 1,
            "agentCapabilities": {"loadSession": True},
            "agentInfo": {"name": "x", "version": "2"},
        }
    )
    assert ask(peer, lambda wire: wire.initialize()) == Hello(
        1, "x", "2", loads=True, resumes=False, logins=()
    )
    params = peer.asked[0]["params"]
    assert params["protocolVersion"] == 1
    assert params["clientCapabilities"]["fs"] == {"readTextFile": False, "writeTextFile": False}
    assert params["clientCapabilities"]["terminal"] is False


def test_what_an_agent_can_do_is_what_it_says() -> None:
    can = {"sessionCapabilities": {"resume": {}}}
    peer = Peer(
        {
            "protocolVersion": 2,
            "agentCapabilities": can,
            "authMethods": [{"id": "key", "name": "Key"}],
        }
    )
    assert ask(peer, lambda wire: wire.initialize()) == Hello(
        2, "", "", loads=False, resumes=True, logins=("key",)
    )


def test_a_session_is_begun_with_the_tools_and_told_with_its_modes() -> None:
    modes = {
        "currentModeId": "auto",
        "availableModes": [{"id": "auto", "name": "A"}, {"id": "ask", "name": "B"}],
    }
    option = {"id": "mode", "name": "Mode", "type": "select", "currentValue": "auto", "options": []}
    peer = Peer({"sessionId": "s", "modes": modes, "configOptions": [option]})
    session = ask(peer, lambda wire: wire.new_session("/v", [TOOLS]))
    assert session == Session("s", "auto", ("auto", "ask"), {"mode": "auto"})
    assert peer.asked[0]["params"] == {
        "cwd": "/v",
        "mcpServers": [
            {
                "name": "podium",
                "command": "/usr/bin/python3",
                "args": ["-I", "server.py"],
                "env": [{"name": "PODIUM_VERDICT", "value": "/s/reported.json"}],
            }
        ],
    }


@pytest.mark.parametrize(("resumes", "method"), [(True, "session/resume"), (False, "session/load")])
def test_a_session_is_resumed_in_the_way_that_the_agent_can(resumes: bool, method: str) -> None:
    peer = Peer({})
    hello = Hello(1, "a", "1", loads=True, resumes=resumes, logins=())
    assert ask(peer, lambda wire: wire.resume_session("s", "/v", [TOOLS], hello)).ident == "s"
    assert peer.asked[0]["method"] == method
    assert peer.asked[0]["params"]["sessionId"] == "s"


def test_modes_options_and_logins_are_asked_for_by_name() -> None:
    peer = Peer({}, {"configOptions": []}, {})

    async def whole(wire: Wire) -> None:
        await wire.set_mode("s", "ask")
        await wire.set_option("s", "model", "large")
        await wire.log_in("key")
        await wire.cancel("s")

    ask(peer, whole)
    assert [each["method"] for each in peer.asked] == [
        "session/set_mode",
        "session/set_config_option",
        "authenticate",
        "session/cancel",
    ]
    assert peer.asked[0]["params"] == {"sessionId": "s", "modeId": "ask"}
    assert peer.asked[1]["params"] == {"sessionId": "s", "configId": "model", "value": "large"}


@pytest.mark.parametrize(
    ("answer", "turn"),
    [
        ({"stopReason": "end_turn"}, Turn("end_turn")),
        ({"stopReason": "bored", "usage": {"inputTokens": 1}}, Turn("bored", {"inputTokens": 1})),
        ({"stopReason": "end_turn", "usage": 7}, Turn("end_turn")),
    ],
)
def test_a_turn_ends_with_the_reason_that_is_given(answer: Any, turn: Turn) -> None:
    assert ask(Peer(answer), lambda wire: wire.prompt("s", "Do it.")) == turn


@pytest.mark.parametrize(
    "answer", [[], 7, "x", {}, {"stopReason": 7}, {"stopReason": ["end_turn"]}]
)
def test_an_end_without_a_reason_is_no_answer(answer: Any) -> None:
    with pytest.raises(Malformed):
        ask(Peer(answer), lambda wire: wire.prompt("s", "Do it."))


@pytest.mark.parametrize(
    "answer", [[], 7, "x", {}, {"sessionId": 7}, {"sessionId": None}, {"modes": {}}]
)
def test_a_session_without_an_id_is_no_answer(answer: Any) -> None:
    with pytest.raises(Malformed, match="session/new"):
        ask(Peer(answer), lambda wire: wire.new_session("/v", ()))


def test_an_error_is_theirs_with_its_words() -> None:
    with pytest.raises(Refused, match="out of order") as refused:
        ask(Peer(ValueError("out of order")), lambda wire: wire.new_session("/v", ()))
    assert (refused.value.code, refused.value.data, refused.value.asked) == (7, [1], "session/new")


def test_a_peer_that_is_gone_is_lost_and_stays_so() -> None:
    async def twice(wire: Wire) -> None:
        with pytest.raises(Lost, match="session/new"):
            await wire.new_session("/v", ())
        with pytest.raises(Lost, match="session/prompt"):
            await wire.prompt("s", "Do it.")
        await wire.cancel("s")

    ask(Peer(), twice)


def test_what_is_refused_is_an_error_for_requests_and_nothing_for_notifications(
    caplog: pytest.LogCaptureFixture,
) -> None:
    peer = Peer({"stopReason": "end_turn"})

    async def whole(wire: Wire) -> None:
        await peer.says({"id": 5, "method": "fs/read_text_file", "params": {}})
        await peer.says({"method": "no/such"})
        await wire.prompt("s", "Do it.")
        await asyncio.sleep(0.05)

    with caplog.at_level(logging.WARNING):
        ask(peer, whole)
    assert peer.answered == [
        {"jsonrpc": "2.0", "id": 5, "error": {"code": -32601, "message": "no", "data": None}}
    ]
    assert caplog.records == []


def test_only_this_module_knows_the_sdk() -> None:
    found = [
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if re.search(
            r"^\s*(?:from acp[. ]|import acp\b|from pydantic|import pydantic)",
            path.read_text(),
            re.MULTILINE,
        )
    ]
    assert found == ["agents/acp/wire.py"]
