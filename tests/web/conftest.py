"""One small project whose run waits at a gate, and the dashboard in front of it."""

from __future__ import annotations

import html
import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient
from tests.fakes.project import Project

from podium.web.access import Access
from podium.web.pages import links
from podium.web.routes import application
from podium.web.serving import Served, Wanted
from podium.web.site import Site

PORT = 8790
BASE = f"http://127.0.0.1:{PORT}"
GATE = "approve-build"


@dataclass
class Desk:
    """A project, its dashboard, and somebody who was let in."""

    project: Project
    site: Site
    client: TestClient

    @property
    def run(self) -> str:
        return self.project.run_id

    @property
    def csrf(self) -> str:
        visitor = self.site.access.visitor(dict(self.client.cookies))
        assert visitor is not None
        return visitor.csrf

    def seen(self, gate: str = GATE) -> str:
        """What the gate's page says it showed."""
        page = self.client.get(links.gate(self.run, gate)).text
        found = re.search(r"""name="seen" value=(["'])(.*?)\1""", page, re.DOTALL)
        assert found is not None, page
        return html.unescape(found[2])

    def post(self, path: str, **fields: str) -> httpx.Response:
        return self.client.post(path, data={"csrf": self.csrf, **fields}, headers={"origin": BASE})

    def decide(self, how: str, gate: str = GATE, **fields: str) -> httpx.Response:
        told = {"seen": self.seen(gate), **fields} if "seen" not in fields else fields
        return self.post(f"{links.gate(self.run, gate)}/{how}", **told)


def stranger(site: Site) -> TestClient:
    """A browser that nobody let in."""
    return TestClient(
        application(site, [f"127.0.0.1:{PORT}"]), base_url=BASE, follow_redirects=False
    )


def enter(site: Site) -> TestClient:
    client = stranger(site)
    assert client.get("/", params={"token": site.access.new_token()}).status_code == 303
    return client


def desk_of(project: Project) -> Desk:
    site = Site(project.root, Access(PORT, who="Ada"), {**project.environ, "PODIUM_USER": "Ada"})
    return Desk(project, site, enter(site))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A run that waits for a person before Build; each test has its own."""
    project = Project.at(tmp_path)
    ended = project.run()
    assert ended.gates == (GATE,), ended
    made = desk_of(project)
    yield made
    _let_go(made.site)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The same for tests that only look."""
    project = Project.at(tmp_path_factory.mktemp("shown"))
    project.run()
    made = desk_of(project)
    yield made
    _let_go(made.site)


def _let_go(site: Site) -> None:
    site.index.end()


@dataclass
class Running:
    """A real server on a real socket."""

    served: Served
    client: httpx.Client

    @property
    def port(self) -> int:
        return self.served.port


def serve(root: Path, environ: dict[str, str], **wanted: Any) -> Iterator[Running]:
    served = Served(Wanted(root, "Ada", **wanted), environ, lambda _link: None)
    thread = threading.Thread(target=served.run, daemon=True)
    thread.start()
    with httpx.Client(base_url=served.address, timeout=20) as client:
        for _ in range(200):
            try:
                client.get("/static/none")
                break
            except httpx.TransportError:
                time.sleep(0.05)
        if not served.access.remote:
            assert (
                client.get(served.link().removeprefix(served.address.rstrip("/"))).status_code
                == 303
            )
        yield Running(served, client)
    served.stop()
    thread.join(15)
    assert not thread.is_alive()


def lines(journal: Path) -> list[dict[str, Any]]:
    return [json.loads(raw) for raw in journal.read_text().splitlines()]
