"""`harness/run-state.md`: where a task stands. People read it; only the program and people write
it.

The file is rendered from the run. A person may add words and comments: an update changes single
values and leaves everything else, and the program keeps its own lines in `## Notes` between two
comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from podium.core.errors import Fault, InputError
from podium.core.nearest import nearest
from podium.formats.field_lines import Field, field_value, fields_in, fold_key, one_line
from podium.formats.markdown import scan, split_lines
from podium.formats.markdown_fields import (
    add_section,
    bullets,
    fields,
    fill,
    find_field,
    newline_of,
    placeholders,
    put_fields,
    read_field,
    replace_block,
    replace_lines,
)
from podium.formats.outline import Outline, Section, prose_of
from podium.workflows.harness import sentences
from podium.workflows.harness.task import path_fault

BEGIN, END = "<!-- podium:begin -->", "<!-- podium:end -->"
STATUSES = ("Active", "Blocked", "Awaiting Approval", "Complete")
APPROVAL = "Require Approval Before "
NONE = "None"
_BULLET = re.compile(r" {0,3}[-+*][ \t]+(?:\[[ xX]\][ \t]+)?(?P<text>\S.*)")
_REMARK = re.compile(r"\s[—–-]\s")
_SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Task": ("Task ID", "Task File"),
    "Execution State": ("Current Status", "Current Stage", "Current Run ID", "Stop Reason"),
    "Completed Stages": (),
    "Artifact Paths": (),
    "Approval Mode": (),
    "Notes": (),
}
_MAY_BE_NONE = ("Current Run ID", "Stop Reason")


@dataclass(frozen=True)
class RunState:
    """One task's place in its stages."""

    task_id: str
    """Such as T001."""
    task_file: str
    """Its path in the project."""
    status: str
    """One of STATUSES."""
    stage: str
    """The stage that is running or waiting."""
    run_id: str
    """RUN-<date>-<task>-<code>; empty if no stage runs."""
    stop_reason: str = ""
    """Why the run has stopped; empty while it moves."""
    completed: tuple[str, ...] = ()
    """Names of the finished stages, in order."""
    artifacts: Mapping[str, str] = field(default_factory=dict)
    """Paths by label, in the order of the file."""
    approvals: Mapping[str, bool] = field(default_factory=dict)
    """By the words after `Require Approval Before `, in the order of the file."""
    notes: str = ""
    """People's words in Notes."""


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
    text = _update_completed(text, state.completed)
    return put_program_notes(text, program_notes)


def parse(text: str, path: str, stages: Sequence[str] = ()) -> RunState:
    """The state in a file; InputError lists every fault at once."""
    reader = _Reader(scan(text), path)
    values = {
        key: reader.value(section, key) for section, keys in _SECTIONS.items() for key in keys
    }
    state = RunState(
        task_id=values["Task ID"],
        task_file=values["Task File"],
        status=reader.status(),
        stage=reader.stage(stages),
        run_id=values["Current Run ID"],
        stop_reason=values["Stop Reason"],
        completed=reader.completed(stages),
        artifacts=reader.artifacts(),
        approvals=reader.approvals(),
        notes=people_words(text),
    )
    if reader.faults:
        raise InputError(reader.faults)
    return state


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


def _bullets(section: Section) -> tuple[tuple[int, str], ...]:
    """Line and stage name of each bullet; text after a dash is a remark."""
    found = ((line, _BULLET.fullmatch(text.rstrip())) for line, text in section.body)
    return tuple(
        (line, field_value(_REMARK.split(item["text"], maxsplit=1)[0]))
        for line, item in found
        if item
    )


def _update_completed(text: str, completed: Sequence[str]) -> str:
    """Bullets that are still true stay as they are, with their remarks; words between the
    bullets stay too.
    """
    section = scan(text).section("Completed Stages")
    if section is None:
        text = add_section(text, "Completed Stages")
        return _update_completed(text, completed)
    found = _bullets(section)
    wanted = [one_line(stage) for stage in completed] or [NONE]
    if [name.casefold() for _, name in found] == [stage.casefold() for stage in wanted]:
        return text
    if not found:
        return _first_bullets(text, section, [f"- {stage}" for stage in wanted])
    lines = split_lines(text)
    kept = {name.casefold(): lines[line].rstrip("\r\n") for line, name in reversed(found)}
    new = [kept.get(stage.casefold(), f"- {stage}") for stage in wanted]
    numbers = [line for line, _ in found]
    for number in reversed(numbers[1:]):
        text = replace_lines(text, number, number + 1, ())
    return replace_lines(text, numbers[0], numbers[0] + 1, new)


def _first_bullets(text: str, section: Section, items: Sequence[str]) -> str:
    if not prose_of(section.body):
        return replace_block(text, "Completed Stages", items)
    return replace_lines(text, section.heading.end, section.heading.end, ["", *items, ""])


def _blocks(outline: Outline, section: Section) -> list[tuple[int, int]]:
    """First and last line of each block of the program; a begin mark without an end is a block
    of one line.
    """
    blocks: list[tuple[int, int]] = []
    begin, inside = -1, False
    for number in range(section.heading.end, section.end):
        line, kind = outline.lines[number].strip(), outline.kinds[number]
        mark = line if kind == "comment" and not inside else ""
        # Inside a comment that people opened above, a mark is part of their words: its `-->` closes
        # their comment.
        inside = (kind == "comment" or (kind == "blank" and inside)) and "-->" not in line
        if mark == BEGIN:
            blocks += [(begin, begin)] if begin >= 0 else []
            begin = number
        elif mark == END and begin >= 0:
            blocks.append((begin, number))
            begin = -1
    return blocks + ([(begin, begin)] if begin >= 0 else [])


