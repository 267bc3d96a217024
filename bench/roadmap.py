"""What the loop itself costs for each item of a large roadmap: reading, choosing, rewriting.

python -m bench.roadmap [--items N] [--rounds N]
"""

from __future__ import annotations

import argparse
import json
import sys
from statistics import median
from time import perf_counter
from typing import Any

from podium.core.advance import advance
from podium.core.run import Run
from podium.settings.policies import defaults
from podium.workflows.roadmap.choosing import choosing
from podium.workflows.roadmap.items import projection
from podium.workflows.roadmap.items.research import CRITERIA
from podium.workflows.roadmap.runs import ItemRun, RoadmapRun
from podium.workflows.roadmap.workflow import Roadmap

FILE = "roadmap.json"
TARGET_MS = 1000.0
RESEARCH = {
    name: ["as found in src/module.py"]
    for name in ("patterns", "constraints", "risks", "fileLocations", "openDecisions")
}


def roadmap(size: int) -> str:
    """A file as people write it; each item waits for two others."""
    items = [
        {
            "id": f"US-{number}",
            "title": f"Item number {number}",
            "priority": number % 7,
            "complexity": "medium",
            "status": "ready",
            "passes": False,
            "ownerAgent": "Implement",
            "dependencies": [
                f"US-{each}" for each in (number // 2, number // 3) if 0 < each < number
            ][:2],
            "acceptanceCriteria": ["it does what is asked", "it is tested", "nothing else changes"],
            "verification": ["make test", "make lint"],
            "retryCount": 0,
            "planningResearch": RESEARCH,
        }
        for number in range(1, size + 1)
    ]
    return json.dumps({"project": "bench", "items": items}, indent=2) + "\n"


def iteration(
    text: str, notes: str | None, run: RoadmapRun, workflow: Roadmap
) -> tuple[str, str | None, RoadmapRun]:
    """One item from reading the file to writing `done` into it: what the loop computes, without
    disk and agents.
    """
    said = choosing(run, {FILE: text, CRITERIA: notes}, workflow.policy)
    picked = _advanced(workflow, run, said)
    at_work = ItemRun(step="implement", **picked.item)
    text = projection.of_item(at_work).render(text, "")
    loop = projection.of_loop(picked)
    assert loop.read_back is not None
    loop.read_back(text, picked)
    picked.ended = {
        "title": at_work.title,
        "status": "done",
        "passes": True,
        "retryCount": 0,
        "reasons": [],
        "touched": [],
    }
    picked.step = "select"
    return projection.of_loop(picked).render(text, ""), said.writes.get(CRITERIA, notes), picked


def _advanced(workflow: Roadmap, run: RoadmapRun, said: Any) -> RoadmapRun:
    after: Run = advance(workflow, run, said.route, said.sets, said.reason)
    assert isinstance(after, RoadmapRun)
    return after


def measure(size: int, rounds: int) -> list[float]:
    workflow = Roadmap(defaults("roadmap"), size)
    text, notes, run = roadmap(size), None, RoadmapRun(step="select", file=FILE)
    text, notes, run = iteration(text, notes, run, workflow)
    found = []
    for _ in range(rounds):
        began = perf_counter()
        text, notes, run = iteration(text, notes, run, workflow)
        found.append(1000 * (perf_counter() - began))
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=25)
    args = parser.parse_args()
    found = measure(args.items, args.rounds)
    print(
        f"{args.items} items: median {median(found):.1f} ms, most {max(found):.1f} ms an iteration"
    )
    print(f"target {TARGET_MS:g} ms: {'met' if median(found) < TARGET_MS else 'missed'}")
    return 0 if median(found) < TARGET_MS else 1


if __name__ == "__main__":
    sys.exit(main())
