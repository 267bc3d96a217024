"""The guard in front of an application that says yes to everything."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from podium.web import guard

HOST = "127.0.0.1:8790"
OWN = {"origin": f"http://{HOST}"}


async def _yes(request: Request) -> Response:
    return PlainTextResponse((await request.body()).decode() or "yes")


@pytest.fixture
def client() -> TestClient:
    app = Starlette(routes=[Route("/{rest:path}", _yes, methods=["GET", "POST", "DELETE"])])
    return TestClient(guard.Guard(app, [HOST, "localhost:8790"]), base_url=f"http://{HOST}")


def test_our_own_name_is_answered(client: TestClient) -> None:
    assert client.get("/").text == "yes"
    assert client.get("/", headers={"host": "LOCALHOST:8790"}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        "evil.example:8790",
        "127.0.0.1:8790.evil.example",
        "",
    ],
)
def test_a_page_that_reaches_us_under_another_name_is_refused(
    client: TestClient, host: str
) -> None:
    assert client.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "null"},
        {"origin": "http://evil.example"},
        {"origin": "https://127.0.0.1:8790"},
        {"origin": "http://127.0.0.1:8791"},
        {"origin": "http://127.0.0.1:8790.evil.example"},
        {**OWN, "sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
    ],
)
def test_a_form_from_elsewhere_is_refused(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/", data={"a": "b"}, headers=headers).status_code == 403


@pytest.mark.parametrize(
    "headers", [OWN, {"sec-fetch-site": "same-origin"}, {**OWN, "sec-fetch-site": "same-origin"}]
)
def test_a_form_of_our_own_is_taken_whole(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/", data={"a": "b"}, headers=headers).text == "a=b"


def test_another_site_may_link_here_and_read_nothing(client: TestClient) -> None:
    assert (
        client.get(
            "/", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
        ).status_code
        == 403
    )
    assert (
        client.get(
            "/", headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
        ).status_code
        == 200
    )


def test_a_body_that_is_no_form_is_refused(client: TestClient) -> None:
    assert client.post("/", json={"a": "b"}, headers=OWN).status_code == 415
    assert (
        client.post("/", content=b"a=b", headers={**OWN, "content-type": "text/plain"}).status_code
        == 415
    )


def test_a_body_that_is_too_long_is_refused_whether_it_says_so_or_not(client: TestClient) -> None:
    form = {**OWN, "content-type": guard.FORM}
    assert client.post("/", content=b"a" * (guard.MOST_BODY + 1), headers=form).status_code == 413
    unsaid = client.post("/", content=iter([b"a" * guard.MOST_BODY, b"aa"]), headers=form)
    assert unsaid.status_code == 413
    assert (
        client.post("/", content=b"", headers={**form, "content-length": "-1"}).status_code == 413
    )


def test_an_endless_address_is_refused(client: TestClient) -> None:
    assert client.get("/" + "a" * guard.MOST_PATH).status_code == 414
    assert client.get("/?" + "a" * (guard.MOST_QUERY + 1)).status_code == 414


@pytest.mark.parametrize("method", ["DELETE", "PUT", "OPTIONS", "TRACE"])
def test_only_reading_and_forms_are_answered(client: TestClient, method: str) -> None:
    assert client.request(method, "/").status_code == 405


def test_every_answer_tells_the_browser_what_it_may_do(client: TestClient) -> None:
    for answer in (client.get("/"), client.get("/", headers={"host": "evil.example"})):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "script-src 'self';" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"


def test_the_nonce_is_another_one_each_time(client: TestClient) -> None:
    assert (
        client.get("/").headers["content-security-policy"]
        != client.get("/").headers["content-security-policy"]
    )


def test_a_form_that_comes_too_slowly_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_S", 0.05)
    headers = [
        (b"host", HOST.encode()),
        (b"origin", OWN["origin"].encode()),
        (b"content-type", guard.FORM.encode()),
        (b"content-length", b"10"),
    ]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "raw_path": b"/",
        "query_string": b"",
        "headers": headers,
    }
    sent: list[Any] = []

    async def receive() -> Any:
        await asyncio.sleep(5)

    async def send(message: Any) -> None:
        sent.append(message)

    async def never(*_: Any) -> None:
        raise AssertionError("it was let through")

    asyncio.run(guard.Guard(never, [HOST])(scope, receive, send))
    assert sent[0]["status"] == 408
