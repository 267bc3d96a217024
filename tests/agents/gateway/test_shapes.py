"""What passes through is read the same however its bytes are cut, and nothing hostile in it can
break the reader.
"""

from __future__ import annotations

import gzip
import itertools
import json
import zlib
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agents.gateway.shapes import asking, headers, refusals
from podium.agents.gateway.shapes.answers import Reading, objects
from podium.agents.gateway.shapes.events import Blocks, Events
from podium.agents.gateway.shapes.figures import Figures, Meter
from podium.agents.gateway.shapes.limits import retry_after
from podium.agents.scripted_model.conversation import Reply, ToolCall
from podium.agents.scripted_model.script import Tokens
from podium.agents.scripted_model.wire import anthropic, chat, gemini, responses

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
WIRES: dict[str, Any] = {
    "anthropic": anthropic,
    "chat": chat,
    "gemini": gemini,
    "responses": responses,
}
SSE = "text/event-stream; charset=utf-8"
cuts = st.lists(st.integers(0, 5000), max_size=30)


def pieces(data: bytes, places: list[int]) -> list[bytes]:
    at = sorted({0, len(data), *(each % (len(data) + 1) for each in places)})
    return [data[a:b] for a, b in itertools.pairwise(at)]


def reply(text: str, tokens: tuple[int, int], calls: int = 1) -> Reply:
    return Reply(
        "id",
        "m",
        text or "x",
        tuple(ToolCall("Write", {"n": n, "t": text}) for n in range(calls)),
        Tokens(*tokens),
    )


def stream(shape: str, said: Reply, newline: bytes = b"\n") -> bytes:
    found = b""
    for each in WIRES[shape].events(said):
        head = f"event: {each.name}\n".encode() if each.name else b""
        found += head + b"data: " + json.dumps(each.data, ensure_ascii=False).encode() + b"\n\n"
    found += b"data: [DONE]\n\n" if shape == "chat" else b""
    return found.replace(b"\n", newline)


@pytest.mark.parametrize("shape", WIRES)
@settings(max_examples=40, deadline=None)
@given(
    text=st.text(max_size=30),
    tokens=st.tuples(st.integers(0, 10**7), st.integers(1, 10**6)),
    newline=st.sampled_from([b"\n", b"\r\n", b"\r"]),
    places=cuts,
)
def test_a_stream_says_its_cost_wherever_it_is_cut_into_parts(
    shape: str, text: str, tokens: tuple[int, int], newline: bytes, places: list[int]
) -> None:
    reading = Reading(shape, SSE)  # type: ignore[arg-type]
    for part in pieces(stream(shape, reply(text, tokens), newline), places):
        reading.feed(part)
    assert reading.finish() == Figures(*tokens)
    assert reading.ended


@pytest.mark.parametrize("shape", WIRES)
@settings(max_examples=25, deadline=None)
@given(
    text=st.text(max_size=30),
    tokens=st.tuples(st.integers(0, 10**7), st.integers(1, 10**6)),
    places=cuts,
    packed=st.sampled_from(["", "gzip", "deflate"]),
)
def test_an_answer_in_one_piece_says_it_too_packed_or_not(
    shape: str, text: str, tokens: tuple[int, int], places: list[int], packed: str
) -> None:
    data = json.dumps(WIRES[shape].whole(reply(text, tokens))).encode()
    data = {"": data, "gzip": gzip.compress(data), "deflate": zlib.compress(data)}[packed]
    reading = Reading(shape, "application/json", packed)  # type: ignore[arg-type]
    for part in pieces(data, places):
        reading.feed(part)
    assert reading.finish() == Figures(*tokens)
    assert reading.ended


@pytest.mark.parametrize("shape", WIRES)
@settings(max_examples=40, deadline=None)
@given(length=st.integers(0, 3000), places=cuts)
def test_a_stream_that_breaks_off_says_no_more_than_it_said(
    shape: str, length: int, places: list[int]
) -> None:
    whole = stream(shape, reply("words", (700, 30), calls=2))
    reading = Reading(shape, SSE)  # type: ignore[arg-type]
    for part in pieces(whole[:length], places):
        reading.feed(part)
    found = reading.finish()
    assert found.tokens_in in {None, 700}
    assert (found.tokens_out or 0) <= 30
    if not reading.ended:
        assert found.tokens_out != 30 or shape == "anthropic", (
            "there the cost comes one event before the end"
        )


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["data", "event", "id", "", "other"]),
            st.text(st.characters(blacklist_characters="\r\n"), max_size=8),
        ),
        max_size=12,
    ),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    cuts,
)
def test_events_are_the_same_wherever_their_bytes_are_cut(
    lines: list[tuple[str, str]], newline: bytes, places: list[int]
) -> None:
    data = (
        newline.join(
            f"{name}: {value}".encode(errors="replace") if name else b"" for name, value in lines
        )
        + newline
    )
    at_once, in_parts = Events(), Events()
    expected = [*at_once.feed(data), *at_once.finish()]
    found = [each for part in pieces(data, places) for each in in_parts.feed(part)]
    assert [*found, *in_parts.finish()] == expected


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=200) | st.text("data:\r\n {}", max_size=100).map(str.encode), cuts)
def test_blocks_are_all_of_the_bytes_and_nothing_else(data: bytes, places: list[int]) -> None:
    blocks = Blocks(50)
    found = [each for part in pieces(data, places) for each in blocks.feed(part)]
    assert b"".join([*found, blocks.finish()]) == data


