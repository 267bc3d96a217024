"""Every event has one readable, harmless line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.views.conftest import proven

from podium.core import events
from podium.views import lines
from podium.views.lines import log_line


def test_the_line_of_a_started_step(at_gate):
    assert log_line(at_gate[2]) == "12:03:05 specification started (po-spec)"


def test_the_line_of_a_failed_review(at_second_build):
    found = [
        log_line(e)
        for e in at_second_build
        if e.get("key") == "qa/1" and e["type"] == "step.finished"
    ]
    assert found == ["12:23:14 qa/1 revise (Issues Found) after 38s: AC1 fails: totals are rounded"]


def test_an_unknown_type_is_shown_generically():
    event = {
        "type": "ticket.split",
        "ts": "2026-01-31T12:00:00Z",
        "seq": 1,
        "tasks": ["a", "b"],
        "run": "x",
    }
    assert log_line(event) == "12:00:00 ticket.split tasks=a, b"


def test_every_type_the_program_writes_has_words_of_its_own():
    source = Path(lines.__file__).parents[1].joinpath("core", "events.py").read_text()
    assert set(re.findall(r'"((?:[a-z]+)\.(?:[a-z]+))"', source)) <= set(lines._WORDS)


def test_a_child_is_named_and_its_phases_are_left_to_the_log():
    child = {"run": "R/item/US-1", "ts": "2026-01-31T12:00:00Z"}
    started = {
        **child,
        "type": "run.started",
        "workflow": "item",
        "state": {"title": "Count words"},
    }
    assert log_line(started) == "12:00:00 item/US-1 started: Count words"
    assert (
        log_line({**child, "type": "run.completed", "outcome": "complete"})
        == "12:00:00 item/US-1 done"
    )
    phase = {**child, "type": "phase.entered", "phase": "Testing"}
    assert not lines.important(phase)
    assert lines.important({**phase, "run": "R"})


def test_what_a_verdict_has_said_already_is_not_said_again():
    event = {
        "type": "step.finished",
        "key": "ct-verdict/1",
        "outcome": "revise",
        "verdict": "NEEDS_REVISION: review — High",
        "reason": "High",
        "usage": {"seconds": 0.0},
        "ts": "2026-01-31T12:00:00Z",
        "run": "R",
    }
    assert log_line(event) == "12:00:00 ct-verdict/1 revise (NEEDS_REVISION: review — High)"


def test_a_run_that_was_just_resumed_says_so_once_and_any_other_reason_is_told():
    resumed = {"seq": 9, "ts": "2026-03-01T12:00:00.000Z", "run": "R", "type": "run.resumed"}
    assert log_line({**resumed, "reason": "resumed"}).endswith(" resumed")
    assert log_line({**resumed, "reason": "approved"}).endswith(" resumed: approved")


def test_a_reason_of_many_lines_is_cut_after_the_first():
    event = {
        "type": "run.blocked",
        "key": "select/5",
        "reason": "blocked: US-4\n- much more",
        "ts": "2026-01-31T12:00:00Z",
        "run": "R",
    }
    assert log_line(event) == "12:00:00 blocked at select/5: US-4"


def test_the_text_of_an_event_for_people_stands_below_its_line():
    event = {
        "type": "roadmap.iteration",
        "item": "US-1",
        "status": "done",
        "text": "## Iteration\n\n- one\n",
        "ts": "2026-01-31T12:00:00Z",
        "run": "R",
    }
    assert lines.entry(event) == [
        "12:00:00 item US-1 done",
        "         ## Iteration",
        "",
        "         - one",
    ]


def test_a_line_of_progress_is_not_said_twice():
    line = "Progress: 71% | Completed: 3/4 tasks | ETA: ~2 min remaining"
    event = {
        "type": "ticket.progress",
        "text": line,
        "iteration": 0,
        "ts": "2026-01-31T12:00:00Z",
        "run": "R",
    }
    assert lines.entry(event) == [f"12:00:00 {line}"]
    assert lines.entry({**event, "text": f"{line}\nmore"})[1:] == [
        f"         {line}",
        "         more",
    ]


def test_a_warning_of_a_workflow_is_one_line():
    event = {
        "type": "feature.warning",
        "text": "no memory\nno sources",
        "ts": "2026-01-31T12:00:00Z",
        "run": "R",
    }
    assert lines.entry(event) == ["12:00:00 warning: no memory; no sources"]


def test_hostile_text_is_one_printable_line(attack):
    for event in attack:
        line = log_line(event)
        assert line.isprintable()
        assert len(line) <= 200
    log_line({})


def test_a_cap_that_was_reached_because_nobody_knows_what_was_used_says_so():
    event = {
        "type": "budget.reached",
        "axis": "tokens",
        "used": None,
        "cap": 1000,
        "ts": "2026-01-31T12:00:00Z",
        "run": "R",
    }
    assert log_line(event) == "12:00:00 budget reached: tokens unknown of 1000"


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        (
            events.proof_baseline("c0ffee", [proven("passed", 297)]),
            "before anything was changed: test: 297 passed",
        ),
        (
            events.proof_checked("approve", [proven("passed", 9), proven("not_run", why="killed")]),
            "the code as it is now: TESTS DID NOT RUN: killed · test: 9 passed",
        ),
        (
            events.proof_waived("build/1", ["test"], "ada", "no network"),
            "ada goes on without test for build/1: the run will end unproven: no network",
        ),
        (
            events.proof_waived("", ["test", "lint"], "ada", ""),
            "ada goes on without test, lint: the run will end unproven",
        ),
        (
            events.tests_weakened(
                "build/1",
                [
                    {"path": "t/a_test.py", "how": "deleted", "lines": []},
                    {"path": "Makefile", "how": "machinery changed", "lines": []},
                ],
                True,
            ),
            (
                "build/1 changed how this project is tested, in 2 files (t/a_test.py, Makefile): "
                "deleted, machinery changed; kept out of the checkout"
            ),
        ),
        (
            events.tests_weakened(
                "build/1", [{"path": "src/a.py", "how": "special case", "lines": []}], False
            ),
            ("build/1 changed how this project is tested, in 1 file (src/a.py): special case"),
        ),
    ],
)
def test_proof_is_told_in_words(fact, line):
    assert log_line({**fact, "ts": "2026-01-31T12:00:00Z", "run": "R"}) == f"12:00:00 {line}"
