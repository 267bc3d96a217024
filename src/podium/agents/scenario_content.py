"""What a scenario makes an agent write: bytes and their place, for one dispatch and its
contract.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podium.agents import acts
from podium.agents.acts import Act
from podium.agents.protocol import Job
from podium.agents.scenario import Content, Copy, Document, Template
from podium.core.contract import Output
from podium.core.globs import matches

_COMMENTS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(
        (
            "c",
            "cc",
            "cpp",
            "cs",
            "cjs",
            "dart",
            "go",
            "h",
            "hpp",
            "java",
            "js",
            "jsx",
            "kt",
            "kts",
            "mjs",
            "php",
            "proto",
            "rs",
            "scala",
            "scss",
            "swift",
            "ts",
            "tsx",
            "zig",
        ),
        ("// ", ""),
    ),
    **dict.fromkeys(("htm", "html", "md", "svelte", "svg", "vue", "xml"), ("<!-- ", " -->")),
    **dict.fromkeys(("elm", "hs", "lua", "sql"), ("-- ", "")),
    **dict.fromkeys(("css", "less"), ("/* ", " */")),
    "txt": ("", ""),
}
"""How a comment is written, by file extension; `#` for an unknown one."""


class Unplayable(Exception):
    """The scenario asks for something that this dispatch does not have."""


class Contents:
    """Contents for one job; `folder` is the scenario's own."""

    def __init__(self, job: Job, folder: Path) -> None:
        self.job = job
        self.folder = folder

    def good(self, *, sent: bool = False) -> list[Act]:
        """The shortest output that satisfies the contract.

        `sent`: the scenario sends a verdict of its own, so no document is written that would
        contradict it.
        """
        wanted = []
        for output in self.job.outputs:
            if (output.optional and not output.usual) or (sent and output.spelled is not None):
                continue
            data = self.composed(output, {}) if output.compose else f"{output.name}\n"
            wanted.append(acts.write(output.example or output.path, data.encode()))
        if self.job.proof_of_change:
            wanted.append(self.change())
        return wanted

    def change(self) -> Act:
        """A harmless change: a new file, or a comment in one that may be changed. Appended, so
        that doing the same task a second time changes something too.
        """
        key, attempt, writable = self.job.brief.key, self.job.attempt, self.job.writable
        text, name = f"{key}, attempt {attempt}", f"{key.replace('/', '-')}-{attempt}"
        path = f"work/{name}.txt"
        if not writable or matches(path, writable):
            return acts.add_line(path, f"{text}\n".encode())
        path = next((place for pattern in writable if (place := _inside(pattern, name))), path)
        begin, end = _COMMENTS.get(os.path.splitext(path)[1][1:], ("# ", ""))
        return acts.add_line(path, f"{begin}{text}{end}\n".encode(), in_folder=f"{name}.txt")

    def place(self, path: str) -> str:
        """The path in the folder.

        `@name` is the output of that name, `tasks/x.md` one of the outputs in `…/tasks/`.
        """
        if path.startswith("@"):
            found = self.output(path[1:])
            return found.example or found.path
        for output in self.job.outputs:
            folder, _, name = path.partition("/")
            home = os.path.dirname(output.path)
            if output.many and name and "/" not in name and os.path.basename(home) == folder:
                return f"{home}/{name}"
        return path

    def output(self, name: str) -> Output:
        for output in self.job.outputs:
            if output.name == name:
                return output
        known = ", ".join(f"@{output.name}" for output in self.job.outputs) or "none"
        raise Unplayable(f"{self.job.brief.key} has no output @{name}; its outputs: {known}")

    def composed(self, output: Output, members: Mapping[str, Any]) -> str:
        if output.compose is None:
            raise Unplayable(f"the output {output.name!r} has no template; write it as text")
        try:
            return output.compose(members, self.job.templates.get(output.name, ""))
        # a person wrote the members, so any fault is about them
        except Exception as fault:  # noqa: BLE001
            raise Unplayable(f"template {output.name}: {type(fault).__name__}: {fault}") from None

    def bytes_of(self, path: str, content: Content) -> bytes:
        match content:
            case str():
                return content.encode()
            case Copy(file):
                try:
                    return (self.folder / file).read_bytes()
                except OSError as fault:
                    raise Unplayable(
                        f"write {path}: cannot copy {file}: {fault.strerror}"
                    ) from None
            case Template(name, members):
                return self.composed(self.output(name), members).encode()
            case Document(data):
                named = self.output(path[1:]) if path.startswith("@") else None
                if named is not None and named.compose is not None and named.path.endswith(".md"):
                    return self.composed(named, data).encode()
                return _document(self.place(path), data).encode()


def _inside(pattern: str, name: str) -> str:
    """A file that the pattern matches: the one it names, or a new name; empty if none can be
    made up.
    """
    plain = pattern.rstrip("/")
    if not any(sign in plain for sign in "*?"):
        return f"{plain}/{name}.txt" if pattern != plain else plain
    above = re.split(r"[*?]", plain, maxsplit=1)[0].rpartition("/")[0]
    ending = os.path.splitext(plain)[1]
    path = f"{above}/{name}" if above else name
    path += ".txt" if not ending or "*" in ending else ending
    return path if matches(path, (pattern,)) else ""


def _document(path: str, data: Any) -> str:
    if path.endswith(".json"):
        import json  # noqa: PLC0415  # only for a document given as data

        return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    if path.endswith((".yaml", ".yml")):
        import io  # noqa: PLC0415

        from ruamel.yaml import YAML  # noqa: PLC0415

        text = io.StringIO()
        YAML(pure=True).dump(data, text)
        return text.getvalue()
    raise Unplayable(
        f"{path} takes text, {{copy: FILE}} or {{template: NAME, …}}, not a document as data"
    )
