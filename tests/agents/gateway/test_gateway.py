"""The gateway before a scripted model: counts are exact, keys stay, bounds hold."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.agents.gateway.worlds import KEY, SHAPES, World, body, client, path, run, talk
from tests.agents.jobs import until

from podium.agents.gateway.budgets import Cap, Purse
from podium.agents.gateway.counting import Counted, Price
from podium.agents.gateway.providers import Route
from podium.agents.gateway.proxy import LARGEST_BODY
from podium.agents.scripted_model.script import Refusal, Run, Script, Step, Tokens, Write
from podium.agents.serving import Listener, loopback, port_of


@pytest.mark.parametrize("options", [(), ("stream",), ("stream", "usage")])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_count_is_the_models_own_for_every_shape(
    tmp_path: Path, shape: str, options: tuple[str, ...]
) -> None:
    async def test(world: World) -> None:
        async with world.admitted(shape) as pass_:
            code, said, errors = await talk(
                pass_, shape, f"[[script:hello cwd={tmp_path}]]", tmp_path, *options
            )
            assert (code, said) == (0, "Done: hello.txt written."), errors
        assert (pass_.used.tokens_in, pass_.used.tokens_out, pass_.used.calls) == (2100, 101, 2)
        assert (pass_.used.guessed_in, pass_.used.guessed_out, len(pass_.used.models)) == (0, 0, 1)
        assert world.model.total == Tokens(2100, 101)
        assert {each.key for each in world.model.calls} == {KEY}
        assert (tmp_path / "hello.txt").exists()

    run(test)


FAULTS = Script(
    (Step(acts=(Write("a.txt", "a" * 3000),), refuse=Refusal(529, 2), cut=3), Step("done"))
)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_cut_answers_and_retries_said_of_their_cost_is_counted_and_the_rest_guessed(
    tmp_path: Path, shape: str
) -> None:
    async def test(world: World) -> None:
        async with world.admitted(shape) as pass_:
            code, said, errors = await talk(pass_, shape, "go", tmp_path, "stream")
            assert (code, said) == (0, "done"), errors
        assert [each.status for each in world.model.calls] == [529, 529, 200, 200, 200]
        assert (pass_.used.tokens_in, pass_.used.tokens_out) == (
            world.model.total.tokens_in,
            world.model.total.tokens_out,
        )
        assert (pass_.used.calls, pass_.used.refused) == (5, 0)
        assert pass_.used.guessed_out > 0, "what came before the cut was made by a model, too"
        assert (pass_.used.guessed_in > 0) == (shape != "anthropic"), (
            "which alone tells the cost of its input first"
        )

    run(test, FAULTS)


@pytest.mark.parametrize("shape", SHAPES)
def test_an_answer_in_one_piece_that_is_cut_is_guessed(shape: str) -> None:
    async def test(world: World) -> None:
        async with world.admitted(shape) as pass_:
            with pytest.raises(httpx.RemoteProtocolError):
                await world.ask(pass_, shape)
            await world.ask(pass_, shape)
        assert (pass_.used.tokens_in, pass_.used.tokens_out) == (1000, 50)
        assert pass_.used.guessed_in > 0

    run(test, Script((Step("words", cut=1, tokens=Tokens(1000, 50)),)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("stream", [False, True])
def test_the_bytes_of_an_answer_are_those_of_the_model(shape: str, *, stream: bool) -> None:
    async def test(world: World) -> None:
        more = {"stream_options": {"include_usage": True}} if shape == "chat" and stream else {}
        async with world.admitted(shape) as pass_:
            through = await world.ask(pass_, shape, stream=stream, **more)
        async with httpx.AsyncClient(base_url=world.model.url, trust_env=False) as there:
            direct = await there.post(
                path(shape, stream=stream), json=body(shape, stream=stream, **more)
            )
        assert through.content == direct.content
        assert through.headers["content-type"] == direct.headers["content-type"]

    run(test)


def test_a_streamed_chat_that_did_not_ask_for_its_cost_does_not_see_it() -> None:
    async def test(world: World) -> None:
        async with world.admitted("chat") as pass_:
            said = await world.ask(pass_, "chat", stream=True)
        assert pass_.used.tokens == 1050
        assert "usage" not in said.text
        assert said.text.endswith("data: [DONE]\n\n")
        assert world.model.calls[0].body["stream_options"] == {"include_usage": True}

    run(test)


def test_parts_are_passed_on_as_they_come() -> None:
    async def test(world: World) -> None:
        asked = body("anthropic", stream=True)
        async with (
            world.admitted() as pass_,
            client(pass_) as there,
            there.stream("POST", "/v1/messages", json=asked) as answer,
        ):
            seen = [asyncio.get_running_loop().time() async for _ in answer.aiter_raw()]
        assert len(seen) >= 4
        assert seen[-1] - seen[0] > 0.3, "a buffer would give all at once"

    run(test, Script((Step("words", pace=0.1),)))


# -- who may pass


def test_a_wrong_token_no_token_and_the_token_of_another_dispatch_are_refused() -> None:
    async def test(world: World) -> None:
        async with world.admitted() as mine, world.admitted() as other:
            for token in ("wrong", other.token, mine.token[:-1], f"{mine.token}x"):
                assert (await world.ask(mine, token=token)).status_code == 401
            transport = httpx.AsyncHTTPTransport(uds=str(mine.socket), verify=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://g") as there:
                refused = await there.post("/v1/messages", json=body("anthropic"))
            assert refused.json()["error"]["type"] == "authentication_error"
            assert (await world.ask(mine)).status_code == 200
        assert len(world.model.calls) == 1
        assert (mine.used.calls, mine.used.refused) == (1, 5)

    run(test)


@pytest.mark.parametrize("how", ["x-api-key", "authorization", "x-goog-api-key", "query"])
def test_the_token_is_found_wherever_a_client_puts_it_and_goes_no_further(how: str) -> None:
    async def test(world: World) -> None:
        async with (
            world.admitted() as pass_,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{pass_.port}", trust_env=False) as there,
        ):
            headers = (
                {}
                if how == "query"
                else {how: f"Bearer {pass_.token}" if how == "authorization" else pass_.token}
            )
            place = (
                f"/v1/messages?beta=true&key={pass_.token}"
                if how == "query"
                else "/v1/messages?beta=true"
            )
            assert (
                await there.post(place, json=body("anthropic"), headers=headers)
            ).status_code == 200
        assert pass_.token not in repr(world.model.calls[0])
        assert world.model.calls[0].path == "/v1/messages?beta=true"

    run(test)


def test_after_the_end_of_a_dispatch_nobody_listens_any_more() -> None:
    async def test(world: World) -> None:
        async with world.admitted() as pass_:
            assert (await world.ask(pass_)).status_code == 200
        with pytest.raises(httpx.ConnectError):
            await world.ask(pass_)
        with socket.socket() as there, pytest.raises(ConnectionRefusedError):
            there.connect(("127.0.0.1", pass_.port))

    run(test)


def test_a_connection_that_outlives_its_dispatch_is_cut() -> None:
    async def test(world: World) -> None:
        async with world.admitted() as pass_:
            there = client(pass_)
            slow = asyncio.ensure_future(there.post("/v1/messages", json=body("anthropic")))
            assert await asyncio.to_thread(until, lambda: bool(world.model.calls))
        with pytest.raises(httpx.TransportError):
            await slow
        await there.aclose()
        assert await asyncio.to_thread(until, lambda: world.model.calls[0].left)

    run(test, Script((Step("late", delay=60),)))


def test_socket_and_folder_are_the_owners_alone_and_are_gone_afterwards() -> None:
    async def test(world: World) -> None:
        async with world.admitted(tcp=False) as pass_:
            assert pass_.socket is not None
            assert pass_.port == 0
            assert pass_.socket.stat().st_mode & 0o777 == 0o600
            assert pass_.socket.parent.stat().st_mode & 0o777 == 0o700
            assert len(str(pass_.socket)) < 100
        world.left.append(pass_.socket.parent)

    assert not run(test).left[0].exists()


# -- which models


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        ("anthropic", "not_found_error"),
        ("responses", "model_not_found"),
        ("chat", "model_not_found"),
        ("gemini", "NOT_FOUND"),
    ],
)
def test_a_model_that_is_not_on_the_list_is_refused_in_the_words_of_its_provider(
    shape: str, kind: str
) -> None:
    async def test(world: World) -> None:
        async with world.admitted(shape, models=("good", "fine-*")) as pass_:
            refused = await world.ask(pass_, shape, model="dear")
            assert (refused.status_code, "good, fine-*" in refused.text, kind in refused.text) == (
                404,
                True,
                True,
            )
        assert world.model.calls == []

    run(test)


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b'{"model": "good"}', 200),
        (b'{"model": "fine-1"}', 200),
        (b'{"model": "dear"}', 404),
        (b'{"model": "good", "model": "dear"}', 400),
        (b'{"model": "dear", "model": "good"}', 400),
        (b'{"model": "good", "models": ["dear"]}', 404),
        (b'{"model": "good", "fallbacks": [{"model": "dear"}]}', 404),
        (b'{"model": "good", "tools": [{"type": "image_generation", "model": "dear"}]}', 404),
        (
            (
                b'{"model": "good", "tools": [{"name": "car", "input_schema": {"properties": '
                b'{"model": {"type": "string"}}}}]}'
            ),
            200,
        ),
        (b'{"model": "good", "Model": "dear"}', 400),
        ('{"model": "good", "model\u017f": ["dear"]}'.encode(), 400),
        (b'{"model": "good", "Background": true}', 400),
        ('{"model": "good"}'.encode("utf-16"), 400),
        (b'{"model": ["dear"]}', 400),
        (b"{}", 400),
        (b"[]", 400),
        (b"", 400),
        (b"model=dear", 400),
        (b'{"model": "good", "background": true}', 400),
    ],
)
def test_no_way_of_writing_a_request_gets_around_the_list(content: bytes, status: int) -> None:
    async def test(world: World) -> None:
        async with world.admitted(models=("good", "fine-*")) as pass_, client(pass_) as there:
            assert (await there.post("/v1/messages", content=content)).status_code == status
        assert len(world.model.calls) == (status == 200)

    run(test)


# -- headers, bodies, paths


def test_no_key_and_nothing_of_the_connection_goes_up_and_no_cookie_comes_down() -> None:
    async def test(world: World) -> None:
        given = {
            "authorization": "Bearer stolen",
            "cookie": "session=1",
            "proxy-authorization": "x",
            "x-secret-thing": "1",
            "x-forwarded-for": "9.9.9.9",
            "connection": "close, x-hop",
            "x-hop": "1",
            "te": "trailers",
            "forwarded": "for=1",
            "x-http-method-override": "DELETE",
            "openai-organization": "other",
            "anthropic-version": "2023-06-01",
            "anthropic-beta": "tools",
            "user-agent": "agent/1",
            "accept-encoding": "br",
            "host": "evil.example",
        }
        async with world.admitted() as pass_, client(pass_) as there:
            assert (
                await there.post("/v1/messages", json=body("anthropic"), headers=given)
            ).status_code == 200
        got = world.model.calls[0].headers
        assert {
            name: got[name]
            for name in (
                "x-api-key",
                "anthropic-version",
                "anthropic-beta",
                "user-agent",
                "accept-encoding",
            )
        } == {
            "x-api-key": KEY,
            "anthropic-version": "2023-06-01",
            "anthropic-beta": "tools",
            "user-agent": "agent/1",
            "accept-encoding": "identity",
        }
        gone = {
            "authorization",
            "cookie",
            "proxy-authorization",
            "x-secret-thing",
            "x-forwarded-for",
            "x-hop",
            "te",
            "forwarded",
            "openai-organization",
            "x-http-method-override",
        }
        assert not gone & set(got)
        assert got["host"].startswith("127.0.0.1:")

    run(test)


@pytest.mark.parametrize(
    "target",
    [
        "/v1/../admin",
        "/v1/%2e%2e/admin",
        "/v1//messages",
        "//evil.example/v1/messages",
        "http://evil.example/v1/messages",
        "/v1/messages%2f..",
        "/v1/mess\\ages",
        "/./v1/messages",
        "/v1/messages%00",
        "/@evil.example/",
    ],
)
def test_a_path_that_two_servers_could_read_differently_goes_nowhere(target: str) -> None:
    async def test(world: World) -> None:
        async with world.admitted() as pass_:
            reader, writer = await asyncio.open_unix_connection(str(pass_.socket))
            data = json.dumps(body("anthropic"))
            lines = [
                f"POST {target} HTTP/1.1",
                "host: g",
                f"x-api-key: {pass_.token}",
                f"content-length: {len(data)}",
                "connection: close",
                "",
                data,
            ]
            writer.write("\r\n".join(lines).encode())
            said = await reader.read()
            writer.close()
        assert said.startswith((b"HTTP/1.1 400", b"HTTP/1.1 404"))
        assert [each for each in world.model.calls if each.status == 200] == []

    run(test)


@pytest.mark.parametrize(
    "smuggled",
    [
        "content-length: 4\r\ntransfer-encoding: chunked",
        "content-length: 4\r\ncontent-length: 40",
        "transfer-encoding: chunked\r\ntransfer-encoding: identity",
        "x: 1\r\n folded: 1\r\ncontent-length: 4",
    ],
)
def test_a_request_within_a_request_is_not_passed_on(smuggled: str) -> None:
    async def test(world: World) -> None:
        async with world.admitted() as pass_:
            reader, writer = await asyncio.open_unix_connection(str(pass_.socket))
            inner = f"POST /v1/messages HTTP/1.1\r\nhost: g\r\nx-api-key: {KEY}\r\n\r\n"
            writer.write(
                (
                    f"POST /v1/messages HTTP/1.1\r\nhost: g\r\nx-api-key: {pass_.token}\r\n"
                    f"connection: close\r\n{smuggled}\r\n\r\n0\r\n\r\n{inner}"
                ).encode()
            )
            await reader.read()
            writer.close()
        assert world.model.calls == []

    run(test)


def test_a_body_that_is_too_large_is_refused_whether_it_says_so_or_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("podium.agents.gateway.proxy.LARGEST_BODY", 100_000)

    async def long() -> Any:
        for _ in range(40):
            yield b"x" * 10_000

    async def test(world: World) -> None:
        async with world.admitted() as pass_, client(pass_) as there:
            assert (await there.post("/v1/messages", content=b"x" * 200_000)).status_code == 413
            assert (await there.post("/v1/messages", content=long())).json()["error"][
                "type"
            ] == "request_too_large"
        assert world.model.calls == []
        assert LARGEST_BODY >= 32 * 1024 * 1024

    run(test)


def test_a_large_prompt_passes() -> None:
    async def test(world: World) -> None:
        async with world.admitted() as pass_:
            assert (await world.ask(pass_, text="x" * 5_000_000)).status_code == 200
        assert len(world.model.calls[0].body["messages"][0]["content"]) == 5_000_000

    run(test)


def test_a_packed_body_and_an_upgrade_are_refused() -> None:
    async def test(world: World) -> None:
        async with world.admitted() as pass_, client(pass_) as there:
            assert (
                await there.post("/v1/messages", content=b"x", headers={"content-encoding": "gzip"})
            ).status_code == 400
            asked = {
                "connection": "upgrade",
                "upgrade": "websocket",
                "sec-websocket-key": "x",
                "sec-websocket-version": "13",
            }
            assert (await there.get("/v1/responses", headers=asked)).status_code == 404, (
                "the model's own answer to a GET"
            )
        assert "upgrade" not in world.model.calls[0].headers

    run(test)


# -- budgets


def test_the_call_after_the_one_that_used_up_the_budget_is_refused() -> None:
    async def test(world: World) -> None:
        async with world.admitted(cap=Cap(tokens=2000)) as pass_:
            assert [(await world.ask(pass_)).status_code for _ in range(4)] == [200, 200, 403, 403]
            assert pass_.exhausted.is_set()
        assert pass_.stopped == "budget: the step has used 2100 of 2000 tokens"
        assert len(world.model.calls) == 2

    run(test)


def test_a_run_shares_its_budget_among_its_dispatches_and_with_what_it_used_before() -> None:
    async def test(world: World) -> None:
        async with world.admitted() as first, world.admitted("chat") as second:
            assert (await world.ask(first)).status_code == 200
            assert (await world.ask(second, "chat", stream=True)).status_code == 200
            refused = await world.ask(first)
            assert (refused.status_code, refused.json()["error"]["type"]) == (
                403,
                "permission_error",
            )
            assert (await world.ask(second, "chat")).json()["error"]["code"] == "insufficient_quota"
        async with world.admitted("gemini") as third:
            assert (await world.ask(third, "gemini")).json()["error"][
                "status"
            ] == "PERMISSION_DENIED"

    run(test, purse=Purse(Cap(tokens=5000), tokens=3000))


def test_an_agent_in_a_loop_is_stopped_within_one_call(tmp_path: Path) -> None:
    async def test(world: World) -> None:
        async with world.admitted("responses", cap=Cap(tokens=3000)) as pass_:
            code, _, errors = await talk(pass_, "responses", "go", tmp_path)
        assert (code, "has used 3000 of 3000 tokens" in errors) == (1, True)
        assert len(world.model.calls) == 3

    run(test, Script((Step(acts=(Run("true"),), tokens=Tokens(900, 100)),), loop=True))


def test_a_cap_on_cost_needs_prices_and_holds_with_them() -> None:
    async def test(world: World) -> None:
        async with world.admitted(cap=Cap(cost_usd=0.01)) as bare:
            assert (await world.ask(bare)).status_code == 403
            assert "no price" in bare.stopped
        prices = {"m": Price(3.0, 15.0)}
        async with world.admitted(cap=Cap(cost_usd=0.0075), prices=prices) as pass_:
            assert [(await world.ask(pass_)).status_code for _ in range(3)] == [200, 200, 403]
        assert pass_.used.cost_usd == pytest.approx(2 * (1000 * 3 + 50 * 15) / 1e6)

    run(test)


def test_an_agent_that_hangs_up_early_pays_by_the_length_of_what_it_got() -> None:
    async def test(world: World) -> None:
        async with world.admitted("chat", cap=Cap(tokens=1000)) as pass_, client(pass_) as there:
            async with there.stream("POST", path("chat"), json=body("chat", stream=True)) as answer:
                got = 0
                async for part in answer.aiter_raw():
                    got += len(part)
                    if got > 9000:
                        break
            assert await asyncio.to_thread(until, lambda: pass_.used.calls == 1)
            assert pass_.used.tokens_in == 0
            assert pass_.used.guessed_out >= 2000, "about four bytes to a token"
            assert (await there.post(path("chat"), json=body("chat"))).status_code == 403
        assert world.model.calls[0].left

    run(test, Script((Step("x" * 10_000, pace=0.2),)))


def test_an_agent_that_hangs_up_before_the_answer_begins_pays_for_what_it_asked() -> None:
    async def test(world: World) -> None:
        async with world.admitted("chat", cap=Cap(tokens=1000)) as pass_, client(pass_) as there:
            with pytest.raises(httpx.ReadTimeout):
                await there.post(path("chat"), json=body("chat", text="x" * 10_000), timeout=0.3)
            assert await asyncio.to_thread(until, lambda: pass_.used.calls == 1)
            assert pass_.used.guessed_in >= 2000
            assert (await there.post(path("chat"), json=body("chat"))).status_code == 403
        async with world.admitted("chat") as pass_, client(pass_) as there:
            asking = asyncio.ensure_future(there.post(path("chat"), json=body("chat")))
            assert await asyncio.to_thread(until, lambda: len(world.model.calls) == 2)
        await asyncio.gather(asking, return_exceptions=True)
        assert pass_.used.calls == 1, "a call that was under way at the end of its dispatch"
        assert pass_.used.guessed_in > 0

    run(test, Script((Step("late", delay=30),), loop=True))


def test_where_budgets_are_bounded_a_call_that_names_no_model_does_not_pass() -> None:
    async def test(world: World) -> None:
        async with world.admitted("chat", cap=Cap(tokens=10)) as pass_, client(pass_) as there:
            assert (
                await there.post("/v1/threads/t/runs", json={"assistant_id": "a"})
            ).status_code == 400
            assert (await there.get("/v1/models")).status_code == 200
        assert [each.path for each in world.model.calls] == ["/v1/models"]

    run(test)


# -- what the provider does


def test_an_unknown_address_passes_through_and_its_usage_is_unknown() -> None:
    async def test(world: World) -> None:
        async with world.admitted("chat") as pass_, client(pass_) as there:
            assert (await there.get("/v1/models")).json()["data"][0]["id"] == "scripted"
            assert pass_.used == Counted(calls=1)
            assert (await there.post("/v1/nothing", json={"model": "m"})).status_code == 404
            assert pass_.used.tokens == 0, "an error costs nothing"
            assert (await there.post("/v1/messages/count_tokens", json={})).status_code == 200
            assert pass_.used == Counted(calls=3)

    run(test)


@asynccontextmanager
async def provider(app: Any) -> AsyncIterator[str]:
    """One of a kind that nobody scripted."""
    listening, listener = loopback(), Listener(app)
    await listener.open(listening)
    yield f"http://127.0.0.1:{port_of(listening)}"
    await listener.close()


async def agrees(_scope: Any, _receive: Any, send: Any) -> None:
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"content-type", b"application/json")],
        }
    )
    await send({"type": "http.response.body", "body": b'{"fine": true}'})


def test_a_provider_that_nobody_knows_is_asked_and_its_usage_is_unknown_until_a_cap_needs_it() -> (
    None
):
    async def test(world: World) -> None:
        async with provider(agrees) as address:
            route = Route("mistral", f"{address}/v1", KEY)
            async with world.gateway.admit("d", route) as pass_, client(pass_) as there:
                assert [
                    (await there.post("/v1/agents/completed", json={"model": "m"})).json()
                    for _ in range(2)
                ] == [{"fine": True}] * 2
            assert (pass_.used.tokens, pass_.used.calls, pass_.used.cost_usd) == (None, 2, None)
            async with (
                world.gateway.admit("d", route, own=Purse(Cap(tokens=9))) as pass_,
                client(pass_) as there,
            ):
                assert [
                    (await there.post("/v1/agents/completed", json={"model": "m"})).status_code
                    for _ in range(2)
                ] == [200, 403]
            assert "what was used is unknown" in pass_.stopped

    run(test)


def test_a_limit_is_passed_on_noted_and_cleared_by_the_next_good_answer() -> None:
    async def test(world: World) -> None:
        async with world.admitted() as pass_:
            refused = await world.ask(pass_)
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "3600")
            assert refused.json()["error"]["type"] == "rate_limit_error"
            failure = pass_.failure()
            assert failure is not None
            assert (failure.kind, failure.retry_after) == ("rate_limit", 3600.0)
            assert pass_.model().trouble() == failure
            assert (await world.ask(pass_)).status_code == 200
            assert pass_.failure() is None
        assert pass_.used.tokens == 1050

    run(test, Script((Step("words", refuse=Refusal(429, 1, 3600.0), tokens=Tokens(1000, 50)),)))


def test_a_key_that_the_provider_does_not_take_is_named_by_its_variable() -> None:
    async def test(world: World) -> None:
        async with world.admitted() as pass_:
            await world.ask(pass_)
            failure = pass_.failure()
            assert failure is not None
            assert failure.kind == "not_dispatchable"
            assert "REAL_KEY" in failure.detail
            assert KEY not in failure.detail

    run(test, Script((Step(refuse=Refusal(401, 9)),)))


def test_a_provider_that_is_not_there_or_says_nothing_is_an_error_of_the_gateway(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("podium.agents.gateway.upstream.SILENCE_S", 0.3)

    async def test(world: World) -> None:
        async with world.admitted() as pass_:
            late = await world.ask(pass_)
            assert (late.status_code, late.json()["error"]["type"]) == (504, "timeout_error")
        async with world.admitted(upstream="http://127.0.0.1:9") as pass_:
            gone = await world.ask(pass_)
            assert (gone.status_code, gone.json()["error"]["type"]) == (502, "api_error")
        assert (pass_.used.calls, pass_.used.refused) == (0, 1)

    class Elsewhere(World):
        def route(self, shape: str = "anthropic", *, upstream: str = "", **more: Any) -> Any:
            found = super().route(shape, **more)
            return found if not upstream else type(found)(found.provider, upstream, KEY)

    async def with_address(world: World) -> None:
        await test(Elsewhere(world.model, world.gateway))

    run(with_address, Script((Step("late", delay=30),)))


def test_an_error_that_repeats_the_key_is_passed_on_without_it() -> None:
    async def echo(scope: Any, receive: Any, send: Any) -> None:
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        await send(
            {
                "type": "http.response.start",
                "status": 401,
                "headers": [(b"content-type", b"text/plain")],
            }
        )
        await send(
            {"type": "http.response.body", "body": f"no such key: {headers['x-api-key']}".encode()}
        )

    async def test(world: World) -> None:
        async with (
            provider(echo) as address,
            world.gateway.admit("d", Route("anthropic", address, KEY)) as pass_,
        ):
            assert (await world.ask(pass_)).text == "no such key: [key]"

    run(test)


def test_thirty_agents_at_once_are_counted_each_by_itself() -> None:
    async def one(world: World, number: int) -> None:
        shape = SHAPES[number % 4]
        async with world.admitted(shape) as pass_:
            answers = await asyncio.gather(
                *(world.ask(pass_, shape, stream=bool(at % 2)) for at in range(3))
            )
            assert {each.status_code for each in answers} == {200}
        assert (pass_.used.tokens_in, pass_.used.tokens_out, pass_.used.calls) == (3000, 150, 3)

    async def test(world: World) -> None:
        await asyncio.gather(*(one(world, number) for number in range(30)))
        assert world.gateway.purses.parts[0].tokens == 90 * 1050
        assert len(world.model.calls) == 90

    run(test, Script((Step("words", delay=0.05, tokens=Tokens(1000, 50)),), loop=True))


def test_an_agent_that_floods_the_gateway_waits_for_itself_and_is_counted_all_the_same() -> None:
    async def test(world: World) -> None:
        async with world.admitted() as pass_, client(pass_) as there:
            answers = await asyncio.gather(
                *(there.post("/v1/messages", json=body("anthropic")) for _ in range(100))
            )
            assert {each.status_code for each in answers} == {200}
        assert (pass_.used.calls, pass_.used.tokens) == (100, 105_000)

    run(test)


def test_the_key_is_in_no_log_at_any_level(caplog: pytest.LogCaptureFixture) -> None:
    async def test(world: World) -> None:
        async with world.admitted() as pass_:
            assert (await world.ask(pass_, stream=True)).status_code == 200
            assert KEY not in f"{pass_!r} {pass_.route!r} {pass_.model()!r} {world.gateway!r}"
            assert pass_.token not in f"{pass_!r} {pass_.model()!r}"

    with caplog.at_level(logging.DEBUG):
        run(test)
    assert KEY not in caplog.text


GREP = r"""
import os, sys, json, urllib.request
found = [f"{name}={value}" for name, value in os.environ.items()]
for folder, _, names in os.walk(os.environ["HOME"]):
    for name in names:
        with open(os.path.join(folder, name), errors="replace") as file:
            found.append(file.read())
found.append(open("/proc/self/cmdline").read() + open("/proc/self/environ").read())
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "go"}]}).encode()
request = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", body, {"x-api-key": os.environ["ANTHROPIC_API_KEY"]})
with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
    found += [answer.read().decode(), str(answer.headers)]
print("\n".join(found))
"""  # noqa: E501


def test_an_agent_that_looks_everywhere_it_can_does_not_find_the_key(tmp_path: Path) -> None:
    async def test(world: World) -> None:
        async with world.admitted() as pass_:
            env = pass_.model().told(
                {
                    "PATH": os.environ["PATH"],
                    "HOME": str(tmp_path),
                    "REAL_KEY": KEY,
                    "ANTHROPIC_API_KEY": KEY,
                }
            )
            (tmp_path / "greedy.py").write_text(GREP)
            process = await asyncio.create_subprocess_exec(
                "python3", str(tmp_path / "greedy.py"), env=env, stdout=asyncio.subprocess.PIPE
            )
            seen, _ = await process.communicate()
        assert process.returncode == 0
        assert b"words" in seen, "it did reach its model"
        assert KEY.encode() not in seen
        assert world.model.calls[0].key == KEY

    run(test)
