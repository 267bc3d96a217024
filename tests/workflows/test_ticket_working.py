"""The inner loop: results into tasks.yaml, a person's word before the program's, and the next
move from the file alone.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.fakes.evidence import evidence

from podium.core.verdict import Judgement
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.tasks import document as tasks_document
from podium.workflows.ticket.tasks.compose import compose
from podium.workflows.ticket.working import (
    commands,
    inside,
    next_move,
    not_trivial,
    validated,
)

WHERE = "prompts/PROJ-1/iteration_0/tasks.yaml"
NOW = [{"name": "clock", "now": "2026-03-01T12:00:00+00:00"}]
POLICY = {"max_attempts": 5}


def document(*tasks: dict[str, Any], **members: Any) -> str:
    return compose({"tasks": list(tasks), **members}, "", {})


def task(
    name: str = "T1", status: str = "PENDING", attempt: int = 0, **more: Any
) -> dict[str, Any]:
    return {
        "id": name,
        "files_to_modify": [f"src/{name}.py"],
        "status": status,
        "attempt": attempt,
        **more,
    }


def run(*tasks: dict[str, Any], **members: Any) -> TicketRun:
    mirror = {each["id"]: [each["status"], each["attempt"]] for each in tasks}
    told = {
        "tasks": mirror,
        "created_at": "2026-03-01T11:00:00Z",
        "test_command": "true",
        **members,
    }
    return TicketRun(step="next_group", jira="PROJ-1", **told)


def moved(at: TicketRun, text: str | None) -> Judgement:
    return next_move(at, {WHERE: text}, NOW, POLICY)


def statuses(found: Judgement) -> dict[str, tuple[str, int]]:
    return {
        each.id: (each.status, each.attempt)
        for each in tasks_document.read(found.writes[WHERE]).tasks
    }


def test_a_batch_is_begun_with_what_its_briefs_need() -> None:
    text = document(task("T1"), task("T2"))
    found = moved(run(task("T1"), task("T2")), text)
    assert (found.route, found.sets["batch"]) == ("develop", ["T1", "T2"])
    assert statuses(found) == {"T1": ("PENDING", 1), "T2": ("PENDING", 1)}
    assert found.sets["scopes"] == {"T1": ["src/T1.py"], "T2": ["src/T2.py"]}
    assert found.sets["tries"] == {"T1": 1, "T2": 1}
    assert 'id: "T1"' in found.sets["entries"]["T1"]
    assert (found.sets["group"], found.sets["group_began"]) == ("A", "2026-03-01T12:00:00Z")


def test_results_are_written_and_only_the_failed_run_again() -> None:
    tasks = (task("T1", attempt=1), task("T2", attempt=1))
    results = {
        "T1": {"status": "SYNTAX_VALID", "changed": ["src/T1.py"]},
        "T2": {"status": "REJECTED", "changed": []},
    }
    found = moved(run(*tasks, results=results, tries={"T1": 1, "T2": 1}), document(*tasks))
    assert (found.route, found.sets["batch"]) == ("develop", ["T2"])
    assert statuses(found) == {"T1": ("SYNTAX_VALID", 1), "T2": ("REJECTED", 2)}
    assert found.sets["tries"] == {"T1": 1, "T2": 2}
    assert (
        tasks_document.read(found.writes[WHERE]).task("T1").first_code_change_at
        == "2026-03-01T12:00:00Z"
    )


def test_a_group_that_is_written_is_validated_with_the_plans_own_commands() -> None:
    tasks = (task("T1", "SYNTAX_VALID", 1), task("T2", "SYNTAX_VALID", 1))
    policy = {
        "baseline_allowlist": [],
        "baseline_scope": "all",
        "groups": {"A": {"test_command": "make quick", "working_directory": "api"}},
    }
    found = moved(run(*tasks), document(*tasks, validation_policy=policy))
    assert (found.route, found.sets["batch"]) == ("validate", ["T1", "T2"])
    at = run(commands=found.sets["commands"], build_command="make", directory="web")
    assert commands(at) == ["cd api && make", "cd api && make quick"]


def test_all_accepted_goes_to_the_reviewer_or_past_it() -> None:
    tasks = (task("T1", "ACCEPTED", 1),)
    assert moved(run(*tasks), document(*tasks)).route == "finished"
    assert moved(run(*tasks, trivial=True, green=True), document(*tasks)).route == "trivial"
    assert moved(run(*tasks, trivial=True, green=False), document(*tasks)).route == "finished"


def test_more_files_than_two_have_their_reviewer_whatever_the_plan_called_them() -> None:
    tasks = (task("T1", "ACCEPTED", 1, files_to_modify=["src/v1.2"]),)
    changed = [".gitignore", "src/v1.2/a.py", "src/v1.2/b.py"]
    small = run(*tasks, trivial=True, green=True, touched=changed)
    assert (
        moved(small, document(*tasks)).route == "trivial"
    )  # .gitignore has the program's own lines
    large = moved(
        run(*tasks, trivial=True, green=True, touched=[*changed, "src/v1.2/c.py"]), document(*tasks)
    )
    assert (large.route, large.sets["trivial"]) == ("finished", False)


def test_used_up_attempts_stop_with_the_evidence() -> None:
    tasks = (task("T1", "REJECTED", 5), task("T2", "ACCEPTED", 1))
    found = moved(run(*tasks, evidence={"T1": ["a", "the last word"]}), document(*tasks))
    assert (found.route, found.stop) == ("exhausted", "attempts")
    assert found.reason == "T1 failed 5 attempts; T1: the last word"
    assert found.facts[-2]["event"] == "orchestrator.task.max_attempts"
    assert (found.facts[-1]["type"], found.facts[-1]["rule"]) == ("retry.exhausted", "max_attempts")


def test_a_person_who_sends_the_run_on_gives_them_anew() -> None:
    tasks = (task("T1", "REJECTED", 5), task("T2", "REJECTED", 2))
    found = moved(run(*tasks, forgiven=True, tries={"T1": 5, "T2": 2}), document(*tasks))
    assert found.route == "develop"
    assert statuses(found) == {"T1": ("PENDING", 1), "T2": ("REJECTED", 3)}
    assert found.sets["tries"] == {"T1": 6, "T2": 3}
    assert found.sets["forgiven"] is False


def test_a_sequential_task_that_only_parses_is_forgiven_like_any_other() -> None:
    tasks = (task("T1", "SYNTAX_VALID", 5, parallel_group="A"),)
    text = document(
        *tasks, execution_order=[{"group": "A", "strategy": "sequential", "tasks": ["T1"]}]
    )
    assert moved(run(*tasks), text).route == "exhausted"
    assert moved(run(*tasks, forgiven=True), text).route == "develop"


# -- a person's edits


def test_a_persons_word_about_a_task_counts_before_what_its_agent_said() -> None:
    found = moved(
        run(task("T1", attempt=1), results={"T1": {"status": "REJECTED"}}),
        document(task("T1", "ACCEPTED", 1)),
    )
    assert statuses(found) == {"T1": ("ACCEPTED", 1)}
    assert found.facts[0] == {
        "type": "ticket.edited",
        "path": WHERE,
        "changes": ["T1 is ACCEPTED, was PENDING"],
    }


def test_edits_are_told_in_words() -> None:
    text = document(task("T1", attempt=3), task("T3"))
    found = moved(run(task("T1"), task("T2")), text)
    assert found.facts[0]["changes"] == ["T3 is new", "T2 is gone", "T1 has attempt 3, had 0"]


def test_an_attempt_that_a_person_sets_back_does_not_make_an_old_key_new() -> None:
    found = moved(
        run(task("T1", "REJECTED", 3), tries={"T1": 3}), document(task("T1", "REJECTED", 0))
    )
    assert statuses(found) == {"T1": ("REJECTED", 1)}
    assert found.sets["tries"] == {"T1": 4}


@pytest.mark.parametrize(
    "text", [None, "", "tasks: [", "tasks: []\n", document(task("T1")).replace("PENDING", "FINE")]
)
def test_a_file_that_cannot_be_used_is_a_persons_to_mend(text: str | None) -> None:
    found = moved(run(task("T1")), text)
    assert (found.route, found.stop, dict(found.writes)) == ("invalid", "tasks", {})
    assert found.reason


def test_after_a_rewind_the_file_says_again_what_it_said() -> None:
    before = {"T1": ["PENDING", 1], "T2": ["PENDING", 0]}
    now = document(task("T1", "ACCEPTED", 3), task("T2", "ACCEPTED", 1, depends_on=["T1"]))
    at = run(restore=before, results={"T1": {"status": "SYNTAX_VALID"}})
    at.tasks = before
    found = moved(at, now)
    assert statuses(found) == {"T1": ("SYNTAX_VALID", 1), "T2": ("PENDING", 0)}
    assert found.route == "validate"
    assert not [each for each in found.facts if each["type"] == "ticket.edited"]


def test_comments_and_order_of_the_file_stay() -> None:
    text = "# mine\n" + document(task("T1")).replace(
        'status: "PENDING"', 'status: "PENDING"  # soon'
    )
    found = moved(run(task("T1")), text).writes[WHERE]
    assert found.startswith("# mine\n")
    assert '"PENDING"  # soon' in found


# -- validation


def test_one_failure_rejects_the_whole_group_with_the_output() -> None:
    found = validated(
        run(batch=["T1", "T2"]),
        {},
        [evidence(), evidence("failed", exit=2, output="line 1\nFAILED a")],
    )
    assert (found.route, found.sets["green"]) == ("fail", False)
    for each in ("T1", "T2"):
        assert found.sets["results"][each] == {
            "status": "REJECTED",
            "evidence": ["test: failed (exit 2) (`make test`)\nline 1\nFAILED a"],
        }
    assert found.reason == "test: failed (exit 2)"


@pytest.mark.parametrize(
    ("records", "status", "green"),
    [
        ([evidence()], "ACCEPTED", True),
        ([evidence(), evidence("failed")], "REJECTED", False),
        ([evidence("not_run")], "REJECTED", False),
        ([evidence("not_run", waived="Ada")], "ACCEPTED", False),
        ([evidence(), evidence("not_run", waived="Ada")], "ACCEPTED", False),
        ([], "ACCEPTED", False),
    ],
)
def test_only_what_the_program_saw_pass_is_green(
    records: list[dict[str, Any]], status: str, green: bool
) -> None:
    found = validated(run(batch=["T1"]), {}, records)
    assert (found.sets["results"]["T1"]["status"], found.sets["green"]) == (status, green)


def test_a_folder_is_quoted_for_the_shell() -> None:
    assert inside("a b'c", "make") == "cd 'a b'\"'\"'c' && make"
    assert inside("", "make") == "make"


# -- the fast path


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({}, ""),
        (
            {"test_command": ""},
            "nothing shows that the work holds: no build or test command is known",
        ),
        (
            {"mandates": [{"mandate": "MUST use Playwright", "assigned_agent": "developer"}]},
            "a tool mandate needs a running program: MUST use Playwright",
        ),
        ({"mandates": [{"mandate": "Use Playwright to inspect", "assigned_agent": "planner"}]}, ""),
    ],
)
def test_who_needs_the_reviewer(members: dict[str, Any], why: str) -> None:
    assert not_trivial(run(**members), tasks_document.read(document(task("T1")))) == why


def test_a_graph_that_is_trivial_no_more_has_its_reviewer() -> None:
    tasks = (task("T1", "ACCEPTED", 1), task("T2", "ACCEPTED", 1))
    found = moved(run(*tasks, trivial=True, green=True), document(*tasks))
    assert (found.route, found.sets["trivial"]) == ("finished", False)


# -- numbers


def test_the_progress_line_is_told_where_it_says_something_new() -> None:
    tasks = (task("T1", "ACCEPTED", 1), task("T2", depends_on=["T1"]))
    found = moved(run(*tasks, group="A", group_began="2026-03-01T11:58:00Z"), document(*tasks))
    (line,) = [each["text"] for each in found.facts if each["type"] == "ticket.progress"]
    assert line == "Progress: 47% | Completed: 1/2 tasks | ETA: ~2 min remaining"
    assert found.sets["minutes"] == {"A": 2}
    again = moved(
        run(*tasks, metrics=found.sets["metrics"], minutes={"A": 2.0}, group="B", group_began="x"),
        document(*tasks),
    )
    assert not [each for each in again.facts if each["type"] == "ticket.progress"]
