"""The view of a driven run, and everybody else who is told about its events."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from podium.cli import context
from podium.engine.outcome import Observer
from podium.reach.listeners import Listener, listeners


class Reached:
    """Tells the view first, then everybody else."""

    def __init__(self, view: Observer, others: Sequence[Listener]) -> None:
        self._view, self._others = view, others

    def event(self, event: Mapping[str, Any]) -> None:
        self._view.event(event)
        for each in self._others:
            each.event(event)

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        self._view.activity(key, kind, fields)

    def settle(self) -> list[str]:
        """Called when the run rests: what was not delivered, one line each. Ctrl-C ends only
        this waiting.
        """
        try:
            return [line for each in self._others for line in each.settle()]
        except KeyboardInterrupt:
            return ["interrupted: notices on their way may not have arrived"]


def reached(args: Namespace, view: Observer) -> Reached:
    """A demo notifies nobody: whoever asked for it is watching."""
    if getattr(args, "untold", False):
        return Reached(view, ())
    return Reached(
        view,
        listeners(
            context.settings(args), context.project(args), os.environ, context.app(args).events
        ),
    )
