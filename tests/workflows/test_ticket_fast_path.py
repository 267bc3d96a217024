from __future__ import annotations

from dataclasses import replace

import pytest

from podium.workflows.ticket.request.mandates import Mandate
from podium.workflows.ticket.tasks.fast_path import not_trivial
from podium.workflows.ticket.tasks.task import Commands, Policy, Task, Tasks


def graph(
    count: int = 1,
    *mandates: Mandate,
    files: tuple[str, ...] = ("a.py",),
    tests: tuple[str, ...] = (),
) -> Tasks:
    return Tasks(
        tasks=tuple(
            Task(id=f"T{n}", files_to_modify=files, test_files=tests, tool_mandates=mandates)
            for n in range(count)
        )
    )


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (graph(), ""),
        (graph(files=("a.py",), tests=("t.py",)), ""),
        (graph(files=("a.py", "b.py"), tests=("a.py",)), ""),
        (graph(1, Mandate("use ruff", tool="ruff")), ""),
        (graph(0), "0 tasks"),
        (graph(2), "2 tasks"),
        (graph(files=("a.py", "b.py"), tests=("t.py",)), "3 files"),
        (graph(files=("src/*",)), "src/* can mean many files"),
        (graph(files=("src/",)), "src/ can mean many files"),
        (graph(files=("src",)), "src can mean many files"),
        (graph(files=("a.py", "lib/core")), "lib/core can mean many files"),
        (graph(files=(".github",)), ".github can mean many files"),
        (graph(files=("a.py",), tests=("tests",)), "tests can mean many files"),
        (
            graph(1, Mandate("use Playwright")),
            "a tool mandate needs a running program: use Playwright",
        ),
    ],
)
def test_only_one_small_task_without_a_running_program_is_trivial(found: Tasks, why: str):
    assert not_trivial(found) == why


@pytest.mark.parametrize(
    "policy",
    [
        Policy(test_command="true"),
        Policy(groups={"A": Commands(build_command="true")}),
    ],
)
def test_a_plan_that_says_itself_what_counts_as_a_test_has_its_reviewer(policy: Policy):
    found = replace(graph(), policy=policy)
    assert not_trivial(found) == "the plan brings commands of its own"


@pytest.mark.parametrize(
    "own",
    [
        Commands(working_directory="."),
        Commands(working_directory="./"),
        Commands(build_command="make", test_command="make test"),
        Commands(working_directory=".", test_command="make test"),
    ],
)
def test_a_plan_that_repeats_where_and_how_the_project_is_tested_brings_nothing_of_its_own(
    own: Commands,
):
    known = Commands(build_command="make", test_command="make test")
    assert not_trivial(replace(graph(), policy=Policy(**vars(own))), (), known) == ""
    assert not_trivial(replace(graph(), policy=Policy(groups={"A": own})), (), known) == ""


@pytest.mark.parametrize("own", [".", "b", "services"])
def test_another_folder_than_the_projects_own_is_the_plans_own(own: str):
    known = Commands(working_directory="services/b", test_command="make test")
    found = replace(graph(), policy=Policy(working_directory=own))
    assert not_trivial(found, (), known) == "the plan brings commands of its own"
    same = replace(graph(), policy=Policy(working_directory="services/b/"))
    assert not_trivial(same, (), known) == ""
