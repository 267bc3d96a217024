"""An agent definition file: a head about the agent, and below it the Markdown that is the
definition.

Several programs read such files, and each accepts something that the others refuse. The place of a
file tells which program it is for: what Claude Code tolerates is read with a warning, what Copilot
would not load is an error, and a file of our own needs no head at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from podium.core.errors import Fault, InputError
from podium.formats import agent_head
from podium.formats.agent_tools import ABILITIES, Ability, abilities, listed

Reader = Literal["claude", "copilot", "podium"]
"""The program for which a file is written."""
LARGEST = 1_000_000
"""Bytes; the largest definition seen in practice has a hundredth of this."""
LONGEST_IN_THE_CLOUD = 30_000
_NEEDED: Mapping[Reader, tuple[str, ...]] = {
    "claude": ("name", "description"),
    "copilot": ("description",),
    "podium": (),
}
_PROGRAM: Mapping[Reader, str] = {"claude": "Claude Code", "copilot": "Copilot"}


@dataclass(frozen=True)
class AgentFile:
    """One definition, parsed."""

    body: str
    """The definition itself."""
    head: Mapping[str, Any] = field(default_factory=dict)
    """Every key of the head as written, including unknown ones."""
    tools: tuple[str, ...] | None = None
    """The tools it names; None if it says nothing about tools, which means all; () if it wants
    none.
    """
    abilities: tuple[Ability, ...] = ABILITIES
    """The same in our words, without the disallowed ones."""
    unknown_tools: tuple[str, ...] = ()
    warnings: tuple[Fault, ...] = ()

    def text(self, name: str) -> str:
        """One value of the head as text; empty if it is not text."""
        found = self.head.get(name)
        return found.strip() if isinstance(found, str) else ""

    @property
    def models(self) -> tuple[str, ...]:
        """The models it asks for, best first."""
        return _texts(self.head.get("model")) or ()


def reader_of(path: str) -> Reader:
    """Whose file this is, judged by its place or its name."""
    place = f"/{path.replace(chr(92), '/')}"
    if "/.claude/agents/" in place or "/.kimi-code/agents/" in place:
        return "claude"
    if "/.github/agents/" in place or "/.copilot/agents/" in place or place.endswith(".agent.md"):
        return "copilot"
    return "podium"


def parse(data: bytes, where: str, reader: Reader | None = None) -> AgentFile:
    """The definition in the bytes of a file; InputError if its reader would not load it."""
    reader = reader or reader_of(where)
    text = _text(data, where)
    parts = agent_head.split(text)
    if parts is None:
        return AgentFile(text, warnings=_headless(text, where, reader))
    head_text, body = parts
    read = agent_head.leniently if reader == "claude" else agent_head.strictly
    try:
        head = read(head_text, where)
    except InputError as error:
        raise InputError([_with_a_way_out(each, reader) for each in error.faults]) from None
    tools, doubts = _tools(head.values, where)
    if doubts and reader != "claude":
        raise InputError(doubts)
    allowed, unknown = abilities(tools) if tools is not None else (ABILITIES, ())
    refused, _ = abilities(
        each for each in _texts(head.values.get("disallowedTools")) or () if "(" not in each
    )
    return AgentFile(
        body=body.lstrip("\n"),
        head=head.values,
        tools=tools,
        abilities=tuple(each for each in allowed if each not in refused),
        unknown_tools=unknown,
        warnings=(
            *head.warnings,
            *doubts,
            *_lacking(head.values, where, reader),
            *_long(body, where, reader),
        ),
    )


def _text(data: bytes, where: str) -> str:
    if len(data) > LARGEST:
        raise InputError(
            Fault(where, f"has {len(data):,} bytes", f"a definition has {LARGEST:,} at most")
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise InputError(Fault(where, "is not UTF-8", "save it as UTF-8")) from fault
    if "\0" in text:
        raise InputError(Fault(where, "holds a NUL, so it is not text", "name a Markdown file"))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _headless(text: str, where: str, reader: Reader) -> tuple[Fault, ...]:
    if reader == "podium":
        return ()
    if text.split("\n", 1)[0].rstrip() == agent_head.FENCE:
        what = (
            "the head that line 1 opens is never closed, so all of it is taken for the definition"
        )
    else:
        what = f"has no head, so {_PROGRAM[reader]} itself would not load it"
    return (Fault(where, what, "begin with `---`, `name: …`, `description: …`, `---`"),)


def _with_a_way_out(fault: Fault, reader: Reader) -> Fault:
    if fault.mend:
        return fault
    who = f"{_PROGRAM[reader]} would not load it either; " if reader in _PROGRAM else ""
    return Fault(
        fault.where,
        fault.what,
        f"{who}put a value with a colon in it in quotes, and indent with spaces",
    )


def _lacking(head: Mapping[str, Any], where: str, reader: Reader) -> tuple[Fault, ...]:
    gone = [
        name
        for name in _NEEDED[reader]
        if not (isinstance(head.get(name), str) and head[name].strip())
    ]
    return tuple(
        Fault(where, f"the head has no {name}", f"{_PROGRAM[reader]} needs one") for name in gone
    )


def _long(body: str, where: str, reader: Reader) -> tuple[Fault, ...]:
    if reader != "copilot" or len(body) <= LONGEST_IN_THE_CLOUD:
        return ()
    what = f"the definition has {len(body):,} characters"
    return (Fault(where, what, f"Copilot in the cloud takes {LONGEST_IN_THE_CLOUD:,}"),)


def _tools(head: Mapping[str, Any], where: str) -> tuple[tuple[str, ...] | None, tuple[Fault, ...]]:
    """The tools it names, and what is wrong with the way it names them."""
    said = head.get("tools")
    if isinstance(said, Mapping):  # an older form: a name, and whether the tool is on
        return tuple(str(name) for name, on in said.items() if on is True), ()
    found = _texts(said)
    if found is None and said is not None:
        return None, (
            Fault(where, f"tools is {said!r}", "write a list of names, or a text with commas"),
        )
    return found, ()


def _texts(said: Any) -> tuple[str, ...] | None:
    """A list of texts, or one text with commas; None if the value is missing or something else."""
    if isinstance(said, str):
        return listed(said)
    if isinstance(said, list) and all(isinstance(each, str) for each in said):
        return tuple(each.strip() for each in said if each.strip())
    return None
