"""A small project with a roadmap, driven in process: real files, real git, the scripted agent."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.fakes.project import Project
from tests.fakes.repository import Kind, git, made

from podium.engine.outcome import Ended
from podium.wiring_values import RunOptions

FILE = "roadmap.json"
EMPTY = {"patterns": [], "constraints": [], "risks": [], "fileLocations": [], "openDecisions": []}
KNOWN = {**EMPTY, "patterns": ["services live in src/services"], "risks": ["the cache is shared"]}
"""What a planner found out about an item."""
PASSES = "test ! -e src/broken.py"
"""A verification command that a file of the item decides."""

_FILES = {"src/app.py": "VALUE = 1\n", ".gitignore": "*.log\n", "README.md": "# A small project\n"}


def item(id: str | int, complexity: str = "simple", **members: Any) -> dict[str, Any]:
    return {
        "id": id,
        "title": f"Item {id}",
        "priority": 1,
        "complexity": complexity,
        "status": "ready",
        "passes": False,
        "ownerAgent": "Implement",
        "dependencies": [],
        "acceptanceCriteria": [f"{id} works"],
        "verification": [PASSES],
        "retryCount": 0,
        "planningResearch": None,
        **members,
    }


# -- what agents say


def built(
    path: str = "src/new.py", text: str = "NEW = 1\n", note: str = "adds it", **more: Any
) -> dict[str, Any]:
    """Implement that changes one file."""
    verdict = {"status": "success", "files": [{"path": path, "note": note}]}
    return {"write": {path: text}, "verdict": verdict, "say": note, **more}


def failing(*failures: str) -> dict[str, Any]:
    return {
        "verdict": {"status": "needs_revision", "tests": "fail", "failures": list(failures)},
        "say": "tests fail",
    }


def drift(*failures: str) -> dict[str, Any]:
    told = {"status": "needs_revision", "validation": "drift_detected", "failures": list(failures)}
    return {"verdict": told, "say": "it drifts"}


def reviewed(
    word: str = "ship", *failures: str, status: str = "success", **checks: str
) -> dict[str, Any]:
    told = {"lint": "pass", "typecheck": "pass", "build": "pass", **checks}
    verdict = {"status": status, "review": word, "checks": told, "failures": list(failures)}
    return {"verdict": verdict, "say": "reviewed"}


class Road(Project):
    """One project, its roadmap and the one run over it."""

    @classmethod
    def of(
        cls, tmp_path: Path, *items: Mapping[str, Any], text: str = "", kind: Kind = "repository"
    ) -> Road:
        root, home = tmp_path / "project", tmp_path / "home"
        home.mkdir(exist_ok=True)
        whole = text or json.dumps({"items": list(items)}, indent=2) + "\n"
        return cls(made(root, {**_FILES, FILE: whole}, kind), home, run_id="roadmap-0001")

    def go(
        self,
        agents: Mapping[str, Any] | None = None,
        *inputs: str,
        keys: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Any] | None = None,
        policy: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Ended:
        """A run with these calls by role and by key; everybody else behaves well."""
        file = self.root.parent / "scenario.yaml"
        told = {
            "agents": agents or {},
            "keys": keys or {},
            "defaults": defaults or {"behave": "well"},
        }
        file.write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
        return self._started(f"scripted:{file}", inputs, policy, options)

    def _started(
        self,
        agent: str,
        inputs: Sequence[str],
        policy: Mapping[str, Any] | None,
        options: Mapping[str, Any],
    ) -> Ended:
        told = {"retry_backoff_s": 0.0, **(policy or {})}
        ended = self.app.start(
            "roadmap", list(inputs), RunOptions(agent=agent, policy=told, **options)
        )
        self.run_id = ended.run
        return ended

    def plan(self, *calls: Mapping[str, Any], goal: str = "Count words", **options: Any) -> Ended:
        """A Planner that is asked with these calls."""
        return self.go({"planner": list(calls)} if calls else None, "plan", goal, **options)

    # -- looking

    @property
    def items(self) -> list[dict[str, Any]]:
        found = json.loads(self.text(FILE))
        items: list[dict[str, Any]] = found["items"] if isinstance(found, dict) else found
        return items

    def item(self, id: str | int) -> dict[str, Any]:
        (found,) = [each for each in self.items if each["id"] == id]
        return found

    def set(self, id: str | int, **members: Any) -> None:
        """A person edits one item of the file."""
        found = json.loads(self.text(FILE))
        items = found["items"] if isinstance(found, dict) else found
        for each in items:
            if each["id"] == id:
                each.update(members)
        self.write(FILE, json.dumps(found, indent=2) + "\n")

    def statuses(self) -> dict[Any, str]:
        return {each["id"]: each["status"] for each in self.items}

    def dispatched(self) -> list[str]:
        """Keys of the dispatches in order, each as often as it was asked."""
        return [each["key"] for each in self.events("step.started", kind="dispatch")]

    def steps_of(self, id: str) -> list[str]:
        """The dispatches and checks of one item without its key."""
        start = f"item/{id}/"
        return [key.removeprefix(start) for key in self.started() if key.startswith(start)]

    def picked(self) -> list[str]:
        """Items in the order in which they were begun."""
        return [each["verdict"] for each in self.events("step.finished", classification="picked")]

    def child(self, key: str) -> Path:
        """The folder of an item's own run: `US-1`."""
        return self.folder / "children" / "item" / key

    def step(self, key: str, name: str) -> Path:
        home = key.split("/")[1] if key.startswith("item/") else ""
        return (self.child(home) if home else self.folder) / "steps" / key / name

    def reports(self) -> list[str]:
        return [str(each["text"]) for each in self.events("roadmap.iteration")]

    def commits(self) -> list[str]:
        """Subjects on the branch since the project was made, oldest first."""
        return git(self.root, "log", "--reverse", "--format=%s").splitlines()[1:]

    def git_status(self) -> list[str]:
        return git(self.root, "status", "--short").splitlines()

    def committed(self, subject: str) -> list[str]:
        """The files of one commit."""
        (found,) = git(self.root, "log", "--format=%H", f"--grep=^{subject}").split()
        return git(self.root, "show", "--format=", "--name-only", found).split()


Make = Callable[..., Road]
