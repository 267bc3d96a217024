"""Jobs for agents under test: a real folder, a real supervisor, a transcript that is a list."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from podium.agents.environment import agent_environment
from podium.agents.process import Supervisor
from podium.agents.protocol import Job
from podium.core.contract import Brief, Output

T = TypeVar("T")


def spec(members: Mapping[str, Any], template: str) -> str:
    if "wrong" in members:
        raise KeyError("wrong")
    return f"{template}title: {members.get('title', 'Untitled')}\n"


SPEC = Output("spec", "docs/spec.md", compose=spec)
NOTES = Output("notes", "docs/notes.md")
PLAN = Output("plan", "plans/plan.json")


@dataclass
class Stage:
    """A folder to work in and all that was said."""

    root: Path
    said: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.root / "view"

    @property
    def scratch(self) -> Path:
        return self.root / "scratch"

    def job(self, **changes: Any) -> Job:
        for folder in (self.folder, self.scratch):
            folder.mkdir(exist_ok=True)
        key, role = changes.pop("key", "specification"), changes.pop("role", "po-spec")
        brief = Brief(key, role, "", "", "", (), (), "none", (), ())
        job = Job(
            brief=brief,
            prompt="Write the specification.\n",
            folder=self.folder,
            scratch=self.scratch,
            outputs=(SPEC, NOTES, PLAN),
            templates={"spec": "# Spec\n"},
            attempt=1,
            call=0,
            timeout_s=20.0,
            good_verdict={"status": "done", "summary": "all good"},
            proof_of_change=False,
            supervise=Supervisor(),
            say=lambda kind, fields: self.said.append((kind, dict(fields))),
            environment=agent_environment((), os.environ, {}, dispatch=f"{self.root}/{key}"),
            lacks=lambda path: not os.path.lexists(self.folder / path),
        )
        return replace(job, **changes)

    def acts(self, kind: str) -> list[dict[str, Any]]:
        return [fields for each, fields in self.said if each == kind]


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def until(holds: Callable[[], bool], *, seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.01)
    return holds()


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def still_writing(*paths: Path) -> bool:
    before = [size(path) for path in paths]
    time.sleep(0.3)
    return [size(path) for path in paths] != before
