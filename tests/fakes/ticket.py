"""A small repository for whole runs of `ticket`, driven in process: real files, real git, a test
command that can fail.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from tests.fakes.project import Project
from tests.fakes.repository import git, made

from podium.engine.outcome import Ended
from podium.wiring_values import RunOptions

JIRA = "PROJ-12"
WORDS = f"{JIRA} add a function that counts words"
FOLDER = f"prompts/{JIRA}"
BRANCH = f"feature/{JIRA}_function_counts_words"
FILES = {
    "src/app.py": "VALUE = 1\n",
    "src/old.py": "OLD = True\n",
    "README.md": "# A small project\n",
    "tests.sh": (
        'for file in src/*.py; do\n  if grep -q broken $file; then echo "FAILED $file: broken"; '
        "exit 1; fi\ndone\n"
    ),
    "podium.toml": '[commands]\ntest = "sh tests.sh"\n',
}
WELL: dict[str, Any] = {"behave": "well"}


def task(number: int, *files: str, **members: Any) -> dict[str, Any]:
    """A task of a plan; without files one of its own."""
    return {
        "id": f"TASK-{number}",
        "files_to_modify": list(files) or [f"src/task{number}.py"],
        **members,
    }


def planned(*tasks: Mapping[str, Any], **members: Any) -> dict[str, Any]:
    """A Planner's call that writes these tasks."""
    return {
        "behave": "well",
        "write": {"@tasks": {"template": "tasks", "tasks": list(tasks), **members}},
    }


def grouped(strategy: str, *tasks: Mapping[str, Any], **members: Any) -> dict[str, Any]:
    """A Planner's call with one group of that strategy."""
    ids = [each["id"] for each in tasks]
    order = [{"group": "A", "strategy": strategy, "tasks": ids}]
    return planned(
        *({**each, "parallel_group": "A"} for each in tasks), execution_order=order, **members
    )


def rejected(why: str = "not what was asked") -> dict[str, Any]:
    """A Reviewer's call that rejects."""
    return {
        "behave": "well",
        "write": {"@review": {"template": "review", "status": "REJECTED", "notes": why}},
        "verdict": {"status": "REJECTED", "evidence": why},
    }


def task_key(number: int, attempt: int = 1, iteration: int = 0) -> str:
    return f"iteration/{iteration}/task/TASK-{number}/{attempt}"


@dataclass
class TicketProject(Project):
    """One repository and the one run in it."""

    run_id: str = f"{JIRA}-0001"

    @classmethod
    def at(
        cls, tmp_path: Path, kind: Any = "repository", files: Mapping[str, str] | None = None
    ) -> TicketProject:
        home, root = tmp_path / "home", tmp_path / "project"
        home.mkdir(exist_ok=True)
        return cls(made(root, {**FILES, **(files or {})}, kind, named=True), home)

    def run(
        self,
        agents: Mapping[str, Any] | None = None,
        *,
        policy: Mapping[str, Any] | None = None,
        more: Mapping[str, Any] | None = None,
        task: str = WORDS,
        **options: Any,
    ) -> Ended:
        told = {"retry_backoff_s": 0.0, **(policy or {})}
        agent = options.pop("agent", None) or self.scenario(agents, **(more or {}))
        inputs = [task] if task else []
        ended = self.app.start("ticket", inputs, RunOptions(agent=agent, policy=told, **options))
        self.run_id = ended.run
        return ended

    # -- looking

    def yaml(self, path: str) -> Any:
        return YAML(typ="safe", pure=True).load(self.text(path))

    @property
    def progress(self) -> dict[str, Any]:
        found: dict[str, Any] = self.yaml(f"{FOLDER}/progress.yaml")
        return found

    def tasks(self, iteration: int = 0) -> dict[str, dict[str, Any]]:
        listed = self.yaml(f"{FOLDER}/iteration_{iteration}/tasks.yaml")["tasks"]
        return {each["id"]: each for each in listed}

    def statuses(self, iteration: int = 0) -> dict[str, tuple[str, int]]:
        return {
            name: (each["status"], each.get("attempt", 0))
            for name, each in self.tasks(iteration).items()
        }

    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text(f"{FOLDER}/log.jsonl").splitlines()]

    def logged(self) -> list[str]:
        return [each["event"].removeprefix("orchestrator.") for each in self.log()]

    def asked(self, *roles: str) -> list[str]:
        """Keys of dispatches in the order they began, of these roles or of all."""
        found = self.events("step.started", kind="dispatch")
        return [each["key"] for each in found if not roles or each["role"] in roles]

    def lines(self) -> list[str]:
        """The progress lines people saw."""
        return [each["text"] for each in self.events("ticket.progress")]

    def subjects(self, *more: str) -> list[str]:
        """Subjects of the commits on the branch that is checked out, newest first."""
        return git(self.root, "log", "--format=%s", *more).splitlines()

    def committed(self, commit: str = "HEAD") -> list[str]:
        return sorted(git(self.root, "show", "--format=", "--name-only", commit).split())

    def dirty(self) -> list[str]:
        return git(self.root, "status", "--porcelain").splitlines()


Calls = Sequence[Mapping[str, Any]]
