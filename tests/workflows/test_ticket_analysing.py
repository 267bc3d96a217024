"""Startup without agents: what is found out, what is written, and when an agent must be asked
after all.
"""

from __future__ import annotations

from typing import Any

import pytest

from podium.core.digest import digest
from podium.core.verdict import Judgement
from podium.workflows.ticket.analysing import analyse, begin, prompted
from podium.workflows.ticket.docs_cache import cache_text
from podium.workflows.ticket.legacy import MIXED
from podium.workflows.ticket.request.naming import DOCS, DOCS_CACHE
from podium.workflows.ticket.run import TicketRun

NOW = "2026-03-01T12:00:00+00:00"
POLICY = {"max_parallel_tasks": 0}
PYTHON = {
    "pyproject.toml": "[project]\nname = 'x'\n[tool.pytest.ini_options]\n",
    "tests/test_a.py": "",
}
PROMPT = "prompts/PROJ-1/prompt.yaml"


def run(text: str = "add a function that counts words", **members: Any) -> TicketRun:
    return TicketRun(step="analyse", jira="PROJ-1", text=text, original=f"PROJ-1 {text}", **members)


def told(
    files: dict[str, str], *, cores: int | None = 4, below: tuple[str, ...] = (), **settings: str
) -> list[dict[str, Any]]:
    return [
        {"name": "clock", "now": NOW},
        {"name": "head", "commit": "abc"},
        {"name": "below", "files": list(below)},
        {"name": "survey", "files": sorted(files), "texts": files, "cores": cores},
        {"name": "settings", **settings},
    ]


def look(
    at: TicketRun,
    files: dict[str, str] | None = None,
    policy: dict[str, int] = POLICY,
    texts: dict[str, str] | None = None,
    **more: Any,
) -> Judgement:
    return analyse(
        at, dict.fromkeys((*DOCS, DOCS_CACHE)) | (texts or {}), told(files or {}, **more), policy
    )


def test_a_clear_request_is_written_down_at_once() -> None:
    found = look(run())
    assert (found.route, list(found.writes)) == ("clear", [PROMPT])
    assert 'jira: "PROJ-1"' in found.writes[PROMPT]
    assert (found.sets["created_at"], found.sets["head"]) == ("2026-03-01T12:00:00Z", "abc")
    assert [each["event"] for each in found.facts] == [
        "orchestrator.startup.analysis.start",
        "orchestrator.startup.analysis.complete",
        "orchestrator.start",
    ]


def test_an_ambiguous_one_says_why_and_writes_nothing() -> None:
    found = look(run("maybe do something"))
    assert (found.route, dict(found.writes)) == ("ambiguous", {})
    assert found.sets["unclear"]
    assert "vague" in found.reason


def test_commands_are_detected_with_the_reason() -> None:
    found = look(run(), PYTHON)
    assert found.sets["test_command"]
    assert "pyproject.toml" in found.facts[1]["message"]


def test_settings_win_over_what_is_detected() -> None:
    found = look(run(), PYTHON, test="make check")
    assert (found.sets["test_command"], found.sets["directory"]) == ("make check", "")
    assert "test from the settings" in found.facts[1]["message"]


def test_a_monorepo_takes_the_project_nearest_to_the_likely_files() -> None:
    files = {
        "web/package.json": '{"scripts": {"test": "vitest"}}',
        "api/go.mod": "module api\n",
        "api/words.go": "package api\n",
    }
    found = look(run("fix the counter in api/words.go"), files)
    assert (found.sets["directory"], found.sets["test_command"]) == ("api", "go test ./...")


@pytest.mark.parametrize(
    ("cores", "limit", "parallel"), [(4, 0, 4), (None, 0, 2), (0, 0, 2), (2, 8, 8), (8, 3, 3)]
)
def test_how_many_run_at_once(cores: int | None, limit: int, parallel: int) -> None:
    assert (
        look(run(), policy={"max_parallel_tasks": limit}, cores=cores).sets["parallel"] == parallel
    )


