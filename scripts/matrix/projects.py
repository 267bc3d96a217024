"""The list of real projects."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from scripts.matrix import HERE


@dataclass(frozen=True)
class Project:
    """One project: where it comes from, how it is tested, and a line that its tests notice."""

    name: str
    kind: str
    version: str
    runner: str
    source: str
    """pip, npm, source (of a Debian package) or deb (what such a package installs)."""
    get: str
    test: str
    file: str
    line: str
    broken: str
    setup: tuple[str, ...] = ()
    folder: str = ""
    """Where the project lies in what was unpacked."""
    needs: tuple[str, ...] = ()
    """Programs that have to be installed."""
    seconds: float = 0.0
    """How long its tests take."""
    failed: int = 0
    """Tests that fail as it comes."""
    ignore: tuple[str, ...] = field(default=(), repr=False)
    comment: str = "#"

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(program for program in self.needs if shutil.which(program) is None)

    @property
    def reviewed(self) -> str:
        """The line with a comment: a change that breaks nothing."""
        text = self.line.rstrip("\n")
        end = " */" if self.comment == "/*" else ""
        return f"{text} {self.comment} reviewed{end}" + self.line[len(text) :]


@cache
def projects() -> Mapping[str, Project]:
    """All of them, those with quick tests first."""
    data = tomllib.loads((HERE / "projects.toml").read_text(encoding="utf-8"))
    read = [_project(entry, data["kinds"][entry["kind"]]) for entry in data["projects"]]
    return {project.name: project for project in sorted(read, key=lambda one: one.seconds)}


def _project(entry: Mapping[str, Any], kind: Mapping[str, Any]) -> Project:
    values = {**kind, **entry}
    values["source"] = values.pop("from")
    lists = ("setup", "needs", "ignore")
    return Project(**{**values, **{name: tuple(values.get(name, ())) for name in lists}})


def chosen(names: Collection[str]) -> list[Project]:
    """Projects by name or by kind; all for none. KeyError for a name that is neither."""
    known = projects()
    kinds = {project.kind for project in known.values()}
    if unknown := [name for name in names if name not in known and name not in kinds]:
        raise KeyError(f"no project or kind {unknown[0]!r}; known: {', '.join(known)}")
    return [
        project
        for project in known.values()
        if not names or project.name in names or project.kind in names
    ]
