from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.formats.structure import check as check_structure
from podium.formats.structure import structure_of
from podium.workflows.feature.plan.checks import Checked, Known, check, essence
from podium.workflows.feature.plan.compose import (
    FIRST_TASK,
    compose_plan,
    compose_task,
    render_plan,
    told_plan,
)
from podium.workflows.feature.plan.order import cycles
from podium.workflows.feature.plan.plan import LARGEST_PLAN, MODES, Mode, Plan, PlannedTask

FOLDER = "docs/feature/words/tasks"


def path(task: str) -> str:
    return f"{FOLDER}/{task}.md"


def file(task: str, depends_on: Sequence[str] = (), **members: object) -> str:
    given = {"files": [f"src/{task}.py"], "depends_on": list(depends_on), **members}
    return compose_task(given, "", {"Task ID": task})


def plan(*waves: Mapping[str, Sequence[str]], mode: Mode = "initial") -> str:
    made = tuple(
        tuple(PlannedTask(name, tuple(deps)) for name, deps in wave.items()) for wave in waves
    )
    return render_plan(Plan(mode, made))


def files(*waves: Mapping[str, Sequence[str]]) -> dict[str, str]:
    return {path(name): file(name, deps) for wave in waves for name, deps in wave.items()}


def checked(*waves: Mapping[str, Sequence[str]]) -> Checked:
    return check(plan(*waves), files(*waves), mode="initial")


def known(tasks: Mapping[str, str], done: Sequence[str] = (), failed: Sequence[str] = ()) -> Known:
    return Known(
        frozenset(done), frozenset(failed), {where: essence(text) for where, text in tasks.items()}
    )


WAVES: tuple[dict[str, list[str]], ...] = (
    {"01-a": [], "02-b": []},
    {"03-c": ["01-a"], "04-d": ["01", "2"]},
)
GOOD = plan(*WAVES)
FILES = files(*WAVES)


def test_a_sound_plan_gives_its_waves_and_nothing_else() -> None:
    found = check(GOOD, FILES, mode="initial")
    assert found.faults == ()
    assert found.warnings == ()
    assert found.waves == (
        (PlannedTask("01-a"), PlannedTask("02-b")),
        (PlannedTask("03-c", ("01-a",)), PlannedTask("04-d", ("01-a", "02-b"))),
    )
    assert found.plan == Plan("initial", found.waves)
    assert list(found.tasks) == ["01-a", "02-b", "03-c", "04-d"]


@pytest.mark.parametrize("mode", MODES)
def test_the_composed_plan_and_task_pass_every_check(mode: Mode) -> None:
    template = "# P\n\nRun: {{RUN}}\n\n## Planning Mode\n\n## Execution Waves\n\n## Rollout\n"
    for used in ("", template):
        text = compose_plan({"mode": mode}, used, {"Run": "R1"})
        found = check(
            text, {path(FIRST_TASK): compose_task({"files": ["a.py"]}, used, {})}, mode=mode
        )
        assert (found.faults, found.warnings) == ((), ())
        assert found.waves == ((PlannedTask(FIRST_TASK),),)
    assert check_structure(text, structure_of(template), template) == ()
    assert "Rollout" in told_plan(template)[0]


def test_a_plan_can_be_composed_from_members_and_facts() -> None:
    facts = {"Planning Mode": "replan", "Task ID": "07-fix"}
    assert "- 07-fix (depends_on: none)" in compose_plan({}, "", facts)
    text = compose_plan(
        {"waves": [["01-a", "02-b"], ["03-c"]], "depends_on": {"03-c": ["01-a"]}}, "", {}
    )
    assert (
        check(text, files({"01-a": [], "02-b": []}, {"03-c": ["01"]}), mode="initial").faults == ()
    )
    for wrong in ({"waves": "01-a"}, {"waves": ["01-a"]}, {"depends_on": []}, {"wave": []}):
        with pytest.raises(ValueError, match=r"wave|depends_on"):
            compose_plan(wrong, "", {})


