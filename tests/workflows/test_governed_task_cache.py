from __future__ import annotations

from podium.workflows.governed.memory.task_cache import Done, earlier
from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.policy.policy import DEFAULT, read_policy

PLAN = read_object(good_plan(phases=[{"title": "Count words in a text"}])).plan
assert PLAN is not None
PHASE = PLAN.phases[0]
SAME = Done("old-plan", "count words in a text", ("work/piece-1.txt",))


def test_a_phase_with_the_same_title_and_files_is_worth_a_remark() -> None:
    [found] = earlier(PHASE, [Done("x", "Something else", ("b",)), SAME], DEFAULT)
    assert (found.kind, found.like, found.similarity) == ("remark", SAME, 1.0)


def test_the_same_title_with_other_files_is_another_phase() -> None:
    assert earlier(PHASE, [Done("x", PHASE.title, ("b.py", "c.py"))], DEFAULT) == ()


def test_only_the_last_phases_are_looked_at_and_only_where_it_is_on() -> None:
    history = [SAME, *(Done("x", f"thing {number}", ()) for number in range(10))]
    assert earlier(PHASE, history, DEFAULT) == ()
    assert len(earlier(PHASE, history, read_policy(None, {"task_cache.lookback_phases": 11}))) == 1
    assert earlier(PHASE, [SAME], read_policy(None, {"task_cache.enabled": False})) == ()


def test_more_than_a_remark_is_a_question_and_still_completes_nothing() -> None:
    [found] = earlier(PHASE, [SAME], read_policy(None, {"task_cache.recommendation_only": False}))
    assert found.kind == "question"
