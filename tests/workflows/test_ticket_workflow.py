"""A ticket from its words to its commit: every story it can have, and what holds in all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from podium.core.advance import advance, unblocked
from podium.core.effects import Cluster, Stage
from podium.core.explore import Exploration, explore
from podium.core.run import Run, Status
from podium.workflows.ticket import proofs
from podium.workflows.ticket.progress import metrics
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.tasks import moves
from podium.workflows.ticket.tasks.moves import Move
from podium.workflows.ticket.workflow import Ticket

POLICY = {"max_iterations": 5, "max_attempts": 5, "max_parallel_tasks": 0}
SMALL = {"max_iterations": 2, "max_attempts": 2, "max_parallel_tasks": 0}
TWO = {"A": ["PENDING", 0], "B": ["PENDING", 0]}


def told(
    *stories: tuple[str, Mapping[str, Any]] | str,
    policy: Mapping[str, Any] = POLICY,
    **members: Any,
) -> TicketRun:
    """The run after these outcomes, each with what it sets."""
    run: Run = Ticket(policy).first(**members)
    for each in stories:
        outcome, sets = (each, {}) if isinstance(each, str) else each
        run = advance(Ticket(policy), run, outcome, sets)
    assert isinstance(run, TicketRun)
    return run


@pytest.fixture(scope="module")
def explored() -> Exploration:
    return explore(Ticket(POLICY))


# -- every story


def test_no_story_breaks_a_rule(explored: Exploration) -> None:
    assert explored.complete
    assert [str(each) for each in explored.violations] == []


def test_the_rules_are_those_that_were_asked_for(explored: Exploration) -> None:
    assert [each.name for each in explored.workflow.invariants] == [
        "no code-writing agent before the git gate",
        "at most 5 iterations",
        "at most 5 attempts of a task",
        "only new and rejected tasks are run",
        "the Reviewer is left out only for a trivial graph",
        "percent never above 95 before acceptance",
        "percent never falls within an iteration",
        "nothing is complete without a commit step",
    ]


def test_five_iterations_and_five_attempts_are_reached_and_no_sixth(explored: Exploration) -> None:
    assert explored.bounds()["iteration"] == (0, 4)
    assert explored.bounds()["percent"] == (0, 100)
    attempts = {
        attempt for run in explored.states for _, attempt in getattr(run, "tasks", {}).values()
    }
    assert attempts == set(range(6))


def test_a_run_ends_whatever_agents_do(explored: Exploration) -> None:
    assert math.isfinite(
        explored.worst_case(lambda step: int(isinstance(step.effect, Stage | Cluster)))
    )
    assert all(run.reason or run.status is not Status.BLOCKED for run in explored.states)


@pytest.mark.parametrize(("iterations", "attempts"), [(1, 1), (2, 2), (3, 1)])
def test_the_rules_hold_for_other_limits_too(iterations: int, attempts: int) -> None:
    found = explore(
        Ticket({"max_iterations": iterations, "max_attempts": attempts, "max_parallel_tasks": 0})
    )
    assert [str(each) for each in found.violations] == []
    assert found.bounds()["iteration"][1] == iterations - 1


# -- broken on purpose: each rule bites


def broken(change: Callable[[Ticket], None]) -> list[str]:
    workflow = Ticket(SMALL)
    change(workflow)
    return [each.name for each in explore(workflow).violations]


def _route(workflow: Ticket, name: str, route: Callable[..., str]) -> None:
    workflow.steps = {**workflow.steps, name: replace(workflow.steps[name], route=route)}


def test_a_way_around_the_git_gate_is_found() -> None:
    def around(workflow: Ticket) -> None:
        route = workflow.steps["settle"].route
        _route(
            workflow,
            "settle",
            lambda flow, run, outcome: (
                "next_group" if outcome == "use" else route(flow, run, outcome)
            ),
        )

    assert "no code-writing agent before the git gate" in broken(around)


def test_a_sixth_iteration_is_found() -> None:
    def endless(workflow: Ticket) -> None:
        workflow.policy = {**SMALL, "max_iterations": 3}

    assert "at most 2 iterations" in broken(endless)


def test_an_attempt_too_many_is_found() -> None:
    def patient(workflow: Ticket) -> None:
        workflow.policy = {**SMALL, "max_attempts": 3}

    assert "at most 2 attempts of a task" in broken(patient)


def test_a_task_that_runs_again_without_a_rejection_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = moves.next_move

    def all_again(graph: Any, **told: Any) -> Move:
        found = real(graph, **told)
        return (
            replace(found, ids=tuple(each.id for each in graph.tasks))
            if found.outcome == "develop"
            else found
        )

    monkeypatch.setattr(proofs.moves, "next_move", all_again)
    assert "only new and rejected tasks are run" in broken(lambda _: None)


def test_an_acceptance_without_a_review_is_found() -> None:
    def lenient(workflow: Ticket) -> None:
        route = workflow.steps["next_group"].route
        _route(
            workflow,
            "next_group",
            lambda flow, run, outcome: (
                "accept" if outcome == "finished" else route(flow, run, outcome)
            ),
        )

    assert "the Reviewer is left out only for a trivial graph" in broken(lenient)


def test_a_percentage_that_is_too_high_or_falls_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "percent", lambda accepted, total, **_: 100 * accepted // total)
    assert "percent never above 95 before acceptance" in broken(lambda _: None)
    monkeypatch.setattr(metrics, "percent", lambda accepted, total, **_: 90 - 40 * accepted)
    assert "percent never falls within an iteration" in broken(lambda _: None)


def test_an_end_without_a_commit_is_found() -> None:
    def hasty(workflow: Ticket) -> None:
        _route(
            workflow, "accept", lambda flow, run, outcome: "commit"
        )  # forgets that it is accepted

    assert "nothing is complete without a commit step" in broken(hasty)


# -- told stories

PLANNED = ("clear", "ok", "ok", "ok", ("use", {"tasks": TWO}))


def test_the_straight_way() -> None:
    run = told(
        *PLANNED,
        "go",
        "ok",
        ("develop", {"batch": ["A", "B"]}),
        "ok",
        "validate",
        "pass",
        "finished",
        "ok",
        "accepted",
        "none",
        "ok",
        "ok",
        "ok",
        "ok",
    )
    assert (run.status, run.accepted, run.gated, run.iteration) == (Status.COMPLETE, True, True, 0)


def test_the_splitter_is_asked_once_for_each_iteration() -> None:
    run = told("clear", "ok", "ok", "ok", "split")
    assert (run.step, run.split, run.settled) == ("split_tasks", True, 2)
    assert told("clear", "ok", "ok", "ok", "split", "ok", "none").status is Status.BLOCKED


def test_a_later_iteration_does_not_pass_the_git_gate_again() -> None:
    run = told(
        *PLANNED, "go", "ok", "finished", "revise", "rejected", "ok", "ok", ("use", {"tasks": TWO})
    )
    assert (run.step, run.iteration) == ("next_group", 1)


def test_what_belongs_to_one_iteration_begins_anew_in_the_next() -> None:
    before = {
        "tasks": TWO,
        "tries": {"A": 3},
        "evidence": {"A": ["no"]},
        "planned": "x",
        "percent": 47,
        "touched": ["a.py"],
        "results": {"A": {}},
    }
    run = told(*PLANNED, "go", ("ok", before), "finished", "revise", "rejected")
    assert (
        run.step,
        run.iteration,
        run.tasks,
        run.tries,
        run.evidence,
        run.percent,
        run.planned,
    ) == ("begin", 1, {}, {}, {}, 0, "")
    assert run.touched == ["a.py"]


def test_the_last_rejection_stops_with_the_exact_words() -> None:
    story = [*PLANNED, "go", "ok", "finished", "revise", "rejected"]
    for _ in range(4):
        story += ["ok", "ok", ("use", {"tasks": TWO}), "finished", "revise", "rejected"]
    run = told(*story)
    assert (run.status, run.reason, run.iteration) == (
        Status.BLOCKED,
        "MAXIMUM ITERATIONS REACHED (5/5). STOPPING.",
        4,
    )


def test_of_several_tickets_the_chosen_one_is_what_the_run_is_about() -> None:
    workflow = Ticket(POLICY, asks_which=True)
    run = workflow.first(
        jira="A-1", ids=["A-1", "B-2"], original="A-1 or B-2: count words", text="x"
    )
    assert run.step == "which_ticket"
    after = advance(workflow, run, "chosen", {"chosen": "B-2"})
    assert isinstance(after, TicketRun)
    assert (after.step, after.jira, after.text) == ("analyse", "B-2", "A-1 or B-2: count words")


@pytest.mark.parametrize(
    ("at", "step", "by_hand"),
    [
        ("O1", "begin", False),
        ("O3", "begin", False),
        ("O4", "settle", True),
        ("O4.5", "git_look", False),
        ("O5", "git_look", False),
        ("O6", "git_look", False),
    ],
)
def test_a_run_that_goes_on_from_its_files_goes_on_where_they_say(
    at: str, step: str, by_hand: bool
) -> None:
    run = told("restored", "ok", resumes_at=at)
    assert (run.step, run.by_hand, run.resumes_at, run.gated) == (step, by_hand, "", False)


def test_a_person_who_sends_a_run_on_is_asked_again_what_they_refused() -> None:
    run = told(*PLANNED, "ask_dirty", "abort", "refused")
    assert run.answers == {"dirty": "abort"}
    again = unblocked(Ticket(POLICY), run)
    assert isinstance(again, TicketRun)
    assert (again.answers, again.step, again.status) == ({}, "git_look", Status.ACTIVE)


def test_attempts_are_given_anew_only_where_they_were_used_up() -> None:
    used = unblocked(Ticket(POLICY), told(*PLANNED, "go", "ok", "exhausted"))
    assert isinstance(used, TicketRun)
    assert used.forgiven
    other = unblocked(Ticket(POLICY), told(*PLANNED, "refused"))
    assert isinstance(other, TicketRun)
    assert not other.forgiven


def test_evidence_of_the_last_attempt_and_all_changed_files_are_kept() -> None:
    results = {"A": {"status": "REJECTED", "evidence": ["first"], "changed": ["a.py"]}}
    later = {"A": {"status": "SYNTAX_VALID", "evidence": [], "changed": ["b.py"]}}
    run = told(
        *PLANNED,
        "go",
        "ok",
        "develop",
        ("ok", {"results": results}),
        "develop",
        ("ok", {"results": later}),
    )
    assert (run.evidence, run.touched) == ({"A": ["first"]}, ["a.py", "b.py"])


def test_every_step_has_its_place_in_progress_yaml() -> None:
    from podium.workflows.ticket.files import POSITIONS  # noqa: PLC0415
    from podium.workflows.ticket.progress.phases import PHASES  # noqa: PLC0415

    assert set(POSITIONS) == {*Ticket.steps, "done"}
    assert all(step in PHASES[phase] for phase, step in POSITIONS.values())
    assert {step for _, step in POSITIONS.values()} == {
        "I2",
        "O1",
        "O3",
        "O4",
        "O4.5",
        "O5",
        "O6",
        "O7",
    }


def test_steps_that_run_more_than_once_in_an_iteration_have_keys_of_their_own() -> None:
    run = told(*PLANNED, "go", "ok", ("develop", {"batch": ["A", "B"], "tries": {"A": 2, "B": 1}}))
    effect = Ticket.steps["develop"].effect
    assert isinstance(effect, Cluster)
    assert [each.name for each in effect.members(run)] == ["A/2", "B/1"]
    assert effect.width is not None
    assert effect.width(replace(run, parallel=7)) == 7
