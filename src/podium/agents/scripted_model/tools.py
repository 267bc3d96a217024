"""Turns what a script wants done into a call of a tool that the agent declared."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from podium.agents.scripted_model.conversation import Declared, ToolCall
from podium.agents.scripted_model.script import Act, Ending, Json, Read, Run, Tool, Write

Tools = Mapping[str, Declared]

_PATHS = (
    "file_path",
    "filePath",
    "path",
    "absolute_path",
    "absolutePath",
    "filename",
    "target_file",
    "file",
)
_CONTENTS = ("content", "file_text", "contents", "new_content", "text", "new_text")
_COMMANDS = ("command", "cmd", "commands", "script")
_PATCHES = ("input", "patch", "patchText", "patch_text")
_WRITERS = (
    "Write",
    "write_file",
    "WriteFile",
    "write",
    "create",
    "create_file",
    "write_to_file",
    "editor",
    "str_replace_editor",
    "apply_patch",
)
_READERS = ("Read", "read_file", "ReadFile", "read", "view", "read_files")
_SHELLS = (
    "Bash",
    "bash",
    "run_shell_command",
    "exec_command",
    "shell_command",
    "shell",
    "Shell",
    "execute_command",
    "run_commands",
    "exec",
)
_ANSWERS = ("StructuredOutput", "structured_output")
_BLANK: Mapping[str, Any] = {"boolean": False, "integer": 1, "number": 1, "array": [], "object": {}}


def call_for(act: Act, tools: Tools) -> ToolCall | None:
    """The call that does it; None if no declared tool can."""
    match act:
        case Tool(name, arguments):
            return _named(tools.get(name) or Declared(name), dict(arguments))
        case Ending(name, arguments):
            found = next((tools[each] for each in tools if each.endswith(name)), None)
            if found is None or found.freeform:
                return _named(found, dict(arguments)) if found else None
            return _called(found, arguments)
        case Json(data):
            tool = _first(_ANSWERS, tools)
            return _named(tool, data) if tool and isinstance(data, Mapping) else None
        case Run(command):
            return _shell(command, tools)
        case Read(path):
            return _read(path, tools)
        case Write(path, content):
            return _write(path, content, tools)


def _named(tool: Declared, arguments: Any) -> ToolCall:
    return ToolCall(
        tool.name, json.dumps(arguments) if tool.freeform else arguments, tool.namespace
    )


def _shell(command: str, tools: Tools) -> ToolCall | None:
    tool = _first(_SHELLS, tools)
    if tool is None:
        return None
    if tool.freeform:  # it takes a JavaScript program whose only way to the system is another tool
        asked = json.dumps({"cmd": command})
        program = (
            f"const r = await tools.exec_command({asked});\ntext(r.output ?? JSON.stringify(r));\n"
        )
        return ToolCall(tool.name, program, tool.namespace)
    key = _member(tool, _COMMANDS) or "command"
    wanted: Any = command
    if tool.properties.get(key, {}).get("type") == "array":
        wanted = ["bash", "-lc", command] if key == "command" else [command]
    return _called(tool, {key: wanted})


def _read(path: str, tools: Tools) -> ToolCall | None:
    tool = _first(_READERS, tools)
    if tool is None:
        return _shell(f"cat {shlex.quote(path)}", tools)
    return _called(tool, {_member(tool, _PATHS) or "path": path})


def _write(path: str, content: str, tools: Tools) -> ToolCall | None:
    tool = _first(_WRITERS, tools)
    if tool is None:
        return _shell(shell_write(path, content), tools)
    if tool.name == "apply_patch":
        if tool.freeform:
            return ToolCall(tool.name, _patch(path, content), tool.namespace)
        return _called(tool, {_member(tool, _PATCHES) or "input": _patch(path, content)})
    wanted = {_member(tool, _PATHS) or "path": path, _member(tool, _CONTENTS) or "content": content}
    if "command" in tool.properties:  # one tool for several kinds of edit
        wanted["command"] = "create"
    return _called(tool, wanted)


def shell_write(path: str, content: str, redirect: str = ">") -> str:
    folder = path.rpartition("/")[0]
    make = f"mkdir -p {shlex.quote(folder)} && " if folder else ""
    return f"{make}printf %s {shlex.quote(content)} {redirect} {shlex.quote(path)}"


def _patch(path: str, content: str) -> str:
    body = "".join(f"+{line}\n" for line in content.removesuffix("\n").split("\n"))
    return f"*** Begin Patch\n*** Add File: {path}\n{body}*** End Patch\n"


def _called(tool: Declared, wanted: Mapping[str, Any]) -> ToolCall:
    """The call, with a harmless value for every other member that the tool requires."""
    arguments = dict(wanted)
    required = tool.schema.get("required")
    for name in required if isinstance(required, list) else ():
        arguments.setdefault(name, _harmless(tool.properties.get(name, {})))
    return ToolCall(tool.name, arguments, tool.namespace)


def _harmless(schema: Mapping[str, Any]) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    return _BLANK.get(kind[0] if isinstance(kind, list) and kind else str(kind), "scripted")


def _first(names: Sequence[str], tools: Tools) -> Declared | None:
    return next((tools[name] for name in names if name in tools), None)


def _member(tool: Declared, names: Sequence[str]) -> str:
    return next((name for name in names if name in tool.properties), "")
