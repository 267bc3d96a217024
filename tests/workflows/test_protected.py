"""Every workflow keeps its agents from the rules and the state of all of them."""

from __future__ import annotations

import pytest
from tests.workflows.test_harness_contracts import contract as stage

from podium.core.globs import matches
from podium.workflows.feature import contracts as feature
from podium.workflows.governed import contracts as governed
from podium.workflows.protected import PROTECTED
from podium.workflows.roadmap import contracts as roadmap
from podium.workflows.ticket import contracts as ticket

LISTS = {
    "harness": stage("build").protected,
    "feature": feature.PROTECTED,
    "ticket": ticket.PROTECTED,
    "roadmap": roadmap.protected("other.json"),
    "governed": governed.PROTECTED,
}
STATE = (
    "podium.toml",
    "sub/podium.toml",
    ".podium/roles/x.md",
    "sub/.podium",
    ".git/config",
    ".claude/agents/x.md",
    "governance/runtime-policy.json",
    "harness/run-state.md",
    "harness/tasks/T001.md",
    "harness/stages.toml",
    "roadmap.json",
    "prompts/PROJ-1/progress.yaml",
    "prompts/PROJ-1/iteration_0/tasks.yaml",
    "docs/docs_cache_state.yaml",
    "docs/feature/words/memory.md",
    "memories/repo.jsonl",
)


@pytest.mark.parametrize("workflow", LISTS)
@pytest.mark.parametrize("path", STATE)
def test_no_agent_changes_state_or_rules_of_any_workflow(workflow: str, path: str) -> None:
    assert matches(path, LISTS[workflow])


@pytest.mark.parametrize(
    "path",
    [
        "src/app.py",
        "prompts/system.md",
        "docs/guide.md",
        "docs/feature/words.md",
        "harness/run.py",
        "podium/toml.py",
    ],
)
def test_what_only_looks_alike_is_free(path: str) -> None:
    assert not matches(path, PROTECTED)
