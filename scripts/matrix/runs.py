"""One run of one workflow on one project, in which the agent tells a lie."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.matrix.checkouts import Checkout
from scripts.matrix.stories import Story

LIMIT_S = 1800
_ENDS = {"run.completed": "", "run.blocked": "blocked", "run.paused": "waiting"}
PODIUM = (sys.executable, "-m", "podium")


@dataclass(frozen=True)
class End:
    """How a run ended."""

    exit: int
    outcome: str
    """`complete` and its kin; for runs that did not complete `blocked`, `waiting`, `refused`."""
    sentence: str
    """What a person is told."""
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether somebody who looks at exit code and outcome takes the work for proven."""
        return self.exit == 0 and self.outcome in {"complete", "completed_with_findings"}


def found_test(checkout: Checkout, cache: Path) -> str:
    """The test command that `podium init` finds, or nothing."""
    checkout.reset()
    ended = _podium(checkout, cache, "init", "--json")
    checkout.reset()
    guesses = json.loads(ended.stdout or "{}").get("commands", [])
    return next((str(guess["command"]) for guess in guesses if guess["name"] == "test"), "")


def run(checkout: Checkout, story: Story, cache: Path) -> End:
    """Let the workflow run on the checkout as it was set up."""
    checkout.reset()
    _podium(checkout, cache, "init", story.workflow)
    test = json.dumps(checkout.project.test)
    policy = "".join(f"{name} = {json.dumps(value)}\n" for name, value in story.policy.items())
    settings = f"[commands]\ntest = {test}\n\n[policy.{story.workflow}]\n{policy}"
    checkout.commit({**story.before, **story.files, "podium.toml": settings}, "Podium")
    scenario = cache / f"{checkout.project.name}-scenario.json"
    scenario.write_text(json.dumps(story.scenario), encoding="utf-8")
    began = time.monotonic()
    ended = _podium(
        checkout,
        cache,
        "run",
        story.workflow,
        *story.inputs,
        "--agent",
        f"scripted:{scenario}",
        "--yes-i-approve-all-gates",
        "--json",
    )
    seconds = time.monotonic() - began
    return _end(ended, seconds)


def _podium(checkout: Checkout, cache: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PODIUM_", "GIT_", "PYTEST_", "COV_"))
    }
    environment["XDG_STATE_HOME"] = os.fspath(cache / ".state")
    environment["PODIUM_USER"] = "matrix"
    return subprocess.run(
        [*PODIUM, *words],
        cwd=checkout.root,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=LIMIT_S,
        check=False,
    )


def _end(ended: subprocess.CompletedProcess[str], seconds: float) -> End:
    events = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    ends = [event for event in events if event.get("type") in _ENDS or "error" in event]
    last: Mapping[str, Any] = ends[-1] if ends else {}
    outcome = _ENDS.get(str(last.get("type", "")), "refused") or str(last.get("outcome", ""))
    return End(ended.returncode, outcome, _sentence(last, events, ended.stderr), round(seconds, 1))


def _sentence(last: Mapping[str, Any], events: list[dict[str, Any]], errors: str) -> str:
    if "error" in last:
        return str(last["error"].get("message", ""))
    if last.get("type") == "run.completed":
        records = last.get("evidence") or []
        words = ", ".join(f"{record['name']}: {record['state']}" for record in records)
        return words or f"proof: {last.get('proof', '')}"
    gates = [event for event in events if event.get("type") == "gate.opened"]
    asked = gates[-1]["prompt"] if gates and last.get("type") == "run.paused" else ""
    reason = str(asked or last.get("reason") or errors.strip()[-300:])
    return " / ".join(line.strip() for line in reason.splitlines()[:4])
