"""The journal folded: what stands, what is open, what was used. One event at a time or all at
once, it is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.workflows import SampleRun

from podium.core import events
from podium.core.history import History

Fact = dict[str, Any]


def journal(*facts: Mapping[str, Any]) -> list[Fact]:
    return [
        {**fact, "seq": n, "ts": f"2026-03-01T12:00:{n:02d}.000Z"}
        for n, fact in enumerate(facts, 1)
    ]


def history(*facts: Mapping[str, Any]) -> History:
    return History(journal(*facts))


def started(key: str, attempt: int = 1, **more: Any) -> Fact:
    return events.step_started(
        key,
        key.partition("/")[0],
        "dispatch",
        f"{key.partition('/')[0]}-agent",
        attempt,
        {"task": "sha256:1"},
        **more,
    )


def finished(key: str, outcome: str = "ok", **more: Any) -> Fact:
    usage = more.pop("usage", {"tokens_in": 10, "tokens_out": 5, "cost_usd": 0.5})
    return events.step_finished(
        key,
        outcome,
        "done",
        outputs={f"{key}.md": "sha256:2"},
        evidence=[],
        usage=usage,
        assurance={},
        **more,
    )


def opened(key: str = "approve", step: str = "approve") -> Fact:
    return events.gate_opened(
        key, step, "approval", "Go?", ["approved", "plan"], {"plan.md": "sha256:2"}
    )


def decided(key: str = "approve", decision: str = "approved") -> Fact:
    return events.gate_decided(key, decision, "Ada", "fine", {"plan.md": "sha256:2"})


def advanced(before: str, after: str) -> Fact:
    return events.run_advanced(SampleRun(step=before), SampleRun(step=after), "ok")


RUN_STARTED = events.run_started(SampleRun(step="plan"), "sample", [], "1")


def test_an_empty_journal_says_nothing() -> None:
    empty = History()
    assert (empty.steps, empty.gates, empty.lineage, empty.seq, empty.started) == (
        {},
        {},
        [],
        0,
        "",
    )


def test_it_knows_when_the_run_began_and_what_was_last() -> None:
    found = history(RUN_STARTED, events.phase(True, "Plan"))
    assert (found.started, found.last) == ("2026-03-01T12:00:01.000Z", "2026-03-01T12:00:02.000Z")
    assert (found.workflow, found.phase, found.seq) == ("sample", "Plan", 2)


def test_a_started_step_runs_until_it_is_finished() -> None:
    assert [each.key for each in history(started("plan")).running()] == ["plan"]
    assert history(started("plan"), finished("plan")).running() == []
    assert history(started("plan"), events.step_interrupted("plan")).running() == []


def test_a_finished_step_keeps_everything_the_journal_says_of_it() -> None:
    record = history(
        started("plan"),
        finished("plan", commit="c1", base="c0", sets={"note": "x"}, before={"a": "missing"}),
    ).steps["plan"]
    assert (record.state, record.outcome, record.verdict) == ("finished", "ok", "done")
    assert (record.commit, record.base, record.sets, record.before) == (
        "c1",
        "c0",
        {"note": "x"},
        {"a": "missing"},
    )
    assert (record.started, record.finished) == (
        "2026-03-01T12:00:01.000Z",
        "2026-03-01T12:00:02.000Z",
    )
    assert (record.inputs, record.outputs) == ({"task": "sha256:1"}, {"plan.md": "sha256:2"})


def test_a_retry_keeps_what_was_tried_and_when_the_step_first_began() -> None:
    found = history(
        started("plan"),
        events.artifact_rejected("plan", "plan.md", "empty", "nothing", 0),
        events.contract_violated("plan", ["stray"], "write"),
        events.retry_scheduled("plan", "artifact", 1, 1, 0.0, ("plan.md is empty",)),
        started("plan", 1, repair=1),
    ).steps["plan"]
    assert found.started == "2026-03-01T12:00:01.000Z"
    assert [(each.attempt, each.classification, each.detail) for each in found.tried] == [
        (1, "artifact", ("plan.md is empty",))
    ]
    assert (found.rejected, found.violated, found.repair, found.state) == (
        [("plan.md", "empty", "nothing")],
        ["stray"],
        1,
        "running",
    )


def test_a_failed_try_is_not_running_any_more() -> None:
    assert (
        history(started("plan"), events.retry_scheduled("plan", "crash", 2, 3, 0.0)).running() == []
    )


def test_the_lineage_is_what_stands_in_order() -> None:
    found = history(
        started("plan"),
        finished("plan"),
        advanced("plan", "approve"),
        opened(),
        decided(),
        advanced("approve", "build"),
    )
    assert found.lineage == ["plan", "approve"]


def test_nothing_stands_on_what_failed() -> None:
    assert history(
        started("plan"), finished("plan"), started("build"), finished("build", "fail")
    ).lineage == ["plan"]


def test_what_is_stale_stands_no_more() -> None:
    base = (started("plan"), finished("plan"), opened(), decided())
    found = history(*base, events.step_stale("plan", ["task changed"]))
    assert (found.lineage, found.steps["plan"].state) == (["approve"], "stale")
    found = history(*base, events.gate_stale("approve", ["plan.md changed"]))
    assert (found.lineage, found.gates["approve"].stale, found.gates["approve"].open) == (
        ["plan"],
        True,
        True,
    )


def test_a_step_that_is_done_again_has_fresh_budgets_and_goes_on_with_its_count_of_calls() -> None:
    again = events.retry_scheduled("plan", "crash", 2, 1, 0.0, ["exit 1"])
    base = [started("plan"), again, started("plan", 2), finished("plan", "fail")]
    assert [each.classification for each in history(*base).steps["plan"].tried] == ["crash"]
    found = history(*base, events.step_stale("plan", ["sent on"]), started("plan")).steps["plan"]
    assert (found.tried, found.calls) == ([], 2)


def test_entering_a_step_again_undoes_it_and_all_that_followed() -> None:
    found = history(
        started("plan"),
        finished("plan"),
        advanced("plan", "build"),
        started("build/1"),
        finished("build/1"),
        advanced("build", "qa"),
        started("qa/1"),
        finished("qa/1", "revise"),
        advanced("qa", "build"),
    )
    assert found.lineage == ["plan"]


def test_entering_a_new_step_undoes_nothing() -> None:
    assert history(started("plan"), finished("plan"), advanced("plan", "build")).lineage == ["plan"]


def test_a_step_finished_twice_stands_once_at_its_later_place() -> None:
    found = history(
        started("a"), finished("a"), started("b"), finished("b"), started("a"), finished("a")
    )
    assert found.lineage == ["b", "a"]


def test_a_gate_is_open_until_it_is_decided() -> None:
    assert [each.key for each in history(opened()).open_gates()] == ["approve"]
    found = history(opened(), decided())
    assert found.open_gates() == []
    gate = found.gates["approve"]
    assert (gate.decision, gate.by, gate.note, gate.decided_subject) == (
        "approved",
        "Ada",
        "fine",
        {"plan.md": "sha256:2"},
    )


def test_a_gate_that_opens_again_needs_a_new_decision_for_its_new_opening() -> None:
    found = history(opened(), decided(), events.gate_stale("approve", ["x"]), opened())
    assert (
        found.gates["approve"].open,
        found.gates["approve"].opening,
        found.gates["approve"].stale,
    ) == (True, 4, False)


def test_a_gate_that_the_run_left_by_another_way_is_void() -> None:
    edited = events.run_edited(SampleRun(step="plan"), "run-state.md", ["Stage: Build -> Plan"])
    for left in (
        edited,
        advanced("approve", "plan"),
        events.run_cancelled(SampleRun(step="other"), "enough"),
    ):
        found = history(opened(), left)
        assert found.gates["approve"].void
        assert found.open_gates() == []


def test_an_edit_that_stays_at_the_gate_leaves_it_open() -> None:
    found = history(
        opened(), events.run_edited(SampleRun(step="approve"), "run-state.md", ["Notes: x"])
    )
    assert [each.key for each in found.open_gates()] == ["approve"]


def test_usage_is_the_sum_of_finished_dispatches() -> None:
    found = history(started("a"), finished("a"), started("b"), finished("b"))
    assert found.used() == {"tokens_in": 20, "tokens_out": 10, "cost_usd": 1.0}


def test_one_unknown_makes_the_sum_unknown_and_not_smaller() -> None:
    found = history(
        started("a"),
        finished("a"),
        started("b"),
        finished("b", usage={"tokens_in": None, "tokens_out": 5}),
    )
    assert found.used() == {"tokens_in": None, "tokens_out": 10, "cost_usd": None}


def test_a_check_of_the_engine_costs_nothing_and_counts_as_no_dispatch() -> None:
    check = events.step_started("check", "check", "command", "", 1, {})
    found = history(check, finished("check", usage={}))
    assert (found.used()["tokens_in"], found.dispatches()) == (0, 0)


def test_every_dispatch_that_came_back_counts_once_for_its_role() -> None:
    found = history(
        started("a"),
        events.retry_scheduled("a", "artifact", 1, 1, 0.0),
        started("a"),
        finished("a"),
        started("b"),
    )
    assert (found.calls, found.dispatches(), found.steps["a"].calls) == ({"a-agent": 2}, 2, 2)


def test_documents_are_known_by_what_was_last_written() -> None:
    found = history(events.document_saved("a", "sha256:1"), events.document_saved("a", "sha256:2"))
    assert found.documents == {"a": "sha256:2"}


def test_an_event_nobody_knows_changes_nothing_but_the_number() -> None:
    found = history({"type": "ticket.opened"})
    assert (found.seq, found.steps, found.gates) == (1, {}, {})


STORY = journal(
    RUN_STARTED,
    started("plan"),
    finished("plan"),
    advanced("plan", "approve"),
    opened(),
    decided(),
    advanced("approve", "build"),
    started("build/1"),
    events.retry_scheduled("build/1", "crash", 2, 3, 1.0),
    started("build/1", 2),
    finished("build/1"),
    advanced("build", "qa"),
    started("qa/1"),
    finished("qa/1", "revise"),
    advanced("qa", "build"),
    events.gate_stale("approve", ["plan.md changed"]),
    opened(),
)


@given(cut=st.integers(0, len(STORY)))
def test_absorbing_the_rest_is_the_same_as_reading_all_at_once(cut: int) -> None:
    found = History(STORY[:cut])
    for event in STORY[cut:]:
        found.absorb(event)
    assert vars(found) == vars(History(STORY))


def test_entering_a_step_again_to_go_on_undoes_nothing() -> None:
    facts = (
        started("plan"),
        finished("plan"),
        advanced("plan", "build"),
        started("build/1"),
        finished("build/1"),
    )
    onward = events.run_advanced(SampleRun(step="build"), SampleRun(step="plan"), "ok", onward=True)
    assert history(*facts, onward).lineage == ["plan", "build/1"]


def test_a_run_that_is_set_back_to_a_key_loses_that_key_and_what_followed_and_nothing_before() -> (
    None
):
    facts = [fact for n in (1, 2, 3) for fact in (started(f"build/{n}"), finished(f"build/{n}"))]
    back = events.run_advanced(
        SampleRun(step="build"), SampleRun(step="build"), "rewind", back_to="build/2"
    )
    found = history(*facts, back)
    assert found.lineage == ["build/1"]
    assert [found.steps[f"build/{n}"].state for n in (1, 2, 3)] == ["finished", "stale", "stale"]


def test_it_knows_when_the_run_was_taken_up_again() -> None:
    found = history(RUN_STARTED, events.run_resumed(SampleRun(step="plan"), "decided", "1"))
    assert [(each["reason"], each["seq"]) for each in found.resumes] == [("decided", 2)]


@pytest.mark.parametrize(
    ("key", "choices", "words", "takes"),
    [
        ("ask-dirty", ["stash", "abort"], False, False),
        ("clarify", ["a", "stop"], True, True),
        ("ask", [], False, True),
        # As a version wrote them that did not say it: what an agent asks for is called so by the
        # engine.
        ("build/1/question-1", ["a", "b"], False, True),
        ("build/1/parked-2", ["again"], False, True),
        ("build/1/drift-1", ["mine", "restore"], False, False),
    ],
)
def test_a_gate_says_whether_it_takes_an_answer_in_words(
    key: str, choices: list[str], words: bool, takes: bool
) -> None:
    kind = "drift" if "drift" in key else "question"
    fact = events.gate_opened(key, "build", kind, "?", choices, {}, words=words)
    assert history(fact).gates[key].words is takes
