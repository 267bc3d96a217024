"""The script in a real browser: pages follow the run and take nothing from under anybody's
hands.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.project import Project
from tests.web.conftest import Running, serve

pytestmark = [pytest.mark.browser]
playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright drives the browser: pip install playwright"
)
CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)


def elsewhere(do: Callable[[], Any]) -> Any:
    """In a thread: the driver of the browser has the loop of this one."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(do).result(60)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with playwright.sync_playwright() as started:
        made = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project.at(tmp_path)
    assert elsewhere(made.run).gates == ("approve-build",)
    return made


@pytest.fixture
def running(project: Project) -> Iterator[Running]:
    yield from serve(project.root, {**project.environ, "PODIUM_USER": "Ada"})


@pytest.fixture
def page(browser: Any, running: Running) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1100, "height": 800})
    made = context.new_page()
    made.faults = []
    made.on("pageerror", lambda fault: made.faults.append(str(fault)))
    made.on("console", lambda said: made.faults.append(said.text) if said.type == "error" else None)
    made.goto(running.served.link())
    yield made
    assert [
        each for each in made.faults if "Content Security Policy" in each or "Error" in each
    ] == []
    context.close()


def at(running: Running, path: str) -> str:
    return running.served.address.rstrip("/") + path


def test_a_page_follows_the_run_and_keeps_the_focus(
    page: Any, running: Running, project: Project
) -> None:
    page.goto(at(running, f"/runs/{project.run_id}"))
    page.wait_for_selector("#link-state:has-text('live')")
    page.focus('a[href$="/steps/design"]')
    elsewhere(lambda: project.approve(note="from elsewhere", by="Bob"))
    page.wait_for_selector("#decisions td:has-text('Bob')", timeout=15_000)
    assert page.evaluate("document.activeElement.getAttribute('href')").endswith("/steps/design")


def test_a_note_half_written_is_not_lost_when_somebody_else_decides(
    page: Any, running: Running, project: Project
) -> None:
    page.goto(at(running, f"/runs/{project.run_id}/gates/approve-build"))
    page.wait_for_selector("#link-state:has-text('live')")
    page.fill("#reject-note", "not yet, because")
    elsewhere(lambda: project.approve(by="Bob"))
    page.wait_for_selector("#gate-moved", timeout=15_000)
    assert page.input_value("#reject-note") == "not yet, because"
    assert "decided meanwhile" in page.inner_text("#gate-moved")
    assert page.is_disabled("text=Send back as")


def test_a_file_that_changes_under_the_gate_stops_the_forms(
    page: Any, running: Running, project: Project
) -> None:
    page.goto(at(running, f"/runs/{project.run_id}/gates/approve-build"))
    page.wait_for_selector("#link-state:has-text('live')")
    seen = page.get_attribute("#decide input[name=seen]", "value")
    plan = project.root / "harness/artifacts/plans/T001-implementation-plan.md"
    plan.write_text(plan.read_text() + "\nOne more thing.\n")
    page.evaluate("dispatchEvent(new Event('focus'))")
    page.wait_for_selector("#gate-moved", timeout=15_000)
    assert page.get_attribute("#decide input[name=seen]", "value") == seen


def test_light_and_dark_are_remembered(page: Any, running: Running) -> None:
    page.click("#theme")
    first = page.evaluate("document.documentElement.dataset.theme")
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == first == "dark"


def test_a_lost_connection_is_said(page: Any, running: Running, project: Project) -> None:
    page.goto(at(running, f"/runs/{project.run_id}"))
    page.wait_for_selector("#link-state:has-text('live')")
    page.context.set_offline(True)
    running.served.stop()
    page.wait_for_selector("#link-state.lost", timeout=15_000)
    page.faults.clear()


def test_without_script_a_rejection_still_goes_through(
    browser: Any, running: Running, project: Project
) -> None:
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(running.served.link())
    plain.goto(at(running, f"/runs/{project.run_id}/gates/approve-build"))
    plain.fill("#reject-note", "too large")
    plain.select_option("#to", "design")
    plain.uncheck("form[data-form=reject] input[name=go]")
    plain.click("text=Send back as")
    plain.wait_for_load_state()
    decided = [
        each
        for each in elsewhere(lambda: project.app.events(project.run_id))
        if each["type"] == "gate.decided"
    ]
    assert [(each["decision"], each["by"], each["note"]) for each in decided] == [
        ("design", "Ada", "too large")
    ]
    context.close()
