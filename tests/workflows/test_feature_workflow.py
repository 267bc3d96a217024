"""A feature as a graph: every story keeps the rules, each rule is found where it is broken, and
counters go where they must.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from podium.core.advance import advance, entered, unblocked
from podium.core.effects import Check, Cluster, Gate, Stage
from podium.core.explore import explore
from podium.core.proofs import Exploration
from podium.core.run import Run, Status
from podium.core.workflow import Step
from podium.settings import policies
from podium.workflows.feature import proofs
from podium.workflows.feature.run import FeatureRun
from podium.workflows.feature.workflow import Feature

POLICY = policies.defaults("feature")
TASKS = {
    name: {"path": f"docs/feature/x/tasks/{name}.md", "agent": "implementer", "changed": []}
    for name in ("01-a", "02-b")
}
PARTS = [{"wave": 1, "tasks": ["01-a"]}, {"wave": 2, "tasks": ["02-b"]}]
BEGUN = [
    "setup",
    "research",
    "synthesis",
    "spec",
    "design",
    "ct",
    "ct_verdict",
    "plan",
    "schedule",
    "wave",
    "v_build",
    "v",
    "v_verdict",
]
DONE = "DONE"


def made(**policy: Any) -> Feature:
    return Feature({**POLICY, **policy})


def told(
    workflow: Feature, *story: str | tuple[str, Mapping[str, Any]], **members: Any
) -> list[FeatureRun]:
    """The run after the start and after each outcome, some with what they set."""
    runs: list[Any] = [workflow.first(**members)]
    for each in story:
        outcome, sets = (each, {}) if isinstance(each, str) else each
        runs.append(advance(workflow, runs[-1], outcome, sets))
    return runs


def standing(step: str, **members: Any) -> FeatureRun:
    return FeatureRun(step=step, visits={step: 1}, **members)


def steps(runs: Sequence[Run]) -> list[str]:
    return [each.step for each in runs]


def scheduled(parts: int = 1) -> tuple[str, Mapping[str, Any]]:
    return "ok", {"queue": PARTS[:parts], "left": parts, "tasks": TASKS}


def result(status: str = DONE, changed: Sequence[str] = ("src/a.py",)) -> dict[str, Any]:
    return {"status": status, "summary": "x", "changed": list(changed), "said": "", "more": 0}


TO_PLAN: tuple[Any, ...] = ("ok", DONE, "ok", "ok", "ok", "ok", DONE)
TO_V: tuple[Any, ...] = (*TO_PLAN, "ok", scheduled(), DONE, "ok", "ok")
TO_R: tuple[Any, ...] = (*TO_V, DONE)
AFFECTED = ("NEEDS_REVISION", {"affected": ["01-a"]})
AGAIN: tuple[Any, ...] = ("ok", scheduled(), DONE, "ok", "ok")
"""A replan with its wave, up to the verdict of the verification."""


@pytest.fixture(scope="module")
def explored() -> Exploration:
    return explore(made())


# -- every story


def test_no_story_breaks_a_rule_with_and_without_approvals(explored: Exploration) -> None:
    assert explored.complete
    assert [str(each) for each in explored.violations] == []
    assert {getattr(run, "approval_mode", None) for run in explored.states} == {False, True}


@pytest.mark.parametrize(
    "policy",
    [
        {"max_v_loops": 0},
        {"max_ct_loops": 0, "max_r_loops": 0},
        {"max_parallel": 1},
        {"max_parallel": 40},
        {"max_ct_loops": 0, "max_v_loops": 0, "max_r_loops": 0},
        {"max_ct_loops": 2, "max_v_loops": 1, "max_r_loops": 2},
    ],
)
def test_nor_with_another_policy(policy: dict[str, int]) -> None:
    found = explore(made(**policy))
    assert [str(each) for each in found.violations] == []
    assert found.most_visits("ct") == policy.get("max_ct_loops", 1) + 1
    assert found.most_visits("v_verdict") == policy.get("max_v_loops", 3) + 2
    assert found.most_visits("r") == policy.get("max_r_loops", 1) + 2


def test_every_loop_ends_and_the_worst_case_is_finite(explored: Exploration) -> None:
    assert explored.most_visits("design") == 2
    assert (
        explored.most_visits("plan") == 5
    )  # the first, three for the verification, one for the review
    assert explored.most_visits("r_fix") == 1
    assert explored.most_visits("r_security") == 3
    assert math.isfinite(
        explored.worst_case(lambda step: int(isinstance(step.effect, Stage | Cluster)))
    )


def test_every_rest_is_complete_or_blocked_with_a_reason(explored: Exploration) -> None:
    for run in explored.states:
        assert run.status in (Status.ACTIVE, Status.COMPLETE) or (
            run.status is Status.BLOCKED and run.reason
        )


# -- what is wrong is found


def broken(name: str, route: Callable[..., str], *exits: str, **policy: Any) -> dict[str, str]:
    """The rules that a workflow breaks in which one step goes another way, each with its story."""
    workflow = made(**policy)
    old = workflow.steps[name]
    changed = replace(old, route=route, exits=tuple(dict.fromkeys((*old.exits, *exits))))
    workflow.steps = {**workflow.steps, name: changed}
    return {each.name: each.detail for each in explore(workflow).violations}


def old_route(name: str) -> Callable[..., str]:
    route: Callable[..., str] = Feature.steps[name].route
    return route


def test_a_third_round_of_the_design_review_is_found() -> None:
    def always(self: Feature, run: Any, outcome: str) -> str:
        if outcome == "NEEDS_REVISION" and run.ct_loops < 2:
            run.ct_loops += 1
            return "design"
        run.planning += 1
        return "plan"

    assert (
        broken("ct_verdict", always)["the design review runs at most 2 times"]
        == "ct can run 3 times"
    )


def test_a_design_that_nobody_looks_at_again_is_found() -> None:
    def hasty(self: Feature, run: Any, outcome: str) -> str:
        run.planning += bool(run.ct_loops)
        return "plan" if run.ct_loops else "ct"

    found = broken("design", hasty, "plan")
    assert "design without ct after it" in found["every revision of the design is reviewed again"]


def test_a_verification_that_is_skipped_done_in_part_or_repeated_too_often_is_found() -> None:
    def skips(self: Feature, run: Any, outcome: str) -> str:
        run.left = 0
        return "r"

    found = broken("wave", skips, "r")
    assert "wave without v_verdict after it" in found["every wave is verified"]
    assert "complete without v_build" in found["no run is complete without v_build"]

    assert (
        "a good build leads to v_verdict"
        in broken("v_build", lambda *_: "v_verdict")["no verification is done in part"]
    )

    def partial_again(self: Feature, run: Any, outcome: str) -> str:
        run.left -= 1
        if outcome == "DONE" and run.left > 0:
            return "wave"
        run.left = 0
        return "v" if run.v_loops else "v_build"

    assert (
        "v_verdict without v_build after"
        in broken("wave", partial_again, "v")["no verification is done in part"]
    )

    def endless(self: Feature, run: Any, outcome: str) -> str:
        run.findings = outcome != DONE
        if outcome == DONE:
            return "r"
        run.planning = 2
        return "plan"

    rule = "verification runs at most 4 times, once more after the replan"
    assert broken("v_verdict", endless)[rule] == "v_verdict can run inf times"


def test_findings_that_are_forgotten_are_found() -> None:
    def forgets(self: Feature, run: Any, outcome: str) -> str:
        after = old_route("v_verdict")(self, run, outcome)
        run.findings = False
        return after

    assert "what verification found is never forgotten" in broken("v_verdict", forgets)

    def forgets_later(self: Feature, run: Any, outcome: str) -> str:
        run.findings = False
        return "r_verdict"

    assert "what verification found is never forgotten" in broken("r", forgets_later)


def test_a_wave_from_a_plan_that_was_not_checked_is_found() -> None:
    def hasty(self: Feature, run: Any, outcome: str) -> str:
        run.queue, run.left = PARTS[:1], 1
        return "wave"

    assert (
        "wave without schedule after plan"
        in broken("plan", hasty, "wave")["no wave starts before the plan as it stands was checked"]
    )


def test_a_review_that_is_passed_without_done_is_found() -> None:
    def mild(self: Feature, run: Any, outcome: str) -> str:
        return (
            "done"
            if outcome in ("DONE", "NEEDS_REVISION")
            else old_route("r_verdict")(self, run, outcome)
        )

    assert (
        "complete without a review that is DONE"
        in broken("r_verdict", mild)["nothing passes a review that is not DONE"]
    )

    def lets_security_pass(self: Feature, run: Any, outcome: str) -> str:
        return (
            "r_fix"
            if outcome == "ERROR" and not run.r_loops
            else old_route("r_verdict")(self, run, outcome)
        )

    assert (
        "goes on to r_fix"
        in broken("r_verdict", lets_security_pass)[
            "an ERROR of the review leads to a new plan or to the end"
        ]
    )


def test_a_fix_that_nobody_reviews_or_checks_is_found() -> None:
    def proud(self: Feature, run: Any, outcome: str) -> str:
        return "done"

    found = broken("r_fix", proud, "done")
    assert "every fix of a review is reviewed again" in found
    assert "the program looks at every fix of a review itself" in found


def test_an_approval_that_is_gone_around_is_found() -> None:
    found = broken("synthesis", lambda *_: "spec")
    assert (
        "spec without approval"
        in found["with approval mode nothing is specified without an approved analysis"]
    )
    found = broken("plan", lambda *_: "schedule")
    assert (
        "wave without approval"
        in found["with approval mode no wave of the first plan starts without its approval"]
    )


def test_five_agents_at_once_are_found() -> None:
    workflow = made()
    cluster = workflow.steps["wave"]
    assert isinstance(cluster.effect, Cluster)
    workflow.steps = {
        **workflow.steps,
        "wave": replace(cluster, effect=replace(cluster.effect, limit=5)),
    }
    found = {each.name: each.detail for each in explore(workflow).violations}
    assert found["no more than 4 agents at once"] == "wave starts 5 at once"


NO_LOOPS = {"max_ct_loops": 0, "max_v_loops": 0, "max_r_loops": 0}


@pytest.mark.parametrize("step", proofs.LINE[1:])
def test_each_step_of_the_line_that_is_left_out_is_found(step: str) -> None:
    line = [*proofs.LINE, "done"]
    before, after = line[line.index(step) - 1], line[line.index(step) + 1]
    before = {"v_verdict": "v"}.get(step, before)

    def leaves_out(self: Feature, run: Any, outcome: str) -> str:
        target = old_route(before)(self, run, outcome)
        if target == step == "schedule":
            run.queue, run.left = PARTS[:1], 1
        return after if target == step else target

    assert f"no run is complete without {step}" in broken(before, leaves_out, after, **NO_LOOPS)


# -- told stories


def test_the_whole_line() -> None:
    runs = told(made(), *TO_R, "ok", DONE)
    assert steps(runs) == [*BEGUN, "r", "r_verdict", "done"]
    assert runs[-1].status is Status.COMPLETE
    assert not runs[-1].findings


def test_with_approval_mode_there_are_two_gates_and_rejections_go_back() -> None:
    story = (
        "ok",
        DONE,
        "ok",
        "synthesis",
        "ok",
        "approved",
        "ok",
        "ok",
        "ok",
        DONE,
        "ok",
        "plan",
        "ok",
        "approved",
    )
    assert steps(told(made(), *story, approval_mode=True))[2:] == [
        "synthesis",
        "approve_research",
        "synthesis",
        "approve_research",
        "spec",
        "design",
        "ct",
        "ct_verdict",
        "plan",
        "approve_plan",
        "plan",
        "approve_plan",
        "schedule",
    ]


def test_the_design_goes_back_once_and_then_its_tensions_bind_the_plan() -> None:
    runs = told(made(), *TO_PLAN[:-1], "NEEDS_REVISION", "ok", "ok", "NEEDS_REVISION")
    assert steps(runs)[6:] == ["ct_verdict", "design", "ct", "ct_verdict", "plan"]
    assert [run.ct_loops for run in runs[6:]] == [0, 1, 1, 1, 1]
    assert (runs[-1].constrained, runs[-1].planning) == (True, 1)


def test_a_design_that_is_mended_leaves_no_constraint() -> None:
    *_, last = told(made(), *TO_PLAN[:-1], "NEEDS_REVISION", "ok", "ok", DONE)
    assert (last.step, last.constrained) == ("plan", False)


def test_parts_of_waves_follow_each_other_until_one_fails() -> None:
    first = {"results": {"01-a": result()}}
    runs = told(
        made(),
        *TO_PLAN,
        "ok",
        scheduled(2),
        (DONE, first),
        ("ERROR", {"results": {"02-b": result("ERROR", [])}}),
    )
    assert steps(runs)[-3:] == ["wave", "wave", "v_build"]
    assert (runs[-1].finished, runs[-1].touched, runs[-1].left) == (["01-a"], ["src/a.py"], 0)
    stopped = told(
        made(), *TO_PLAN, "ok", scheduled(2), ("ERROR", {"results": {"01-a": result("ERROR", [])}})
    )
    assert (stopped[-1].step, stopped[-1].left, stopped[-1].finished) == ("v_build", 0, [])


def test_a_task_that_was_finished_and_fails_when_done_again_is_not_finished() -> None:
    ended = {"01-a": result("ERROR", [])}
    at = standing(
        "wave", queue=PARTS[:1], left=1, tasks=TASKS, finished=["01-a", "02-b"], results=ended
    )
    assert advance(made(), at, "ERROR").finished == ["02-b"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("before", "changed", "more", "tier"),
    [
        ("", ["docs/a.md"], 0, "Lightweight"),
        ("Lightweight", ["src/a.py"], 0, "Standard"),
        ("Standard", ["docs/a.md"], 0, "Standard"),
        ("Lightweight", ["src/auth.py"], 0, "Full"),
        ("Full", ["docs/a.md"], 0, "Full"),
        ("", ["docs/a.md"], 1, "Full"),
        ("Lightweight", [], 0, "Lightweight"),
        ("", [], 0, ""),
    ],
)
def test_the_tier_only_ever_gets_stricter_as_paths_are_added(
    before: str, changed: list[str], more: int, tier: str
) -> None:
    ended = {**result(changed=changed), "more": more}
    at = standing(
        "wave", queue=PARTS[:1], left=1, tasks=TASKS, tier=before, results={"01-a": ended}
    )
    assert advance(made(), at, DONE).tier == tier  # type: ignore[attr-defined]


def test_a_gate_that_fails_skips_the_others_and_never_uses_what_they_said_before() -> None:
    *_, last = told(made(), *TO_V[:-2], ("fail", {}), v_seen={"v-tests": {"word": "DONE"}})
    assert (last.step, last.v_seen) == ("v_verdict", {})
    assert last.build_seen["v-build"]["word"] == "ERROR"


def test_three_replans_and_then_the_review_with_findings() -> None:
    runs = told(made(), *TO_V, *(("NEEDS_REVISION", *AGAIN) * 3), "ERROR", "ok", DONE)
    assert [run.v_loops for run in runs if run.step == "v_verdict"] == [0, 1, 2, 3]
    assert (runs[-1].status, runs[-1].findings, runs[-1].planning) == (Status.COMPLETE, True, 4)
    assert made().closing(runs[-1]).startswith("DONE: complete with findings")


def test_a_verification_that_passes_in_the_end_leaves_no_findings() -> None:
    *_, last = told(made(), *TO_V, "ERROR", *AGAIN, DONE, "ok", DONE)
    assert (last.status, last.findings) == (Status.COMPLETE, False)


def test_the_review_sends_tasks_back_once_plans_anew_once_and_then_halts() -> None:
    runs = told(
        made(), *TO_R, "ok", AFFECTED, DONE, "ok", "ok", AFFECTED, *AGAIN, DONE, "ok", AFFECTED
    )
    assert steps(runs)[len(BEGUN) + 1 :] == [
        "r_verdict",
        "r_fix",
        "r_check",
        "r",
        "r_verdict",
        "plan",
        "schedule",
        "wave",
        "v_build",
        "v",
        "v_verdict",
        "r",
        "r_verdict",
        "r_verdict",
    ]
    assert (runs[-1].status, runs[-1].stop, runs[-1].replanned) == (Status.BLOCKED, "review", True)
    assert runs[-1].reason.startswith("ERROR: ")


def test_a_review_that_names_nobody_is_planned_anew_at_once() -> None:
    *_, last = told(made(), *TO_R, "ok", ("NEEDS_REVISION", {"affected": []}))
    assert (last.step, last.replanned) == ("plan", True)


@pytest.mark.parametrize("first", ["ERROR", "SECURITY"])
def test_an_error_of_the_review_goes_to_nobodys_fix_pass(first: str) -> None:
    workflow = made()
    runs = told(workflow, *TO_R, "ok", (first, {"affected": ["01-a"]}))
    if first == "SECURITY":
        runs += [advance(workflow, runs[-1], "revise")]  # type: ignore[list-item]
        runs += [advance(workflow, runs[-1], "ERROR", {"affected": ["01-a"]})]  # type: ignore[list-item]
        assert steps(runs)[-3:-1] == ["r_security", "r_verdict"]
    assert (runs[-1].step, runs[-1].replanned, runs[-1].failed) == ("plan", True, ["01-a"])


def test_keys_name_the_plan_they_belong_to_and_are_never_used_twice() -> None:
    key = made().steps["wave"].key
    assert key is not None
    runs = told(
        made(), *TO_PLAN, "ok", scheduled(2), DONE, DONE, "ok", "ok", "ERROR", "ok", scheduled()
    )
    assert [key(run) for run in runs if run.step == "wave"] == ["wave/1", "wave/2", "fix/1/wave/1"]


# -- after a person


def test_a_person_who_sends_a_halted_review_on_gives_it_its_ways_again_and_nothing_else() -> None:
    workflow = made()
    spent = {"replanned": True, "r_loops": 1, "ct_loops": 1, "v_loops": 3}
    halted = standing("r_verdict", status=Status.BLOCKED, **spent)
    on = unblocked(workflow, halted)
    assert (on.replanned, on.r_loops, on.ct_loops, on.v_loops) == (False, 0, 1, 3)  # type: ignore[attr-defined]
    other = unblocked(workflow, standing("plan", status=Status.BLOCKED, **spent))
    assert (other.replanned, other.r_loops) == (True, 1)  # type: ignore[attr-defined]


FULL: dict[str, Any] = {
    "ct_loops": 1,
    "constrained": True,
    "planning": 2,
    "v_loops": 1,
    "r_loops": 1,
    "replanned": True,
    "findings": True,
    "tasks": TASKS,
    "finished": ["01-a", "02-b"],
    "failed": ["02-b"],
    "queue": PARTS[1:],
    "left": 0,
    "built": 2,
    "results": {"02-b": {}},
    "broken": ["x"],
    "build_seen": {"v-build": {}},
    "v_seen": {"v-tests": {}},
    "r_seen": {"r-quality": {}},
    "touched": ["src/a.py"],
    "tier": "Full",
}


def back_at(step: str, **members: Any) -> FeatureRun:
    workflow = made()
    run = entered(standing("r_verdict", **{**FULL, **members}), step)
    workflow.rewound(run)
    assert isinstance(run, FeatureRun)
    return run


@pytest.mark.parametrize("step", ["research", "synthesis", "spec", "design", "ct", "ct_verdict"])
def test_a_rewind_before_the_plan_forgets_plan_and_loops_after_it(step: str) -> None:
    run = back_at(step)
    assert run.ct_loops == (1 if step in {"design", "ct", "ct_verdict"} else 0)
    assert (
        run.planning,
        run.v_loops,
        run.r_loops,
        run.replanned,
        run.findings,
        run.constrained,
    ) == (0, 0, 0, False, False, False)
    assert (run.tasks, run.finished, run.failed, run.queue, run.left, run.results) == (
        {},
        [],
        [],
        [],
        0,
        {},
    )
    assert (run.touched, run.tier) == (["src/a.py"], "Full")  # the code is still there


def test_a_rewind_to_a_replan_keeps_what_was_done_before_it() -> None:
    run = back_at("plan")
    assert (run.planning, run.v_loops, run.replanned) == (2, 1, True)
    assert (run.finished, run.failed, run.queue, run.left) == (["01-a"], [], [], 0)
    assert run.tasks == TASKS


def test_a_rewind_to_the_first_plan_keeps_nothing_of_it() -> None:
    run = back_at("plan", planning=1, v_loops=0, replanned=False)
    assert (run.planning, run.tasks, run.finished, run.queue) == (1, {}, [], [])


@pytest.mark.parametrize("step", ["research", "ct_verdict", "plan"])
def test_a_rewind_keeps_what_an_earlier_runs_plan_had(step: str) -> None:
    """The run still extends that plan: its planner gets it, and leaves the tasks alone that are
    done.
    """
    before = {
        "00-z": {"path": "docs/feature/x/tasks/00-z.md", "agent": "implementer", "changed": []}
    }
    run = back_at(step, planning=1, extends=True, found={"tasks": before, "finished": ["00-z"]})
    assert (run.extends, run.tasks, run.finished, run.failed) == (True, before, ["00-z"], [])
    run.tasks["00-z"]["changed"] = ["src/a.py"]
    assert run.found["tasks"] == before


def test_a_rewind_to_a_wave_begins_with_the_first_part_so_that_what_stands_is_reused() -> None:
    run = back_at("wave")
    assert (run.queue, run.left, run.finished, run.failed, run.results) == (
        PARTS[1:],
        1,
        ["01-a"],
        [],
        {},
    )


@pytest.mark.parametrize("step", ["v_build", "v", "v_verdict"])
def test_a_rewind_into_the_verification_keeps_the_plan_and_forgets_what_was_found_after_it(
    step: str,
) -> None:
    run = back_at(step)
    assert (run.finished, run.left, run.v_loops, run.findings, run.r_loops, run.broken) == (
        ["01-a", "02-b"],
        0,
        1,
        False,
        0,
        [],
    )
    assert run.build_seen == {"v-build": {}}


@pytest.mark.parametrize("step", ["r", "r_verdict", "r_security", "r_fix", "r_check"])
def test_a_rewind_into_the_review_never_forgets_what_verification_found(step: str) -> None:
    run = back_at(step)
    assert (run.findings, run.r_loops, run.r_seen) == (True, 1, {"r-quality": {}})


@pytest.mark.parametrize("step", ["research", "plan", "wave", "r"])
def test_no_rewind_lets_a_key_be_used_twice(step: str) -> None:
    assert back_at(step).built == 2


# -- the policy


@pytest.mark.parametrize(("said", "limit"), [(0, 1), (1, 1), (3, 3), (4, 4), (9, 4)])
def test_agents_at_once_are_one_to_four_whatever_the_policy_says(said: int, limit: int) -> None:
    workflow = made(max_parallel=said)
    assert {
        each.effect.limit for each in workflow.steps.values() if isinstance(each.effect, Cluster)
    } == {limit}


def test_gates_are_required_only_in_approval_mode_and_replans_pass_without_one() -> None:
    steps = made().steps
    for name in ("approve_research", "approve_plan"):
        gate = steps[name].effect
        assert isinstance(gate, Gate)
        assert gate.required(FeatureRun(step=name, approval_mode=True))
        assert not gate.required(FeatureRun(step=name))
    wave = steps["wave"].effect
    assert isinstance(wave, Cluster)
    assert wave.approved_by is not None
    assert (
        wave.approved_by(FeatureRun(step="wave", approval_mode=True, planning=1)) == "approve_plan"
    )
    assert wave.approved_by(FeatureRun(step="wave", approval_mode=True, planning=2)) == ""
    assert wave.approved_by(FeatureRun(step="wave", planning=1)) == ""


def test_the_engines_commands_are_run_where_work_is_judged() -> None:
    def commands(step: Step) -> tuple[str, ...]:
        return step.effect.commands if isinstance(step.effect, Check) else ()

    assert {name: commands(each) for name, each in made().steps.items() if commands(each)} == {
        "v_verdict": ("build", "test"),
        "r_check": ("build", "test"),
    }


def test_work_that_is_made_side_by_side_lands_in_the_order_of_the_plan() -> None:
    clusters = {
        name: each.effect.in_order
        for name, each in made().steps.items()
        if isinstance(each.effect, Cluster)
    }
    assert clusters == {
        "research": False,
        "ct": False,
        "wave": True,
        "v": False,
        "r": False,
        "r_fix": True,
    }


def test_the_last_words_count_the_warnings() -> None:
    done = standing("done", status=Status.COMPLETE, warnings=["a", "b"])
    assert made().closing(done) == "DONE: complete (2 warnings, see podium log)"
    assert made().closing(made().first()) == ""


@pytest.mark.parametrize(
    "reason", ["ERROR: the review\n does not\x1b pass", "the review does not pass"]
)
def test_a_run_that_stops_ends_with_one_line_that_says_why(reason: str) -> None:
    assert (
        made().closing(standing("r_verdict", status=Status.BLOCKED, reason=reason))
        == "ERROR: the review does not pass"
    )
    assert made().closing(standing("plan", status=Status.BLOCKED)) == "ERROR: the run stopped"
    assert made().closing(standing("approve_plan", status=Status.WAITING, reason=reason)) == ""
