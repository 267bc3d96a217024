"""The tools that an agent definition names, translated into eight words that fit every program.

Programs have many names for the same ability. Names that are not known are kept apart: what a
definition says about tools helps to choose how a role is confined, but is never what keeps it in
bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, get_args

Ability = Literal["read", "edit", "execute", "search", "web", "agent", "todo", "mcp"]
ABILITIES: tuple[Ability, ...] = get_args(Ability)

_NAMES: Mapping[Ability, str] = {
    "read": "read readfile notebookread view cat open problems viewimage",
    "edit": "edit editfiles editfile write writefile multiedit notebookedit create createfile "
    "createdirectory rename replace"
    " strreplace applypatch patch",
    "execute": "execute bash bashoutput shell terminal run runcommand runcommands runinterminal runtests "  # noqa: E501
    ""
    ""
    "runtask runtasks killshell"
    " killbash powershell execcommand runshellcommand",
    "search": (
        "search grep glob ls list listdirectory codebase usages filesearch textsearch changes "
        "find semanticsearch"
    ),
    "web": "web webfetch websearch fetch googlewebsearch githubrepo openbrowserpage",
    "agent": "agent agents task runsubagent subagent customagent skill",
    "todo": "todo todos todowrite todoread managetodolist updateplan",
    "mcp": "mcp",
}
_KNOWN: Mapping[str, Ability] = {
    name: ability for ability, names in _NAMES.items() for name in names.split()
}
_EDITOR = frozenset({"vscode", "browser"})
"""An editor's own sets of tools: they are not servers, and only a tool's own name tells what it
does.
"""


def ability(name: str) -> Ability | None:
    """What a tool of that name can do; None if it is not known."""
    bare = name.partition("(")[0].strip()
    if bare.casefold().startswith("mcp__"):
        return "mcp"
    family, slash, own = bare.partition("/")
    if slash:
        found = _KNOWN.get(_folded(family)) or (
            _KNOWN.get(_folded(own)) if _folded(family) in _EDITOR else "mcp"
        )
        return found if own.strip() and family.strip() else None
    return _KNOWN.get(_folded(bare))


def abilities(names: Iterable[str]) -> tuple[tuple[Ability, ...], tuple[str, ...]]:
    """What the named tools can do, in a fixed order, and the unknown names; `*` means
    everything.
    """
    found: set[Ability] = set()
    unknown: list[str] = []
    for name in names:
        each = ability(name)
        if name.strip() == "*":
            found.update(ABILITIES)
        elif each is None:
            unknown.append(name)
        else:
            found.add(each)
    return tuple(each for each in ABILITIES if each in found), tuple(dict.fromkeys(unknown))


def listed(text: str) -> tuple[str, ...]:
    """The names in a text with commas; a comma in brackets belongs to its name, as in `Bash(git
    add, git mv)`.
    """
    names: list[str] = [""]
    depth = 0
    for sign in text:
        depth = max(0, depth + {"(": 1, ")": -1}.get(sign, 0))
        if sign == "," and not depth:
            names.append("")
        else:
            names[-1] += sign
    return tuple(name.strip() for name in names if name.strip())


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).casefold()
