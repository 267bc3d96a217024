"""Whose tasks.yaml it is: an agent's is checked and may be written anew, a person's is obeyed or
refused, an old one is none.
"""

from __future__ import annotations

from typing import Any

from podium.core.digest import digest
from podium.core.verdict import Judgement
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.settling import settle
from podium.workflows.ticket.tasks.compose import compose

WHERE = "prompts/PROJ-1/iteration_0/tasks.yaml"
NOW = [{"name": "clock", "now": "2026-03-01T12:00:00+00:00"}]
GOOD = compose({"tasks": [{"id": "T1", "files_to_modify": ["a.py"]}]}, "", {})
DONE = GOOD.replace("PENDING", "ACCEPTED")
BAD = GOOD.replace("parallel_groups:\n  A:\n    - ", "parallel_groups:\n  - ")


def settled(text: str | None, **members: Any) -> Judgement:
    return settle(
        TicketRun(
            step="settle",
            jira="PROJ-1",
            test_command="true",
            created_at="2026-03-01T11:00:00Z",
            **members,
        ),
        {WHERE: text},
        NOW,
    )


def by_agent(text: str, **members: Any) -> Judgement:
    return settled(text, planned=digest(text), **members)


def events(found: Judgement) -> list[str]:
    return [
        each["event"].removeprefix("orchestrator.")
        for each in found.facts
        if each["type"] == "ticket.log"
    ]


def test_the_planners_tasks_are_used_and_counted_at_once() -> None:
    found = by_agent(GOOD)
    assert (found.route, found.sets["tasks"], found.sets["trivial"]) == (
        "use",
        {"T1": ["PENDING", 0]},
        True,
    )
    assert (found.sets["metrics"]["tasks_total"], found.sets["metrics"]["groups_total"]) == (1, 1)
    assert events(found) == ["planner.complete", "splitter.skipped_planner_provided", "tasks.ready"]


def test_tasks_that_are_missing_go_to_the_splitter() -> None:
    assert (settled(None).route, events(settled(None))) == ("split", ["planner.complete"])


def test_an_agents_tasks_that_cannot_be_used_go_to_the_splitter_with_the_reason() -> None:
    for text in (BAD, DONE):
        found = by_agent(text)
        assert found.route == "split"
        assert found.sets["invalid"] == found.reason
        assert events(found) == ["planner.complete", "tasks.yaml.invalid"]


def test_after_the_splitter_there_is_nobody_left() -> None:
    found = by_agent(BAD, split=True, settled=2)
    assert (found.route, found.stop) == ("none", "tasks")
    assert events(by_agent(GOOD, split=True, settled=2)) == ["tasks.ready"]


def test_a_persons_change_of_the_planners_tasks_is_obeyed_also_where_something_is_done() -> None:
    found = settled(DONE, planned=digest(GOOD))
    assert (found.route, found.sets["tasks"]) == ("use", {"T1": ["ACCEPTED", 0]})


def test_a_persons_change_that_cannot_be_used_is_theirs_to_mend_and_not_written_over() -> None:
    found = settled(BAD, planned=digest(GOOD))
    assert (found.route, found.stop) == ("none", "tasks")


def test_a_file_from_before_the_plan_is_none() -> None:
    assert settled(GOOD, leftover=digest(GOOD)).route == "split"
    assert settled(GOOD, anew=True).route == "split"


def test_a_file_that_a_person_wrote_where_the_planner_wrote_none_is_theirs() -> None:
    assert settled(DONE, leftover=digest(GOOD)).route == "use"


def test_whoever_sends_the_run_on_vouches_for_the_file() -> None:
    assert settled(DONE, planned=digest(DONE), by_hand=True, split=True, settled=3).route == "use"
