"""Every fact has the fields that the public interface promises."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.fakes.workflows import SampleRun

from podium.core import events
from podium.core.run import Status, restored

RUN = SampleRun(step="qa", visits={"qa": 2}, remediations=1)
BLOCKED = SampleRun(step="qa", status=Status.BLOCKED, reason="no way", stop="qa_limit")

PROMISED: dict[str, tuple[Callable[[], events.Fact], set[str]]] = {
    "run.started": (
        lambda: events.run_started(RUN, "sample", ["t.md"], "1.0"),
        {"workflow", "input", "version"},
    ),
    "run.resumed": (lambda: events.run_resumed(RUN, "decided", "1.0"), {"reason", "version"}),
    "run.edited": (
        lambda: events.run_edited(RUN, "run-state.md", ["Stage: a -> b"]),
        {"path", "changes"},
    ),
    "run.advanced": (
        lambda: events.run_advanced(RUN, RUN, "ok"),
        {"from", "to", "outcome", "counters"},
    ),
    "run.paused": (lambda: events.run_paused(RUN, "asked", ["g"]), {"reason", "gates"}),
    "run.blocked": (lambda: events.run_blocked(BLOCKED, "no way", "qa/2"), {"reason", "key"}),
    "run.completed": (lambda: events.run_completed(RUN, "complete"), {"outcome"}),
    "run.cancelled": (lambda: events.run_cancelled(RUN, "enough"), {"reason"}),
    "phase.entered": (lambda: events.phase(True, "QA"), {"phase"}),
    "phase.left": (lambda: events.phase(False, "QA"), {"phase"}),
    "step.started": (
        lambda: events.step_started("qa/2", "qa", "dispatch", "qa", 1, {"task": "sha256:1"}),
        {"key", "kind", "role", "attempt", "inputs"},
    ),
    "step.finished": (
        lambda: events.step_finished(
            "qa/2", "ok", "Pass", outputs={}, evidence=[], usage={}, assurance={}
        ),
        {"key", "outcome", "verdict", "outputs", "evidence", "usage", "assurance"},
    ),
    "step.interrupted": (lambda: events.step_interrupted("qa/2"), {"key"}),
    "step.reused": (lambda: events.step_reused("qa/2"), {"key"}),
    "step.stale": (lambda: events.step_stale("qa/2", ["plan changed"]), {"key", "because"}),
    "artifact.verified": (
        lambda: events.artifact_verified("qa/2", "qa.md", "sha256:1"),
        {"key", "path", "digest"},
    ),
    "artifact.rejected": (
        lambda: events.artifact_rejected("qa/2", "qa.md", "empty", "nothing", 1),
        {"key", "path", "failure", "detail", "repair"},
    ),
    "contract.violated": (
        lambda: events.contract_violated("qa/2", ["a"], "write"),
        {"key", "paths", "action", "kind"},
    ),
    "retry.scheduled": (
        lambda: events.retry_scheduled("qa/2", "crash", 2, 3, 0.5),
        {"key", "classification", "attempt", "limit", "delay_s"},
    ),
    "retry.exhausted": (
        lambda: events.retry_exhausted("qa/2", "crash", "total"),
        {"key", "classification", "rule"},
    ),
    "gate.opened": (
        lambda: events.gate_opened(
            "g", "approve", "approval", "Go?", ["approved"], {"a": "sha256:1"}
        ),
        {"key", "kind", "prompt", "choices", "subject"},
    ),
    "gate.decided": (
        lambda: events.gate_decided("g", "approved", "Ada", "", {"a": "sha256:1"}),
        {"key", "decision", "by", "note", "subject"},
    ),
    "gate.stale": (lambda: events.gate_stale("g", ["a changed"]), {"key", "because"}),
    "document.saved": (lambda: events.document_saved("a", "sha256:1"), {"path", "digest"}),
    "document.drifted": (
        lambda: events.document_drifted("a", "sha256:1", "sha256:2"),
        {"path", "was", "now"},
    ),
    "budget.reached": (lambda: events.budget_reached("tokens", 12, 10), {"axis", "used", "cap"}),
}


@pytest.mark.parametrize("name", PROMISED)
def test_each_event_has_its_type_and_the_promised_fields(name: str) -> None:
    make, fields = PROMISED[name]
    fact = make()
    assert fact["type"] == name
    assert fields <= set(fact)
    assert json.loads(json.dumps(fact)) == fact


@pytest.mark.parametrize("name", [each for each in PROMISED if each.startswith("run.")])
def test_an_event_about_the_run_carries_the_whole_state(name: str) -> None:
    fact = PROMISED[name][0]()
    run = BLOCKED if name == "run.blocked" else RUN
    state = dict(fact["state"])
    again = restored(SampleRun, state.pop("step"), state)
    assert (again, again.visits) == (run, run.visits)


def test_no_event_names_what_only_the_journal_may_add() -> None:
    for make, _ in PROMISED.values():
        assert not {"seq", "ts", "run", "prev", "hash"} & set(make())


def test_counters_are_what_the_workflow_counts_and_not_the_position() -> None:
    after = SampleRun(step="build", remediations=2)
    fact = events.run_advanced(RUN, after, "revise")
    assert (fact["from"], fact["to"], fact["outcome"], fact["counters"]) == (
        "qa",
        "build",
        "revise",
        {"remediations": 2},
    )


def test_a_pause_names_its_gates_or_its_time_and_never_both() -> None:
    assert "until" not in events.run_paused(RUN, "asked", ["g"])
    timed = events.run_paused(RUN, "quota", until="2026-01-01T00:00:00.000Z")
    assert timed["until"] == "2026-01-01T00:00:00.000Z"
    assert "gates" not in timed


def test_a_violation_says_that_it_was_quarantined() -> None:
    assert events.contract_violated("qa/2", ["a"], "protected")["action"] == "quarantined"


def _finished(**more: Any) -> events.Fact:
    return events.step_finished(
        "b", "ok", "done", outputs={}, evidence=[], usage={}, assurance={}, **more
    )


def test_what_a_step_does_not_have_is_left_out() -> None:
    assert not {"sets", "before", "commit", "base"} & set(_finished())
    full = _finished(sets={"note": "x"}, before={"a": "missing"}, commit="c1", base="c0")
    assert (full["sets"], full["before"], full["commit"], full["base"]) == (
        {"note": "x"},
        {"a": "missing"},
        "c1",
        "c0",
    )


def test_a_fact_does_not_change_when_what_it_was_made_from_does() -> None:
    inputs, outputs = {"a": "1"}, {"b": "2"}
    started = events.step_started("k", "k", "dispatch", "r", 1, inputs)
    finished = events.step_finished(
        "k", "ok", "", outputs=outputs, evidence=[], usage={}, assurance={}
    )
    state = events.run_paused(RUN, "x")
    inputs["a"] = outputs["b"] = "changed"
    RUN.visits["qa"] += 1
    try:
        assert (started["inputs"], finished["outputs"], state["state"]["visits"]) == (
            {"a": "1"},
            {"b": "2"},
            {"qa": 2},
        )
    finally:
        RUN.visits["qa"] -= 1
