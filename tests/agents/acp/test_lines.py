"""Bytes of a hostile peer become messages, noise or the end; never more than the limits."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agents.acp.lines import Limits, Lines

GOOD = {"jsonrpc": "2.0", "id": 1, "result": {}}


class Sink:
    """Takes what is written."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.data, self.fault = b"", fault

    def write(self, data: bytes) -> None:
        self.data += data

    async def drain(self) -> None:
        if self.fault:
            raise self.fault


async def _received(
    data: bytes, limits: Limits | None, piece: int
) -> tuple[list[Any], Lines, list[str]]:
    reader = asyncio.StreamReader()
    for at in range(0, len(data), piece):
        reader.feed_data(data[at : at + piece])
    reader.feed_eof()
    noise: list[str] = []
    lines = Lines(reader, Sink(), noise.append, limits)  # type: ignore[arg-type]
    found = []
    while (message := await lines.receive()) is not None:
        found.append(message)
    return found, lines, noise


def received(
    data: bytes, limits: Limits | None = None, piece: int = 1 << 30
) -> tuple[list[Any], Lines, list[str]]:
    return asyncio.run(_received(data, limits, piece))


def line(message: Any) -> bytes:
    return json.dumps(message).encode() + b"\n"


@pytest.mark.parametrize("piece", [1, 7, 1 << 30])
def test_messages_are_found_whatever_the_pieces(piece: int) -> None:
    found, lines, noise = received(
        line(GOOD) + b"\n  \n" + line({**GOOD, "id": "x"}) + b'{"half":', piece=piece
    )
    assert [each["id"] for each in found] == [1, "x"]
    assert (lines.fault, noise) == ("", [])


@pytest.mark.parametrize(
    "data",
    [
        b"starting up ...\n",
        b"\xff\xfe\n",
        b"[1, 2]\n",
        b"7\n",
        b"{\n",
        b"[" * 100_000 + b"\n",
        b"{}\n",
        b'{"id": 1}\n',
        b'{"id": 1, "error": "words"}\n',
        b'{"id": [1], "result": 1}\n',
        b'{"id": {"a": 1}, "result": 1}\n',
        b'{"id": true, "result": 1}\n',
        b'{"method": 7}\n',
        b'{"result": 1}\n',
        b'{"id": 1.5, "result": 1}\n',
    ],
)
def test_a_line_that_is_no_message_is_noise_and_the_talk_goes_on(data: bytes) -> None:
    found, lines, noise = received(data + line(GOOD))
    assert found == [GOOD]
    assert len(noise) == 1
    assert not lines.fault


def test_too_much_noise_ends_the_talk() -> None:
    found, lines, noise = received(b"x\n" * 10 + line(GOOD), Limits(noise=5))
    assert (found, len(noise)) == ([], 5)
    assert "not messages" in lines.fault


def test_a_message_that_is_too_large_ends_the_talk_before_it_is_whole() -> None:
    found, lines, _ = received(line(GOOD) + b"x" * 2000, Limits(message=1000), piece=100)
    assert found == [GOOD]
    assert "larger than 1000" in lines.fault


def test_too_many_bytes_end_the_talk() -> None:
    found, lines, _ = received(line(GOOD) * 1000, Limits(total=10_000), piece=1000)
    assert len(found) < 1000
    assert "more than 10000 bytes" in lines.fault


def test_too_many_requests_end_the_talk() -> None:
    found, lines, _ = received(
        line({"id": 1, "method": "fs/read_text_file"}) * 10, Limits(requests=3)
    )
    assert len(found) == 3
    assert "requests" in lines.fault


def test_errors_come_in_the_shape_that_the_sdk_expects() -> None:
    found, _, _ = received(line({"id": 1, "error": {"code": "no", "message": 7, "more": 1}}))
    assert found[0]["error"] == {"code": -32603, "message": "7", "data": None}


def test_after_the_end_there_is_nothing_more() -> None:
    async def twice() -> None:
        _, lines, _ = await _received(line(GOOD), None, 1000)
        assert await lines.receive() is None

    asyncio.run(twice())


def test_a_peer_that_does_not_read_any_more_is_no_fault_of_the_sender() -> None:
    async def send() -> None:
        for fault in (BrokenPipeError(), ConnectionResetError(), None):
            sink = Sink(fault)
            await Lines(asyncio.StreamReader(), sink, print).send({"a": "\ud800"})  # type: ignore[arg-type]
            assert sink.data == b'{"a": "?"}\n'

    asyncio.run(send())


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.integers(1, 50))
def test_any_bytes_at_all_are_messages_noise_or_the_end(data: bytes, piece: int) -> None:
    found, _, _ = received(data, Limits(message=100, noise=3), piece)
    assert all(isinstance(each, dict) for each in found)
