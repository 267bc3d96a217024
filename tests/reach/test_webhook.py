"""Posts that a receiver can trust, and what happens where it does not take them."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from typing import Any

import pytest
from tests.reach.receiver import receiving

from podium.reach.channel import Undelivered
from podium.reach.notice import About, trial
from podium.reach.webhook import Webhook

NOTICE = trial(About("T1-a", "harness", "T1 — «Export»"), "2026-03-01T12:00:00Z")
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "notify.md"


def hook(
    url: str, *, secret_env: str = "HOOK", slept: list[float] | None = None, timeout_s: float = 5
) -> Webhook:
    pauses = [] if slept is None else slept
    return Webhook(url, secret_env, timeout_s, {"HOOK": "s3cret-s3cret"}, sleep=pauses.append)


def documented() -> Any:
    """The function that the page shows, as a receiver would copy it."""
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    names: dict[str, Any] = {}
    exec(found[1], names)
    return names["from_podium"]


def test_the_documented_check_accepts_what_is_sent_and_nothing_else() -> None:
    with receiving() as receiver:
        hook(f"{receiver.url}/in?x=1").send(NOTICE)
    ((path, headers, body),) = receiver.heard
    check = documented()
    assert path == "/in?x=1"
    assert check("s3cret-s3cret", headers, body)
    assert not check("another", headers, body)
    assert not check("s3cret-s3cret", headers, body + b" ")
    assert not check(
        "s3cret-s3cret",
        {**headers, "Podium-Timestamp": str(int(headers["Podium-Timestamp"]) - 1)},
        body,
    )
    old = Webhook(
        receiver.url, "HOOK", 5, {"HOOK": "s3cret-s3cret"}, clock=lambda: 1000.0
    )._headers(body, "x")
    assert not check("s3cret-s3cret", old, body)
    assert json.loads(body)["title"] == "T1 — «Export»"
    assert headers["Podium-Delivery"] == json.loads(body)["id"] == NOTICE.id


def test_nothing_is_sent_unsigned_where_a_secret_is_named() -> None:
    with receiving() as receiver, pytest.raises(Undelivered, match="OTHER is not set"):
        hook(receiver.url, secret_env="OTHER").send(NOTICE)
    assert receiver.heard == []


def test_a_receiver_that_is_busy_is_asked_again() -> None:
    slept: list[float] = []
    with receiving() as receiver:
        receiver.answers = [503, 429]
        hook(receiver.url, slept=slept).send(NOTICE)
    assert len(receiver.heard) == 3
    assert slept == [1.0, 4.0]
    assert {headers["Podium-Delivery"] for _, headers, _ in receiver.heard} == {NOTICE.id}


def test_three_refusals_are_the_end() -> None:
    with receiving() as receiver:
        receiver.answers = [500] * 9
        with pytest.raises(Undelivered, match=r"127\.0\.0\.1 answered 500 \(3 times\)"):
            hook(receiver.url).send(NOTICE)
    assert len(receiver.heard) == 3


@pytest.mark.parametrize(
    ("answer", "words"),
    [(404, "answered 404"), (302, "redirects are not followed"), (0, "did not answer")],
)
def test_what_may_have_arrived_or_never_will_is_not_repeated(answer: int, words: str) -> None:
    with receiving() as receiver:
        receiver.answers = [answer]
        with pytest.raises(Undelivered, match=words):
            hook(receiver.url).send(NOTICE)
    assert len(receiver.heard) == 1


def test_a_receiver_that_hangs_costs_one_time_limit() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(Undelivered, match="timed out"):
            hook(f"http://127.0.0.1:{port}", timeout_s=0.2).send(NOTICE)


def test_nobody_there_is_told_with_the_host_and_without_the_path() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(Undelivered) as told:
        hook(f"http://127.0.0.1:{port}/services/T0KEN").send(NOTICE)
    assert "no connection to 127.0.0.1" in str(told.value)
    assert "T0KEN" not in str(told.value)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host/x",
        "https:///x",
        "host",
        "https://user:word@host/",
        "https://host/a b",
        "http://[::1",
        "http://h:99999/",
        "https://h/\nX: y",
    ],
)
def test_an_address_that_cannot_be_is_refused(url: str) -> None:
    with pytest.raises(Undelivered, match=r"\[notify\] webhook"):
        hook(url).send(NOTICE)
