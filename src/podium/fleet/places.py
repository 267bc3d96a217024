"""Where a fleet is, from its settings: the journal, the engine, the remote, a worker's folder."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from podium.core.errors import UsageError
from podium.fleet.engines.dispatching import Dispatch, Polling
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.settings.project import state_folder
from podium.settings.values import Fleet


def journal_of(fleet: Fleet, patience_s: float = 60.0) -> PostgresJournal:
    if not fleet.database:
        raise UsageError(
            "no fleet is set up here: set [fleet] database in podium.toml to its PostgreSQL, "
            "or start one to try with `podium fleet up` (see docs/fleet.md)"
        )
    return PostgresJournal(
        fleet.database, lambda: datetime.now(UTC), beat_s=fleet.beat_s, patience_s=patience_s
    )


def dispatch_of(
    fleet: Fleet, concurrency: int = 1, offers: Callable[[], list[str]] = list
) -> Dispatch:
    """`offers`: what a worker may take, for one that no engine notifies."""
    if fleet.engine == "procrastinate":
        from podium.fleet.engines.procrastinate_dispatch import ProcrastinateDispatch  # noqa: PLC0415

        return ProcrastinateDispatch(fleet.database, beat_s=fleet.beat_s, concurrency=concurrency)
    if fleet.engine == "temporal":
        from podium.fleet.engines.temporal_dispatch import TemporalDispatch  # noqa: PLC0415

        return TemporalDispatch(
            fleet.temporal, namespace=fleet.namespace, beat_s=fleet.beat_s, concurrency=concurrency
        )
    return Polling(offers, min(fleet.beat_s / 4, 2.0), concurrency)


def remote_of(fleet: Fleet, project: Path) -> str:
    """The remote's address; a name is looked up in the project."""
    name = fleet.remote or "origin"
    asked = subprocess.run(
        ["git", "config", "--get", f"remote.{name}.url"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    if found := asked.stdout.strip():
        return str((project / found).resolve()) if _is_path(found) else found
    if not fleet.remote:
        raise UsageError(
            "code moves to workers over a git remote, and this project has none: set [fleet] remote"
        )
    return str((project / name).resolve()) if _is_path(name) else name


def without_secrets(remote: str) -> str:
    """The address as others may see it, without a user or password in front of the host."""
    scheme, there, rest = remote.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}" if there else remote


def work_of(fleet: Fleet, environ: Mapping[str, str]) -> str:
    if fleet.work:
        return os.path.abspath(os.path.expanduser(fleet.work))
    return str(state_folder(environ) / "fleet")


def _is_path(address: str) -> bool:
    """Whether an address is a path; `host:path` and `scheme://` are not."""
    return ":" not in address.partition("/")[0]
