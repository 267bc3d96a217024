"""From one line of a plan to what it says about a task: its name, what it waits for, who works
on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from podium.formats.table_cells import cells
from podium.workflows.feature.plan.task_names import NOTHING, bare, name_at, names_in

_DEPENDS = re.compile(
    r"\b(?:depends[ _-]?on|dependencies|deps)\b_{0,2}[ \t]*[:=](?!=)", re.IGNORECASE
)
_DEPENDS_WORDS = re.compile(r"[(\[][ \t]*depends[ _-]?on[ \t]+(?=[0-9]|none\b|task)", re.IGNORECASE)
_AGENT = re.compile(
    r"[,;]?[ \t]*\bagent\b_{0,2}[ \t]*[:=][ \t]*(?P<agent>[A-Za-z0-9_-]{0,80})", re.IGNORECASE
)
_AFTER_NUMBER = re.compile(r"[ \t]*(?:$|[:(\[—–|]|-[ \t]|depends\b)", re.IGNORECASE)
_ANOTHER = re.compile(r"[ \t]*(?:[,+&/]|and\b)[ \t]*(?:task[-_ \t]*)?[0-9]", re.IGNORECASE)
_SEVERAL = re.compile(r"[,;&+]|\band\b", re.IGNORECASE)
_LONGEST_LIST = 2000
"""Longer texts are not read as a list of ids."""
_WAVE = re.compile(r"(?:wave[ \t]*)?#?(?P<number>[0-9]{1,4})[ \t]*(?:\([^()]*\))?", re.IGNORECASE)
_MOST = 50
"""Dependencies and faults kept per row; any more would exceed every limit anyway."""


@dataclass(frozen=True)
class Row:
    """A task as the plan names it."""

    name: str
    line: int
    """From 1."""
    depends_on: tuple[str, ...] | None = None
    """None if the plan does not say."""
    agent: str = ""
    faults: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    """What is odd but harmless."""


def several(text: str) -> tuple[str, ...]:
    """The ids in a text that is a list of at least two and nothing else, as in `01-a, 02-b
    (parallel)`.
    """
    found = only_ids(text)
    return found if len(found) > 1 else ()


def only_ids(text: str) -> tuple[str, ...]:
    """The ids in a text that is one id or a list of ids and nothing else, apart from a remark at
    its end.
    """
    said = bare(text[:_LONGEST_LIST]).strip()
    listed, bracket, remark = said.rpartition("(") if said.endswith(")") else (said, "", "")
    if len(text) > _LONGEST_LIST or (
        bracket
        and (
            _DEPENDS.search(remark)
            or _AGENT.search(remark)
            or _DEPENDS_WORDS.search(bracket + remark)
        )
    ):
        return ()
    found = [name_at(piece.strip()) for piece in _SEVERAL.split(listed)]
    names = tuple(each[0] for each in found if each and not each[1].strip() and _is_id(each[0]))
    return names if len(names) == len(found) else ()


def _is_id(name: str) -> bool:
    """`2` may be the number of anything; `02` and `2-parse` are ids."""
    return "-" in name or len(name) > 1


def from_item(text: str, line: int) -> Row | None:
    """The row in a list item; None if it names no task."""
    said = bare(text)
    found = name_at(said)
    if not found:
        return None
    name, rest = found
    if "-" not in name and not _AFTER_NUMBER.match(rest):
        # `3 files change` is prose.
        return None
    faults = (f"names more than one task: '{said[:80]}'",) if _ANOTHER.match(rest) else ()
    return more(Row(name, line, faults=faults), rest)


def more(row: Row, text: str) -> Row:
    """The row plus what another piece of text adds in clauses such as `(depends_on: 01, agent:
    x)`.
    """
    said = bare(text)
    for value in _clauses(said):
        row = (
            _with_depends(row, value)
            if value
            else replace(row, lacks=(*row.lacks, f"depends_on of {row.name} is empty"))
        )
    for found in _AGENT.finditer(said):
        row = _with_agent(row, found["agent"])
    return row


def says_depends(text: str) -> bool:
    """Whether a text holds a dependency clause."""
    return bool(_DEPENDS.search(bare(text)))


def from_names(names: Sequence[str], depends: str | None, agent: str, line: int) -> list[Row]:
    """The rows of a cell that lists tasks; the other cells apply to each of them."""
    found = (from_cells(each, depends, agent, line) for each in names)
    return [each for each in found if each]


def from_cells(name: str, depends: str | None, agent: str, line: int) -> Row | None:
    """The row in the cells of a table; `depends` is None if the table has no such column."""
    said = bare(name)
    found = name_at(said)
    if not found:
        return None
    faults = (f"names more than one task: '{said[:80]}'",) if _ANOTHER.match(found[1]) else ()
    row = Row(found[0], line, faults=faults)
    row = more(row, found[1]) if depends is None else _with_depends(row, depends)
    return _with_agent(row, bare(agent))


def wave_number(cell: str) -> int | None:
    found = _WAVE.fullmatch(bare(cell))
    return int(found["number"]) if found else None


def is_ruler(line: str) -> bool:
    """Whether a line separates a table's head from its rows."""
    found = cells(line) if "|" in line else []
    return bool(found) and all(cell.strip(":") and not cell.strip(":").strip("-") for cell in found)


def column(names: Sequence[str], *wanted: str) -> int:
    """The index of the first wanted name in a table's head, or -1."""
    return next((names.index(each) for each in wanted if each in names), -1)


def _with_fault(row: Row, what: str) -> Row:
    return replace(row, faults=(*row.faults, what)[:_MOST])


def _with_agent(row: Row, said: str) -> Row:
    if said.casefold() in NOTHING | {"default"} or said == row.agent:
        return row
    if row.agent:
        return replace(
            row,
            lacks=(*row.lacks, f"{row.name} has two agents, {row.agent} and {said[:80]}")[:_MOST],
        )
    return replace(row, agent=said[:80])


def _with_depends(row: Row, value: str) -> Row:
    names, wrong = names_in(value)
    for word in wrong:
        row = _with_fault(row, f"depends_on of {row.name} says '{word}', which is not a task id")
    both = dict.fromkeys((*(row.depends_on or ()), *names))
    return replace(row, depends_on=tuple(both)[:_MOST])


def _clauses(text: str) -> list[str]:
    spans = sorted(
        found.span() for pattern in (_DEPENDS, _DEPENDS_WORDS) for found in pattern.finditer(text)
    )
    starts = [start for start, _ in spans]
    return [
        _value(text[begin:end]) for (_, begin), end in zip(spans, [*starts[1:], None], strict=False)
    ]


def _value(text: str) -> str:
    """A clause's value: up to its closing bracket, a semicolon or the agent."""
    depth, end = 0, len(text)
    for at, sign in enumerate(text):
        if depth == 0 and sign in ")]};|":
            end = at
            break
        depth += (sign in "([{") - (sign in ")]}")
    cut = _AGENT.search(text, 0, end)
    return text[: cut.start() if cut else end].strip(" \t,;_([{")
