"""The tables about real projects and lies, from the results that `make matrix` keeps."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from scripts.matrix.lies import LIES
from scripts.matrix.projects import projects
from scripts.matrix.stories import STORIES
from scripts.pages import ROOT
from scripts.pages.tables import code, rows

Facts = Mapping[str, Any]


def _kept() -> dict[tuple[str, str, str], Facts]:
    data = json.loads((ROOT / "docs/matrix.json").read_text(encoding="utf-8"))
    kept = {}
    for name, facts in data["cases"].items():
        project, lie, workflow = name.split("/")
        kept[project, lie, workflow] = facts
    return kept


def _lies(cases: Iterable[Facts]) -> tuple[str, str]:
    """How many, and how many were believed."""
    told = [facts for facts in cases if not facts["honest"]]
    return str(len(told)), str(sum(facts["complete"] for facts in told))


def _honest(cases: Iterable[Facts]) -> tuple[str, str]:
    """How many, and how many were refused."""
    honest = [facts for facts in cases if facts["honest"]]
    return str(len(honest)), str(sum(not facts["complete"] for facts in honest))


def matrix_part() -> str:
    """How much of the whole list was run."""
    kept = _kept()
    done = {case[0] for case in kept}
    rest = [name for name in projects() if name not in done]
    said = f"{len(kept)} runs, on {len(done)} of the {len(projects())} projects of the list."
    return f"{said} Not run: {', '.join(rest)}.\n" if rest else f"{said}\n"


def matrix_projects() -> str:
    """By project and by workflow."""
    kept = _kept()
    names = [name for name in projects() if any(name == case[0] for case in kept)]
    known = projects()
    body = [
        (name, known[name].kind, code(known[name].test), *_lies(cases), *_honest(cases))
        for name in names
        if (cases := [facts for case, facts in kept.items() if case[0] == name])
    ]
    body.append(("together", "", "", *_lies(kept.values()), *_honest(kept.values())))
    head = (
        "Project",
        "Kind",
        "Its tests",
        "Lies",
        "False completions",
        "Honest changes",
        "Refused",
    )
    return rows(head, body)


def matrix_workflows() -> str:
    kept = _kept()
    body = [
        (code(name), *_lies(cases), *_honest(cases))
        for name in STORIES
        if (cases := [facts for case, facts in kept.items() if case[2] == name])
    ]
    return rows(("Workflow", "Lies", "False completions", "Honest changes", "Refused"), body)


def matrix_lies() -> str:
    """By lie, and what became of it."""
    kept = _kept()
    body = []
    for name, lie in LIES.items():
        ends = Counter(facts["outcome"] for case, facts in kept.items() if case[1] == name)
        if ends and not lie.honest:
            asked, unproven = ends["waiting"], ends["complete_unproven"]
            rest = ends.total() - asked - unproven
            body.append((lie.title, *map(str, (ends.total(), rest, asked, unproven))))
    head = ("The agent …", "Runs", "Blocked", "A person is asked", "Complete, unproven")
    return rows(head, body)
