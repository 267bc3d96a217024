"""A project with the harness, ready to run, and agents that behave well."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.fakes.pseudo_terminal import environment

TASK = "harness/tasks/T001-sample.md"
TESTED = {
    "Makefile": "test:\n\t@sh tests.sh\n",
    "tests.sh": "if grep -qs broken src/*.py; then echo 'FAILED src: broken'; exit 1; fi\n",
}
"""A test command that `podium init` finds."""
RUN = ["run", "harness", TASK, "--agent", "scripted:good.yaml", "--run-id", "R1"]


def podium(
    *words: str, cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "podium", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=100,
        env=environment(**(env or {})),
        stdin=subprocess.DEVNULL,
    )


def make(folder: Path, scenario: str = "defaults: {behave: well}\n") -> Path:
    folder.mkdir()
    for name, text in TESTED.items():
        (folder / name).write_text(text)
    podium("init", "harness", "--project", str(folder), cwd=folder)
    (folder / "good.yaml").write_text(scenario)
    who = ["-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgsign=false"]
    for git in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        subprocess.run(["git", *who, *git], cwd=folder, check=True)
    return folder


def journal(project: Path, run: str = "R1") -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in (project / ".podium/runs" / run / "journal.jsonl").read_text().splitlines()
    ]


def decisions(project: Path) -> list[tuple[str, str, str, str]]:
    return [
        (each["key"], each["decision"], each["by"], each["note"])
        for each in journal(project)
        if each["type"] == "gate.decided"
    ]


def events(project: Path, run: str = "R1") -> list[dict[str, Any]]:
    """Those of child runs, too."""
    found = sorted((project / ".podium/runs" / run).rglob("journal.jsonl"))
    return [json.loads(line) for path in found for line in path.read_text().splitlines()]