@pytest.mark.parametrize("shape", [*WIRES, ""])
@pytest.mark.parametrize("kind", [SSE, "application/json", ""])
@settings(max_examples=25, deadline=None)
@given(
    data=st.binary(max_size=300),
    encoding=st.sampled_from(["", "gzip", "deflate", "br", "nonsense"]),
)
def test_no_bytes_can_break_the_reader(shape: str, kind: str, data: bytes, encoding: str) -> None:
    reading = Reading(shape, kind, encoding)  # type: ignore[arg-type]
    reading.feed(data)
    reading.finish()
    assert reading.size == len(data)


def test_a_line_without_end_is_not_kept_and_what_follows_it_is_read() -> None:
    events = Events(largest=100)
    assert events.feed(b"data: " + b"x" * 1000 + b"\n\ndata: {}\n\n") == ["{}"]


def test_deep_nesting_is_no_answer() -> None:
    assert objects("[" * 100_000) == []
    reading = Reading("anthropic", SSE)
    reading.feed(b"data: " + b"[" * 200_000 + b"\n\n")
    assert reading.finish() == Figures()


def test_a_list_that_is_streamed_counts_as_far_as_it_came() -> None:
    parts = [
        {"usageMetadata": {"promptTokenCount": 9}},
        {
            "usageMetadata": {
                "promptTokenCount": 9,
                "candidatesTokenCount": 4,
                "totalTokenCount": 13,
            },
            "candidates": [{"finishReason": "STOP"}],
        },
    ]
    text = json.dumps(parts)
    for cut, figures in (
        (len(text), Figures(9, 4)),
        (len(text) - 5, Figures(9, None)),
        (3, Figures()),
    ):
        reading = Reading("gemini", "application/json")
        reading.feed(text[:cut].encode())
        assert reading.finish() == figures


def test_a_figure_beyond_all_counts_is_none() -> None:
    meter = Meter("chat")
    meter.take(
        {
            "usage": {
                "prompt_tokens": 10**400,
                "completion_tokens": 4,
                "prompt_tokens_details": {"cached_tokens": 10**400},
            }
        }
    )
    assert meter.figures == Figures(None, 4)


@pytest.mark.parametrize(
    ("shape", "parts", "figures"),
    [
        (
            "anthropic",
            [
                {
                    "type": "message_start",
                    "message": {
                        "usage": {
                            "input_tokens": 5,
                            "cache_read_input_tokens": 100,
                            "cache_creation_input_tokens": 20,
                            "output_tokens": 1,
                        }
                    },
                },
                {"type": "message_delta", "usage": {"output_tokens": 9}},
            ],
            Figures(125, 9, 100),
        ),
        (
            "anthropic",
            [
                {"type": "message_start", "message": {"usage": {"input_tokens": 0}}},
                {"type": "message_delta", "usage": {"input_tokens": 8, "output_tokens": 9}},
            ],
            Figures(8, 9),
        ),
        (
            "responses",
            [
                {
                    "type": "response.completed",
                    "response": {
                        "usage": {
                            "input_tokens": 5,
                            "input_tokens_details": {"cached_tokens": 3},
                            "output_tokens": 2,
                        }
                    },
                }
            ],
            Figures(5, 2, 3),
        ),
        (
            "chat",
            [
                {
                    "object": "chat.completion.chunk",
                    "choices": [],
                    "usage": {
                        "prompt_tokens": 5,
                        "prompt_tokens_details": {"cached_tokens": 3},
                        "completion_tokens": 2,
                    },
                }
            ],
            Figures(5, 2, 3),
        ),
        (
            "chat",
            [{"object": "list", "usage": {"prompt_tokens": 5, "total_tokens": 5}}],
            Figures(5, 0),
        ),
        (
            "gemini",
            [
                {
                    "usageMetadata": {
                        "promptTokenCount": 5,
                        "toolUsePromptTokenCount": 2,
                        "cachedContentTokenCount": 1,
                        "candidatesTokenCount": 3,
                        "thoughtsTokenCount": 4,
                    }
                }
            ],
            Figures(7, 7, 1),
        ),
        ("chat", [{"usage": {"prompt_tokens": True, "completion_tokens": -1}}], Figures()),
        ("chat", [{"usage": {"prompt_tokens": "9", "completion_tokens": 1.5}}], Figures()),
        ("", [{"usage": {"input_tokens": 5, "output_tokens": 2}}], Figures(5, 2)),
    ],
)
def test_caches_thoughts_and_tools_are_counted_as_each_provider_means_them(
    shape: Any, parts: list[Any], figures: Figures
) -> None:
    meter = Meter(shape)
    for each in parts:
        meter.take(each)
    assert meter.figures == figures


