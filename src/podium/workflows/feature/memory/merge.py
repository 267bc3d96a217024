"""What a sequential agent wrote into `memory.md`, accepted as far as the agent is entitled to it.

It may add entries and rows, and change or remove its own. Entries of others stay as they were, an
entry signed with another name gets the agent's own, and an unreadable file changes nothing. Limits:
200,000 characters of file, 20 new entries and 40 new rows at a time, 200 entries in a section, 400
characters and two sentences in an entry.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace

from podium.workflows.feature.memory.document import SECTIONS, parse
from podium.workflows.feature.memory.values import Artifact, Entry, Memory

MAX_ADDED = 20
"""New entries of one agent at a time, in all sections together."""
MAX_ROWS = 40
"""New rows of the index at a time."""
MAX_KEPT = 200
"""Entries per section and rows of the index; nothing is added beyond that."""
_KEPT_FOR_GOOD = frozenset({"lessons"})


def accepted(
    before: Memory, after_text: str, agent: str, step: str
) -> tuple[Memory, tuple[str, ...]]:
    """The memory after that agent at that step, and warnings about what was not taken as
    written.
    """
    after, faults = parse(after_text)
    if after is None:
        return before, (
            f"memory.md as {agent} left it cannot be read, so it stays as it was: {faults[0]}",
        )
    merge = _Merge(Entry(agent, step, ""))
    merge.warnings += [f"memory.md: {fault}" for fault in faults if "names no agent" not in fault]
    merged = Memory(
        merge.rows(before.artifacts, after.artifacts),
        merge.entries("decisions", before.decisions, after.decisions),
        merge.entries("lessons", before.lessons, after.lessons),
        merge.entries("updates", before.updates, after.updates),
    )
    return merged, tuple(merge.warnings)


@dataclass
class _Merge:
    writer: Entry
    """The agent and the step, as an entry."""
    warnings: list[str] = field(default_factory=list)
    added: int = 0

    def entries(
        self, name: str, before: tuple[Entry, ...], after: tuple[Entry, ...]
    ) -> tuple[Entry, ...]:
        left = Counter(after)
        kept: list[Entry] = []
        lost: Counter[tuple[str, str]] = Counter()
        for each in before:
            if left[each]:
                left[each] -= 1
                kept.append(each)
            elif not self._own(each):
                kept.append(each)
                lost[each.agent, each.step] += 1
            elif name in _KEPT_FOR_GOOD:
                kept.append(each)
        if lost:
            count = sum(lost.values())
            self._warn(
                f"{SECTIONS[name]}: {count} of others changed or removed; they stay as they were"
            )
        for each in after:
            if not left[each]:
                continue
            left[each] -= 1
            if lost[each.agent, each.step]:
                # This is the changed form of an entry that was kept: adding it would say the same
                # thing twice.
                lost[each.agent, each.step] -= 1
                continue
            self._add(name, kept, each)
        return tuple(kept)

    def _add(self, name: str, kept: list[Entry], new: Entry) -> None:
        if self.added >= MAX_ADDED:
            self._warn(f"more than {MAX_ADDED} new entries at once; the rest was left out")
            return
        if len(kept) >= MAX_KEPT:
            self._warn(f"{SECTIONS[name]} has {len(kept)} entries; no more are taken")
            return
        if not self._own(new):
            self._warn(
                f"{SECTIONS[name]}: an entry signed '{new.agent}' is of {self.writer.agent} "
                "and signed so now"
            )
        signed = replace(new, agent=self.writer.agent, step=self.writer.step)
        if signed.text and signed not in kept:
            kept.append(signed)
            self.added += 1

    def rows(
        self, before: tuple[Artifact, ...], after: tuple[Artifact, ...]
    ) -> tuple[Artifact, ...]:
        """By path: rows of others stay, own rows are replaced, new ones are added."""
        kept = {each.path: each for each in before}
        written = {each.path: each for each in after}
        if gone := sorted(set(kept) - set(written)):
            self._warn(f"Artifact Index: rows were removed and are back: {', '.join(gone[:5])}")
        new = 0
        for path, row in written.items():
            old = kept.get(path)
            if row == old or (old and row.sections == old.sections):
                continue
            if old and _folded(old.updated_by) != _folded(self.writer.agent):
                self._warn(
                    f"Artifact Index: the row of {path} belongs to {old.updated_by}; it stays "
                    "as it was"
                )
                continue
            if old is None and (new >= MAX_ROWS or len(kept) >= MAX_KEPT or not _inside(path)):
                self._warn(f"Artifact Index: the row of {path} was left out")
                continue
            new += old is None
            kept[path] = replace(row, updated_by=self.writer.agent)
        return tuple(kept.values())

    def _own(self, entry: Entry) -> bool:
        return _folded(entry.agent) == _folded(self.writer.agent)

    def _warn(self, text: str) -> None:
        said = f"memory.md: {text}"
        if said not in self.warnings:
            self.warnings.append(said)


def _folded(agent: str) -> str:
    """An agent's name in the form it calls itself: `Spec Agent` is `spec`, `researcher
    (synthesis)` is `researcher`.
    """
    words = re.sub(r"[\s_]+", "-", agent.casefold()).strip("-")
    return words.removesuffix("-agent").removesuffix("-synthesis")


def _inside(path: str) -> bool:
    """Whether the path can be inside the project."""
    return (
        not path.startswith(("/", "~", "\\"))
        and ".." not in re.split(r"[/\\]", path)
        and ":" not in path[:3]
    )
