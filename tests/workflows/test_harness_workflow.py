"""One task through a line of stages: every story it can have, and what holds in all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from podium.__main__ import main
from podium.core.advance import advance, unblocked
from podium.core.effects import Gate, Stage
from podium.core.explore import Exploration, explore
from podium.core.run import Run, Status
from podium.core.workflow import Step
from podium.wiring import scaffold_text
from podium.workflows.harness import proofs
from podium.workflows.harness.run import HarnessRun
from podium.workflows.harness.stages import StageSpec, parse_stages
from podium.workflows.harness.workflow import COMPLETION, QA_LIMIT, Harness

STAGES = parse_stages(scaffold_text("harness", "stages.toml"), "harness/stages.toml")
LINE = ["specification", "design", "implementation_planning", "build", "qa"]
ON = {"approve_build": True, COMPLETION: True}
OFF = dict.fromkeys(ON, False)


def longer() -> tuple[StageSpec, ...]:
    """Two reviews and a deployment behind a gate of its own."""
    qa = STAGES[-1]
    security = replace(
        qa,
        name="Security Review",
        code="SEC",
        role="security",
        output="security",
        label="Security",
        returns_to="Build",
    )
    deploy = replace(
        STAGES[3],
        name="Deploy",
        code="DEPLOY",
        role="deploy",
        reads=("@plan",),
        approval_before=True,
    )
    return (*STAGES, security, deploy)


def told(
    workflow: Harness, *outcomes: str, approvals: dict[str, bool] | None = None
) -> list[HarnessRun]:
    """The run after the start and after each outcome."""
    runs: list[Any] = [workflow.first(approvals=dict(ON if approvals is None else approvals))]
    for outcome in outcomes:
        runs.append(advance(workflow, runs[-1], outcome))
    return runs


def steps(runs: Sequence[Run]) -> list[str]:
    return [each.step for each in runs]


@pytest.fixture(scope="module")
def explored() -> Exploration:
    return explore(Harness(STAGES))


# -- every story


def test_no_story_of_the_shipped_line_breaks_a_rule(explored: Exploration) -> None:
    assert explored.complete
    assert [str(each) for each in explored.violations] == []


def test_every_combination_of_the_flags_is_explored(explored: Exploration) -> None:
    flags = {tuple(sorted(run.approvals.items())) for run in explored.states}  # type: ignore[attr-defined]
    assert len(flags) == len(explored.starts) == 4


def test_qa_runs_at_most_three_times_and_build_too(explored: Exploration) -> None:
    assert explored.most_visits("qa") == explored.most_visits("build") == 3
    assert explored.most_visits("specification") == 1
    assert explored.bounds()["remediations[qa]"] == (1, 2)


def test_at_most_nine_stages_run_without_a_person(explored: Exploration) -> None:
    assert explored.worst_case(lambda step: int(isinstance(step.effect, Stage))) == 9


@pytest.mark.parametrize(("limit", "runs"), [(0, 5), (1, 7), (2, 9), (5, 15)])
def test_the_worst_case_follows_the_policy(limit: int, runs: int) -> None:
    found = explore(Harness(STAGES, limit))
    assert [str(each) for each in found.violations] == []
    assert found.worst_case(lambda step: int(isinstance(step.effect, Stage))) == runs


def test_a_line_with_two_reviews_and_a_gated_deployment_breaks_no_rule() -> None:
    workflow = Harness(longer())
    found = explore(workflow)
    assert [str(each) for each in found.violations] == []
    assert len(found.starts) == 8
    assert (
        found.dominated(
            "deploy", "approve_deploy", "approved", lambda run: run == workflow.first(approvals={})
        )
        is None
    )
    assert math.isfinite(found.worst_case(lambda step: int(isinstance(step.effect, Stage))))


def test_every_rest_is_complete_or_blocked_with_a_reason(explored: Exploration) -> None:
    for run in explored.states:
        if run.status is not Status.ACTIVE:
            assert run.status is Status.COMPLETE or (run.status is Status.BLOCKED and run.reason)


# -- told stories


def test_the_happy_path_passes_both_gates() -> None:
    runs = told(Harness(STAGES), "ok", "ok", "ok", "approved", "ok", "ok", "approved")
    assert steps(runs) == [*LINE[:3], "approve_build", "build", "qa", COMPLETION, "done"]
    assert runs[-1].status is Status.COMPLETE
    assert runs[-1].completed == [each.name for each in STAGES]


def test_with_the_flags_off_no_person_is_asked() -> None:
    assert steps(told(Harness(STAGES), *["ok"] * 5, approvals=OFF)) == [*LINE, "done"]


@pytest.mark.parametrize(
    ("approvals", "visited"),
    [
        ({"approve_build": False, COMPLETION: True}, [*LINE, COMPLETION]),
        ({"approve_build": True, COMPLETION: False}, [*LINE[:3], "approve_build"]),
        ({}, [*LINE[:3], "approve_build"]),
    ],
)
def test_each_flag_switches_its_own_gate_and_is_on_by_default(
    approvals: dict[str, bool], visited: list[str]
) -> None:
    assert (
        steps(told(Harness(STAGES), *["ok"] * (len(visited) - 1), approvals=approvals)) == visited
    )


def test_a_review_that_finds_issues_sends_build_again_without_asking_for_it_again() -> None:
    runs = told(Harness(STAGES), "ok", "ok", "ok", "approved", "ok", "revise", "ok", "ok")
    assert steps(runs)[5:] == ["qa", "build", "qa", COMPLETION]
    assert runs[6].remediating == "qa"
    assert runs[6].remediations == {"qa": 1}
    assert runs[6].completed == ["Specification", "Design", "Implementation Planning"]
    assert runs[8].remediating == ""


def test_the_third_failed_review_blocks_the_run_at_qa_with_the_exact_words() -> None:
    *_, last = told(
        Harness(STAGES), *["ok"] * 4, "revise", "ok", "revise", "ok", "revise", approvals=OFF
    )
    assert (last.step, last.status, last.reason, last.stop) == (
        "qa",
        Status.BLOCKED,
        "QA remediation retry limit reached",
        "qa_limit",
    )
    assert last.reason == QA_LIMIT


def test_two_failed_reviews_and_one_that_passes_complete_the_task() -> None:
    *_, last = told(
        Harness(STAGES), *["ok"] * 4, "revise", "ok", "revise", "ok", "ok", approvals=OFF
    )
    assert last.status is Status.COMPLETE


@pytest.mark.parametrize("target", LINE[:3])
def test_a_person_can_send_back_from_the_gate_before_build(target: str) -> None:
    runs = told(Harness(STAGES), "ok", "ok", "ok", target)
    names = [each.name for each in STAGES]
    assert runs[-1].step == target
    assert runs[-1].completed == names[: LINE.index(target)]
    again = runs[-1]
    for _ in range(3 - LINE.index(target)):
        again = advance(Harness(STAGES), again, "ok")  # type: ignore[assignment]
    assert again.step == "approve_build"


@pytest.mark.parametrize("target", LINE[:4])
def test_a_person_can_send_back_from_the_last_gate_to_every_stage_but_the_review(
    target: str,
) -> None:
    runs = told(Harness(STAGES), "ok", "ok", "ok", "approved", "ok", "revise", "ok", "ok", target)
    assert runs[-1].step == target
    assert (runs[-1].remediations, runs[-1].remediating) == ({}, "")


def test_no_gate_sends_back_to_a_review_or_forward() -> None:
    workflow = Harness(STAGES)
    for name, targets in (("approve_build", LINE[:3]), (COMPLETION, LINE[:4])):
        gate = workflow.steps[name].effect
        assert isinstance(gate, Gate)
        assert gate.choices == ("approved", *targets)
        assert gate.default_rejection == targets[-1]


def test_a_stage_that_fails_blocks_where_it_is_and_completes_nothing() -> None:
    *_, last = told(Harness(STAGES), "ok", "fail")
    assert (last.step, last.status, last.completed) == ("design", Status.BLOCKED, ["Specification"])


def test_a_person_who_sends_a_blocked_run_on_gives_the_loop_its_budget_again() -> None:
    workflow = Harness(STAGES)
    *_, last = told(workflow, *["ok"] * 4, "revise", "ok", "revise", "ok", "revise", approvals=OFF)
    on = unblocked(workflow, last)
    assert isinstance(on, HarnessRun)
    assert (on.step, on.status, on.remediations, on.visits["qa"]) == ("qa", Status.ACTIVE, {}, 4)


def test_each_review_counts_for_itself() -> None:
    *_, last = told(
        Harness(longer()),
        *["ok"] * 4,
        "revise",
        "ok",
        "ok",
        "revise",
        approvals=dict.fromkeys(["approve_build", "approve_deploy", COMPLETION], False),
    )
    assert (last.step, last.remediations, last.remediating) == (
        "build",
        {"qa": 1, "security_review": 1},
        "security_review",
    )


def test_keys_of_what_a_review_can_repeat_always_show_their_round() -> None:
    workflow = Harness(STAGES)
    assert [stage.name for stage in STAGES if workflow.loops(stage)] == ["Build", "QA"]


def test_the_stage_behind_a_gate_names_the_gate_only_while_the_flag_is_on() -> None:
    effect = Harness(STAGES).steps["build"].effect
    assert isinstance(effect, Stage)
    assert effect.approved_by is not None
    assert effect.approved_by(HarnessRun(step="build")) == "approve_build"
    assert effect.approved_by(HarnessRun(step="build", approvals=OFF)) == ""


# -- what is wrong is found


class Hasty(Harness):
    """Goes straight on to build."""

    def _next(self, run: HarnessRun) -> str:
        after = super()._next(run)
        return "build" if after == "approve_build" else after


class Generous(Harness):
    """Allows one return more than it says."""

    def __init__(self, stages: Sequence[StageSpec]) -> None:
        super().__init__(stages, 3)
        self.invariants = proofs.invariants(Harness(stages, 2))


class Forgetful(Harness):
    """Leaves out design where the flags are off."""

    def _steps(self) -> list[Step]:
        found = super()._steps()
        return [
            replace(each, exits=(*each.exits, "implementation_planning"))
            if each.name == "specification"
            else each
            for each in found
        ]

    def _next(self, run: HarnessRun) -> str:
        after = super()._next(run)
        return (
            "implementation_planning"
            if after == "design" and not run.approvals.get(COMPLETION, True)
            else after
        )


@pytest.mark.parametrize(
    ("broken", "rule", "story"),
    [
        (
            Hasty,
            "Build is never entered without its approval when the flag is on",
            "specification ok, design ok, implementation_planning ok",
        ),
        (Generous, "QA runs at most 3 times without a person", "qa can run 4 times"),
        (
            Forgetful,
            "no stage is skipped",
            "at implementation_planning without Design: specification ok",
        ),
    ],
)
def test_a_broken_line_is_found_and_told_as_a_story(
    broken: type[Harness], rule: str, story: str
) -> None:
    found = {each.name: each.detail for each in explore(broken(STAGES)).violations}
    assert story in found[rule]


def test_the_completion_gate_cannot_be_left_out() -> None:
    class Proud(Harness):
        def _next(self, run: HarnessRun) -> str:
            after = super()._next(run)
            return "done" if after == COMPLETION else after

    names = {each.name for each in explore(Proud(STAGES)).violations}
    assert "Complete is never reached by the program alone when the flag is on" in names


@pytest.mark.parametrize("broken", [Hasty, Generous])
def test_check_exits_20_for_a_broken_line_and_names_the_rule(
    broken: type[Harness],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("podium.cli.catalog.workflow", lambda *_: broken(STAGES))
    assert main(["check", "harness"]) == 20
    assert "BROKEN" in capsys.readouterr().out


def test_check_exits_0_for_the_shipped_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", "harness"]) == 0


def test_a_line_that_allows_no_remediation_breaks_no_rule() -> None:
    assert [str(each) for each in explore(Harness(STAGES, 0)).violations] == []


def test_a_gate_before_the_first_stage_breaks_no_rule() -> None:
    gated = (replace(STAGES[0], approval_before=True), *STAGES[1:])
    assert [str(each) for each in explore(Harness(gated)).violations] == []
