"""What a governed run finds out and keeps: research before a plan stands, facts that outlive the
task, notes, likeness.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import governed as g
from tests.fakes.governed import PLAN, Governed

from podium.workflows.governed.payloads.good import good_answer, good_plan, risk_review

WELL = {"behave": "well"}
MEMORY = "memories/repo.jsonl"
DOUBT = risk_review(
    performance={"applicability": "uncertain", "impact": "UNKNOWN", "disposition": "open_question"}
)
READING = {
    "executor_agent": "Researcher-subagent",
    "phase_type": "read_only",
    "files": [{"path": "src/app.py", "action": "review", "reason": "why"}],
}


@pytest.fixture
def run(tmp_path: Path) -> Governed:
    return Governed.of(tmp_path)


def fact(what: str = "VALUE is one", file: str = "src/app.py", line: int = 1) -> dict[str, Any]:
    return {"fact": what, "evidence": [{"file": file, "line_start": line}]}


def researched(*facts: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {
        "verdict": {**good_answer("researcher"), "key_findings": list(facts), **members},
        "say": "looked",
    }


# -- research and design


def test_what_the_first_draft_leaves_open_is_looked_up_before_anybody_approves_it(
    run: Governed,
) -> None:
    agents = {
        "planner": [g.plan({}, risk_review=DOUBT), g.plan({})],
        "researcher": [researched(fact())],
    }
    assert run.go(agents).status == "complete"
    asked = run.dispatched()
    assert asked[0] == "plan/1"
    assert sorted(asked[1:3]) == ["research/1/code-mapper", "research/1/researcher"]
    assert asked[3] == "plan/2"
    assert "VALUE is one (src/app.py:1)" in run.prompt("plan/2")
    assert "performance: uncertain" in run.text(f"plans/artifacts/{g.TASK}/research.md")
    assert [each["decision"] for each in run.gates(event_type="PLAN_GATE")] == [
        "REPLAN",
        "GO",
        "GO",
    ]
    assert run.started("gate.opened")[0] == "approve-plan"


def test_it_is_looked_up_once(run: Governed) -> None:
    assert run.go({"planner": [g.plan({}, risk_review=DOUBT)]}).status == "complete"
    assert [each for each in run.dispatched() if each.startswith(("plan/", "research/"))].count(
        "plan/2"
    ) == 1
    assert "research/2/researcher" not in run.dispatched()


def test_a_planner_that_abstains_gets_what_it_lacks_before_a_person_is_asked(run: Governed) -> None:
    silent = g.plan(
        {}, status="ABSTAIN", abstain={"is_abstaining": True, "reasons": ["who calls it?"]}
    )
    assert run.go({"planner": [silent, g.plan({})]}).status == "complete"
    assert "who calls it?" in run.prompt("research/1/researcher")


@pytest.mark.parametrize("call", [{"fail": "crash"}, researched(status="INSUFFICIENT_EVIDENCE")])
def test_research_that_finds_nothing_is_told_and_holds_nobody_up(
    run: Governed, call: dict[str, Any]
) -> None:
    agents = {
        "planner": [g.plan({}, risk_review=DOUBT), g.plan({})],
        "researcher": [call],
        "code-mapper": [{"fail": "crash"}],
    }
    assert run.go(agents).status == "complete"
    assert "researcher could not find out" in run.prompt("plan/2")


def test_a_design_question_without_an_answer_goes_back_to_the_planner(run: Governed) -> None:
    open_ = [{"question": "Which store?", "options": ["memory", "disk"], "recommendation": ""}]
    closed = [{**open_[0], "recommendation": "memory"}]
    assert (
        run.go(
            {"planner": [g.plan({}, open_questions=open_), g.plan({}, open_questions=closed)]}
        ).status
        == "complete"
    )
    assert "open question without a recommendation: Which store?" in run.prompt("plan/2")
    assert "Decided with the plan: Which store? memory" in run.prompt("wave/1/phase/1/execute/1")


# -- a plan as file, as data, or as both


@pytest.mark.parametrize("parts", [("write",), ("verdict",), ("write", "verdict")])
def test_a_planner_may_write_its_plan_or_send_it(run: Governed, parts: tuple[str, ...]) -> None:
    whole = g.plan({}, {"wave": 2})
    assert (
        run.go({"planner": [{"say": "planned", **{name: whole[name] for name in parts}}]}).status
        == "complete"
    )
    assert "Part 2" in run.text(PLAN)
    assert len(run.events("governed.todo")) == 2


def test_a_revision_that_is_only_sent_replaces_the_file(run: Governed) -> None:
    sent = {
        "verdict": good_plan(
            phases=[g.placed(1, {"title": "Another part"})], complexity_tier="SMALL"
        ),
        "say": "revised",
    }
    policy = {"plan_review_gate_trigger_conditions.min_phases": 1}
    agents = {
        "planner": [g.plan({}, complexity_tier="SMALL"), sent],
        "plan-auditor": [g.audit("NEEDS_REVISION", g.finding()), WELL],
    }
    assert run.go(agents, policy=policy).status == "complete"
    assert "Another part" in run.text(PLAN)
    assert "Part 1" in run.text(f"plans/artifacts/{g.TASK}/plan-1.md")
    assert f"Version 2, replaced plans/artifacts/{g.TASK}/plan-1.md" in run.text(
        f"plans/artifacts/{g.TASK}/verified-items.md"
    )


def test_a_planner_that_does_neither_is_asked_to_repair_then_as_often_as_passing_failures_may_be_and_then_a_person(  # noqa: E501
    run: Governed,
) -> None:
    ended = run.go({"planner": [{"say": "here you are"}]})
    assert (ended.status, ended.stop) == ("blocked", "artifact_missing")
    assert run.dispatched() == ["plan/1"] * 5
    assert not run.path(PLAN).exists()


# -- memory


def test_facts_of_a_research_phase_are_remembered_with_their_places(run: Governed) -> None:
    assert (
        run.go({"planner": [g.plan(READING)], "researcher": [researched(fact())]}).status
        == "complete"
    )
    (kept,) = [json.loads(line) for line in run.text(MEMORY).splitlines()]
    assert (kept["subject"], kept["fact"], kept["citations"]) == (
        "src/app.py",
        "VALUE is one",
        ["src/app.py:1"],
    )


@pytest.mark.parametrize(
    "wrong", [fact(file="src/gone.py"), fact(line=99), fact(file="../../etc/passwd")]
)
def test_a_fact_that_nothing_shows_is_not_remembered(run: Governed, wrong: dict[str, Any]) -> None:
    assert (
        run.go({"planner": [g.plan(READING)], "researcher": [researched(wrong)]}).status
        == "complete"
    )
    assert not run.path(MEMORY).exists()
    assert "not remembered" in run.text(g.OUTCOMES)


def known(run: Governed) -> Any:
    run.write(
        MEMORY,
        json.dumps(
            {
                "subject": "src/app.py",
                "fact": "VALUE is one.",
                "citations": ["src/app.py:1"],
                "reason": "r",
                "category": "project",
            }
        )
        + "\n",
    )
    return run.go(
        {
            "planner": [g.plan(READING)],
            "researcher": [
                researched(fact("VALUE is one", line=1), fact("OLD is true", "src/old.py"))
            ],
        }
    )


@pytest.mark.parametrize(("choice", "facts"), [("skip", 2), ("merge", 2), ("create", 3)])
def test_a_fact_that_looks_known_asks_a_person(run: Governed, choice: str, facts: int) -> None:
    ended = known(run)
    assert (ended.status, ended.gates) == ("waiting", ("settle-memory/1",))
    assert "VALUE is one" in run.app.summary(run.run_id).gates[0]["prompt"]
    run.answer(choice=choice, text="they differ in time")
    assert run.on().status == "complete"
    kept = [json.loads(line) for line in run.text(MEMORY).splitlines()]
    assert len(kept) == facts
    assert sum(each["fact"].startswith("VALUE is one") for each in kept) == (
        2 if choice == "create" else 1
    )


def test_two_facts_alike_are_kept_only_with_a_reason(run: Governed) -> None:
    known(run)
    run.answer(choice="create")
    ended = run.on()
    assert ended.gates == ("settle-memory/2",)
    assert "needs a reason" in run.app.summary(run.run_id).gates[0]["prompt"]
    run.answer(choice="create", text="they differ in time")
    assert run.on().status == "complete"


@pytest.mark.parametrize(
    ("policy", "facts"),
    [
        ({"memory_hygiene.repo_memory_dedup_required": False}, 3),
        ({"memory_hygiene.memory_content_types": ["user"]}, 1),
    ],
)
def test_the_policy_says_what_is_compared_and_what_is_kept(
    tmp_path: Path, policy: dict[str, Any], facts: int
) -> None:
    run = Governed.of(
        tmp_path,
        policy={
            "memory_hygiene": {next(iter(policy)).partition(".")[2]: next(iter(policy.values()))}
        },
    )
    assert known(run).status == "complete"
    assert len(run.text(MEMORY).splitlines()) == facts


# -- notes, templates, likeness


def test_a_persons_own_notes_are_kept_beside_the_plan(run: Governed) -> None:
    run.write("NOTES.md", "# My notes\n\n- buy milk\n")
    assert run.go({"planner": [g.plan({})]}).status == "complete"
    assert "buy milk" in run.text(f"plans/artifacts/{g.TASK}/notes-before.md")
    assert "buy milk" not in run.text("NOTES.md")


def test_notes_that_the_program_wrote_are_not(run: Governed) -> None:
    run.go({"planner": [g.plan({})]})
    run.go({"planner": [g.plan({})]}, request="Something else")
    assert not run.path("plans/artifacts/something-else/notes-before.md").exists()


def test_the_projects_own_templates_are_followed(run: Governed) -> None:
    run.write(
        "plans/templates/session-outcome-template.md",
        "## Entry\n\n### Outcome\n\n### Residual Risks\n",
    )
    run.write(
        "plans/templates/session-notes-template.md",
        "# Notes\n\n## Current Phase\n\n## Open Blockers\n",
    )
    assert run.go({"planner": [g.plan({})]}).status == "complete"
    assert "### Residual Risks" in run.text(g.OUTCOMES)
    assert "## Current Phase" in run.text("NOTES.md")
    assert "Active objective" not in run.text("NOTES.md")


def test_a_phase_like_one_that_was_done_before_is_pointed_out(run: Governed) -> None:
    run.go({"planner": [g.plan({})]})
    run.go({"planner": [g.plan({})]}, request="Add rate limits again", approve_all=False)
    run.approve("approve-plan")
    run.resume()
    assert f"Looks like 'Part 1' of {g.TASK}-plan" in run.app.summary(run.run_id).gates[0]["prompt"]


def test_old_plans_are_named_for_the_archive(run: Governed) -> None:
    run.go({"planner": [g.plan({})]})
    run.clock.skip(15 * 86400)
    run.go({"planner": [g.plan({})]}, request="Another task")
    assert f"the documents of {g.TASK}-plan are 15 days old" in run.text(
        "plans/another-task-plan-complete.md"
    )


# -- long output, lessons, want of room, money


def test_long_output_stays_in_the_agents_copy(run: Governed) -> None:
    spill = f".cache/tool-output/{g.TASK}/log.txt"
    both = {
        "write": {"src/part1.py": "X = 1\n", spill: "long\n" * 10},
        "verdict": good_answer("core-implementer"),
        "say": "done",
    }
    assert run.go({"planner": [g.plan({})], "core-implementer": [both]}).status == "complete"
    assert not run.path(spill).exists()
    assert run.events("contract.violated") == []


def test_more_of_it_than_the_policy_allows_is_a_violation(run: Governed) -> None:
    spill = f".cache/tool-output/{g.TASK}/log.txt"
    both = {
        "write": {"src/part1.py": "X = 1\n", spill: "x" * 1_000_001},
        "verdict": good_answer("core-implementer"),
        "say": "done",
    }
    ended = run.go(
        {"planner": [g.plan({})], "core-implementer": [both, WELL]},
        policy={"tool_output_policy.max_total_mb": 1},
    )
    assert ended.status == "complete"
    assert run.events("contract.violated")[0]["paths"] == [spill]


def test_lessons_are_asked_for_where_the_policy_wants_them(run: Governed) -> None:
    calls = [
        g.said("core-implementer", next_steps=["locks come first"])
        | {"write": {"src/part1.py": "X = 1\n"}}
    ]
    run.go(
        {"planner": [g.plan({})], "core-implementer": calls},
        policy={"budget_defaults.enable_reflection": True},
    )
    assert "locks come first" in run.text(g.OUTCOMES)
    assert "what this phase taught" in run.prompt("wave/1/phase/1/execute/1")


@pytest.mark.parametrize(("most", "tries"), [(1, 2), (2, 3)])
def test_want_of_room_ends_at_the_policys_number(run: Governed, most: int, tries: int) -> None:
    policy = {
        "compaction.max_consecutive_failures": most,
        "retry_budgets.transient_max": 9,
        "stagnation_detection.same_classification_repeat_escalation": False,
    }
    calls = [g.failed("transient", "prompt is too long: 210000 tokens")]
    assert run.go({"planner": [g.plan({})], "core-implementer": calls}, policy=policy).gates == (
        "resolve-wave/1",
    )
    assert sum("/execute/" in each for each in run.dispatched()) == tries
    assert run.events("governed.failure")[-1]["rule"] == "compaction.max_consecutive_failures"


def test_a_cap_on_cost_needs_an_estimate_where_agents_do_not_say(run: Governed) -> None:
    caps = {"budget_defaults.enabled": True, "budget_defaults.cost_usd": 5}
    ended = run.go({"planner": [g.plan({})]}, policy=caps)
    assert (ended.status, ended.stop) == ("blocked", "budget")
    assert "budget.estimate_usd" in ended.reason
    run.write("podium.toml", '[commands]\ntest = "sh tests.sh"\n[budget]\nestimate_usd = 0.5\n')
    assert run.on(because="estimated").status == "complete"


def test_a_cap_that_is_lifted_at_resume_is_lifted(run: Governed) -> None:
    spent = {"usage": {"tokens_in": 60, "tokens_out": 50, "cost_usd": 0.1}}
    run.go(
        {"planner": [{**g.plan({}), **spent}]},
        policy={"budget_defaults.enabled": True, "budget_defaults.token_cap": 100},
    )
    assert run.on(policy={"budget_defaults.enabled": False}).status == "complete"


# -- answers that belong to another question


@pytest.mark.parametrize("strange", [99, 0])
def test_findings_about_phases_that_do_not_exist_are_refused(run: Governed, strange: int) -> None:
    lost = g.audit("NEEDS_REVISION", g.finding("MAJOR", "lost", strange))
    policy = {"plan_review_gate_trigger_conditions.min_phases": 1}
    assert (
        run.go(
            {"planner": [g.plan({}, complexity_tier="SMALL")], "plan-auditor": [lost, WELL]},
            policy=policy,
        ).status
        == "complete"
    )
    assert run.events("artifact.rejected")
    assert "plan/2" not in run.dispatched()


def test_another_trace_is_told(run: Governed) -> None:
    other = g.said("core-implementer", trace_id="11111111-1111-4111-8111-111111111111") | {
        "write": {"src/part1.py": "X = 1\n"}
    }
    assert run.go({"planner": [g.plan({})], "core-implementer": [other]}).status == "complete"
    assert "trace_id" in run.events("verdict.contradicted")[0]["detail"][0]
