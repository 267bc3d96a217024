"""The life of `memory.md`: created, pruned, extended, invalidated, cleaned, rebuilt. None of it can
block a run.

`values` defines the memory, `document` reads and writes the file, `merge` takes in what an agent
wrote. Other modules import everything from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from podium.workflows.feature.memory.document import MAX_TEXT, parse, render
from podium.workflows.feature.memory.lessons import TaskResult, lessons_in
from podium.workflows.feature.memory.merge import MAX_ADDED, MAX_KEPT, accepted
from podium.workflows.feature.memory.values import MAX_ENTRY, Artifact, Entry, Memory

__all__ = [
    "MAX_ADDED",
    "MAX_ENTRY",
    "MAX_KEPT",
    "MAX_TEXT",
    "Artifact",
    "Entry",
    "Memory",
    "TaskResult",
    "accepted",
    "cleaned",
    "from_data",
    "initial",
    "invalidated",
    "lessons_from",
    "parse",
    "pruned",
    "rebuilt",
    "recorded",
    "render",
    "to_data",
    "wrote",
]

_NUMBER = re.compile(r"(?P<digits>[0-9]+)[a-z]?", re.IGNORECASE)


def initial() -> Memory:
    return Memory()


def recorded(
    memory: Memory,
    agent: str,
    step: str,
    path: str,
    summary: str = "",
    sections: Iterable[str] = (),
) -> Memory:
    """The memory after the program saw that artifact written: its row in the index, and an
    update.
    """
    row = Artifact(path, tuple(sections), agent)
    old = next((each for each in memory.artifacts if each.path == row.path), None)
    if old and not row.sections:
        row = replace(row, sections=old.sections)
    rows = tuple(row if each is old else each for each in memory.artifacts)
    words = summary.strip().rstrip(".") or "written"
    said = Entry(
        agent,
        step,
        f"Updated `{row.path}` — {words}" + ("" if words.endswith(("!", "?", "…")) else "."),
    )
    return replace(
        memory,
        artifacts=rows if old else (*memory.artifacts, row)[:MAX_KEPT],
        updates=_new((*memory.updates, said))[-MAX_KEPT:],
    )


def pruned(memory: Memory, phase: str, phases: Sequence[str]) -> Memory:
    """The memory without decisions and updates older than the phase before this one; lessons and
    the index stay.

    `phases` lists all phases in order. An entry whose step belongs to none of them stays, and
    nothing is removed if the phase itself is not among them.
    """
    if phase not in phases:
        return memory
    oldest = phases.index(phase) - 1

    def kept(entries: Iterable[Entry]) -> tuple[Entry, ...]:
        return tuple(
            each for each in entries if _place(each.step, phases, default=oldest) >= oldest
        )

    return replace(memory, decisions=kept(memory.decisions), updates=kept(memory.updates))


def _place(step: str, phases: Sequence[str], default: int) -> int:
    """The position of a step's phase: `3b.1` belongs to `3b`, `4a` to `4`, `research/impact` to
    `research`.
    """
    number = _NUMBER.match(step)
    spoken = [step, re.split(r"[./ ]", step, maxsplit=1)[0]]
    spoken += [number[0], number["digits"]] if number else []
    return next((phases.index(each) for each in spoken if each in phases), default)


def lessons_from(memory: Memory, outcomes: Iterable[TaskResult]) -> Memory:
    """The memory after a wave: what went wrong and how it was fixed, and the documents that were
    written.
    """
    for each in outcomes:
        lessons = _new((*memory.lessons, *lessons_in(each)))[: max(MAX_KEPT, len(memory.lessons))]
        memory = replace(memory, lessons=lessons)
        if each.agent == "documentation-writer" and each.path and each.succeeded:
            memory = recorded(memory, each.agent, each.step, each.path, each.summary, each.sections)
    return memory


def _new(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Without duplicates, in order."""
    return tuple(dict.fromkeys(entries))


