"""Every page for everybody: no serious finding of axe, nothing cut off on a phone, quick with
much to show.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import ViewportSize
from tests.fakes.project import WELL, Project
from tests.web.browsing import (
    Browser,
    Page,
    chromium,
    copy_runs,
    entered,
    overflow,
    serious,
    served,
    troubles,
)
from tests.web.conftest import GATE, Running, serve

from podium.core.chain import FIRST, seal

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]
__all__ = ["chromium"]

DESK: ViewportSize = {"width": 1280, "height": 720}
PHONE: ViewportSize = {"width": 360, "height": 740}
STEPS = 2_000
RUNS = 1_000
PAGES = {
    "list": "",
    "filtered": "?status=waiting&q=T001",
    "run": "runs/{run}",
    "step": "runs/{run}/steps/specification",
    "code": "runs/{run}/steps/build/1",
    "open gate": "runs/{run}/gates/approve-completion",
    "decided gate": f"runs/{{run}}/gates/{GATE}",
    "not here": "runs/nothing",
    "wide run": "runs/Wide",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project.at(tmp_path_factory.mktemp("pages"))
    made.run({"qa-review": [WELL]}, approve_all=False)
    made.approve(note="Go")
    made.resume()
    _wide(made, STEPS)
    return made


@pytest.fixture(scope="module")
def running(project: Project) -> Iterator[Running]:
    yield from served(project)


def _wide(project: Project, count: int) -> None:
    """A run of two thousand steps: the start of a real one, then one step after the other."""
    source, target = project.folder, project.folder.parent / "Wide"
    target.mkdir()
    (target / "request.json").write_bytes((source / "request.json").read_bytes())
    known = [json.loads(raw) for raw in (source / "journal.jsonl").read_bytes().splitlines()]
    first = next(at for at, each in enumerate(known) if each["type"] == "step.started")
    begin, end = known[first], next(each for each in known if each["type"] == "step.finished")
    facts = known[:first]
    for number in range(1, count + 1):
        minute = {
            "ts": (
                f"2026-03-01T{12 + number // 3600:02d}:{number // 60 % 60:02d}:"
                f"{number % 60:02d}.000Z"
            )
        }
        facts += [
            {**begin, "key": f"qa/{number}", "step": "qa", **minute},
            {**end, "key": f"qa/{number}", **minute},
        ]
    prev, lines = FIRST, []
    for seq, each in enumerate(facts, 1):
        body = {name: value for name, value in each.items() if name not in {"hash", "prev", "seq"}}
        sealed, line = seal({**body, "run": "Wide"}, seq, prev)
        prev = sealed["hash"]
        lines.append(line)
    (target / "journal.jsonl").write_bytes(b"".join(lines))


@pytest.fixture(scope="module")
def page(running: Running, chromium: Browser) -> Iterator[Page]:
    """One person walks from page to page."""
    made = entered(chromium, running)
    yield made
    made.context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_for_everybody(name: str, project: Project, running: Running, page: Page) -> None:
    """No serious finding of axe, and on a phone nothing to scroll sideways; tests/web/pages look
    at them by night.
    """
    said = troubles(page)
    page.set_viewport_size(DESK)
    page.goto(running.served.address + PAGES[name].format(run=project.run_id))
    assert serious(page) == []
    page.set_viewport_size(PHONE)
    assert overflow(page) <= 0
    assert [each for each in said if "404" not in each] == []


def test_the_sign_in_page_and_the_report_pass_too(project: Project, chromium: Browser) -> None:
    for running in serve(project.root, project.environ, password="correct horse battery"):
        page = chromium.new_page()
        page.goto(running.served.address)
        assert page.url.endswith("/login")
        assert serious(page) == []
        page.fill("input[name=name]", "Grace")
        page.fill("input[name=password]", "correct horse battery")
        page.keyboard.press("Enter")
        page.wait_for_selector(".run-row")
        report = page.request.get(
            f"{running.served.address}runs/{project.run_id}/report.html"
        ).text()
        page.context.close()
    page = chromium.new_page()
    page.set_content(report)
    assert serious(page) == []
    page.context.close()


def test_a_run_of_two_thousand_steps_is_shown_quickly_and_can_be_walked_through(
    project: Project, running: Running, page: Page
) -> None:
    page.goto(f"{running.served.address}runs/Wide")
    began = time.perf_counter()
    page.reload(wait_until="load")
    assert time.perf_counter() - began < 10
    assert page.evaluate("() => document.querySelectorAll('*').length") < 20_000
    page.goto(f"{running.served.address}runs/Wide/steps/qa/1999")
    assert "qa/1999" in page.inner_text("main")


def test_a_thousand_runs_are_listed_and_found(
    project: Project, running: Running, page: Page
) -> None:
    copy_runs(project.folder, RUNS)
    page.goto(running.served.address, wait_until="load")
    assert page.locator(".run-row").count() == 50
    assert "of 21" in page.inner_text(".pager")
    page.keyboard.press("/")
    page.keyboard.type("R0777")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=R0777**")
    assert page.locator(".run-row").count() == 1
