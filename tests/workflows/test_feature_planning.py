"""The planner's part: what is checked, what the program makes of it, and the shortest answer
that always passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.feature import plan as plan_text
from tests.fakes.feature import task as task_text

from podium.core.effects import Report
from podium.core.verdict import Verdict
from podium.workflows.feature import planning
from podium.workflows.feature.memory.memory import from_data
from podium.workflows.feature.plan.checks import essence
from podium.workflows.feature.run import FeatureRun

FOLDER = "docs/feature/words"
DONE = Verdict("ok", "DONE", "2 tasks created")


def path(name: str) -> str:
    return f"{FOLDER}/tasks/{name}.md"


def texts(*waves: Mapping[str, Sequence[str]], mode: str = "initial") -> dict[str, str]:
    files = {path(name): task_text(name, deps) for wave in waves for name, deps in wave.items()}
    return {f"{FOLDER}/plan.md": plan_text(*waves, mode=mode), **files}


def run(*waves: Mapping[str, Sequence[str]], **members: Any) -> FeatureRun:
    """A run that knows these tasks."""
    tasks = {
        name: {
            "path": path(name),
            "agent": "implementer",
            "depends_on": list(deps),
            "changed": [],
            "essence": essence(task_text(name, deps)),
        }
        for wave in waves
        for name, deps in wave.items()
    }
    return FeatureRun(step="plan", slug="words", tasks=tasks, **{"planning": 1, **members})


def report(at: FeatureRun, written: Mapping[str, str], **more: str) -> Report:
    outputs = {name: text for name, text in written.items() if name != f"{FOLDER}/plan.md"}
    return Report(DONE, outputs={**outputs, "plan": written[f"{FOLDER}/plan.md"], **more}, run=at)


TWO: tuple[dict[str, list[str]], ...] = ({"01-a": [], "02-b": []}, {"03-c": ["01-a"]})


def test_a_plan_becomes_tasks_and_waves_in_parts_that_fit_side_by_side() -> None:
    nine: dict[str, list[str]] = {f"{n:02}-x": [] for n in range(1, 10)}
    found = planning.judge_plan(4, report(run(), texts(nine, {"10-y": ["01-x"]})))
    assert found.sets["queue"] == [
        {"wave": 1, "tasks": [f"{n:02}-x" for n in range(1, 5)]},
        {"wave": 1, "tasks": [f"{n:02}-x" for n in range(5, 9)]},
        {"wave": 1, "tasks": ["09-x"]},
        {"wave": 2, "tasks": ["10-y"]},
    ]
    assert found.sets["left"] == 4
    assert found.sets["tasks"]["10-y"] == {
        "path": path("10-y"),
        "agent": "implementer",
        "depends_on": ["01-x"],
        "essence": essence(task_text("10-y", ["01-x"])),
        "changed": [],
    }


def test_the_plan_is_recorded_in_the_memory_with_what_the_planner_added() -> None:
    memory = (
        "# Operational Memory\n\n## Recent Decisions\n\n- [planner, step-4] One wave. Rationale: "
        "it is small.\n"
    )
    found = planning.judge_plan(4, report(run(), texts(*TWO), memory=memory))
    kept = from_data(found.sets["memory"])
    assert [each.path for each in kept.artifacts] == [f"{FOLDER}/plan.md"]
    assert [each.text for each in kept.decisions] == ["One wave. Rationale: it is small."]
    assert "added nothing" not in str(found.facts)


def test_what_is_odd_becomes_a_warning_of_the_run_and_an_event() -> None:
    found = planning.judge_plan(
        4, report(run(warnings=["old"]), {**texts({"01-a": []}), path("01-a"): "Do it.\n"})
    )
    assert found.sets["warnings"][0] == "old"
    assert any("depends_on is missing" in each for each in found.sets["warnings"])
    (fact,) = found.facts
    assert fact["type"] == "feature.warning"
    assert "planner (step 4) added nothing to the memory" in fact["text"].splitlines()


def test_an_error_of_the_planner_sets_nothing() -> None:
    found = planning.judge_plan(4, Report(Verdict("fail", "ERROR", "no"), run=run()))
    assert (found.outcome, found.sets) == ("fail", {})


def test_the_schedule_is_made_from_the_documents_as_they_stand() -> None:
    at = run(*TWO)
    moved = texts({"01-a": []}, {"02-b": [], "03-c": ["01-a"]})
    found = planning.judge_schedule(4, at, moved, ())
    assert (found.outcome, found.word) == ("ok", "2 waves, 3 tasks")
    assert [part["tasks"] for part in found.sets["queue"]] == [["01-a"], ["02-b", "03-c"]]
    assert planning.documents(at) == [f"{FOLDER}/plan.md", path("01-a"), path("02-b"), path("03-c")]


@pytest.mark.parametrize(
    "broken", [{}, {f"{FOLDER}/plan.md": None}, {f"{FOLDER}/plan.md": "# Plan\n"}]
)
def test_a_plan_that_is_gone_or_broken_is_not_carried_out(broken: dict[str, str | None]) -> None:
    found = planning.judge_schedule(4, run(*TWO), broken, ())
    assert (found.outcome, found.stop, found.sets) == ("fail", "plan", {})
    assert "there are no waves" in found.reason


def test_tasks_of_the_new_plan_are_to_be_done_and_those_of_older_plans_stay_known_if_somebody_worked_on_them() -> (  # noqa: E501
    None
):
    at = run(*TWO, planning=2, finished=["01-a", "02-b"], failed=["03-c"])
    written = {
        **texts(*TWO),
        **texts({"02-b": [], "04-fix": ["01-a"]}, mode="replan"),
        path("02-b"): task_text("02-b") + "\nMore.\n",
    }
    found = planning.judge_plan(4, report(at, written))
    assert [part["tasks"] for part in found.sets["queue"]] == [["02-b", "04-fix"]]
    assert found.sets["finished"] == ["01-a"]
    assert found.sets["failed"] == []
    assert list(found.sets["tasks"]) == ["01-a", "03-c", "02-b", "04-fix"]
    rejected = planning.judge_plan(4, report(run(*TWO), texts({"01-new": []})))
    assert list(rejected.sets["tasks"]) == ["01-new"]


def test_an_unknown_agent_is_the_implementer() -> None:
    written = {**texts({"01-a": []}), path("01-a"): task_text("01-a", agent="wizard")}
    found = planning.judge_plan(4, report(run(), written))
    assert found.sets["tasks"]["01-a"]["agent"] == "implementer"
    assert any("unknown agent 'wizard'" in each for each in found.sets["warnings"])


# -- the shortest good answer


def answer(at: FeatureRun, there: Mapping[str, str]) -> dict[str, str]:
    """What `behave: well` writes, over the files that are there."""
    contract = planning.plan(at)
    plan, tasks, _ = contract.outputs
    assert plan.compose is not None
    assert tasks.compose is not None
    old = there.get(tasks.template, "") if tasks.template else ""
    return {**there, plan.path: plan.compose({}, "", {}), tasks.example: tasks.compose({}, old, {})}


def test_the_shortest_first_plan_is_one_task() -> None:
    found = planning.checked(run(), answer(run(), {}))
    assert (found.faults, [[each.id for each in wave] for wave in found.waves]) == (
        (),
        [["01-feature"]],
    )


@st.composite
def halfway(draw: st.DrawFn) -> tuple[FeatureRun, dict[str, str]]:
    """A run whose plan of some waves was carried out, some tasks of it well."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    waves: list[dict[str, list[str]]] = []
    number = 0
    for size in sizes:
        earlier = [name for wave in waves for name in wave]
        wave = {}
        for _ in range(size):
            number += 1
            wave[f"{number:02}-t"] = (
                draw(st.lists(st.sampled_from(earlier), unique=True, max_size=2)) if earlier else []
            )
        waves.append(wave)
    names = [name for wave in waves for name in wave]
    failed = draw(st.lists(st.sampled_from(names), unique=True))
    landed = draw(st.lists(st.sampled_from(names), unique=True))
    finished = [each for each in names if each in landed or each not in failed]
    return run(
        *waves, planning=2, finished=finished, failed=[each for each in names if each in failed]
    ), texts(*waves)


