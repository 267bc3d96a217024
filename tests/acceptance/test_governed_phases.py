"""The phases of a governed run: failures by class, questions, hazards, reviews, waves, and lies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import governed as g
from tests.fakes.governed import Governed
from tests.fakes.repository import git

from podium.workflows.governed.payloads.good import good_answer

WELL = {"behave": "well"}
EXECUTE = "wave/1/phase/1/execute"


@pytest.fixture
def run(tmp_path: Path) -> Governed:
    return Governed.of(tmp_path)


def go(run: Governed, calls: list[Any], *phases: Any, **more: Any) -> Any:
    """One phase, whose executor is called so."""
    return run.go(
        {
            "planner": [g.plan(*(phases or ({},)))],
            "core-implementer": calls,
            **more.pop("agents", {}),
        },
        **more,
    )


def executions(run: Governed) -> int:
    return sum(
        each.startswith("wave/1/phase/1") and "/execute/" in each for each in run.dispatched()
    )


def last_failure(run: Governed) -> dict[str, Any]:
    found = run.events("governed.failure")[-1]
    return {name: found[name] for name in ("classification", "action", "rule")}


# -- classes and budgets


@pytest.mark.parametrize(
    ("calls", "dispatches", "classification", "action", "rule"),
    [
        (
            [g.failed("transient")] * 9,
            3,
            "transient",
            "escalate",
            "stagnation_detection.same_phase_failure_escalation_threshold",
        ),
        ([g.failed("fixable")] * 9, 2, "fixable", "escalate", "retry_budgets.fixable_max"),
        ([g.failed("escalate")] * 9, 1, "escalate", "escalate", "retry_budgets.escalate_max"),
        (
            [{"fail": "crash"}] * 9,
            3,
            "transient",
            "escalate",
            "stagnation_detection.same_phase_failure_escalation_threshold",
        ),
        (
            [{"fail": "timeout"}] * 9,
            3,
            "transient",
            "escalate",
            "stagnation_detection.same_phase_failure_escalation_threshold",
        ),
        (
            [
                g.said(
                    "core-implementer",
                    status="ABSTAIN",
                    abstain={"is_abstaining": True, "reasons": ["unsure"]},
                )
            ]
            * 9,
            1,
            "escalate",
            "escalate",
            "retry_budgets.escalate_max",
        ),
    ],
)
def test_each_class_has_its_route_and_its_budget(
    run: Governed, calls: list[Any], dispatches: int, classification: str, action: str, rule: str
) -> None:
    ended = go(run, calls)
    assert (ended.status, ended.gates) == ("waiting", ("resolve-wave/1",))
    assert executions(run) == dispatches
    assert last_failure(run) == {"classification": classification, "action": action, "rule": rule}
    blocked = run.gates(phase_id=1, decision="BLOCKED")[-1]
    assert rule in blocked["reason"]
    assert blocked["requires_human_approval"]


@pytest.mark.parametrize(
    ("policy", "calls", "dispatches"),
    [
        ({"retry_budgets.fixable_max": 2}, [g.failed("fixable")] * 9, 3),
        ({"retry_budgets.transient_max": 1}, [g.failed("transient")] * 9, 2),
        ({"retry_budgets.escalate_max": 1}, [g.failed("escalate")] * 9, 2),
        (
            {"stagnation_detection.same_phase_failure_escalation_threshold": 2},
            [g.failed("transient")] * 9,
            2,
        ),
        (
            {"stagnation_detection.same_classification_repeat_escalation": False},
            [g.failed("transient")] * 9,
            4,
        ),
        (
            {"retry_budgets.max_retries_per_phase": 1},
            [g.failed("transient"), g.failed("fixable")] * 4,
            2,
        ),
        ({"retry_budgets.model_unavailable_max": 0}, [g.failed("model_unavailable")] * 4, 1),
    ],
)
def test_a_changed_number_changes_how_often_a_phase_is_tried(
    run: Governed, policy: dict[str, Any], calls: list[Any], dispatches: int
) -> None:
    assert go(run, calls, policy=policy).gates == ("resolve-wave/1",)
    assert executions(run) == dispatches


def test_a_retry_is_told_what_went_wrong(run: Governed) -> None:
    assert go(run, [g.failed("fixable", "the lock is missing"), WELL]).status == "complete"
    told = run.prompt(f"{EXECUTE}/2")
    assert "This is retry 1 of this phase" in told
    assert "the lock is missing" in told


def test_a_write_outside_the_phases_files_is_fixable_and_undone(run: Governed) -> None:
    assert go(run, [g.writes("src/elsewhere.py", "X = 1\n"), WELL]).status == "complete"
    assert not run.path("src/elsewhere.py").exists()
    assert last_failure(run) == {
        "classification": "fixable",
        "action": "retry_with_hint",
        "rule": "",
    }


def test_an_empty_answer_is_transient_at_once(run: Governed) -> None:
    assert (
        go(
            run, [{"fail": "empty"}, {"fail": "empty"}, WELL], policy={"retry_backoff_s": 0.01}
        ).status
        == "complete"
    )
    assert run.events("artifact.rejected") == []
    assert [
        (each["classification"], each["action"], each["delay_s"])
        for each in run.events("governed.failure")
    ] == [("transient", "retry", 0.01), ("transient", "retry", 0.02)]
    assert "This is retry 2 of this phase" in run.prompt(f"{EXECUTE}/3")
    assert executions(run) == 3


def test_an_answer_that_is_no_message_is_mended_once_and_then_transient(run: Governed) -> None:
    assert go(run, [{"fail": "garbage"}, {"fail": "garbage"}, WELL]).status == "complete"
    assert {each["repair"] for each in run.events("artifact.rejected")} == {0, 1}
    assert last_failure(run) == {"classification": "transient", "action": "retry", "rule": ""}
    assert executions(run) == 3


def test_silence_in_two_phases_slows_later_waves(run: Governed) -> None:
    keys = {f"wave/1/phase/{n}/execute/1": [{"fail": "empty"}] for n in (1, 2)}
    assert (
        run.go({"planner": [g.plan({}, {}, {"wave": 2}, max_parallel_agents=5)]}, keys=keys).status
        == "complete"
    )
    assert run.event("throttle.changed")["to"] == 3


def test_a_long_backoff_is_a_durable_sleep(run: Governed) -> None:
    ended = go(run, [g.failed("transient"), WELL], policy={"retry_backoff_s": 600.0})
    assert ended.status == "sleeping"
    assert ended.until
    assert run.on().status == "sleeping"
    run.clock.skip(700)
    assert run.on().status == "complete"


def test_a_usage_limit_that_names_its_end_is_slept_through_and_costs_nothing(run: Governed) -> None:
    ended = go(run, [{"fail": "rate_limit", "retry_after": 3600}, WELL])
    assert ended.status == "sleeping"
    run.clock.skip(4000)
    assert run.on().status == "complete"
    assert run.events("governed.failure") == []


def test_needs_replan_goes_to_the_planner_and_what_is_complete_stays_so(run: Governed) -> None:
    two = [{}, {"wave": 2}]
    better = g.plan({}, {"wave": 2, "objective": "Do it in another way."})
    ended = run.go(
        {"planner": [g.plan(*two), better]},
        keys={"wave/2/phase/2/execute/1": [g.failed("needs_replan", "the interface is gone")]},
    )
    assert ended.status == "complete"
    assert "the interface is gone" in run.prompt("plan/2")
    assert "Phases 1 are complete" in run.prompt("plan/2")
    assert [
        each for each in run.dispatched() if each.startswith("wave/1") and "execute" in each
    ] == [f"{EXECUTE}/1"]


def test_a_second_replan_of_one_phase_is_for_a_person(run: Governed) -> None:
    ended = go(run, [g.failed("needs_replan")])
    assert ended.gates == ("resolve-wave/1",)
    assert [each for each in run.dispatched() if each.startswith("plan/")] == ["plan/1", "plan/2"]
    assert last_failure(run) == {
        "classification": "needs_replan",
        "action": "escalate",
        "rule": "retry_budgets.needs_replan_max",
    }
    exhausted = run.event("retry.exhausted")
    assert (exhausted["classification"], exhausted["rule"]) == (
        "needs_replan",
        "retry_budgets.needs_replan_max",
    )


def test_each_phase_may_send_the_plan_back(run: Governed) -> None:
    keys = {f"wave/{n}/phase/{n}/execute/1": [g.failed("needs_replan")] for n in (1, 2)}
    assert run.go({"planner": [g.plan({}, {"wave": 2})]}, keys=keys).status == "complete"
    assert [each for each in run.dispatched() if each.startswith("plan/")] == [
        "plan/1",
        "plan/2",
        "plan/3",
    ]


def test_the_budgets_of_a_phase_outlive_its_plan(run: Governed) -> None:
    ended = go(
        run,
        [
            g.failed(kind)
            for kind in ("transient", "fixable", "needs_replan", "transient", "fixable")
        ],
    )
    assert ended.gates == ("resolve-wave/1",)
    assert executions(run) == 5
    assert last_failure(run) == {
        "classification": "fixable",
        "action": "escalate",
        "rule": "retry_budgets.fixable_max",
    }
    run.answer(choice="retry")
    run.on()
    assert executions(run) == 7, "a person's word gives it fresh ones"


def test_a_plan_that_is_sent_back_twice_before_a_phase_began_is_for_a_person(run: Governed) -> None:
    ended = run.go({"planner": [g.plan({"executor_agent": "CodeReviewer-subagent", "files": []})]})
    assert ended.gates == ("resolve-wave/1",)
    assert run.dispatched() == ["plan/1", "plan/2"]
    exhausted = run.event("retry.exhausted")
    assert (exhausted["key"], exhausted["classification"], exhausted["rule"]) == (
        "wave/1/phase/1",
        "needs_replan",
        "retry_budgets.needs_replan_max",
    )


def test_a_person_may_try_a_phase_again_with_fresh_budgets(run: Governed) -> None:
    go(run, [g.failed("fixable"), g.failed("fixable"), WELL])
    run.answer(choice="retry")
    assert run.on().status == "complete"
    assert run.dispatched()[-2:] == ["wave/1/phase/1/2/execute/1", "wave/1/phase/1/2/review/1"]


def test_a_stop_ends_blocked_with_what_was_done_kept(run: Governed) -> None:
    run.go(
        {"planner": [g.plan({}, {"wave": 2})]},
        keys={"wave/2/phase/2/execute/*": [g.failed("escalate")]},
    )
    run.answer(choice="stop")
    ended = run.on()
    assert (ended.status, ended.stop) == ("blocked", "stopped")
    assert run.path("src/part1.py").exists()
    assert "**Status:** `PARTIAL`" in run.text(g.OUTCOMES)
    assert "⬜ Phase 2" in run.text(g.COMPLETE)


# -- questions


def test_a_question_shows_its_options_and_the_answer_reaches_the_executor(run: Governed) -> None:
    ended = go(run, [g.asks(), WELL])
    assert ended.status == "waiting"
    (gate,) = run.app.summary(run.run_id).gates
    assert (gate["kind"], list(gate["choices"])) == ("question", ["memory", "redis", "stop"])
    for words in (
        "Keep counters in memory.",
        "+ quick",
        "- lost on restart",
        "Recommended: memory. Nothing else needs a service.",
    ):
        assert words in gate["prompt"]
    run.answer(choice="redis", text="we have one already")
    assert run.on().status == "complete"
    assert (
        "A person chose option redis: Keep counters in a service. They add: Ada: we have one "
        "already"
    ) in run.prompt(f"{EXECUTE}/2")
    assert run.events("governed.failure") == []


def test_a_question_may_be_answered_in_other_words_or_stopped(run: Governed) -> None:
    go(run, [g.asks(), g.asks(), WELL])
    run.answer(text="use a file")
    assert run.on().status == "waiting"
    assert "a person answered: Ada: use a file" in run.prompt(f"{EXECUTE}/2")
    run.answer(choice="stop")
    assert run.on().gates == ("resolve-wave/1",)


# -- hazards


def test_a_phase_that_says_it_will_delete_files_is_approved_by_itself(run: Governed) -> None:
    old = [{"path": "src/old.py", "action": "modify", "reason": "goes"}]
    phases = [
        {
            "title": "Delete the old files",
            "objective": "Delete the old module files.",
            "files": old,
        },
        {},
    ]
    gone = {"delete": ["src/old.py"], "verdict": good_answer("core-implementer"), "say": "deleted"}
    ended = run.go({"planner": [g.plan(*phases)]}, keys={f"{EXECUTE}/1": [gone]})
    assert (ended.status, run.open_gates()) == ("waiting", ["approve-risk/1"])
    run.approve()
    assert run.on().status == "complete"
    assert not run.path("src/old.py").exists()
    assert [each["phase_id"] for each in run.gates(event_type="HIGH_RISK_APPROVAL_GATE")] == [1]


def test_an_unannounced_deletion_is_held_back_until_a_person_allows_it(run: Governed) -> None:
    old = [{"path": "src/old.py", "action": "modify", "reason": "is mended"}]
    gone = {"delete": ["src/old.py"], "verdict": good_answer("core-implementer"), "say": "deleted"}
    ended = go(run, [gone], {"files": old})
    assert run.open_gates() == ["wave/1/phase/1/accept-risk/1"]
    assert run.path("src/old.py").exists()
    assert "destructive_file_delete: src/old.py was deleted" in ended.reason
    run.approve()
    assert run.on().status == "complete"
    assert not run.path("src/old.py").exists()


def test_high_risk_work_that_is_not_allowed_never_arrives(run: Governed) -> None:
    bad = g.writes("src/part1.py", "SQL = 'DROP TABLE users'\n")
    go(run, [bad])
    run.reject(note="no")
    assert run.on().gates == ("resolve-wave/1",)
    assert not run.path("src/part1.py").exists()


def test_a_hard_reset_among_the_commands_is_seen(run: Governed) -> None:
    go(run, [g.writes("src/part1.py", "X = 1\n", run=["git reset --hard"])])
    assert "git_reset_hard" in run.gates(event_type="HIGH_RISK_APPROVAL_GATE")[-1]["reason"]


def test_a_commit_that_others_have_is_not_amended_without_a_person(
    run: Governed, tmp_path: Path
) -> None:
    git(tmp_path, "init", "-q", "--bare", "shared.git")
    git(run.root, "remote", "add", "origin", str(tmp_path / "shared.git"))
    git(run.root, "push", "-q", "origin", "HEAD:topic")
    go(run, [g.writes("src/part1.py", "X = 1\n", run=["git commit -q --amend -m other"])])
    assert run.open_gates() == ["wave/1/phase/1/accept-risk/1"]
    assert "amend_published_commit" in run.gates(event_type="HIGH_RISK_APPROVAL_GATE")[-1]["reason"]


def test_a_commit_that_nobody_else_has_may_be_amended(run: Governed) -> None:
    assert (
        go(
            run, [g.writes("src/part1.py", "X = 1\n", run=["git commit -q --amend -m other"])]
        ).status
        == "complete"
    )


def test_a_merge_on_a_protected_branch_needs_a_person(run: Governed) -> None:
    merges = g.writes("src/part1.py", "X = 1\n", run=["git merge -q HEAD"])
    git(run.root, "checkout", "-q", "-B", "main")
    go(run, [merges])
    assert (
        "merge_to_protected_branch" in run.gates(event_type="HIGH_RISK_APPROVAL_GATE")[-1]["reason"]
    )


def test_a_high_risk_command_counts_though_the_report_says_failed(run: Governed) -> None:
    go(run, [{**g.failed("transient"), "run": ["git reset --hard"]}, WELL])
    assert run.open_gates() == ["wave/1/phase/1/accept-risk/1"]
    assert "git_reset_hard" in run.gates(event_type="HIGH_RISK_APPROVAL_GATE")[-1]["reason"]
    run.approve()
    assert run.on().status == "complete"


@pytest.mark.parametrize(
    "wreck",
    [
        {"fail": "crash"},
        {"fail": "empty"},
        {"fail": "rate_limit", "retry_after": 3600},
        {**WELL, "verdict": {"status": "MAYBE"}},
        {**WELL, "write": {"stray.py": "X = 1\n"}},
    ],
)
def test_a_high_risk_command_counts_though_the_dispatch_came_to_nothing(
    run: Governed, wreck: dict[str, Any]
) -> None:
    ended = go(run, [{**wreck, "run": ["git reset --hard"]}, WELL])
    assert run.open_gates() == ["wave/1/phase/1/accept-risk/1"]
    assert "git_reset_hard: git reset --hard" in ended.reason
    assert "git_reset_hard" in run.gates(event_type="HIGH_RISK_APPROVAL_GATE")[-1]["reason"]
    run.approve()
    assert run.on().status == "complete"


def test_an_action_the_policy_does_not_list_needs_nobody(run: Governed) -> None:
    bad = g.writes("src/part1.py", "SQL = 'DROP TABLE users'\n")
    assert go(run, [bad], policy={"approval_required_actions": ["rm_rf"]}).status == "complete"


# -- evidence and reviews


def test_a_report_that_says_pass_while_the_tests_fail_is_caught(run: Governed) -> None:
    ended = go(run, [g.writes("src/part1.py", "broken\n"), g.writes("src/part1.py", "GOOD = 1\n")])
    assert ended.status == "complete"
    assert last_failure(run)["classification"] == "fixable"
    assert "test: failed (exit 1)" in run.prompt(f"{EXECUTE}/2")
    assert run.text("src/part1.py") == "GOOD = 1\n"


def test_a_build_that_the_project_has_is_run_where_the_report_says_there_is_none(
    run: Governed,
) -> None:
    run.write("Makefile", "build:\n\t@! grep -rn wrong src\n")
    without = {**good_answer("core-implementer"), "build": {"state": "NOT_AVAILABLE"}}
    calls = [
        {"write": {"src/part1.py": text}, "verdict": without, "say": "done"}
        for text in ("wrong\n", "GOOD = 1\n")
    ]
    assert go(run, calls).status == "complete"
    assert last_failure(run)["classification"] == "fixable"
    assert "build: failed (exit 2)" in run.prompt(f"{EXECUTE}/2")
    assert "build: the command passed" in run.text(f"plans/{g.TASK}-plan-phase-1-complete.md")


def test_a_build_that_the_phase_itself_brings_is_run(run: Governed) -> None:
    without = {
        **good_answer("core-implementer"),
        "build": {"state": "NOT_AVAILABLE"},
        "lint": {"state": "NOT_AVAILABLE"},
    }
    files = [
        {"path": path, "action": "create", "reason": "holds the part"}
        for path in ("src/part1.py", "Makefile")
    ]
    makefile = "build:\n\t@! grep -rn wrong src\nlint:\n\t@! grep -rn ugly src\n"
    calls = [
        {"write": {"src/part1.py": text, "Makefile": makefile}, "verdict": without, "say": "done"}
        for text in ("wrong\n", "GOOD = 1\n")
    ]
    assert go(run, calls, {"files": files}).status == "complete"
    assert "build: failed (exit 2)" in run.prompt(f"{EXECUTE}/2")
    done = run.text(f"plans/{g.TASK}-plan-phase-1-complete.md")
    assert "build: the command passed" in done
    assert "lint: the command passed" in done


def test_a_report_that_says_there_is_no_build_is_believed_where_none_is_found(
    run: Governed,
) -> None:
    without = {**good_answer("core-implementer"), "build": {"state": "NOT_AVAILABLE"}}
    assert (
        go(
            run, [{"write": {"src/part1.py": "GOOD = 1\n"}, "verdict": without, "say": "done"}]
        ).status
        == "complete"
    )
    assert "build: nothing to run, as the report says" in run.text(
        f"plans/{g.TASK}-plan-phase-1-complete.md"
    )


def test_a_confirmed_blocker_goes_back_whatever_the_headline_says(run: Governed) -> None:
    calls = {"code-reviewer": [g.reviewed("APPROVED", g.issue()), WELL]}
    assert go(run, [WELL], agents=calls).status == "complete"
    assert "it forgets the lock" in run.prompt(f"{EXECUTE}/2")
    assert run.events("verdict.contradicted")


def test_a_serious_issue_without_a_mark_is_no_answer_under_a_policy_that_wants_one(
    run: Governed,
) -> None:
    """Read by the earlier generation it would be advice, and the run complete."""
    unmarked = {name: each for name, each in g.issue().items() if name != "validation_status"}
    lax = {**g.reviewed("NEEDS_REVISION", g.issue()), "say": "one issue"}
    lax["verdict"] = {**lax["verdict"], "issues": [unmarked], "validated_blocking_issues": []}
    ended = go(run, [WELL], agents={"code-reviewer": [lax]}, policy={"retry_backoff_s": 0.0})
    assert (ended.status, ended.gates) == ("waiting", ("resolve-wave/1",))
    assert "issues[0].validation_status: is missing" in json.dumps(run.events())


def test_who_abstains_is_heard(run: Governed) -> None:
    silent = g.said(
        "core-implementer",
        status="ABSTAIN",
        abstain={"is_abstaining": True, "reasons": ["the interface is not known"]},
    )
    ended = go(run, [silent])
    assert (
        "escalate: ABSTAIN: the interface is not known (retry_budgets.escalate_max)" in ended.reason
    )


def test_a_failure_is_told_with_its_class_once(run: Governed) -> None:
    assert go(run, [g.failed("fixable", "the lock is missing"), WELL]).status == "complete"
    assert "Attempt 1 failed (fixable): the lock is missing" in run.prompt(f"{EXECUTE}/2")
    assert run.events("governed.failure")[0]["reason"] == "the lock is missing"


def test_a_blocker_that_needs_another_plan_goes_to_the_planner(run: Governed) -> None:
    calls = {
        "code-reviewer": [
            g.reviewed("FAILED", g.issue(), failure_classification="needs_replan"),
            WELL,
        ]
    }
    assert go(run, [WELL], agents=calls).status == "complete"
    assert [each for each in run.dispatched() if not each.endswith("review/1")] == [
        "plan/1",
        f"{EXECUTE}/1",
        "plan/2",
        "wave/1/phase/1/2/execute/1",
    ]
    assert "it forgets the lock" in run.prompt("plan/2")
    assert last_failure(run) == {"classification": "needs_replan", "action": "replan", "rule": ""}


def test_a_blocker_that_is_for_a_person_stops_the_phase_and_asks(run: Governed) -> None:
    ended = go(
        run,
        [WELL],
        agents={
            "code-reviewer": [
                g.reviewed("FAILED", g.issue(), failure_classification="escalate"),
                WELL,
            ]
        },
    )
    assert ended.gates == ("resolve-wave/1",)
    assert executions(run) == 1
    assert run.event("retry.exhausted")["rule"] == "retry_budgets.escalate_max"


def test_a_refusal_without_a_confirmed_blocker_is_advice(run: Governed) -> None:
    doubt = {**g.issue(), "validation_status": "rejected", "rejection_reason": "it is held"}
    calls = {"code-reviewer": [g.reviewed("NEEDS_REVISION", doubt)]}
    assert go(run, [WELL], agents=calls).status == "complete"
    assert executions(run) == 1
    assert "it forgets the lock" in run.text(f"plans/{g.TASK}-plan-phase-1-complete.md")


def test_a_reviewer_that_abstains_twice_is_for_a_person(run: Governed) -> None:
    silent = g.reviewed("ABSTAIN", abstain={"is_abstaining": True, "reasons": ["too large"]})
    ended = go(run, [WELL], agents={"code-reviewer": [silent]})
    assert ended.gates == ("resolve-wave/1",)
    assert run.roles().count("code-reviewer") == 2


@pytest.mark.parametrize(
    "silent", [{"fail": "empty"}, {"fail": "crash"}, {"fail": "timeout"}, {"fail": "rate_limit"}]
)
def test_a_review_that_nobody_answers_counts_against_the_phase_and_is_asked_for_again_alone(
    run: Governed, silent: dict[str, Any]
) -> None:
    ended = go(run, [WELL], agents={"code-reviewer": [silent]}, policy={"retry_backoff_s": 0.0})
    assert (ended.status, ended.gates) == ("waiting", ("resolve-wave/1",))
    assert [each for each in run.dispatched() if each.startswith("wave/1")] == [
        f"{EXECUTE}/1",
        *(f"wave/1/phase/1/review/{n}" for n in (1, 2, 3)),
    ]
    assert last_failure(run) == {
        "classification": "transient",
        "action": "escalate",
        "rule": "stagnation_detection.same_phase_failure_escalation_threshold",
    }


def test_a_review_that_is_answered_the_second_time_costs_no_second_execution(run: Governed) -> None:
    assert go(run, [WELL], agents={"code-reviewer": [{"fail": "empty"}, WELL]}).status == "complete"
    assert [each for each in run.dispatched() if each.startswith("wave/1")] == [
        f"{EXECUTE}/1",
        "wave/1/phase/1/review/1",
        "wave/1/phase/1/review/2",
    ]
    assert [each["key"] for each in run.events("retry.scheduled")] == ["wave/1/phase/1/review/1"]


def test_a_phase_that_only_reads_has_no_code_review(run: Governed) -> None:
    reads = {
        "executor_agent": "Researcher-subagent",
        "files": [{"path": "src/app.py", "action": "review", "reason": "is read"}],
    }
    assert run.go({"planner": [g.plan(reads)]}).status == "complete"
    assert "code-reviewer" not in run.roles()
    assert "review: not due" in run.text(f"plans/{g.TASK}-plan-phase-1-complete.md")


REVIEWS = {
    "wave": 2,
    "executor_agent": "CodeReviewer-subagent",
    "files": [{"path": "src/part1.py", "action": "review", "reason": "is looked at"}],
}


def test_a_phase_may_be_a_review_and_its_verdict_is_the_report(run: Governed) -> None:
    doubt = {**g.issue("MINOR", what="the name is short"), "validation_status": "unvalidated"}
    ended = run.go(
        {"planner": [g.plan({}, REVIEWS)]},
        keys={"wave/2/phase/2/execute/1": [g.reviewed("NEEDS_REVISION", doubt)]},
    )
    assert ended.status == "complete"
    assert "the name is short" in run.text(f"plans/{g.TASK}-plan-phase-2-complete.md")


def test_a_phase_that_is_a_review_and_finds_a_blocker_fails_by_the_reviewers_class(
    run: Governed,
) -> None:
    found = g.reviewed("FAILED", g.issue(), failure_classification="escalate")
    ended = run.go({"planner": [g.plan({}, REVIEWS)]}, keys={"wave/2/phase/2/execute/1": [found]})
    assert ended.gates == ("resolve-wave/1",)
    assert last_failure(run) == {
        "classification": "escalate",
        "action": "escalate",
        "rule": "retry_budgets.escalate_max",
    }
    assert "it forgets the lock" in run.app.summary(run.run_id).gates[0]["prompt"]


def test_a_tier_without_code_review_has_none(run: Governed) -> None:
    assert (
        go(run, [WELL], policy={"review_pipeline_by_tier.TRIVIAL.code_review": False}).status
        == "complete"
    )
    assert "code-reviewer" not in run.roles()


@pytest.mark.parametrize("lie", [{"status": "DONE"}, {"confidence": 7}, {"unknown": 1}])
def test_an_answer_that_is_no_report_never_advances(run: Governed, lie: dict[str, Any]) -> None:
    ended = go(run, [g.said("core-implementer", **lie)])
    assert ended.gates == ("resolve-wave/1",)
    assert last_failure(run)["classification"] == "transient"


# -- waves


def test_phases_of_a_wave_run_side_by_side_and_waves_in_order(run: Governed) -> None:
    run.go({"planner": [g.plan({}, {}, {"wave": 2})]})
    seen = [each["key"] for each in run.events("step.started") if "/execute/" in each["key"]]
    assert seen[2] == "wave/2/phase/3/execute/1"
    assert sorted(seen[:2]) == ["wave/1/phase/1/execute/1", "wave/1/phase/2/execute/1"]


def test_two_phases_on_one_file_run_one_after_the_other_under_one_approval(run: Governed) -> None:
    shared = [{"path": "src/app.py", "action": "modify", "reason": "both mend it"}]
    assert run.go({"planner": [g.plan({"files": shared}, {"files": shared})]}).status == "complete"
    keys = [each["key"] for each in run.events() if each["type"] in {"step.started", "gate.opened"}]
    assert keys.index("wave/1/phase/1/mark/1") < keys.index("wave/1/phase/2/preflect/1")
    assert [each for each in keys if each.startswith("approve-wave")] == ["approve-wave/1"]


def test_passing_failures_slow_later_waves(run: Governed) -> None:
    keys = {f"wave/1/phase/{n}/execute/1": [g.failed("transient")] for n in (1, 2)}
    assert (
        run.go({"planner": [g.plan({}, {}, {"wave": 2}, max_parallel_agents=5)]}, keys=keys).status
        == "complete"
    )
    changed = run.event("throttle.changed")
    assert (changed["from"], changed["to"]) == (5, 3)


@pytest.mark.parametrize(
    ("policy", "to"),
    [
        ({"retry_budgets.per_wave_transient_reduction_threshold": 3}, None),
        ({"retry_budgets.per_wave_parallelism_reduction_factor": 0.2}, 1),
        ({"resource_profiles.default.max_parallel_agents": 2}, 1),
    ],
)
def test_the_policys_numbers_decide_how_much(
    run: Governed, policy: dict[str, Any], to: int | None
) -> None:
    keys = {f"wave/1/phase/{n}/execute/1": [g.failed("transient")] for n in (1, 2)}
    run.go({"planner": [g.plan({}, {}, max_parallel_agents=5)]}, keys=keys, policy=policy)
    assert [each["to"] for each in run.events("throttle.changed")] == ([] if to is None else [to])


def test_approval_per_phase_where_the_policy_wants_it(run: Governed) -> None:
    run.go({"planner": [g.plan({}, {})]}, policy={"batch_approval.approval_per": "phase"})
    assert [each for each in run.started("gate.opened") if each.startswith("approve-wave")] == [
        "approve-wave/1",
        "approve-wave/2",
    ]


def test_a_missing_file_that_a_phase_means_to_change_is_seen_beforehand(run: Governed) -> None:
    ended = go(
        run, [WELL], {"files": [{"path": "src/none.py", "action": "modify", "reason": "is mended"}]}
    )
    assert ended.gates == ("resolve-wave/1",)
    (event,) = run.gates(event_type="PREFLECT_GATE")
    assert (event["decision"], event["reason"]) == ("ABSTAIN", "src/none.py is missing")
    assert "core-implementer" not in run.roles()


def test_who_approves_a_wave_sees_what_the_one_before_delivered(run: Governed) -> None:
    doubt = {**g.issue(), "validation_status": "rejected", "rejection_reason": "it is held"}
    ended = run.go(
        {"planner": [g.plan({}, {}, {"wave": 2})]},
        keys={"wave/1/phase/2/review/1": [g.reviewed("NEEDS_REVISION", doubt)]},
        until="approve-wave/2",
        approve_all=False,
    )
    for _ in range(2):
        run.approve()
        ended = run.resume()
    assert ended.gates == ("approve-wave/2",)
    (gate,) = run.app.summary(run.run_id).gates
    shown = gate["prompt"]
    assert "Phase 1 — Part 1: review APPROVED; changed src/part1.py\n  proof: test: " in shown
    assert "review NEEDS_REVISION with 1 remarks; changed src/part2.py" in shown
    assert "  CRITICAL (rejected) src/part1.py: it forgets the lock" in shown
    assert shown.index("it forgets the lock") < shown.index("Wave 2: 1 phases")
    assert {each["path"] for each in gate["changes"]["files"]} >= {"src/part1.py", "src/part2.py"}
    run.approve()
    assert run.resume().gates == ("approve-completion",)
    (gate,) = run.app.summary(run.run_id).gates
    assert "Phase 3 — Part 3: review APPROVED; changed src/part3.py" in gate["prompt"]


# -- the end


def test_the_final_review_sends_a_blocker_to_its_owner_once(run: Governed) -> None:
    final = g.reviewed("FAILED", g.issue(file="src/part2.py"))
    ended = run.go(
        {"planner": [g.plan({}, {})]},
        keys={"final-review/1": [final]},
        extra={"final_review": True},
    )
    assert ended.status == "complete"
    assert "final-fix/1/phase/2/execute/1" in run.dispatched()
    assert "Fix: CRITICAL src/part2.py: it forgets the lock" in run.prompt(
        "final-fix/1/phase/2/execute/1"
    )
    assert run.path(g.FINAL).exists()


def test_a_final_review_that_is_still_not_clean_is_for_a_person(run: Governed) -> None:
    final = g.reviewed("FAILED", g.issue())
    ended = run.go(
        {"planner": [g.plan({})]}, keys={"final-review/*": [final]}, extra={"final_review": True}
    )
    assert ended.gates == ("resolve-final/1",)
    assert "it forgets the lock" in run.app.summary(run.run_id).gates[0]["prompt"]
    run.answer(choice="accept")
    assert run.on().status == "complete"


@pytest.mark.parametrize(
    ("policy", "reviewed"),
    [
        ({}, False),
        ({"final_review_gate.enabled_by_default": True}, True),
        ({"final_review_gate.auto_trigger_tiers": ["TRIVIAL"]}, True),
    ],
)
def test_the_policy_says_when_everything_is_reviewed_at_the_end(
    run: Governed, policy: dict[str, Any], reviewed: bool
) -> None:
    run.go({"planner": [g.plan({})]}, policy=policy)
    assert ("final-review/1" in run.dispatched()) == reviewed


def test_no_fix_is_tried_where_the_policy_allows_none(run: Governed) -> None:
    ended = run.go(
        {"planner": [g.plan({})]},
        keys={"final-review/*": [g.reviewed("FAILED", g.issue())]},
        extra={"final_review": True},
        policy={"final_review_gate.max_fix_cycles": 0},
    )
    assert ended.gates == ("resolve-final/1",)
    assert not [each for each in run.dispatched() if each.startswith("final-fix")]


def test_a_person_may_not_ask_for_it_where_the_policy_forbids(run: Governed) -> None:
    run.go(
        {"planner": [g.plan({})]},
        extra={"final_review": True},
        policy={"final_review_gate.allow_user_trigger": False},
    )
    assert "final-review/1" not in run.dispatched()
