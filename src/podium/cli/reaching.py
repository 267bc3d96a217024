"""Who else hears what a driven run writes: people who are to be told, beside the view that is open."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from podium.cli import context
from podium.engine.outcome import Observer
from podium.reach.configured import wanted
from podium.reach.courier import Courier, Wanted
from podium.reach.notice import About
from podium.state.run_folder import RunFolder, load_request


class Reached:
    """The view first, then everybody else."""

    def __init__(self, view: Observer, courier: Courier) -> None:
        self._view, self._courier = view, courier

    def event(self, event: Mapping[str, Any]) -> None:
        self._view.event(event)
        self._courier.event(event)

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        self._view.activity(key, kind, fields)

    def settle(self) -> list[str]:
        """When the run rests: what did not arrive, a line each."""
        return self._courier.settle()


def reached(args: Namespace, view: Observer) -> Reached:
    """A demo tells nobody: it is played before the person who asked for it."""
    project = context.project(args)
    told = Wanted((), frozenset()) if getattr(args, "untold", False) else wanted(context.settings(args).notify, project, os.environ)

    def about(run: str) -> About:
        request = load_request(RunFolder(project, run))
        return About(run, str(request.get("workflow", "")), str(request.get("title", "")))

    return Reached(view, Courier(told, about, lambda run: RunFolder(project, run).path))