@given(halfway())
@settings(max_examples=80, deadline=None)
def test_the_shortest_replan_passes_whatever_failed_and_does_all_of_it_in_order(
    case: tuple[FeatureRun, dict[str, str]],
) -> None:
    at, there = case
    found = planning.checked(at, answer(at, there))
    assert found.faults == ()
    done = [task.id for wave in found.waves for task in wave]
    assert set(done) >= set(at.failed)
    assert len(done) == max(1, len(at.failed))
    ready = set(at.finished) - set(at.failed)
    for wave in found.waves:
        assert all(set(each.depends_on) <= ready for each in wave)
        ready |= {each.id for each in wave}


def test_a_task_that_is_done_again_keeps_its_file() -> None:
    at = run(*TWO, planning=2, finished=["01-a", "02-b"], failed=["03-c"])
    there = texts(*TWO)
    assert answer(at, there)[path("03-c")] == there[path("03-c")]


def test_where_nothing_is_named_the_shortest_replan_adds_a_task() -> None:
    at = run(*TWO, planning=2, finished=["01-a", "02-b", "03-c"])
    made = answer(at, texts(*TWO))
    assert path("04-fix-2") in made
    assert [[each.id for each in wave] for wave in planning.checked(at, made).waves] == [
        ["04-fix-2"]
    ]
