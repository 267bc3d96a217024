"""The report as one page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.views.conftest import Harness, Told
from tests.web.pages.crowds import Crowd, long_run, summary
from tests.web.pages.looking import harmless

from podium.web.pages.report import html

REQUEST = {
    "agent": "scripted:/home/ada/secret-place/demo.yaml",
    "roles": {"qa": "claude"},
    "commands": {"test": "pytest -q", "lint": ""},
    "policy": {"max_attempts": 3},
    "versions": {"podium": "1.0.0", "git": "2.50"},
}


def test_the_report_stands_alone_and_tells_everything(
    told: Callable[..., Told], whole: list[dict[str, Any]]
) -> None:
    page = harmless(
        html(whole, told(status="complete", step="done"), Harness(), REQUEST), alone=True
    )
    sections = {each["id"] for tag, each in page.tags if tag == "section" and "id" in each}
    assert {
        "work",
        "timeline",
        "decisions",
        "evidence",
        "steps",
        "cost",
        "environment",
        "diagram",
        "journal",
        "troubles",
        "artifacts",
    } <= sections
    for words in (
        "approved",
        "by",
        "ada",
        "ab12ab12ab12",
        "pytest -q | tail",
        "at least $0.07",
        "exit code 137",
        "every hash was computed again and holds",
        "read confined, write audited",
    ):
        assert words in page.text


def test_the_same_run_gives_the_same_bytes(
    told: Callable[..., Told], whole: list[dict[str, Any]]
) -> None:
    run = told(status="complete", step="done")
    assert html(whole, run, Harness(), REQUEST) == html(
        [dict(each) for each in whole], run, Harness(), dict(reversed(REQUEST.items()))
    )


def test_the_environment_says_with_what_but_not_where(
    told: Callable[..., Told], whole: list[dict[str, Any]]
) -> None:
    page = harmless(html(whole, told(), Harness(), REQUEST), alone=True)
    for words in (
        "scripted:demo.yaml",
        "role qa claude",
        "command test pytest -q",
        "policy max_attempts 3",
        "git 2.50",
    ):
        assert words in page.text
    assert "secret-place" not in page.raw


def test_a_run_under_way_shows_its_open_gate_and_how_to_decide_it(
    told: Callable[..., Told], at_gate: list[dict[str, Any]]
) -> None:
    page = harmless(html(at_gate, told(), Harness()), alone=True)
    assert "Open decisions 1" in page.text
    assert "podium approve T001-k3f9 --go" in page.text


def test_a_broken_chain_is_the_first_thing_said(
    told: Callable[..., Told], whole: list[dict[str, Any]]
) -> None:
    changed = [*whole[:-1], {**whole[-1], "outcome": "complete!"}]
    assert (
        "is broken"
        in harmless(html(changed, told(status="complete", step="done"), Harness()), alone=True).text
    )


def test_a_long_run_stays_a_page_that_opens() -> None:
    story = long_run(2_000)
    text = html(story, summary(story, "loop", status="complete"), Crowd())
    assert len(text) < 400_000
    assert "more steps passed" in harmless(text, alone=True).text


def test_hostile_text_in_every_field_stays_text(
    told: Callable[..., Told], hostile: str, attack: list[dict[str, Any]]
) -> None:
    bad = told(
        run=hostile,
        workflow=hostile,
        title=hostile,
        status=hostile,
        reason=hostile,
        started=hostile,
        updated=hostile,
        step="build",
    )
    request = {
        "agent": hostile,
        "roles": {hostile: hostile},
        "commands": {hostile: hostile},
        "policy": {hostile: [hostile]},
        "versions": {hostile: hostile},
    }
    harmless(html(attack, bad, Harness(), request), alone=True)
    harmless(html(attack, bad, None, {"roles": [], "commands": "x", "versions": None}), alone=True)
