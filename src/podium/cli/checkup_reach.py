"""What `podium doctor` says about `[notify]` and `[telemetry]`: settings, recent failures, an
optional test notice.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from podium.cli.finding import Finding
from podium.core.errors import InputError
from podium.reach.configured import channels, faults
from podium.reach.courier import deliver, failures
from podium.reach.notice import About, trial
from podium.reach.otel.collector import Collector
from podium.reach.otel.collector import faults as collector_faults
from podium.settings.sources import load
from podium.state.run_folder import RunFolder, run_ids

NAME = "notify"
LATEST = 10
"""How many runs' records of notices are examined."""


def notify(project: Path, *, send: bool = False) -> Iterator[Finding]:
    try:
        settings = load(project, os.environ).notify
    except InputError:
        return  # reported with the settings
    wrong = list(faults(settings, project, os.environ))
    for each in wrong:
        yield Finding(NAME, "warn", f"{each.where}: {each.what}", each.mend)
    ways = list(channels(settings, project, os.environ))
    if not ways and not wrong:
        yield Finding(
            NAME, "ok", "nobody is notified", "[notify] in podium.toml: desktop, webhook or command"
        )
    elif ways:
        told = ", ".join(settings.events) or "all events"
        yield Finding(NAME, "ok", f"{', '.join(each.name for each in ways)}: {told}")
    yield from _late(project)
    if send:
        yield from _tried(project)


def telemetry(project: Path) -> Iterator[Finding]:
    try:
        settings = load(project, os.environ).telemetry
    except InputError:
        return
    if not settings.endpoint:
        return
    wrong = list(collector_faults(settings, os.environ))
    for each in wrong:
        yield Finding("telemetry", "warn", f"{each.where}: {each.what}", each.mend)
    if not wrong:
        words = (
            "with texts of agents and people"
            if settings.content
            else "without texts of agents and people"
        )
        yield Finding(
            "telemetry",
            "ok",
            f"{Collector(settings, os.environ).protocol} to {settings.endpoint}, {words}",
        )


def _late(project: Path) -> Iterator[Finding]:
    """What was not delivered in the latest runs, once per channel."""
    runs = project / ".podium" / "runs"
    found = sorted(run_ids(runs), key=lambda run: (runs / run).stat().st_mtime, reverse=True)
    said: set[str] = set()
    for run in found[:LATEST]:
        for each in failures(RunFolder(project, run).path):
            if (channel := str(each["channel"])) not in said:
                said.add(channel)
                why = (
                    f"{channel}: {each.get('event')} of {run} was not delivered: "
                    f"{each.get('why', '')}"
                )
                yield Finding(NAME, "warn", why, "fix it, then podium doctor --notify tries it")


def _tried(project: Path) -> Iterator[Finding]:
    settings = load(project, os.environ).notify
    at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    notice = trial(About("test", title=project.name), at, settings.link)
    heard: list[tuple[str, str]] = []
    deliver(
        notice,
        list(channels(settings, project, os.environ)),
        lambda channel, why: heard.append((channel, why)),
    )
    for channel, why in heard:
        yield Finding(
            NAME, "fail" if why else "ok", f"{channel}: {why or 'a test notice was sent'}"
        )
    if not heard:
        yield Finding(
            NAME, "fail", "there is no way to send a test notice", "[notify] in podium.toml"
        )