def test_documents_are_trusted_only_with_their_cache() -> None:
    texts = {path: f"# {path}\n" for path in DOCS}
    assert look(run(), texts=texts).sets["docs_trusted"] is False
    cache = cache_text(texts, "2026-03-01T12:00:00Z")
    found = look(run(), texts={**texts, DOCS_CACHE: cache}).sets
    assert (found["docs_trusted"], found["trust_status"], found["docs_due"]) == (
        True,
        "trusted",
        [],
    )
    assert found["docs"] == {
        "architecture_exists": True,
        "code_style_exists": True,
        "findings_exists": True,
        "docs_trusted_for_planning": True,
        "refresh_required": False,
    }
    stale = look(run(), texts={**texts, DOCS[1]: "# other\n", DOCS_CACHE: cache}).sets
    assert (stale["trust_status"], stale["docs_due"]) == ("stale", [DOCS[1]])


def test_legacy_artifacts_stop_with_the_exact_words() -> None:
    found = look(
        run(), below=("prompts/PROJ-1/task_packets/T1.yaml", "prompts/PROJ-1/progress.yaml")
    )
    assert (found.route, found.stop) == ("legacy", "legacy")
    assert found.reason.startswith(MIXED)


def test_legacy_artifacts_alone_are_told_and_the_run_begins() -> None:
    found = look(run(), below=("prompts/PROJ-1/task_packets/T1.yaml",))
    assert (found.route, found.facts[0]["type"]) == ("clear", "ticket.warning")
    assert "task_packets/T1.yaml" in found.sets["warnings"][0]


def test_a_run_that_goes_on_from_its_files_keeps_what_they_say() -> None:
    found = look(
        run(resumes_at="O5", created_at="2026-01-01T00:00:00Z", test_command="mine"), PYTHON
    )
    assert (found.route, dict(found.writes)) == ("restored", {})
    assert "test_command" not in found.sets
    assert "parallel" not in found.sets
    assert found.sets["created_at"] == "2026-01-01T00:00:00Z"
    assert found.facts[-1]["event"] == "orchestrator.resume"


def test_the_prompt_names_branch_and_commit() -> None:
    text = look(run()).writes[PROMPT]
    found = prompted(run(created_at="2026-03-01T12:00:00Z"), {PROMPT: text}, [])
    assert found.sets["branch"] == "feature/PROJ-1_function_counts_words"
    assert found.sets["summary"] == "feat(PROJ-1): add a function that counts words"
    assert PROMPT not in found.writes


def test_the_folder_for_temporary_files_is_there_from_the_start() -> None:
    found = prompted(
        run(created_at="2026-03-01T12:00:00Z"), {PROMPT: look(run()).writes[PROMPT]}, []
    )
    assert [path.rpartition("/")[0] for path in found.writes] == ["prompts/PROJ-1/tmp"]


def test_what_only_the_program_knows_is_put_into_an_agents_prompt() -> None:
    text = (
        'jira: "PROJ-1"\ntype: "fix"\nslug: "a_b_c"\nrefined_prompt: "x"\nsuccess_criteria: ["y"]\n'
        'original_request: "made up"\n'
    )
    found = prompted(run(created_at="2026-03-01T12:00:00Z"), {PROMPT: text}, [])
    assert 'original_request: "PROJ-1 add a function that counts words"' in found.writes[PROMPT]
    assert "2026-03-01T12:00:00Z" in found.writes[PROMPT]


def test_an_iteration_begins_with_a_time_a_commit_and_what_lay_there() -> None:
    at = run(iteration=2)
    found = begin(
        at, {"prompts/PROJ-1/iteration_2/tasks.yaml": "old"}, told({}), {"max_iterations": 4}
    )
    known = {"iteration_began": "2026-03-01T12:00:00Z", "head": "abc", "leftover": digest("old")}
    assert found.sets == {**known, "max_iterations": 4}
    assert [(each["event"], each["iteration"]) for each in found.facts] == [
        ("orchestrator.iteration.start", 2),
        ("orchestrator.planner.pre_git_gate.start", 2),
    ]
    assert found.word == "iteration 3 of 4"
