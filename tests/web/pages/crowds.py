"""Journals of large runs: many steps one after the other, many agents at once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal

from tests.views.conftest import START, Teller

from podium.core import chain, events
from podium.core.contract import Contract
from podium.core.effects import Cluster, Stage
from podium.core.run import Run
from podium.core.workflow import Workflow, step
from podium.wiring_values import Summary


class Crowd(Workflow):
    """Agents side by side, then a step that comes again and again."""

    name = "crowd"
    start = "swarm"

    @step(Cluster(lambda run: (), lambda run, found: "ok", limit=30), phase="Swarm")
    def swarm(self, run: Run, outcome: Literal["ok"]) -> Literal["loop"]:
        return "loop"

    @step(Stage("worker", lambda _: Contract("worker")), loops=True)
    def loop(self, run: Run, outcome: Literal["ok"]) -> Literal["loop", "done"]:
        return "loop"


def finished(key: str, seconds: float = 1.0) -> dict[str, Any]:
    usage = {"tokens_in": 100, "tokens_out": 10, "cost_usd": None, "seconds": seconds}
    return events.step_finished(
        key, "ok", "done", outputs={}, evidence=[], usage=usage, assurance={"read": "asked"}
    )


def long_run(steps: int = 2_000) -> list[dict[str, Any]]:
    """One agent, step after step."""
    t = Teller("long-1")
    t.tell(events.run_started(Run(step="loop"), "crowd", [], "1.0.0"))
    for number in range(1, steps + 1):
        t.tell(events.step_started(f"loop/{number}", "loop", "dispatch", "worker", 1, {}), 0.2)
        t.tell(finished(f"loop/{number}"), 3.0 + number % 7)
        t.advance("loop", "loop")
    return t.events


def wide_run(agents: int = 30, rounds: int = 3) -> list[dict[str, Any]]:
    """Many agents at once, each round a little out of step."""
    facts: list[tuple[float, dict[str, Any]]] = [
        (0.0, events.run_started(Run(step="swarm"), "crowd", [], "1.0.0"))
    ]
    for turn in range(rounds):
        for number in range(agents):
            key = f"swarm/{turn + 1}/agent-{number:02}"
            began = 1 + turn * 100 + number * 0.7
            facts.append(
                (began, events.step_started(key, "swarm", "dispatch", f"agent-{number:02}", 1, {}))
            )
            if turn < rounds - 1 or number % 3:
                facts.append((began + 40 + (number * 13) % 50, finished(key)))
    told: list[dict[str, Any]] = []
    for seq, (after, fact) in enumerate(sorted(facts, key=lambda each: each[0]), 1):
        ts = (START + timedelta(seconds=after)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        told.append(
            chain.seal(
                {**fact, "run": "wide-1", "ts": ts}, seq, told[-1]["hash"] if told else chain.FIRST
            )[0]
        )
    return told


def summary(told: list[dict[str, Any]], step: str, **more: Any) -> Summary:
    known = {
        "run": told[0]["run"],
        "workflow": "crowd",
        "title": "A crowd",
        "status": "active",
        "step": step,
        "reason": "",
        "stop": "",
        "started": told[0]["ts"],
        "updated": told[-1]["ts"],
        "holder": {"pid": 7, "host": "box", "since": "now"},
    }
    return Summary(**{**known, **more})