NO_WAVES = (
    "plan.md: there are no waves (add '### Wave 1' under '## Execution Waves' and tasks in it)"
)
LACKS = (
    "plan.md: Planning Mode is missing (add 'Planning Mode: initial')",
    "plan.md: section 'Execution Waves' is missing or empty (add '## Execution Waves')",
    "plan.md: section 'Dependency Graph' is missing or empty (add '## Dependency Graph')",
    (
        "plan.md: section 'Pre-Mortem' is missing or empty (add '## Pre-Mortem' with a table of "
        "what may go wrong)"
    ),
)


def test_an_empty_plan_has_no_waves_and_names_all_that_it_lacks_at_once() -> None:
    found = check("", {}, mode="initial")
    assert (found.waves, found.faults, found.warnings) == ((), (NO_WAVES,), LACKS)


def test_with_a_policy_that_requires_structure_what_is_lacking_is_a_fault() -> None:
    assert check("", {}, mode="initial", strict=True).faults == (*LACKS, NO_WAVES)
    bare = {path("01-a"): "Do it.\n"}
    assert (
        len(check("### Wave 1\n- 01-a\n", bare, mode="initial", strict=True).faults)
        == len(LACKS) + 9
    )


def test_a_plan_and_a_task_of_one_line_can_be_worked_on() -> None:
    found = check("### Wave 1\n- 01-a\n", {path("01-a"): "Do it.\n"}, mode="initial")
    assert found.faults == ()
    assert found.waves == ((PlannedTask("01-a"),),)
    assert set(LACKS) < set(found.warnings)
    assert (
        f"{path('01-a')}: depends_on is missing (add '## depends_on' or '**depends_on:** …')"
        in found.warnings
    )


def one_fault(text: str, tasks: Mapping[str, str], fault: str) -> None:
    found = check(text, tasks, mode="initial")
    assert [each for each in found.faults if fault in each], found.faults
    assert len(found.faults) == 1, found.faults
    assert found.waves == ()


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("- 03-c (", "- 03-x (", f"03-x is not the name of {path('03-c')} (write 03-c)"),
        (
            "- 01-a (depends_on: none)",
            "- 01-a (depends_on: none)\n- 1 (depends_on: none)",
            "01-a stands in line 11 already",
        ),
        (
            "- 01-a (depends_on: none)",
            "- 01-a (depends_on: none)\n- 09-x",
            "plan.md:12: 09-x has no task file",
        ),
        ("03-c (depends_on: 01-a)", "03-c (depends_on: 07)", "plan.md:16: unknown dependency 07"),
    ],
)
def test_a_fault_of_the_plan_is_named_with_its_place(old: str, new: str, fault: str) -> None:
    assert old in GOOD
    one_fault(GOOD.replace(old, new, 1), FILES, fault)


@pytest.mark.parametrize(
    ("old", "new", "lack"),
    [
        (
            "initial",
            "replan",
            "plan.md: Planning Mode is 'replan' (this is a plan in mode initial)",
        ),
        (
            "initial",
            "whatever",
            "plan.md: Planning Mode is 'whatever' (this is a plan in mode initial)",
        ),
        ("### Wave 2", "### Wave 3", "waves are numbered 1, 3 (number them 1 to 2 in order)"),
        ("## Dependency Graph", "## Notes", "section 'Dependency Graph' is missing"),
        ("\n## Dependency", "\n### Wave 3\n\n## Dependency", "wave 3 holds no task"),
        (
            "03-c (depends_on: 01-a)",
            "03-c (depends_on: none)",
            f"03-c depends on none, but {path('03-c')} says 01-a",
        ),
        ("03-c (depends_on: 01-a)", "03-c (depends_on: 01-a, 02)", "depends on 01-a, 02-b, but"),
    ],
)
def test_what_a_plan_lacks_is_a_warning_and_its_waves_are_the_same(
    old: str, new: str, lack: str
) -> None:
    found = check(GOOD.replace(old, new, 1), FILES, mode="initial")
    assert found.faults == ()
    assert [each for each in found.warnings if lack in each], found.warnings
    assert [[task.id for task in wave] for wave in found.waves] == [
        ["01-a", "02-b"],
        ["03-c", "04-d"],
    ]
    assert "01-a" in found.waves[1][0].depends_on
    assert [
        each
        for each in check(GOOD.replace(old, new, 1), FILES, mode="initial", strict=True).faults
        if lack in each
    ]