def invalidated(memory: Memory, agent_or_step: str, reason: str) -> Memory:
    """The memory with the decisions and updates of that agent (a pattern such as `v-*`) or step
    marked.

    An existing mark stays. Lessons are not marked: marked entries are removed in the end, and
    lessons never are.
    """
    wanted = agent_or_step.strip()
    step = Entry("", wanted, "").step
    if not wanted:
        return memory

    def marked(entries: Iterable[Entry]) -> tuple[Entry, ...]:
        return tuple(
            replace(each, invalidated=reason or "-")
            if not each.invalidated and _meant(each, wanted, step)
            else each
            for each in entries
        )

    return replace(memory, decisions=marked(memory.decisions), updates=marked(memory.updates))


def _meant(entry: Entry, agent: str, step: str) -> bool:
    below = entry.step.startswith((f"{step}.", f"{step}/"))
    return fnmatchcase(entry.agent, agent) or entry.step == step or below


def cleaned(memory: Memory) -> Memory:
    """The memory without the marked decisions and updates."""
    return replace(
        memory,
        decisions=tuple(each for each in memory.decisions if not each.invalidated),
        updates=tuple(each for each in memory.updates if not each.invalidated),
    )


def wrote(before: Memory, after: Memory, agent: str) -> bool:
    """Whether that agent added anything."""
    return bool(_signed_by(after, agent) - _signed_by(before, agent))


def _signed_by(memory: Memory, agent: str) -> set[tuple[str, Artifact | Entry]]:
    sections = (
        ("decision", memory.decisions),
        ("lesson", memory.lessons),
        ("update", memory.updates),
    )
    own: set[tuple[str, Artifact | Entry]] = {
        (name, each) for name, entries in sections for each in entries if each.agent == agent
    }
    return own | {("row", each) for each in memory.artifacts if each.updated_by == agent}


def rebuilt(facts: Iterable[tuple[str, str, str]]) -> Memory:
    """A memory from the journal's (step key, agent, path) of verified artifacts, oldest first."""
    memory = initial()
    for step, agent, path in facts:
        memory = recorded(memory, agent, step, path, "rebuilt from the journal.")
    return memory


def to_data(memory: Memory) -> dict[str, Any]:
    """The memory as plain data for the run's record."""
    entries = {"decisions": memory.decisions, "lessons": memory.lessons, "updates": memory.updates}
    return {
        "artifacts": [
            {"path": each.path, "sections": list(each.sections), "updated_by": each.updated_by}
            for each in memory.artifacts
        ],
        **{
            name: [
                {
                    "agent": each.agent,
                    "step": each.step,
                    "text": each.text,
                    "invalidated": each.invalidated,
                }
                for each in found
            ]
            for name, found in entries.items()
        },
    }


def from_data(data: Any) -> Memory:
    """The memory in such data; malformed parts are left out, because a memory never blocks a
    run.
    """
    rows = tuple(
        Artifact(
            _text(each, "path"),
            tuple(filter(_is_text, _list(each, "sections"))),
            _text(each, "updated_by"),
        )
        for each in _list(data, "artifacts")
        if _text(each, "path")
    )
    decisions, lessons, updates = (
        tuple(
            Entry(
                _text(each, "agent"),
                _text(each, "step"),
                _text(each, "text"),
                _text(each, "invalidated"),
            )
            for each in _list(data, name)
            if isinstance(each, Mapping)
        )
        for name in ("decisions", "lessons", "updates")
    )
    return Memory(rows, decisions, lessons, updates)


def _list(data: Any, name: str) -> Sequence[Any]:
    found = data.get(name) if isinstance(data, Mapping) else None
    return found if isinstance(found, list | tuple) else ()


def _text(data: Any, name: str) -> str:
    found = data.get(name) if isinstance(data, Mapping) else None
    return found if isinstance(found, str) else ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
