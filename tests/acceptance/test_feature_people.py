"""People in a feature run: two gates that wait as long as it takes, edits that reopen them,
rewinds, a cancelled run.
"""

from __future__ import annotations

import pytest
from tests.fakes.feature import (
    ERROR,
    FOLDER,
    WELL,
    FeatureProject,
    builds,
    finds,
    planner,
    says,
    task,
)

ON = {"approval_mode": True}
TWO: tuple[dict[str, list[str]], ...] = ({"01-a": [], "02-b": []}, {"03-c": ["01"]})


def test_with_approval_mode_the_run_rests_at_both_gates_and_goes_on_when_approved(
    feature: FeatureProject,
) -> None:
    ended = feature.feature(policy=ON)
    assert (ended.exit_code, ended.gates) == (10, ("approve-research",))
    assert feature.event("gate.opened")["subject"].keys() == {f"{FOLDER}/analysis.md"}
    assert feature.resume().exit_code == 10  # nobody decided: it waits, and asks nobody
    assert "spec" not in feature.roles()
    feature.approve()
    ended = feature.resume()
    assert (ended.exit_code, ended.gates) == (10, ("approve-plan",))
    subject = feature.event("gate.opened", key="approve-plan")["subject"]
    assert subject.keys() == {f"{FOLDER}/plan.md", f"{FOLDER}/tasks/01-feature.md"}
    assert "implementer" not in feature.roles()
    feature.approve()
    assert feature.resume().exit_code == 0
    assert feature.outcome() == "complete"


def test_without_it_nobody_is_asked(feature: FeatureProject) -> None:
    feature.feature(until="v-build/1")
    assert feature.events("gate.opened") == []


def test_a_rejection_sends_back_with_the_persons_words(feature: FeatureProject) -> None:
    feature.feature(
        {"planner": [planner({"01-a": []}), planner({"01-b": [], "02-c": []})]}, policy=ON
    )
    feature.reject(note="look at the tests, too")
    assert feature.resume().gates == ("approve-research/2",)
    assert "look at the tests, too" in feature.prompt("synthesis/2")
    feature.approve()
    assert feature.resume().gates == ("approve-plan",)
    feature.reject(note="two tasks, please")
    assert feature.resume().gates == ("approve-plan/2",)
    assert "two tasks, please" in feature.prompt("plan/2")
    assert "Planning Mode: initial." in feature.prompt("plan/2")
    assert "plan" in feature.event("step.started", key="plan/2")["inputs"]
    feature.approve()
    assert feature.resume(until="v-build/1").exit_code == 0
    assert [key for key in feature.started() if key.startswith("wave/")] == [
        "wave/1/01-b",
        "wave/1/02-c",
    ]


def test_an_analysis_that_is_edited_after_its_approval_must_be_approved_again(
    feature: FeatureProject,
) -> None:
    feature.feature(policy=ON)
    feature.approve()
    feature.resume(until="spec")
    feature.write(f"{FOLDER}/analysis.md", feature.document("analysis.md") + "\nOne more thing.\n")
    ended = feature.resume()
    assert (ended.exit_code, ended.gates) == (10, ("approve-research",))
    assert feature.event("gate.stale")["because"] == [f"{FOLDER}/analysis.md changed"]
    feature.approve()
    feature.resume(until="spec/2")
    assert feature.asked("spec/2") == 1


def test_a_plan_that_is_edited_after_its_approval_must_be_approved_again(
    feature: FeatureProject,
) -> None:
    feature.feature({"planner": planner(*TWO)}, policy=ON)
    feature.approve()
    feature.resume()
    feature.approve()
    feature.resume(until="wave/1")
    feature.edit(f"{FOLDER}/tasks/03-c.md", "03-c works", "03-c works well")
    ended = feature.resume()
    assert (ended.exit_code, ended.gates) == (10, ("approve-plan",))
    feature.approve()
    assert feature.resume(until="v-build/1").exit_code == 0
    assert feature.asked("fix/1/wave/2/03-c") == 1


def test_a_task_that_a_person_adds_to_the_plan_is_built_like_the_others(
    feature: FeatureProject,
) -> None:
    feature.feature({"planner": planner({"01-a": []})}, policy=ON)
    feature.approve()
    feature.resume()
    feature.edit(
        f"{FOLDER}/plan.md",
        "- 01-a (depends_on: none)\n",
        "- 01-a (depends_on: none)\n- 02-more (depends_on: none)\n",
    )
    (feature.root / f"{FOLDER}/tasks/02-more.md").write_text(task("02-more"))
    feature.approve()
    assert feature.resume(until="v-build/1").exit_code == 0
    assert [key for key in feature.started() if key.startswith("wave/")] == [
        "wave/1/01-a",
        "wave/1/02-more",
    ]