def test_waves_are_worked_on_in_the_order_of_their_numbers() -> None:
    text = GOOD.replace("### Wave 1", "### Wave 9")
    assert (
        check(text, FILES, mode="initial").faults != ()
    )  # then 03-c comes before what it waits for
    turned = (
        GOOD.replace("### Wave 1", "### Wave x")
        .replace("### Wave 2", "### Wave 20")
        .replace("### Wave x", "### Wave 3")
    )
    assert [[task.id for task in wave] for wave in check(turned, FILES, mode="initial").waves] == [
        ["01-a", "02-b"],
        ["03-c", "04-d"],
    ]


def test_a_plan_that_is_silent_about_dependencies_takes_those_of_the_files() -> None:
    text = GOOD.replace(" (depends_on: 01-a)", "")
    found = check(text, FILES, mode="initial")
    assert found.faults == ()
    assert found.waves[1][0] == PlannedTask("03-c", ("01-a",))


def test_a_file_needs_a_place_and_a_number_of_its_own() -> None:
    one_fault(
        GOOD, {**FILES, path("05-e"): file("05-e")}, f"{path('05-e')}: has no place in the plan"
    )
    found = check(GOOD, {**FILES, path("01-z"): file("01-z")}, mode="initial").faults
    assert any(f"has the number of {path('01-a')}" in each for each in found)
    found = check(GOOD, {**FILES, f"{FOLDER}/notes.md": file("05-e")}, mode="initial").faults
    assert any("notes.md: is not the name of a task file" in each for each in found)


def test_unknown_dependencies_are_named_with_their_file() -> None:
    tasks = {**FILES, path("02-b"): file("02-b", ["09", "01-x"])}
    found = "\n".join(check(GOOD, tasks, mode="initial").faults)
    assert f"{path('02-b')}: unknown dependency 09 (depend on tasks of this plan only)" in found
    assert f"{path('02-b')}: unknown dependency 01-x (did you mean 01-a?)" in found


@pytest.mark.parametrize(
    ("waves", "fault"),
    [
        (({"01-a": [], "02-b": ["01"]},), "02-b in wave 1 depends on 01-a in its own wave"),
        (
            ({"01-a": ["02"]}, {"02-b": []}),
            "01-a in wave 1 depends on 02-b in wave 2, which is later",
        ),
    ],
)
def test_a_task_waits_only_for_earlier_waves(
    waves: Sequence[Mapping[str, Sequence[str]]], fault: str
) -> None:
    one_fault(plan(*waves), files(*waves), fault)


def test_a_plan_with_a_cycle_names_the_tasks_in_it() -> None:
    waves = ({"01-a": ["03"], "04-d": ["04"]}, {"02-b": ["01"]}, {"03-c": ["02"]})
    found = checked(*waves).faults
    assert found == (
        (
            "plan.md: circular dependency detected between 01-a, 03-c, 02-b (take one of these "
            "dependencies out)"
        ),
        "plan.md: circular dependency detected between 04-d (it waits for itself)",
    )


