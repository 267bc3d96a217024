"""Who watches a run while it is driven: the JSON stream, the live view, plain lines, or nobody."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self

from podium.cli import context
from podium.cli.terminal import Terminal
from podium.core.workflow import Step


class View(Protocol):
    """An observer that is open while the run is driven and has the last word."""

    @property
    def concluded(self) -> bool:
        """Whether it ended by saying how the run stands; a stream, or a view that saw nothing,
        does not.
        """

    def event(self, event: Mapping[str, Any]) -> None: ...
    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None: ...
    def name(self, title: str) -> None: ...
    def conclude(self, advice: Sequence[str]) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...


class Quiet:
    """Shows nothing; the exit code and `podium status` say how it ended."""

    concluded = False

    def event(self, event: Mapping[str, Any]) -> None: ...
    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None: ...
    def name(self, title: str) -> None: ...
    def conclude(self, advice: Sequence[str]) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...


class Heard:
    """Passes everything on, and knows whether there was anything: a run that already rests has
    nothing to report.
    """

    def __init__(
        self, view: View, title_of: Callable[[str], str], past: Iterable[Mapping[str, Any]] = ()
    ) -> None:
        """`title_of`: from a run's id to its title, known once the run exists. `past`: what the
        view already knows.
        """
        self.view = view
        self.anything = False
        self._title_of = title_of
        self._known = {str(event.get("hash", "")) for event in past}

    def catch_up(self, events: Iterable[Mapping[str, Any]]) -> None:
        """Report what others wrote: a decision is recorded by whoever makes it."""
        for event in events:
            if event.get("hash") not in self._known:
                self.event(event)

    def event(self, event: Mapping[str, Any]) -> None:
        self._known.add(str(event.get("hash", "")))
        if not self.anything:
            self.anything = True
            self.view.name(self._title_of(str(event.get("run", "")).partition("/")[0]))
        self.view.event(event)

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        self.view.activity(key, kind, fields)


def view(
    args: Namespace,
    terminal: Terminal,
    title: str,
    steps: Iterable[Step],
    past: Iterable[Mapping[str, Any]] = (),
    *,
    person: bool = False,
) -> View:
    """`person`: somebody at this terminal plays a role, so nothing may be drawn over what they
    read and type.
    """
    if terminal.json:
        from podium.views.stream import StreamView  # noqa: PLC0415

        return StreamView(sys.stdout)
    if terminal.quiet:
        return Quiet()
    ui = context.settings(args).ui
    if ui.live and paints() and not person:
        # only if something is drawn
        from podium.views.terminal.live import live_observer  # noqa: PLC0415

        return live_observer(title, steps, sys.stdout, terminal.color and ui.color, past)
    from podium.views.plain import plain_observer  # noqa: PLC0415

    return plain_observer(title, steps, sys.stdout, past)


def paints() -> bool:
    """Whether standard output is a terminal on which the cursor can be moved."""
    return sys.stdout.isatty() and os.environ.get("TERM", "").lower() not in {"dumb", "unknown"}
