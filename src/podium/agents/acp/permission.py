"""Decides whether a tool may be used, from the step's contract, the tool's kinds and its paths.
Pure; fails closed.

A hard rule comes from the contract, and no person can be asked to widen it half-way. Where
something is merely unknown (no path, an undefined kind), a person may be asked if the settings say
so; otherwise it is refused too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from podium.core.contract import CodeAccess
from podium.core.globs import matches
from podium.core.lookalikes import EVERYWHERE, looks_like

Says = Literal["allow", "ask", "reject"]
_RANK: Mapping[Says, int] = {"allow": 0, "ask": 1, "reject": 2}
READS = frozenset({"read", "search"})
WRITES = frozenset({"edit", "delete", "move"})
EXECUTE = "execute"
_PRIVATE = (".git", ".git/**", "**/.git", "**/.git/**")
"""Git's hooks and settings: code that runs later, and that no contract covers."""


@dataclass(frozen=True)
class Scope:
    """The part of a contract that decides about tools. Patterns are relative to the agent's
    folder.
    """

    code: CodeAccess = "none"
    outputs: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    """Patterns of the code it may change where code is `write`; empty means all of it."""
    protected: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """What a tool asks to do."""

    kinds: frozenset[str]
    """The kind that the agent named, and those that its data shows; the strictest decides."""
    paths: tuple[str | None, ...] = ()
    """Relative to the agent's folder; None for a path outside it or one that could not be read."""
    reporting: bool = False
    """Whether it is the reporting tool that Podium offers."""


@dataclass(frozen=True)
class Decision:
    says: Says
    why: str


def decide(scope: Scope, wanted: Wanted) -> Decision:
    """The strictest decision that follows from any kind. Without a kind, nothing is known."""
    if None in wanted.paths:
        return Decision("reject", "a path lies outside the step's folder")
    paths = [each for each in wanted.paths if each is not None]
    if wanted.reporting and not paths:
        return Decision("allow", "it is the reporting tool")
    found = [_of_kind(scope, kind, paths) for kind in sorted(wanted.kinds)]
    return max(
        found or [Decision("ask", "it does not say what kind of tool it is")],
        key=lambda each: _RANK[each.says],
    )


def _of_kind(scope: Scope, kind: str, paths: Sequence[str]) -> Decision:
    if kind == EXECUTE:
        if scope.code != "write":
            return Decision("reject", "this step writes no code, so it runs no commands")
        return Decision("allow", "the step writes code, and may run commands in its folder")
    if kind == "switch_mode":
        return Decision("reject", "the mode is not the agent's to choose")
    if kind in WRITES:
        for path in paths:
            if why := _may_not_change(scope, path):
                return Decision("reject", f"{path or 'the folder itself'} {why}")
    elif kind not in READS:
        return Decision("ask", f"no contract allows a tool of the kind {kind[:40]!r}")
    if not paths:
        return Decision("ask", "it does not say which files it is about")
    return Decision("allow", "it stays within the step's contract")


def _may_not_change(scope: Scope, path: str) -> str:
    """Why this step may not change the file; empty if it may."""
    if not path or matches(path, _PRIVATE) or looks_like(path, EVERYWHERE):
        return "is not the step's to change"
    if matches(path, scope.outputs):
        return ""
    if matches(path, scope.protected):
        return "is protected"
    if path in scope.inputs:
        return "is an input"
    if scope.code != "write":
        return "is not an output of this step"
    if scope.writable and not matches(path, scope.writable):
        return "is outside what this step may change"
    return ""


def choose(options: Iterable[Any], kind: Literal["allow", "reject"]) -> str | None:
    """The id of the option that says so for this one time; None if no option clearly does."""
    known = [
        each
        for each in options
        if isinstance(each, Mapping) and isinstance(each.get("optionId"), str)
    ]
    ids = [each["optionId"] for each in known]
    for each in known:
        if each.get("kind") == f"{kind}_once" and ids.count(each["optionId"]) == 1:
            return str(each["optionId"])
    return None
