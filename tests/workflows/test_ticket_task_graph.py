from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.ticket.tasks.graph import troubles
from podium.workflows.ticket.tasks.paths import path_fault
from podium.workflows.ticket.tasks.task import MAX_TASKS, Entry, Policy, Task, Tasks


def task(ident: str, group: str = "A", *deps: str, **members) -> Task:
    return Task(
        id=ident,
        parallel_group=group,
        depends_on=deps,
        **{"files_to_modify": (f"{ident}.py",), **members},
    )


def graph(*tasks: Task, sequential: str = "", **members) -> Tasks:
    groups: dict[str, tuple[str, ...]] = {}
    for each in tasks:
        groups[each.parallel_group] = (*groups.get(each.parallel_group, ()), each.id)
    order = tuple(
        Entry(each, "sequential" if each in sequential else "parallel", ids)
        for each, ids in groups.items()
    )
    return Tasks(**{"tasks": tasks, "groups": groups, "order": order, **members})


def told(found: Tasks, *, fresh: bool = False) -> list[str]:
    return [each.what for each in troubles(found, fresh=fresh)]


def test_a_sound_graph_has_no_trouble():
    assert told(graph(task("T1"), task("T2"), task("T3", "B", "T1", "T2")), fresh=True) == []


def test_a_graph_without_tasks_and_one_with_too_many():
    assert told(Tasks()) == ["there is no task"]
    assert f"there are {MAX_TASKS + 1} tasks" in told(
        graph(*(task(f"T{n}") for n in range(MAX_TASKS + 1)))
    )


def test_ids_differ_in_more_than_their_case():
    assert "the id T1 is given 2 times" in told(graph(task("T1"), task("t1")))


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ({"A": ("T1", "T2"), "B": ()}, "group B has no task"),
        ({"A": ("T1", "T2", "T9")}, "group A names T9, which is not a task"),
        ({"A": ("T1",)}, "T2 is in no group"),
        ({"A": ("T1", "T2"), "B": ("T2",)}, "T2 is listed 2 times in parallel_groups"),
        ({"A": ("T1",), "B": ("T2",)}, "T2 says group A and is listed in B"),
    ],
)
def test_each_task_is_in_the_one_group_it_names(groups: dict, words: str):
    assert words in told(graph(task("T1"), task("T2"), groups=groups))


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ((), "group A is not in execution_order"),
        ((Entry("A", "parallel", ("T1", "T2")),) * 2, "group A is 2 times in execution_order"),
        ((Entry("A", "parallel", ("T1",)),), "execution_order, group A: lacks T2"),
        (
            (Entry("A", "parallel", ("T1", "T2", "T3")),),
            "execution_order, group A: has T3, not of this group",
        ),
        (
            (Entry("A", "parallel", ("T1", "T2", "T2")),),
            "execution_order, group A: has a task twice",
        ),
        ((Entry("C", "parallel", ("T1",)),), "execution_order names group C, which does not exist"),
    ],
)
def test_each_group_runs_once_with_all_its_tasks(order: tuple, words: str):
    assert words in told(graph(task("T1"), task("T2"), order=order))


def test_dependencies_lead_to_other_tasks_that_are_there():
    assert told(graph(task("T1", "A", "T1"))) == ["T1 depends on itself"]
    assert told(graph(task("T1", "A", "T9"))) == ["T1 depends on T9, which is not a task"]


@pytest.mark.parametrize("sequential", ["", "A"])
def test_tasks_of_one_group_do_not_wait_for_each_other(sequential: str):
    tasks = task("T1"), task("T2", "A", "T1")
    assert told(graph(*tasks, sequential=sequential)) == ["T2 depends on T1 of its own group A"]
    assert told(graph(*reversed(tasks), sequential=sequential)) == [
        "T2 depends on T1 of its own group A"
    ]


def test_what_a_task_needs_runs_in_an_earlier_group():
    assert told(graph(task("T1", "A", "T2"), task("T2", "B"))) == [
        "T1 of group A depends on T2 of group B, which runs later"
    ]


def test_a_plan_with_a_cycle_names_the_tasks_in_it():
    found = told(
        graph(task("T1", "A", "T3"), task("T2", "B", "T1"), task("T3", "C", "T2"), task("T4", "C"))
    )
    assert "a cycle: T1 waits for T3 waits for T2 waits for T1" in found


@pytest.mark.parametrize(
    "path",
    [
        *(
            "",
            " a",
            "/etc/passwd",
            "~/x",
            "C:/x",
            "../x",
            "a/../../x",
            "a\\b",
            "a\nb",
            ".",
            "./",
            "**",
            "*",
            "**/*",
            ".git/hooks/x",
        ),
        *(
            "prompts/PROJ-1/progress.yaml",
            ".podium",
            "podium.toml",
            "./.git/config",
            ".GIT/config",
            "a/..",
        ),
    ],
)
def test_a_task_may_not_name_what_is_not_the_projects(path: str):
    assert path_fault(path)
    assert any(repr(path) in each for each in told(graph(task("T1", files_to_modify=(path,)))))


@pytest.mark.parametrize(
    "path",
    [
        "src/a.py",
        "src/",
        "src/**",
        "*.md",
        ".github/workflows/ci.yml",
        ".gitignore",
        "a b/ü.txt",
        "x..y",
    ],
)
def test_a_task_may_name_paths_inside_the_project(path: str):
    assert path_fault(path) == ""


def test_a_task_must_name_what_it_may_change():
    assert told(graph(task("T1", files_to_modify=()))) == ["T1 names no file"]
    assert told(graph(task("T1", files_to_modify=(), test_files=("t.py",)))) == []


@pytest.mark.parametrize("path", ["**", "*", "prompts/**", ".git/config", "../x"])
def test_no_allowlist_of_a_plan_lifts_every_limit(path: str):
    assert "allowlist" in told(graph(task("T1"), policy=Policy(baseline_allowlist=(path,))))[0]
    assert repr(path) in told(graph(task("T1", baseline_allowlist=(path,))))[0]


def test_a_fresh_task_is_pending_and_untried():
    found = graph(task("T1", status="ACCEPTED", attempt=2))
    assert told(found) == []
    assert told(found, fresh=True) == ["T1 has status ACCEPTED", "T1 has attempt 2"]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ABC"), st.lists(st.integers(0, 4), max_size=2)), max_size=5)
)
def test_any_graph_is_sound_or_has_a_trouble(rows: list[tuple[str, list[int]]]):
    found = graph(
        *(
            task(f"T{n}", group, *(f"T{dep}" for dep in deps))
            for n, (group, deps) in enumerate(rows)
        )
    )
    if not told(found):
        place = {ident: at for at, each in enumerate(found.order) for ident in each.tasks}
        assert all(place[dep] < place[each.id] for each in found.tasks for dep in each.depends_on)
