"""A project in which a feature is made, and words for its scenarios: plans, task files, answers
of agents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.project import Project, make

from podium.engine.outcome import Ended
from podium.wiring_values import RunOptions

REQUEST = "Count words"
SLUG = "count-words"
FOLDER = f"docs/feature/{SLUG}"
RESEARCHERS = ("architecture", "impact", "dependencies", "patterns")
CT = ("ct-security", "ct-scalability", "ct-maintainability", "ct-strategy")
V = ("v-tests", "v-tasks", "v-feature")
R = ("r-quality", "r-security", "r-testing", "r-knowledge")
WELL: dict[str, Any] = {"behave": "well"}
ERROR: dict[str, Any] = {"say": "ERROR: it cannot be done"}


def says(status: str, **members: Any) -> dict[str, Any]:
    """A good answer but for the members of its verdict."""
    return {**WELL, "verdict": {"status": status, **members}}


def finds(severity: str, status: str = "DONE", **members: Any) -> dict[str, Any]:
    """An answer that reports one finding of that severity."""
    found = {
        "severity": severity,
        "where": members.pop("where", "design.md"),
        "what": members.pop("what", "it is weak"),
    }
    return says(status, severity=severity, findings=[found], **members)


def task(
    name: str,
    depends_on: Sequence[str] = (),
    *,
    agent: str = "",
    files: Sequence[str] = (),
    **more: str,
) -> str:
    """The text of a task file."""
    lines = [
        f"# Task {name}",
        "",
        f"**Task Goal:** {name} works",
        f"**depends_on:** {', '.join(depends_on) or 'none'}",
    ]
    lines += [f"**agent:** {agent}"] if agent else []
    lines += [
        "",
        "## In-scope",
        "",
        *(f"- `{each}`" for each in files or [f"src/{name}.py"]),
        "",
        "## Out-of-scope",
        "",
        "- The rest",
    ]
    lines += [
        "",
        "## Acceptance Criteria",
        "",
        f"- [ ] {name} works",
        "",
        f"**Estimated Effort:** {more.get('effort', 'Low')}",
    ]
    lines += [
        "",
        "## Test Requirements",
        "",
        "- One",
        "",
        "## Implementation Steps",
        "",
        "1. Do it",
    ]
    return "\n".join([*lines, "", "## Completion Checklist", "", "- [ ] Done", ""])


def plan(*waves: Mapping[str, Sequence[str]], mode: str = "initial") -> str:
    """The text of plan.md with these waves: task id to what it waits for."""
    lines = ["# Plan", "", f"Planning Mode: {mode}", "", "## Execution Waves"]
    for number, wave in enumerate(waves, 1):
        lines += ["", f"### Wave {number} (parallel)", ""]
        lines += [
            f"- {name} (depends_on: {', '.join(deps) or 'none'})" for name, deps in wave.items()
        ]
    lines += [
        "",
        "## Dependency Graph",
        "",
        "As above.",
        "",
        "## Pre-Mortem",
        "",
        "| Risk | Likelihood | Answer |",
        "|---|---|---|",
    ]
    return "\n".join([*lines, "| None known | Low | Tests |", ""])


def planner(
    *waves: Mapping[str, Sequence[str]], mode: str = "initial", **tasks: str
) -> dict[str, Any]:
    """A planner that writes these waves, and a task file for each task unless its text is given."""
    files = {name: task(name, deps) for wave in waves for name, deps in wave.items()}
    files |= {name.replace("_", "-").removeprefix("t"): text for name, text in tasks.items()}
    count = sum(map(len, waves))
    return {
        "write": {
            "@plan": plan(*waves, mode=mode),
            **{f"tasks/{name}.md": text for name, text in files.items()},
        },
        "say": f"DONE: {count} tasks created, {len(waves)} waves",
    }


def builds(name: str, **files: str) -> dict[str, Any]:
    """An implementer that writes these files (`__` stands for `/`, `_py` at the end for `.py`)."""
    made = {
        path.replace("__", "/").removesuffix("_py") + (".py" if path.endswith("_py") else ""): text
        for path, text in files.items()
    }
    return {"write": made or {f"src/{name}.py": f"NAME = {name!r}\n"}, "say": f"DONE: {name}"}


@dataclass
class FeatureProject(Project):
    run_id: str = f"{SLUG}-0001"

    @classmethod
    def at(cls, tmp_path: Path, kind: Any = "repository") -> FeatureProject:
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        return cls(make(tmp_path / "project", kind), home)

    def feature(
        self,
        agents: Mapping[str, Any] | None = None,
        *,
        request: str = REQUEST,
        policy: Mapping[str, Any] | None = None,
        keys: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Ended:
        listed = {
            role: call if isinstance(call, list) else [call]
            for role, call in (agents or {}).items()
        }
        by_key = {
            key: call if isinstance(call, list) else [call] for key, call in (keys or {}).items()
        }
        agent = options.pop("agent", None) or self.scenario(listed, keys=by_key, defaults=WELL)
        told = {"retry_backoff_s": 0.0, **(policy or {})}
        ended = self.app.start(
            "feature", [request], RunOptions(agent=agent, policy=told, **options)
        )
        self.run_id = ended.run
        return ended

    # -- looking

    def document(self, name: str) -> str:
        return self.text(f"{FOLDER}/{name}")

    def has(self, name: str) -> bool:
        return (self.root / FOLDER / name).is_file()

    def roles(self) -> list[str]:
        """The role of every dispatch, in the order they began."""
        return [each["role"] for each in self.events("step.started") if each["kind"] == "dispatch"]

    def asked(self, key: str) -> int:
        """How often the agent of that key was started."""
        return len(self.events("step.started", key=key))

    def steps(self) -> list[str]:
        """The steps the run went through, one for each time it moved."""
        return [each["to"] for each in self.events("run.advanced")]

    def warnings(self) -> str:
        return "\n".join(each["text"] for each in self.events("feature.warning"))

    def outcome(self) -> str:
        return str(self.event("run.completed")["outcome"])

    def most_at_once(self) -> int:
        """The largest number of dispatches that had begun and not ended."""
        live: set[str] = set()
        most = 0
        for each in self.events():
            if each["type"] == "step.started" and each["kind"] == "dispatch":
                live.add(each["key"])
                most = max(most, len(live))
            elif each["type"] in {"step.finished", "retry.scheduled"}:
                live.discard(each["key"])
        return most
