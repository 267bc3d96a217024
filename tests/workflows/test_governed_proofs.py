"""The invariants of a governed run and of a phase: they hold as shipped, and each is false where
it should be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from podium.core.explore import explore
from podium.core.proofs import Exploration, Transition
from podium.core.run import DONE, Run, Status
from podium.core.workflow import Workflow
from podium.workflows.governed import phase_proofs, proofs
from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.phase_workflow import PhaseWork
from podium.workflows.governed.policy.policy import DEFAULT, Policy, read_policy
from podium.workflows.governed.run import GovernedRun, PhaseRun
from podium.workflows.governed.terms import TIERS
from podium.workflows.governed.workflow import Governed

PARENT, PHASE = Governed(DEFAULT), PhaseWork(DEFAULT)


@cache
def explored(name: str) -> Exploration:
    return explore({"governed": PARENT, "governed-phase": PHASE}[name])


@pytest.mark.parametrize("workflow", [PARENT, PHASE], ids=lambda each: each.name)
def test_everything_holds_as_shipped(workflow: Workflow) -> None:
    found = explored(workflow.name)
    assert found.complete
    assert [str(each) for each in found.violations] == []


@pytest.mark.parametrize("workflow", [PARENT, PHASE], ids=lambda each: each.name)
def test_what_a_run_can_cost_is_bounded(workflow: Workflow) -> None:
    assert explored(workflow.name).worst_case(lambda _: 1) < 1000


def test_every_tier_and_the_override_are_explored() -> None:
    kinds = {
        (run.tier, len(run.reviewers))
        for run in explored("governed").states
        if isinstance(run, GovernedRun) and run.waves
    }
    assert kinds == {("TRIVIAL", 0), ("TRIVIAL", 3), ("SMALL", 1), ("MEDIUM", 2), ("LARGE", 3)}


def test_revisions_reach_the_limit_of_their_tier_and_no_more() -> None:
    states = [run for run in explored("governed").states if isinstance(run, GovernedRun)]
    most = {
        tier: max(run.revisions for run in states if run.tier == tier)
        for tier in ("SMALL", "MEDIUM", "LARGE")
    }
    assert most == {"SMALL": 2, "MEDIUM": 5, "LARGE": 5}


@pytest.mark.parametrize("workflow", [PARENT, PHASE], ids=lambda each: each.name)
def test_no_route_changes_a_plan_that_copies_of_the_run_share(workflow: Workflow) -> None:
    plans = [
        run.plan
        for run in explored(workflow.name).states
        if isinstance(run, GovernedRun | PhaseRun)
    ]
    for plan in {id(each): each for each in plans if each}.values():
        assert plan in (
            good_plan(),
            good_plan(complexity_tier=plan["complexity_tier"], phases=[{}, {}, {"wave": 2}]),
        )


def broken(
    workflow: Workflow, rules: Any, runs: Sequence[Run], moves: Sequence[tuple[int, str, int]] = ()
) -> set[str]:
    found = Exploration(workflow, tuple(runs), (0,), tuple(Transition(*each) for each in moves))
    return {
        each.name.partition(" (")[0] for each in rules.invariants(DEFAULT) if each.broken(found)
    }


def governed(step: str, **members: Any) -> GovernedRun:
    return GovernedRun(
        step=step,
        **{
            "waves": [[1], [2]],
            "wave": 1,
            "consented": True,
            "sound": True,
            "reviewers": ["plan-auditor"],
            **members,
        },
    )


def phase(step: str, **members: Any) -> PhaseRun:
    return PhaseRun(step=step, **members)


ACTING = "nothing acts before a person approved this version of the plan"


@pytest.mark.parametrize(
    ("runs", "moves", "name"),
    [
        (
            [governed("approve_wave"), governed("run_wave", consented=False)],
            [(0, "approved", 1)],
            ACTING,
        ),
        ([governed("audit", consented=False), governed("judge_review")], [(0, "ok", 1)], ACTING),
        (
            [governed("approve_wave"), governed("run_wave", sound=False)],
            [(0, "approved", 1)],
            "nothing acts before the reviewers approved it, or a person said so",
        ),
        (
            [governed("open_wave"), governed("run_wave")],
            [(0, "ask", 1)],
            "no wave starts without its approval",
        ),
        (
            [governed("approve_wave"), governed("run_wave", approvals=[{}])],
            [(0, "approved", 1)],
            "no wave starts without its approval",
        ),
        (
            [governed("open_wave"), governed("approve_wave", approvals=[{"high_risk": True}])],
            [(0, "ask", 1)],
            "high-risk work has an approval of its own",
        ),
        (
            [governed("approve_wave"), governed("run_wave", wave=2)],
            [(0, "approved", 1)],
            "no wave before the one before it is complete",
        ),
        ([governed("draft", revisions=3)], [], "revisions stay within the tier's limit"),
        (
            [governed("close_wave"), governed("open_wave")],
            [(0, "escalated", 1)],
            "whatever escalates waits for a person",
        ),
        (
            [governed("open_wave"), governed("approve_completion")],
            [(0, "finished", 1)],
            "the session's outcome comes before acceptance",
        ),
        (
            [governed("summarise"), governed(DONE, status=Status.COMPLETE)],
            [(0, "ok", 1)],
            "nothing is complete without a person",
        ),
    ],
)
def test_each_rule_of_a_run_is_false_where_it_is_broken(
    runs: list[GovernedRun], moves: list[Any], name: str
) -> None:
    assert broken(PARENT, proofs, runs, moves) == {name}


def done(**members: Any) -> PhaseRun:
    return phase(DONE, status=Status.COMPLETE, **members)


@pytest.mark.parametrize(
    ("runs", "moves", "name"),
    [
        (
            [phase("review"), done(result="complete")],
            [(0, "passes", 1)],
            "no phase is complete without its checklist and todo",
        ),
        (
            [phase("execute"), phase("mark", reviewed=False)],
            [(0, "ok", 1)],
            "no phase is complete without build, tests and lint",
        ),
        (
            [phase("evidence"), phase("mark")],
            [(0, "pass", 1)],
            "no phase is complete without its review where one is due",
        ),
        (
            [phase("route", failures=[["fixable", ""]] * 3)],
            [],
            "at most 6 failures of a phase, each class within its budget",
        ),
        (
            [phase("route"), phase("execute")],
            [(0, "escalate", 1)],
            "whatever escalates ends the phase",
        ),
    ],
)
def test_each_rule_of_a_phase_is_false_where_it_is_broken(
    runs: list[PhaseRun], moves: list[Any], name: str
) -> None:
    assert broken(PHASE, phase_proofs, runs, moves) == {name}


@pytest.mark.parametrize("made", [Governed, PhaseWork])
def test_a_policy_with_other_numbers_holds_too(made: Callable[..., Workflow]) -> None:
    policy = read_policy(
        None,
        {
            "max_iterations_by_tier.SMALL": 1,
            "retry_budgets.fixable_max": 2,
            "review_pipeline_by_tier.TRIVIAL.plan_auditor": True,
        },
    )
    assert [str(each) for each in explore(made(policy)).violations] == []


ONCE = read_policy(None, {f"max_iterations_by_tier.{tier}": 1 for tier in TIERS})


def bent(
    made: Callable[[Policy], Workflow], step: str, route: Callable[[Any, Any, str], str]
) -> set[str]:
    """What `podium check` says of a workflow in which one step goes another way."""
    workflow = made(ONCE)
    known = workflow.steps[step]
    workflow.steps = {
        **workflow.steps,
        step: replace(
            known,
            route=lambda self, run, outcome: (
                route(self, run, outcome) or known.route(self, run, outcome)
            ),
        ),
    }
    return {
        each.name
        for each in explore(workflow).violations
        if not each.name.startswith(("unused", "undeclared"))
    }


def forgets_consent(_: Any, run: Any, outcome: str) -> str:
    return "open_wave" if outcome == "approved" else ""


def hurries(_: Any, run: Any, outcome: str) -> str:
    if outcome == "escalated":
        run.complete = []
        return "open_wave"
    return ""


def never_counts(_: Any, run: Any, outcome: str) -> str:
    if outcome == "revise":
        run.revisions = 9
        return "draft"
    return ""


def marks_at_once(_: Any, run: Any, outcome: str) -> str:
    return "mark" if outcome == "fail" else ""


def does_not_review(_: Any, run: Any, outcome: str) -> str:
    return "mark" if outcome == "pass" else ""


def tries_for_ever(_: Any, run: Any, outcome: str) -> str:
    # As if one budget more had been granted.
    return "execute" if outcome == "escalate" and len(run.failures) < 2 else ""


@pytest.mark.parametrize(
    ("made", "step", "route", "broken_rule"),
    [
        (Governed, "approve_plan", forgets_consent, ACTING),
        (Governed, "close_wave", hurries, "whatever escalates waits for a person"),
        (
            Governed,
            "judge_review",
            never_counts,
            "revisions stay within the tier's limit (at most 1)",
        ),
        (
            PhaseWork,
            "evidence",
            marks_at_once,
            "no phase is complete without build, tests and lint",
        ),
        (
            PhaseWork,
            "evidence",
            does_not_review,
            "no phase is complete without its review where one is due",
        ),
        (
            PhaseWork,
            "route",
            tries_for_ever,
            "at most 6 failures of a phase, each class within its budget",
        ),
    ],
)
def test_a_workflow_that_goes_another_way_is_found_out(
    made: Any, step: str, route: Any, broken_rule: str
) -> None:
    assert broken_rule in bent(made, step, route)
