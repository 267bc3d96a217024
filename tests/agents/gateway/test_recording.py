"""A record replays: the same requests get the same bytes, anything else is refused with its
difference.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agents.gateway.worlds import KEY, SHAPES, World, body, client, path, run

from podium.agents.gateway.difference import difference
from podium.agents.gateway.recording import Exchange, Recorder, Replayer, load
from podium.agents.scripted_model.script import Refusal, Script, Step, Tokens
from podium.core.errors import InputError
from podium.verify.redact import Redactor

SCRIPT = Script((Step("words ÄÖ", tokens=Tokens(700, 30), refuse=Refusal(529, 1, 0.0), cut=2),))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


async def ask(world: World, pass_: Any, shape: str, **more: Any) -> tuple[int, bytes]:
    async with client(pass_) as there:
        try:
            async with there.stream(
                "POST", path(shape, stream=True), json=body(shape, stream=True, **more)
            ) as answer:
                found = b""
                async for part in answer.aiter_raw():
                    found += part
                return answer.status_code, found
        except httpx.RemoteProtocolError:
            return 0, b"cut"


@pytest.mark.parametrize("shape", SHAPES)
def test_a_replayed_conversation_is_the_recorded_one_byte_for_byte(
    tmp_path: Path, shape: str
) -> None:
    said: list[Any] = []

    async def test(world: World) -> None:
        async with world.admitted(shape) as pass_:
            said.append([await ask(world, pass_, shape) for _ in range(3)])
        said.append((pass_.used, len(world.model.calls)))

    record = tmp_path / "deep" / "record.jsonl"
    run(test, SCRIPT, record=record)
    run(test, SCRIPT, replay=record)
    assert said[0][0][0] == 529
    assert said[0][1] == (0, b"cut")
    assert b"words" in said[0][2][1]
    assert said[2] == said[0]
    assert said[3] == (said[1][0], 0), "counted the same, and no model was asked"
    assert record.stat().st_mode & 0o777 == 0o600
    assert KEY.encode() not in record.read_bytes()


def test_a_request_that_was_not_recorded_is_refused_with_its_difference(tmp_path: Path) -> None:
    record = tmp_path / "record"

    async def first(world: World) -> None:
        async with world.admitted() as pass_:
            await world.ask(pass_, text="count the words", metadata={"user_id": "one"})

    async def second(world: World) -> None:
        async with world.admitted() as pass_:
            other = await world.ask(pass_, text="count the birds", metadata={"user_id": "two"})
            assert other.status_code == 400
            assert "messages[0].content, sign 10: recorded" in other.json()["error"]["message"]
            assert (
                await world.ask(pass_, text="count the words", metadata={"user_id": "two"})
            ).status_code == 200
            again = await world.ask(pass_, text="count the words")
            assert "was recorded 1 times and is asked once more" in again.text
            assert (
                "nothing was recorded for POST /v1/responses"
                in (await world.ask(pass_, "responses")).text
            )
        assert world.model.calls == []

    run(first, record=record)
    run(second, replay=record)


def test_secrets_of_the_run_are_not_in_the_record_even_across_two_parts(tmp_path: Path) -> None:
    redact = Redactor({"MY_TOKEN": "hush-hush-hush"})
    recorder = Recorder(tmp_path / "r", redact)
    recorder.add(
        Exchange(
            "POST",
            "/x",
            '{"a": "hush-hush-hush"}',
            200,
            (("set-cookie", "hush"), ("content-type", "x")),
            (b"hush-", b"hush-hush"),
        )
    )
    text = (tmp_path / "r").read_text()
    assert "hush" not in text
    assert load(tmp_path / "r")[0].parts == (b"[redacted]",)
    found = Replayer(load(tmp_path / "r"), redact).answer("POST", "/x", '{"a": "hush-hush-hush"}')
    assert isinstance(found, Exchange)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.binary(max_size=20), max_size=5), json_values, st.booleans())
def test_an_exchange_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], data: Any, cut: bool
) -> None:
    file = tmp_path_factory.mktemp("record") / "r"
    sent = Exchange(
        "POST", "/v1/messages", json.dumps(data), 200, (("content-type", "a/b"),), tuple(parts), cut
    )
    Recorder(file, lambda text: text).add(sent)
    assert load(file) == [sent]
    assert (
        Replayer(load(file), lambda text: text).answer("POST", "/v1/messages", json.dumps(data))
        == sent
    )


@pytest.mark.parametrize("line", ["{", "[]", '{"format": 2}', '{"format": 1, "method": "POST"}'])
def test_a_file_that_is_no_record_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "r").write_text(line + "\n")
    with pytest.raises(InputError, match="r:1"):
        load(tmp_path / "r")
    with pytest.raises(InputError, match="cannot be read"):
        load(tmp_path / "none")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ({"a": 1}, {"a": 2}, "a: recorded 1, now 2"),
        ({"a": 1}, {}, "a was recorded and is missing now"),
        ({}, {"a": 1}, "a is new"),
        ({"m": [1, 2]}, {"m": [1]}, "m had 2 entries and has 1 now"),
        ({"m": [{"c": "abc"}]}, {"m": [{"c": "abd"}]}, 'm[0].c, sign 2: recorded "abc", now "abd"'),
        ({"a": 1}, {"a": True}, "a: recorded 1, now true"),
    ],
)
def test_a_difference_is_told_with_its_place(old: Any, new: Any, says: str) -> None:
    assert difference(old, new).words == says


@settings(max_examples=80, deadline=None)
@given(json_values, json_values)
def test_two_values_differ_exactly_where_they_are_not_the_same(old: Any, new: Any) -> None:
    same = json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True)
    assert (difference(old, new).words == "they are the same") == same
