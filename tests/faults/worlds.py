"""One small run of each workflow, from its start to its end without a person, and what is to be
seen of it from outside.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.crash.story import NOON, SCENARIO, Counted, Place, _agent
from tests.crash.test_feature import SCENARIO as FEATURE
from tests.crash.test_feature import FeaturePlace
from tests.crash.test_governed import GovernedPlace
from tests.crash.test_roadmap_writes import ITEMS, Road
from tests.crash.test_ticket_every_write import TALES, TicketPlace
from tests.fakes import governed as g
from tests.fakes.feature import REQUEST
from tests.fakes.roadmap import built
from tests.fakes.ticket import WORDS

from podium.agents.protocol import Agent
from podium.engine.outcome import Ended, Observer
from podium.state.disk import Disk
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions
from podium.workflows.harness.entry import ENTRY

RUN = "fault-1"
STEPS = 6
"""Calls after which a healed run must have come to its end."""


def _line(number: int, value: str) -> str:
    return f"sed -i \"s/^LINE_{number} = .*/LINE_{number} = '{value}'/\" src/app.py"


def _built(name: str) -> Mapping[str, Any]:
    """It is there already where a reviewer failed and not whoever built."""
    return built(
        f"src/{name}.py", f"{name.upper()} = 1\n", say="No change needed: it is there already"
    )


BRIEF: Mapping[str, Mapping[str, Any]] = {
    "harness": SCENARIO,
    # Whichever try it is: one that failed is a round of its own, with a key of its own.
    "ticket": {
        **TALES["one trivial task"],
        "keys": {
            "iteration/0/task/TASK-1/*": [
                {"behave": "well", "write": {"src/app.py": "WORDS = 2\n"}}
            ]
        },
    },
    "roadmap": {
        "keys": {
            f"item/US-{number}/implement/*": [_built(name)] for number, name in ((1, "a"), (2, "b"))
        },
        "defaults": {"behave": "well"},
    },
    # A fault may come when the first task's work is in: the second then keeps it, as an agent that
    # reads would.
    "feature": {
        **FEATURE,
        "agents": {"planner": FEATURE["agents"]["planner"]},
        "keys": {
            "wave/1/01-a": [
                {"run": _line(1, "a"), "write": {"src/a.py": "A = 1\n"}, "say": "DONE: 01-a"}
            ],
            "wave/1/02-b": [{"run": _line(10, "b"), "delete": ["src/old.py"], "say": "DONE: 02-b"}],
        },
    },
    "governed": {
        "agents": {"planner": [g.plan({}, complexity_tier="TRIVIAL")]},
        "keys": {"wave/1/phase/1/execute/*": [g.writes("src/part1.py", "LIMIT = 1\n")]},
        "defaults": {"behave": "well"},
    },
}


class _Harness(Place):
    pass


_PLACES: Mapping[str, type[Place]] = {
    "harness": _Harness,
    "ticket": TicketPlace,
    "roadmap": Road,
    "feature": FeaturePlace,
    "governed": GovernedPlace,
}
_INPUTS: Mapping[str, list[str]] = {
    "harness": [ENTRY.example],
    "ticket": [WORDS],
    "roadmap": [],
    "feature": [REQUEST],
    "governed": [g.REQUEST],
}
WORKFLOWS = tuple(_PLACES)
POLICY: dict[str, Any] = {"retry_backoff_s": 0.0}
assert len(ITEMS) == 2  # the roadmap's project has these two, and no others


@dataclass
class World:
    """One project with one run in it; every command is a process of its own, as it were."""

    workflow: str
    place: Place
    wrapped: Callable[[Agent], Agent] = lambda agent: agent
    clock: Callable[[], datetime] = lambda: NOON
    apps: list[App] = field(default_factory=list)
    observer: Observer | None = None

    @classmethod
    def of(cls, workflow: str, root: Path) -> World:
        place = _PLACES[workflow](root, BRIEF[workflow])
        place.make()
        return cls(workflow, place)

    @property
    def folder(self) -> Path:
        return self.place.project / ".podium" / "runs" / RUN

    @property
    def journal(self) -> Path:
        return self.folder / "journal.jsonl"

    def app(self, disk: Disk | None = None) -> App:
        place = self.place
        agent = _agent(json.dumps(place.scenario), place.project)
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(place.here),
            "XDG_STATE_HOME": str(place.here / "state"),
            "USER": "ada",
        }
        parts = Parts(
            environ,
            clock=self.clock,
            disk=disk or Disk(),
            token=lambda: "story",
            agents=lambda _: self.wrapped(Counted(agent, place.oracle)),
            cwd=place.project,
        )
        self.apps.append(App(place.project, self.observer, parts))
        return self.apps[-1]

    def go(self, disk: Disk | None = None, because: str = "") -> Ended:
        """Start it, or go on with what is there, as one process; whatever it held is free
        afterwards.
        """
        app = self.app(disk)
        try:
            if self.journal.exists():
                return app.resume(RUN, RunOptions(approve_all=True, by="Ada", because=because))
            options = RunOptions(
                agent="scripted:scenario.json",
                run_id=RUN,
                approve_all=True,
                by="Ada",
                policy=POLICY,
            )
            return app.start(self.workflow, _INPUTS[self.workflow], options)
        finally:
            self.freed()

    def freed(self) -> None:
        """The kernel frees the locks of a dead process; here the process lives on."""
        for app in self.apps:
            for held in list(app.journal._held.values()):
                app.journal.close(held.opened)
        self.apps.clear()

    # -- what is to be seen from outside

    def events(self) -> list[Mapping[str, Any]]:
        """Of the run and its children; every chain is checked."""
        return list(self.app().events(RUN)) if self.journal.exists() else []

    def ended(self) -> set[str]:
        """Keys of dispatches whose end is recorded and which nobody declared void since."""
        found: set[str] = set()
        for each in self.events():
            if each["type"] == "step.finished":
                found.add(each["key"])
            elif each["type"] == "step.stale":
                found.discard(each["key"])
        return found

    def asked(self) -> list[str]:
        return [line.split()[0] for line in self.place.asked()]

    def files(self) -> dict[str, bytes]:
        return self.place.files()

    def code(self) -> dict[str, bytes]:
        """What the run is for: the project's own code."""
        return {name: data for name, data in self.files().items() if name.startswith("src/")}