def test_a_cycle_between_plan_and_file_is_seen_because_both_count() -> None:
    waves = ({"01-a": []}, {"02-b": ["01"]})
    tasks = {**files(*waves), path("01-a"): file("01-a", ["02"])}
    found = check(plan(*waves), tasks, mode="initial")
    assert "circular dependency detected between 01-a, 02-b" in "\n".join(found.faults)
    assert f"01-a depends on none, but {path('01-a')} says 02-b" in "\n".join(found.warnings)


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        (
            {"files": [f"src/{n}.py" for n in range(4)]},
            "4 production files in scope, 3 at most (split the task)",
        ),
        ({"lines": 501}, "501 production lines, 500 at most"),
        ({"effort": "High"}, "effort is High, Medium at most"),
        ({"files": ["/etc/passwd"]}, "'/etc/passwd' is absolute"),
        ({"files": ["../x.py"]}, "'../x.py' leaves the repository"),
        ({"files": ["~/x.py"]}, "'~/x.py' is in a home folder"),
        ({"files": ["C:/x.py"]}, "'C:/x.py' names a drive or a scheme"),
        ({"files": ["src/.git/x"]}, "'src/.git/x' is in .git/"),
        ({"effort": "XL"}, "effort is High, Medium at most"),
    ],
)
def test_a_task_over_a_limit_is_refused(members: Mapping[str, object], fault: str) -> None:
    one_fault(GOOD, {**FILES, path("02-b"): file("02-b", **members)}, fault)


@pytest.mark.parametrize(
    ("members", "lack"),
    [
        ({"files": ["src/**"]}, "'src/**' may be any number of files (name each file)"),
        ({"criteria": ["none"]}, "Acceptance Criteria holds no criterion"),
        ({"goal": "TBD"}, "Task Goal is empty"),
        ({"effort": "two days"}, "Estimated Effort is 'two days'"),
    ],
)
def test_what_a_task_leaves_open_is_a_warning(members: Mapping[str, object], lack: str) -> None:
    found = check(GOOD, {**FILES, path("02-b"): file("02-b", **members)}, mode="initial")
    assert found.faults == ()
    assert lack in "\n".join(found.warnings)


@pytest.mark.parametrize(
    "members",
    [
        {"files": ["a.py", "b.py", "c.py", "tests/test_a.py", "README.md", "docs/**"]},
        {"lines": 500, "effort": "Medium"},
    ],
)
def test_a_task_at_its_limits_is_not(members: Mapping[str, object]) -> None:
    assert (
        check(GOOD, {**FILES, path("02-b"): file("02-b", **members)}, mode="initial").faults == ()
    )


def test_more_than_two_dependencies_are_too_many_also_taken_together() -> None:
    waves = ({"01-a": [], "02-b": [], "03-c": []}, {"04-d": ["01", "02"]})
    tasks = {**files(*waves), path("04-d"): file("04-d", ["03", "02"])}
    found = "\n".join(check(plan(*waves), tasks, mode="initial").faults)
    assert "depends on 3 tasks (01-a, 02-b, 03-c), 2 at most" in found


def test_a_repository_tool_mentioned_in_a_step_is_a_warning_and_so_is_an_empty_scope() -> None:
    task = file("02-b", files=[]).replace(
        "1. Write the tests", "1. Write `.git/hooks/x`, the tests"
    )
    found = check(GOOD, {**FILES, path("02-b"): task}, mode="initial")
    assert found.faults == ()
    assert found.warnings == (
        f"{path('02-b')}: mentions .git/hooks/x, which no task may change",
        f"{path('02-b')}: names no file in scope",
    )


def test_the_agent_of_the_file_counts_before_that_of_the_plan() -> None:
    text = GOOD.replace(
        "01-a (depends_on: none)", "01-a (depends_on: none, agent: documentation-writer)"
    )
    assert check(text, FILES, mode="initial").waves[0][0].agent == "documentation-writer"
    own = {**FILES, path("01-a"): file("01-a", agent="implementer")}
    found = check(text, own, mode="initial")
    assert found.waves[0][0].agent == "implementer"
    assert found.warnings == (
        "01-a: the plan names agent documentation-writer; implementer of its file counts",
    )


