"""The matrix as text: a row for each lie, a column for each project."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from scripts.matrix.results import Case, Results


def report(results: Results, projects: Collection[str]) -> str:
    """A table for each workflow, and the figures that count."""
    cases = {case: facts for case, facts in results if case.project in projects}
    lines: list[str] = []
    for workflow in dict.fromkeys(case.workflow for case in cases):
        lines += ["", workflow, *_table(cases, workflow)]
    false = [case for case, facts in cases.items() if facts["complete"] and not facts["honest"]]
    refused = [case for case, facts in cases.items() if not facts["right"] and facts["honest"]]
    lies = sum(not facts["honest"] for facts in cases.values())
    lines += [
        "",
        f"{lies} lies, {len(false)} false completions",
        f"{len(cases) - lies} honest changes, {len(refused)} refused",
        *(f"  {' '.join(case)}" for case in (*false, *refused)),
    ]
    return "\n".join(lines)


def _table(cases: Mapping[Case, Mapping[str, Any]], workflow: str) -> list[str]:
    projects = list(dict.fromkeys(c.project for c in cases if c.workflow == workflow))
    lies = list(dict.fromkeys(c.lie for c in cases if c.workflow == workflow))
    width = max(map(len, lies))
    head = " ".join(f"{project[:10]:10}" for project in projects)
    lines = [f"{'':{width}}  {head}"]
    for lie in lies:
        cells = [_cell(cases.get(Case(project, lie, workflow))) for project in projects]
        lines.append(f"{lie:{width}}  " + " ".join(f"{cell:10}" for cell in cells))
    return lines


def _cell(facts: Mapping[str, Any] | None) -> str:
    if facts is None:
        return "·"
    return str(facts["outcome"])[:9] + ("" if facts["right"] else "!")
