"""What happens to the memory at which step of a run: added to, pruned, invalidated, cleaned.
None of it can block.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.formats.markdown import scan
from podium.workflows.feature.memory import memory
from podium.workflows.feature.memory.memory import Memory, TaskResult
from podium.workflows.feature.run import FeatureRun

PHASES = ("0", "1", "2", "3", "4", "5", "6", "7")


def known(run: FeatureRun) -> Memory:
    return memory.from_data(run.memory) if run.memory else memory.initial()


def keep(run: FeatureRun, found: Memory) -> None:
    run.memory = memory.to_data(found)


def taken_in(
    run: FeatureRun,
    agent: str,
    step: str,
    path: str,
    document: str,
    text: str | None,
    said: str = "",
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The memory's data after an agent that works alone, and warnings.

    Its additions are merged, its artifact is recorded, and entries that were already invalid are
    removed. `text` is memory.md as the agent left it, None if it did not touch the file; `said` is
    its own summary.
    """
    before = known(run)
    after, warnings = (before, ()) if text is None else memory.accepted(before, text, agent, step)
    if not memory.wrote(before, after, agent):
        warnings = (*warnings, f"{agent} (step {step}) added nothing to the memory")
    made = memory.recorded(after, agent, step, path, said, sections_of(document))
    return memory.to_data(memory.cleaned(made)), warnings


def judged(
    run: FeatureRun, agent: str, step: str, path: str, document: str, said: str
) -> dict[str, Any]:
    """The memory's data after code judged a cluster and wrote its document."""
    return memory.to_data(
        memory.recorded(known(run), agent, step, path, said, sections_of(document))
    )


def sections_of(document: str) -> list[str]:
    """What a document is about, according to its headings."""
    return [each.title for each in scan(document).headings if each.level == 2]


def prune(run: FeatureRun, phase: str) -> None:
    keep(run, memory.pruned(known(run), phase, PHASES))


def invalidate(run: FeatureRun, agents: str, reason: str) -> None:
    keep(run, memory.invalidated(known(run), agents, reason))


def lessons(run: FeatureRun, results: Mapping[str, Mapping[str, Any]]) -> None:
    """Between waves: add what the tasks taught."""
    found = [
        TaskResult(
            task=name,
            agent=str(run.tasks[name]["agent"]),
            step="5",
            status=str(each["status"]),
            summary=str(each["summary"]),
            text=str(each["said"]),
            path=_document(each),
        )
        for name, each in results.items()
        if name in run.tasks
    ]
    keep(run, memory.lessons_from(known(run), found))


def _document(result: Mapping[str, Any]) -> str:
    return next(
        (str(path) for path in result["changed"] if str(path).endswith((".md", ".rst", ".adoc"))),
        "",
    )