def test_a_task_file_that_a_person_writes_unblocks_the_plan_that_names_it(
    feature: FeatureProject,
) -> None:
    feature.feature({"planner": planner({"01-a": []})}, until="plan/1")
    feature.edit(
        f"{FOLDER}/plan.md",
        "- 01-a (depends_on: none)\n",
        "- 01-a (depends_on: none)\n- 02-more (depends_on: none)\n",
    )
    ended = feature.resume()
    assert (ended.exit_code, "02-more has no task file" in ended.reason) == (20, True)
    (feature.root / f"{FOLDER}/tasks/02-more.md").write_text(task("02-more"))
    assert feature.resume(until="v-build/1").exit_code == 0
    assert feature.asked("wave/1/02-more") == 1


def test_a_task_file_that_no_plan_names_any_more_is_no_fault_of_the_plan(
    feature: FeatureProject,
) -> None:
    feature.feature({"planner": [planner({"01-a": []}), planner({"02-b": []})]}, policy=ON)
    feature.approve()
    feature.resume()
    feature.reject(note="another task, please")
    feature.resume()
    feature.approve()
    assert feature.resume(until="v-build/1").exit_code == 0
    assert (
        feature.has("tasks/01-a.md"),
        [key for key in feature.started() if key.startswith("wave/")],
    ) == (True, ["wave/1/02-b"])


def test_ticks_of_implementers_are_no_edit_of_the_approved_plan(feature: FeatureProject) -> None:
    tick = {**builds("01-a"), "run": f"sed -i 's/\\[ \\]/[x]/' {FOLDER}/tasks/01-a.md"}
    feature.feature({"planner": planner(*TWO)}, policy=ON, keys={"wave/1/01-a": tick})
    feature.approve()
    feature.resume()
    feature.approve()
    assert feature.resume().exit_code == 0
    assert feature.events("gate.stale") == []


def test_replans_need_no_approval(feature: FeatureProject) -> None:
    feature.feature({"v-tests": [says("NEEDS_REVISION"), WELL]}, policy=ON)
    feature.approve()
    feature.resume()
    feature.approve()
    assert feature.resume().exit_code == 0
    assert [each["key"] for each in feature.events("gate.opened")] == [
        "approve-research",
        "approve-plan",
    ]
    assert feature.roles().count("planner") == 2


def test_a_design_that_a_person_edits_is_reviewed_and_planned_again(
    feature: FeatureProject,
) -> None:
    feature.feature(until="plan/1")
    feature.write(f"{FOLDER}/design.md", feature.document("design.md") + "\nOne more thing.\n")
    assert feature.resume().exit_code == 0
    assert feature.asked("ct/2/ct-security") == feature.asked("plan/2") == 1
    assert feature.asked("design/2") == 0


def test_a_rewind_to_the_plan_plans_and_builds_anew_and_reuses_nothing_of_it(
    feature: FeatureProject,
) -> None:
    feature.feature({"planner": planner(*TWO)}, until="v-build/1")
    stale = feature.rewind("plan/1")
    assert stale[0] == "plan/1"
    assert feature.resume().exit_code == 0
    assert "Planning Mode: initial." in feature.prompt("plan/2")
    assert [key for key in feature.started() if "/wave/" in key] == [
        "fix/1/wave/1/01-a",
        "fix/1/wave/1/02-b",
        "fix/1/wave/2/03-c",
    ]
    assert not [key for key in feature.started("step.reused") if "wave" in key]


def test_a_rewind_to_the_plan_can_put_back_the_code_of_every_wave(feature: FeatureProject) -> None:
    feature.feature({"planner": planner(*TWO)}, until="v-build/1")
    assert len(list((feature.root / "work").iterdir())) == 3
    stale = feature.rewind("plan/1", restore_code=True)
    assert {"wave/1/01-a", "wave/1/02-b", "wave/2/03-c"} <= set(stale)
    assert not (feature.root / "work").exists()


def test_a_rewind_to_the_first_plan_forgets_the_later_ones_and_their_code(
    feature: FeatureProject,
) -> None:
    feature.feature(
        {"planner": planner(*TWO), "v-tests": [says("NEEDS_REVISION", tasks=["03-c"]), WELL]}
    )
    assert "plan/2" in feature.started()
    stale = feature.rewind("plan/1", restore_code=True)
    assert {"plan/2", "plan/1", "wave/1/01-a", "wave/2/03-c", "v-verdict/1"} <= set(stale)
    assert not (feature.root / "work").exists()
    assert feature.resume().exit_code == 0
    assert "Planning Mode: initial." in feature.prompt("plan/3")
    assert len([key for key in feature.started() if key.startswith("fix/2/wave/")]) == 3


def test_a_rewind_to_the_design_review_begins_its_loop_again(feature: FeatureProject) -> None:
    feature.feature({"ct-security": [WELL, finds("High"), WELL]}, until="plan/1")
    feature.rewind("ct/1/ct-security")
    assert feature.resume(until="v-build/1").exit_code == 0
    steps = feature.steps()
    assert steps[steps.index("plan") :] == [
        "plan",
        "schedule",
        "ct",
        "ct_verdict",
        "design",
        "ct",
        "ct_verdict",
        "plan",
        "schedule",
        "wave",
        "v_build",
        "v",
    ]


