"""The page of a gate."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.views.conftest import DIGEST, HOSTILE, Harness, Teller, Told, proven
from tests.web.pages.conftest import NOW
from tests.web.pages.looking import Page, harmless

from podium.core import events
from podium.core.run import Run, Status
from podium.web.pages import gate
from podium.web.pages.frame import Frame
from podium.web.pages.gate import Subject

OPEN = {
    "key": "approve-build",
    "kind": "approval",
    "prompt": "Build this plan?",
    "choices": ["approved"],
    "subject": {"plan.md": DIGEST},
}
OTHER = "sha256:" + "cd34" * 16


def asked(
    kind: str, prompt: str, choices: list[str], key: str = "ask", **more: Any
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    t = Teller()
    t.tell(events.run_started(Run(step="qa"), "harness", [], "1.0.0"))
    t.tell(events.gate_opened(key, "qa", kind, prompt, choices, {}, **more))
    t.tell(events.run_paused(Run(step="qa", status=Status.WAITING), "asks", [key]))
    fields = {"key": key, "kind": kind, "prompt": prompt, "choices": choices, "subject": {}}
    return t.events, {**fields, **more}


def opening(story: list[dict[str, Any]]) -> int:
    return next(int(each["seq"]) for each in story if each["type"] == "gate.opened")


def shown(page: Page, name: str) -> set[str]:
    return {each.get("value", "") for each in page.all("input", name=name)}


def test_the_forms_carry_the_digests_that_the_person_saw(
    frame: Frame, told: Callable[..., Told], at_gate: list[dict[str, Any]]
) -> None:
    subject = Subject("plan.md", OTHER, "# The plan\n\nnew", "# The plan\n\nold", 16)
    page = harmless(
        gate.page(frame, told(gates=(OPEN,)), at_gate, Harness(), "approve-build", [subject], NOW)
    )
    assert {each["action"] for each in page.all("form", method="post")} == {
        f"/runs/T001-k3f9/gates/approve-build/{verb}" for verb in ("approve", "reject")
    }
    assert shown(page, "seen") == {json.dumps({"plan.md": OTHER})}
    assert shown(page, "opened") == {
        next(each["ts"] for each in at_gate if each["type"] == "gate.opened")
    }
    assert shown(page, "csrf") == {"c-token"}
    assert "The plan" in page.text
    assert "changed since it opened" in page.text
    assert {"cut", "add"} <= {each.get("class", "") for each in page.all("tr")}


def test_a_rejection_needs_a_note_and_names_the_stages_it_can_lead_to(
    frame: Frame, told: Callable[..., Told]
) -> None:
    story, summary = asked("approval", "Start Build?", ["approved", "specification", "design"])
    page = harmless(gate.page(frame, told(gates=(summary,)), story, Harness(), "ask", [], NOW))
    notes = {each["id"]: "required" in each for each in page.all("textarea")}
    assert notes == {"approve-note": False, "reject-note": True}
    assert [each["value"] for each in page.all("option")] == ["", "specification", "design"]


def test_a_question_is_answered_by_one_of_its_options(
    frame: Frame, told: Callable[..., Told]
) -> None:
    story, summary = asked(
        "question", "Which?\n  a: left\n    + short\n  b: right\n  recommended: b", ["a", "b"]
    )
    page = harmless(gate.page(frame, told(gates=(summary,)), story, Harness(), "ask", [], NOW))
    assert [(each["value"], "checked" in each) for each in page.all("input", type="radio")] == [
        ("a", False),
        ("b", True),
    ]
    assert {each["action"] for each in page.all("form", method="post")} == {
        "/runs/T001-k3f9/gates/ask/answer"
    }
    assert "short" in page.text


def test_a_question_without_options_takes_a_text(frame: Frame, told: Callable[..., Told]) -> None:
    story, summary = asked("question", "How many?", [])
    page = harmless(gate.page(frame, told(gates=(summary,)), story, Harness(), "ask", [], NOW))
    (text,) = page.all("textarea")
    assert "required" in text


def test_what_was_typed_survives_a_refusal(frame: Frame, told: Callable[..., Told]) -> None:
    story, summary = asked("approval", "Start?", ["approved", "design"])
    typed = {"form": "reject", "note": "still <wrong>", "to": "design"}
    page = harmless(
        gate.page(
            frame,
            told(gates=(summary,)),
            story,
            Harness(),
            "ask",
            [],
            NOW,
            "It was decided already.",
            typed,
        )
    )
    assert "It was decided already." in page.text
    assert "still <wrong>" in page.text


def test_a_decided_gate_says_who_when_and_why(
    frame: Frame, told: Callable[..., Told], whole: list[dict[str, Any]]
) -> None:
    page = harmless(
        gate.page(
            frame,
            told(status="complete"),
            whole,
            Harness(),
            "approve-build",
            [Subject("plan.md", DIGEST, "x", size=1)],
            NOW,
        )
    )
    assert "approved by ada" in page.text
    assert "go" in page.text
    assert not page.all("form", method="post")
    assert "changed since" not in page.text


def test_a_gate_whose_decision_waits_to_be_taken_up_cannot_be_decided_twice(
    frame: Frame, told: Callable[..., Told], at_gate: list[dict[str, Any]]
) -> None:
    page = harmless(
        gate.page(
            frame,
            told(gates=()),
            at_gate,
            Harness(),
            "approve-build",
            [],
            NOW,
            inbox={f"approve-build@{opening(at_gate)}"},
        )
    )
    assert "waits to be taken up" in page.text
    assert not page.all("form", method="post")


def test_a_gate_that_opened_while_the_run_is_at_work_can_be_decided(
    frame: Frame, told: Callable[..., Told], at_gate: list[dict[str, Any]]
) -> None:
    """The summary of such a run lists no gates: those of a wave open one by one, and the journal
    is read after it.
    """
    earlier = {f"approve-build@{opening(at_gate) - 1}"}
    page = harmless(
        gate.page(
            frame,
            told(status="active", gates=()),
            at_gate,
            Harness(),
            "approve-build",
            [],
            NOW,
            inbox=earlier,
        )
    )
    assert "decided, not taken up yet" not in page.text
    assert page.all("form", method="post")


def test_a_gate_that_the_end_of_its_run_left_open_asks_for_nothing(
    frame: Frame, told: Callable[..., Told], at_gate: list[dict[str, Any]]
) -> None:
    """That of a child run, whose own journal knows nothing of the end above it."""
    page = harmless(
        gate.page(
            frame, told(status="cancelled", gates=()), at_gate, Harness(), "approve-build", [], NOW
        )
    )
    assert "nothing to decide" in page.text
    assert not page.all("form", method="post")


def test_who_may_only_look_is_told_the_commands(
    frame: Frame, told: Callable[..., Told], at_gate: list[dict[str, Any]]
) -> None:
    page = harmless(
        gate.page(
            replace(frame, read_only=True),
            told(gates=(OPEN,)),
            at_gate,
            Harness(),
            "approve-build",
            [],
            NOW,
        )
    )
    assert not page.all("form", method="post")
    assert "podium approve T001-k3f9" in page.text


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        (Subject("a.md", "missing", None), "The file is not there."),
        (Subject("a.bin", OTHER, None, size=9), "cannot be shown as text"),
        (Subject("a.md", OTHER, "begin", size=100_000_000), "Only the beginning is shown"),
    ],
)
def test_what_cannot_be_shown_whole_is_said(
    subject: Subject,
    words: str,
    frame: Frame,
    told: Callable[..., Told],
    at_gate: list[dict[str, Any]],
) -> None:
    assert (
        words
        in harmless(
            gate.page(
                frame, told(gates=(OPEN,)), at_gate, Harness(), "approve-build", [subject], NOW
            )
        ).text
    )


def twice() -> list[dict[str, Any]]:
    """A plan approved, written anew twice, and asked about again."""
    t = Teller()
    t.tell(events.run_started(Run(step="plan"), "harness", [], "1.0.0"))
    for number, mark in enumerate(("one", "two", "three"), 1):
        t.begin(f"plan/{number}", "plan", "planner")
        t.end(f"plan/{number}", "ok", "done", 5.0, outputs={"plan.md": mark, "new.md": "n"})
        if number == 1:
            t.tell(
                events.gate_opened("ok/1", "ok", "approval", "?", ["approved"], {"plan.md": mark})
            )
            t.tell(events.gate_decided("ok/1", "approved", "ada", "", {"plan.md": mark}))
    t.tell(
        events.gate_opened(
            "ok/2", "ok", "approval", "?", ["approved"], {"plan.md": "three", "new.md": "n"}
        )
    )
    return t.events


@pytest.mark.parametrize(
    ("kind", "decision", "words"),
    [
        ("approval", "rejected", "since it was rejected by ada"),
        (
            "approval",
            "implementation_planning",
            "since it was sent back to implementation planning by ada",
        ),
        ("question", "stash", "since it was answered by ada"),
    ],
)
def test_what_was_decided_last_is_told_in_words_that_fit_it(
    kind: str, decision: str, words: str
) -> None:
    told = [
        {**each, "kind": kind}
        if each["type"] == "gate.opened"
        else {**each, "decision": decision}
        if each["type"] == "gate.decided"
        else each
        for each in twice()
    ]
    assert gate.previous(told, "ok/2")["plan.md"][2] == words


def test_changes_are_shown_since_the_last_decision_not_since_the_last_step() -> None:
    assert gate.previous(twice(), "ok/2") == {
        "plan.md": ("T001-k3f9", "plan/1", "since it was approved by ada")
    }
    without = [
        each for each in twice() if not each["type"].startswith("gate.") or each["key"] == "ok/2"
    ]
    assert gate.previous(without, "ok/2")["plan.md"][1:] == ("plan/2", "since plan/2")
    assert gate.previous(twice(), "ok/1") == {}


def test_a_gate_knows_its_subject_and_whether_it_exists(whole: list[dict[str, Any]]) -> None:
    assert gate.known(whole, "approve-build")
    assert not gate.known(whole, "nothing")
    assert gate.subjects(whole, "approve-build") == {"plan.md": DIGEST}
    assert gate.subjects(whole, "nothing") == {}


def test_hostile_text_in_every_field_stays_text(
    frame: Frame, told: Callable[..., Told], hostile: str, attack: list[dict[str, Any]]
) -> None:
    subject = Subject(hostile, hostile, hostile, hostile + "x", 9)
    for key in (hostile, "ask"):
        for gates in (
            (),
            (
                {
                    "key": key,
                    "kind": hostile,
                    "prompt": hostile,
                    "choices": [hostile],
                    "subject": {hostile: hostile},
                },
                {"key": hostile * 2},
            ),
        ):
            run = told(run=hostile, title=hostile, gates=gates)
            harmless(
                gate.page(
                    frame,
                    run,
                    attack,
                    Harness(),
                    key,
                    [subject, replace(subject, path=hostile + ".md")],
                    NOW,
                    hostile,
                    dict.fromkeys(("note", "to", "text", "choice"), hostile),
                )
            )


def test_a_gate_begins_with_what_is_proven_then_the_code_then_what_is_decided_on(
    frame: Frame, told: Callable[..., Told]
) -> None:
    never = proven("not_run", exit=127, why="mocha: not found")
    files = [
        {"path": f"src/m{n:03}.py", "status": "A", "added": 1, "removed": 0, "kind": "code"}
        for n in range(200)
    ]
    hostile = {"path": HOSTILE, "status": "D", "added": None, "removed": None, "kind": "test"}
    weak = {"path": "tests/a.py", "how": "skipped", "key": "build/1", "lines": ["+@skip <b>"]}
    changes = {"files": [*files, hostile], "total": 201, "weakened": [weak]}
    story, summary = asked("approval", "Accept?", ["approved"], evidence=[never], changes=changes)
    text = harmless(gate.page(frame, told(gates=(summary,)), story, Harness(), "ask", [], NOW)).text
    places = [
        text.find(words)
        for words in (
            "TESTS DID NOT RUN: mocha: not found",
            "Accept?",
            "tests/a.py: skipped",
            "+@skip <b>",
            "201 files changed, +200: 1 test",
            "161 more files",
            "Your decision",
        )
    ]
    assert -1 not in places
    assert places == sorted(places)
    assert all(f"m{n:03}.py" in text for n in range(200))