def test_an_unknown_agent_is_a_warning() -> None:
    found = check(GOOD, {**FILES, path("01-a"): file("01-a", agent="wizard")}, mode="initial")
    assert found.faults == ()
    assert "01-a: unknown agent 'wizard'; implementer works on it" in found.warnings[0]


DONE = known(FILES, ["01-a", "02-b", "03-c"])


def again(text: str, tasks: Mapping[str, str], before: Known = DONE) -> Checked:
    return check(text, tasks, mode="replan", known=before)


def ids(found: Checked) -> list[list[str]]:
    return [[task.id for task in wave] for wave in found.waves]


def test_in_a_replan_only_what_is_not_done_is_left_to_do() -> None:
    found = again(
        plan(*WAVES, {"05-fix": ["03"]}, mode="replan"),
        {**FILES, path("05-fix"): file("05-fix", ["03"])},
    )
    assert (found.faults, found.warnings) == ((), ())
    assert found.waves == (
        (PlannedTask("04-d", ("01-a", "02-b")),),
        (PlannedTask("05-fix", ("03-c",)),),
    )


def test_a_replan_may_leave_finished_tasks_out_and_still_depend_on_them() -> None:
    text = plan({"04-d": ["01", "02"]}, {"05-fix": ["03"]}, mode="replan")
    found = again(text, {**FILES, path("05-fix"): file("05-fix", ["03"])})
    assert (found.faults, ids(found)) == ((), [["04-d"], ["05-fix"]])


def test_a_finished_task_is_done_again_where_its_file_was_changed() -> None:
    text = plan({"01-a": []}, {"04-d": ["01", "02"]}, mode="replan")
    found = again(text, {**FILES, path("01-a"): file("01-a", goal="Something else")})
    assert (found.faults, ids(found)) == ((), [["01-a"], ["04-d"]])
    assert "finished tasks are done again, because their files changed: 01-a" in found.warnings


def test_ticks_do_not_change_a_file() -> None:
    ticked = {where: text.replace("- [ ]", "- [x]") for where, text in FILES.items()}
    assert ticked != FILES
    assert ids(again(plan(*WAVES, mode="replan"), ticked)) == [["04-d"]]


def test_a_changed_file_of_a_finished_task_needs_a_place_like_any_other() -> None:
    text = plan({"04-d": ["01", "02"]}, mode="replan")
    found = again(text, {**FILES, path("01-a"): file("01-a", goal="Something else")})
    assert found.faults == (
        f"{path('01-a')}: has no place in the plan (name it in a wave of plan.md)",
    )


def test_what_failed_is_done_again_where_the_plan_names_it() -> None:
    before = known(FILES, ["01-a", "02-b", "03-c", "04-d"], ["02-b"])
    found = again(plan(*WAVES, mode="replan"), FILES, before)
    assert (found.faults, ids(found)) == ((), [["02-b"]])


def test_a_new_task_may_take_the_place_of_one_that_failed() -> None:
    before = known(FILES, ["01-a", "02-b", "03-c"], ["03-c", "04-d"])
    found = again(
        plan({"05-fix": ["03"]}, mode="replan"),
        {**FILES, path("05-fix"): file("05-fix", ["03"])},
        before,
    )
    assert (found.faults, ids(found)) == ((), [["05-fix"]])
    assert "04-d failed and has no place in this plan: other tasks must fix it" in found.warnings


def test_nothing_may_wait_for_work_that_is_neither_there_nor_planned() -> None:
    found = again(
        plan({"05-fix": ["04"]}, mode="replan"), {**FILES, path("05-fix"): file("05-fix", ["04"])}
    )
    assert found.faults == (
        "plan.md: 05-fix depends on 04-d, which is neither in the plan nor finished (plan it, too)",
    )


def test_a_task_that_is_not_done_may_be_planned_anew() -> None:
    text = plan({"01-a": [], "02-b": []}, {"03-c": ["01"], "04-d": ["02"]}, mode="replan")
    assert again(text, {**FILES, path("04-d"): file("04-d", ["02"], goal="Smaller")}).faults == ()


