"""The page of one run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.views.conftest import Harness, Told
from tests.web.pages.conftest import NOW
from tests.web.pages.crowds import Crowd, long_run, summary, wide_run
from tests.web.pages.looking import harmless

from podium.web.pages import run
from podium.web.pages.frame import Frame
from podium.web.pages.run import STEPS

GATE = {
    "key": "approve-build",
    "kind": "approval",
    "prompt": "Build this plan?",
    "choices": ["approved"],
    "subject": {"plan.md": "sha256:1"},
}


def test_a_run_at_a_gate_leads_to_the_decision(
    frame: Frame, told: Callable[..., Told], at_gate: list[dict[str, Any]]
) -> None:
    page = harmless(run.page(frame, told(gates=(GATE,)), at_gate, Harness(), NOW))
    assert "waits for you" in page.text
    assert "Build this plan?" in page.text
    assert [each["href"] for each in page.all("a") if "data-gate" in each] == [
        "/runs/T001-k3f9/gates/approve-build"
    ]
    assert {
        "work",
        "timeline",
        "diagram",
        "decisions",
        "cost",
        "steps",
        "log",
        "troubles",
        "artifacts",
    } <= {each["id"] for tag, each in page.tags if tag == "section" and "id" in each}


def test_a_run_that_was_decided_and_is_not_taken_up_yet_asks_nobody(
    frame: Frame, told: Callable[..., Told], at_gate: list[dict[str, Any]]
) -> None:
    page = harmless(
        run.page(
            frame,
            told(gates=(), reason="Start Build? Waiting for a person."),
            at_gate,
            Harness(),
            NOW,
        )
    )
    assert page.text.count("waits for you") == 1, "the journal's line"
    assert "Waiting for a person" not in page.text
    assert "chip busy" in {each.get("class") for each in page.all("span")}, "decided"


def test_the_journal_is_checked_and_a_broken_one_is_said_to_be_so(
    frame: Frame, told: Callable[..., Told], whole: list[dict[str, Any]]
) -> None:
    good = harmless(run.page(frame, told(status="complete", step="done"), whole, Harness(), NOW))
    assert f"{len(whole)} events in 1 journal; every hash was computed again and holds" in good.text
    changed = [*whole[:5], {**whole[5], "key": "other"}, *whole[6:]]
    bad = harmless(run.page(frame, told(status="complete", step="done"), changed, Harness(), NOW))
    assert "is broken: line 6 was changed after it was written" in bad.text


def test_a_blocked_run_needs_a_reason_to_go_on(
    frame: Frame, told: Callable[..., Told], at_second_build: list[dict[str, Any]]
) -> None:
    page = harmless(
        run.page(
            frame,
            told(status="blocked", step="build", reason="blocked: no\nmore"),
            at_second_build,
            Harness(),
            NOW,
        )
    )
    assert page.all("form", action="/runs/T001-k3f9/resume")
    (because,) = page.all("input", name="because")
    assert "required" in because
    assert {each["value"] for each in page.all("input", name="csrf")} == {"c-token"}


def test_who_may_only_look_gets_no_form(
    frame: Frame, told: Callable[..., Told], at_second_build: list[dict[str, Any]]
) -> None:
    page = harmless(
        run.page(
            replace(frame, read_only=True),
            told(status="blocked", step="build"),
            at_second_build,
            Harness(),
            NOW,
        )
    )
    assert not page.all("form", method="post")


def test_a_run_that_has_ended_can_neither_go_on_nor_be_cancelled(
    frame: Frame, told: Callable[..., Told], whole: list[dict[str, Any]]
) -> None:
    page = harmless(run.page(frame, told(status="complete", step="done"), whole, Harness(), NOW))
    assert not page.all("form", method="post")
    assert "at least $0.07" in page.text
    assert "test: 1 failed: tests/test_app.py::test_total" in page.text


def test_child_runs_are_part_of_the_page(
    frame: Frame, told: Callable[..., Told], wave: list[dict[str, Any]]
) -> None:
    page = harmless(
        run.page(frame, told(status="active", step="run_item", workflow="roadmap"), wave, None, NOW)
    )
    assert page.all("a", href="/runs/T001-k3f9/steps/item/US-7/testing/2")
    assert "still failing after 2 retries" in page.text


def test_two_thousand_steps_are_a_page_like_any_other(frame: Frame) -> None:
    told = long_run(2_000)
    began = time.process_time()
    text = run.page(frame, summary(told, "loop"), told, Crowd(), NOW, {"steps": "3", "log": "2"})
    assert time.process_time() - began < 5.0
    assert len(text) < 250_000
    page = harmless(text)
    assert f"page 3 of {2_000 // STEPS}" in page.text
    assert page.all("a", rel="next")[0]["href"] == "/runs/long-1?steps=4&log=2#steps"
    assert "unknown" in page.text


def test_thirty_agents_at_once_all_show(frame: Frame) -> None:
    told = wide_run(30)
    page = harmless(run.page(frame, summary(told, "swarm"), told, Crowd(), NOW))
    assert all(f"agent-{at:02}" in page.text for at in range(30))
    assert "10 agents at work" in page.text


def test_pages_that_are_not_there_are_the_nearest_that_is(frame: Frame) -> None:
    told = long_run(150)
    for asked in ("0", "-1", "x", "99999999", "²"):
        harmless(
            run.page(
                frame, summary(told, "loop"), told, Crowd(), NOW, {"steps": asked, "log": asked}
            )
        )


def test_hostile_text_in_every_field_stays_text(
    frame: Frame, told: Callable[..., Told], hostile: str, attack: list[dict[str, Any]]
) -> None:
    gate = dict.fromkeys(("key", "kind", "prompt"), hostile) | {"subject": {hostile: hostile}}
    bad = told(
        run=hostile,
        workflow=hostile,
        title=hostile,
        status=hostile,
        reason=hostile,
        stop=hostile,
        started=hostile,
        updated=hostile,
        step="build",
        gates=(gate,),
        holder={"pid": hostile, "host": hostile, "since": hostile},
        advice=(hostile,),
    )
    for workflow in (Harness(), None):
        harmless(run.page(frame, bad, attack, workflow, NOW))
        harmless(run.page(frame, replace(bad, gates=(), status="blocked"), attack, workflow, NOW))
