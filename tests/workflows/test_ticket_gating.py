"""The git gate in a run: whose changes they are, what is asked with which words, and what counts
as passed.
"""

from __future__ import annotations

from typing import Any

import pytest

from podium.workflows.ticket.gating import SHOWN, claimed, facts_of, look, moved
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.tasks.compose import compose

BRANCH = "feature/PROJ-1_count_some_words"
TASKS = "prompts/PROJ-1/iteration_0/tasks.yaml"


def run(**members: Any) -> TicketRun:
    return TicketRun(step="git_look", jira="PROJ-1", branch=BRANCH, **members)


def checkout(*changes: str, **facts: Any) -> list[dict[str, Any]]:
    seen = {
        "repository": True,
        "branch": "main",
        "default": "main",
        "changes": list(changes),
        "head": "abc",
    }
    return [{"name": "checkout", "passed": True, **seen, **facts}]


def test_what_the_run_wrote_itself_is_no_persons_change() -> None:
    at = run(touched=["src/a.py"], refreshed=["docs/FINDINGS.md"])
    found = facts_of(
        at,
        checkout(
            "src/a.py", "docs/FINDINGS.md", "prompts/PROJ-1/tasks.yaml", ".podium/x", "src/mine.py"
        ),
    )
    assert found.changes == ("src/mine.py",)


def test_a_gitignore_that_the_person_changed_is_theirs() -> None:
    assert facts_of(run(), checkout(".gitignore")).changes == (".gitignore",)
    assert facts_of(run(touched=[".gitignore"]), checkout(".gitignore")).changes == ()


def test_a_clean_tree_goes_on_with_a_branch_of_its_own() -> None:
    found = look(run(), {}, checkout())
    assert (found.route, found.sets["actions"], found.sets["give_back"]) == (
        "go",
        ["create"],
        False,
    )
    assert found.facts[0]["event"] == "orchestrator.git.gate.start"


def test_a_question_names_the_files_and_not_more_than_fit() -> None:
    paths = [f"src/{n:02}.py" for n in range(SHOWN + 3)]
    found = look(run(), {}, checkout(*paths))
    assert found.route == "ask_dirty"
    assert found.sets["question"].startswith("Changed: src/00.py, ")
    assert found.sets["question"].endswith("and 3 more.")


def test_the_question_about_a_branch_names_it() -> None:
    found = look(run(), {}, checkout(target_exists=True))
    assert (found.route, found.sets["question"]) == ("ask_branch", f"Branch {BRANCH}.")


@pytest.mark.parametrize(
    ("answer", "actions", "give_back"),
    [
        ("stash", ["stash", "create"], True),
        ("commit", ["create", "commit"], False),
        ("carry", ["create"], False),
    ],
)
def test_the_persons_answer_is_done(answer: str, actions: list[str], give_back: bool) -> None:
    found = look(run(answers={"dirty": answer}), {}, checkout("src/mine.py"))
    assert (found.route, found.sets["actions"], found.sets["give_back"]) == (
        "go",
        actions,
        give_back,
    )


def test_an_aborted_run_is_refused() -> None:
    found = look(run(answers={"dirty": "abort"}), {}, checkout("src/mine.py"))
    assert (found.route, found.stop) == ("refused", "git")


def test_warnings_are_told_once() -> None:
    found = look(run(), {}, checkout(branch="develop"))
    assert [each["text"] for each in found.facts[1:]] == [
        f"{BRANCH} begins at develop, not at main"
    ]
    assert (
        look(run(warnings=found.sets["warnings"]), {}, checkout(branch="develop")).facts[1:] == ()
    )


def test_a_checkout_that_is_elsewhere_afterwards_is_refused() -> None:
    found = moved(run(), {".gitignore": None}, checkout())
    assert (found.route, found.stop) == ("refused", "git")
    assert "is on main, not on feature/" in found.reason


def test_the_gate_writes_the_two_lines_once_and_remembers_that_it_did() -> None:
    found = moved(run(), {".gitignore": "*.log\n"}, checkout(branch=BRANCH))
    assert found.writes == {".gitignore": "*.log\nprompts/\ndocs/docs_cache_state.yaml\n"}
    assert found.sets["touched"] == [".gitignore"]
    again = moved(run(), {".gitignore": found.writes[".gitignore"]}, checkout(branch=BRANCH))
    assert (dict(again.writes), again.sets["touched"]) == ({}, [])


def test_a_run_that_goes_on_from_its_files_claims_what_its_tasks_made_on_its_branch() -> None:
    done = {"id": "T1", "files_to_modify": ["src/a.py"], "status": "ACCEPTED", "attempt": 1}
    text = compose({"tasks": [done, {"id": "T2", "files_to_modify": ["src/b.py"]}]}, "", {})
    on_branch = checkout("src/a.py", "src/b.py", "src/mine.py", branch=BRANCH)
    assert claimed(run(was_gated=True), {TASKS: text}, on_branch) == ("src/a.py",)
    assert claimed(run(was_gated=True), {TASKS: text}, checkout("src/a.py")) == ()
    assert claimed(run(), {TASKS: text}, on_branch) == ()
    assert claimed(run(was_gated=True), {TASKS: "tasks: ["}, on_branch) == ()
