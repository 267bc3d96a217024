"""The shortest good document of each shape, with the members of a scenario in their places.

| Documents | Members beside `title` and `sections: {heading: text}` |
|---|---|
| research | confidence_level, coverage_estimate, gaps |
| ct-*, r-quality, r-security, r-testing | findings: [{severity, title, what, where, tasks, …}] |
| ct-* | coverage: {requirement: word} |
| v-build | status, system, command, errors, warnings |
| v-tests | status, passed, failed, skipped, failing: [tests], cross_task |
| v-tasks | tasks: {id: status}, failing: [ids] |
| v-feature | criteria: {id: status}, regressions, readiness |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from podium.core.nearest import refuse_unknown
from podium.formats.field_lines import field_value, one_line
from podium.formats.outline import fold_title
from podium.workflows.feature.documents.shapes import CT_PARTS, R_PARTS, Kind, Shape

_MEMBERS: Mapping[Kind, tuple[str, ...]] = {
    "prose": (),
    "research": ("confidence_level", "coverage_estimate", "gaps"),
    "ct": ("findings", "coverage"),
    "review": ("findings",),
    "build": ("status", "system", "command", "errors", "warnings"),
    "tests": ("status", "passed", "failed", "skipped", "failing", "cross_task"),
    "tasks": ("status", "tasks", "failing"),
    "feature": ("status", "criteria", "regressions", "readiness"),
}
_FINDING: Mapping[str, str] = {
    "what": "What",
    "where": "Where",
    "why": "Why",
    "fix": "Suggested Fix",
    "tasks": "Affects Tasks",
    "likelihood": "Likelihood",
    "impact": "Impact",
    "assumption": "Assumption at risk",
}
_Blocks = dict[str, Sequence[str]]


def composed(
    shape: Shape, members: Mapping[str, Any], template: str, facts: Mapping[str, str]
) -> str:
    """The document; ValueError names an unknown member. The template is not used."""
    del template
    refuse_unknown(members, ("title", "sections", *_MEMBERS[shape.kind]), f"member of {shape.name}")
    subject = facts.get("Feature") or facts.get("Title") or facts.get("Task") or ""
    title = one_line(str(members.get("title") or " — ".join(filter(None, (shape.title, subject)))))
    given = {fold_title(name): str(text) for name, text in _mapping(members, "sections").items()}
    head, blocks = _WRITERS.get(shape.kind, _prose)(shape, members)
    lines = [f"# {title}", *([""] if head else []), *head]
    for heading in shape.headings:
        if heading == "Title" and fold_title(heading) not in given:
            continue
        said = given.pop(fold_title(heading), None)
        body = [said] if said is not None else blocks.get(heading, (f"{heading}: settled.",))
        lines += ["", f"## {heading}", "", *body]
    for name, text in _mapping(members, "sections").items():
        if fold_title(name) in given:
            lines += ["", f"## {one_line(name)}", "", str(text)]
    return "\n".join(lines) + "\n"


def _prose(shape: Shape, members: Mapping[str, Any]) -> tuple[Sequence[str], _Blocks]:
    del members
    nothing = {
        "Suggestions": ("None.",),
        "Rejected Suggestions": ("None.",),
        "Decisions Recorded": ("None.",),
    }
    return (), {name: nothing[name] for name in shape.headings if name in nothing}


def _research(shape: Shape, members: Mapping[str, Any]) -> tuple[Sequence[str], _Blocks]:
    default = {"confidence_level": "high", "coverage_estimate": "90%", "gaps": "none"}
    return (), {
        "Focus Area": (shape.name.rpartition("/")[2],),
        "Research Metadata": [
            f"- {key}: {_line(members.get(key, word))}" for key, word in default.items()
        ],
    }


def _ct(shape: Shape, members: Mapping[str, Any]) -> tuple[Sequence[str], _Blocks]:
    del shape
    coverage = _mapping(members, "coverage") or {"all": "covered"}
    rows = [f"| {_line(name)} | {_line(word)} |  |" for name, word in coverage.items()]
    return (), {
        "Findings": _findings(members, CT_PARTS),
        "Cross-Cutting Observations": ("None.",),
        "Requirement Coverage": ("| Requirement | Covered | Notes |", "|---|---|---|", *rows),
    }


def _review(shape: Shape, members: Mapping[str, Any]) -> tuple[Sequence[str], _Blocks]:
    del shape
    return (), {
        "Findings": _findings(members, R_PARTS),
        "Summary": ("Everything in scope was read.",),
    }


def _build(shape: Shape, members: Mapping[str, Any]) -> tuple[Sequence[str], _Blocks]:
    del shape
    status = _line(members.get("status", "PASS"))
    return (f"Status: {status}",), {
        "Build System": (_line(members.get("system", "make")),),
        "Build Command": (f"`{_line(members.get('command', 'make'))}`",),
        "Result": ("The command ended as the status says.",),
        "Errors": _items(members, "errors"),
        "Warnings": _items(members, "warnings"),
        "Artifacts": ("None.",),
        "Environment": ("As the program provides it.",),
    }


def _tests(shape: Shape, members: Mapping[str, Any]) -> tuple[Sequence[str], _Blocks]:
    del shape
    failing = _list(members, "failing")
    failed = int(members.get("failed", len(failing)))
    passed, skipped = int(members.get("passed", 1)), int(members.get("skipped", 0))
    cross = "Yes" if members.get("cross_task") in {True, "Yes", "yes"} else "No"
    details: list[str] = []
    for test in failing:
        details += [
            f"### {_line(test)}",
            "",
            "Error: it fails.  ",
            f"Cross-Task Integration Issue: {cross}",
            "",
        ]
    counts = {
        "Total": passed + failed + skipped,
        "Passed": passed,
        "Failed": failed,
        "Skipped": skipped,
    }
    return (f"Status: {_line(members.get('status', 'FAIL' if failed else 'PASS'))}",), {
        "Counts": [f"- {name}: {number}" for name, number in counts.items()],
        "Failing Test Details": details[:-1] or ("None.",),
    }


def _tasks(shape: Shape, members: Mapping[str, Any]) -> tuple[Sequence[str], _Blocks]:
    del shape
    failing = list(map(_line, _list(members, "failing")))
    tasks = {_line(name): _line(word) for name, word in _mapping(members, "tasks").items()}
    tasks |= {name: "failed" for name in failing if name not in tasks}
    failing += [name for name, word in tasks.items() if word == "failed" and name not in failing]
    rows = [f"| {name} | {word} |  |" for name, word in tasks.items()]
    table = ("| Task ID | Status | Notes |", "|---|---|---|", *rows)
    return _status(members), {
        "Tasks": table if rows else ("Every task: verified",),
        "Failing Task IDs": [f"- {name}" for name in failing] or ("None",),
    }


def _feature(shape: Shape, members: Mapping[str, Any]) -> tuple[Sequence[str], _Blocks]:
    del shape
    criteria = _mapping(members, "criteria") or {"all": "met"}
    rows = [f"| {_line(name)} | {_line(word)} |  |" for name, word in criteria.items()]
    met = all(str(word).casefold() == "met" for word in criteria.values())
    return _status(members), {
        "Acceptance Criteria": ("| Criterion | Status | Evidence |", "|---|---|---|", *rows),
        "Regressions": (f"Regressions: {_line(members.get('regressions', 'none'))}",),
        "Readiness": (_line(members.get("readiness", "Ready" if met else "Not Ready")),),
    }


_WRITERS: Mapping[Kind, Callable[[Shape, Mapping[str, Any]], tuple[Sequence[str], _Blocks]]] = {
    "research": _research,
    "ct": _ct,
    "review": _review,
    "build": _build,
    "tests": _tests,
    "tasks": _tasks,
    "feature": _feature,
}


def _status(members: Mapping[str, Any]) -> Sequence[str]:
    return (f"Status: {_line(members['status'])}",) if "status" in members else ()


def _findings(members: Mapping[str, Any], parts: Sequence[str]) -> Sequence[str]:
    lines: list[str] = []
    for number, each in enumerate(_list(members, "findings")):
        if not isinstance(each, Mapping):
            raise ValueError(f"findings[{number}]: must be {{severity, title, what, where, tasks}}")  # noqa: TRY004
        refuse_unknown(each, ("severity", "title", *_FINDING), f"member of findings[{number}]")
        what = _line(each.get("what", "")) or f"finding {number + 1}"
        said = {"What": what, "Where": _line(each.get("where", "")) or "the whole"}
        said |= {name: _line(each[key]) for key, name in _FINDING.items() if each.get(key)}
        lines += [
            f"### [Severity: {_line(each.get('severity', ''))}] {_line(each.get('title', what))}",
            "",
        ]
        known = dict.fromkeys((*parts, *said))
        lines += [f"- **{name}:** {said.get(name, 'none')}" for name in known] + [""]
    return lines[:-1] or ("None.",)


def _line(value: Any) -> str:
    """Any value in one line."""
    if isinstance(value, list | tuple):
        return ", ".join(map(_line, value)) or "none"
    return field_value(str(value))


def _items(members: Mapping[str, Any], name: str) -> Sequence[str]:
    return [f"- {_line(each)}" for each in _list(members, name)] or ("None.",)


def _list(members: Mapping[str, Any], name: str) -> Sequence[Any]:
    found = members.get(name, ())
    if not isinstance(found, Sequence) or isinstance(found, str):
        # one kind of refusal for a scenario
        raise ValueError(f"{name}: must be a list")  # noqa: TRY004
    return found


def _mapping(members: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = members.get(name, {})
    if not isinstance(found, Mapping):
        raise ValueError(f"{name}: must be an object")  # noqa: TRY004 - see above
    return found
