"""`harness/run-state.md`: where a task stands. People read it; only the program and people write
it.

The file is rendered from the run. A person may add words and comments: an update changes single
values and leaves everything else, and the program keeps its own lines in `## Notes` between two
comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from podium.core.nearest import nearest
from podium.documents import (
    Document,
    Flag,
    Issue,
    Many,
    Named,
    Text,
    Within,
    Word,
    part,
    record,
)
from podium.documents.issues import Path
from podium.documents.markdown_edit import people_words, put_items, put_notes
from podium.documents.text import unwrap
from podium.formats.field_lines import field_value, fold_key
from podium.formats.markdown import scan, split_lines
from podium.formats.markdown_fields import (
    fields,
    fill,
    newline_of,
    placeholders,
    put_fields,
    read_field,
    replace_lines,
)
from podium.workflows.harness import sentences
from podium.workflows.harness.task import path_fault

STATUSES = ("Active", "Blocked", "Awaiting Approval", "Complete")
APPROVAL = "Require Approval Before "
NONE = "None"
_REMARK = re.compile(r"\s[—–-]\s")


@dataclass(frozen=True)
class _OrNone(Text):
    """A text, for which `None` stands where there is none."""

    empty: bool = True

    def from_text(self, text: str) -> Any:
        return "" if unwrap(text).casefold() == NONE.casefold() else unwrap(text)


@dataclass(frozen=True)
class _Stage(Text):
    """A stage's name; text after a dash is a remark."""

    def from_text(self, text: str) -> Any:
        return unwrap(_REMARK.split(text, maxsplit=1)[0].strip())


_TASK, _STATE = Within(("Task",)), Within(("Execution State",))


@record(title="Run State")
class RunState:
    """One task's place in its stages."""

    task_id: str = part("Task ID", key="Task ID", at=_TASK, merge="once")
    """Such as T001."""
    task_file: str = part("Task File", key="Task File", at=_TASK, merge="once")
    """Its path in the project."""
    status: str = part(
        "Current Status",
        key="Current Status",
        at=_STATE,
        value=Word(STATUSES, {"in progress": "Active"}),
        merge="once",
    )
    stage: str = part("Current Stage", at=_STATE, merge="once")
    """The stage that is running or waiting."""
    run_id: str = part("Current Run ID", at=_STATE, value=_OrNone(), merge="once")
    """RUN-<date>-<task>-<code>; empty if no stage runs."""
    stop_reason: str = part(
        "Stop Reason", at=_STATE, value=_OrNone(), merge="once", default="", always=True
    )
    """Why the run has stopped; empty while it moves."""
    completed: tuple[str, ...] = part(
        "Completed Stages", at="section", value=Many(_Stage(), split=""), default=(), always=True
    )
    """Names of the finished stages, in order."""
    artifacts: Mapping[str, str] = part(
        at=Within(("Artifact Paths",)),
        value=Named(Text(refuse=path_fault), skip=("",)),
        factory=dict,
        remedy="give a path in the project",
    )
    """Paths by label, in the order of the file."""
    approvals: Mapping[str, bool] = part(
        at=Within(("Approval Mode",)), value=Named(Flag(), prefix=APPROVAL), factory=dict
    )
    """By the words after `Require Approval Before `, in the order of the file."""
    notes: str = part(value=Text(empty=True), default="", program=True)
    """People's words in Notes."""


def parse(text: str, path: str, stages: Sequence[str] = ()) -> RunState:
    """The state in a file; InputError lists every fault at once."""
    known = {stage.casefold(): stage for stage in stages}

    def of_stages(state: RunState) -> Iterator[Issue]:
        places: list[tuple[str, Path, str]] = [("Current Stage", ("stage",), state.stage)]
        for at, name in enumerate(state.completed):
            places.append(("Completed Stages", ("completed", at), name))
        for label, place, name in places:
            if name and stages and name.casefold() not in known:
                near = nearest(name, stages, 0.5)
                remedy = f"did you mean '{near}'?" if near else f"write one of: {', '.join(stages)}"
                yield Issue(place, f"{label}: '{name[:80]}' is not a stage", remedy)

    document = Document(
        "harness/run-state.md", RunState, checks=[of_stages], contradictions="fault"
    )
    state = document.read(text, path).sound()
    completed = (known.get(name.casefold(), name) for name in state.completed)
    return replace(
        state,
        stage=known.get(state.stage.casefold(), state.stage),
        completed=tuple(dict.fromkeys(completed)),
        notes=people_words(text, "Notes"),
    )


