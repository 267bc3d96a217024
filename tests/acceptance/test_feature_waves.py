"""Plans are refused with every fault named; waves run in order, never more than four agents at
once, merged in task order.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.fakes.feature import (
    ERROR,
    FOLDER,
    WELL,
    FeatureProject,
    builds,
    plan,
    planner,
    says,
    task,
)
from tests.fakes.repository import git

TWO: tuple[dict[str, list[str]], ...] = ({"01-a": [], "02-b": []}, {"03-c": ["01"]})


def test_waves_run_one_after_the_other_and_no_task_before_what_it_waits_for(
    feature: FeatureProject,
) -> None:
    assert feature.feature({"planner": planner(*TWO)}).exit_code == 0
    order = [
        (each["type"], each["key"])
        for each in feature.events()
        if str(each.get("key", "")).startswith("wave/")
    ]
    begun = order.index(("step.started", "wave/2/03-c"))
    assert {key for kind, key in order[:begun] if kind == "step.finished"} == {
        "wave/1/01-a",
        "wave/1/02-b",
    }
    assert feature.event("step.finished", key="schedule/1")["verdict"] == "2 waves, 3 tasks"


def test_each_task_has_its_own_worktree_and_its_commit_is_in_the_project_before_the_next_wave(
    feature: FeatureProject,
) -> None:
    keys = {
        "wave/1/01-a": {**builds("01-a"), "run": "ls src"},
        "wave/1/02-b": {**builds("02-b"), "run": "ls src", "sleep": 0.3},
        "wave/2/03-c": {**builds("03-c"), "run": "ls src"},
    }
    feature.feature({"planner": planner(*TWO)}, keys=keys, until="v-build/1")
    assert "02-b.py" not in feature.printed("wave/1/01-a")
    assert "01-a.py" not in feature.printed("wave/1/02-b")
    assert {"01-a.py", "02-b.py", "03-c.py"} <= set(feature.printed("wave/2/03-c"))
    assert feature.path("src/01-a.py").is_file()


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "inside its own wave": (
        planner({"01-a": [], "02-b": ["01"]}),
        "02-b in wave 1 depends on 01-a in its own wave",
    ),
    "on a later wave": (
        planner({"01-a": ["02"]}, {"02-b": []}),
        "01-a in wave 1 depends on 02-b in wave 2, which is later",
    ),
    "a cycle": (
        planner({"01-a": ["02"]}, {"02-b": ["01"]}),
        "circular dependency detected between 01-a, 02-b",
    ),
    "outside the repository": (
        planner({"01-a": []}, t01_a=task("01-a", files=["../other/x.py"])),
        "'../other/x.py' leaves the repository",
    ),
    "no file": (
        {
            "write": {"@plan": plan({"01-a": [], "02-b": []}), "tasks/01-a.md": task("01-a")},
            "say": "DONE: 2",
        },
        "02-b has no task file",
    ),
    "five hundred tasks": (
        planner({f"{n:03}-x": [] for n in range(500)}),
        "the plan has 500 tasks, 200 at most",
    ),
}
"""The other faults are in tests/workflows/test_feature_plan_checks.py."""


@pytest.mark.parametrize("name", FAULTS)
def test_such_a_plan_is_returned_once_with_its_fault_named_and_then_halts(
    feature: FeatureProject, name: str
) -> None:
    bad, fault = FAULTS[name]
    ended = feature.feature({"planner": bad})
    assert ended.exit_code == 20
    assert fault in ended.reason
    assert feature.asked("plan/1") == 2
    assert fault in feature.prompt("plan/1")
    assert not feature.has("plan.md")
    assert [role for role in feature.roles() if role == "implementer"] == []


def test_every_fault_is_named_at_once_and_a_mended_plan_goes_on(feature: FeatureProject) -> None:
    bad = planner(
        {"01-a": [], "02-b": ["01", "09"]}, t01_a=task("01-a", files=["/etc/passwd"], effort="High")
    )
    assert feature.feature({"planner": [bad, planner(*TWO)]}).exit_code == 0
    told = feature.events("artifact.rejected", key="plan/1")[0]["detail"]
    for fault in (
        "in its own wave",
        "unknown dependency 09",
        "'/etc/passwd' is absolute",
        "effort is High",
    ):
        assert fault in told


def test_a_plan_of_a_few_lines_is_worked_on_with_warnings(feature: FeatureProject) -> None:
    lines = "# Plan\n\n**Wave 1**\n- 01-a\n\n**Wave 2**\n- 02-b (depends_on: 01)\n"
    made = {"@plan": lines, "tasks/01-a.md": "Do a.\n", "tasks/02-b.md": "Do b.\n"}
    ended = feature.feature({"planner": {"write": made, "say": "DONE: 2 tasks created, 2 waves"}})
    assert (ended.exit_code, feature.outcome()) == (0, "complete")
    assert [key for key in feature.started() if key.startswith("wave/")] == [
        "wave/1/01-a",
        "wave/2/02-b",
    ]
    assert "Planning Mode is missing" in feature.warnings()
    assert "tasks/01-a.md: depends_on is missing" in feature.warnings()


def test_no_policy_and_no_wave_starts_more_than_four_at_once(feature: FeatureProject) -> None:
    nine = {f"{n:02}-x": [] for n in range(1, 10)}
    ended = feature.feature(
        {"planner": planner(nine), "implementer": {**WELL, "sleep": 0.3}},
        policy={"max_parallel": 9},
        until="v-build/1",
    )
    assert ended.exit_code == 0
    assert feature.most_at_once() == 4
    parts = next(each["counters"]["queue"] for each in feature.events("run.advanced", to="wave"))
    assert [len(part["tasks"]) for part in parts] == [4, 4, 1]
    # A part ends before the next begins.
    kinds = [
        (each["type"], each["key"])
        for each in feature.events()
        if str(each.get("key", "")).startswith("wave/1/")
    ]
    begun = next(
        n for n, (kind, key) in enumerate(kinds) if kind == "step.started" and key == "wave/1/05-x"
    )
    assert {key for kind, key in kinds[:begun] if kind == "step.finished"} == {
        f"wave/1/0{n}-x" for n in range(1, 5)
    }


def test_fewer_at_once_is_policy(feature: FeatureProject) -> None:
    feature.feature(
        {"planner": planner({"01-a": [], "02-b": []})},
        policy={"max_parallel": 1},
        until="v-build/1",
    )
    assert feature.most_at_once() == 1


@pytest.mark.parametrize(
    "answer", [ERROR, {"fail": "crash"}, says("NEEDS_REVISION", summary="unclear")]
)
def test_a_task_that_fails_is_not_asked_again_its_part_ends_and_verification_follows(
    feature: FeatureProject, answer: dict[str, Any]
) -> None:
    slow = {**builds("02-b"), "sleep": 0.3}
    feature.feature(
        {"planner": planner(*TWO)},
        keys={"wave/1/01-a": answer, "wave/1/02-b": slow},
        until="v-verdict/1",
    )
    assert feature.asked("wave/1/01-a") == 1
    assert feature.event("step.finished", key="wave/1/02-b")["outcome"] == "ok"
    assert feature.path("src/02-b.py").is_file()
    assert feature.asked("wave/2/03-c") == 0
    assert feature.steps()[-3:-1] == ["v", "v_verdict"]


def test_what_was_not_done_is_never_verified_as_done_whatever_the_members_say(
    feature: FeatureProject,
) -> None:
    feature.feature({"planner": planner(*TWO)}, keys={"wave/1/01-a": ERROR}, until="v-verdict/1")
    said = feature.event("step.finished", key="v-verdict/1")["verdict"]
    assert said == (
        "NEEDS_REVISION: verification — tasks that are not done: 01-a, 03-c — task IDs: 01-a, 03-c"
    )
    assert "01-a" in feature.document("verifier.md").partition("## Actionable Items")[2]


def test_a_failed_wave_is_planned_anew_by_the_shortest_answer_in_the_order_its_tasks_need(
    feature: FeatureProject,
) -> None:
    ended = feature.feature(keys={"plan/1": planner(*TWO), "wave/1/01-a": ERROR})
    assert (ended.exit_code, feature.outcome()) == (0, "complete")
    assert [key for key in feature.started() if key.startswith("fix/")] == [
        "fix/1/wave/1/01-a",
        "fix/1/wave/2/03-c",
    ]
    assert feature.asked("wave/1/02-b") == 1


def test_the_agent_of_a_task_is_the_one_its_file_names_and_an_unknown_one_is_the_implementer(
    feature: FeatureProject,
) -> None:
    made = planner(
        {"01-a": [], "02-b": [], "03-c": []},
        t01_a=task("01-a", agent="documentation-writer"),
        t02_b=task("02-b", agent="wizard"),
    )
    feature.feature({"planner": made}, until="v-build/1")
    roles = {
        each["key"]: each["role"]
        for each in feature.events("step.started")
        if each["key"].startswith("wave/")
    }
    assert roles == {
        "wave/1/01-a": "documentation-writer",
        "wave/1/02-b": "implementer",
        "wave/1/03-c": "implementer",
    }
    assert "02-b: unknown agent 'wizard'; implementer works on it" in feature.warnings()


LINES = "".join(f"LINE_{n} = {n}\n" for n in range(20))


def changes(old: str, new: str) -> dict[str, Any]:
    return {"run": f"sed -i 's/{old}/{new}/' src/app.py", "say": "DONE: changed"}


def test_two_tasks_that_change_different_lines_of_one_file_are_merged(
    feature: FeatureProject,
) -> None:
    feature.write("src/app.py", LINES)
    git(feature.root, "commit", "-qam", "lines")
    keys = {
        "wave/1/01-a": changes("LINE_1 = 1", "LINE_1 = 100"),
        "wave/1/02-b": changes("LINE_18 = 18", "LINE_18 = 180"),
    }
    assert feature.feature({"planner": planner({"01-a": [], "02-b": []})}, keys=keys).exit_code == 0
    assert "LINE_1 = 100\n" in feature.text("src/app.py")
    assert "LINE_18 = 180\n" in feature.text("src/app.py")


def test_two_tasks_that_change_the_same_line_clash_and_the_later_one_failed(
    feature: FeatureProject,
) -> None:
    keys = {"wave/1/01-a": {**changes("1", "2"), "sleep": 0.3}, "wave/1/02-b": changes("1", "3")}
    feature.feature({"planner": planner({"01-a": [], "02-b": []})}, keys=keys, until="v-verdict/1")
    assert (
        feature.text("src/app.py") == "VALUE = 2\n"
    )  # in the order of the plan, whoever ended first
    assert feature.event("step.conflicted")["key"] == "wave/1/02-b"
    assert "task IDs: 02-b" in feature.event("step.finished", key="v-verdict/1")["verdict"]
    assert "cannot be merged" in feature.document("memory.md")


def test_an_implementer_may_tick_the_boxes_of_its_own_task_and_change_nothing_else_of_it(
    feature: FeatureProject,
) -> None:
    own = f"{FOLDER}/tasks/01-a.md"
    tick = {**builds("01-a"), "run": f"sed -i 's/\\[ \\]/[x]/' {own}"}
    forge = {
        **builds("02-b"),
        "run": f"sed -i 's/02-b works/anything goes/' {FOLDER}/tasks/02-b.md",
    }
    feature.feature(
        {"planner": planner({"01-a": [], "02-b": []})},
        keys={"wave/1/01-a": tick, "wave/1/02-b": forge},
        until="v-build/1",
    )
    assert "- [x] 01-a works" in feature.text(own)
    assert feature.event("step.finished", key="wave/1/02-b")["outcome"] == "fail"
    assert (
        "only check boxes may change"
        in feature.events("artifact.rejected", key="wave/1/02-b")[0]["detail"]
    )
    assert "anything goes" not in feature.document("tasks/02-b.md")


def test_an_implementer_cannot_touch_other_documents_or_what_is_protected(
    feature: FeatureProject,
) -> None:
    paths = [f"{FOLDER}/plan.md", f"{FOLDER}/tasks/02-b.md", f"{FOLDER}/memory.md", "podium.toml"]
    tasks = {f"0{n}-x": path for n, path in enumerate(paths, 3)}
    made = planner({"01-a": [], "02-b": []}, {key: [] for key in tasks})
    keys = {
        f"wave/2/{name}": {
            "write": {f"src/{name}.py": "A = 1\n", path: "forged\n"},
            "say": f"DONE: {name}",
        }
        for name, path in tasks.items()
    }
    feature.feature({"planner": made}, keys=keys, until="v-build/1")
    for name, path in tasks.items():
        assert feature.event("step.finished", key=f"wave/2/{name}")["outcome"] == "fail"
        assert feature.asked(f"wave/2/{name}") == 2
        assert "forged" not in feature.text(path)
        assert not feature.path(f"src/{name}.py").exists()


def test_an_implementer_that_changed_nothing_says_why_or_did_not_do_its_task(
    feature: FeatureProject,
) -> None:
    keys = {
        "wave/1/01-a": {"say": "DONE: 01-a"},
        "wave/1/02-b": {"say": "No change needed: it was there.\n\nDONE: 02-b"},
    }
    feature.feature({"planner": planner({"01-a": [], "02-b": []})}, keys=keys, until="v-build/1")
    assert feature.event("step.finished", key="wave/1/01-a")["outcome"] == "fail"
    assert feature.event("step.finished", key="wave/1/02-b")["outcome"] == "ok"


def test_a_plan_that_a_person_edits_before_it_is_carried_out_is_obeyed(
    feature: FeatureProject,
) -> None:
    feature.feature({"planner": planner(*TWO)}, until="plan/1")
    feature.edit(f"{FOLDER}/plan.md", "- 02-b (depends_on: none)\n", "")
    feature.edit(
        f"{FOLDER}/plan.md",
        "- 03-c (depends_on: 01)\n",
        "- 03-c (depends_on: 01)\n- 02-b (depends_on: 01)\n",
    )
    assert feature.resume(until="v-build/1").exit_code == 0
    assert [key for key in feature.started() if key.startswith("wave/")] == [
        "wave/1/01-a",
        "wave/2/03-c",
        "wave/2/02-b",
    ]


def test_an_edit_that_breaks_the_plan_stops_the_run_until_it_is_mended(
    feature: FeatureProject,
) -> None:
    feature.feature({"planner": planner(*TWO)}, until="plan/1")
    feature.edit(f"{FOLDER}/plan.md", "- 03-c (depends_on: 01)", "- 03-c (depends_on: 44)")
    ended = feature.resume()
    assert (ended.exit_code, ended.step) == (20, "schedule")
    assert "unknown dependency 44" in ended.reason
    feature.edit(f"{FOLDER}/plan.md", "- 03-c (depends_on: 44)", "- 03-c (depends_on: 01)")
    assert feature.resume(because="mended", until="v-build/1").exit_code == 0
    assert feature.asked("wave/2/03-c") == 1


def test_a_wave_is_called_by_its_number_in_the_plan(feature: FeatureProject) -> None:
    made = planner({"01-a": []}, {"02-b": ["01"]})
    made["write"]["@plan"] = (
        made["write"]["@plan"]
        .replace("### Wave 2", "### Wave 5")
        .replace("### Wave 1", "### Wave 2")
    )
    assert feature.feature({"planner": made}, until="v-build/1").exit_code == 0
    assert [key for key in feature.started() if key.startswith("wave/")] == [
        "wave/2/01-a",
        "wave/5/02-b",
    ]
