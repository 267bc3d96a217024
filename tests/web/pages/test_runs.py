"""The list of runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.views.conftest import Harness, Told
from tests.web.pages.conftest import NOW
from tests.web.pages.looking import harmless

from podium.web.pages import run, runs
from podium.web.pages.frame import Frame
from podium.web.pages.runs import PAGE, Asked, Entry, Query

GATE = {
    "key": "approve-build",
    "kind": "approval",
    "prompt": "Build this plan?\nmore",
    "choices": ["approved"],
    "subject": {},
}


def entries(number: int) -> list[Entry]:
    return [
        Entry(
            f"run-{at:04}",
            "ticket",
            f"Task {at}",
            "complete",
            started=f"2026-01-01T{at % 24:02}:00:00Z",
        )
        for at in range(number)
    ]


def titles(page: str) -> list[str]:
    return [each["href"] for each in harmless(page).all("a") if "data-item" in each]


def test_a_run_that_waits_says_what_it_asks_and_where_to_decide(
    frame: Frame, told: Callable[..., Told], at_gate: list[dict[str, Any]]
) -> None:
    found = runs.entry(told(gates=(GATE,)), at_gate, Harness.steps.values())
    page = harmless(runs.page(frame, [found], Query(), NOW))
    assert "1 run waits for a decision" in page.text
    assert "Build this plan?" in page.text
    assert "3 of 7 steps" in page.text
    assert page.all("a", href="/runs/T001-k3f9/gates/approve-build")


def test_what_waits_stands_first_then_what_runs_then_the_newest(frame: Frame) -> None:
    known = [
        Entry("old", "w", "", "complete", started="2026-01-01"),
        Entry("new", "w", "", "complete", started="2026-03-01"),
        Entry(
            "asks", "w", "", "waiting", started="2025-01-01", gates=(Asked("g", "approval", "?"),)
        ),
        Entry("runs", "w", "", "active", started="2025-06-01", driven=True),
    ]
    assert titles(runs.page(frame, known, Query(), NOW)) == [
        "/runs/asks",
        "/runs/runs",
        "/runs/new",
        "/runs/old",
    ]


def test_a_run_that_nobody_drives_is_stopped_not_running(frame: Frame) -> None:
    page = harmless(runs.page(frame, [Entry("x", "w", "", "active")], Query(), NOW))
    assert "stopped" in page.text


def test_search_filter_and_pages_work_together(frame: Frame) -> None:
    known = [
        *entries(120),
        Entry("other", "harness", "Word counter", "blocked", reason="tests fail"),
    ]
    assert titles(runs.page(frame, known, Query(text="word COUNTER"), NOW)) == ["/runs/other"]
    assert titles(runs.page(frame, known, Query(status="open"), NOW)) == ["/runs/other"]
    assert titles(runs.page(frame, known, Query(workflow="harness"), NOW)) == ["/runs/other"]
    last = runs.page(frame, known, Query(status="complete", page=99), NOW)
    assert len(titles(last)) == 120 - 2 * PAGE
    assert harmless(last).all("a", rel="prev")[0]["href"] == "/?status=complete&page=2"
    assert "Nothing fits" in harmless(runs.page(frame, known, Query(text="zzz"), NOW)).text


def test_a_thousand_runs_are_a_light_page(frame: Frame) -> None:
    known = [replace(each, where="build", cost="$1.00") for each in entries(1_000)]
    runs.page(frame, known, Query(), NOW)
    began = time.process_time()
    page = runs.page(frame, known, Query(), NOW)
    assert time.process_time() - began < 0.5
    assert len(page) < 120_000
    assert len(titles(page)) == PAGE


def test_no_run_at_all_says_how_to_begin(frame: Frame) -> None:
    assert "podium run" in harmless(runs.page(frame, [], Query(), NOW)).text


def test_a_damaged_run_is_listed_with_its_fault(frame: Frame, told: Callable[..., Told]) -> None:
    found = runs.damaged(told(status="damaged", reason="line 3 was changed"))
    text = harmless(runs.page(frame, [found], Query(), NOW)).text
    assert "damaged" in text
    assert "line 3 was changed" in text
    assert "unknown" in text


def test_hostile_text_in_every_field_stays_text(
    frame: Frame, told: Callable[..., Told], hostile: str, attack: list[dict[str, Any]]
) -> None:
    gate = dict.fromkeys(("key", "kind", "prompt"), hostile)
    bad = told(
        run=hostile,
        workflow=hostile,
        title=hostile,
        status=hostile,
        reason=hostile,
        gates=(gate,),
        started=hostile,
        updated=hostile,
    )
    known = [runs.entry(bad, attack, Harness.steps.values()), runs.damaged(bad)]
    page = harmless(
        runs.page(
            replace(frame, who=hostile, project=hostile, notice=hostile, csrf=hostile),
            known,
            Query(text=hostile[:30]),
            NOW,
        )
    )
    assert "[bold red]x[/] `|<b>*" in page.text


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, Query()),
        (
            {"q": " a ", "status": "waiting", "workflow": "ticket", "page": "3"},
            Query("a", "waiting", "ticket", 3),
        ),
        ({"status": "<b>", "page": "-1"}, Query()),
        ({"page": "9" * 50}, Query()),
        ({"page": "²"}, Query()),
        ({"page": "0"}, Query()),
    ],
)
def test_an_address_that_makes_no_sense_asks_for_nothing(
    params: dict[str, str], found: Query
) -> None:
    assert runs.query(params) == found


def test_an_end_that_nothing_proves_is_called_so_in_the_list_and_on_its_page(
    frame: Frame, told: Callable[..., Told]
) -> None:
    summary = told(status="complete", step="done", outcome="complete_unproven")
    listed = runs.page(frame, [runs.entry(summary, [])], Query(), NOW)
    pages = [harmless(listed), harmless(run.page(frame, summary, [], Harness(), NOW))]
    assert ["complete, unproven" in page.text for page in pages] == [True, True]