def render(state: RunState, template: str, program_notes: Sequence[str] = ()) -> str:
    """The first version of the file, from the team's template."""
    text = keep_known(template, "Artifact Paths", state.artifacts)
    text = keep_known(text, "Approval Mode", {APPROVAL + key: "" for key in state.approvals})
    text = sentences.filled(text, values(state), state.completed)
    text = update(empty_template(text, ("Completed Stages",)), state, program_notes)
    return add_people_words(text, state.notes)


def update(text: str, state: RunState, program_notes: Sequence[str] = ()) -> str:
    """The file with the state's values; people's words, comments and order stay."""
    outline = scan(text)
    text = put_fields(
        text, [each for each in values(state) if _differs(read_field(outline, *each[:2]), each[2])]
    )
    text = put_items(text, "Completed Stages", state.completed)
    return put_notes(text, "Notes", program_notes)


def values(state: RunState) -> tuple[tuple[str, str, str], ...]:
    return (
        ("Task", "Task ID", state.task_id),
        ("Task", "Task File", state.task_file),
        ("Execution State", "Current Status", state.status),
        ("Execution State", "Current Stage", state.stage),
        ("Execution State", "Current Run ID", or_none(state.run_id)),
        ("Execution State", "Stop Reason", or_none(state.stop_reason)),
        *(("Artifact Paths", label, path) for label, path in state.artifacts.items()),
        *(
            ("Approval Mode", APPROVAL + key, yes_or_no(needed))
            for key, needed in state.approvals.items()
        ),
    )


def or_none(value: str) -> str:
    return value if field_value(value) else NONE


def yes_or_no(answer: bool) -> str:
    return "Yes" if answer else "No"


def _differs(found: str | None, value: str) -> bool:
    return found is None or found.casefold() != field_value(value).casefold()


def keep_known(template: str, section: str, known: Iterable[str]) -> str:
    """The template without those lines of the section for which this run has no value."""
    wanted = {fold_key(label) for label in known}
    dropped = {
        found.line
        for found in fields(template, section)
        if placeholders(found.value) and fold_key(found.key) not in wanted
    }
    lines: list[str] = []
    for number, line in enumerate(split_lines(template)):
        # A removed group leaves one blank line behind, not two.
        leftover = number - 1 in dropped and not line.strip() and lines and not lines[-1].strip()
        if number not in dropped and not leftover:
            lines.append(line)
    return "".join(lines)


def empty_template(template: str, lists: Sequence[str]) -> str:
    """The template without its placeholders; a placeholder that stands for a list becomes an
    empty list.
    """
    outline = scan(template)
    spans = [(found.heading.end, found.end) for title in lists for found in outline.sections(title)]
    lines: list[str] = []
    for number, line in enumerate(split_lines(template)):
        bare = fill(line, dict.fromkeys(placeholders(line), ""))
        if bare == line or bare.strip():
            lines.append(bare)
        elif any(start <= number < end for start, end in spans):
            lines.append(f"- {NONE}{newline_of(template)}")
        elif lines and not lines[-1].strip():
            lines.pop()
    return "".join(lines)


def add_people_words(text: str, words: str, title: str = "Notes") -> str:
    """The text with these words at the end of that section; for the first version of a file."""
    section = scan(text).section(title)
    if section is None or not words.strip():
        return text
    return replace_lines(text, section.end, section.end, words.strip().splitlines())
