from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from podium.workflows.governed.exchange import delegations
from podium.workflows.governed.exchange.delegations import Delegation, Revision
from podium.workflows.governed.payloads.good import good_answer, good_plan
from podium.workflows.governed.payloads.payloads import payload_faults
from podium.workflows.governed.payloads.schema_store import delegation
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.policy.policy import DEFAULT, Policy, read_policy
from podium.workflows.governed.review.final_review import prior_findings, snapshot
from podium.workflows.governed.roster import EXECUTORS

TRACE = "0d4e3c6a-8f7b-4b5e-9c1d-2a3b4c5d6e7f"
EARLIER = replace(DEFAULT, generation="2026-04")
GENERATIONS = [pytest.param(EARLIER, id="2026-04"), pytest.param(DEFAULT, id="2026-06")]


def plan_of(**members: Any) -> Plan:
    found = read_object(good_plan(**members))
    assert found.plan is not None, found.faults
    return found.plan


def valid(made: Delegation, policy: Policy) -> Delegation:
    assert made.faults == ()
    assert payload_faults(delegation(made.agent), made.payload, policy.generation) == ()
    return made


@pytest.mark.parametrize("policy", GENERATIONS)
@pytest.mark.parametrize("executor", EXECUTORS)
def test_every_executor_is_handed_a_valid_payload(policy: Policy, executor: str) -> None:
    plan = plan_of(phases=[{"executor_agent": executor, "phase_type": "modifying"}])
    made = delegations.phase(
        plan, plan.phases[0], policy, task_id="t", retry_attempt=2, told=["mend the build"]
    )
    valid(made, policy)
    if (
        executor != "CodeReviewer-subagent" or policy is DEFAULT
    ):  # the earlier generation has no place for it there
        text = str(made.payload)
        assert "This is retry 2 of this phase" in text
        assert "mend the build" in text


@pytest.mark.parametrize("policy", GENERATIONS)
@pytest.mark.parametrize("role", ["plan-auditor", "assumption-verifier", "executability-verifier"])
def test_every_reviewer_of_a_plan_is_handed_a_valid_payload(policy: Policy, role: str) -> None:
    made = delegations.plan_review(
        role,
        plan_of(),
        "plans/x-plan.md",
        policy,
        task_id="x",
        trace_id=TRACE,
        iteration=2,
        focus=["performance"],
        retry_attempt=1,
        tree="src/",
    )
    valid(made, policy)
    assert made.payload["iteration_index"] == 2
    assert ("retry_attempt" in made.payload) == (role == "plan-auditor")
    assert ("focus_areas" in made.payload) == (role != "executability-verifier")


@pytest.mark.parametrize("policy", GENERATIONS)
def test_research_is_handed_what_it_is_about(policy: Policy) -> None:
    assert valid(delegations.mapping("src", policy, focus=["tests"]), policy).payload[
        "focus_areas"
    ] == ["tests"]
    assert (
        valid(delegations.research("why", policy), policy).payload["research_query"]
        == "why (nothing more was said)"
    )


@pytest.mark.parametrize("policy", GENERATIONS)
@pytest.mark.parametrize(
    "revision",
    [
        None,
        Revision("a gap", "plans/x-plan.md"),
        Revision("a gap", "plans/x-plan.md", "new_artifact_supersession", ("MAJOR: x",)),
    ],
)
def test_the_planner_is_told_what_to_plan_or_revise(
    policy: Policy, revision: Revision | None
) -> None:
    made = delegations.planning(
        "do it", policy, constraints=["no network"], revision=revision, trace_id=TRACE, iteration=1
    )
    valid(made, policy)
    assert "no network" in made.payload["constraints"]
    if revision is not None:
        assert "plans/x-plan.md" in str(made.payload)
        assert set(revision.findings) <= set(made.payload["constraints"])


@pytest.mark.parametrize("policy", GENERATIONS)
def test_a_code_review_is_of_a_phase_or_of_everything(policy: Policy) -> None:
    plan = plan_of()
    one = valid(
        delegations.code_review(
            ["b", "a"], policy, phase=plan.phases[0], report={"status": "COMPLETE"}
        ),
        policy,
    )
    assert (one.payload["phase_id"], one.payload["review_scope"], one.payload["changed_files"]) == (
        1,
        "phase",
        ["a", "b"],
    )
    prior = prior_findings({1: good_answer("code-reviewer")})
    whole = valid(
        delegations.code_review(["a"], policy, snapshot=snapshot(plan), prior=prior, security=True),
        policy,
    )
    assert (
        whole.payload["phase_id"],
        whole.payload["review_scope"],
        whole.payload["review_mode"],
    ) == (
        0,
        "final",
        "security",
    )


def test_a_review_of_nothing_is_never_sent() -> None:
    assert delegations.code_review([], DEFAULT).faults == (
        "changed_files: expected at least 1 item, got 0",
    )


@pytest.mark.parametrize(
    ("mode", "omission", "marker", "model", "members", "fault"),
    [
        ("auto", True, True, "", {"runtime_model_mode": "auto"}, False),
        ("auto", True, True, "m", {"runtime_model_mode": "auto", "model": "m"}, False),
        ("auto", True, False, "m", {"model": "m"}, False),
        ("auto", True, False, "", {"runtime_model_mode": "auto"}, False),
        ("auto", False, True, "", {"runtime_model_mode": "auto"}, True),
        ("auto", False, True, "m", {"runtime_model_mode": "auto", "model": "m"}, False),
        (
            "deterministic",
            True,
            True,
            "m",
            {"runtime_model_mode": "deterministic", "model": "m"},
            False,
        ),
        ("deterministic", True, True, "", {"runtime_model_mode": "deterministic"}, True),
    ],
)
def test_the_policys_mode_says_whether_a_model_must_be_named(
    mode: str, omission: bool, marker: bool, model: str, members: dict[str, Any], fault: bool
) -> None:
    policy = read_policy(
        None,
        {
            "model_dispatch.default_mode": mode,
            "model_dispatch.auto_mode_allow_outer_model_omission": omission,
            "model_dispatch.auto_mode_requires_runtime_marker": marker,
        },
    )
    policy = replace(policy, models={"code-mapper": model} if model else {})
    found, faults = delegations.model_members(policy, "code-mapper")
    assert found == members
    assert bool(faults) == fault
    assert bool(delegations.mapping("the sources", policy).faults) == fault
    assert ("code-mapper" in delegations.unnamed(policy)) == fault


def test_a_misfit_executor_gets_no_payload_that_could_be_sent() -> None:
    plan = plan_of(phases=[{"executor_agent": "CodeReviewer-subagent", "files": []}])
    assert delegations.phase(plan, plan.phases[0], DEFAULT, task_id="t").faults == (
        "changed_files: expected at least 1 item, got 0",
    )
