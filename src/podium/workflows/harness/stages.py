"""The stage list as data: what a project can say about a stage without writing Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from podium.core import globs
from podium.core.contract import CodeAccess, Tests
from podium.core.errors import Fault, InputError
from podium.core.nearest import nearest
from podium.formats import toml_text
from podium.formats.field_lines import parse_field
from podium.workflows.protected import PROTECTED

_LONGEST = 50
"""Characters of a name: with the words before it, it is the key of a line."""

Kind = Literal["document", "build", "review"]
COMPLETION = "approve_completion"
"""The gate behind the last stage."""

ALWAYS = (
    "harness/standards/feature-workflow.md",
    "harness/standards/task-lifecycle.md",
    "harness/standards/run-id-standard.md",
)
"""What every stage may read besides run state, task, role file and template."""


@dataclass(frozen=True)
class StageSpec:
    """One stage of the line."""

    name: str
    """The name shown in run-state.md."""
    code: str
    """The end of the stage's run id."""
    role: str
    """The role whose agent does the work."""
    kind: Kind = "document"
    """document: an artifact is the proof. build: changed code is. review: an artifact with a
    verdict is.
    """
    role_file: str = ""
    """The role's definition in the project."""
    output: str = ""
    """The artifact's name in contracts."""
    label: str = ""
    """The artifact's label in Artifact Paths."""
    path: str = ""
    """Where the artifact goes; `{task}` is the task's id."""
    template: str = ""
    """The template whose headings the artifact must have."""
    reads: tuple[str, ...] = ()
    """More inputs: project paths or `@name` of an artifact; a trailing `?` makes one optional."""
    code_access: CodeAccess = "none"
    """How much of the project's code the stage sees."""
    code_paths: tuple[str, ...] = ()
    """Globs that narrow the code it sees."""
    approval_before: bool = False
    """Whether a person must approve before this stage runs."""
    evidence: tuple[str, ...] = ()
    """Commands that the engine itself runs after the stage."""
    tests: Tests | Literal[""] = ""
    """What the stage may do to the project's tests without a person being asked: `add` new ones,
    also `edit` those that are there, or `protect`: neither. Empty = `[proof] contract`.
    """
    returns_to: str = ""
    """Of a review: the stage that runs again when issues are found."""

    @property
    def step(self) -> str:
        """The name as keys and settings have it; the code where the name has no letter that may
        stand in a key.
        """
        return _slug(self.name) or self.code.lower()

    @property
    def gate(self) -> str:
        return f"approve_{self.step}"


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def parse_stages(text: str, path: str) -> tuple[StageSpec, ...]:
    """Every stage of a stages.toml; InputError lists everything that is wrong with it."""
    data = toml_text.parse(text, path)
    rows = data.get("stage")
    faults = [
        Fault(path, f"unknown table {name!r}", "only [[stage]] is known")
        for name in data
        if name != "stage"
    ]
    if not isinstance(rows, list) or not rows:
        raise InputError([*faults, Fault(path, "has no [[stage]]")])
    stages = [
        stage for number, row in enumerate(rows, 1) if (stage := _stage(row, number, path, faults))
    ]
    if len(stages) == len(rows):  # a stage that cannot be read would make the others look wrong
        _check_line(stages, path, faults)
    stages = [_spelled(each, stages) for each in stages]
    if faults:
        raise InputError(faults)
    return tuple(stages)


_TYPES: Mapping[str, type] = {
    "name": str,
    "code": str,
    "role": str,
    "kind": str,
    "role_file": str,
    "output": str,
    "label": str,
    "path": str,
    "template": str,
    "reads": list,
    "code_access": str,
    "code_paths": list,
    "approval_before": bool,
    "evidence": list,
    "tests": str,
    "returns_to": str,
}


def _stage(row: Any, number: int, path: str, faults: list[Fault]) -> StageSpec | None:
    where = f"{path}: stage {number}" + (
        f" ({row['name']})" if isinstance(row, dict) and "name" in row else ""
    )
    if not isinstance(row, dict):
        faults.append(Fault(where, "is not a table"))
        return None
    before = len(faults)
    for name, value in row.items():
        if name not in _TYPES:
            near = nearest(name, _TYPES)
            faults.append(
                Fault(where, f"unknown key {name!r}", f"did you mean {near!r}?" if near else "")
            )
        elif not isinstance(value, _TYPES[name]):
            faults.append(Fault(where, f"{name} must be a {_TYPES[name].__name__}"))
        elif isinstance(value, list) and not all(isinstance(each, str) for each in value):
            faults.append(Fault(where, f"{name} must be a list of strings"))
    faults += [
        Fault(where, f"{name} is missing") for name in ("name", "code", "role") if not row.get(name)
    ]
    if len(faults) > before:
        return None
    stage = _made(row)
    faults += [Fault(where, what) for what in _faults(stage)]
    return stage


