"""Going on: from every step, from the files alone, after a rewind; and what must be out of the
way first.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.fakes.repository import git
from tests.fakes.ticket import (
    BRANCH,
    FOLDER,
    WORDS,
    TicketProject,
    grouped,
    planned,
    task,
    task_key,
)

from podium.core.errors import Halted, InputError

TASKS = f"{FOLDER}/iteration_0/tasks.yaml"
TWO = planned(task(1), task(2, depends_on=["TASK-1"]))
MIXED = (
    "ERROR: Mixed artifact model detected. Migrate legacy task state into tasks.yaml and "
    "remove legacy derived "
    "artifacts before resume. STOPPING."
)
LEGACY = [
    "startup_context.yaml",
    "context_compact.yaml",
    "validation_plan.yaml",
    "task_packets/TASK-1.yaml",
    "logs/task_1_summary.yaml",
    "summaries/task_1_summary.yaml",
]


@pytest.fixture
def project(tmp_path: Path) -> TicketProject:
    return TicketProject.at(tmp_path)


# -- every step


def test_a_run_that_is_stopped_after_every_single_step_does_each_once(
    project: TicketProject,
) -> None:
    (project.root.parent / "whole").mkdir()
    whole = TicketProject.at(project.root.parent / "whole")
    assert whole.run({"planner": [grouped("sequential", task(1), task(2))]}).exit_code == 0
    agent = project.scenario({"planner": [grouped("sequential", task(1), task(2))]})
    ended = project.run(agent=agent, until="*")
    for _ in range(60):
        if ended.status == "complete":
            break
        ended = project.resume(until="*")
    assert ended.status == "complete"
    assert project.started() == whole.started()
    assert project.statuses() == whole.statuses()
    assert git(project.root, "show", "--stat", "--format=%s", "HEAD") == git(
        whole.root, "show", "--stat", "--format=%s", "HEAD"
    )
    assert [each for each in project.logged() if each != "resume"] == whole.logged()


@pytest.mark.parametrize("until", [task_key(1), task_key(2), "iteration/0/task/TASK-2"])
def test_a_single_task_can_be_where_a_run_stops(project: TicketProject, until: str) -> None:
    assert project.run({"planner": [TWO]}, until=until).exit_code == 0
    number = int(until.partition("TASK-")[2][0])
    assert project.asked("task-executor")[-1] == task_key(number)
    assert project.resume().exit_code == 0


# -- files alone


@pytest.mark.parametrize(
    "until",
    [
        "prompted",
        "iteration/0/begin",
        "iteration/0/plan",
        "iteration/0/tasks",
        "git-move",
        "iteration/0/task",
        "validate",
        "next-group/5",
    ],
)
def test_a_run_without_its_journal_goes_on_from_its_files(
    project: TicketProject, until: str
) -> None:
    project.run({"planner": [TWO]}, until=until)
    before = project.statuses() if project.path(TASKS).exists() else {}
    created = project.progress["created_at"]
    shutil.rmtree(project.path(".podium"))
    assert project.run({"planner": [TWO]}, run_id="PROJ-12-again").exit_code == 0
    assert git(project.root, "symbolic-ref", "--short", "HEAD").strip() == BRANCH
    assert project.progress["created_at"] == created
    # What a task came to is in the file with the next step: one that nobody wrote down is tried
    # again.
    assert project.statuses() == {
        "TASK-1": ("ACCEPTED", 2 if until == "iteration/0/task" else 1),
        "TASK-2": ("ACCEPTED", 1),
    }
    accepted = [name for name, (status, _) in before.items() if status == "ACCEPTED"]
    assert not [each for each in project.asked("task-executor") if each.split("/")[3] in accepted]
    assert "resume" in project.logged()
    assert project.subjects("main..HEAD") == ["feat(PROJ-12): add a function that counts words"]


def test_a_run_that_goes_on_from_its_files_goes_back_to_its_branch(project: TicketProject) -> None:
    project.run({"planner": [TWO]}, until="git-move")
    shutil.rmtree(project.path(".podium"))
    git(project.root, "restore", ".") if project.dirty() == [" M .gitignore"] else project.path(
        ".gitignore"
    ).unlink()
    git(project.root, "switch", "-q", "main")
    assert project.run({"planner": [TWO]}, run_id="PROJ-12-again").exit_code == 0
    assert git(project.root, "symbolic-ref", "--short", "HEAD").strip() == BRANCH


def test_a_persons_own_changes_are_asked_about_where_a_run_goes_on_from_its_files(
    project: TicketProject,
) -> None:
    project.run({"planner": [TWO]}, until="validate")
    shutil.rmtree(project.path(".podium"))
    project.write("src/app.py", "VALUE = 'mine'\n")
    ended = project.run({"planner": [TWO]}, run_id="PROJ-12-again")
    assert (ended.exit_code, ended.gates) == (10, ("ask-dirty",))
    assert "Changed: src/app.py." in project.event("gate.opened")["prompt"]


def test_commands_of_the_files_count_for_a_run_that_goes_on_from_them(
    project: TicketProject,
) -> None:
    project.run({"planner": [TWO]}, until="git-move")
    project.edit(
        f"{FOLDER}/progress.yaml", 'test_command: "sh tests.sh"', 'test_command: "test -d src"'
    )
    shutil.rmtree(project.path(".podium"))
    assert project.run({"planner": [TWO]}, run_id="PROJ-12-again").exit_code == 0
    ran = [each["command"] for each in project.event("step.finished", key="validate/1")["evidence"]]
    assert ran == ["test -d src"]


def test_commands_run_in_their_own_folder_where_a_run_goes_on_from_its_files(
    tmp_path: Path,
) -> None:
    files = {
        "podium.toml": "",
        "b/app.py": "VALUE = 1\n",
        "b/Makefile": "build:\n\techo built > built.txt\ntest:\n\ttest -f built.txt\n",
        ".gitignore": "built.txt\n",
    }
    project = TicketProject.at(tmp_path, files=files)
    request = "PROJ-12 fix the login timeout in b/app.py"
    agents = {"planner": [planned(task(1, "b/app.py"), task(2, "b/b.py"))]}
    assert project.run(agents, task=request, until="iteration/0/tasks/1").exit_code == 0
    shutil.rmtree(project.root / ".podium")
    assert project.run(agents, task=request).exit_code == 0
    ran = project.event("step.finished", key="validate/1")["evidence"]
    assert [(each["command"], each["state"]) for each in ran] == [
        ("cd b && make build", "passed"),
        ("cd b && make test", "passed"),
    ]
    assert not (project.root / "b/built.txt").exists(), "what they make stays in their view"


def test_files_of_another_request_are_not_gone_on_with(project: TicketProject) -> None:
    project.run({"planner": [TWO]}, until="git-move")
    project.app.cancel(project.run_id, "no", "Ada")
    before = project.snapshot()
    with pytest.raises(InputError, match="is about another request: PROJ-12 add a function"):
        project.run(task="PROJ-12 remove the function", run_id="PROJ-12-2")
    assert project.snapshot() == before
    assert project.run({"planner": [TWO]}, run_id="PROJ-12-3").exit_code == 0


def test_a_progress_file_that_cannot_be_read_says_every_fault(project: TicketProject) -> None:
    project.write(f"{FOLDER}/progress.yaml", 'jira: "PROJ-12"\nstatus: "FINE"\n')
    with pytest.raises(InputError) as found:
        project.run()
    assert len(found.value.faults) > 10


def test_a_finished_ticket_says_how_it_is_done_again(project: TicketProject) -> None:
    assert project.run({"planner": [TWO]}).exit_code == 0
    with pytest.raises(
        Halted,
        match=(
            r"`podium rewind PROJ-12-0001 --to analyse`, or move prompts/PROJ-12/progress\.yaml "
            r"away"
        ),
    ):
        project.run({"planner": [TWO]}, run_id="PROJ-12-2")
    assert project.rewind("analyse")[0] == "analyse"
    assert project.resume().exit_code == 0


# -- legacy artifacts


def test_legacy_artifacts_without_a_progress_file_are_a_warning_and_stop_the_resume(
    project: TicketProject,
) -> None:
    project.write(f"{FOLDER}/{LEGACY[0]}", "x")
    assert project.run({"planner": [TWO]}, until="prompted").exit_code == 0
    assert LEGACY[0] in project.event("ticket.warning")["text"]
    with pytest.raises(Halted, match="Mixed artifact model detected"):
        project.resume()
    project.path(f"{FOLDER}/{LEGACY[0]}").unlink()
    assert project.resume().exit_code == 0


@pytest.mark.parametrize("path", LEGACY)
def test_legacy_artifacts_stop_a_run_that_would_go_on_from_its_files_with_the_exact_words(
    project: TicketProject, path: str
) -> None:
    assert project.run({"planner": [TWO]}, until="prompted").exit_code == 0
    shutil.rmtree(project.root / ".podium")
    project.write(f"{FOLDER}/{path}", "x")
    ended = project.run()
    assert ended.exit_code == 20
    assert ended.reason.startswith(MIXED)
    assert path in ended.reason
    assert project.asked() == []


@pytest.mark.parametrize("path", LEGACY)
def test_legacy_artifacts_are_named_beside_a_progress_file_that_is_of_their_generation(
    project: TicketProject, path: str
) -> None:
    project.write(f"{FOLDER}/progress.yaml", "jira: PROJ-12\nstatus: PAUSED\n")
    project.write(f"{FOLDER}/{path}", "x")
    before = project.snapshot()
    with pytest.raises(Halted) as told:
        project.run()
    assert str(told.value).startswith(MIXED)
    assert path.partition("/")[0] in str(told.value)
    assert project.snapshot() == before


@pytest.mark.parametrize("path", LEGACY)
@pytest.mark.parametrize("until", ["prompted", "iteration/0/task"])
def test_legacy_artifacts_stop_a_resume_before_anybody_is_asked(
    project: TicketProject, path: str, until: str
) -> None:
    project.run({"planner": [TWO]}, until=until)
    asked = project.asked()
    project.write(f"{FOLDER}/{path}", "x")
    with pytest.raises(Halted, match="Mixed artifact model detected"):
        project.resume()
    assert project.asked() == asked
    shutil.rmtree(project.path(f"{FOLDER}/{path}").parent) if "/" in path else project.path(
        f"{FOLDER}/{path}"
    ).unlink()
    assert project.resume().exit_code == 0


def test_legacy_artifacts_are_seen_where_git_ignores_the_folder(project: TicketProject) -> None:
    project.write(".gitignore", "prompts/\n")
    git(project.root, "add", "-A")
    git(project.root, "commit", "-q", "-m", "ignore")
    assert project.run({"planner": [TWO]}, until="prompted").exit_code == 0
    project.write(f"{FOLDER}/validation_plan.yaml", "x")
    with pytest.raises(Halted, match="Mixed artifact model detected"):
        project.resume()


# -- rewind


def test_a_task_that_is_rewound_runs_again_and_so_does_all_that_follows(
    project: TicketProject,
) -> None:
    project.run(
        {"planner": [planned(task(1), task(2), task(3, depends_on=["TASK-1"]))]},
        until="iteration/0/review",
        policy={"max_parallel_tasks": 1},
    )
    stale = project.rewind(task_key(2))
    assert stale[0] == task_key(2)
    assert {task_key(3), "iteration/0/review", "validate/1"} <= set(stale)
    assert task_key(1) not in stale
    assert project.resume().exit_code == 0
    counts = {n: project.asked("task-executor").count(task_key(n)) for n in (1, 2, 3)}
    assert counts == {1: 1, 2: 2, 3: 2}
    assert project.statuses() == {f"TASK-{n}": ("ACCEPTED", 1) for n in (1, 2, 3)}
    assert project.asked("reviewer") == ["iteration/0/review", "iteration/0/review"]


def test_an_attempt_after_the_rewound_one_is_forgotten(project: TicketProject) -> None:
    no = {"behave": "well", "verdict": {"status": "ERROR", "evidence": "no"}}
    project.run(
        {"planner": [planned(task(1), task(2))]},
        more={"keys": {task_key(1): [no], task_key(1, 2): [no]}},
        until="iteration/0/review",
    )
    assert project.statuses()["TASK-1"] == ("ACCEPTED", 3)
    project.rewind(task_key(2))
    assert project.resume().exit_code == 0
    # The two failed attempts fail again: nothing of what was forgotten is taken for done.
    assert project.asked("task-executor").count(task_key(1, 2)) == 2
    assert project.statuses()["TASK-1"] == ("ACCEPTED", 3)


@pytest.mark.parametrize(
    "to",
    [
        "iteration/0/plan/planner",
        "prompted",
        "analyse",
        "git-look",
        "next-group/1",
        "validate/1",
        "iteration/0/tasks",
    ],
)
def test_a_run_can_be_set_back_to_any_step_of_its_iteration(
    project: TicketProject, to: str
) -> None:
    project.run({"planner": [TWO]}, until="iteration/0/review")
    project.rewind(to)
    assert project.resume().exit_code == 0
    assert project.statuses() == {"TASK-1": ("ACCEPTED", 1), "TASK-2": ("ACCEPTED", 1)}
    assert project.subjects("main..HEAD") == ["feat(PROJ-12): add a function that counts words"]
    assert project.dirty() == []


@pytest.mark.parametrize("kind", ["bound", "copy"])
def test_a_plan_that_is_made_anew_counts_in_every_kind_of_view(
    project: TicketProject, kind: str
) -> None:
    """Git ignores its folder by then, so it is in no list of changes."""
    project.write("podium.toml", f'{project.text("podium.toml")}[view]\nkind = "{kind}"\n')
    git(project.root, "commit", "-qam", "kind of view")
    project.run({"planner": [TWO]}, until="iteration/0/review")
    project.rewind("iteration/0/plan/planner")
    assert project.resume().exit_code == 0
    assert "iteration/0/split" not in project.started()
    assert project.statuses() == {"TASK-1": ("ACCEPTED", 1), "TASK-2": ("ACCEPTED", 1)}


def test_an_edit_of_the_prompt_plans_anew(project: TicketProject) -> None:
    project.run({"planner": [TWO]}, until="iteration/0/task")
    project.edit(f"{FOLDER}/prompt.yaml", "counts words", "counts words and lines")
    assert project.resume().exit_code == 0
    assert project.asked("planner") == ["iteration/0/plan/planner"] * 2
    assert project.asked("task-executor").count(task_key(1)) == 2


# -- looking at it


def test_a_dry_run_shows_the_planner_and_writes_nothing(project: TicketProject) -> None:
    from podium.wiring_values import RunOptions  # noqa: PLC0415

    before = project.snapshot()
    found = project.app.dry_run("ticket", [WORDS], RunOptions(agent=project.scenario()))
    assert [each.key for each in found] == [
        "iteration/0/plan/planner",
        "iteration/0/plan/initializer",
    ]
    assert "Test command: sh tests.sh" in found[0].prompt
    assert project.snapshot() == before
    project.run()
    for each in found:
        assert project.prompt(each.key).strip() == each.prompt.strip()
