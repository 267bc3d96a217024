"""Which of the contract's tries are made by whom; PODIUM_TEST_AGENTS=all makes every try for
everybody.

Programs are pinned, so that between two runs of the suite only Podium changes: its profile and its
reader of each agent, its transports, its rooms. Three agents go through the whole list by their
command line, and one by ACP, as the fake agent does. The others are started twice: killed in their
work they go on with it, in their room, through every fault and attack, to a report. Two whole runs
are played by one agent, one for each transport; in one more for each agent it builds by ACP and
tests by its command line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from tests.agents.contract.drivers import ACP, FAKE, HEADLESS, NAMES, Driver

EVERYBODY = os.environ.get("PODIUM_TEST_AGENTS") == "all"
REAL = (*HEADLESS, *ACP)
WHOLE_LIST = ("claude-headless", "codex-headless", "gemini-headless", "codex-acp")
ALONE = ("codex-headless", "codex-acp")
"""Who play a whole run alone: those that start in the shortest time."""
LIMITED = ("claude-headless", "gemini-headless", "codex-acp")
"""What a gateway reads in a refusal depends on whose model it is; the sleep that follows does
not.
"""
ROLES = {
    "po-spec": "specification",
    "feature-design": "design",
    "tech-lead": "implementation-planning",
    "build": "build/1",
    "qa": "qa/1",
}
"""Of the workflow `harness`, with the step that each plays."""


def _those(wanted: Callable[[str], bool]) -> list[Driver]:
    return [each for each in REAL if EVERYBODY or wanted(each.name)]


def _marked(found: Iterable[Driver]) -> list[Any]:
    return [pytest.param(each, marks=pytest.mark.agents, id=each.name) for each in found]


# The fake agent is always there, so that the contract is always tried.
EACH_TRY = [pytest.param(FAKE, id=FAKE.name), *_marked(_those(WHOLE_LIST.__contains__))]
TWO_STARTS = [
    pytest.param(FAKE, id=FAKE.name),
    *_marked(_those(lambda name: name not in WHOLE_LIST)),
]
TOLD_A_LIMIT = _marked(_those(LIMITED.__contains__))


@dataclass(frozen=True)
class Cast:
    """Who plays which role of a run; the others are played without a model."""

    name: str
    players: Mapping[str, Driver]

    @property
    def missing(self) -> str:
        return next((each.missing for each in self.players.values() if each.missing), "")


def alone(driver: Driver) -> Cast:
    return Cast(driver.name, dict.fromkeys(ROLES, driver))


CASTS = [
    *map(alone, _those(ALONE.__contains__)),
    *(
        Cast(name, {"build": by_acp, "qa": by_words})
        for name, by_words, by_acp in zip(NAMES, HEADLESS, ACP, strict=True)
    ),
]
