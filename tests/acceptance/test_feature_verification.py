"""Verification: a gate, three more agents, the engine's own commands; what fails is planned,
mended and verified anew.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.fakes.feature import ERROR, WELL, FeatureProject, V, finds, planner, says, task

from podium.views.text import listing

FAILS = finds("Major", "NEEDS_REVISION", where="src/app.py", what="a test fails", tasks=["01"])
ROUND = ["v_build", "v", "v_verdict"]
AGAIN = ["plan", "schedule", "wave"]


def from_first_wave(feature: FeatureProject) -> list[str]:
    steps = feature.steps()
    return steps[steps.index("wave") :]


def test_what_fails_is_planned_anew_mended_and_verified_whole(feature: FeatureProject) -> None:
    ended = feature.feature(
        {
            "planner": [planner({"01-a": []}), planner({"02-fix": ["01"]}, mode="replan")],
            "v-tests": [FAILS, WELL],
        }
    )
    assert (ended.exit_code, feature.outcome()) == (0, "complete")
    assert from_first_wave(feature) == ["wave", *ROUND, *AGAIN, *ROUND, "r", "r_verdict", "done"]
    for number in (1, 2):
        assert [key for key in feature.started() if key.startswith(f"v/{number}/")] == [
            f"v/{number}/{each}" for each in V
        ]
    assert {"verifier", "plan", "01-a"} <= set(
        feature.event("step.started", key="plan/2")["inputs"]
    )
    assert "Planning Mode: replan." in feature.prompt("plan/2")
    assert "Must be fixed: 01-a." in feature.prompt("plan/2")
    assert [key for key in feature.started() if "/wave/" in key] == ["fix/1/wave/1/02-fix"]


def test_after_three_replans_that_do_not_help_the_run_ends_with_findings_and_never_as_clean(
    feature: FeatureProject,
) -> None:
    ended = feature.feature({"planner": planner({"01-a": []}), "v-tests": FAILS})
    assert (ended.exit_code, feature.outcome()) == (0, "completed_with_findings")
    assert ended.closing.startswith("DONE: complete with findings, see verifier.md")
    summary = feature.app.summary(feature.run_id)
    assert (summary.status, summary.outcome, ended.outcome) == (
        "complete",
        "completed_with_findings",
        "completed_with_findings",
    )
    assert "complete with findings" in listing([summary])
    assert from_first_wave(feature) == [
        "wave",
        *ROUND,
        *(AGAIN + ROUND) * 3,
        "r",
        "r_verdict",
        "done",
    ]
    assert "verification still fails" in feature.warnings()
    assert "a test fails" in feature.document("verifier.md")


def test_the_same_plan_written_again_means_its_tasks_again(feature: FeatureProject) -> None:
    """A planner that has nothing new to say after a failure that names no task."""
    nameless = finds("Major", "NEEDS_REVISION", what="a test fails")
    ended = feature.feature({"planner": planner({"01-a": []}), "v-tests": [nameless, WELL]})
    assert (ended.exit_code, feature.outcome()) == (0, "complete")
    assert feature.asked("fix/1/wave/1/01-a") == 1
    assert "every task of the plan is finished; all of them are done again" in feature.warnings()


@pytest.mark.parametrize("loops", [0, 1])
def test_the_number_of_replans_is_policy(feature: FeatureProject, loops: int) -> None:
    feature.feature({"v-tests": FAILS}, policy={"max_v_loops": loops})
    assert from_first_wave(feature) == [
        "wave",
        *ROUND,
        *(AGAIN + ROUND) * loops,
        "r",
        "r_verdict",
        "done",
    ]
    assert feature.outcome() == "completed_with_findings"


def test_a_gate_that_fails_twice_skips_the_others_and_is_an_error(feature: FeatureProject) -> None:
    feature.feature({"v-build": ERROR}, policy={"max_v_loops": 0}, until="v-verdict/1")
    assert feature.asked("v-build/1") == 2
    assert not [role for role in feature.roles() if role in V]
    assert feature.event("step.finished", key="v-verdict/1")["verdict"].startswith(
        "ERROR: verification — v-build"
    )
    assert "v-build" in feature.document("verifier.md").partition("## Actionable Items")[2]


def test_a_gate_whose_document_says_fail_is_not_passed_by_a_line_that_says_done(
    feature: FeatureProject,
) -> None:
    lie = {
        "write": {"@out": "# Build\n\nStatus: FAIL\n\n## Errors\n\nNo compiler.\n"},
        "say": "DONE: built",
    }
    feature.feature({"v-build": lie}, policy={"max_v_loops": 0}, until="v-verdict/1")
    assert not [role for role in feature.roles() if role in V]
    assert feature.event("step.finished", key="v-verdict/1")["verdict"].startswith(
        "ERROR: verification"
    )


TABLE: list[tuple[dict[str, Any], str]] = [
    ({"v-tests": ERROR, "v-tasks": says("NEEDS_REVISION")}, "ERROR"),
    (
        {"v-tests": {"write": {"@out": "# Tests\n\nStatus: MAYBE\n"}, "say": "DONE: fine"}},
        "NEEDS_REVISION",
    ),
    ({"v-feature": {"write": {"@out": "\n"}, "say": "DONE: nothing to say"}}, "DONE"),
]


@pytest.mark.parametrize(("members", "word"), TABLE)
def test_the_verdict_is_computed_from_lines_and_documents(
    feature: FeatureProject, members: dict[str, Any], word: str
) -> None:
    feature.feature(members, until="v-verdict/1")
    assert feature.event("step.finished", key="v-verdict/1")["verdict"].startswith(
        f"{word}: verification"
    )
    assert all(
        feature.asked(f"v/1/{each}") == (2 if members.get(each) == ERROR else 1) for each in V
    )


def test_the_engines_own_failing_test_makes_it_a_revision_although_every_member_says_done(
    feature: FeatureProject,
) -> None:
    broken = {"write": {"src/app.py": "broken = True\n"}, "say": "DONE: 01-feature"}
    mended = {"write": {"src/app.py": "VALUE = 2\n"}, "say": "DONE: 02-fix-2"}
    feature.feature(keys={"wave/1/*": broken, "fix/1/*": mended}, until="v-verdict/1")
    first = feature.event("step.finished", key="v-verdict/1")
    assert first["verdict"] == "NEEDS_REVISION: verification — test: failed (exit 1)"
    assert [each["exit"] for each in first["evidence"]] == [1]
    actions = feature.document("verifier.md").partition("## Actionable Items")[2]
    assert "test: failed (exit 1)" in actions
    assert feature.resume().exit_code == 0
    assert feature.outcome() == "complete"


def test_tasks_are_known_by_their_numbers_too(feature: FeatureProject) -> None:
    made = planner({"01-a": [], "02-b": []}, {"03-c": ["02"]})
    line = {
        **WELL,
        "verdict": {"status": "NEEDS_REVISION", "summary": "2 tasks failed", "tasks": ["02", "3"]},
    }
    feature.feature(keys={"plan/1": made}, agents={"v-tasks": [line, WELL]})
    assert feature.event("step.finished", key="v-verdict/1")["verdict"].endswith(
        "— task IDs: 02-b, 03-c"
    )
    assert [key for key in feature.started() if key.startswith("fix/")] == [
        "fix/1/wave/1/02-b",
        "fix/1/wave/2/03-c",
    ]


def test_a_task_that_failed_may_be_left_to_a_new_one(feature: FeatureProject) -> None:
    second = planner({"03-fix": ["02"]}, mode="replan")
    failed = says("NEEDS_REVISION", tasks=["02-b"])
    ended = feature.feature(
        {"planner": [planner({"01-a": [], "02-b": []}), second], "v-tasks": [failed, WELL]}
    )
    assert (ended.exit_code, feature.outcome()) == (0, "complete")
    assert "02-b failed and has no place in this plan" in feature.warnings()


def test_the_file_of_a_finished_task_may_be_rewritten_to_have_it_done_again(
    feature: FeatureProject,
) -> None:
    anew = planner({"01-a": []}, mode="replan", t01_a=task("01-a", files=["src/app.py"]))
    nameless = finds("Major", "NEEDS_REVISION", what="a test fails")
    ended = feature.feature(
        {"planner": [planner({"01-a": [], "02-b": []}), anew], "v-tests": [nameless, WELL]}
    )
    assert ended.exit_code == 0
    assert [key for key in feature.started() if key.startswith("fix/")] == ["fix/1/wave/1/01-a"]


def test_a_round_is_not_judged_by_documents_of_the_round_before(feature: FeatureProject) -> None:
    """Three good documents of round one do not save a second round whose gate fails."""
    feature.feature(
        {"v-build": [WELL, ERROR], "v-tests": [says("NEEDS_REVISION"), WELL]}, until="v-verdict/2"
    )
    assert feature.event("step.finished", key="v-verdict/2")["verdict"].startswith(
        "ERROR: verification — v-build"
    )
    assert "MISSING" in feature.document("verifier.md")
