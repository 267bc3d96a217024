"""What each agent of an item is told, may see and may change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from podium.core.contract import Contract, Output
from podium.core.effects import Report
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.core.workflow import About
from podium.workflows.protected import GUARDED, PROTECTED
from podium.workflows.roadmap import bundles, judging
from podium.workflows.roadmap.adr import check_adr, compose_adr
from podium.workflows.roadmap.reporting import harmless
from podium.workflows.roadmap.runs import ItemRun

TESTS = (
    "tests/**",
    "test/**",
    "**/tests/**",
    "**/test/**",
    "**/__tests__/**",
    "spec/**",
    "**/spec/**",
    "e2e/**",
    "**/test_*",
    "**/*_test.*",
    "**/*.test.*",
    "**/*.spec.*",
    "**/*Test.*",
    "**/*Tests.*",
    "**/conftest.py",
)
"""Where Testing may write; production code belongs to Implement."""
DIALECTS = {
    "validate": "roadmap-validation",
    "testing": "roadmap-testing",
    "review": "roadmap-review",
}
STEPS = {"architect": "architect-design", "validate": "architect-validate"}
"""Steps to their names in the context table, where the two differ."""


def protected(file: str) -> tuple[str, ...]:
    """Only the loop writes the roadmap."""
    return tuple(dict.fromkeys([file, *PROTECTED]))


def guarded(file: str) -> tuple[str, ...]:
    """What is watched in the project while an agent works."""
    return (file, *GUARDED)


def contract(step: str, run: Run) -> Contract:
    assert isinstance(run, ItemRun)
    role = "architect" if step == "validate" else step
    bare = Contract(
        role=role,
        code="write" if step in {"implement", "testing"} else "read",
        writable=TESTS if step == "testing" else (),
        protected=protected(run.file),
        hidden=(".podium/**",),
        dialect=DIALECTS.get(step, "roadmap"),
        proof_of_change="standing" if step == "implement" else "none",
        told=_told(step, run),
        context=bundles.context(STEPS.get(step, step), _given(run)),
    )
    if step != "architect":
        return bare
    adr = Output(
        "adr",
        "docs/adr/*.md",
        many=True,
        optional=True,
        example=f"docs/adr/ADR-{run.id}.md",
        check=lambda text, _template: check_adr(text),
        compose=compose_adr,
    )
    return replace(bare, outputs=(adr,))


def _given(run: ItemRun) -> dict[str, Any]:
    return {
        "research_found": run.research_found,
        "planning_research": run.planning_research,
        "design": run.design,
        "implemented": run.implemented,
        "tested": run.tested,
        "failures": run.failures,
        "narrowed": run.research == "narrowed",
        "verification": run.verification,
    }


def _told(step: str, run: ItemRun) -> tuple[str, ...]:
    mode = {
        "architect": (
            (
                "Mode: design. Decide how this item is built; change nothing but one record under "
                "docs/adr/."
            ),
        ),
        "validate": ("Mode: validate. Compare the code with the design; change nothing.",),
    }.get(step, ())
    if step != "implement" or not run.failures:
        return mode
    files = [each["path"] for each in run.implemented]
    number = max(run.retries, 1)
    lines = bundles.retry_lines(number, max(number, run.max_retries), run.failures, files)
    # After a person sent the item on, this is not a retry: the agent hears what went wrong, not how
    # many tries are
    # left.
    return (*mode, *(lines if run.retries else lines[1:]))


def about(run: ItemRun) -> About:
    facts = {
        "id": run.id,
        "title": run.title,
        "complexity": run.complexity,
        "acceptanceCriteria": run.criteria,
        "verification": run.verification,
        "dependencies": run.dependencies,
    }
    notes = (run.note,) if run.note else ()
    return About("\n".join([*bundles.item_lines(facts), bundles.SKILLS]), {"Item": run.id}, notes)


def judge(step: str, minor_fixes: str = "fail") -> Callable[[Report], Judgement]:
    """The step's judge; it also keeps what the step changed, for the item's commit."""
    known: dict[str, Callable[[Report], Judgement]] = {
        "implement": judging.judge_implement,
        "validate": judging.judge_validation,
        "testing": judging.judge_testing,
        "review": judging.judge_review(minor_fixes),
        "research": judging.judge_research,
        "architect": judging.judge_design,
    }

    def judged(report: Report) -> Judgement:
        found = known[step](report)
        sets = dict(found.sets)
        if step == "implement" and isinstance(report.run, ItemRun):
            sets["implemented"] = _joined(report.run.implemented, sets["implemented"])
        sets["arrived"] = sorted(
            {*report.changed, *(name for name in report.outputs if "/" in name)}
        )
        # The reason is printed while the loop runs: an agent's words must not look like the line
        # that reports
        # completion.
        return replace(found, reason=harmless(found.reason), sets=sets)

    return judged


def _joined(
    before: Sequence[Mapping[str, str]], now: Sequence[Mapping[str, str]]
) -> list[dict[str, str]]:
    """The files of all attempts, each with the latest note on it: a fix of one file does not
    drop the others.
    """
    found = {each["path"]: dict(each) for each in before}
    for each in now:
        found[each["path"]] = {
            **each,
            "note": each["note"] or found.get(each["path"], {}).get("note", ""),
        }
    return [found[path] for path in sorted(found)]
