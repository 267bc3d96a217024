"""What this machine offers to runs: agent programs, sandboxes, cores. Determined once, when a
worker starts.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Mapping, Sequence
from functools import partial

from podium.agents.confine.levels import NAMES, level
from podium.agents.profiles.catalog import PROFILES, discover
from podium.fleet.line.needs import Offer, at_once
from podium.fleet.line.wants import Wants, wants_of
from podium.settings.values import Settings


def offer_of(
    worker: str,
    settings: Settings,
    environ: Mapping[str, str],
    *,
    concurrency: Sequence[str],
    labels: Collection[str],
    agents: Collection[str],
) -> Offer:
    """`agents`: the programs its owner says it has; empty means those found here."""
    places, by_agent = at_once(concurrency)
    path = environ.get("PATH", os.defpath)
    return Offer(
        worker,
        places,
        tuple(sorted(set(labels))),
        programs(settings, agents, path),
        tuple(name for name in NAMES if level(name, path).works),
        cores(),
        by_agent,
        settings.fleet.limits,
        wants_of([settings.agent], settings) if settings.agent else Wants(),
        settings.fleet.stay_s,
    )


def programs(settings: Settings, given: Collection[str], path: str) -> tuple[str, ...]:
    """Known programs, by the names of their profiles."""
    if given:
        return tuple(sorted(set(given)))
    which = partial(shutil.which, path=path)
    own = {
        each.backend or name
        for name, each in settings.agents.items()
        if each.program and which(each.program)
    }
    return tuple(sorted({each.name for each in discover(which)} | (own & set(PROFILES))))


def cores() -> int:
    """The number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