@pytest.mark.parametrize(
    ("to", "again"),
    [("wave/1", ["01-a", "02-b", "03-c"]), ("wave/1/02-b", ["02-b", "03-c"]), ("wave/2", ["03-c"])],
)
def test_a_rewind_names_a_whole_wave_or_one_task_and_all_after_it_is_done_again(
    feature: FeatureProject, to: str, again: list[str]
) -> None:
    one_by_one = {"max_parallel": 1}  # so that who ended first is known
    feature.feature({"planner": planner(*TWO)}, policy=one_by_one, until="v-build/1")
    stale = feature.rewind(to)
    assert [key.rpartition("/")[2] for key in stale if key.startswith("wave/")] == again
    assert feature.resume(until="v-build/2").exit_code == 0
    keys = {"01-a": "wave/1/01-a", "02-b": "wave/1/02-b", "03-c": "wave/2/03-c"}
    assert {name: feature.asked(key) for name, key in keys.items()} == {
        name: 2 if name in again else 1 for name in keys
    }


def test_a_rewind_to_a_cluster_names_all_its_members(feature: FeatureProject) -> None:
    feature.feature(until="plan/1")
    assert feature.rewind("ct/1")[:4] == [
        f"ct/1/{each}"
        for each in ("ct-security", "ct-scalability", "ct-maintainability", "ct-strategy")
    ]
    assert feature.resume(until="ct-verdict/2").exit_code == 0
    assert feature.asked("ct/2/ct-security") == 1


def test_a_rewind_to_a_wave_does_it_again_and_what_follows(feature: FeatureProject) -> None:
    feature.feature({"planner": planner(*TWO)}, until="v-build/1")
    feature.rewind("wave/2/03-c")
    assert feature.resume(until="v-build/2").exit_code == 0
    assert feature.asked("wave/2/03-c") == 2
    assert feature.asked("wave/1/01-a") == 1
    assert feature.event("step.reused", key="wave/1/01-a")


@pytest.mark.parametrize("key", ["v-verdict/1", "v/1/v-tests", "v-build/1", "r-verdict/1"])
def test_a_rewind_to_a_verdict_or_a_member_finds_the_others_answers_where_they_were(
    feature: FeatureProject, key: str
) -> None:
    feature.feature({"v-tests": says("NEEDS_REVISION")}, policy={"max_v_loops": 0})
    feature.rewind(key)
    assert feature.resume().exit_code == 0
    assert [each["outcome"] for each in feature.events("run.completed")] == [
        "completed_with_findings"
    ] * 2
    verdicts = [
        each["verdict"]
        for each in feature.events("step.finished")
        if each["key"].startswith("v-verdict")
    ]
    assert all(
        each.startswith("NEEDS_REVISION: verification — v-tests NEEDS_REVISION")
        for each in verdicts
    )


def test_a_cancelled_run_leaves_no_worktree_and_a_new_one_can_begin(
    feature: FeatureProject,
) -> None:
    feature.feature({"planner": planner(*TWO)}, until="wave/1")
    summary = feature.app.cancel(feature.run_id, "not now", "Ada")
    assert summary.status == "cancelled"
    kept = (feature.home / "state").glob("podium/views/*/*")
    assert {path.name for path in kept} <= {"frozen"}
    second = feature.feature(run_id="second")
    assert second.exit_code == 0
    assert "Count words" in feature.document("initial-request.md")


def test_the_request_is_kept_with_the_day_it_was_made(feature: FeatureProject) -> None:
    feature.feature(until="setup")
    assert "Date: 2026-03-01" in feature.document("initial-request.md")


def test_a_later_run_of_the_same_feature_extends_its_plan_and_leaves_finished_tasks_alone(
    feature: FeatureProject,
) -> None:
    tick = {**builds("01-a"), "run": f"sed -i 's/\\[ \\]/[x]/' {FOLDER}/tasks/01-a.md"}
    assert (
        feature.feature({"planner": planner({"01-a": []})}, keys={"wave/1/01-a": tick}).exit_code
        == 0
    )
    more = planner({"01-a": []}, {"02-more": ["01"]}, mode="extension")
    more["write"].pop("tasks/01-a.md")
    assert feature.feature({"planner": more}, run_id="second").exit_code == 0
    assert "Planning Mode: extension." in feature.prompt("plan/1")
    assert {"plan", "01-a"} <= set(feature.event("step.started", key="plan/1")["inputs"])
    assert [key for key in feature.started() if key.startswith("wave/")] == ["wave/2/02-more"]


def test_a_second_run_of_the_same_feature_is_not_started_beside_a_live_one(
    feature: FeatureProject,
) -> None:
    first = feature.feature(policy=ON)
    second = feature.feature(run_id="second")
    assert (second.run, second.exit_code) == (first.run, 10)
    assert "live already" in second.reason


def test_a_blocked_agent_can_be_sent_on_with_a_reason_and_hears_it(feature: FeatureProject) -> None:
    feature.feature({"spec": [ERROR, ERROR, WELL]})
    assert feature.resume().exit_code == 20
    assert feature.resume(because="the wiki is back", until="spec").exit_code == 0
    assert "the wiki is back" in feature.prompt("spec/2")
