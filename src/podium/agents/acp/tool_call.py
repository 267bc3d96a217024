"""A tool call as an agent describes it, read directly from the wire. Unreadable parts are never
dropped silently.

The SDK's models drop entries that they cannot validate. A dropped path would be a path nobody
judged, so tool calls are read here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from podium.agents.reporting.server import NAME

MOST_PATHS = 200
_LONGEST_PATH = 4096
_LONGEST_TEXT = 500
_PATH_NAMES = frozenset(
    {
        "path",
        "paths",
        "file",
        "files",
        "file_path",
        "filepath",
        "filename",
        "file_paths",
        "absolute_path",
        "abs_path",
        "notebook_path",
        "target_file",
        "relative_path",
        "old_path",
        "new_path",
        "source",
        "destination",
        "source_path",
        "destination_path",
        "dir",
        "dir_path",
        "directory",
        "folder",
        "cwd",
        "workdir",
        "working_directory",
        "root",
        "uri",
    }
)
"""Names of tool inputs that hold paths, in snake case. Programs do not agree on one name."""
_COMMAND_NAMES = ("command", "cmd", "script")
_EDITOR_WORDS = frozenset({"view", "create", "str_replace", "insert", "undo_edit"})
"""What editors call their own commands; these start no program."""
_REPORTING = re.compile(
    rf"(?:mcp__{NAME}__|mcp\.{NAME}\.|(?:Tool: )?{NAME}[_./:-]+|{NAME}\()(?:report|ask)\)?"
    rf"|(?:report|ask) \({NAME} MCP Server\)"
)


@dataclass(frozen=True)
class ToolCall:
    """Everything said so far about one call."""

    ident: str
    kind: str = ""
    title: str = ""
    status: str = ""
    paths: tuple[str, ...] = ()
    """As the agent wrote them: absolute, or relative to its folder."""
    command: str = ""
    edits: bool = False
    """Whether it contains a change to a file."""
    server: bool = False
    """Whether its input says that it calls a tool of the reporting server."""
    unreadable: bool = False
    """Whether something that should be a path could not be read."""
    tool: str = ""
    """The tool's name, if the program sends it in addition to a title for people."""
    given: bool = False
    """Whether its input was sent as data."""

    @property
    def reporting(self) -> bool:
        """Whether it is the reporting tool. The name is not enough: some agents give such calls
        the kind `execute`.
        """
        named = is_reporting(self.title) or is_reporting(self.tool)
        return (
            named and not (self.command or self.edits) and (self.kind != "execute" or self.server)
        )

    @property
    def kinds(self) -> frozenset[str]:
        """The kind it claims, and the kinds that its content shows."""
        shown = ({"execute"} if self.command else set()) | ({"edit"} if self.edits else set())
        return frozenset(({self.kind} if self.kind else set()) | shown)


def read_tool_call(
    raw: Any, known: ToolCall | None = None, *, writes_out: bool = False
) -> ToolCall:
    """The call with what this message adds. Paths are only ever added, so no later message hides an
    earlier one.

    `writes_out`: whether this program sends the input of a call as text until the call is allowed.
    For any other program such a text is only shown to people and must not decide anything.
    """
    if not isinstance(raw, Mapping):
        return replace(known, unreadable=True) if known else ToolCall("", unreadable=True)
    base = known or ToolCall(_text(raw.get("toolCallId")))
    title, tool = _text(raw.get("title")) or base.title, _tool_name(raw) or base.tool
    status, given = _text(raw.get("status")) or base.status, raw.get("rawInput")
    if writes_out and not given and not base.given and status not in {"completed", "failed"}:
        given = _written_out(raw)
    found, unreadable = _paths(raw, {} if is_reporting(title) or is_reporting(tool) else given)
    paths = tuple(dict.fromkeys((*base.paths, *found)))
    return replace(
        base,
        kind=_text(raw.get("kind")) or base.kind,
        title=title,
        tool=tool,
        given=base.given or bool(raw.get("rawInput")),
        status=status,
        paths=paths[:MOST_PATHS],
        command=_command(given) or base.command,
        server=base.server or _names_server(raw.get("rawInput")),
        edits=base.edits or any(_is_diff(each) for each in _list(raw.get("content"))),
        unreadable=base.unreadable or unreadable or len(paths) > MOST_PATHS,
    )


def is_reporting(title: str) -> bool:
    """Whether this is how a client names a tool of the server that Podium offers."""
    return _REPORTING.fullmatch(title.strip()) is not None


def _tool_name(raw: Mapping[str, Any]) -> str:
    more = raw.get("_meta")
    return _text(more.get("toolName")) if isinstance(more, Mapping) else ""


def _names_server(given: Any) -> bool:
    return (
        isinstance(given, Mapping)
        and given.get("server") == NAME
        and given.get("tool") in ("report", "ask")
    )


def _written_out(raw: Mapping[str, Any]) -> Any:
    """The input of a call that has not ended, if its only text is a JSON object."""
    parts = [each.get("content") for each in _list(raw.get("content")) if isinstance(each, Mapping)]
    texts = [each.get("text") for each in parts if isinstance(each, Mapping)]
    try:
        found = json.loads(texts[0]) if len(texts) == 1 and isinstance(texts[0], str) else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, Mapping) else None


def _paths(raw: Mapping[str, Any], given: Any) -> tuple[list[str], bool]:
    """Every path in the locations, diffs and input of a tool call, and whether one could not be
    read.
    """
    said: list[Any] = []
    locations = raw.get("locations")
    if locations is not None and not isinstance(locations, list):
        said.append(None)
    said += [each.get("path") if isinstance(each, Mapping) else None for each in _list(locations)]
    said += [each.get("path") for each in _list(raw.get("content")) if _is_diff(each)]
    if isinstance(given, Mapping):
        said += _named(given)
    good = [
        each
        for each in said
        if isinstance(each, str) and 0 < len(each) <= _LONGEST_PATH and "\0" not in each
    ]
    return good, len(good) != len(said)


def _named(given: Mapping[str, Any]) -> Iterator[Any]:
    for name, value in given.items():
        folded = "".join(
            f"_{sign.lower()}" if sign.isupper() else sign for sign in str(name)
        ).lstrip("_")
        if folded in _PATH_NAMES and value not in (None, ""):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, Mapping):
                    yield from _named(each)
                else:
                    yield each
        elif folded in {"changes", "edits", "file_changes"}:
            if isinstance(value, Mapping):
                yield from value  # keyed by path
            for each in _list(value):
                if isinstance(each, Mapping):
                    yield from _named(each)


def _command(given: Any) -> str:
    """The command it would run, as text; empty if it runs none."""
    if not isinstance(given, Mapping):
        return ""
    for name in _COMMAND_NAMES:
        value = given.get(name)
        if isinstance(value, list):
            value = " ".join(map(str, value[:100]))
        if isinstance(value, str) and value.strip() and value not in _EDITOR_WORDS:
            return value[:_LONGEST_TEXT]
    return ""


def _is_diff(content: Any) -> bool:
    return isinstance(content, Mapping) and content.get("type") == "diff"


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value[:_LONGEST_TEXT] if isinstance(value, str) else ""
