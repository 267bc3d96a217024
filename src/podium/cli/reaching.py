"""Who else hears what a driven run writes, beside the view that is open: people, and a collector of telemetry."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from podium.cli import context
from podium.engine.outcome import Observer
from podium.reach.configured import wanted
from podium.reach.courier import Courier
from podium.reach.notice import About
from podium.state.run_folder import RunFolder, load_request


class Listener(Protocol):
    """Hears the events beside the run, and says at the end what did not arrive."""

    def event(self, event: Mapping[str, Any]) -> None: ...
    def settle(self) -> list[str]: ...


class Reached:
    """The view first, then everybody else."""

    def __init__(self, view: Observer, listeners: Sequence[Listener]) -> None:
        self._view, self._listeners = view, listeners

    def event(self, event: Mapping[str, Any]) -> None:
        self._view.event(event)
        for each in self._listeners:
            each.event(event)

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        self._view.activity(key, kind, fields)

    def settle(self) -> list[str]:
        """When the run rests: what did not arrive, a line each. A person who does not want to wait ends only this."""
        try:
            return [line for each in self._listeners for line in each.settle()]
        except KeyboardInterrupt:
            return ["interrupted: what was still to be told or sent may not have arrived"]


def reached(args: Namespace, view: Observer) -> Reached:
    """A demo tells nobody: it is played before the person who asked for it."""
    return Reached(view, () if getattr(args, "untold", False) else _listeners(args))


def _listeners(args: Namespace) -> list[Listener]:
    project, settings = context.project(args), context.settings(args)

    def about(run: str) -> About:
        request = load_request(RunFolder(project, run))
        return About(run, str(request.get("workflow", "")), str(request.get("title", "")))

    found: list[Listener] = []
    told = wanted(settings.notify, project, os.environ)
    if told.channels:
        found.append(Courier(told, about, lambda run: RunFolder(project, run).path))
    if settings.telemetry.endpoint:
        from podium.reach.otel.collector import Collector  # noqa: PLC0415 - only where it is wanted
        from podium.reach.otel.live import Live  # noqa: PLC0415

        looking = context.app(args)
        found.append(Live(Collector(settings.telemetry, os.environ), looking.events, lambda run: RunFolder(project, run).path))
    return found
