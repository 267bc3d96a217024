"""A dispatch read back from the prompt that Podium gives an agent: who is asked, for which
files, in which words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from podium.agents.protocol import Job
from podium.core.contract import Brief, Output

HEAD = re.compile(r"^# ([\w.-]+): (\S+)$(?=[\s\S]*^## Scope$)", re.MULTILINE)
"""The first line of a prompt whose scope follows somewhere."""
_TITLE = re.compile(r"^## (.+)$", re.MULTILINE)
_OUTPUT = re.compile(r"^- `(.+?)` \((.+)\)$")
_FACT = re.compile(r"^- ([^:\n]+): (.*)$")
_CLOSED = re.compile(r"^- (.+?) is one of: (.+?)\.?$")
_CHANGE = re.compile(r"^- You may change the project's code and tests(?: below (.+))?\.$")
NOWHERE = "/nowhere"
"""The folder of an agent that does not name its own."""
_FIELDS, _SECTIONS = "header lines: ", "sections, each as `## heading`: "
_CRITERIA = "criteria, each as `### id` with its `Status:`: "


@dataclass(frozen=True)
class Asked:
    """What a prompt asks for."""

    role: str
    key: str
    outputs: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    """(name, path, required structure as described)"""
    facts: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    """For each heading, the first and best of the words allowed under it."""
    changes: bool = False
    """Whether the project's code may be changed."""
    writable: tuple[str, ...] = ()


def read(text: str) -> Asked | None:
    """The dispatch that the text asks for; None if it is not a prompt of one."""
    head = HEAD.search(text)
    if head is None:
        return None
    parts = _parts(text[head.end() :])
    closed = [found for line in parts.get("How to report", ()) if (found := _CLOSED.match(line))]
    change = next(
        (found for line in parts.get("Scope", ()) if (found := _CHANGE.match(line))), None
    )
    return Asked(
        role=head[1],
        key=head[2],
        outputs=_outputs(parts.get("You must write", ())),
        facts={
            found[1]: found[2]
            for line in parts.get("Fixed values", ())
            if (found := _FACT.match(line))
        },
        words={found[1]: found[2].partition(",")[0] for found in closed},
        changes=change is not None,
        writable=tuple(change[1].split(", ")) if change and change[1] else (),
    )


def _parts(text: str) -> dict[str, list[str]]:
    """Lines by title. A role's definition may have the same titles; the brief's own come later
    and win.
    """
    pieces = _TITLE.split(text)
    return {
        title: body.splitlines() for title, body in zip(pieces[1::2], pieces[2::2], strict=True)
    }


def _outputs(lines: Sequence[str]) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    found: list[tuple[str, str, list[str]]] = []
    for line in lines:
        if named := _OUTPUT.match(line):
            found.append((named[2], named[1], []))
        elif found and line.startswith("  - "):
            found[-1][2].append(line[4:])
    return tuple((name, path, tuple(words)) for name, path, words in found)


def job_of(asked: Asked, folder: str) -> Job:
    """The dispatch as far as its prompt describes it: enough to write what it asks for."""
    return Job(
        brief=Brief(
            asked.key, asked.role, "", "", "", (), asked.outputs, "none", (), (), facts=asked.facts
        ),
        prompt="",
        folder=Path(folder or NOWHERE),
        scratch=Path(folder or NOWHERE),
        outputs=tuple(
            Output(name, path, compose=partial(_composed, asked, words) if words else None)
            for name, path, words in asked.outputs
        ),
        templates={},
        attempt=1,
        call=0,
        timeout_s=0.0,
        good_verdict={},
        proof_of_change=asked.changes and not asked.outputs,
        supervise=_nobody,  # type: ignore[arg-type]
        say=lambda _kind, _fields: None,
        writable=asked.writable,
    )


def _composed(
    asked: Asked, words: Sequence[str], members: Mapping[str, Any], _template: str
) -> str:
    """Header lines and sections as described, each with a fact, a word from its closed list, or
    nothing to report.
    """
    own: Mapping[str, Any] = members.get("sections", {})
    lines = [f"# {members.get('title') or asked.facts.get('Title') or asked.key}", ""]
    reviewed = ""
    for told in words:
        if told.startswith(_CRITERIA):
            reviewed = "\n\n".join(
                f"### {each}\n\nStatus: Pass" for each in told.removeprefix(_CRITERIA).split(", ")
            )
        elif told.startswith(_FIELDS):
            names = [name.strip().rstrip(":") for name in told.removeprefix(_FIELDS).split(",")]
            lines += [f"{name}: {asked.facts.get(name, 'none')}  " for name in names]
        elif told.startswith(_SECTIONS):
            for heading in told.removeprefix(_SECTIONS).split(", "):
                own_words = own.get(heading) or asked.words.get(heading)
                said = (
                    own_words
                    or (reviewed if "criteria" in heading.casefold() else "")
                    or "Nothing to report."
                )
                lines += ["", f"## {heading}", "", str(said)]
    return "\n".join(lines) + "\n"


def _nobody(*_argv: Any, **_more: Any) -> Any:
    raise RuntimeError("a dispatch that was read back from its prompt runs nothing")