def test_a_new_task_may_not_take_the_number_of_a_finished_one() -> None:
    text = plan({"04-d": ["01", "02"], "01-fix": []}, mode="replan")
    assert any(
        "has the number of" in each
        for each in again(text, {**FILES, path("01-fix"): file("01-fix")}).faults
    )


def test_a_file_of_a_plan_that_was_never_carried_out_gives_way_to_a_new_one_with_its_number() -> (
    None
):
    tasks = {**FILES, path("01-new"): file("01-new")}
    found = again(plan({"01-new": []}, mode="replan"), tasks, known(FILES))
    assert (found.faults, ids(found)) == ((), [["01-new"]])


def test_a_plan_of_nothing_but_finished_tasks_means_all_of_them_again() -> None:
    found = again(
        plan(*WAVES, mode="replan"), FILES, known(FILES, ["01-a", "02-b", "03-c", "04-d"])
    )
    assert (found.faults, ids(found)) == ((), [["01-a", "02-b"], ["03-c", "04-d"]])
    assert found.warnings == ("every task of the plan is finished; all of them are done again",)


def chain(size: int) -> tuple[dict[str, list[str]], ...]:
    return tuple({f"{n:03}-x": [f"{n - 1:03}"] if n > 1 else []} for n in range(1, size + 1))


def test_a_plan_of_five_hundred_tasks_gets_one_clear_message_fast() -> None:
    text, tasks = plan(*chain(500)), files(*chain(500))
    begun = time.process_time()
    found = check(text, tasks, mode="initial")
    assert time.process_time() - begun < 3
    assert found.faults == (
        (
            f"plan.md: the plan has 500 tasks, {LARGEST_PLAN} at most (join small tasks, or plan "
            "a smaller feature first)"
        ),
    )


def test_the_largest_plan_is_checked_fast() -> None:
    text, tasks = plan(*chain(LARGEST_PLAN)), files(*chain(LARGEST_PLAN))
    begun = time.process_time()
    found = check(text, tasks, mode="initial")
    assert time.process_time() - begun < 3
    assert found.faults == ()
    assert len(found.waves) == LARGEST_PLAN


@given(
    st.dictionaries(
        st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdefx"), max_size=3), max_size=6
    )
)
@settings(max_examples=80, deadline=None)
def test_every_ring_found_is_one_and_what_is_left_has_none(graph: dict[str, list[str]]) -> None:
    found = list(cycles(graph))
    for ring in found:
        for one, other in zip(ring, (*ring[1:], ring[0]), strict=True):
            assert other in graph[one]
    left = {name for name in graph if not any(name in ring for ring in found)}
    while ready := {name for name in left if not any(dep in left for dep in graph[name])}:
        left -= ready
    assert left == set()


@given(
    st.text(alphabet=st.sampled_from("#-*`| ():\n0123abwveD"), max_size=200),
    st.text(alphabet=st.sampled_from("#-*`| ():\n0123depnds_o"), max_size=200),
    st.sampled_from(MODES),
)
@settings(max_examples=80, deadline=None)
def test_no_text_breaks_the_checks_and_waves_have_files_and_keep_their_order(
    text: str, task: str, mode: Mode
) -> None:
    tasks = {path("01-a"): task, path("02-b"): text}
    found = check(
        f"## Execution Waves\n### Wave 1\n- 01-a\n{text}\n### Wave 2\n- 02-b\n{text}",
        tasks,
        mode=mode,
    )
    assert not (found.faults and found.waves)
    assert check("", tasks, mode=mode, strict=True).faults
    earlier: set[str] = set()
    for wave in found.waves:
        assert all(
            {f"{FOLDER}/{each.id}.md"} <= set(tasks) and set(each.depends_on) <= earlier
            for each in wave
        )
        earlier |= {each.id for each in wave}