@pytest.mark.parametrize(
    ("method", "path", "body", "found"),
    [
        ("POST", "/v1/messages", b'{"model": "m"}', ("turn", "anthropic", "m")),
        ("POST", "/v1/messages/count_tokens", b"", ("free", "anthropic", "")),
        ("POST", "/v1/responses", b'{"model": "m"}', ("turn", "responses", "m")),
        ("GET", "/v1/responses/id", b"", ("free", "", "")),
        ("POST", "/v1/chat/completions", b'{"model": "m"}', ("turn", "chat", "m")),
        (
            "POST",
            "/v1beta/models/g-1:streamGenerateContent",
            b'{"model": "other"}',
            ("turn", "gemini", "g-1"),
        ),
        ("POST", "/v1beta/models/g-1:countTokens", b"{}", ("free", "gemini", "")),
        ("POST", "/v1beta/models/g-1:batchEmbedContents", b"{}", ("other", "gemini", "g-1")),
        ("POST", "/v1/audio/speech", b'{"model": "m"}', ("other", "", "m")),
        ("POST", "/v1/files", b"--form", ("other", "", "")),
        ("DELETE", "/v1/files/1", b"", ("other", "", "")),
    ],
)
def test_a_request_is_known_by_its_address_and_its_model(
    method: str, path: str, body: bytes, found: tuple[str, str, str]
) -> None:
    asked = asking.read(method, path, body)
    assert (asked.kind, asked.shape, asked.model) == found


@settings(max_examples=60, deadline=None)
@given(
    st.binary(max_size=80),
    st.sampled_from(["/v1/messages", "/v1/x", "/v1beta/models/%41:generateContent"]),
)
def test_a_request_is_read_in_one_way_or_not_at_all(body: bytes, path: str) -> None:
    try:
        asked = asking.read("POST", path, body)
    except asking.Unreadable:
        return
    assert not asked.body or json.loads(body) == asked.body


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40).map(lambda text: f"/{text}"))
def test_a_plain_path_means_itself_and_nothing_above(path: str) -> None:
    if headers.plain_path(path):
        assert path.isascii()
        assert not {"", ".", ".."} & set(path.split("/")[1:-1])


@pytest.mark.parametrize("shape", [*WIRES, ""])
@pytest.mark.parametrize("cause", refusals.STATUS)
def test_every_refusal_says_why(shape: Any, cause: Any) -> None:
    assert "because" in json.dumps(refusals.body(shape, cause, "because"))


@pytest.mark.parametrize(
    ("given_headers", "body", "seconds"),
    [
        ({"retry-after": "30"}, b"", 30.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, b"", 1.5),
        ({"retry-after": "Sun, 01 Mar 2026 12:10:00 GMT"}, b"", 600.0),
        (
            {"anthropic-ratelimit-unified-reset": str(int((NOW + timedelta(hours=5)).timestamp()))},
            b"",
            18000.0,
        ),
        (
            {
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2026-03-01T12:01:00Z",
            },
            b"",
            60.0,
        ),
        (
            {
                "anthropic-ratelimit-requests-remaining": "7",
                "anthropic-ratelimit-requests-reset": "2026-03-01T12:01:00Z",
            },
            b"",
            None,
        ),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0.5s"}, b"", 360.5),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "12ms"}, b"", 0.012),
        ({}, b'{"error": {"type": "usage_limit_reached", "resets_in_seconds": 7200}}', 7200.0),
        ({}, b'{"error": {"details": [{"@type": "x"}, {"retryDelay": "34s"}]}}', 34.0),
        ({"retry-after": "soon"}, b"{", None),
        ({"retry-after": "99999999"}, b"", None),
        ({}, b'{"error": "no"}', None),
    ],
)
def test_when_a_provider_will_answer_again_is_found_wherever_it_says_so(
    given_headers: dict[str, str], body: bytes, seconds: float | None
) -> None:
    assert retry_after(given_headers, body, NOW) == (
        None if seconds is None else pytest.approx(seconds)
    )