def _faults(stage: StageSpec) -> list[str]:
    found = []
    if stage.kind not in get_args(Kind):
        found.append(f"kind is {stage.kind!r}; it must be one of {', '.join(get_args(Kind))}")
    if stage.code_access not in get_args(CodeAccess):
        found.append(
            f"code_access is {stage.code_access!r}; it must be one of "
            f"{', '.join(get_args(CodeAccess))}"
        )
    if stage.tests not in {"", *get_args(Tests)}:
        found.append(f"tests is {stage.tests!r}; it must be one of {', '.join(get_args(Tests))}")
    if stage.kind in {"document", "review"}:
        found += [
            f"{name} is missing"
            for name in ("output", "label", "path", "template")
            if not getattr(stage, name)
        ]
        if stage.code_access == "write":
            found.append("only a build stage may write code")
    if stage.kind == "review" and not stage.returns_to:
        found.append("returns_to is missing: where does it go when issues are found?")
    if stage.kind == "build" and stage.code_access != "write":
        found.append('a build stage needs code_access = "write"')
    found += _path_faults(stage)
    found += [
        (
            f"{what} {text!r} cannot stand in run-state.md (begin with a letter or digit; one "
            "line of at most 50 characters, without : * _ ` | < >)"
        )
        for what, text in (("name", stage.name), ("label", stage.label))
        if text and not _readable(text)
    ]
    if not re.fullmatch(r"[A-Z][A-Z0-9]*", stage.code):
        found.append(f"code is {stage.code!r}; it must be capital letters and digits")
    for name in ("path", "template", "role_file", *(() if not stage.reads else ("reads",))):
        value = getattr(stage, name)
        for each in value if isinstance(value, tuple) else (value,):
            if each.startswith("/") or ".." in each.split("/"):
                found.append(f"{name} {each!r} leaves the project")
    return found


def _readable(text: str) -> bool:
    """Whether a name or a label is read back from a line as it was written there."""
    found = parse_field(f"{text}: x")
    return (
        found is not None
        and found.key == text
        and text[0].isalnum()
        and len(text) <= _LONGEST
        and text.isprintable()
    )


def _path_faults(stage: StageSpec) -> list[str]:
    found = []
    if stage.path and globs.matches(stage.path, PROTECTED):
        found.append(f"path {stage.path!r} is protected: no agent may write there")
    unknown = set(re.findall(r"{(.*?)}", stage.path)) - {"task"}
    if unknown or stage.path.count("{") != stage.path.count("}"):
        found.append(f"path {stage.path!r} has a placeholder other than {{task}}")
    return found


def _check_line(stages: list[StageSpec], path: str, faults: list[Fault]) -> None:
    """Faults that only the whole list shows: duplicate names, artifacts read before they exist,
    returns to a later stage.
    """
    seen: dict[str, int] = {}
    taken = {
        "none",
        "done",
        "complete",
        "awaiting_approval",
        COMPLETION,
        *(each.gate for each in stages),
    }
    made: set[str] = {"report", *(each.output for each in stages if each.kind == "review")}
    for at, stage in enumerate(stages):
        where = f"{path}: stage {at + 1} ({stage.name})"
        if stage.step in seen or stage.step in taken or stage.gate == COMPLETION:
            faults.append(Fault(where, "this name is taken"))
        for name in ("code", "output", "path", "label"):
            value = getattr(stage, name)
            if value and any(getattr(each, name) == value for each in stages[:at]):
                faults.append(Fault(where, f"{name} {value!r} belongs to another stage already"))
        for read in stage.reads:
            name = read.removeprefix("@").removesuffix("?")
            if read.startswith("@") and name not in made:
                faults.append(Fault(where, f"reads {read!r}, which no earlier stage writes"))
        if stage.output:
            made.add(stage.output)
        if (
            stage.kind == "review"
            and stage.returns_to
            and _meant(stage.returns_to, stages[:at]) is None
        ):
            faults.append(Fault(where, f"returns_to {stage.returns_to!r} is not an earlier stage"))
        seen[stage.step] = at


def _spelled(stage: StageSpec, stages: list[StageSpec]) -> StageSpec:
    """The stage with `returns_to` spelled like the stage it names."""
    meant = _meant(stage.returns_to, stages)
    return replace(stage, returns_to=meant.name) if meant else stage


def _meant(name: str, stages: list[StageSpec]) -> StageSpec | None:
    """The stage of that name, in any spelling."""
    return next(
        (
            each
            for each in stages
            if name == each.name or (_slug(name) and _slug(name) == each.step)
        ),
        None,
    )


def to_data(stages: tuple[StageSpec, ...]) -> list[dict[str, Any]]:
    """As JSON data, so that a run keeps the line it started with."""
    return [
        {name: list(v) if isinstance(v := getattr(each, name), tuple) else v for name in _TYPES}
        for each in stages
    ]


def from_data(rows: list[dict[str, Any]]) -> tuple[StageSpec, ...]:
    return tuple(_made(row) for row in rows)


def _made(row: Mapping[str, Any]) -> StageSpec:
    values: dict[str, Any] = {
        name: tuple(v) if isinstance(v, list) else v for name, v in row.items()
    }
    return StageSpec(**values)