def put_program_notes(text: str, notes: Sequence[str], title: str = "Notes") -> str:
    """The file with these notes in the program's block; everything around the block stays."""
    items = bullets(notes)
    new = [BEGIN, *items, END] if items else []
    outline = scan(text)
    section = outline.section(title)
    if section is None:
        return put_program_notes(add_section(text, title), notes, title) if new else text
    blocks = _blocks(outline, section)
    for first, last in reversed(blocks[1:]):
        text = replace_lines(text, first, last + 1, ())
    if blocks:
        return replace_lines(text, blocks[0][0], blocks[0][1] + 1, new)
    # At the top, because people's words below may leave a code fence open, which would swallow the
    # block.
    return replace_lines(text, section.heading.end, section.heading.end, new)


def people_words(text: str, title: str = "Notes") -> str:
    """What people wrote in that section: everything but the program's block."""
    outline = scan(text)
    section = outline.section(title)
    if section is None:
        return ""
    hidden = {line for first, last in _blocks(outline, section) for line in range(first, last + 1)}
    span = (number for number in range(section.heading.end, section.end) if number not in hidden)
    return "\n".join(outline.lines[number].rstrip() for number in span).strip()


def add_people_words(text: str, words: str, title: str = "Notes") -> str:
    """The text with these words at the end of that section; for the first version of a file."""
    section = scan(text).section(title)
    if section is None or not words.strip():
        return text
    return replace_lines(text, section.end, section.end, words.strip().splitlines())


@dataclass
class _Reader:
    outline: Outline
    path: str
    faults: list[Fault] = field(default_factory=list)

    def __post_init__(self) -> None:
        for title in _SECTIONS:
            found = self.outline.sections(title)
            if not found:
                self._fault(
                    0, f"section '{title}' is missing", f"add '## {title}' as in the template"
                )
            for again in found[1:]:
                self._fault(again.heading.line, f"section '{title}' stands there twice", "keep one")
        for title in ("Task", "Execution State", "Artifact Paths", "Approval Mode"):
            self._find_duplicates(title)

    def _fault(self, line: int, what: str, mend: str) -> None:
        self.faults.append(Fault(f"{self.path}:{line + 1}", what, mend))

    def _find_duplicates(self, title: str) -> None:
        seen: set[str] = set()
        for found in self._fields(title):
            if fold_key(found.key) in seen:
                self._fault(found.line, f"{found.key}: stands there twice", "keep one line")
            seen.add(fold_key(found.key))

    def _fields(self, title: str) -> tuple[Field, ...]:
        section = self.outline.section(title)
        return fields_in(section.body) if section else ()

    def _field(self, title: str, key: str) -> Field | None:
        return find_field(self.outline, title, key)

    def value(self, title: str, key: str) -> str:
        found, section = self._field(title, key), self.outline.section(title)
        if found is None:
            if section:
                self._fault(
                    section.heading.line,
                    f"{key}: is missing in section '{title}'",
                    f"add a line '{key}: …'",
                )
            return ""
        if key in _MAY_BE_NONE:
            return "" if found.value.casefold() == NONE.casefold() else found.value
        if not found.value:
            self._fault(found.line, f"{key}: is empty", "give a value")
        return found.value

    def status(self) -> str:
        found = self._field("Execution State", "Current Status")
        if found is None or not found.value:
            return ""
        known = {status.casefold(): status for status in STATUSES} | {"in progress": "Active"}
        if found.value.casefold() not in known:
            what = f"Current Status: '{found.value[:80]}' is not a status"
            self._fault(found.line, what, f"write one of: {', '.join(STATUSES)}")
        return known.get(found.value.casefold(), found.value)

    def stage(self, stages: Sequence[str]) -> str:
        found = self._field("Execution State", "Current Stage")
        if found is None or not found.value:
            return ""
        return self._known_stage(found.line, "Current Stage", found.value, stages)

    def _known_stage(self, line: int, key: str, name: str, stages: Sequence[str]) -> str:
        known = {stage.casefold(): stage for stage in stages}
        if stages and name.casefold() not in known:
            near = nearest(name, stages, 0.5)
            mend = f"did you mean '{near}'?" if near else f"write one of: {', '.join(stages)}"
            self._fault(line, f"{key}: '{name[:80]}' is not a stage", mend)
        return known.get(name.casefold(), name)

    def completed(self, stages: Sequence[str]) -> tuple[str, ...]:
        section = self.outline.section("Completed Stages")
        if section is None:
            return ()
        found = _bullets(section)
        if not found:
            self._fault(
                section.heading.line,
                "Completed Stages: holds no bullet",
                "write '- None' if there is none",
            )
        names = [(line, name) for line, name in found if name.casefold() != NONE.casefold()]
        return tuple(
            dict.fromkeys(
                self._known_stage(line, "Completed Stages", name, stages) for line, name in names
            )
        )

    def artifacts(self) -> dict[str, str]:
        found = {item.key: item for item in self._fields("Artifact Paths") if item.value}
        for item in found.values():
            if what := path_fault(item.value):
                self._fault(
                    item.line,
                    f"{item.key}: '{item.value[:200]}' {what}",
                    "give a path in the project",
                )
        return {key: item.value for key, item in found.items()}

    def approvals(self) -> dict[str, bool]:
        approvals: dict[str, bool] = {}
        for found in self._fields("Approval Mode"):
            if not fold_key(found.key).startswith(APPROVAL.casefold()):
                continue
            if found.value.casefold() not in ("yes", "no"):
                what = f"{found.key}: '{found.value[:80]}' is neither Yes nor No"
                self._fault(found.line, what, "write Yes or No")
            approvals[found.key[len(APPROVAL) :]] = found.value.casefold() == "yes"
        return approvals
