"""`podium ui` over a fleet: a real server in this process, workers as real processes."""

from __future__ import annotations

import html
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from tests.fleet.workers import Site
from tests.web.conftest import Running, serve

from podium.web.pages import links

GATE = "approve-build"


@contextmanager
def dashboard(site: Site) -> Iterator[Running]:
    environ = {
        **site.environment(),
        "PYTHONPATH": os.pathsep.join(each for each in sys.path if each),
    }
    yield from serve(site.project, environ)


def raw(running: Running, path: str, status: int = 200) -> str:
    answer = running.client.get(path)
    assert answer.status_code == status, f"{path}: {answer.status_code}, {_words(answer.text)}"
    return answer.text


def _words(text: str) -> str:
    """What a page says, without its frame: of a first try that failed only the end is shown."""
    body = re.search(r"<main.*?</main>", text, re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body[0] if body else text)).split())[:600]


def page(running: Running, path: str, status: int = 200) -> str:
    return html.unescape(raw(running, path, status))


def field(text: str, name: str) -> str:
    found = re.search(rf"""name="{name}" value=(["'])(.*?)\1""", text, re.DOTALL)
    assert found is not None, text
    return html.unescape(found[2])


def post(running: Running, path: str, **fields: str) -> httpx.Response:
    csrf = field(raw(running, "/runs/" + path.split("/")[2]), "csrf")
    return running.client.post(
        path, data={"csrf": csrf, **fields}, headers={"origin": running.served.address.rstrip("/")}
    )


def decide(running: Running, run: str, how: str, gate: str = GATE, **fields: str) -> httpx.Response:
    text = raw(running, links.gate(run, gate))
    told = {"seen": field(text, "seen"), "opened": field(text, "opened"), **fields}
    return post(running, f"{links.gate(run, gate)}/{how}", **told)
