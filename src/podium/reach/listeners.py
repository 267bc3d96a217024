"""Who hears about a driven run besides its own view: people, and a telemetry collector."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from podium.reach.configured import wanted
from podium.reach.courier import Courier
from podium.reach.notice import About
from podium.settings.values import Settings
from podium.state.run_folder import RunFolder, load_request

Past = Callable[[str], Iterable[Mapping[str, Any]]]


class Listener(Protocol):
    """Hears events without holding up the run, and reports at the end what was not delivered."""

    def event(self, event: Mapping[str, Any]) -> None: ...
    def settle(self) -> list[str]: ...


def listeners(
    settings: Settings, project: Path, environ: Mapping[str, str], past: Past
) -> list[Listener]:
    """The configured listeners for a driven run; `past` returns all events of a root run's
    family so far.
    """

    def about(run: str) -> About:
        request = load_request(RunFolder(project, run))
        return About(run, str(request.get("workflow", "")), str(request.get("title", "")))

    def folder(run: str) -> Path:
        return RunFolder(project, run).path

    found: list[Listener] = []
    told = wanted(settings.notify, project, environ)
    if told.channels:
        found.append(Courier(told, about, folder))
    if settings.telemetry.endpoint:
        from podium.reach.otel.collector import Collector  # noqa: PLC0415 - only if it is used
        from podium.reach.otel.live import Live  # noqa: PLC0415

        found.append(Live(Collector(settings.telemetry, environ), past, folder))
    return found
