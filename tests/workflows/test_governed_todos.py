from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.plan.todos import Todo, first_todos, marked, reconciled, unmarked


def plan_of(*phases: dict[str, Any]) -> Plan:
    plan = read_object(good_plan(phases=list(phases))).plan
    assert plan is not None
    return plan


PLAN = plan_of({"title": "Read"}, {"title": "Write"}, {"title": "Tell"})


def test_a_plan_has_one_todo_for_each_phase() -> None:
    todos = first_todos(PLAN)
    assert [str(each) for each in todos] == [
        "[ ] Phase 1 — Read",
        "[ ] Phase 2 — Write",
        "[ ] Phase 3 — Tell",
    ]
    assert unmarked(todos, {1, 3}) == (todos[0], todos[2])


def test_phases_are_marked_one_at_a_time_and_once() -> None:
    todos = marked(first_todos(PLAN), 2)
    assert [each.done for each in todos] == [False, True, False]
    with pytest.raises(ValueError, match="Phase 2 — Write is marked already"):
        marked(todos, 2)
    with pytest.raises(LookupError, match="there is no todo for phase 9"):
        marked(todos, 9)


def test_on_resume_the_list_is_made_what_plan_and_evidence_say() -> None:
    before = (
        Todo(1, "Phase 1 — Read", done=True),
        Todo(2, "Phase 2 — Other"),
        Todo(7, "Phase 7 — Gone", done=True),
    )
    after, changes = reconciled(before, PLAN, {3})
    assert [(each.phase_id, each.done) for each in after] == [(1, False), (2, False), (3, True)]
    assert changes == (
        "Phase 7 — Gone: gone from the plan",
        "Phase 1 — Read: unmarked, nothing shows that it is done",
        "Phase 2 — Write: was called Phase 2 — Other",
        "Phase 3 — Tell: new, already verified",
    )


def test_a_phase_that_is_verified_and_not_marked_is_marked() -> None:
    after, changes = reconciled(first_todos(PLAN), PLAN, {1})
    assert after[0].done
    assert changes == ("Phase 1 — Read: marked, its phase is verified",)


@given(
    st.lists(st.builds(Todo, st.integers(1, 5), st.just("x"), st.booleans()), max_size=5),
    st.sets(st.integers(1, 5)),
)
@settings(max_examples=60, deadline=None)
def test_reconciling_twice_changes_nothing_more(before: list[Todo], verified: set[int]) -> None:
    after, _ = reconciled(before, PLAN, verified)
    assert reconciled(after, PLAN, verified) == (after, ())
    assert {each.phase_id for each in after if each.done} == verified & {1, 2, 3}
