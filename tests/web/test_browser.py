"""A person with a browser: watch, decide, come back."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.fakes.project import DESIGN, WELL, Project
from tests.web.browsing import Browser, browser, chromium, entered, served, started, troubles
from tests.web.conftest import GATE, Running

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]
__all__ = ["browser", "chromium"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project.at(tmp_path)


@pytest.fixture
def running(project: Project) -> Iterator[Running]:
    yield from served(project)


def _until(project: Project, true: Callable[[], bool], within: float = 60) -> None:
    """A process of its own drives the run meanwhile."""
    deadline = time.monotonic() + within
    while not true():
        assert time.monotonic() < deadline, project.types()
        time.sleep(0.2)


def test_a_whole_run_is_watched_live_and_its_gates_are_approved(
    project: Project, running: Running, browser: Browser
) -> None:
    page = entered(browser, running)
    said = troubles(page)
    page.goto(running.served.address)
    assert "No runs yet" in page.inner_text("main")
    threading.Thread(target=project.run, daemon=True).start()
    page.wait_for_selector(".run-row")  # it appears by itself
    page.wait_for_selector("text=Decide")
    page.click(".run-title")
    page.wait_for_url(re.compile(f"/runs/{project.run_id}$"))
    page.click(f"a[href$='/gates/{GATE}'] >> nth=0")
    assert page.locator("input[name=go]").first.is_checked(), "who approves wants it to go on"
    page.click("text=Approve as Ada")
    page.wait_for_url(re.compile(f"/runs/{project.run_id}$"))
    assert "Approved." in page.inner_text("[role=status] >> nth=0") + page.inner_text("main")
    page.reload()  # in the middle
    page.wait_for_selector(
        "a[href*='/gates/approve-completion']"
    )  # the next gate comes without a reload
    page.click("a[href*='/gates/approve-completion'] >> nth=0")
    page.click("text=Approve as Ada")
    page.wait_for_url(re.compile(f"/runs/{project.run_id}$"))
    page.wait_for_function(
        "() => /complete|finished/i.test(document.querySelector('main').innerText.slice(0, 400))"
    )
    _until(project, lambda: bool(project.events("run.completed")))
    assert [each["by"] for each in project.events("gate.decided")] == ["Ada", "Ada"]
    assert said == []


def test_a_rejection_with_a_note_sends_the_run_back(
    project: Project, running: Running, browser: Browser
) -> None:
    started(project)
    page = entered(browser, running)
    page.goto(f"{running.served.address}runs/{project.run_id}/gates/{GATE}")
    page.fill("#reject-note", "The design says nothing about empty input.")
    page.select_option("#to", "design")
    page.click("text=Send back as Ada")
    page.wait_for_url(re.compile(f"/runs/{project.run_id}$"))
    _until(
        project,
        lambda: len(project.events("gate.opened")) == 2 and "run.paused" in project.types()[-4:],
    )
    assert "design/2" in project.started()
    assert project.event("gate.decided")["note"] == "The design says nothing about empty input."
    _until(
        project,
        lambda: (
            project.step("design/2", "prompt.md").exists()
            and "empty input" in project.prompt("design/2")
        ),
    )
    page.click(f"a[href$='/gates/{GATE}/2'] >> nth=0")  # the page that was open shows it by now
    page.wait_for_selector("text=Approve as Ada")


def test_a_question_is_answered(project: Project, running: Running, browser: Browser) -> None:
    choices = [
        {"id": "run", "description": "a run of letters"},
        {"id": "token", "description": "as a lexer has it"},
    ]
    ended = started(
        project,
        {
            "po-spec": [
                {"ask": {"prompt": "What is a word?", "choices": choices, "recommended": "run"}},
                WELL,
            ]
        },
    )
    page = entered(browser, running)
    page.goto(f"{running.served.address}runs/{project.run_id}")
    page.click(f"a[href$='/gates/{ended.gates[0]}'] >> nth=0")
    assert "What is a word?" in page.inner_text("h1")
    assert page.is_checked("input[value=run]"), "the recommended one"
    page.check("input[value=token]")
    page.fill("#text", "without punctuation")
    page.click("text=Answer as Ada")
    page.wait_for_selector(f"a[href$='/gates/{GATE}']")  # it went on to the next decision
    assert project.event("gate.decided")["decision"] == "token"
    assert "without punctuation" in project.prompt("specification")


def test_of_two_tabs_one_wins_and_the_other_is_told_by_whom(
    project: Project, running: Running, browser: Browser
) -> None:
    started(project)
    first, second = entered(browser, running), entered(browser, running)
    second.route(
        "**/events", lambda route: route.abort()
    )  # so that it does not hear of the first one
    for page in (first, second):
        page.goto(f"{running.served.address}runs/{project.run_id}/gates/{GATE}")
        page.uncheck(".good-form input[name=go]")
    first.click("text=Approve as Ada")
    first.wait_for_url(re.compile(f"/runs/{project.run_id}$"))
    second.fill("#reject-note", "No, wait")
    second.click("text=Send back as Ada")
    told = second.wait_for_selector("[role=alert]")
    assert told is not None
    assert "approved by Ada" in told.inner_text()
    assert project.event("gate.decided")["decision"] == "approved"


def test_an_open_page_hears_that_somebody_else_decided(
    project: Project, running: Running, browser: Browser
) -> None:
    started(project)
    page = entered(browser, running)
    page.goto(f"{running.served.address}runs/{project.run_id}/gates/{GATE}")
    page.fill("#approve-note", "half a thought")
    project.approve(by="Grace")
    page.wait_for_selector("text=by Grace")
    assert (
        page.locator("#approve-note").count() == 0
        or page.input_value("#approve-note") == "half a thought"
    )


def test_what_changed_meanwhile_is_refused_and_the_note_is_kept(
    project: Project, running: Running, browser: Browser
) -> None:
    started(project)
    page = entered(browser, running)
    page.goto(f"{running.served.address}runs/{project.run_id}/gates/{GATE}")
    page.fill("#approve-note", "as discussed")
    project.write(DESIGN, project.text(DESIGN) + "\nSneaked in.\n")
    page.click("text=Approve as Ada")
    told = page.wait_for_selector("[role=alert]")
    assert told is not None
    assert "changed since it was shown" in told.inner_text()
    assert "Sneaked in." in page.inner_text("#subject")
    assert page.input_value("#approve-note") == "as discussed"
    assert not project.events("gate.decided")


def test_everything_can_be_done_with_the_keyboard(
    project: Project, running: Running, browser: Browser
) -> None:
    started(project)
    page = entered(browser, running)
    page.goto(running.served.address)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"/runs/{project.run_id}$"))
    page.keyboard.press("g")
    page.wait_for_timeout(300)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"/gates/{GATE}$"))
    page.keyboard.press("a")
    page.keyboard.type("by keys")
    page.uncheck(".good-form input[name=go]")
    page.focus(".good-form button")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"/runs/{project.run_id}$"))
    assert project.event("gate.decided")["note"] == "by keys"


def test_a_browser_without_the_link_sees_nothing(
    project: Project, running: Running, browser: Browser
) -> None:
    page = browser.new_page()
    page.goto(running.served.address)
    assert "Open the link first" in page.inner_text("main")
    page.context.close()
