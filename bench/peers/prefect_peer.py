"""Prefect with its own server, started for the process, and with task results kept."""

from __future__ import annotations

import os

from telling import Told

told = Told()
os.environ |= {
    "PREFECT_HOME": str(told.folder / "prefect"),
    "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "true",
    "PREFECT_LOGGING_LEVEL": "ERROR",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "240",
    "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "true",
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_LOCAL_STORAGE_PATH": str(told.folder / "results"),
}

from prefect import flow, task  # noqa: E402

size = 1 if told.mode == "one" else told.size


@task(cache_key_fn=lambda _, given: f"work-{given['number']}", persist_result=True)
def work(number: int) -> int:
    told.executed(number)
    return number


@flow
def chain(count: int) -> int:
    for number in range(count):
        work(number)
    return count


@flow
def fan(count: int) -> int:
    return len([each.result() for each in [work.submit(number) for number in range(count)]])


@flow
def nothing() -> None:
    """Starts the server before anything is measured."""


if told.mode in {"steps", "bound", "fan"}:
    nothing()
told.begin()
(fan if told.mode == "fan" else chain)(size)
told.end()
told.tell()
