"""From the request to tasks that can be run: the Interpreter, the Planner, the Splitter, and
what stops them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fakes.ticket import FOLDER, WELL, WORDS, TicketProject, grouped, planned, task, task_key

VAGUE = "PROJ-12 maybe do something about the words somewhere"
PLANNER = "iteration/0/plan/planner"
SPLIT = "iteration/0/split"


@pytest.fixture
def project(tmp_path: Path) -> TicketProject:
    return TicketProject.at(tmp_path)


# -- the request


def test_the_interpreter_is_told_what_wider_words_suggest(project: TicketProject) -> None:
    assert (
        project.run(task="PROJ-12 an error shows somewhere on the page", until="prompted").exit_code
        == 0
    )
    assert "the type of work is likely `fix`" in project.prompt("interpret")


def test_a_clear_request_needs_no_interpreter(project: TicketProject) -> None:
    assert project.run(until="prompted").exit_code == 0
    assert project.asked() == []
    prompt = project.yaml(f"{FOLDER}/prompt.yaml")
    assert list(prompt) == [
        "jira",
        "type",
        "slug",
        "tool_mandates",
        "original_request",
        "refined_prompt",
        "success_criteria",
        "created_at",
    ]
    assert (prompt["jira"], prompt["type"], prompt["slug"]) == (
        "PROJ-12",
        "feature",
        "function_counts_words",
    )
    assert prompt["original_request"] == WORDS
    assert prompt["success_criteria"] == ["add a function that counts words"]


def test_an_ambiguous_request_goes_to_the_interpreter_with_the_reasons(
    project: TicketProject,
) -> None:
    assert project.run(task=VAGUE, until="prompted").exit_code == 0
    assert project.asked() == ["interpret"]
    told = project.prompt("interpret")
    assert VAGUE in told
    assert "vague: somewhere, something, maybe" in told
    prompt = project.yaml(f"{FOLDER}/prompt.yaml")
    assert prompt["original_request"] == VAGUE
    assert prompt["created_at"]


def test_the_interpreters_question_reaches_a_person_as_a_gate_with_choices(
    project: TicketProject,
) -> None:
    choices = [
        {"id": "tokens", "description": "whitespace"},
        {"id": "letters", "description": "runs of letters"},
    ]
    asks = {"ask": {"prompt": "What is a word?", "choices": choices, "recommended": "tokens"}}
    ended = project.run({"interpreter": [asks, WELL]}, task=VAGUE)
    assert (ended.exit_code, ended.gates) == (10, ("interpret/question-1",))
    gate = project.event("gate.opened")
    assert (gate["kind"], gate["choices"]) == ("question", ["tokens", "letters"])
    assert "What is a word?" in gate["prompt"]
    project.answer(choice="letters")
    assert project.resume().exit_code == 0
    assert "letters" in project.prompt("interpret")


def test_a_prompt_about_another_ticket_is_sent_back_once(project: TicketProject) -> None:
    wrong = {"behave": "well", "write": {"@prompt": {"template": "prompt", "jira": "PROJ-99"}}}
    assert project.run({"interpreter": [wrong, WELL]}, task=VAGUE, until="prompted").exit_code == 0
    assert project.asked() == ["interpret", "interpret"]


def test_tool_mandates_reach_their_agents_and_only_those(project: TicketProject) -> None:
    words = f"{WORDS}. Use Playwright to inspect the page. MUST use `jq` to write the report."
    assert project.run({"planner": [planned(task(1), task(2))]}, task=words).exit_code == 0
    mandates = project.yaml(f"{FOLDER}/prompt.yaml")["tool_mandates"]
    assert [(each["mandate"], each["assigned_agent"]) for each in mandates] == [
        ("Use Playwright to inspect the page.", "planner"),
        ("MUST use `jq` to write the report.", "developer"),
    ]
    assert "Tool mandate: Use Playwright to inspect the page." in project.prompt(PLANNER)
    assert "Tool mandate: MUST use" not in project.prompt(PLANNER)
    assert "Tool mandate: MUST use `jq` to write the report." in project.prompt(task_key(1))
    assert "Tool mandate: Use Playwright" not in project.prompt(task_key(1))


# -- what everybody is told


def test_every_brief_begins_with_its_scope_and_names_the_commands(project: TicketProject) -> None:
    project.run({"planner": [grouped("sequential", task(1), task(2))]})
    for key in (PLANNER, task_key(1), "iteration/0/review/TASK-1/1", "iteration/0/review"):
        assert "Test command: sh tests.sh" in project.prompt(key)
        assert "Build command: none" in project.prompt(key)
        assert project.prompt(key).startswith("ROLE ENFORCEMENT: You are ")
    told = project.prompt(task_key(1))
    assert "Task: TASK-1, attempt 1" in told
    assert "Execution mode: SEQUENTIAL" in told
    assert "files_to_modify:" in told  # its entry of tasks.yaml, word for word
    assert "You may change only: src/task1.py" in told
    assert "{" not in told.partition("## ")[0]


def test_the_planner_is_told_what_the_program_found_by_itself(project: TicketProject) -> None:
    project.run(task="PROJ-12 fix the value in src/app.py", until="iteration/0/plan")
    told = project.prompt(PLANNER)
    assert "Likely files: src/app.py" in told
    assert "Affected areas: src" in told


def test_a_planner_sees_the_beginning_of_long_documents_and_all_findings(
    project: TicketProject,
) -> None:
    for name in ("ARCHITECTURE", "CODE_STYLE", "FINDINGS"):
        project.write(f"docs/{name}.md", "".join(f"{name} {number}\n" for number in range(1, 101)))
    project.run(until="iteration/0/plan")
    told = project.prompt(PLANNER)
    assert "ARCHITECTURE 80\n> (20 more lines in the file)" in told
    assert "CODE_STYLE 40\n> (60 more lines in the file)" in told
    assert "FINDINGS 100" in told


def test_a_planner_is_told_which_documents_there_are_not(project: TicketProject) -> None:
    project.run(until="iteration/0/plan")
    assert project.prompt(PLANNER).count("not available") == 3


# -- the plan


@pytest.mark.parametrize(
    "phrase", ["TBD", "we will figure out the rest", "Determine later how", "TODO: name it"]
)
def test_a_plan_that_puts_research_off_stops_the_run_at_once(
    project: TicketProject, phrase: str
) -> None:
    defers = {"behave": "well", "write": {"@plan": f"# Plan\n\nThe file is known; {phrase}.\n"}}
    ended = project.run({"planner": [defers, WELL]})
    assert ended.exit_code == 20
    assert ended.reason.startswith(
        "ERROR: Planner deferred research — violates NO RESEARCH DEFERRAL rule. STOPPING."
    )
    assert project.asked("planner") == [PLANNER]
    assert not [each for each in project.started() if each.startswith("git-")]
    last = project.log()[-1]
    assert (last["level"], last["role_violation"], last["iteration"]) == (
        "CRITICAL_VIOLATION",
        True,
        0,
    )
    assert project.progress["status"] == "PAUSED"


def test_words_of_deferral_in_a_block_of_code_are_only_quoted(project: TicketProject) -> None:
    quotes = {
        "behave": "well",
        "write": {"@plan": "# Plan\n\nRemove this comment:\n\n```\n# TODO\n```\n"},
    }
    assert project.run({"planner": [quotes]}).exit_code == 0


# -- tasks.yaml


def test_the_splitter_writes_the_tasks_that_the_planner_left_out(project: TicketProject) -> None:
    ended = project.run({"planner": [{"behave": "well", "delete": ["@tasks"]}]})
    assert ended.exit_code == 0
    assert project.asked("splitter") == [SPLIT]
    assert "tasks.yaml.invalid" not in project.logged()
    assert "splitter.skipped_planner_provided" not in project.logged()


INVALID: dict[str, Any] = {
    "a list of groups": grouped("parallel", task(1), parallel_groups=["A"]),
    "a dependency inside a parallel group": grouped(
        "parallel", task(1), task(2, depends_on=["TASK-1"])
    ),
    "a dependency inside a sequential group": grouped(
        "sequential", task(1), task(2, depends_on=["TASK-1"])
    ),
    "a task that is done already": planned(task(1, status="ACCEPTED")),
    "a path outside the project": planned(task(1, "../secret")),
    "no YAML at all": {"behave": "well", "write": {"@tasks": "tasks: [\n"}},
}


@pytest.mark.parametrize("call", INVALID.values(), ids=INVALID)
def test_tasks_that_cannot_be_used_go_to_the_splitter_with_the_reason(
    project: TicketProject, call: dict[str, Any]
) -> None:
    assert project.run({"planner": [call]}).exit_code == 0
    assert project.asked("splitter") == [SPLIT]
    (said,) = [each for each in project.log() if each["event"].endswith("tasks.yaml.invalid")]
    assert said["level"] == "ERROR"
    assert (
        said["message"][:60] in " ".join(project.prompt(SPLIT).split())
        or "tasks.yaml" in said["message"]
    )
    assert project.statuses() == {"TASK-1": ("ACCEPTED", 1)}


def test_a_splitter_that_does_no_better_stops_the_run(project: TicketProject) -> None:
    bad = {
        "behave": "well",
        "write": {"@tasks": {"template": "tasks", "tasks": [task(1)], "parallel_groups": ["A"]}},
    }
    ended = project.run({"planner": [bad], "splitter": [bad]})
    assert ended.exit_code == 20
    assert "parallel_groups" in ended.reason
    assert project.asked("splitter") == [SPLIT, SPLIT]  # one repair
    assert project.asked("task-executor", "developer") == []


def test_a_person_may_write_the_tasks_where_no_agent_could(project: TicketProject) -> None:
    bad = {
        "behave": "well",
        "write": {"@tasks": {"template": "tasks", "tasks": [task(1)], "parallel_groups": ["A"]}},
    }
    project.run({"planner": [bad], "splitter": [bad]})
    good = project.text(f"{FOLDER}/iteration_0/tasks.yaml").replace(
        "parallel_groups:\n  - ", "parallel_groups:\n  A:\n    - "
    )
    good = good.replace(
        'parallel_groups:\n  A:\n    - "A"', 'parallel_groups:\n  A:\n    - "TASK-1"'
    )
    project.write(f"{FOLDER}/iteration_0/tasks.yaml", good)
    assert project.rewind("iteration/0/tasks") == ["iteration/0/tasks/1", "iteration/0/split"]
    assert project.resume().exit_code == 0
    assert project.asked("splitter") == [SPLIT, SPLIT]


def test_an_old_tasks_file_is_not_taken_for_the_planners(project: TicketProject) -> None:
    project.run(until="iteration/0/tasks")
    old = project.text(f"{FOLDER}/iteration_0/tasks.yaml")
    other = TicketProject(project.root, project.home, project.clock)
    other.app.cancel(project.run_id, "no", "Ada")
    other.path(f"{FOLDER}/progress.yaml").unlink()
    other.write(f"{FOLDER}/iteration_0/tasks.yaml", old.replace("PENDING", "ACCEPTED"))
    assert (
        other.run(
            {"planner": [{"behave": "well", "delete": ["@tasks"]}]}, run_id="PROJ-12-2"
        ).exit_code
        == 0
    )
    assert other.asked("splitter") == [SPLIT]


# -- the fast path


def test_one_trivial_task_needs_developer_build_and_test_and_no_reviewer(
    project: TicketProject,
) -> None:
    assert project.run({"planner": [planned(task(1, "src/app.py"))]}).exit_code == 0
    assert project.asked() == [PLANNER, "iteration/0/plan/initializer", task_key(1), "refresh"]
    assert project.events("step.started", key=task_key(1))[0]["role"] == "developer"
    assert [each for each in project.started() if each.startswith("validate")] == ["validate/1"]
    assert project.yaml(f"{FOLDER}/iteration_0/review_report.yaml") == {
        "status": "ACCEPTED",
        "mode": "auto-accept-trivial",
        "build": "NOT_RUN",
        "tests": "PASSED",
        "files_verified": True,
        "notes": "Trivial-graph auto-accepted: 1 task, tests green.",
        "reviewed_at": project.progress["iterations"][0]["completed_at"],
    }
    assert project.progress["cycle_acceleration_mode"] == "trivial_graph"
    assert "trivial.auto_accept" in project.logged()


def test_the_fast_path_has_no_reviewer_in_a_sequential_group_either(project: TicketProject) -> None:
    assert project.run({"planner": [grouped("sequential", task(1, "src/app.py"))]}).exit_code == 0
    assert project.asked("reviewer") == []


def test_a_trivial_task_whose_test_fails_is_tried_again(project: TicketProject) -> None:
    breaks = {"write": {"src/app.py": "broken\n"}, "verdict": {"status": "DONE"}, "say": "done"}
    assert (
        project.run(
            {
                "planner": [planned(task(1, "src/app.py"))],
                "developer": [
                    breaks,
                    {"write": {"src/app.py": "VALUE = 3\n"}, "say": "DONE: mended"},
                ],
            }
        ).exit_code
        == 0
    )
    assert project.asked("developer") == [task_key(1), task_key(1, 2)]
    assert "FAILED src/app.py: broken" in project.prompt(task_key(1, 2))


def test_three_changed_files_have_a_reviewer_although_the_plan_named_one(
    project: TicketProject,
) -> None:
    writes = {
        "write": {f"src/v1.2/{name}.py": "NEW = 1\n" for name in "abc"},
        "say": "DONE: tidied",
    }
    assert (
        project.run({"planner": [planned(task(1, "src/v1.2"))], "developer": [writes]}).exit_code
        == 0
    )
    assert project.asked("reviewer") == ["iteration/0/review"]
    assert project.progress["cycle_acceleration_mode"] == "standard"


NOT_TRIVIAL: dict[str, dict[str, Any]] = {
    "two tasks": planned(task(1), task(2)),
    "three files": planned(task(1, "a.py", "b.py", "c.py")),
    "a pattern": planned(task(1, "src/*.py")),
    "a folder": planned(task(1, "src")),
    "a tool that needs a running program": planned(
        task(1, "src/app.py", tool_mandates=["Use Playwright to verify the page"])
    ),
    "commands of the plan's own": planned(
        task(1, "src/app.py"),
        validation_policy={
            "baseline_allowlist": [],
            "baseline_scope": "all",
            "test_command": "true",
        },
    ),
    "an allowlist that opens more": planned(
        task(1, "src/app.py"),
        validation_policy={"baseline_allowlist": ["src/**"], "baseline_scope": "all"},
    ),
}


@pytest.mark.parametrize("call", NOT_TRIVIAL.values(), ids=NOT_TRIVIAL)
def test_anything_more_has_its_reviewer(project: TicketProject, call: dict[str, Any]) -> None:
    assert project.run({"planner": [call]}).exit_code == 0
    assert project.asked("reviewer") == ["iteration/0/review"]
    assert project.asked("developer") == []
    assert project.progress["cycle_acceleration_mode"] == "standard"


def test_a_person_demanding_a_running_tool_has_the_reviewer_look(project: TicketProject) -> None:
    words = f"{WORDS}. MUST use Playwright to test the page."
    assert project.run({"planner": [planned(task(1, "src/app.py"))]}, task=words).exit_code == 0
    assert project.asked("reviewer") == ["iteration/0/review"]
