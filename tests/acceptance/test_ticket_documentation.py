"""The project's three documents: whether they can be trusted, who writes them, and what is
remembered of them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from tests.fakes.repository import git
from tests.fakes.ticket import TicketProject, planned, rejected, task

DOCS = ("docs/ARCHITECTURE.md", "docs/CODE_STYLE.md", "docs/FINDINGS.md")
CACHE = "docs/docs_cache_state.yaml"
INITIALIZER = "iteration/0/plan/initializer"
WRITES = {"write": {path: f"# {path}\n" for path in DOCS}, "say": "DONE: written"}
TWO = planned(task(1), task(2))


@pytest.fixture
def project(tmp_path: Path) -> TicketProject:
    return TicketProject.at(tmp_path)


def md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


def trusted(project: TicketProject) -> None:
    """Three documents and a cache that vouches for them."""
    texts = {path: f"# {path}\n" for path in DOCS}
    for path, text in texts.items():
        project.write(path, text)
    lines = "".join(sorted(f"{path}:{md5(text)}\n" for path, text in texts.items()))
    hashes = "".join(f'  {path}: "{md5(text)}"\n' for path, text in texts.items())
    project.write(
        CACHE,
        (
            'trust_status: "trusted"\nrefresh_required: false\nworkspace_fingerprint: '
            f'"{md5(lines)}"\nhashes:\n{hashes}'
        ),
    )
    git(project.root, "add", "-A")
    git(project.root, "commit", "-q", "-m", "Documents")


def test_without_documents_the_initializer_works_beside_the_planner(project: TicketProject) -> None:
    slow = {"planner": [{**TWO, "sleep": 0.1}], "initializer": [{**WRITES, "sleep": 0.1}]}
    assert project.run(slow).exit_code == 0
    types = [
        (each["type"], each["key"])
        for each in project.events()
        if each.get("key", "").startswith("iteration/0/plan/") and each["type"].startswith("step.")
    ]
    assert [kind for kind, _ in types[:2]] == ["step.started", "step.started"]
    assert project.progress["startup"]["docs_state"] == {
        "architecture_exists": False,
        "code_style_exists": False,
        "findings_exists": False,
        "docs_trusted_for_planning": False,
        "refresh_required": True,
    }


def test_documents_that_can_be_trusted_need_no_initializer(project: TicketProject) -> None:
    trusted(project)
    assert project.run({"planner": [TWO]}).exit_code == 0
    assert project.asked("initializer") == []
    assert (project.progress["docs_trusted_for_planning"], project.progress["trust_status"]) == (
        True,
        "trusted",
    )
    inputs = project.events("step.started", key="iteration/0/plan/planner")[0]["inputs"]
    assert set(DOCS) <= set(inputs)


@pytest.mark.parametrize("path", DOCS)
def test_a_document_that_changed_since_is_stale_and_named_to_the_initializer(
    project: TicketProject, path: str
) -> None:
    trusted(project)
    project.write(path, "# changed\n")
    git(project.root, "commit", "-qam", "changed")
    assert project.run({"planner": [TWO]}).exit_code == 0
    assert project.progress["startup"]["docs_state"]["refresh_required"] is True
    assert project.asked("initializer") == [INITIALIZER, "refresh"]
    assert f"Refresh only: {path}." in project.prompt(INITIALIZER)


def test_at_the_end_they_are_refreshed_committed_and_remembered(project: TicketProject) -> None:
    assert (
        project.run(
            {
                "planner": [TWO],
                "initializer": [WRITES, {"append": {DOCS[0]: "more\n"}, "say": "DONE: refreshed"}],
            }
        ).exit_code
        == 0
    )
    assert project.asked("initializer") == [INITIALIZER, "refresh"]
    assert project.subjects("main..HEAD") == [
        "docs(PROJ-12): refresh the documentation",
        "feat(PROJ-12): add a function that counts words",
    ]
    assert project.committed() == sorted(DOCS)
    assert project.dirty() == []
    cache = project.yaml(CACHE)
    texts = {path: project.text(path) for path in DOCS}
    assert cache["hashes"] == {path: md5(text) for path, text in texts.items()}
    assert cache["workspace_fingerprint"] == md5(
        "".join(sorted(f"{path}:{md5(text)}\n" for path, text in texts.items()))
    )
    assert (cache["trust_status"], cache["refresh_required"]) == ("trusted", False)
    assert project.logged()[-1] == "docs.refresh"
    second = TicketProject(project.root, project.home, project.clock)
    assert (
        second.run({"planner": [TWO]}, task="PROJ-13 fix the value", run_id="PROJ-13-1").exit_code
        == 0
    )
    assert second.asked("initializer") == []


def test_the_cache_is_never_committed(project: TicketProject) -> None:
    project.run({"planner": [TWO], "initializer": [WRITES]})
    assert CACHE not in git(project.root, "ls-tree", "-r", "--name-only", "HEAD").split()
    assert project.path(CACHE).exists()


def test_an_initializer_that_fails_keeps_nobody_from_the_work(project: TicketProject) -> None:
    assert project.run({"planner": [TWO], "initializer": [{"fail": "crash"}]}).exit_code == 0
    assert not project.path(CACHE).exists()
    assert project.subjects("main..HEAD") == ["feat(PROJ-12): add a function that counts words"]


def test_the_initializer_cannot_touch_code(project: TicketProject) -> None:
    strays = {**WRITES, "append": {"src/app.py": "# mine\n"}}
    project.run({"planner": [TWO], "initializer": [strays]})
    assert project.text("src/app.py") == "VALUE = 1\n"
    assert "src/app.py" not in git(project.root, "diff", "--name-only", "main", "HEAD")


def test_the_initializer_runs_beside_the_first_plan_only(project: TicketProject) -> None:
    project.run({"planner": [TWO], "reviewer": [rejected(), {"behave": "well"}]})
    assert project.asked("initializer") == [INITIALIZER, "refresh"]


def test_a_change_of_the_layout_refreshes_documents_that_were_trusted(
    project: TicketProject,
) -> None:
    trusted(project)
    assert project.run({"planner": [planned(task(1), task(2, "Makefile"))]}).exit_code == 0
    assert project.asked("initializer") == ["refresh"]


def test_documents_of_the_run_are_no_dirt_at_the_git_gate(project: TicketProject) -> None:
    assert project.run({"planner": [TWO], "initializer": [WRITES]}, until="git-look").exit_code == 0
    assert project.event("step.finished", key="git-look/1")["verdict"] == "create"
